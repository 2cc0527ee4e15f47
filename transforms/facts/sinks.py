"""Statements without outputs: log records, warnings, prints, calls of helpers, guards; and whether they may become ops."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import Evidence, Level, NoFix
from .classes import FunctionNode
from .flow import walk_scope
from .passing import Param, Passing
from .predicates import holds_tensor
from .readers import reading
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

LEVELS = frozenset({"debug", "info", "warning", "warn", "error", "critical", "fatal", "log"})
ONCE = frozenset({"warning_once", "info_once", "warn_once", "debug_once", "error_once"})
_LOGGER_NAMES = frozenset({"logger", "log", "LOG", "LOGGER", "_logger", "_LOGGER", "_log", "LOGGING"})
_LOGGER_MAKERS = ("logging.getLogger", "logging.get_logger", "init_logger")
_LOADERS = ("load", "save", "convert", "export", "download", "build", "_load", "_save", "_convert", "from_", "to_", "read", "write")
# What is done around a model, not in it.
_OUTSIDE = frozenset({"eval", "train", "state_dict", "load_state_dict", "save_pretrained", "from_pretrained", "save", "parse_args", "backward"})
_STREAMS = ("sys.stderr", "sys.stdout", "sys.__stderr__", "sys.__stdout__")


@dataclass(frozen=True, slots=True)
class Sink:
    """A statement that becomes the call of an op.

    Attributes:
        node: the statement that is replaced, and that the op runs.
        name: a name for the op.
        params: what the op is given.
        replaced: text of the body for expressions of the original, by their `ast.dump`.
        changes: what a caller could observe in compiled code.
        level: how sure the facts are.
        body: what the op runs, where it is not `node` itself.
        leveled: the body logs or warns, so that the stack levels in it count frames.
    """

    node: ast.stmt
    name: str
    params: tuple[Param, ...]
    replaced: tuple[tuple[str, str], ...]
    changes: tuple[str, ...] = ()
    level: Level = Level.PROVED
    leveled: bool = False
    body: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A helper whose result is used, and that Dynamo shall leave alone."""

    function: ast.FunctionDef


class Sinks:
    """The statements of one file that write to the outside.

    Attributes:
        named: names given to ops of this file, by their text; two fixes of one pass must not choose the same one.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.named: dict[str, str] = {}

    def worth(self, node: ast.stmt) -> Evidence | None:
        """Whether the statement may run compiled; None where nothing says that its function works on tensors."""
        function = self.facts.function_of(node)
        region = self.facts.regions.of(function)
        if function is None or not region or self.facts.regions.left_alone(node) or not self.imports_torch:
            return None
        if self.in_sink(node):
            return None
        if region.evidence.because == "it computes with torch" and not self._computes(function):
            return None
        return region.evidence

    def _computes(self, function: FunctionNode) -> bool:
        """True for a function that holds tensors and is no loader of files: it imports nothing for itself."""
        if function.name.startswith(_LOADERS) or not self.facts.flow(function).parameters:
            return False
        for n in walk_scope(*function.body):
            if isinstance(n, (ast.Import, ast.ImportFrom)) or (isinstance(n, ast.Attribute) and n.attr in _OUTSIDE):
                return False
        return any(v.is_tensor for v in self.facts.kinds.run(function).values.values())

    @functools.cached_property
    def imports_torch(self) -> bool:
        """True where the module needs torch to be imported, whatever happens: ops are made at import."""
        for s in self.facts.source.tree.body:
            modules = [a.name for a in s.names] if isinstance(s, ast.Import) else [s.module or ""] if isinstance(s, ast.ImportFrom) and not s.level else []
            if any(m.partition(".")[0] == "torch" for m in modules):
                return True
        return False

    # -- what a call is ------------------------------------------------------------------------------------------------
    def kind(self, call: ast.Call) -> str | None:
        """"log", "once", "warn", "print" or None."""
        qualified = self.facts.names.qualified(call.func) or ""
        if qualified == "warnings.warn":
            return "warn"
        if qualified == "builtins.print":
            return "print"
        if not isinstance(call.func, ast.Attribute):
            return None
        name = call.func.attr
        if qualified.startswith("logging."):
            return "log" if name in LEVELS else None
        if name not in LEVELS | ONCE or self.logger(call.func.value) is None:
            return None
        return "once" if name in ONCE else "log"

    def logger(self, base: ast.expr) -> Evidence | None:
        """Whether the expression is a logger."""
        if self.facts.kinds.of(base).tag is Tag.LOGGER:
            return Evidence(Level.PROVED, "it is a logger")
        if isinstance(base, ast.Name):
            qualified = self.facts.names.qualified(base) or ""
            imported = qualified and not qualified.startswith(".") and base.id in _LOGGER_NAMES
            return Evidence(Level.ASSUMED, f"`{base.id}` is imported, and named as a logger") if imported else None
        return Evidence(Level.PROVED, "it is a logger") if self.maker(base) is not None else None

    def maker(self, base: ast.expr) -> ast.Call | None:
        """The call that made the logger which an attribute holds, where module code could make it again."""
        owner = self.facts.classes.owner(base)
        if owner is None or not isinstance(base, ast.Attribute) or not isinstance(base.value, ast.Name) or base.value.id != owner[1]:
            return None
        values = owner[0].attribute(base.attr)
        if len(values) != 1 or owner[0].is_rebound(base.attr) or not isinstance(values[0], ast.Call):
            return None
        made = values[0]
        constant = all(isinstance(a, ast.Constant) or (isinstance(a, ast.Name) and a.id == "__name__") for a in made.args)
        known = (self.facts.names.qualified(made.func) or "").endswith(_LOGGER_MAKERS)
        return made if known and constant and not made.keywords else None

    def effects(self, body: Sequence[ast.stmt]) -> list[str] | None:
        """The kinds of the statements where all of them only write to the outside, else None."""
        found = [self.kind(s.value) if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) else None for s in body]
        return [k for k in found if k is not None] if found and all(found) and "once" not in found else None

    def asks_level(self, test: ast.expr) -> bool:
        """True for a condition on a logger's level."""
        return any(
            isinstance(n, ast.Attribute) and n.attr in ("isEnabledFor", "getEffectiveLevel", "level") and self.logger(n.value)
            for n in ast.walk(test)
        )

    def conditional(self, node: ast.If) -> list[str] | None:
        """The kinds of effects of an `if` that becomes one op: a condition on a tensor or on a logger's level around effects."""
        if node.orelse or not (holds_tensor(node.test, self.facts) or self.asks_level(node.test)):
            return None
        return self.effects(node.body)

    def covered(self, node: ast.stmt) -> bool:
        """True where the `if` around the statement is what becomes an op."""
        parent = self.facts.names.parent(node)
        return isinstance(parent, ast.If) and node in parent.body and self.conditional(parent) is not None

    # -- plans ---------------------------------------------------------------------------------------------------------
    def output(self, node: ast.Expr | ast.If) -> Sink | NoFix:
        """The op for a log record, a warning or a print, or for an `if` around them."""
        passing = Passing(self.facts)
        calls = [node.value] if isinstance(node, ast.Expr) else [s.value for s in node.body if isinstance(s, ast.Expr)]
        lazy = isinstance(node, ast.If)
        if isinstance(node, ast.If):
            refused = self._test(node.test, passing)
            if refused is not None:
                return refused
        wanted: list[tuple[ast.expr, bool, bool]] = []
        level = Level.PROVED
        for call in calls:
            assert isinstance(call, ast.Call)
            refused = self._keywords(call)
            if refused is not None:
                return refused
            if isinstance(call.func, ast.Attribute) and self.kind(call) == "log":
                found = self.logger(call.func.value)
                level = found.level if found is not None and not found.certain else level
                made = self.maker(call.func.value)
                if made is not None:
                    passing.replaced[ast.dump(call.func.value)] = self.facts.source.code(made)
                elif isinstance(call.func.value, ast.Name) and not self._of_module(call.func.value):
                    return NoFix(f"`{call.func.value.id}` is no name of the module")
            wanted += [(e, lazy, shown) for e, shown in self._arguments(call)]
        refused = passing.read(wanted)
        if refused is not None:
            return refused
        changes = ()
        if passing.shown:
            changes = (f"output: compiled code shows `{passing.shown[0]}` without its grad_fn",)
        first = calls[0]
        assert isinstance(first, ast.Call)
        leveled = any(self.kind(c) != "print" for c in calls if isinstance(c, ast.Call))
        return Sink(node, self._name(first), tuple(passing.params), tuple(passing.replaced.items()), changes, level, leveled)

    def _of_module(self, name: ast.Name) -> bool:
        binding = self.facts.names.binding(name)
        return binding is not None and binding.scope.kind == "module"

    def _test(self, test: ast.expr, passing: Passing) -> NoFix | None:
        if holds_tensor(test, self.facts):
            return passing.condition(test, "condition", "condition")
        return passing.read([(test, False, False)])

    def _keywords(self, call: ast.Call) -> NoFix | None:
        kind = self.kind(call)
        allowed = {"log": {"stacklevel", "extra", "msg"}, "warn": {"message", "category", "stacklevel"}, "print": {"sep", "end", "flush", "file"}}
        for k in call.keywords:
            if k.arg not in allowed[kind or "print"]:
                return NoFix(f"`{k.arg or '**'}` of `{ast.unparse(call.func)}` means another thing inside of an op")
            if k.arg == "stacklevel" and not (isinstance(k.value, ast.Constant) and isinstance(k.value.value, int)):
                return NoFix("its stack level is not a literal")
            if k.arg == "file" and (self.facts.names.qualified(k.value) or "") not in _STREAMS:
                return NoFix(f"it writes to `{ast.unparse(k.value)}`")
        if any(isinstance(a, ast.Starred) for a in call.args):
            return NoFix("its arguments are unpacked")
        if kind == "warn" and len(call.args) > 2:
            return NoFix("its stack level is given by position")
        return None

    def _arguments(self, call: ast.Call) -> Iterator[tuple[ast.expr, bool]]:
        """The arguments, with whether their text is shown."""
        literal = next((a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)), "%s")
        numbers = self.kind(call) == "log" and "%s" not in literal and "%r" not in literal
        for i, a in enumerate(call.args):
            if self.kind(call) == "warn" and i == 1:
                yield a, False
                continue
            yield a, not numbers or i == 0
        for k in call.keywords:
            if k.arg not in ("file", "stacklevel"):
                yield k.value, k.arg in ("msg", "message", "extra")

    def _name(self, call: ast.Call) -> str:
        kind = self.kind(call) or "print"
        texts = [n.value for a in call.args for n in ast.walk(a) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        texts += [n.id for a in call.args for n in ast.walk(a) if isinstance(n, ast.Name)]
        texts = [re.sub(r"%[-+ #0-9.]*[a-zA-Z]|\{[^}]*\}", " ", t) for t in texts]
        words: list[str] = []
        for word in "".join(c if c.isalnum() and c.isascii() else " " for c in next((t for t in texts if any(c.isalpha() for c in t)), "")).lower().split():
            if not word.isdigit() and len(words) < 3:
                words.append(word)
        return "_".join(["", kind, *words]) if words else f"_{kind}_values" if call.args else f"_{kind}_line"

    # -- helpers of the file -------------------------------------------------------------------------------------------
    def helper(self, node: ast.Expr) -> Sink | NoFix | None:
        """The op for a call of a function of the file whose result is unused; None where Dynamo can trace it."""
        return self._helpers.get(id(node))

    @functools.cached_property
    def _helpers(self) -> dict[int, Sink | NoFix]:
        """The outcomes of all calls whose result is unused. A helper is out where code that stays traced uses what it changes."""
        found: dict[int, Sink | NoFix] = {}
        nodes = self.facts.names.nodes(ast.Expr)
        for node in nodes:
            outcome = self._helper(node)
            if outcome is not None:
                found[id(node)] = outcome
        while True:
            refused = {id(n): r for n in nodes if isinstance(found.get(id(n)), Sink) and (r := self._shared(n, found)) is not None}
            if not refused:
                return found
            found |= refused

    def _helper(self, node: ast.Expr) -> Sink | NoFix | None:
        call = node.value
        target = self.facts.calls.target(call) if isinstance(call, ast.Call) else None
        if target is None or self.facts.regions.of(target.function).evidence.level is Level.NO:
            return None
        assert isinstance(call, ast.Call)
        function = target.function
        names = [a.arg for a in [*function.args.posonlyargs, *function.args.args]][1 if target.bound else 0 :]
        given = {**dict(zip(names, call.args, strict=False)), **{k.arg: k.value for k in call.keywords if k.arg}}
        read = {n: self._read(a) for n, a in given.items()}
        tensors = frozenset(n for n, a in given.items() if read[n] is None and self.facts.kinds.of(a).is_tensor)
        found = reading(function, tensors, self.facts)
        if not found.sites and not any(read.values()):
            return None
        refused = self._reachable(call, function, target.bound)
        if refused is not None and not found.reads and not any(read.values()):
            return None  # what it logs and prints is found where it does so
        if len(call.args) > len(names) or any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            refused = refused or NoFix("its arguments are unpacked")
        refused = refused or found.refusal or self._raises(node, function)
        return refused or self._call(node, call, given, function)

    def _read(self, argument: ast.expr) -> tuple[ast.expr, str] | None:
        """The tensor of `t.item()`, `float(t)` and the like, and how the body writes it for a parameter."""
        if not isinstance(argument, ast.Call) or argument.keywords:
            return None
        inner: ast.expr | None = None
        if isinstance(argument.func, ast.Attribute) and argument.func.attr in ("item", "tolist") and not argument.args:
            inner, form = argument.func.value, f"{{}}.{argument.func.attr}()"
        elif len(argument.args) == 1 and self.facts.names.qualified(argument.func) in ("builtins.float", "builtins.int", "builtins.bool"):
            inner, form = argument.args[0], f"{ast.unparse(argument.func)}({{}})"
            deeper = self._read(inner)
            inner, form = (deeper[0], form.format(deeper[1])) if deeper is not None else (inner, form)
        return (inner, form) if inner is not None and self.facts.kinds.of(inner).is_tensor else None

    def _call(self, node: ast.Expr, call: ast.Call, given: dict[str, ast.expr], function: FunctionNode) -> Sink | NoFix:
        params: list[Param] = []
        words: list[str] = []
        positional = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
        in_order = list(given) in (positional[: len(given)], positional[1 : len(given) + 1])
        for i, (name, argument) in enumerate(given.items()):
            passing = Passing(self.facts)
            inner, form = self._read(argument) or (argument, "{}")
            refused = passing.value(inner, name)
            if refused is not None:
                return refused
            (param,) = passing.params
            params.append(param)
            word = form.format(f"torch.Size({name})" if param.annotation.startswith("list[int]") else name)
            words.append(word if i < len(call.args) or in_order else f"{name}={word}")
        path = function.name.strip("_")
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            path = f"{call.func.value.id.lower()}_{path}"
        base = f"_{path}_op" if f"_{path}" == function.name else f"_{path}"
        return Sink(node, base, tuple(params), (), body=f"{ast.unparse(call.func)}({', '.join(words)})")

    def in_sink(self, node: ast.stmt) -> bool:
        """True inside of a helper that runs as an op itself, or that Dynamo leaves alone."""
        function = self.facts.function_of(node)
        if function is None or self.facts.regions.of(function).explicit:
            return False
        if isinstance(function, ast.FunctionDef) and isinstance(self.source(function), Source):
            return True
        callers = self.facts.calls.callers(function)
        return bool(callers) and all(self._becomes_op(c) for c in callers)

    def _becomes_op(self, call: ast.Call) -> bool:
        parent = self.facts.names.parent(call)
        return isinstance(parent, ast.Expr) and isinstance(self.helper(parent), Sink)

    def source(self, function: ast.FunctionDef) -> Source | None:
        """A function of the module whose result is used and that cuts the graph more than once, without computing tensors itself."""
        region = self.facts.regions.of(function)
        if not region or region.explicit or function.decorator_list or self.facts.names.parent(function) is not self.facts.source.tree:
            return None
        callers = self.facts.calls.callers(function)
        uses = [n for n in self.facts.names.nodes(ast.Name) if n.id == function.name and isinstance(n.ctx, ast.Load)]
        direct = all(isinstance(p := self.facts.names.parent(n), ast.Call) and p.func is n for n in uses)
        if not callers or not direct or not any(self._used_in_graph(c) for c in callers):
            return None
        names = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
        tensors = {n for c in callers for n, a in zip(names, c.args, strict=False) if self.facts.kinds.of(a).is_tensor}
        found = reading(function, frozenset(tensors), self.facts)
        return Source(function) if len(found.sites) > 1 and not found.computes and not found.suspends else None

    def _used_in_graph(self, call: ast.Call) -> bool:
        home = self.facts.function_of(call)
        used = not isinstance(self.facts.names.parent(call), ast.Expr)
        return used and home is not None and bool(self.facts.regions.of(home))

    def _reachable(self, call: ast.Call, function: FunctionNode, bound: bool) -> NoFix | None:
        """Refuse a callee that the module can not name: a method is, where its object is a value of the module."""
        root: ast.expr = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and self._of_module(root):
            simple = isinstance(call.func, ast.Attribute) and call.func.value is root and self.facts.names.single_value(root) is not None
            return None if not bound or simple else NoFix(f"nothing tells which object `{ast.unparse(call.func)}` belongs to")
        if bound:
            return NoFix(f"`{function.name}` is a method: an op can not be given its object")
        return NoFix(f"`{ast.unparse(call.func)}` can not be reached from the module")

    def _raises(self, node: ast.stmt, function: FunctionNode) -> NoFix | None:
        if self.facts.effects.of_function(function).raises:
            return self.caught(node)
        return None

    def _shared(self, node: ast.Expr, outcomes: Mapping[int, Sink | NoFix]) -> NoFix | None:
        """Refuse where code that stays traced reads or writes what the helper changes: it would see it too early."""
        target = self.facts.calls.target(node.value) if isinstance(node.value, ast.Call) else None
        home = self.facts.function_of(node)
        if target is None or home is None:
            return None
        assert isinstance(node.value, ast.Call)
        written = self._written(target.function, set())
        if target.bound and isinstance(node.value.func, ast.Attribute) and isinstance(node.value.func.value, ast.Name):
            written.add(node.value.func.value.id)
        for one in self._traced_around(home, outcomes) if written else ():
            for statement in walk_scope(*one.body):
                if isinstance(statement, ast.stmt) and not isinstance(outcomes.get(id(statement)), Sink):
                    used = next((n for n in _own_names(statement) if n.id in written and self._of_module(n)), None)
                    if used is not None:
                        return NoFix(f"`{one.name}` also uses `{used.id}`, which `{target.function.name}` changes")
        return None

    def _traced_around(self, home: FunctionNode, outcomes: Mapping[int, Sink | NoFix]) -> set[FunctionNode]:
        """The functions that are traced together with `home`; not those that run as ops alone."""
        around: set[FunctionNode] = set()
        queue = [home]
        while queue:
            one = queue.pop()
            if one not in around and self.facts.regions.of(one).evidence.level is not Level.NO:
                around.add(one)
                callers = [self.facts.function_of(c) for c in self.facts.calls.callers(one)]
                queue += [f for f in callers if f is not None and self.facts.regions.of(f)]
                for call, target in self.facts.calls.callees(one):
                    if not isinstance(outcomes.get(id(self.facts.names.parent(call))), Sink):
                        queue.append(target.function)
        return around

    def _written(self, function: FunctionNode, seen: set[FunctionNode]) -> set[str]:
        """Names of the module whose objects the function rebinds or may change."""
        seen.add(function)
        found: set[str] = set()
        for n in walk_scope(*function.body):
            if isinstance(n, ast.Global):
                found |= set(n.names)
            elif isinstance(n, (ast.Attribute, ast.Subscript)):
                parent = self.facts.names.parent(n)
                changed = isinstance(n.ctx, (ast.Store, ast.Del)) or (isinstance(n, ast.Attribute) and isinstance(parent, ast.Call) and parent.func is n)
                root: ast.expr = n
                while isinstance(root, (ast.Attribute, ast.Subscript)):
                    root = root.value
                own = isinstance(root, ast.Name) and self.facts.names.qualified(root) in (None, f".{root.id}")
                if changed and own and isinstance(root, ast.Name) and self._of_module(root) and self.logger(root) is None:
                    found.add(root.id)
        for _, target in self.facts.calls.callees(function):
            if target.function not in seen:
                found |= self._written(target.function, seen)
        return found

    # -- exceptions ----------------------------------------------------------------------------------------------------
    def caught(self, node: ast.stmt) -> NoFix | None:
        """Why an exception must not leave the graph here: somebody in the compiled code would catch it."""
        function = self.facts.function_of(node)
        seen: set[FunctionNode] = set()
        queue: list[tuple[ast.AST, FunctionNode | None]] = [(node, function)]
        while queue:
            place, home = queue.pop()
            child, parent = place, self.facts.names.parent(place)
            while parent is not None and child is not home:
                if isinstance(parent, ast.Try) and child not in parent.finalbody and child not in parent.orelse:
                    if not (child in parent.handlers and not parent.finalbody):
                        return NoFix("a `try` statement around it would not see an exception of compiled code")
                if isinstance(parent, (ast.With, ast.AsyncWith)) and child in parent.body:
                    return NoFix("an exception out of the graph would leave its `with` block without closing it")
                child, parent = parent, self.facts.names.parent(parent)
            if home is None or home in seen:
                continue
            seen.add(home)
            for call in self.facts.calls.callers(home):
                caller = self.facts.function_of(call)
                if caller is not None and self.facts.regions.of(caller):
                    queue.append((call, caller))
        return None


def _own_names(statement: ast.stmt) -> Iterator[ast.Name]:
    """The names in the statement itself, not in the statements of its block."""
    stack: list[ast.AST] = [c for c in ast.iter_child_nodes(statement) if not isinstance(c, (ast.stmt, ast.ExceptHandler, ast.match_case))]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            yield node
        stack += list(ast.iter_child_nodes(node))


__all__ = ["Sink", "Sinks", "Source"]
