"""What torch's functions, tensor methods, attributes and layers do, from a table made by `tools/generate_torch_api.py`.

The table describes calls with tensors of real dtypes on any device. Where a call's arguments decide (`torch.max(x)`
against `torch.max(x, 0)`), the plain answers are those of the call without optional arguments, or "unknown";
`Op.called` answers for the arguments at hand.
"""

from __future__ import annotations

import functools
import json
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Returns = Literal["tensor", "tensors", "host", "none", "module", "other", "unknown"]
Alias = Literal["fresh", "view", "maybe"]
Dtype = Literal["same", "bool", "float", "promote", "accumulate", "int64", "unknown"]
Random = Literal["never", "always", "maybe"]
Gradient = Literal["total", "finite", "unsafe"]
Kind = Literal["tensor", "optional", "host", "other", "unknown"]
Argument = Literal["tensor", "host", "true", "false", "none", "unknown"]
Train = Literal["pure", "buffers", "random", "unknown"]
Shape = Literal["same", "last", "append", "unknown"]

_REDUCED = frozenset({"dim", "axis"})
_FLAGS = frozenset({"reads", "value_shape", "elementwise", "total", "reduction", "effect"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an overload; it takes tensors or sequences of them, host values, or either."""

    name: str
    tensor: bool
    host: bool
    optional: bool
    keyword_only: bool
    literal: Literal["true", "false"] | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """One overload, without `self` for methods; `variadic` where the last positional parameter takes the rest."""

    parameters: tuple[Parameter, ...]
    returns: Returns
    variadic: bool = False
    value_shape: bool = False

    def bind(self, positional: Sequence[Argument], keywords: Mapping[str, Argument]) -> dict[str, Argument] | None:
        """The arguments by parameter, or None where this overload does not take them."""
        places = [p for p in self.parameters if not p.keyword_only]
        if len(positional) > len(places) and not self.variadic:
            return None
        by_name = {p.name: p for p in self.parameters}
        given = {p.name: kind for p, kind in zip(places, positional, strict=False)}
        if any(name in given or name not in by_name for name in keywords):
            return None
        given.update(keywords)
        if any(not p.optional and p.name not in given for p in self.parameters):
            return None
        return given if all(_accepts(by_name[name], kind) for name, kind in given.items()) else None

    def takes_another_tensor(self, given: Mapping[str, Argument], method: bool) -> bool:
        """True where an argument beside the operation's own tensor may be a tensor."""
        own = self.parameters[:1] if not method or (self.parameters and self.parameters[0].name == "self") else ()
        return any(p.tensor and p.name in given and p not in own for p in self.parameters)


@dataclass(frozen=True, slots=True)
class Op:
    """A function or tensor method.

    Attributes:
        name: "torch.where"; "torch.Tensor.add_" for a method.
        signatures: the overloads; empty where torch does not say.
        returns: what comes back; "tensors" is any tuple or list of them, "host" a number, string, size, dtype, device.
        reads: it copies values to the host: a graph break, and a synchronisation on an accelerator.
        mutates: parameters that it always writes to; "self" for the tensor of a method.
        mutates_if: parameters that make it write: to themselves (`out`), or to the first argument (`inplace`).
        random: whether it draws random numbers; "maybe" where `training`, `p` or the like decides.
        value_shape: the output's shape depends on the input's values.
        value_shape_perhaps: so it is for some of the arguments that this may be.
        alias: whether the result shares storage with an argument.
        elementwise: each element of the result depends on the elements at its place (after broadcasting) alone.
        total: elementwise, and never raises for float tensors that broadcast, whatever their values.
        dtype: of the (first) result, without a `dtype` argument. same: that of the first tensor; promote: the promotion
            of all operands, masks and conditions aside (powers of bool are int64); float: that promotion, where
            integers become the default dtype or are refused; accumulate: as same, but integers and bool become int64.
        reduction: without `dim` the result is 0-d.
        gradient: total: the derivative is finite at any input, also inf and NaN; finite: at every finite input
            (magnitudes up to 1e30 for what is not elementwise); unsafe: neither, or not known. A finite derivative
            times an incoming zero is zero, so what `torch.where` does not select leaves no NaN behind.
        effect: it changes something other than its arguments: global state, files, gradients.
    """

    name: str
    signatures: tuple[Signature, ...] = ()
    returns: Returns = "unknown"
    reads: bool = False
    mutates: tuple[str, ...] = ()
    mutates_if: tuple[str, ...] = ()
    random: Random = "never"
    value_shape: bool = False
    value_shape_perhaps: bool = False
    alias: Alias = "fresh"
    elementwise: bool = False
    total: bool = False
    dtype: Dtype = "unknown"
    reduction: bool = False
    gradient: Gradient = "unsafe"
    effect: bool = False
    _calls: dict[object, Op] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def safe_gradient(self) -> bool:
        """True where the derivative is finite at every finite input."""
        return self.gradient != "unsafe"

    @property
    def takes_tensor(self) -> bool:
        """True for a function whose first argument must be a tensor or a sequence of tensors, in every overload."""
        return bool(self.signatures) and all(
            s.parameters and s.parameters[0].tensor and not s.parameters[0].host for s in self.signatures
        )

    def called(self, positional: Sequence[Argument] = (), keywords: Mapping[str, Argument] | None = None) -> Op:
        """The same operation for these arguments (for a method, without its tensor).

        `returns`, `reduction`, `value_shape` and `reads` are theirs, "unknown" where the overloads that take them do
        not agree. A constant True or False is given as such, since some overloads hang on it. Nothing changes where
        torch publishes no overloads.
        """
        key = (*positional, None, *(keywords or {}).items())
        if key not in self._calls:
            self._calls[key] = self._called(positional, keywords or {})
        return self._calls[key]

    def _called(self, positional: Sequence[Argument], keywords: Mapping[str, Argument]) -> Op:
        bound = [(s, s.bind(positional, keywords)) for s in self.signatures]
        fits = [(s, given) for s, given in bound if given is not None]
        if not fits:
            return self if not self.signatures else replace(self, returns="unknown", reduction=False)
        returns = {s.returns for s, _ in fits}
        full = not any(given.get(name, "none") != "none" for _, given in fits for name in _REDUCED)
        method = self.name.startswith("torch.Tensor.")
        whole = full and not any(s.takes_another_tensor(given, method) for s, given in fits)
        by_value = any(s.value_shape for s, _ in fits)
        told_apart = any(s.value_shape for s in self.signatures)
        return replace(
            self,
            returns=returns.pop() if len(returns) == 1 else "unknown",
            reduction=self.reduction and whole,
            reads=self.reads and (by_value or not told_apart),
            value_shape=by_value or (self.value_shape and not told_apart),
            value_shape_perhaps=by_value and not all(s.value_shape for s, _ in fits),
        )


@dataclass(frozen=True, slots=True)
class Layer:
    """A class of `torch.nn` that makes modules.

    Attributes:
        name: "torch.nn.Linear".
        parameters: of its constructor, in order, without self.
        takes_tensor: the first argument of its forward is a tensor.
        returns: of its forward, as in `Op`.
        train: what its forward does in training mode beyond computing: writes buffers, draws random numbers.
        inplace: the constructor has an `inplace` argument.
        shape: of the output. same: the input's; last: the last dimension becomes argument 1, `out_features`; append:
            one dimension more, of argument 1, `embedding_dim`.
        function: the torch function that its forward calls and returns, where that is all that it does.
        elementwise: in evaluation mode, as in `Op`.
    """

    name: str
    parameters: tuple[str, ...] = ()
    takes_tensor: bool = False
    returns: Returns = "unknown"
    train: Train = "pure"
    inplace: bool = False
    shape: Shape = "unknown"
    function: str | None = None
    elementwise: bool = False


def canonical(qualified: str) -> str:
    """The best known name of what `qualified` names: "torch.nn.Linear" for "torch.nn.modules.linear.Linear".

    A name that is not known by another is its own: "torch.absolute" is "torch.abs", "mine.abs" is "mine.abs".
    """
    return str(_table()["aliases"].get(qualified, qualified))


@functools.cache
def function(qualified: str) -> Op | None:
    """The function of that dotted name, also by another of its names; "torch.Tensor.add_" gives the method, whose first
    argument is then the tensor. None where the table has none.
    """
    if qualified.startswith("torch.Tensor."):
        found = method(qualified.removeprefix("torch.Tensor."))
        return found and replace(found, signatures=tuple(_with_self(s) for s in found.signatures))
    name = canonical(qualified)
    entry = _table()["functions"].get(name)
    return _op(name, entry) if entry else None


@functools.cache
def method(name: str) -> Op | None:
    """The method of `torch.Tensor` of that name, `__add__` and its like included; None where there is none."""
    entry = _table()["methods"].get(name)
    return _op(f"torch.Tensor.{name}", entry) if entry else None


def computes(op: Op | None) -> bool:
    """True for what makes or reads tensors; `x.numel()` and `torch.manual_seed(0)` do neither."""
    return op is not None and (op.reads or op.returns in ("tensor", "tensors", "unknown"))


def attribute(name: str) -> Kind:
    """What reading an attribute of a tensor gives; "optional" is a tensor or None; methods are "unknown"."""
    found: Kind = _table()["attributes"].get(name, "unknown")
    return found


def constant(qualified: str) -> Kind:
    """What a name of torch's modules that is no function or class holds: "host" for `torch.float32` and `torch.pi`."""
    found: Kind = _table()["constants"].get(qualified, "unknown")
    return found


@functools.cache
def layer(qualified: str) -> Layer | None:
    """The layer of that dotted name, also by its defining module's; None where the table has none."""
    name = canonical(qualified)
    entry: dict[str, Any] | None = _table()["layers"].get(name)
    if entry is None:
        return None
    return Layer(
        name, tuple(entry.get("parameters", "").split()), **{k: v for k, v in entry.items() if k != "parameters"}
    )


@functools.cache
def _table() -> dict[str, Any]:
    data = pkgutil.get_data(__package__, "torch_api.json")
    assert data is not None
    loaded: dict[str, Any] = json.loads(data)
    return loaded


def _op(name: str, entry: Sequence[str]) -> Op:
    """Read `returns alias dtype gradient random words…` and the overloads after it."""
    returns, alias, dtype, gradient, random, *words = entry[0].split()
    writes = [word.partition(":") for word in words if ":" in word]
    fields: dict[str, Any] = {
        **{word: True for word in words if word in _FLAGS},
        "returns": returns,
        "alias": alias,
        "dtype": dtype,
        "gradient": gradient,
        "random": random,
        "mutates": tuple(name for key, _, name in writes if key == "mutates"),
        "mutates_if": tuple(name for key, _, name in writes if key == "mutates_if"),
    }
    return Op(name, tuple(_signature(text) for text in entry[1:]), **fields)


def _signature(text: str) -> Signature:
    """Read `*input dim? / keepdim? out? -> tensor`.

    `*` a tensor, `~` a tensor or a host value, `?` optional, after `/` by keyword only, `...` variadic, `name=true`
    taken only with that constant; `value_shape` may follow the result.
    """
    left, _, right = text.partition("->")
    parameters: list[Parameter] = []
    keyword_only = variadic = False
    for word in left.split():
        if word == "/":
            keyword_only = True
        elif word == "...":
            variadic = True
        else:
            name, _, literal = word.strip("*~?").partition("=")
            parameters.append(
                Parameter(
                    name,
                    tensor=word.startswith(("*", "~")),
                    host=not word.startswith("*"),
                    optional=word.endswith("?"),
                    keyword_only=keyword_only,
                    literal="true" if literal == "true" else "false" if literal else None,
                )
            )
    returns, *flags = right.split()
    return Signature(tuple(parameters), returns, variadic, bool(flags))  # type: ignore[arg-type]


def _with_self(signature: Signature) -> Signature:
    own = Parameter("self", tensor=True, host=False, optional=False, keyword_only=False)
    return replace(signature, parameters=(own, *signature.parameters))


def _accepts(parameter: Parameter, kind: Argument) -> bool:
    if parameter.literal:
        return kind in ("unknown", "host", parameter.literal)
    if kind in ("unknown", "none"):
        return True
    return parameter.tensor if kind == "tensor" else parameter.host
