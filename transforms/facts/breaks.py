"""What breaks the graph for certain, and what of it stays when the rules that know a cure have done their work.

Each kind was tried inside a loop on torch 2.13 (rewrite facts, section 5): there one break makes Dynamo skip the frame.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import Finding, Safety
from ..trees import children, spelled, walk
from . import torch_api
from .calls import Target
from .classes import ClassInfo, FunctionNode, is_attribute_of
from .constants import UNDECIDED, decide
from .flow import leaves, walk_scope
from .operations import asks_items
from .regions import DISABLE
from .values import Tag, category

if TYPE_CHECKING:
    from . import Facts

Values = Mapping[str, object]

# These rules work around a break that stays. They ask which ones stay, so they are not asked for a cure.
WORKAROUNDS = frozenset({"TR105", "TR304", "TR401", "TR402"})

_BUILTINS = frozenset({"print", "open", "input", "breakpoint"})
_OF_TENSORS = frozenset({"int", "float", "bool", "complex", "any", "all", "str", "repr", "sorted", "range"})
_CALLS = (
    *("time.", "datetime.", "logging.", "warnings.warn", "sys.stdout.", "sys.stderr.", "subprocess.", "uuid."),
    *("json.dump", "numpy.random.", "torch.save", "torch.load", "torch.manual_seed", "torch._dynamo.graph_break"),
    *("traceback.", "os.path.exists", "os.system", "random.random", "random.choice", "random.shuffle", "random.sample"),
    "random.gauss",
)
TRACED_RANDOM = frozenset({"random.uniform", "random.randint", "random.randrange"})  # deciding on one breaks
_MATH = ("math.floor", "math.ceil", "math.exp", "math.log", "math.sqrt")
_LOG_METHODS = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "log", "isEnabledFor"})
# They copy to the host, and Dynamo traces them all the same; a mask is looked at by its own kind of node.
_TRACED = frozenset({"cpu", "numpy", "__array__", "__getitem__", "__format__", "index", "storage"})
_DISABLED = frozenset(q for q in DISABLE if q.rpartition(".")[2] in ("disable", "skip", "_disable_dynamo"))
# Below any other decorator the body may run in another way, such as inside an operator.
_TRANSPARENT = frozenset({"builtins.staticmethod", "builtins.classmethod", "torch.compile", "torch.no_grad"})
_TRANSPARENT |= {"torch.inference_mode", "torch.enable_grad"}
_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Break:
    """A place where the graph breaks for certain when it is reached.

    Attributes:
        node: the expression or statement, maybe in a function that is called from where was asked.
        what: what it does, in words.
        inner: it stands in a function that is called, a frame of its own when the caller's is skipped.
    """

    node: ast.AST
    what: str
    inner: bool = False


class Breaks:
    """The certain breaks of one file."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._told: dict[ast.AST, str | None] = {}
        self._cured: dict[FunctionNode, list[Finding]] = {}
        self._sought: set[FunctionNode] = set()
        self._active: list[FunctionNode] = []

    def certain(self, nodes: Sequence[ast.AST], values: Sequence[Values] = ()) -> list[Break]:
        """The breaks that running the nodes meets.

        An arm under a Python condition counts where some of `values` (of names, one mapping per trip) decides for it.
        """
        found: list[Break] = []
        for node in self._evaluated(nodes, values):
            what = self.what(node)
            if what is not None:
                found.append(Break(node, what))
            elif isinstance(node, ast.Call):
                found += self._called(node)
            elif isinstance(node, ast.For):
                found += self.iterating(node.iter)
        return found

    def iterating(self, iterable: ast.expr) -> list[Break]:
        """The breaks in the `__iter__` of an object that the expression constructs, met in each trip of a loop."""
        made = self._facts.calls.instance(iterable) or self._made(iterable)
        method = made.method("__iter__") if made is not None else None
        if method is None or not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk_scope(*method.body)):
            return []
        return [Break(iterable, f"{b.what} in `__iter__`", True) for b in self.certain(method.body)]

    def _made(self, iterable: ast.expr) -> ClassInfo | None:
        if not isinstance(iterable, ast.Call):
            return None
        return self._facts.classes.by_path.get(self._facts.names.qualified(iterable.func) or "")

    def remaining(self, nodes: Sequence[ast.AST], values: Sequence[Values] = ()) -> list[Break]:
        """The certain breaks for which no rule but the workarounds has a fix."""
        return [b for b in self.certain(nodes, values) if not self._curable(b.node)]

    def incurable(self, function: FunctionNode, but: str) -> list[Break]:
        """The certain breaks of a function for which no rule has a fix, the workarounds and the rule `but` aside."""
        cures = self._found(function, WORKAROUNDS | {but})
        return [b for b in self.certain(function.body) if not self._covered(b.node, cures)]

    def stays(self, node: ast.AST) -> bool:
        """True where evaluating this node breaks the graph, and no rule but the workarounds has a fix for it."""
        return self.what(node) is not None and not self._curable(node)

    # -- which nodes are evaluated -------------------------------------------------------------------------------------
    def _evaluated(self, nodes: Sequence[ast.AST], values: Sequence[Values]) -> Iterator[ast.AST]:
        """The nodes that are evaluated for certain, in no comprehension, nested function or undecided arm."""
        for node in nodes:
            yield node
            yield from self._evaluated(self._children(node, values), values)
            if isinstance(node, ast.If) and leaves(node.body) and self._facts.regions.asks_compiling(node.test):
                return  # what follows runs outside of compiled code only

    def _children(self, node: ast.AST, values: Sequence[Values]) -> list[ast.AST]:
        match node:
            case ast.If() | ast.IfExp():
                return [node.test, *self._arms(node, values)]
            case ast.BoolOp():
                return [*self._asked(node)]
            case ast.Compare():
                return [node.left, node.comparators[0]]
            case ast.Try():
                return [*node.body, *node.finalbody]
            case ast.For():
                return [node.iter, *node.body]
            case ast.While():
                return [node.test, *node.body]
            case ast.Match():
                return [node.subject]
            case ast.Raise():
                return []
            case ast.Assert():
                return [node.test]
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return [node.generators[0].iter]
            case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return []
        return list(children(node))

    def _asked(self, test: ast.BoolOp) -> list[ast.expr]:
        """The operands that are evaluated for certain, in training that is."""
        trains = isinstance(test.op, ast.And) and isinstance(test.values[0], ast.Attribute)
        return test.values[: 2 if trains and test.values[0].attr == "training" else 1]  # type: ignore[attr-defined]

    def _arms(self, node: ast.If | ast.IfExp, values: Sequence[Values]) -> list[ast.AST]:
        decided = {bool(v) for env in values if (v := decide(node.test, self._facts, env)) is not UNDECIDED}
        taken: list[ast.AST] = []
        for holds, arm in ((True, node.body), (False, node.orelse)):
            if holds in decided:
                taken += arm if isinstance(arm, list) else [arm]
        return taken

    # -- what breaks ---------------------------------------------------------------------------------------------------
    def what(self, node: ast.AST) -> str | None:
        """What the node itself does that ends the graph, in words; None where it is not known to."""
        if node not in self._told:
            self._told[node] = self._what(node)
        return self._told[node]

    def _what(self, node: ast.AST) -> str | None:
        match node:
            case ast.If() | ast.While() | ast.IfExp():
                return self._truth(node.test) or self._chance(node.test)
            case ast.Assert():
                literal = node.msg is None or isinstance(node.msg, ast.Constant)
                return None if literal else self._truth(node.test)
            case ast.BoolOp() if not self._facts.regions.asks_compiling(node.values[0]):
                return next((w for v in node.values[:-1] if (w := self._truth(v))), None)
            case ast.UnaryOp(op=ast.Not()):
                return self._truth(node.operand)
            case ast.Subscript(ctx=ast.Load()):
                return f"`{spelled(node)}` picks elements by a mask" if self._masked(node) else None
            case ast.Call():
                return self._call(node)
        return None

    def _masked(self, node: ast.Subscript) -> bool:
        """True for indexing of a tensor by a bool tensor, in this very node."""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        values = [self._facts.kinds.of(p) for p in parts]
        return self._facts.kinds.of(node.value).is_tensor and any(
            v.is_tensor and category(v.dtype) == "bool" for v in values
        )

    def _truth(self, test: ast.expr) -> str | None:
        if isinstance(test, (ast.BoolOp, ast.UnaryOp)):
            return None  # told at the operand that is a tensor
        value = self._facts.kinds.of(test)
        return (
            f"`{spelled(test)}` decides on the value of a tensor"
            if value.tag is Tag.TENSOR and not value.optional
            else None
        )

    def _chance(self, test: ast.expr) -> str | None:
        asked = self._asked(test) if isinstance(test, ast.BoolOp) else [test]
        sides = [e for t in asked if isinstance(t, ast.Compare) for e in (t.left, *t.comparators)]
        return f"`{spelled(test)}` decides on a random number of Python" if any(map(self.drawn, sides)) else None

    def drawn(self, e: ast.expr) -> bool:
        """True for a number that Dynamo lets Python draw, by its call or by its name."""
        if isinstance(e, ast.Call):
            return self._facts.names.qualified(e.func) in TRACED_RANDOM
        value = self._facts.names.single_value(e) if isinstance(e, ast.Name) else None
        return isinstance(value, ast.Call) and self.drawn(value)

    def _call(self, call: ast.Call) -> str | None:
        qualified = self._facts.names.qualified(call.func)
        text = f"`{spelled(call.func)}(…)`"
        if qualified is not None and qualified.startswith("builtins."):
            name = qualified.removeprefix("builtins.")
            given = bool(call.args) and self._facts.kinds.of(call.args[0]).tag is Tag.TENSOR
            given = given or asks_items(qualified, call, self._facts)
            return text if name in _BUILTINS else f"{text} reads a tensor" if name in _OF_TENSORS and given else None
        if qualified is not None and not qualified.startswith("."):
            if qualified.startswith(_MATH):
                return (
                    f"{text} reads a tensor"
                    if call.args and self._facts.kinds.of(call.args[0]).tag is Tag.TENSOR
                    else None
                )
            return text if qualified.startswith(_CALLS) else self._operation(torch_api.function(qualified), call, 3)
        if isinstance(call.func, ast.Attribute) and self._facts.calls.target(call) is None:
            base = self._facts.kinds.of(call.func.value)
            if call.func.attr in ("write", "flush") and self._is_stream(call.func.value):
                return text
            if base.tag is Tag.LOGGER:
                return text if call.func.attr in _LOG_METHODS else None
            if base.tag is Tag.TENSOR:
                return self._operation(torch_api.method(call.func.attr), call, 2)
        return None

    def _is_stream(self, expr: ast.expr) -> bool:
        """True for an attribute that `__init__` sets to `sys.stdout` or `sys.stderr`, if nothing else is given."""
        owner = self._facts.classes.owner(expr)
        values = owner[0].attribute(expr.attr) if owner is not None and is_attribute_of(expr, owner[1]) else []
        streams = ("sys.stdout", "sys.stderr")
        parts = [n for v in values for n in walk(v) if isinstance(n, ast.Attribute)]
        return any(self._facts.names.qualified(n) in streams for n in parts)

    def _operation(self, op: torch_api.Op | None, call: ast.Call, full: int) -> str | None:
        if op is None or op.name.rpartition(".")[2] in _TRACED:
            return None
        if op.name.endswith("one_hot") and len(call.args) + len(call.keywords) > 1:
            return None
        if op.name.endswith("where") and len(call.args) + len(call.keywords) >= full:
            return None
        if op.value_shape:
            given = self._facts.effects.given(op, call)
            if not given.value_shape or given.value_shape_perhaps:
                return None
            return f"`{spelled(call.func)}(…)` has a shape that depends on values"
        return f"`{spelled(call.func)}(…)` reads a tensor" if op.reads else None

    def target(self, call: ast.Call) -> Target | None:
        """The function of the file that the call runs, also through the variable of a loop over layers."""
        return self._facts.calls.target(call) or self._facts.calls.element(call)

    # -- functions that are called -------------------------------------------------------------------------------------
    def _called(self, call: ast.Call) -> list[Break]:
        target = self.target(call)
        if target is None or target.function.name == "__init__" or isinstance(target.function, ast.AsyncFunctionDef):
            return []
        function = target.function
        if any(self._decorator(d) in _DISABLED for d in function.decorator_list):
            return [Break(call, f"`{spelled(call.func)}(…)` is kept away from the compiler")]
        if (
            self._facts.regions.of(function).evidence.level.value == "no"
            or function in self._active
            or len(self._active) >= _DEPTH
        ):
            return []
        if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk_scope(*function.body)):
            return []
        if any(self._decorator(d) not in _TRANSPARENT for d in function.decorator_list):
            return []
        self._active.append(function)
        try:
            inner = self.certain(function.body)
        finally:
            self._active.pop()
        return [Break(b.node, f"{b.what} in `{function.name}`" if not b.inner else b.what, True) for b in inner]

    def _decorator(self, decorator: ast.expr) -> str | None:
        head = decorator.func if isinstance(decorator, ast.Call) else decorator
        return self._facts.names.qualified(head)

    # -- what other rules cure -----------------------------------------------------------------------------------------
    def cures(self, node: ast.stmt, certain: bool = False) -> list[Finding]:
        """The fixes that other rules have within the statement; with `certain`, those that every run makes."""
        function, span = self._facts.function_of(node), self._facts.source.span(node)
        found = self._cures(function) if function is not None else []
        inside = [f for f in found if span.start <= f.span.start and f.span.end <= span.end]
        return [f for f in inside if not certain or (f.safety is Safety.SAFE and f.evidence.certain)]

    def _curable(self, node: ast.AST) -> bool:
        function = self._facts.function_of(node)
        if function is None:
            return False
        return self._covered(node, self._cures(function))

    def _covered(self, node: ast.AST, cures: Sequence[Finding]) -> bool:
        own = self._facts.source.span(
            node.test if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)) else node
        )
        spans = [f.span for f in cures]
        return any(
            (s.start <= own.start and own.end <= s.end) or (own.start <= s.start and s.end <= own.end) for s in spans
        )

    def _cures(self, function: FunctionNode) -> list[Finding]:
        """What other rules have a fix for in the function, whether selected or not."""
        if function in self._sought:
            self._facts.unsettled += 1
            return []
        if function not in self._cured:
            self._sought.add(function)
            self._cured[function] = self._found(function, WORKAROUNDS)
            self._sought.discard(function)
        return self._cured[function]

    def cured_otherwise(self, node: ast.AST, but: str) -> bool:
        """True where a rule other than the workarounds and `but` has a safe fix at this very node."""
        from ..rule import registry

        asked = [
            r for c, r in registry().items() if c not in WORKAROUNDS | {but} and type(node) in r.nodes and not r.last
        ]
        return any(f.fixable and f.safety is Safety.SAFE for r in asked for f in self._facts.findings(r, node))

    def _found(self, function: FunctionNode, without: frozenset[str]) -> list[Finding]:
        from ..rule import registry

        asked = [r for code, r in registry().items() if code not in without and not r.last]
        found = [
            finding
            for node in [function, *walk_scope(*function.body)]
            for rule in asked
            if type(node) in rule.nodes
            for finding in self._facts.findings(rule, node)
        ]
        return [f for f in found if f.fixable and f.safety is not Safety.DISPLAY]
