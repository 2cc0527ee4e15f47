"""What calls return: torch functions by table, layers by their constructor, functions of the file by reading them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from ..model import Level
from . import torch_api
from .calls import Target
from .choices import chosen_by
from .classes import is_attribute_of
from .conventions import (
    CASTS,
    FACTORIES,
    FROM_DATA,
    KEEP_DTYPE_METHODS,
    SAME_DTYPE,
    SAME_SHAPE,
    SHARED,
    argument,
    needs_float,
)
from .selected import Selected, reads_number, selected_by
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
    join,
    promote,
    weighted,
    with_numbers,
)

if TYPE_CHECKING:
    from . import Facts
    from .kinds import Env

_HOST_BUILTINS = {
    "len": "int",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "isinstance": "bool",
    "hasattr": "bool",
    "id": "int",
}
_HOST_BUILTINS |= {
    "repr": "str",
    "ord": "int",
    "chr": "str",
    "callable": "bool",
    "issubclass": "bool",
    "hash": "int",
    "any": "bool",
    "all": "bool",
}
_SEQUENCES = frozenset(
    {"list", "tuple", "sorted", "reversed", "set", "frozenset", "dict", "zip", "enumerate", "map", "filter"}
)
_METADATA = frozenset(
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


EVALUATED = (ast.Call, ast.Subscript, ast.NamedExpr, ast.Lambda, ast.Await, ast.GeneratorExp, ast.ListComp)


class Applied:
    """The part of the evaluator that knows calls."""

    facts: Facts
    values: dict[int, Value]
    floats: set[Symbol]

    def of(self, expr: ast.expr, env: Env) -> Value:
        """See `Evaluator.of`."""
        raise NotImplementedError

    def element(self, iterated: Value, expr: ast.expr) -> Value:
        """See `Evaluator.element`."""
        raise NotImplementedError

    def reshaped(self, op: torch_api.Op, e: ast.Call, base: Value, env: Env) -> Value:
        """See `Evaluator.reshaped`."""
        raise NotImplementedError

    def call(self, e: ast.Call, env: Env) -> Value:
        """The value of a call."""
        base = self.of(e.func.value, env) if isinstance(e.func, ast.Attribute) else None
        callee = self.of(e.func, env) if not isinstance(e.func, ast.Attribute) else None
        args = [self.of(a, env) for a in e.args]
        keywords = {k.arg or "**": self.of(k.value, env) for k in e.keywords}
        everything = [*args, *keywords.values()]
        deps = NOTHING.union(*(v.deps for v in everything)) if everything else NOTHING
        qualified = self.facts.names.qualified(e.func)
        if qualified is not None and qualified.startswith("builtins."):
            return self._builtin(qualified.removeprefix("builtins."), e, args, deps)
        if qualified is not None and not qualified.startswith("."):
            return self._imported(qualified, e, args, keywords, deps, env)
        if (inner := chosen_by(e, self.facts)) is not None:
            return self._chosen(e, inner, deps, env)
        if reads_number(e, self.facts):
            return host("", deps)
        if (selected := selected_by(e, self.facts)) is not None:
            return self._selected(selected, deps, env)
        target = self.facts.calls.target(e)
        if target is not None and not target.plain:
            return replace(UNKNOWN, deps=deps | {ELSEWHERE}, roots=_mixed(everything) | {ELSEWHERE})
        if target is not None:
            return self._own(target, qualified, e, args, keywords, deps)
        if callee is not None and callee.tag is Tag.MODULE:
            return self._layer(callee, e, args, deps)
        if base is not None and isinstance(e.func, ast.Attribute):
            return self._method(base, e, e.func.attr, args, keywords, deps | base.deps, env)
        marks = callee.deps if callee is not None else NOTHING
        return replace(UNKNOWN, deps=deps | marks | {ELSEWHERE}, roots=_mixed(everything) | {ELSEWHERE})

    # -- builtins ------------------------------------------------------------------------------------------------------
    def _builtin(self, name: str, e: ast.Call, args: list[Value], deps: frozenset[str]) -> Value:
        if name in _HOST_BUILTINS:
            return host(_HOST_BUILTINS[name], deps)
        if name == "range":
            return host("range", deps)
        if name in ("abs", "max", "min", "sum", "round", "pow", "divmod"):
            return self._numeric(name, e, args, deps)
        if name in _SEQUENCES:
            items = args[0].items if args and name in ("list", "tuple") else None
            if name in ("zip", "enumerate"):
                parts = tuple(self.element(a, x) for a, x in zip(args, e.args, strict=True))
                pair = (host("int"), *parts[:1]) if name == "enumerate" else parts
                return Value(
                    Tag.SEQUENCE, items=(Value(Tag.SEQUENCE, items=pair, deps=deps),), deps=deps, roots=_mixed(args)
                )
            if args and args[0].tag is Tag.TENSOR:
                return Value(Tag.SEQUENCE, detail="of tensors", dtype=args[0].dtype, deps=deps, roots=args[0].roots)
            return Value(
                Tag.SEQUENCE, detail=args[0].detail if args else "", items=items, deps=deps, roots=_mixed(args)
            )
        if name in ("print", "setattr", "delattr"):
            return Value(Tag.NONE)
        if name == "super":
            return Value(Tag.INSTANCE, deps=NOTHING, roots=NOTHING)
        return replace(UNKNOWN, deps=deps | {ELSEWHERE}, roots=_mixed(args) | {ELSEWHERE})

    def _numeric(self, name: str, e: ast.Call, args: list[Value], deps: frozenset[str]) -> Value:
        """`abs`, `max`, `sum` and the like, of tensors or of numbers."""
        tensors = [a for a in args if a.tag is Tag.TENSOR]
        unknown = replace(UNKNOWN, deps=deps, roots=_mixed(args) | {ELSEWHERE})
        made = ("node", id(e))
        if name == "sum" and args and args[0].tag is Tag.SEQUENCE:
            of_tensors = args[0].detail == "of tensors"
            return Value(Tag.TENSOR, dtype=args[0].dtype, shape=made, deps=deps) if of_tensors else unknown
        if tensors and (name == "divmod" or (name in ("max", "min") and len(args) > 1)):
            return unknown  # a pair of tensors; one of the arguments
        if tensors:
            kept = tensors[0] if name == "abs" else replace(tensors[0], shape=made)
            return replace(kept, roots=NOTHING, deps=deps, dtype=made if name in ("pow", "sum") else kept.dtype)
        if all(a.tag is Tag.HOST for a in args):
            return host("float" if any(a.detail == "float" for a in args) else args[0].detail if args else "", deps)
        return unknown

    # -- imported functions --------------------------------------------------------------------------------------------
    def _imported(
        self, qualified: str, e: ast.Call, args: list[Value], keywords: dict[str, Value], deps: frozenset[str], env: Env
    ) -> Value:
        layer = torch_api.layer(qualified)
        if layer is not None or qualified in ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"):
            return self._constructed(qualified, e, args)
        if qualified in ("torch.nn.Parameter", "torch.nn.parameter.Parameter") and args:
            return replace(args[0], deps=deps) if args[0].tag is Tag.TENSOR else Value(Tag.TENSOR, deps=deps)
        op = torch_api.function(qualified)
        if op is not None:
            if op.mutates:
                self.reshaped(op, e, args[0] if args else UNKNOWN, env)
            return self._op(op, e, args, keywords, deps)
        if qualified.startswith("math."):
            return host("int" if qualified in ("math.ceil", "math.floor", "math.gcd", "math.prod") else "float", deps)
        if qualified.startswith(("torch.finfo", "torch.iinfo")):
            return host("finfo", deps)
        if qualified.endswith(".getLogger"):
            return Value(Tag.LOGGER)
        return replace(UNKNOWN, deps=deps | {ELSEWHERE}, roots=_mixed([*args, *keywords.values()]) | {ELSEWHERE})

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
            found = Value(Tag.TENSOR, deps=deps, roots=_mixed([*args, *keywords.values()]))
            return found if op.returns == "tensor" else replace(UNKNOWN, deps=deps)
        if op.returns == "host":
            return host("bool" if op.dtype == "bool" else "", deps)
        if op.returns == "none":
            return Value(Tag.NONE)
        first = next((a for a in args if a.tag is Tag.TENSOR), UNKNOWN)
        if op.returns == "tensors":
            return Value(
                Tag.SEQUENCE,
                detail="of tensors",
                dtype=first.dtype,
                deps=deps,
                roots=_mixed(args) if op.alias != "fresh" else NOTHING,
            )
        if op.returns != "tensor" and not (op.elementwise or op.name == "torch.where"):
            return replace(UNKNOWN, deps=deps, roots=_mixed(args) | {ELSEWHERE})
        aliased = op.alias != "fresh" or {"inplace"} & set(op.mutates_if)
        roots = _mixed(args) if args and aliased else NOTHING
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
        if op.reduction and len(tensors) == 1:
            return SCALAR
        keepdim = _keyword(e, "keepdim")
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
        if any(isinstance(n, (ast.Name, ast.Call, ast.Starred)) for a in rest for n in ast.walk(a)):
            return None
        keywords = ((k.arg, ast.dump(k.value)) for k in e.keywords if k.arg != "dtype")
        return (*((i, ast.dump(a)) for i, a in enumerate(e.args) if a not in tensors), *keywords)

    def _sized(self, e: ast.Call, full: bool) -> Symbol:
        """The shape of `torch.zeros(…)` and the like: by the text of the sizes, where that always means the same."""
        given = _keyword(e, "size")
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
        return ("sized", tuple(ast.dump(a) for a in sizes), tuple(marks), certain)

    def _lasting(self, size: ast.expr) -> tuple[object, ...] | None:
        """What the names of a size mean, by the one place that binds each; None where the value may change."""
        found: list[object] = []
        for node in ast.walk(size):
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
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _METADATA

    # -- layers --------------------------------------------------------------------------------------------------------
    def _constructed(self, qualified: str, e: ast.Call, args: list[Value]) -> Value:
        """`nn.Linear(8, 4)`: the shape symbol holds what the output shape needs, `items` the layers of a container."""
        if qualified in ("torch.nn.Sequential", "torch.nn.ModuleList"):
            parts = args[0].items if len(args) == 1 and args[0].tag is Tag.SEQUENCE else tuple(args)
            exact = parts is not None and not any(isinstance(a, ast.Starred) for a in e.args)
            return Value(Tag.MODULE, detail=qualified, items=parts if exact else None)
        size = _argument(e, 1, "out_features") if qualified.endswith("Linear") else _argument(e, 1, "embedding_dim")
        made: object = id(e)
        if size is not None and not unpacks(e):
            marks = self._lasting(size)
            literal = not any(isinstance(n, (ast.Name, ast.Call)) for n in ast.walk(size))
            # A size that the constructor is given differs from instance to instance.
            made = ast.dump(size) if literal else ("own", ast.dump(size), marks) if marks is not None else id(e)
        return Value(Tag.MODULE, detail=qualified, shape=("made", made, writes_input(qualified, e)))

    def members(self, expr: ast.expr) -> tuple[Value, ...]:
        """The layers that `self.layers` holds where `__init__` lists them or makes them alike; empty where unknown."""
        owner = self.facts.classes.owner(expr)
        if owner is None or not is_attribute_of(expr, owner[1]):
            return ()
        assert isinstance(expr, ast.Attribute)
        values = owner[0].attribute(expr.attr)
        if (
            len(values) != 1
            or owner[0].is_rebound(expr.attr)
            or not isinstance(values[0], ast.Call)
            or not values[0].args
        ):
            return ()
        held = values[0].args[0]
        inner = (
            [held.elt]
            if isinstance(held, (ast.ListComp, ast.GeneratorExp))
            else getattr(held, "elts", list(values[0].args))
        )
        found = tuple(self.facts.kinds.of(x) for x in inner)
        return found if all(v.tag is Tag.MODULE for v in found) else ()

    def _layer(self, module: Value, e: ast.Call, args: list[Value], deps: frozenset[str]) -> Value:
        if module.detail == "torch.nn.Sequential" and module.items is not None and len(args) == 1:
            found = args[0]
            for i, part in enumerate(module.items):
                found = self._through(part, found, ("node", id(e), i))
            return replace(found, deps=deps | module.deps)
        if not args:
            return replace(UNKNOWN, deps=deps | module.deps | {ELSEWHERE}, roots=module.roots | {ELSEWHERE})
        found = self._through(module, args[0], ("node", id(e)))
        return replace(found, deps=deps | module.deps)

    def _through(self, module: Value, x: Value, node: Symbol) -> Value:
        """The output of one layer for one input."""
        layer = torch_api.layer(module.detail) if module.tag is Tag.MODULE else None
        if layer is None:
            return replace(UNKNOWN, deps=x.deps | {ELSEWHERE}, roots=x.roots | {ELSEWHERE})
        inplace = overwrites(module)
        roots = x.roots if inplace or module.detail.endswith(("Identity", "Dropout")) else NOTHING
        strict = layer.shape == "last" or (layer.shape == "same" and not layer.elementwise)
        if layer.takes_tensor and strict and x.dtype is not None and not module.detail.endswith("Identity"):
            self.floats.add(x.dtype)  # weights and statistics are floating, and the input has their dtype
        if layer.shape == "same":
            kept = module.detail.endswith(("Identity", "Dropout"))
            dtype = (
                x.dtype
                if kept or (layer.elementwise and category(x.dtype, self.floats) == "float")
                else weighted(x.dtype)
            )
            return Value(Tag.TENSOR, dtype=dtype, shape=x.shape, roots=roots, deps=x.deps)
        if layer.shape == "last" and module.shape is not None:
            before = x.shape[1] if x.shape is not None and x.shape[0] == "last" else x.shape
            return Value(Tag.TENSOR, dtype=weighted(x.dtype), shape=("last", before, _output(module)), deps=x.deps)
        if layer.shape == "append" and module.shape is not None:
            return Value(
                Tag.TENSOR,
                dtype=("linear", ("own", "weights of", module.deps)),
                shape=("append", x.shape, _output(module)),
                deps=x.deps,
            )
        return Value(
            Tag.TENSOR if layer.takes_tensor else Tag.UNKNOWN,
            Level.PROVED,
            dtype=weighted(x.dtype),
            shape=node,
            deps=x.deps,
        )

    def _chosen(self, e: ast.Call, functions: list[ast.expr], deps: frozenset[str], env: Env) -> Value:
        """`_cond(t, f, g, operands)`: what either function gives for the operands."""
        operands = e.args[3].elts if len(e.args) > 3 and isinstance(e.args[3], ast.Tuple) else []
        found: list[Value] = []
        for function in functions:
            if isinstance(function, ast.Lambda) and len(function.args.args) == len(operands):
                bound = {
                    a.arg: self.values.get(id(o), UNKNOWN) for a, o in zip(function.args.args, operands, strict=True)
                }
                found.append(self.of(function.body, {**env, **bound}))
        if len(found) != 2:
            return replace(UNKNOWN, deps=deps)
        return replace(
            join(found[0], found[1], ("chosen", id(e))),
            roots=found[0].roots | found[1].roots,
            deps=found[0].deps | found[1].deps | deps,
        )

    def _selected(self, selected: Selected, deps: frozenset[str], env: Env) -> Value:
        """`_masked_mean(mask, x)`: a 0-d tensor; `_masked_update(…)`: nothing."""
        bound = {name: self.values.get(id(x), UNKNOWN) for name, x in selected.binding().items()}
        element = self.values.get(id(selected.operands[0]), UNKNOWN)
        if isinstance(selected.function, ast.Lambda):
            element = self.of(selected.function.body, {**env, **bound})
        elif selected.function is not None:
            element = UNKNOWN
        if selected.reduction is None:
            return Value(Tag.NONE)
        dtype = element.dtype
        if selected.reduction in ("any", "all"):
            dtype = BOOL
        elif selected.reduction == "count":
            dtype = INT64
        elif selected.reduction == "sum" and category(dtype, self.floats) != "float":
            dtype = ("summed", dtype) if dtype is not None else None
        elif selected.reduction in ("mean", "cross_entropy") and dtype is not None:
            self.floats.add(dtype)
        return Value(Tag.TENSOR, dtype=dtype, shape=SCALAR, deps=deps | element.deps)

    # -- methods and functions of the file -----------------------------------------------------------------------------
    def _method(
        self,
        base: Value,
        e: ast.Call,
        name: str,
        args: list[Value],
        keywords: dict[str, Value],
        deps: frozenset[str],
        env: Env,
    ) -> Value:
        if base.tag is Tag.MODULE and "self" in base.roots:
            assert isinstance(e.func, ast.Attribute)
            own = self.of(e.func, env)
            if own.tag is Tag.MODULE:
                return self._layer(own, e, args, deps)
            return replace(UNKNOWN, deps=deps | own.deps | {ELSEWHERE}, roots=_mixed(args) | {ELSEWHERE})
        op = torch_api.method(name)
        if base.tag is Tag.TENSOR and op is not None:
            found = self._op(op, e, [base, *args], keywords, deps)
            if found.tag is Tag.TENSOR and base.level is not Level.PROVED:
                found = replace(found, level=base.level, because=base.because)
            if op.mutates:
                return replace(self.reshaped(op, e, base, env), deps=deps)
            if op.returns == "other":
                return found.depending({ELSEWHERE})  # an array acts like a tensor, and is none
            if name == "to" or name == "type_as":
                return self._converted(base, e, args, keywords, found)
            return found
        if (
            base.tag is Tag.UNKNOWN
            and op is not None
            and name not in SHARED
            and name not in _METADATA
            and ELSEWHERE not in base.deps
        ):
            assumed = replace(base, tag=Tag.TENSOR, level=Level.ASSUMED, because=f"`.{name}(…)` on line {e.lineno}")
            return self._method(assumed, e, name, args, keywords, deps, env)
        if base.tag is Tag.UNKNOWN and name in _METADATA:
            return host("int" if name in ("dim", "numel") else "size" if name == "size" else "", deps)
        if base.tag is Tag.SEQUENCE or base.detail == "str":
            return replace(UNKNOWN, deps=deps, roots=base.roots)
        return replace(UNKNOWN, deps=deps | {ELSEWHERE}, roots=base.roots | _mixed([*args, *keywords.values()]))

    def _converted(
        self, base: Value, e: ast.Call, args: list[Value], keywords: dict[str, Value], found: Value
    ) -> Value:
        """`x.to(…)`: the dtype of its argument, where that is a dtype or a tensor."""
        given = [a.dtype for a in [*args, *keywords.values()] if a.detail == "dtype" or a.tag is Tag.TENSOR]
        unsure = unpacks(e) or any(a.tag is Tag.UNKNOWN for a in [*args, *keywords.values()])
        dtype = given[0] if given else ("node", id(e)) if unsure else base.dtype
        return replace(found, dtype=dtype, shape=base.shape)

    def _own(
        self,
        target: Target,
        qualified: str | None,
        e: ast.Call,
        args: list[Value],
        keywords: dict[str, Value],
        deps: frozenset[str],
    ) -> Value:
        if qualified is not None and qualified in self.facts.classes.by_path:
            info = self.facts.classes.by_path[qualified]
            return Value(
                Tag.MODULE if info.is_module else Tag.INSTANCE, detail=qualified, deps=deps, roots=_mixed(args)
            )
        names = [a.arg for a in [*target.function.args.posonlyargs, *target.function.args.args]][
            1 if target.bound else 0 :
        ]
        simple = (
            not any(isinstance(a, ast.Starred) for a in e.args) and "**" not in keywords and len(args) <= len(names)
        )
        bound = dict(zip(names, args, strict=False)) | {
            k: v for k, v in keywords.items() if k in names or any(k == p.arg for p in target.function.args.kwonlyargs)
        }
        found = self.facts.kinds.returned(target.function, bound if simple else {})
        extra = frozenset({"self.*"}) if target.bound else NOTHING
        return _outside(replace(found, deps=found.deps | deps | extra), id(e), self._instance(target, e))

    def _instance(self, target: Target, e: ast.Call) -> Symbol | None:
        """Whose method is called, in symbols that last; None for a method of this very instance."""
        on = e.func.value if isinstance(e.func, ast.Attribute) else None
        owner = self.facts.classes.owner(e)
        if owner is None or not target.bound:
            return ("node", id(e))
        if isinstance(on, ast.Name) and on.id == owner[1] and any(c is target.owner for c in owner[0].lineage()):
            return None
        for held in (e.func, on):
            if held is not None and is_attribute_of(held, owner[1]) and not owner[0].is_rebound(held.attr):
                return ("held", owner[0].path, held.attr)
        return ("node", id(e))


def _mixed(values: list[Value]) -> frozenset[str]:
    """The storage that something made of the values may share."""
    return NOTHING.union(*(v.roots for v in values)) if values else NOTHING


def _outside(value: Value, call: int, instance: Symbol | None) -> Value:
    """What a function of the file gave: two calls share nothing that they made, nor two instances what they hold."""

    def seen(symbol: Symbol | None) -> Symbol | None:
        if symbol is None:
            return None
        kinds = _kinds_of(symbol)
        if kinds & {"node", "at", "item", "sized", "earlier", "via"}:
            return ("via", call, symbol)
        return ("in", instance, symbol) if instance is not None and kinds & {"own", "attribute", "held"} else symbol

    def dtype(symbol: Symbol | None) -> Symbol | None:
        found = seen(symbol)
        return ("float", found) if found != symbol and category(symbol) == "float" else found

    items = tuple(_outside(i, call, instance) for i in value.items) if value.items is not None else None
    return replace(value, dtype=dtype(value.dtype), shape=seen(value.shape), items=items)


def _kinds_of(symbol: object) -> frozenset[str]:
    """The first words of a symbol and of those inside of it."""
    if not isinstance(symbol, (tuple, frozenset)):
        return NOTHING
    first = symbol[:1] if isinstance(symbol, tuple) else ()
    own = NOTHING.union(w for w in first if isinstance(w, str))
    return own.union(*(_kinds_of(part) for part in symbol))


def _output(module: Value) -> object:
    """What tells the output sizes of layers apart."""
    return module.shape[1] if module.shape is not None and module.shape[0] == "made" else module.shape


def writes_input(qualified: str, e: ast.Call) -> bool:
    """True for `nn.ReLU(inplace=True)` and its like; also where the argument is not a literal."""
    layer = torch_api.layer(qualified)
    if layer is None or not layer.inplace:
        return False
    given = _argument(e, layer.parameters.index("inplace"), "inplace") if "inplace" in layer.parameters else None
    return unpacks(e) or not (given is None or (isinstance(given, ast.Constant) and not given.value))


def overwrites(module: Value) -> bool:
    """True for a layer that may write its output into its input."""
    layer = torch_api.layer(module.detail)
    if layer is None or not layer.inplace:
        return False
    return module.shape is None or module.shape[0] != "made" or bool(module.shape[2])


def unpacks(e: ast.Call) -> bool:
    """True where `*args` or `**kwargs` are given."""
    return any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords)


def _keyword(e: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in e.keywords if k.arg == name), None)


def _argument(e: ast.Call, index: int, name: str) -> ast.expr | None:
    return e.args[index] if len(e.args) > index else _keyword(e, name)


__all__ = ["Applied", "join"]
