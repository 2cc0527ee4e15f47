"""What code without outputs needs when it becomes the body of an op: its parameters, and the text that reads them.

Whatever is a tensor is computed in the graph and passed; Python values are passed by their type; names of the module
mean the same in the body and stay. Sizes arrive as lists of ints, so the body makes them `torch.Size` again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..model import Level, NoFix
from ..trees import children, walk
from . import torch_api
from .handling import CONVERSIONS, FORBIDDEN, UNREAD
from .param import BUILTINS, CLOCKS, DISPLAYS, NUMBER, SETTINGS, TYPES, Param, chain, spelled, title
from .predicates import TOTAL, graph_form, total, unwrapped
from .purity import PURE_METHODS as STRING_METHODS
from .values import SCALAR, Tag, Value, category

if TYPE_CHECKING:
    from . import Facts


_MEMBERS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


class _RefusedError(Exception):
    """Carries the reason out of the walk."""


class Passing:
    """Collects the parameters of one op, in the order in which its body meets them.

    Attributes:
        params: the parameters so far.
        replaced: the body's text for expressions of the original, by their `ast.dump`.
        shown: tensors whose whole text the body shows and that layers may have made, so that it may name a `grad_fn`.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.params: list[Param] = []
        self.replaced: dict[str, str] = {}
        self.shown: list[str] = []
        self._inner: set[str] = set()
        self._whole: set[str] = set()
        self._sizes: set[str] = set()
        self._bound: set[str] = set()

    def read(self, exprs: Iterable[tuple[ast.expr, bool, bool]]) -> NoFix | None:
        """Take in expressions, each with whether it may not run (`lazy`) and whether its text is shown."""
        wanted = list(exprs)
        nodes = [n for e, _, _ in wanted for n in walk(e) if isinstance(n, ast.expr)]
        self._bound |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self._sizes |= {ast.dump(n) for n in nodes if not self._indexed(n)}
        self._whole = {ast.dump(n.value) for n in nodes if isinstance(n, ast.Attribute) and self._spelled_out(n)}
        before = list(self.params), dict(self.replaced), list(self.shown)
        try:
            self._visit_all(wanted)
            passed = {ast.dump(p.argument) for p in self.params}
            if passed & {ast.dump(p.argument.value) for p in self.params if isinstance(p.argument, ast.Attribute)}:
                # The tensor itself is passed anyway: its shape need not be.
                self._whole |= passed
                self.params, self.replaced, self.shown = before
                self._visit_all(wanted)
        except _RefusedError as refused:
            return NoFix(str(refused))
        return None

    def _visit_all(self, wanted: list[tuple[ast.expr, bool, bool]]) -> None:
        for expr, lazy, shown in wanted:
            self._visit(expr, lazy, shown)

    def _spelled_out(self, node: ast.Attribute) -> bool:
        """True for what may stand as `{x.shape=}` in an f-string."""
        parent = self.facts.names.parent(node)
        return isinstance(parent, ast.FormattedValue) and parent.conversion == 114

    def value(self, expr: ast.expr, name: str) -> NoFix | None:
        """Take in one whole argument under a given name: a tensor that the graph computes, or a Python value."""
        found = self.facts.kinds.of(expr)
        effect = self.facts.effects.of([expr])
        try:
            if effect.reads or effect.breaks:
                raise _RefusedError(f"`{ast.unparse(expr)}` reads a tensor on the host")
            if found.is_tensor and not isinstance(expr, ast.Name) and not effect.pure:
                raise _RefusedError(f"`{ast.unparse(expr)}` has effects: {effect.why_impure}")
            self._add(expr, name, self._annotation(expr, found), keep=True)
        except _RefusedError as refused:
            return NoFix(str(refused))
        return None

    def condition(self, test: ast.expr, name: str, negated: str) -> NoFix | None:
        """Take in a condition on tensors; its predicate becomes the parameter `name`, or `negated` under a `not`."""
        try:
            self._condition(test, name, negated)
        except _RefusedError as refused:
            return NoFix(str(refused))
        return None

    # -- conditions ----------------------------------------------------------------------------------------------------
    def _condition(self, test: ast.expr, name: str, negated: str) -> None:
        kinds = self.facts.kinds
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self._condition(test.operand, negated, name)
            return
        if isinstance(test, ast.BoolOp):
            form = graph_form(test, self.facts, ast.unparse)
            if not isinstance(form, NoFix):
                self._add(test, name, "torch.Tensor", "predicate")
                return
            for i, part in enumerate(test.values):
                if i and not total(part, self.facts):
                    self._visit(part, True, False)
                else:
                    self._condition(part, self._free(name), self._free(negated))
            return
        bare = unwrapped(test, self.facts)
        value = kinds.of(bare)
        if not value.is_tensor and self._compares(test):
            self._add(test, name, "torch.Tensor", "number")
            return
        if not value.is_tensor:
            self._visit(test, False, False)
            return
        if isinstance(bare, ast.Name) and value.level is not Level.PROVED and bare.id in value.roots:
            raise _RefusedError(
                f"`{bare.id}` may be a Python bool: nothing shows that it is a tensor but {value.because}"
            )
        if value.optional:
            raise _RefusedError(f"`{ast.unparse(bare)}` may be None")
        name = bare.id if isinstance(bare, ast.Name) else name
        self._add(bare, name, "torch.Tensor")
        if bare is not test and bare is not getattr(test, "operand", None):
            self.replaced[ast.dump(test)] = self.replaced[ast.dump(bare)]

    def _compares(self, test: ast.expr) -> bool:
        """True for `x.item() <= limit`, where nothing tells the type of the limit: the graph can compare them."""
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or isinstance(test.ops[0], _MEMBERS):
            return False
        sides = [test.left, test.comparators[0]]
        limits = [s for s in sides if chain(s) is not None and self.facts.kinds.of(s).tag is Tag.UNKNOWN]
        read = [s.func.value for s in sides if isinstance(s, ast.Call) and unwrapped(s, self.facts) is not s]  # type: ignore[attr-defined]
        return len(limits) == len(read) == 1 and self.facts.kinds.of(read[0]).is_tensor and self._computable(read[0])

    # -- expressions ---------------------------------------------------------------------------------------------------
    def _visit(self, e: ast.expr, lazy: bool, shown: bool) -> None:  # noqa: C901 - one case for each type of node
        match e:
            case ast.Constant():
                return
            case ast.Name():
                self._name(e, shown)
            case ast.JoinedStr():
                for before, part in zip([None, *e.values], e.values, strict=False):
                    self._visit(part, lazy or spelled(before, part), True)
            case ast.FormattedValue():
                self._formatted(e, lazy)
            case ast.Lambda() | ast.Yield() | ast.YieldFrom() | ast.Await() | ast.NamedExpr() | ast.Starred():
                raise _RefusedError(f"`{ast.unparse(e)}` can not move into an op")
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self._comprehension(e, shown)
            case _ if self._passes(e, lazy, shown):
                return
            case ast.Attribute():
                self._attribute(e, lazy)
            case ast.Call():
                self._call(e, lazy, shown)
            case ast.IfExp():
                self._visit(e.test, lazy, False)
                for part in (e.body, e.orelse):
                    self._visit(part, True, shown)
            case ast.BoolOp():
                for i, part in enumerate(e.values):
                    self._visit(part, lazy or i > 0, shown)
            case ast.BinOp():
                text = isinstance(e.op, ast.Mod) and self.facts.kinds.of(e.left).detail == "str"
                for part in (e.left, e.right):
                    self._visit(part, lazy, shown or text)
            case _:
                keep = shown and isinstance(e, DISPLAYS)
                for child in children(e):
                    if isinstance(child, ast.expr):
                        self._visit(child, lazy, keep)

    def _passes(self, e: ast.expr, lazy: bool, shown: bool) -> bool:
        """True where the expression is passed as one value: a tensor that the graph computes."""
        value = self.facts.kinds.of(e)
        if not value.is_tensor or self._mentions_inner(e) or isinstance(e, ast.IfExp):
            return False
        plain = chain(e) is not None and not isinstance(e, ast.Subscript)
        if self.facts.names.qualified(e) is not None and plain:
            raise _RefusedError(f"`{ast.unparse(e)}` is a tensor of the module")
        if plain and isinstance(e, ast.Attribute) and self.facts.kinds.of(e.value).is_tensor:
            plain = False
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr in CONVERSIONS:
            return False
        if lazy and not plain:
            return False
        if not plain and not self._computable(e):
            return False
        self._show(e, value, shown)
        self._add(e, title(e), "torch.Tensor | None" if value.optional else "torch.Tensor")
        return True

    def _computable(self, e: ast.expr) -> bool:
        """True where the graph can compute the tensor: nothing in it reads values or changes something."""
        effect = self.facts.effects.of([e])
        return effect.pure and not effect.reads

    def _mentions_inner(self, e: ast.expr) -> bool:
        return any(isinstance(n, ast.Name) and n.id in self._inner for n in walk(e))

    def _show(self, e: ast.expr, value: Value, shown: bool) -> None:
        layers = any(d.startswith(("self.", "?")) for d in value.deps)
        if shown and category(value.dtype) not in ("bool", "int") and layers:
            self.shown.append(ast.unparse(e))

    def _formatted(self, e: ast.FormattedValue, lazy: bool) -> None:
        path = chain(e.value)
        plain = e.conversion in (-1, 115) and e.format_spec is None
        unknown = self.facts.kinds.of(e.value).tag is Tag.UNKNOWN
        if plain and unknown and path and set(path[:-1]) & SETTINGS and isinstance(e.value, ast.Attribute):
            self._add(e.value, e.value.attr, "str", "text")
            return
        self._visit(e.value, lazy, e.format_spec is None)
        if e.format_spec is not None:
            self._visit(e.format_spec, lazy, False)

    def _comprehension(self, e: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, shown: bool) -> None:
        self._visit(e.generators[0].iter, False, False)
        before = set(self._inner)
        self._inner |= {n.id for g in e.generators for n in walk(g.target) if isinstance(n, ast.Name)}
        for generator in e.generators[1:]:
            self._visit(generator.iter, True, False)
        for part in [
            *(t for g in e.generators for t in g.ifs),
            *([e.key, e.value] if isinstance(e, ast.DictComp) else [e.elt]),
        ]:
            self._visit(part, True, shown)
        self._inner = before

    def _name(self, e: ast.Name, shown: bool) -> None:
        if e.id in self._inner or self._global(e):
            return
        value = self.facts.kinds.of(e)
        if value.is_tensor:
            self._show(e, value, shown)
        self._add(e, e.id, self._annotation(e, value))

    def _global(self, e: ast.Name) -> bool:
        if e.id.startswith("__") and not e.id.endswith("__") and self.facts.names.enclosing_class(e) is not None:
            raise _RefusedError(f"`{e.id}` is another name inside of its class")
        binding = self.facts.names.binding(e)
        if binding is None:
            if self.facts.names.qualified(e) is None:
                raise _RefusedError(f"nothing tells what `{e.id}` is")
            return True
        return binding.scope.kind == "module"

    def _attribute(self, e: ast.Attribute, lazy: bool) -> None:
        value, base = self.facts.kinds.of(e), self.facts.kinds.of(e.value)
        path = chain(e)
        root = path[0] if path else ""
        if base.is_tensor and not self._mentions_inner(e):
            if e.attr == "requires_grad":
                self._add(e, "requires_grad", "bool")
                return
            if e.attr in FORBIDDEN:
                raise _RefusedError(f"`{ast.unparse(e)}` is another thing inside of an op")
            if e.attr in ("shape", "dtype", "device", "ndim") and path and ast.dump(e.value) not in self._whole:
                self._add(e, title(e), TYPES[e.attr])
                return
            self._visit(e.value, lazy, False)
            return
        if path and (root in self._inner or self._module_root(e)):
            return
        if e.attr == "__name__":
            self._add(e, "name", "str")
            return
        if path is None:
            self._visit(e.value, lazy, False)
            if value.tag is not Tag.HOST and base.tag is not Tag.HOST:
                raise _RefusedError(f"nothing tells what `{ast.unparse(e)}` is")
            return
        self._add(e, e.attr.strip("_") or "value", self._annotation(e, value))

    def _module_root(self, e: ast.expr) -> bool:
        while isinstance(e, ast.Attribute):
            e = e.value
        return isinstance(e, ast.Name) and self._global(e)

    def _annotation(self, e: ast.expr, value: Value) -> str:
        """The type of a value that is passed as it is."""
        if value.is_tensor:
            return "torch.Tensor | None" if value.optional else "torch.Tensor"
        kind = TYPES.get(value.detail) if value.tag is Tag.HOST else None
        if kind is None and value.tag is Tag.SEQUENCE and value.detail == "of tensors":
            raise _RefusedError(f"`{ast.unparse(e)}` is a container of tensors")
        if kind is None:
            raise _RefusedError(f"nothing tells the type of `{ast.unparse(e)}`")
        if value.level is not Level.PROVED and kind in ("int", "float", "bool"):
            kind = NUMBER
        return f"{kind} | None" if value.optional else kind

    # -- calls ---------------------------------------------------------------------------------------------------------
    def _call(self, e: ast.Call, lazy: bool, shown: bool) -> None:
        arguments = [*e.args, *(k.value for k in e.keywords)]
        if any(k.arg is None for k in e.keywords):
            raise _RefusedError("its arguments are unpacked")
        qualified = self.facts.names.qualified(e.func)
        if qualified is not None and qualified.startswith("builtins."):
            name = qualified.removeprefix("builtins.")
            if name not in BUILTINS:
                raise _RefusedError(f"`{ast.unparse(e)}` can not move into an op")
            for a in arguments:
                self._visit(a, lazy, name in ("str", "repr", "format") or (shown and name in ("tuple", "list")))
            return
        if qualified is not None and not qualified.startswith("."):
            op = torch_api.function(qualified)
            known = op is not None and not (op.mutates or op.effect or op.random != "never")
            if not known and not qualified.startswith(CLOCKS):
                raise _RefusedError(f"`{ast.unparse(e.func)}` may keep or change what it is given")
        elif not (isinstance(e.func, ast.Attribute) and self._method(e.func, lazy)):
            raise _RefusedError(f"nothing tells what `{ast.unparse(e.func)}` does")
        for a in arguments:
            self._visit(a, lazy, shown)

    def _method(self, func: ast.Attribute, lazy: bool) -> bool:
        """Take in the object of a method call; False where the method may do anything."""
        base = self.facts.kinds.of(func.value)
        op = torch_api.method(func.attr)
        inner = self._mentions_inner(func.value) and base.tag is Tag.UNKNOWN and func.attr in ("item", "tolist")
        if base.is_tensor or inner:
            pure = op is not None and not (op.mutates or op.effect or op.random != "never")
            if not pure and func.attr not in UNREAD and func.attr not in CONVERSIONS and func.attr not in TOTAL:
                return False
            if func.attr in FORBIDDEN:
                raise _RefusedError(f"`{ast.unparse(func)}` is another thing inside of an op")
            self._visit(func.value, lazy, False)
            return True
        if base.tag is Tag.LOGGER:
            return func.attr in ("isEnabledFor", "getEffectiveLevel")
        if base.tag is Tag.HOST or isinstance(func.value, ast.JoinedStr):
            self._visit(func.value, lazy, True)
            return func.attr in STRING_METHODS
        return False

    # -- parameters ----------------------------------------------------------------------------------------------------
    def _free(self, base: str) -> str:
        taken = {p.name for p in self.params}
        name, count = base, 1
        while name in taken:
            count += 1
            name = f"{base}_{count}"
        return name

    def _add(self, e: ast.expr, base: str, annotation: str, form: str = "plain", keep: bool = False) -> None:
        key = ast.dump(e)
        if key in self.replaced:
            return
        own = keep or base == getattr(e, "id", None)
        taken = BUILTINS | self._bound | set(self.facts.names.walk.module.sites)
        name = self._free(base)
        while not own and name in taken:
            name = self._free(f"{name}_value")
        self.params.append(Param(name, annotation, e, form))
        self.replaced[key] = name
        if annotation.startswith("list[int]"):
            self.replaced[key] = f"torch.Size({name})" if key in self._sizes else name

    def _indexed(self, e: ast.expr) -> bool:
        """True where the body only makes a tuple or list of the size, measures it, or takes one number out of it."""
        parent = self.facts.names.parent(e)
        if isinstance(parent, ast.Call) and e in parent.args:
            return self.facts.names.qualified(parent.func) in ("builtins.tuple", "builtins.list", "builtins.len")
        if isinstance(parent, ast.Subscript) and isinstance(parent.slice, ast.Slice):
            return self._indexed(parent)
        return isinstance(parent, ast.Subscript) and isinstance(parent.slice, (ast.Constant, ast.UnaryOp))


__all__ = ["SCALAR", "Param", "Passing"]
