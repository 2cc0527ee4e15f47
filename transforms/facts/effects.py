"""What evaluating this earlier, twice, never or always may change: mutation, random numbers, I/O, exceptions, reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..trees import spelled
from . import distributions, torch_api
from .calls import Target
from .choices import asks_while_compiling, chosen_by
from .classes import FunctionNode, first_parameter
from .conventions import argument
from .effect import Effect, asked, dotted, written
from .flow import TryStar, walk_scope
from .layers import overwrites
from .operations import asks_items, unpacks
from .purity import CALLING, CONTAINER_WRITES, LOG_METHODS, PURE_BUILTINS, PURE_METHODS, PURE_MODULES
from .selected import Selected, selected_by
from .values import ELSEWHERE, UNKNOWN, Tag, Value, category

if TYPE_CHECKING:
    from . import Facts

_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom)
_UNCAPTURED = (ast.Try, TryStar, ast.With, ast.AsyncWith, *_DEFINITIONS)


class Effects:
    """The effects of statements and expressions of one file."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._memo: dict[FunctionNode, Effect] = {}
        self._active: set[FunctionNode] = set()
        self._of_roots: dict[ast.AST, Effect] = {}

    def of(self, nodes: Iterable[ast.AST]) -> Effect:
        """What running the nodes may do, in the function they stand in; local fresh objects may be changed freely."""
        found = Effect()
        for root in nodes:
            found.add(self._known(root))
        return found

    def _known(self, root: ast.AST) -> Effect:
        if root in self._of_roots:
            return self._of_roots[root]
        found = Effect()
        for node in walk_scope(root):
            self.node(node, found)
        if not self._active:  # a function that calls itself has no effects to tell of meanwhile
            self._of_roots[root] = found
        return found

    def of_function(self, function: FunctionNode) -> Effect:
        """What calling a function of the file may do; parameters are named by themselves."""
        if function not in self._memo:
            if function in self._active:
                return Effect(unknown=[function.name])
            self._active.add(function)
            try:
                found = self.of(function.body)
            finally:
                self._active.discard(function)
            found.jumps.discard("return")
            if self._facts.regions.tells_compiled(function):
                found.reads, found.breaks = [], []
            self._memo[function] = found
        return self._memo[function]

    # -- one node ------------------------------------------------------------------------------------------------------
    def node(self, node: ast.AST, out: Effect) -> None:
        """Add what this node alone does, its children apart."""
        match node:
            case ast.Call():
                self._call(node, out)
            case ast.Return():
                out.jumps.add("return")
            case ast.Break() | ast.Continue():
                out.jumps.add("break" if isinstance(node, ast.Break) else "continue")
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                out.jumps.add("yield")
            case ast.With() if all(self._grad_mode(i.context_expr) for i in node.items):
                pass
            case ast.stmt() if isinstance(node, _UNCAPTURED):
                out.breaks.append(f"it holds a `{type(node).__name__.lower()}` statement")
            case ast.Subscript(ctx=ast.Load()):
                if self._facts.kinds.of(node.value).is_tensor and self._mask_index(node.slice):
                    out.breaks.append(f"indexing by a mask on line {node.lineno} has a shape that depends on values")
        out.raises |= isinstance(node, (ast.Raise, ast.Assert))
        self._stored(node, out)
        for value in asked(node):
            if self._facts.kinds.of(value).tag is Tag.TENSOR:
                out.reads.append(value.lineno)

    def _stored(self, node: ast.AST, out: Effect) -> None:
        """What the node assigns, deletes or adds to."""
        match node:
            case ast.Global() | ast.Nonlocal():
                out.stores |= set(node.names)
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                out.stores.add(dotted(node))
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                self._changed(node.value, out)
            case ast.AugAssign() if isinstance(node.target, ast.Name):
                known = self._facts.kinds.before(node).get(node.target.id)
                if known is not None and known.tag is not Tag.HOST:
                    certain = known.tag in (Tag.TENSOR, Tag.UNKNOWN)
                    self._changed_roots(node.target.id, known.roots, out, certain)

    def _mask_index(self, index: ast.expr) -> bool:
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        values = [self._facts.kinds.of(p) for p in parts]
        return any(v.is_tensor and category(v.dtype) == "bool" for v in values)

    def _grad_mode(self, context: ast.expr) -> bool:
        qualified = self._facts.names.qualified(context.func) if isinstance(context, ast.Call) else None
        return qualified in ("torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.autograd.no_grad")

    def _call(self, call: ast.Call, out: Effect) -> None:
        qualified = self._facts.names.qualified(call.func)
        text = spelled(call.func)
        if qualified is not None:
            self._called_back(qualified, call, out)
            if not qualified.startswith("."):
                self._imported(qualified, call, text, out)
                return
        if asks_while_compiling(call, self._facts):
            out.asks.append(text)
        if (inner := chosen_by(call, self._facts)) is not None:
            for function in inner:
                if isinstance(function, ast.Lambda):
                    for node in walk_scope(function.body):
                        self.node(node, out)
                else:
                    out.unknown.append(text)
        elif (selected := selected_by(call, self._facts)) is not None:
            self._selected(call, selected, text, out)
        elif (target := self._facts.breaks.target(call)) is not None and target.plain:
            self._own(target, call, qualified, out)
        elif target is None and isinstance(call.func, ast.Attribute):
            self._method(call, call.func, text, out)
        else:
            self._opaque(call, text, out)

    def _imported(self, qualified: str, call: ast.Call, text: str, out: Effect) -> None:
        """A builtin, or a function that is imported."""
        op = torch_api.function(qualified)
        tensors = any(self._facts.kinds.of(a).tag is Tag.TENSOR for a in call.args)
        if qualified.startswith("builtins."):
            tensors = tensors or asks_items(qualified, call, self._facts)
            self._builtin(qualified.removeprefix("builtins."), call, tensors, out)
        elif op is not None:
            self._operation(op, call, call.args[0] if call.args else None, out)
        elif torch_api.layer(qualified) is not None:
            out.random = True  # a layer draws its initial weights
        elif distributions.makes_distribution(qualified):
            return
        elif qualified.startswith(("warnings.", "logging.")):
            out.io.append(text)
        elif not qualified.startswith(PURE_MODULES):
            self._opaque(call, text, out)
        elif tensors and qualified.startswith("math."):
            out.reads.append(call.lineno)

    def _called_back(self, qualified: str, call: ast.Call, out: Effect) -> None:
        """What `map(f, xs)`, `sorted(xs, key=f)` and the like run."""
        place = CALLING.get(qualified, len(call.args))
        given = [k.value for k in call.keywords if k.arg in ("key", "func")] if "." in qualified else []
        for function in [*call.args[place : place + 1], *given]:
            path = self._facts.names.qualified(function) or ""
            op = torch_api.function(path)
            target = self._facts.calls.resolve(function)
            if isinstance(function, ast.Lambda):
                for node in walk_scope(function.body):
                    self.node(node, out)
            elif target is not None and target.plain:
                inner = self.of_function(target.function)
                if not inner.pure:
                    out.unknown.append(path)
            elif path.removeprefix("builtins.") in PURE_BUILTINS or path.startswith(PURE_MODULES):
                continue
            elif not (isinstance(function, ast.Constant) or (op is not None and not op.mutates and not op.effect)):
                out.unknown.append(spelled(function))

    def _builtin(self, name: str, call: ast.Call, tensor_args: bool, out: Effect) -> None:
        if name == "print":
            out.io.append("print")
        elif name not in PURE_BUILTINS:
            self._opaque(call, name, out)
        elif tensor_args and name in (
            "int",
            "float",
            "bool",
            "any",
            "all",
            "max",
            "min",
            "range",
            "round",
            "sorted",
            "set",
            "str",
            "repr",
            "format",
        ):
            out.reads.append(call.lineno)

    def _operation(self, op: torch_api.Op, call: ast.Call, subject: ast.expr | None, out: Effect) -> None:
        """A torch function or method that is applied to `subject`."""
        if op.random != "never":
            out.random = True
        if op.effect:
            out.unknown.append(op.name)
        for expr in written(op, call, subject):
            self._changed(expr, out)
        sized = self.given(op, call).value_shape
        if op.reads and (sized or not op.value_shape):
            out.reads.append(call.lineno)
        if sized:
            out.breaks.append(f"`{op.name}` on line {call.lineno} has a shape that depends on values")

    def given(self, op: torch_api.Op, call: ast.Call) -> torch_api.Op:
        """The operation with the arguments that it is given: `value_shape` is theirs."""
        kinds = self._facts.kinds
        if any(k.arg == "output_size" for k in call.keywords):
            return replace(op, value_shape=False)
        positional = [
            argument(kinds.of(a), getattr(a, "value", None) if isinstance(a, ast.Constant) else None) for a in call.args
        ]
        named = {k.arg: argument(kinds.of(k.value), getattr(k.value, "value", None)) for k in call.keywords if k.arg}
        return op.called(positional, named)

    def _method(self, call: ast.Call, func: ast.Attribute, text: str, out: Effect) -> None:
        base = self._facts.kinds.of(func.value)
        if distributions.computes(func.attr, base):
            return
        if base.tag is Tag.LOGGER:
            out.io.append(text)
            return
        op = torch_api.method(func.attr)
        if base.tag is Tag.TENSOR and op is not None:
            self._operation(op, call, func.value, out)
            return
        own = self._facts.kinds.of(func)
        if own.tag is Tag.MODULE:
            self._layer(own, call, text, out)
            return
        if base.tag in (Tag.SEQUENCE, Tag.UNKNOWN) and func.attr in CONTAINER_WRITES:
            self._changed(func.value, out)
            return
        # What waits in a queue comes without an argument.
        if base.tag is Tag.HOST or (func.attr in PURE_METHODS and (call.args or func.attr != "get")):
            return
        if base.tag is Tag.UNKNOWN and func.attr in LOG_METHODS:
            out.io.append(text)
            return
        if (
            base.tag is Tag.UNKNOWN
            and op is not None
            and not op.mutates
            and not (ELSEWHERE in base.deps and "." in text and text.startswith("self."))
        ):
            self._operation(op, call, func.value, out)  # duck-typed: whatever it is, it acts like a tensor's method
            return
        self._opaque(call, text, out)

    def _layer(self, module: Value, call: ast.Call, text: str, out: Effect) -> None:
        """A call of a layer of torch held by `self`."""
        if module.detail == "torch.nn.Sequential" and module.items is not None:
            for item in module.items:
                self._layer(item, call, text, out)
            return
        layer = torch_api.layer(module.detail)
        if overwrites(module) and call.args:
            self._changed(call.args[0], out)
        if layer is None:
            out.unknown.append(text)
        elif layer.train == "buffers":
            out.state.append(text)
        elif layer.train == "random":
            out.random = True
        elif layer.train == "unknown":
            out.unknown.append(text)

    def _own(self, target: Target, call: ast.Call, qualified: str | None, out: Effect) -> None:
        """A call of a function of the file: its effects, with parameters renamed to the arguments."""
        inner = self.of_function(target.function)
        constructor = qualified is not None and qualified in self._facts.classes.by_path
        given = target.given(call)
        spread = unpacks(call)
        owner = first_parameter(target.function) if target.bound else None
        for name in inner.storage:
            if name in given and not spread:
                self._changed(given[name], out, certain=name in inner.written)
            elif name.partition(".")[0] == "self":
                if not constructor:
                    self._changed_roots("", frozenset({name}), out)
            else:
                self._changed_roots("", frozenset({ELSEWHERE}), out)
                for expr in [*call.args, *(k.value for k in call.keywords)] if spread else []:
                    self._changed(expr, out)
        own_stores = {s for s in inner.stores if owner and s.startswith(f"{owner}.")}
        out.stores |= inner.stores - own_stores if constructor else inner.stores
        out.io += inner.io
        out.unknown += inner.unknown
        out.random |= inner.random
        out.raises |= inner.raises
        out.reads += inner.reads
        out.breaks += inner.breaks
        out.state += inner.state
        out.asks += inner.asks

    def _selected(self, call: ast.Call, selected: Selected, text: str, out: Effect) -> None:
        """A call of a helper that updates or reduces what a mask selects."""
        if selected.reduction is None:
            self._changed(call.args[0], out)
        if isinstance(selected.function, ast.Lambda):
            for node in walk_scope(selected.function.body):
                self.node(node, out)
        elif selected.function is not None:
            target = self._facts.calls.resolve(selected.function)
            inner = self.of_function(target.function) if target is not None else None
            if inner is None or not inner.pure:
                out.unknown.append(text)

    def _opaque(self, call: ast.Call, text: str, out: Effect) -> None:
        """A call of which nothing is known: it may also change what it is given."""
        out.unknown.append(text)
        on = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        if on and self._facts.names.qualified(call.func) is not None:
            on = []
        for given in [*on, *call.args, *(k.value for k in call.keywords)]:
            if self._facts.kinds.of(given).tag not in (Tag.HOST, Tag.NONE, Tag.CALLABLE):
                self._changed(given, out, certain=False)

    # -- what is changed -----------------------------------------------------------------------------------------------
    def _changed(self, expr: ast.expr, out: Effect, certain: bool = True) -> None:
        value = self._facts.kinds.of(expr)
        roots = value.roots if value is not UNKNOWN else frozenset({ELSEWHERE})
        self._changed_roots(dotted(expr), roots, out, certain and value.is_tensor)

    def _changed_roots(self, name: str, roots: frozenset[str], out: Effect, certain: bool = False) -> None:
        out.mutates |= {name} if name else set()
        out.mutates |= roots
        out.storage |= roots
        out.written |= roots if certain else set()


__all__ = ["Effect", "Effects"]
