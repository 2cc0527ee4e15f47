"""What calls return: torch functions by table, layers by their constructor, functions of the file by reading them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import Level
from . import distributions, torch_api
from .calls import Target
from .choices import chosen_by
from .classes import is_attribute_of
from .conventions import (
    SHARED,
)
from .draws import number_drawn
from .layers import Layers
from .operations import METADATA, mixed
from .selected import Selected, reads_number, selected_by
from .values import (
    BOOL,
    ELSEWHERE,
    INT64,
    NOTHING,
    SCALAR,
    UNKNOWN,
    Symbol,
    Tag,
    Value,
    category,
    host,
    join,
    replace,
)

if TYPE_CHECKING:
    from .kinds import Env

HOST_BUILTINS = {
    "len": "int",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "isinstance": "bool",
    "hasattr": "bool",
    "id": "int",
}
HOST_BUILTINS |= {
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


class Applied(Layers):
    """The part of the evaluator that knows calls."""

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
            return replace(UNKNOWN, deps=deps | {ELSEWHERE}, roots=mixed(everything) | {ELSEWHERE})
        if target is not None:
            return self._own(target, qualified, e, args, keywords, deps)
        if callee is not None and callee.tag is Tag.MODULE:
            return self._layer(callee, e, args, deps)
        if base is not None and isinstance(e.func, ast.Attribute):
            return self._method(base, e, e.func.attr, args, keywords, deps | base.deps, env)
        marks = callee.deps if callee is not None else NOTHING
        return replace(UNKNOWN, deps=deps | marks | {ELSEWHERE}, roots=mixed(everything) | {ELSEWHERE})

    # -- builtins ------------------------------------------------------------------------------------------------------
    def _builtin(self, name: str, e: ast.Call, args: list[Value], deps: frozenset[str]) -> Value:
        if name in HOST_BUILTINS:
            return host(HOST_BUILTINS[name], deps)
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
                    Tag.SEQUENCE, items=(Value(Tag.SEQUENCE, items=pair, deps=deps),), deps=deps, roots=mixed(args)
                )
            if args and args[0].tag is Tag.TENSOR:
                return Value(Tag.SEQUENCE, detail="of tensors", dtype=args[0].dtype, deps=deps, roots=args[0].roots)
            return Value(Tag.SEQUENCE, detail=args[0].detail if args else "", items=items, deps=deps, roots=mixed(args))
        if name in ("print", "setattr", "delattr"):
            return Value(Tag.NONE)
        if name == "super":
            return Value(Tag.INSTANCE, deps=NOTHING, roots=NOTHING)
        return replace(UNKNOWN, deps=deps | {ELSEWHERE}, roots=mixed(args) | {ELSEWHERE})

    def _numeric(self, name: str, e: ast.Call, args: list[Value], deps: frozenset[str]) -> Value:
        """`abs`, `max`, `sum` and the like, of tensors or of numbers."""
        tensors = [a for a in args if a.tag is Tag.TENSOR]
        unknown = replace(UNKNOWN, deps=deps, roots=mixed(args) | {ELSEWHERE})
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
        if distributions.makes_distribution(qualified):
            return distributions.made(deps)
        if qualified.endswith(".getLogger"):
            return Value(Tag.LOGGER)
        drawn = number_drawn(qualified, len(args), keywords)
        if drawn and all(a.tag is Tag.HOST for a in [*args, *keywords.values()]):
            return host(drawn, deps | {"rng", ELSEWHERE})
        found = self.facts.settings.returned.get(qualified, UNKNOWN)
        return replace(found, deps=deps | {ELSEWHERE}, roots=mixed([*args, *keywords.values()]) | {ELSEWHERE})

    # -- layers --------------------------------------------------------------------------------------------------------

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
            return replace(UNKNOWN, deps=deps | own.deps | {ELSEWHERE}, roots=mixed(args) | {ELSEWHERE})
        if (of := distributions.called(name, base, deps, id(e))) is not None:
            return of
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
            and name not in METADATA
            and ELSEWHERE not in base.deps
        ):
            assumed = replace(base, tag=Tag.TENSOR, level=Level.ASSUMED, because=f"`.{name}(…)` on line {e.lineno}")
            return self._method(assumed, e, name, args, keywords, deps, env)
        if base.tag is Tag.UNKNOWN and name in METADATA:
            return host("int" if name in ("dim", "numel") else "size" if name == "size" else "", deps)
        if base.tag is Tag.SEQUENCE or base.detail == "str":
            return replace(UNKNOWN, deps=deps, roots=base.roots)
        return replace(UNKNOWN, deps=deps | {ELSEWHERE}, roots=base.roots | mixed([*args, *keywords.values()]))

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
            return Value(Tag.MODULE if info.is_module else Tag.INSTANCE, detail=qualified, deps=deps, roots=mixed(args))
        names = target.positional
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


__all__ = ["Applied", "join"]
