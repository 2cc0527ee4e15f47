"""What evaluating this earlier, twice, never or always may change: mutation, random numbers, I/O, exceptions, reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import torch_api
from .applied import overwrites, unpacks
from .calls import Target
from .choices import chosen_by
from .classes import FunctionNode
from .conventions import argument
from .flow import TryStar, walk_scope
from .regions import COMPILING
from .selected import Selected, selected_by
from .values import ELSEWHERE, UNKNOWN, Tag, Value

if TYPE_CHECKING:
    from . import Facts

_PURE_BUILTINS = frozenset(
    {
        "len",
        "int",
        "float",
        "bool",
        "str",
        "isinstance",
        "hasattr",
        "range",
        "max",
        "min",
        "sum",
        "abs",
        "round",
        "list",
        "tuple",
        "dict",
        "set",
    }
    | {
        "sorted",
        "reversed",
        "zip",
        "enumerate",
        "any",
        "all",
        "repr",
        "type",
        "getattr",
        "issubclass",
        "frozenset",
        "divmod",
        "pow",
        "slice",
    }
    | {
        "map",
        "filter",
        "callable",
        "id",
        "ord",
        "chr",
        "complex",
        "bytes",
        "format",
        "hash",
        "super",
        "ValueError",
        "TypeError",
        "RuntimeError",
    }
    | {
        "KeyError",
        "IndexError",
        "AssertionError",
        "NotImplementedError",
        "Exception",
        "AttributeError",
        "ZeroDivisionError",
        "vars",
        "iter",
    }
)
_PURE_MODULES = (
    "math.",
    "operator.",
    "functools.reduce",
    "functools.partial",
    "itertools.",
    "copy.copy",
    "dataclasses.replace",
    "torch.finfo",
    "torch.iinfo",
)
_PURE_METHODS = frozenset(
    {
        "get",
        "keys",
        "values",
        "items",
        "index",
        "count",
        "copy",
        "format",
        "join",
        "split",
        "strip",
        "startswith",
        "endswith",
        "lower",
        "upper",
    }
    | {
        "replace",
        "dim",
        "size",
        "numel",
        "union",
        "intersection",
        "difference",
        "issubset",
        "isdigit",
        "rpartition",
        "partition",
    }
)
# Functions that call another: the position of what they call.
_CALLING = {"builtins.map": 0, "builtins.filter": 0, "functools.reduce": 0, "itertools.starmap": 0}
_CALLING |= {"itertools.takewhile": 0, "itertools.dropwhile": 0, "itertools.filterfalse": 0, "itertools.accumulate": 1}
_CALLING |= {"itertools.groupby": 1}
_CONTAINER_WRITES = frozenset(
    {"popitem", "popleft", "appendleft", "extendleft", "rotate", "move_to_end", "symmetric_difference_update"}
    | {"difference_update", "intersection_update", "__setitem__", "__delitem__", "subtract"}
    | {
        "append",
        "extend",
        "insert",
        "pop",
        "remove",
        "clear",
        "update",
        "setdefault",
        "add",
        "discard",
        "sort",
        "reverse",
    }
)
_LOG_METHODS = frozenset(
    {
        "debug",
        "info",
        "warning",
        "warn",
        "error",
        "critical",
        "exception",
        "log",
        "warning_once",
        "info_once",
        "warn_once",
    }
)


_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom)
_UNCAPTURED = (ast.Try, TryStar, ast.With, ast.AsyncWith, *_DEFINITIONS)


@dataclass
class Effect:
    """What running some code may do. All sets name locals, `self.NAME`, or `?` for anything else.

    Attributes:
        mutates: objects changed in place, by the names that were used for them and by their storage.
        storage: the storage of these alone: parameters, `self.NAME`, `?`; what the code made itself is not among it.
        written: the part of `storage` that is changed for certain, so that all that shares memory with it is.
        stores: attributes, subscripts, globals and nonlocals that are assigned.
        io: calls that print, log or warn.
        unknown: calls of which nothing is known, by their text.
        random: draws random numbers.
        raises: has a `raise` or `assert` of its own.
        reads: reads tensor values on the host (`.item()`, truth of a tensor), by line.
        breaks: does something else that Dynamo does not capture, by a word for it.
        jumps: return, break, continue or yield leave it.
        state: runs layers that write their own state in training mode.
        modules: calls `self.NAME` that are not known layers of torch.
    """

    mutates: set[str] = field(default_factory=set)
    storage: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    io: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    random: bool = False
    raises: bool = False
    reads: list[int] = field(default_factory=list)
    breaks: list[str] = field(default_factory=list)
    jumps: set[str] = field(default_factory=set)
    state: list[str] = field(default_factory=list)

    @property
    def pure(self) -> bool:
        """Running it changes nothing that anyone sees (it may raise from within an operation)."""
        return not (
            self.mutates
            or self.stores
            or self.io
            or self.unknown
            or self.random
            or self.raises
            or self.state
            or self.breaks
        )

    @property
    def why_impure(self) -> str:
        """The first reason why it is not pure, in words."""
        if self.unknown:
            return f"`{self.unknown[0]}` may do anything"
        if self.mutates:
            return f"it changes `{min(self.mutates)}` in place"
        if self.stores:
            return f"it assigns `{min(self.stores)}`"
        if self.io:
            return f"`{self.io[0]}` writes to the outside"
        if self.state:
            return f"`{self.state[0]}` updates its own state in training"
        if self.random:
            return "it draws random numbers"
        if self.raises:
            return "it raises"
        return self.breaks[0] if self.breaks else ""


class Effects:
    """The effects of statements and expressions of one file."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._memo: dict[FunctionNode, Effect] = {}
        self._active: set[FunctionNode] = set()

    def of(self, nodes: Iterable[ast.AST]) -> Effect:
        """What running the nodes may do, in the function they stand in; local fresh objects may be changed freely."""
        found = Effect()
        for root in nodes:
            for node in walk_scope(root):
                self.node(node, found)
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
            if self._tells_compiled(function):
                found.reads, found.breaks = [], []
            self._memo[function] = found
        return self._memo[function]

    def _tells_compiled(self, function: FunctionNode) -> bool:
        """True for a function that tests `is_compiling()`: its author has seen to what the compiler meets."""
        names = self._facts.names
        return any(isinstance(n, ast.Call) and names.qualified(n.func) in COMPILING for n in ast.walk(function))

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
        for value in _asked(node):
            if self._facts.kinds.of(value).tag is Tag.TENSOR:
                out.reads.append(value.lineno)

    def _stored(self, node: ast.AST, out: Effect) -> None:
        """What the node assigns, deletes or adds to."""
        match node:
            case ast.Global() | ast.Nonlocal():
                out.stores |= set(node.names)
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                out.stores.add(_dotted(node))
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
        return any(v.is_tensor and v.dtype == ("bool",) for v in values)

    def _grad_mode(self, context: ast.expr) -> bool:
        qualified = self._facts.names.qualified(context.func) if isinstance(context, ast.Call) else None
        return qualified in ("torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.autograd.no_grad")

    def _call(self, call: ast.Call, out: Effect) -> None:
        qualified = self._facts.names.qualified(call.func)
        text = ast.unparse(call.func)
        if qualified is not None:
            self._called_back(qualified, call, out)
            if not qualified.startswith("."):
                self._imported(qualified, call, text, out)
                return
        if (inner := chosen_by(call, self._facts)) is not None:
            for function in inner:
                if isinstance(function, ast.Lambda):
                    for node in walk_scope(function.body):
                        self.node(node, out)
                else:
                    out.unknown.append(text)
        elif (selected := selected_by(call, self._facts)) is not None:
            self._selected(call, selected, text, out)
        elif (target := self._facts.calls.target(call)) is not None and target.plain:
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
            self._builtin(qualified.removeprefix("builtins."), call, tensors, out)
        elif op is not None:
            self._operation(op, call, call.args[0] if call.args else None, out)
        elif torch_api.layer(qualified) is not None:
            out.random = True  # a layer draws its initial weights
        elif qualified.startswith(("warnings.", "logging.")):
            out.io.append(text)
        elif not qualified.startswith(_PURE_MODULES):
            self._opaque(call, text, out)
        elif tensors and qualified.startswith("math."):
            out.reads.append(call.lineno)

    def _called_back(self, qualified: str, call: ast.Call, out: Effect) -> None:
        """What `map(f, xs)`, `sorted(xs, key=f)` and the like run."""
        place = _CALLING.get(qualified, len(call.args))
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
            elif path.removeprefix("builtins.") in _PURE_BUILTINS or path.startswith(_PURE_MODULES):
                continue
            elif not (isinstance(function, ast.Constant) or (op is not None and not op.mutates and not op.effect)):
                out.unknown.append(ast.unparse(function))

    def _builtin(self, name: str, call: ast.Call, tensor_args: bool, out: Effect) -> None:
        if name == "print":
            out.io.append("print")
        elif name not in _PURE_BUILTINS:
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
        kinds = self._facts.kinds
        positional = [
            argument(kinds.of(a), getattr(a, "value", None) if isinstance(a, ast.Constant) else None) for a in call.args
        ]
        named = {k.arg: argument(kinds.of(k.value), getattr(k.value, "value", None)) for k in call.keywords if k.arg}
        sized = op.called(positional, named).value_shape
        if op.reads and (sized or not op.value_shape):
            out.reads.append(call.lineno)
        if sized:
            out.breaks.append(f"`{op.name}` on line {call.lineno} has a shape that depends on values")

    def _method(self, call: ast.Call, func: ast.Attribute, text: str, out: Effect) -> None:
        base = self._facts.kinds.of(func.value)
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
        if base.tag in (Tag.SEQUENCE, Tag.UNKNOWN) and func.attr in _CONTAINER_WRITES:
            self._changed(func.value, out)
            return
        # What waits in a queue comes without an argument.
        if base.tag is Tag.HOST or (func.attr in _PURE_METHODS and (call.args or func.attr != "get")):
            return
        if base.tag is Tag.UNKNOWN and func.attr in _LOG_METHODS:
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
        parameters = [a.arg for a in [*target.function.args.posonlyargs, *target.function.args.args]]
        given = dict(zip(parameters[1 if target.bound else 0 :], call.args, strict=False)) | {
            k.arg: k.value for k in call.keywords if k.arg
        }
        spread = unpacks(call)
        owner = parameters[0] if target.bound and parameters else None
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
        self._changed_roots(_dotted(expr), roots, out, certain and value.is_tensor)

    def _changed_roots(self, name: str, roots: frozenset[str], out: Effect, certain: bool = False) -> None:
        out.mutates |= {name} if name else set()
        out.mutates |= roots
        out.storage |= roots
        out.written |= roots if certain else set()


def _asked(node: ast.AST) -> list[ast.expr]:
    """The expressions whose value a node needs on the host if they are tensors: conditions, indices, formatted text."""
    match node:
        case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
            return [node.test]
        case ast.BoolOp():
            return node.values[:-1]
        case ast.UnaryOp(op=ast.Not()):
            return [node.operand]
        case ast.comprehension():
            return node.ifs
        case ast.Compare() if len(node.ops) > 1 or isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return [node.left, *node.comparators]
        case ast.Slice():
            return [e for e in (node.lower, node.upper, node.step) if e is not None]
        case ast.FormattedValue():
            return [node.value]
    return []


def written(op: torch_api.Op, call: ast.Call, subject: ast.expr | None) -> list[ast.expr]:
    """The expressions that a torch function or method writes into, `subject` being what it is applied to."""

    def given(name: str) -> ast.expr | None:
        named = next((k.value for k in call.keywords if k.arg == name), None)
        orders = ([p.name for p in s.parameters if not p.keyword_only] for s in op.signatures)
        place = next((names.index(name) for names in orders if name in names), len(call.args))
        return named or next(iter(call.args[place : place + 1]), None)

    if unpacks(call) and (op.mutates or op.mutates_if):
        return [*([subject] if subject is not None else []), *call.args, *(k.value for k in call.keywords)]
    found = [given(name) or subject for name in op.mutates]
    for name in op.mutates_if:
        switch = given(name)
        off = switch is None or (isinstance(switch, ast.Constant) and not switch.value)
        if name == "use_input_stats" and switch is None:
            off = False
        if off:
            continue
        if name == "out":
            found.append(switch)
        elif name in ("training", "use_input_stats"):
            found += [given("running_mean"), given("running_var")]
        else:
            found.append(given("weight") if name == "max_norm" else subject)
    return [f for f in found if f is not None]


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = _dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    if isinstance(node, ast.Subscript):
        return _dotted(node.value)
    return ""
