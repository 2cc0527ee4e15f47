"""Every place in compiled code that ends a graph, also on paths that may not be taken, with what can be done about it.

`Breaks` tells what breaks for certain, for rules that act on it. A report wants more: what stands in an arm, a
comprehension or a lambda, and what is a tensor by the way it is used.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import Evidence, Finding, Level, NoFix
from ..trees import spelled, walk
from . import torch_api
from .bars import BARS
from .break_kinds import (
    BRANCH,
    COUNT,
    FUNCTION,
    GRADIENT,
    IMPORT,
    LIST,
    MATH,
    NUMPY,
    OUTSIDE,
    PROGRESS,
    RANDOM,
    READ,
    SHAPE,
    SORT,
    Kind,
)
from .classes import FunctionNode
from .draws import cuts
from .flow import walk_scope
from .operations import ITEM_QUESTIONS
from .parameters import used
from .regions import DISABLE
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

_MADE_ELSEWHERE = ("pickle.", "copyreg.", "sys._getframe", "inspect.stack", "inspect.currentframe")
_REDUCTIONS = frozenset({"sum", "mean", "max", "min", "std", "var", "norm", "any", "all", "median", "prod", "item"})
_CASTS = frozenset({"builtins.int", "builtins.float", "builtins.bool"})
_HOOKS = frozenset(
    {"register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook", "register_hook"}
)
_ROUNDING = frozenset(f"numpy.{name}" for name in ("ceil", "floor", "round", "rint", "sqrt", "log2"))
_PREDICATES = frozenset({"is_floating_point", "is_complex", "is_contiguous", "dim", "numel", "is_signed"})


@dataclass(frozen=True, slots=True)
class Site:
    """One place that ends a graph when it is reached."""

    node: ast.AST
    what: str
    kind: Kind
    evidence: Evidence

    @property
    def at(self) -> ast.AST:
        """What a report points at: the condition of a statement, else the node."""
        test: ast.AST = getattr(self.node, "test", self.node)
        return test

    @property
    def refusal(self) -> NoFix:
        """Why nothing is rewritten, and what to do instead."""
        return NoFix(self.kind.reason, self.kind.remedy)


class Sites:
    """The breaks of one file, certain or not."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._found: Sequence[Finding] | None = None
        self._named = frozenset[int]()

    @functools.cached_property
    def _heads(self) -> dict[int, int]:
        """For each line of a statement, or of the header of a compound one, the first line of that statement."""
        found: dict[int, int] = {}
        for node in walk(self._facts.source.tree):
            if isinstance(node, ast.stmt):
                body = getattr(node, "body", None)
                last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
                # Inner statements are met later and take their own lines.
                found.update(dict.fromkeys(range(node.lineno, max(last, node.lineno) + 1), node.lineno))
        return found

    def unnamed(self, function: FunctionNode, found: Sequence[Finding], silent: Collection[str]) -> Iterator[Site]:
        """One site per statement that none of the findings stands on; those of the codes `silent` name none."""
        if self._found is not found:
            self._found = found
            self._named = frozenset(self._heads.get(f.line, f.line) for f in found if f.code not in silent)
        told = set[int]()
        for site in self.of(function):
            line: int = site.at.lineno  # type: ignore[attr-defined]
            head = self._heads.get(line, line)
            if head not in told and head not in self._named:
                told.add(head)
                yield site

    def of(self, function: FunctionNode) -> Iterator[Site]:
        """The sites in the function's own code, its lambdas and comprehensions included."""
        region = self._watched(function)
        if not region.holds:
            return
        for node in self._own(function):
            found = self._site(node)
            if found is None or (self._facts.regions.left_alone(node) and not self._in_op(function)):
                continue
            yield found

    def _own(self, function: FunctionNode) -> Iterator[ast.AST]:
        for node in walk_scope(*function.body):
            if isinstance(node, ast.Lambda):
                yield from walk_scope(node.body)
            yield node

    # -- where Dynamo looks --------------------------------------------------------------------------------------------
    def _watched(self, function: FunctionNode) -> Evidence:
        """Whether the function may run under `torch.compile`, as code that Dynamo traces."""
        if self._in_op(function):
            return Evidence(Level.ASSUMED, "Dynamo traces the forward of an autograd function")
        region = self._facts.regions.of(function).evidence
        if region.level is Level.ASSUMED and self._facts.regions.of(function).entry and not _takes_arguments(function):
            return Evidence(Level.UNKNOWN, "it makes something: who compiles it has arguments to give")
        return region if region.level is not Level.UNKNOWN else self._hooked(function) or region

    def _in_op(self, function: FunctionNode) -> bool:
        info = self._facts.classes.of_function(function)
        bases = {b for c in info.lineage() for b in c.base_names} if info is not None else set()
        kept = any(self._facts.names.qualified(d) in DISABLE for d in function.decorator_list)
        return "torch.autograd.Function" in bases and function.name == "forward" and not kept

    def _hooked(self, function: FunctionNode) -> Evidence | None:
        """Whether the function is a hook of a module, or makes one: hooks run within the module's call."""
        made = self._facts.names.enclosing_function(function)
        for f in (function, made):
            if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef)) and f.name in self._hooks:
                return Evidence(Level.ASSUMED, f"it is a hook of a module (line {self._hooks[f.name]})")
        return None

    @functools.cached_property
    def _hooks(self) -> dict[str, int]:
        """The names of functions and methods that are registered as hooks, or whose results are, with the line."""
        found: dict[str, int] = {}
        for call in self._facts.names.nodes(ast.Call):
            if isinstance(call.func, ast.Attribute) and call.func.attr in _HOOKS and call.args:
                given = call.args[0].func if isinstance(call.args[0], ast.Call) else call.args[0]
                name = given.attr if isinstance(given, ast.Attribute) else getattr(given, "id", "")
                found.setdefault(name, call.lineno)
        return found

    # -- what breaks ---------------------------------------------------------------------------------------------------
    def _site(self, node: ast.AST) -> Site | None:
        match node:
            case ast.If() | ast.While() | ast.IfExp() | ast.Assert() | ast.BoolOp() | ast.UnaryOp():
                return self._decision(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Import() | ast.ImportFrom():
                return (
                    self._site_of(node, "an import inside of a function", IMPORT, Level.ASSUMED)
                    if (self._optional(node))
                    else None
                )
            case ast.Call():
                return self._call(node)
        return None

    def _site_of(self, node: ast.AST, what: str, kind: Kind, level: Level, because: str = "") -> Site:
        return Site(node, what, kind, Evidence(level, because))

    def _decision(self, node: ast.AST) -> Site | None:
        what = self._facts.breaks.what(node)
        if what is not None and "random number" in what:
            return self._site_of(node, what, RANDOM, Level.ASSUMED)
        if what is not None:
            return self._site_of(node, what, BRANCH, Level.ASSUMED, "it is used as a tensor")
        if not isinstance(node, (ast.If, ast.While, ast.IfExp)):
            return None
        tests = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
        compared = [e for t in tests if isinstance(t, ast.Compare) for e in (t.left, *t.comparators)]
        if any(isinstance(e, ast.Name) and self._cast(e) for e in compared):
            text = f"`{spelled(node.test)}` decides on the value of a tensor"
            return self._site_of(node, text, BRANCH, Level.ASSUMED, "a number is read out of it")
        bare = node.test if isinstance(node.test, ast.Attribute) and node.test.attr in _PREDICATES else None
        if bare is not None and self._facts.kinds.of(bare.value).is_tensor:
            return self._site_of(node, f"`{spelled(bare)}` is a method, not called", FUNCTION, Level.PROVED)
        return None

    def _optional(self, node: ast.Import | ast.ImportFrom) -> bool:
        """An import that may fail: its failure is handled where it stands."""
        around = self._facts.names.parent(node)
        return isinstance(around, ast.Try) and node in around.body

    def _subscript(self, node: ast.Subscript) -> Site | None:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if self.masks(node):
            return self._site_of(node, f"`{spelled(node)}` picks elements by a mask", SHAPE, Level.ASSUMED)
        bounds = [b for p in parts if isinstance(p, ast.Slice) for b in (p.lower, p.upper, p.step) if b is not None]
        if any(self._facts.kinds.of(b).is_tensor for b in bounds):
            return self._site_of(node, f"`{spelled(node)}` is cut at the value of a tensor", READ, Level.ASSUMED)
        return None

    def masks(self, node: ast.Subscript) -> bool:
        """True where the subscript picks elements of a tensor, or of what may be an array, by a mask."""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        known = self._facts.kinds.of(node.value).tag in (Tag.TENSOR, Tag.UNKNOWN)
        return known and isinstance(node.ctx, ast.Load) and any(self._mask(p, node.value) for p in parts)

    def _mask(self, index: ast.expr, base: ast.expr) -> bool:
        value = self._facts.kinds.of(index)
        if value.is_tensor:
            return value.dtype == ("bool",)
        return (
            isinstance(index, ast.Compare)
            and spelled(index.left) == spelled(base)
            and isinstance(index.ops[0], (ast.Lt, ast.Gt, ast.LtE, ast.GtE, ast.Eq, ast.NotEq))
        )

    def _call(self, call: ast.Call) -> Site | None:
        what = self._facts.breaks.what(call)
        qualified = self._facts.names.qualified(call.func) or ""
        head = f"`{spelled(call.func)}(…)`"
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if cuts(call, self._facts):
            return self._site_of(call, f"{head} draws a random number in Python", RANDOM, Level.PROVED)
        if qualified in BARS:
            return self._site_of(call, f"{head} shows progress", PROGRESS, Level.PROVED)
        if qualified.startswith(_MADE_ELSEWHERE):
            return self._site_of(call, f"{head} can not be traced", OUTSIDE, Level.PROVED)
        if self._demands_gradient(call, qualified, method):
            return self._site_of(call, f"{head} decides about gradients", GRADIENT, Level.ASSUMED)
        if self._counted_by_numpy(call, qualified, method):
            return self._site_of(call, f"`{spelled(call)}` computes with numpy", NUMPY, Level.ASSUMED)
        if what is not None:
            return self._site_of(call, what, self._kind(qualified, method), Level.PROVED)
        return self._likely(call, qualified, method)

    def _demands_gradient(self, call: ast.Call, qualified: str, method: str) -> bool:
        """`t.requires_grad_()` and `torch.zeros(…, requires_grad=flag)`."""
        if method == "requires_grad_" and isinstance(call.func, ast.Attribute):
            off = any(isinstance(a, ast.Constant) and a.value is False for a in call.args)
            return not off and self._facts.kinds.of(call.func.value).is_tensor
        asked = [k.value for k in call.keywords if k.arg == "requires_grad"]
        off = any(isinstance(v, ast.Constant) and v.value is False for v in asked)
        return bool(asked) and not off and torch_api.function(qualified) is not None

    def _kind(self, qualified: str, method: str) -> Kind:
        op = torch_api.function(qualified) if qualified.startswith("torch.") else torch_api.method(method)
        if qualified == "builtins.sorted":
            return SORT
        if qualified.startswith("math."):
            return MATH
        if "bincount" in (method, qualified.rpartition(".")[2]):
            return COUNT
        if op is not None and op.value_shape:
            return SHAPE
        if method == "tolist":
            return LIST
        reads = qualified in _CASTS or qualified in ITEM_QUESTIONS or (op is not None and op.reads)
        return READ if reads else OUTSIDE

    def likely(self, call: ast.Call) -> bool:
        """True where the call reads a tensor if what it is given is one, as its use says; else it does no harm."""
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        return self._likely(call, self._facts.names.qualified(call.func) or "", method) is not None

    def _likely(self, call: ast.Call, qualified: str, method: str) -> Site | None:
        """What reads a tensor if it is one, by its use."""
        if method in ("item", "tolist") and not call.args and isinstance(call.func, ast.Attribute):
            of = self._facts.kinds.of(call.func.value)
            if of.tag is Tag.UNKNOWN:
                head, because = f"`{spelled(call)}` reads a tensor", f"`.{method}()` is called on it"
                return self._site_of(call, head, READ if method == "item" else LIST, Level.ASSUMED, because)
        counts = call.args[1:] if qualified.startswith("torch.") else call.args
        told = any(k.arg == "output_size" for k in call.keywords)
        if method == "repeat_interleave" and counts and not told and self._seems_tensor(counts[0]):
            head = f"`{spelled(call.func)}(…)` has a shape that depends on values"
            return self._site_of(call, head, SHAPE, Level.ASSUMED, "the counts are used as a tensor")
        given = call.args[0] if qualified in _CASTS and len(call.args) == 1 else None
        if given is not None and (self._seems_tensor(given) or (isinstance(given, ast.Name) and self._cast(given))):
            head = f"`{spelled(call)}` reads a tensor"
            return self._site_of(call, head, READ, Level.ASSUMED, "it is used as a tensor")
        return None

    def _counted_by_numpy(self, call: ast.Call, qualified: str, method: str) -> bool:
        """`int(np.prod(x.shape))`, `np.linspace(0, n, k).tolist()`: what numpy makes of Python numbers is read back."""
        if qualified != "builtins.int" and method not in ("tolist", "item"):
            return False
        made = [n for n in walk(call) if isinstance(n, ast.Call) and n is not call]
        of = [n for n in made if (self._facts.names.qualified(n.func) or "").startswith("numpy.")]
        if not of or self._facts.names.qualified(of[0].func) in _ROUNDING:
            return False
        return all(self._facts.kinds.of(a).tag in (Tag.HOST, Tag.SEQUENCE) for a in of[0].args)

    def _seems_tensor(self, e: ast.expr) -> bool:
        value = self._facts.kinds.of(e)
        if value.tag is not Tag.UNKNOWN:
            return value.is_tensor
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute):
            return e.func.attr in _REDUCTIONS
        function = self._facts.function_of(e)
        if not isinstance(e, ast.Name) or function is None:
            return False
        return used(e.id, function, self._facts).is_tensor or self._meets_tensor(e.id, function)

    def _meets_tensor(self, name: str, function: FunctionNode) -> bool:
        """True where the parameter is None by default and else computed with: what it meets may be a tensor."""
        if name not in self._without(function, default=None):
            return False
        for node in walk(function):
            if isinstance(node, ast.BinOp):
                for e, other in ((node.left, node.right), (node.right, node.left)):
                    arms = [e.body, e.orelse] if isinstance(e, ast.IfExp) else [e]
                    named = any(isinstance(a, ast.Name) and a.id == name for a in arms)
                    if named and self._facts.kinds.of(other).tag in (Tag.TENSOR, Tag.UNKNOWN):
                        return True
        return False

    def _without(self, function: FunctionNode, default: object) -> set[str]:
        """The parameters that have no annotation and this constant as default; `...` for none at all."""
        given = function.args
        places = [*given.posonlyargs, *given.args]
        defaults: list[ast.expr | None] = [None] * (len(places) - len(given.defaults)) + list(given.defaults)
        pairs = [*zip(places, defaults, strict=True), *zip(given.kwonlyargs, given.kw_defaults, strict=True)]
        return {
            p.arg
            for p, d in pairs
            if p.annotation is None
            and (d is None if default is ... else isinstance(d, ast.Constant) and d.value is default)
        }

    def _cast(self, e: ast.Name) -> bool:
        """True for a parameter that the function makes a number of, though nothing says that it is none."""
        function = self._facts.function_of(e)
        if (
            function is None
            or self._facts.kinds.of(e).tag is not Tag.UNKNOWN
            or e.id not in self._without(function, ...)
        ):
            return False
        return any(
            isinstance(n, ast.Call)
            and self._facts.names.qualified(n.func) == "builtins.float"
            and len(n.args) == 1
            and isinstance(n.args[0], ast.Name)
            and n.args[0].id == e.id
            for n in walk(function)
        )


def _takes_arguments(function: FunctionNode) -> bool:
    given = function.args
    return bool(given.posonlyargs or given.args or given.kwonlyargs or given.vararg or given.kwarg)


__all__ = ["Site", "Sites"]
