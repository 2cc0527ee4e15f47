"""Can this code run under `torch.compile`, and is it the function that is compiled itself?"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..craft.helpers import is_helper
from ..model import Evidence, Level
from ..trees import walk
from . import torch_api
from .classes import FunctionNode, is_attribute_of
from .conventions import FILE_MODULES, FILES, OUTSIDE, SCRIPTS, SHARED
from .flow import leaves
from .handed import handed_down
from .parameters import annotated_tensors

if TYPE_CHECKING:
    from .calls import Calls
    from .classes import Classes
    from .names import Names

COMPILE = frozenset({"torch.compile", "torch._dynamo.optimize"})
DISABLE = frozenset(
    {"torch.compiler.disable", "torch._dynamo.disable", "torch._disable_dynamo", "torch.jit.ignore", "torch.jit.unused"}
    | {"torch._dynamo.decorators.skip", "torch._dynamo.decorators.disable", "torch.compiler.assume_constant_result"}
    | {"torch._dynamo.assume_constant_result", "torch.compiler.allow_in_graph", "torch._dynamo.allow_in_graph"}
    | {"torch.library.custom_op", "torch.compiler.nonstrict_trace"}
)
SCRIPT = frozenset({"torch.jit.script", "torch.jit.script_method", "torch.jit.export", "torch.jit.script_if_tracing"})
COMPILING = frozenset(
    {"torch.compiler.is_compiling", "torch.compiler.is_dynamo_compiling", "torch._dynamo.is_compiling"}
    | {"torch.jit.is_scripting", "torch.jit.is_tracing", "torch.compiler.is_exporting"}
    | {"torch._dynamo.external_utils.is_compiling"}
)
GRAD_MODES = frozenset({"torch.no_grad", "torch.inference_mode", "torch.enable_grad", "torch.autograd.no_grad"})


@dataclass(frozen=True, slots=True)
class Region:
    """How a function meets the compiler.

    Attributes:
        evidence: may it run under `torch.compile`.
        entry: it may be the compiled function itself (nothing compiled in the file calls it).
        explicit: the file compiles it by name (decorator or call).
    """

    evidence: Evidence
    entry: bool = False
    explicit: bool = False

    def __bool__(self) -> bool:
        return self.evidence.holds


OUT = Region(Evidence(Level.UNKNOWN, "nothing says that it runs compiled"))


class Regions:
    """The compiled regions of one file.

    Args:
        names, classes, calls: facts of the file.
        ran: the functions that Dynamo compiled in recorded runs, and whether they were called from eager code.
        elsewhere: functions and classes that other files of the project compile.
    """

    def __init__(
        self,
        names: Names,
        classes: Classes,
        calls: Calls,
        ran: Mapping[str, bool] | None = None,
        elsewhere: Iterable[str] = (),
    ) -> None:
        self._names = names
        self._classes = classes
        self._calls = calls
        self._regions: dict[FunctionNode, Region] = {}
        self._known: dict[ast.AST | None, Region] = {}
        self._alone: dict[ast.AST, str | None] = {}
        self._following: dict[ast.AST, set[ast.AST]] = {}
        self._left_alone = {
            f
            for f in names.functions()
            if self._decorated(f, DISABLE | SCRIPT)
            or self._makes_op(f)
            or self._in_autograd_function(f)
            or any(is_helper(f, base) for base in ("_where_alike", "_where_each", "_update_if"))
        }
        self._leave_handed_over()
        self._leave_scripted()
        self._mark_compiled()
        for path in (f".{name}" for name in elsewhere):
            mark = self._mark_class if path in classes.by_path else self._mark_function
            mark(path, "another file of the project compiles it")
        self._mark_recorded(ran or {})
        self._mark_modules()
        self._mark_cores()
        self._mark_callees()
        self._mark_assumed()

    def of(self, function: ast.AST | None) -> Region:
        """The region of a function definition; nested functions and lambdas have that of their outermost function."""
        if function not in self._known:
            self._known[function] = self._of(function)
        return self._known[function]

    def _of(self, function: ast.AST | None) -> Region:
        outer: FunctionNode | None = None
        while function is not None:
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if function in self._left_alone:
                    return Region(Evidence(Level.NO, f"`{function.name}` is kept away from the compiler"))
                if function in self._regions and self._names.enclosing_function(function) is not None:
                    return self._regions[function]
                outer = function
            function = self._names.enclosing_function(function)
        return self._regions.get(outer, OUT) if outer is not None else OUT

    def left_alone(self, node: ast.AST) -> str | None:
        """Why code at `node` is not to be touched: it stands under an `is_compiling()` or TYPE_CHECKING test."""
        way: list[ast.AST] = []
        here: ast.AST | None = node
        while here is not None and here not in self._alone:
            way.append(here)
            here = self._names.parent(here)
        because = self._alone[here] if here is not None else None
        for child in reversed(way):
            because = self._alone[child] = self._alone_within(child) or because
        return because

    def _alone_within(self, child: ast.AST) -> str | None:
        """The same, as far as the node right around it says so."""
        parent = self._names.parent(child)
        if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            if self.tells_compiled(parent.test):
                return "its author already tells compiled from eager code here"
            if handed_down(parent, child, self._names, self._calls):
                return "all callers in sight hand it down"
            if self._names.qualified(parent.test) in ("typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING"):
                return "it never runs"
        if isinstance(parent, ast.BoolOp) and child is not parent.values[0] and self.asks_compiling(parent.values[0]):
            return "its author already tells compiled from eager code here"
        if isinstance(child, ast.stmt) and parent is not None and child in self._after_leaving(parent):
            return "its author already tells compiled from eager code here"
        return None

    def _after_leaving(self, parent: ast.AST) -> set[ast.AST]:
        """The statements right below a node that follow one of `_leaves_when_compiled`."""
        if parent not in self._following:
            found = self._following[parent] = set()
            for body in (getattr(parent, "body", None), getattr(parent, "orelse", None)):
                statements = body if isinstance(body, list) else []
                first = next((i for i, s in enumerate(statements) if self._leaves_when_compiled(s)), len(statements))
                found.update(statements[first + 1 :])
        return self._following[parent]

    def _leaves_when_compiled(self, statement: ast.stmt) -> bool:
        """`if torch.compiler.is_compiling(): return …`: what follows is for eager code, or the other way round."""
        return isinstance(statement, ast.If) and leaves(statement.body) and self.tells_compiled(statement.test)

    def asks_compiling(self, node: ast.AST) -> bool:
        """True for `torch.compiler.is_compiling()` itself."""
        return isinstance(node, ast.Call) and self._names.qualified(node.func) in COMPILING

    def tells_compiled(self, root: ast.AST) -> bool:
        """True for code that asks it: its author has seen to what the compiler meets."""
        return any(map(self.asks_compiling, walk(root)))

    def _leave_handed_over(self) -> None:
        """`disable(f)` where nothing else calls `f`, and the methods of classes that are disabled or scripted."""
        for info in self._classes.by_node.values():
            if self._decorated(info.node, DISABLE | SCRIPT):
                self._left_alone |= set(info.methods.values())
        for call in self._names.nodes(ast.Call):
            if self._names.qualified(call.func) in DISABLE:
                for given in call.args:
                    target = self._calls.resolve(given)
                    if target is not None and not self._calls.callers(target.function):
                        self._left_alone.add(target.function)

    def _leave_scripted(self) -> None:
        """What TorchScript compiles, with all that it calls: it takes less of Python than eager code does."""
        queue = [f for f in self._names.functions() if self._decorated(f, SCRIPT)]
        for call in self._names.nodes(ast.Call):
            if self._names.qualified(call.func) in SCRIPT and call.args:
                target = self._calls.resolve(call.args[0])
                queue += [target.function] if target is not None else []
        while queue:
            function = queue.pop()
            self._left_alone.add(function)
            queue += [t.function for _, t in self._calls.callees(function) if t.function not in self._left_alone]

    def _decorated(self, function: FunctionNode | ast.ClassDef, kinds: frozenset[str]) -> bool:
        return any(self._names_one_of(d, kinds) for d in function.decorator_list)

    def _names_one_of(self, expr: ast.expr, kinds: frozenset[str]) -> bool:
        """`kind`, `kind(…)` and `partial(kind, …)`."""
        if isinstance(expr, ast.Call):
            if self._names.qualified(expr.func) == "functools.partial":
                return bool(expr.args) and self._names_one_of(expr.args[0], kinds)
            return self._names_one_of(expr.func, kinds)
        value = self._names.single_value(expr) if isinstance(expr, ast.Name) else None
        if isinstance(value, ast.Call) and self._names.qualified(value.func) == "functools.partial":
            return self._names_one_of(value, kinds)
        return self._names.qualified(expr) in kinds

    def _makes_op(self, function: FunctionNode) -> bool:
        """True for the body of an op, also where a decorator of the file registers it."""
        for d in function.decorator_list:
            path = self._names.qualified(d.func if isinstance(d, ast.Call) else d) or ""
            maker = self._names.definition(path) if path.startswith(".") else None
            calls = [n.func for n in walk(maker) if isinstance(n, ast.Call)] if maker is not None else []
            if any(self._names.qualified(c) == "torch.library.custom_op" for c in calls):
                return True
        return False

    def _in_autograd_function(self, function: FunctionNode) -> bool:
        info = self._classes.of_function(function)
        return info is not None and any(b == "torch.autograd.Function" for c in info.lineage() for b in c.base_names)

    def _mark_compiled(self) -> None:
        for function in self._names.functions():
            if self._decorated(function, COMPILE):
                self._mark(function, Region(Evidence(Level.PROVED, "it is decorated with `torch.compile`"), True, True))
        for info in self._classes.by_node.values():
            if self._decorated(info.node, COMPILE):
                self._mark_class(info.path, "its class is decorated with `torch.compile`")
        for call in self._names.nodes(ast.Call):
            if self._names_one_of(call.func, COMPILE) and call.args:
                self._mark_argument(call.args[0], call)
            elif isinstance(call.func, ast.Attribute) and call.func.attr == "compile" and not call.args:
                held = self._calls.instance(call.func.value)
                if held is not None and held.is_module:
                    self._mark_class(held.path, f"`.compile()` on line {call.lineno}")

    def _mark_recorded(self, ran: Mapping[str, bool]) -> None:
        for function in self._names.functions():
            root = ran.get(self._names.path(function).lstrip("."))
            if root is not None and function not in self._left_alone:
                self._mark(function, Region(Evidence(Level.OBSERVED, "Dynamo compiled it in a recorded run"), root))

    def _mark_argument(self, given: ast.expr, call: ast.Call) -> None:
        because = f"`torch.compile` on line {call.lineno}"
        path = self._names.qualified(given) or ""
        if self._mark_function(path, because):
            return
        info = self._calls.instance(given)
        if info is not None:
            self._mark_class(info.path, because)
        elif isinstance(given, ast.Attribute) and (held := self._calls.instance(given.value)) is not None:
            method = held.method(given.attr)
            if method is not None:
                self._mark(method, Region(Evidence(Level.PROVED, because), True, True))

    def _mark_function(self, path: str, because: str) -> bool:
        """Mark the function of a path; False where the file has none."""
        function = next((f for f in self._names.functions() if self._names.path(f) == path), None)
        if function is not None:
            self._mark(function, Region(Evidence(Level.PROVED, because), True, True))
        return function is not None

    def _mark_class(self, path: str, because: str) -> None:
        method = self._classes.by_path[path].method("forward")
        if method is not None:
            self._mark(method, Region(Evidence(Level.PROVED, because), True, True))

    def _mark(self, function: FunctionNode, region: Region) -> None:
        known = self._regions.get(function)
        if known is None or (region.explicit and not known.explicit):
            self._regions[function] = region

    def _mark_modules(self) -> None:
        contained = self._contained_classes()
        for info in self._classes.by_node.values():
            forward = info.methods.get("forward")
            if info.is_module and forward is not None and forward not in self._left_alone:
                entry = info.path not in contained
                self._mark(forward, Region(Evidence(Level.ASSUMED, f"`{info.node.name}` is a torch.nn.Module"), entry))

    def _contained_classes(self) -> set[str]:
        """Module classes that another class of the file constructs, or that a subclass of the file extends."""
        found: set[str] = set()
        for call in self._names.nodes(ast.Call):
            path = self._names.qualified(call.func) or ""
            home = self._classes.owner(call)
            if path in self._classes.by_path and home is not None and home[0].path != path:
                found.add(path)
        # A table of classes (`{"eager": Attention, …}[kind](…)`) constructs what it names.
        for node in self._names.nodes(ast.Dict):
            found |= {p for v in node.values if (p := self._names.qualified(v) or "") in self._classes.by_path}
        return found

    def _mark_cores(self) -> None:
        """What a function calls that is kept away itself, but not what it calls: the outer part of an entry."""
        for function in self._left_alone:
            for _, target in self._calls.callees(function) if self.skipped_alone(function) else ():
                if target.function not in self._left_alone:
                    because = f"`{function.name}`, which is left out alone, calls it"
                    self._mark(target.function, Region(Evidence(Level.ASSUMED, because)))

    def skipped_alone(self, function: FunctionNode) -> bool:
        """True for a function that is left out of the graph while what it calls is not."""
        return any(self._skips_alone(d) for d in function.decorator_list)

    def _skips_alone(self, decorator: ast.expr) -> bool:
        head = decorator.func if isinstance(decorator, ast.Call) else decorator
        if self._names.qualified(head) == "torch._dynamo.decorators.skip":
            return True
        keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
        return self._names.qualified(head) in DISABLE and any(
            k.arg == "recursive" and isinstance(k.value, ast.Constant) and k.value.value is False for k in keywords
        )

    def _mark_callees(self) -> None:
        queue = list(self._regions)
        while queue:
            function = queue.pop()
            region = self._regions[function]
            for callee in self._reached(function):
                if callee in self._left_alone or callee is function:
                    continue
                known = self._regions.get(callee)
                if known is None or (known.entry and not known.explicit):
                    level = region.evidence.level
                    self._regions[callee] = Region(Evidence(level, f"`{function.name}` calls it"), False)
                    if known is None:
                        queue.append(callee)

    def _reached(self, function: FunctionNode) -> list[FunctionNode]:
        """The functions of the file that a function calls, with the overrides of its methods in subclasses."""
        found = [t.function for _, t in self._calls.callees(function)]
        owner = self._classes.owner(function.body[0])
        below = self._classes.subclasses(owner[0]) if owner is not None else []
        for node in walk(function) if below else ():
            if owner is not None and isinstance(node, ast.Call) and is_attribute_of(node.func, owner[1]):
                found += [c.methods[node.func.attr] for c in below if node.func.attr in c.methods]
        return found

    def _mark_assumed(self) -> None:
        """Functions that nothing compiled calls, yet that compute with torch: any of them may be compiled by a user."""
        known = {f for f in self._regions if self._regions[f].explicit} | self._left_alone
        candidates = [
            f
            for f in self._names.functions()
            if f not in self._regions and f not in self._left_alone and self._works_with_torch(f)
        ]
        # What calls a compiled function of the file, and what only eager functions call, runs outside.
        candidates = [
            f
            for f in candidates
            if not any(t.function in known and t.function not in self._left_alone for _, t in self._calls.callees(f))
        ]
        homes = {f: {self._home(c) for c in self._calls.callers(f)} for f in candidates}
        candidates = [f for f in candidates if not homes[f] or not homes[f] <= self._left_alone]
        among = set(candidates)
        for function in candidates:
            homes_of = (self._home(c) for c in self._calls.callers(function))
            called = [home for home in homes_of if home is not function and home in among]
            entry = not called and not self._overrides(function)
            self._regions[function] = Region(Evidence(Level.ASSUMED, "it computes with torch"), entry)
        self._mark_callees()

    def _overrides(self, function: FunctionNode) -> bool:
        """A method of a class with bases: whoever holds the base's interface calls it, compiled or not."""
        info = self._classes.of_function(function)
        return info is not None and any(n != "builtins.object" for c in info.lineage() for n in c.base_names)

    def _home(self, node: ast.AST) -> ast.AST | None:
        home = self._names.enclosing_function(node)
        while home is not None and not isinstance(home, (ast.FunctionDef, ast.AsyncFunctionDef)):
            home = self._names.enclosing_function(home)
        return home

    def _works_with_torch(self, function: FunctionNode) -> bool:
        info = self._classes.of_function(function)
        outside = function.name in OUTSIDE and function.name != "__init__"  # other objects are made within a graph too
        if info is not None and (outside or info.is_module):
            return False  # what a module's forward reaches is marked already
        if self._names.enclosing_function(function) is not None or function.name.startswith(SCRIPTS):
            return False
        computes, tensors = False, annotated_tensors(function, self._names)
        for node in walk(function):
            if not isinstance(node, ast.Call):
                computes |= isinstance(node, ast.Subscript) and getattr(node.value, "id", None) in tensors
                continue
            name = self._names.qualified(node.func) or ""
            if name in FILES or name.startswith(FILE_MODULES):
                return False
            if isinstance(node.func, ast.Attribute):
                if node.func.attr in ("backward", "zero_grad", "parse_args", "from_pretrained", "load_state_dict"):
                    return False
                own = not name or name.startswith((".", "torch."))
                method = own and node.func.attr not in SHARED and not self._from_numpy(node.func)
                computes |= method and torch_api.computes(torch_api.method(node.func.attr))
            computes |= name.startswith("torch.") and torch_api.computes(torch_api.function(name))
        return computes

    def _from_numpy(self, called: ast.expr) -> bool:
        """`np.sum(a)`, `np.argmin(a).item()`."""
        while isinstance(called, (ast.Attribute, ast.Call)):
            if (self._names.qualified(called) or "").startswith("numpy."):
                return True
            called = called.func if isinstance(called, ast.Call) else called.value
        return False
