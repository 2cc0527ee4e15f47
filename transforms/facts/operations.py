"""What torch's functions and methods give, by the table of their signatures."""

from __future__ import annotations

import abc
import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..trees import dumped, walk
from . import distributions, torch_api
from .conventions import CASTS, FACTORIES, FROM_DATA, KEEP_DTYPE_METHODS, SAME_DTYPE, SAME_SHAPE, argument, needs_float
from .values import (
    BOOL,
    DEFAULT,
    ELSEWHERE,
    INT64,
    NOTHING,
    SCALAR,
    UNKNOWN,
    Symbol,
    Tag,
    Value,
    as_float,
    broadcast,
    category,
    host,
    promote,
    replace,
    with_numbers,
)

if TYPE_CHECKING:
    from . import Facts
    from .kinds import Env


ITEM_QUESTIONS = frozenset({"builtins.any", "builtins.all"})
METADATA = frozenset(
    {
        "size",
        "dim",
        "numel",
        "ndimension",
        "is_floating_point",
        "is_contiguous",
        "stride",
        "nelement",
        "element_size",
        "get_device",
    }
)
ZERO_DIM = frozenset({"dot", "vdot", "trace", "dist"})
# Pairs of values and indices, as tuples with these names.
PAIRS = frozenset({"max", "min", "sort", "topk", "median", "nanmedian", "mode", "kthvalue", "cummax", "cummin"})
_NUMBERS = {"float": DEFAULT, "int": INT64, "bool": BOOL}
EVALUATED = (ast.Call, ast.Subscript, ast.NamedExpr, ast.Lambda, ast.Await, ast.GeneratorExp, ast.ListComp)


class Operations(abc.ABC):
    """The part of the evaluator that knows torch's operations."""

    facts: Facts
    values: dict[int, Value]
    floats: set[Symbol]

    @abc.abstractmethod
    def of(self, expr: ast.expr, env: Env) -> Value:
        """See `Evaluator.of`."""

    @abc.abstractmethod
    def element(self, iterated: Value, expr: ast.expr) -> Value:
        """See `Evaluator.element`."""

    @abc.abstractmethod
    def reshaped(self, op: torch_api.Op, e: ast.Call, base: Value, env: Env) -> Value:
        """See `Evaluator.reshaped`."""

    def _op(
        self, op: torch_api.Op, e: ast.Call, args: list[Value], keywords: dict[str, Value], deps: frozenset[str]
    ) -> Value:
        """A torch function or method, `args[0]` being the tensor of a method."""
        method = op.name.startswith("torch.Tensor.")
        literals = [getattr(a, "value", None) if isinstance(a, ast.Constant) else None for a in e.args]
        kinds = [argument(v, x) for v, x in zip(args[1:] if method else args, literals, strict=True)]
        named = {k.arg: argument(keywords[k.arg], getattr(k.value, "value", None)) for k in e.keywords if k.arg}
        # What makes a tensor of data makes one of a tensor too, which its overloads do not say.
        op = op if op.name in FROM_DATA else op.called(kinds, named)
        if op.random != "never":
            deps = deps | {"rng"}
        if "out" in keywords:
            return replace(keywords["out"], shape=("node", id(e)), deps=deps)
        if unpacks(e) and op.returns not in ("none", "host"):
            # Among what is unpacked may stand a dimension, a dtype or another tensor.
            found = Value(Tag.TENSOR, deps=deps, roots=mixed([*args, *keywords.values()]))
            return found if op.returns == "tensor" else replace(UNKNOWN, deps=deps)
        if op.returns == "host":
            return host("bool" if op.dtype == "bool" else "", deps)
        if op.returns == "none":
            return Value(Tag.NONE)
        first = next((a for a in args if a.tag is Tag.TENSOR), UNKNOWN)
        if op.returns == "tensors":
            roots = mixed(args) if op.alias != "fresh" else NOTHING
            items = None
            if op.name.rpartition(".")[2] in PAIRS:
                shape = self._shape(op, e, args, keywords)
                items = tuple(Value(Tag.TENSOR, dtype=d, shape=shape, deps=deps) for d in (first.dtype, INT64))
            return Value(Tag.SEQUENCE, detail="of tensors", dtype=first.dtype, items=items, deps=deps, roots=roots)
        if op.returns != "tensor" and not (op.elementwise or op.name == "torch.where"):
            return replace(UNKNOWN, deps=deps, roots=mixed(args) | {ELSEWHERE})
        aliased = op.alias != "fresh" or {"inplace"} & set(op.mutates_if)
        roots = mixed(args) if args and aliased else NOTHING
        dtype, shape = self._dtype(op, e, args, keywords), self._shape(op, e, args, keywords)
        return Value(Tag.TENSOR, dtype=dtype, shape=shape, deps=deps, roots=roots)

    def _dtype(self, op: torch_api.Op, e: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Symbol | None:
        name = op.name.rpartition(".")[2]
        if "dtype" in keywords:
            return keywords["dtype"].dtype or ("node", id(e))
        if any(a.tag is Tag.HOST and a.detail == "dtype" for a in args):
            return next(a.dtype for a in args if a.detail == "dtype") or ("node", id(e))
        if op.name.startswith("torch.Tensor.") and name in CASTS:
            return ("named", CASTS[name])
        if _of_number(op, args):
            return _NUMBERS[args[0].detail]
        if op.name in FACTORIES:
            numbers = op.name != "torch.full" or (len(args) > 1 and args[1].detail == "float")
            return DEFAULT if numbers else ("node", id(e))
        tensors = [a for a in args if a.tag in (Tag.TENSOR, Tag.UNKNOWN)]
        listed = next((a for a in args if a.tag is Tag.SEQUENCE), None)
        first = tensors[0].dtype if tensors else listed.dtype if listed is not None else None
        if name in KEEP_DTYPE_METHODS:
            return first
        if needs_float(op) and first is not None:
            self.floats.add(first)
        if op.name in ("torch.where", "torch.Tensor.where"):
            tensors = [a for i, a in enumerate(args) if i != (0 if op.name == "torch.where" else 1) and a in tensors]
        operands = [(t.dtype, t.shape) for t in [*tensors, *(k for k in keywords.values() if k.tag is Tag.TENSOR)]]
        return self._by_kind(op, e, first, operands, [*args, *keywords.values()])

    def _by_kind(
        self,
        op: torch_api.Op,
        e: ast.Call,
        first: Symbol | None,
        operands: list[tuple[Symbol | None, Symbol | None]],
        given: list[Value],
    ) -> Symbol | None:
        """The dtype as the table tells it; `first` is that of the first tensor."""
        match op.dtype:
            case "bool":
                return BOOL
            case "int64":
                return INT64
            case "float":
                return as_float(promote(operands, self.floats), self.floats)
            case "accumulate":
                return first if category(first, self.floats) == "float" else ("summed", first)
        found = promote(operands, self.floats) if op.dtype == "promote" else first
        if op.dtype not in ("promote", "same") and op.name.rpartition(".")[2] not in SAME_DTYPE:
            return ("node", id(e))
        if op.elementwise and found is not None:
            numbers = [a for a in given if a.tag is Tag.HOST and a.detail not in ("int", "bool")]
            return with_numbers(found, (a.detail for a in numbers), ("node", id(e)), self.floats)
        return found

    def _shape(self, op: torch_api.Op, e: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Symbol | None:
        name = op.name.rpartition(".")[2]
        tensors = [a for a in args if a.tag in (Tag.TENSOR, Tag.UNKNOWN)]
        if op.elementwise:
            return broadcast(v.shape for v in [*tensors, *(k for k in keywords.values() if k.tag is Tag.TENSOR)])
        if name in SAME_SHAPE and tensors:
            return tensors[0].shape
        if (op.reduction and len(tensors) == 1) or name in ZERO_DIM or averages(op, e) or _of_number(op, args):
            return SCALAR
        keepdim = keyword(e, "keepdim")
        texts = self._literal(e)
        if isinstance(keepdim, ast.Constant) and keepdim.value is True and len(tensors) == 1 and texts is not None:
            return ("keep", tensors[0].shape, *texts)
        if op.name in FACTORIES or name in KEEP_DTYPE_METHODS:
            return self._sized(e, name.endswith("full"))
        # The same call on the same shapes gives the same shape, where all else is literal.
        known = all(t.shape is not None and t.tag is Tag.TENSOR for t in tensors)
        if tensors and not op.value_shape and texts is not None and known:
            return ("applied", op.name, tuple(t.shape for t in tensors), texts)
        return ("node", id(e))

    def _literal(self, e: ast.Call) -> tuple[object, ...] | None:
        """The arguments that are not tensors, as text; None where one is not literal, as in `x.view(n)`."""
        tensors = [a for a in e.args if isinstance(a, ast.Name) and self.values.get(id(a), UNKNOWN).tag is Tag.TENSOR]
        rest = [*(a for a in e.args if a not in tensors), *(k.value for k in e.keywords)]
        if any(isinstance(n, (ast.Name, ast.Call, ast.Starred)) for a in rest for n in walk(a)):
            return None
        keywords = ((k.arg, dumped(k.value)) for k in e.keywords if k.arg != "dtype")
        return (*((i, dumped(a)) for i, a in enumerate(e.args) if a not in tensors), *keywords)

    def _sized(self, e: ast.Call, full: bool) -> Symbol:
        """The shape of `torch.zeros(…)` and the like: by the text of the sizes, where that always means the same."""
        given = keyword(e, "size")
        first = e.args[0] if e.args else given
        spread = isinstance(first, (ast.Tuple, ast.List))
        sizes = first.elts if isinstance(first, (ast.Tuple, ast.List)) else e.args[:1] if full else e.args
        if first is None or (not sizes and not spread):
            return ("node", id(e))
        if not sizes:
            return SCALAR
        marks = [self._lasting(s) for s in sizes]
        if None in marks:
            return ("node", id(e))
        # A lone name may hold an empty tuple of sizes.
        certain = spread or len(sizes) > 1 or self.values.get(id(sizes[0]), UNKNOWN).detail == "int"
        certain = certain and not any(isinstance(s, ast.Starred) for s in sizes)
        return ("sized", tuple(map(dumped, sizes)), tuple(marks), certain)

    def _lasting(self, size: ast.expr) -> tuple[object, ...] | None:
        """What the names of a size mean, by the one place that binds each; None where the value may change."""
        found: list[object] = []
        for node in walk(size):
            value = self.values.get(id(node), UNKNOWN)
            if isinstance(node, ast.Name):
                binding = self.facts.names.binding(node)
                if binding is None or not binding.single:
                    return None
                if binding.scope.kind == "module" and value.tag is not Tag.HOST:
                    return None
                found.append((node.id, id(binding.sites[0].node)))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                owner = self.facts.classes.owner(node)
                if owner is not None and node.value.id == owner[1] and owner[0].is_rebound(node.attr):
                    return None
            elif isinstance(node, EVALUATED) and not self._metadata(node):
                return None
        return tuple(found)

    def _metadata(self, node: ast.expr) -> bool:
        """True for `x.size(0)` and an element of a shape."""
        if isinstance(node, ast.Subscript):
            return self.values.get(id(node.value), UNKNOWN).tag is Tag.HOST
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METADATA

    def _converted(
        self, base: Value, e: ast.Call, args: list[Value], keywords: dict[str, Value], found: Value
    ) -> Value:
        """`x.to(…)`: the dtype of its argument, where that is a dtype or a tensor."""
        given = [a.dtype for a in [*args, *keywords.values()] if a.detail == "dtype" or a.tag is Tag.TENSOR]
        unsure = unpacks(e) or any(a.tag is Tag.UNKNOWN for a in [*args, *keywords.values()])
        dtype = given[0] if given else ("node", id(e)) if unsure else base.dtype
        return replace(found, dtype=dtype, shape=base.shape)


def _of_number(op: torch_api.Op, args: list[Value]) -> bool:
    """True for `torch.tensor(1.0)`."""
    return op.name in FROM_DATA and len(args) > 0 and args[0].tag is Tag.HOST and args[0].detail in _NUMBERS


def averages(op: torch_api.Op, call: ast.Call) -> bool:
    """True for a loss that gives one number, as it does unless `reduction` says otherwise."""
    order = next((s.parameters for s in op.signatures if any(p.name == "reduction" for p in s.parameters)), ())
    return bool(order) and reduces([p.name for p in order], call)


def reduces(parameters: Sequence[str], call: ast.Call) -> bool:
    """True where a call of something with these parameters leaves `reduction` at its default, or names another sum."""
    if unpacks(call):
        return False
    given: dict[str | None, ast.expr] = dict(zip(parameters, call.args, strict=False))
    given |= {k.arg: k.value for k in call.keywords}
    said = given.get("reduction")
    plain = said is None or (isinstance(said, ast.Constant) and said.value in ("mean", "sum", "batchmean"))
    return plain and not {"reduce", "size_average"} & set(given)


def one_of(several: Value, e: ast.expr) -> Value:
    """One of several tensors, at `e`."""
    return replace(several, tag=Tag.TENSOR, detail="", shape=("node", id(e)), items=None)


def part_of(base: Value, e: ast.Attribute) -> Value | None:
    """`x.sort().indices`, `Normal(m, s).mean`: a tensor; None for attributes of anything else."""
    if base.detail == "of tensors" and e.attr in ("values", "indices"):
        return base.items[e.attr == "indices"] if base.items else one_of(base, e)
    return distributions.attribute(e.attr, base, id(e))


def mixed(values: list[Value]) -> frozenset[str]:
    """The storage that something made of the values may share."""
    return NOTHING.union(*(v.roots for v in values)) if values else NOTHING


def asks_items(qualified: str, call: ast.Call, facts: Facts) -> bool:
    """True for `any(x.isnan() for x in xs)` and the like, which ask tensors one by one."""
    given = facts.kinds.of(call.args[0]) if call.args and qualified in ITEM_QUESTIONS else UNKNOWN
    return given.tag is Tag.SEQUENCE and given.detail == "of tensors"


def unpacks(e: ast.Call) -> bool:
    """True where `*args` or `**kwargs` are given."""
    return any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords)


def keyword(e: ast.Call, name: str) -> ast.expr | None:
    """The keyword argument of this name."""
    return next((k.value for k in e.keywords if k.arg == name), None)


def argument_of(e: ast.Call, index: int, name: str) -> ast.expr | None:
    """The argument at this position or of this name."""
    return e.args[index] if len(e.args) > index else keyword(e, name)
