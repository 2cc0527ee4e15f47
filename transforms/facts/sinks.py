"""Statements without outputs: log records, warnings and prints, and whether they may become ops."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..model import Evidence, Level, NoFix
from ..trees import walk
from .classes import FunctionNode
from .flow import walk_scope
from .passing import Param, Passing
from .predicates import holds_tensor
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

LEVELS = frozenset({"debug", "info", "warning", "warn", "error", "critical", "fatal", "log"})
ONCE = frozenset({"warning_once", "info_once", "warn_once", "debug_once", "error_once"})
_LOGGER_NAMES = frozenset({"logger", "log", "LOG", "LOGGER", "_logger", "_LOGGER", "_log", "LOGGING"})
_LOGGER_MAKERS = ("logging.getLogger", "logging.get_logger", "init_logger")
_LOADERS = (
    "load",
    "save",
    "convert",
    "export",
    "download",
    "build",
    "_load",
    "_save",
    "_convert",
    "from_",
    "to_",
    "read",
    "write",
)
# What is done around a model, not in it.
_OUTSIDE = frozenset(
    {
        "eval",
        "train",
        "state_dict",
        "load_state_dict",
        "save_pretrained",
        "from_pretrained",
        "save",
        "parse_args",
        "backward",
    }
)
_STREAMS = ("sys.stderr", "sys.stdout", "sys.__stderr__", "sys.__stdout__")


NEEDS_TORCH = (2, 10)  # the first release that keeps an op which returns nothing in its place in a graph


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
    needs_torch: ClassVar[tuple[int, int]] = NEEDS_TORCH


@dataclass(frozen=True, slots=True)
class Once:
    """A once-logger's call: the name of the logger and its method."""

    node: ast.Expr
    logger: str
    method: str


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
        if self.facts.helpers.in_sink(node):
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
            modules = (
                [a.name for a in s.names]
                if isinstance(s, ast.Import)
                else [s.module or ""]
                if isinstance(s, ast.ImportFrom) and not s.level
                else []
            )
            if any(m.partition(".")[0] == "torch" for m in modules):
                return True
        return False

    # -- what a call is ------------------------------------------------------------------------------------------------
    def kind(self, call: ast.Call) -> str | None:
        """ "log", "once", "warn", "print" or None."""
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
        if (
            owner is None
            or not isinstance(base, ast.Attribute)
            or not isinstance(base.value, ast.Name)
            or base.value.id != owner[1]
        ):
            return None
        values = owner[0].attribute(base.attr)
        if len(values) != 1 or owner[0].is_rebound(base.attr) or not isinstance(values[0], ast.Call):
            return None
        made = values[0]
        constant = all(
            isinstance(a, ast.Constant) or (isinstance(a, ast.Name) and a.id == "__name__") for a in made.args
        )
        known = (self.facts.names.qualified(made.func) or "").endswith(_LOGGER_MAKERS)
        return made if known and constant and not made.keywords else None

    def effects(self, body: Sequence[ast.stmt]) -> list[str] | None:
        """The kinds of the statements where all of them only write to the outside, else None."""
        found = [
            self.kind(s.value) if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) else None for s in body
        ]
        return [k for k in found if k is not None] if found and all(found) and "once" not in found else None

    def reads(self, test: ast.expr) -> bool:
        """True where deciding the condition reads a tensor on the host."""
        return holds_tensor(test, self.facts) or bool(self.facts.effects.of([test]).reads)

    def asks_level(self, test: ast.expr) -> bool:
        """True for a condition on a logger's level."""
        return any(
            isinstance(n, ast.Attribute)
            and n.attr in ("isEnabledFor", "getEffectiveLevel", "level")
            and self.logger(n.value)
            for n in walk(test)
        )

    def conditional(self, node: ast.If) -> list[str] | None:
        """The kinds of effects of an `if` on a tensor or a logger's level around effects alone: it becomes one op."""
        if node.orelse or not (self.reads(node.test) or self.asks_level(node.test)):
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
                elif isinstance(call.func.value, ast.Name) and not self.of_module(call.func.value):
                    return NoFix(f"`{call.func.value.id}` is no name of the module")
            wanted += [(e, lazy, shown) for e, shown in self._arguments(call)]
        refused = passing.read(wanted)
        if refused is not None:
            return refused
        changes: tuple[str, ...] = ()
        if passing.shown:
            changes = (f"output: compiled code shows `{passing.shown[0]}` without its grad_fn",)
        first = calls[0]
        assert isinstance(first, ast.Call)
        leveled = any(self.kind(c) != "print" for c in calls if isinstance(c, ast.Call))
        return Sink(
            node, self._name(first), tuple(passing.params), tuple(passing.replaced.items()), changes, level, leveled
        )

    def once(self, node: ast.Expr) -> Once | NoFix:
        """The plan for a once-logger, whose arguments Dynamo must know while tracing."""
        call = node.value
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        if not isinstance(call.func.value, ast.Name) or not self.of_module(call.func.value):
            return NoFix("its logger is no name of the module")
        for n in walk(call):
            if isinstance(n, ast.expr) and self.facts.kinds.of(n).is_tensor and not self._metadata(n):
                return NoFix(f"`{ast.unparse(n)}` is a tensor, and the record is made while tracing")
            unpacked = isinstance(n, ast.Starred) or (isinstance(n, ast.keyword) and n.arg is None)
            if unpacked or isinstance(n, (ast.NamedExpr, ast.Await, ast.Yield)):
                return NoFix("its arguments are unpacked or assigned")
        return Once(node, call.func.value.id, call.func.attr)

    def _metadata(self, node: ast.expr) -> bool:
        parent = self.facts.names.parent(node)
        return isinstance(parent, ast.Attribute) and parent.attr in ("shape", "dtype", "device", "ndim")

    def of_module(self, name: ast.Name) -> bool:
        """True for a name that means the same in a function of the module."""
        binding = self.facts.names.binding(name)
        return binding is not None and binding.scope.kind == "module"

    def _test(self, test: ast.expr, passing: Passing) -> NoFix | None:
        if self.reads(test):
            return passing.condition(test, "condition", "condition")
        return passing.read([(test, False, False)])

    def _keywords(self, call: ast.Call) -> NoFix | None:
        kind = self.kind(call)
        allowed = {
            "log": {"stacklevel", "extra", "msg"},
            "warn": {"message", "category", "stacklevel"},
            "print": {"sep", "end", "flush", "file"},
        }
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

    def _format(self, text: ast.Constant) -> bool:
        """True for the format specification in an f-string."""
        around = self.facts.names.parent(text)
        return isinstance(around, ast.JoinedStr) and isinstance(self.facts.names.parent(around), ast.FormattedValue)

    def _name(self, call: ast.Call) -> str:
        kind = self.kind(call) or "print"
        texts = [
            n.value
            for a in call.args
            for n in walk(a)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and not self._format(n)
        ]
        texts += [n.id for a in call.args for n in walk(a) if isinstance(n, ast.Name)]
        texts = [re.sub(r"%[-+ #0-9.]*[a-zA-Z]|\{[^}]*\}", " ", t) for t in texts]
        words: list[str] = []
        for word in (
            "".join(
                c if c.isalnum() and c.isascii() else " "
                for c in next((t for t in texts if any(c.isalpha() for c in t)), "")
            )
            .lower()
            .split()
        ):
            if not word.isdigit() and len(words) < 3:
                words.append(word)
        return "_".join(["", kind, *words]) if words else f"_{kind}_values" if call.args else f"_{kind}_line"

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
                if isinstance(parent, ast.Try) and (
                    child in parent.body or (parent.finalbody and child not in parent.finalbody)
                ):
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


__all__ = ["Once", "Sink", "Sinks", "Source"]
