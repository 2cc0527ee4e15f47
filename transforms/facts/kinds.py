"""Is this expression a tensor, a host value, a module: an abstract interpreter over one function at a time."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..model import Evidence, Level
from ..trees import children, ids, types, walk
from .classes import FunctionNode
from .evaluate import Evaluator
from .flow import TryStar, binds, leaves, own_jumps
from .parameters import annotated, start, used
from .values import DISAGREEING, ELSEWHERE, NOTHING, UNKNOWN, Symbol, Tag, Value, earlier, join, replace

if TYPE_CHECKING:
    from . import Facts

Env = dict[str, Value]
MAX_DEPTH = 3
MAX_ROUNDS = 6  # of a loop body, until what it leaves behind is what it began with


class Kinds:
    """The value of every expression of the file, computed function by function."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._runs: dict[FunctionNode, Run] = {}
        self._loose: dict[int, Value] = {}
        self._returns: dict[tuple[FunctionNode, tuple[tuple[str, Value], ...]], Value] = {}
        self._active: list[FunctionNode] = []

    def of(self, expr: ast.expr) -> Value:
        """What the expression is where it stands, after everything that happens before it."""
        function = self._outermost(expr)
        if function is None:
            if id(expr) not in self._loose:
                self._loose[id(expr)] = Evaluator(self._facts, self._loose, set()).of(expr, {})
            return self._loose[id(expr)]
        return self.run(function).values.get(id(expr), UNKNOWN)

    def glance(self, expr: ast.expr, env: Mapping[str, Value]) -> Value:
        """What the expression is where the names have these values, whatever happens before it."""
        return Evaluator(self._facts, {}, set()).of(expr, dict(env))

    def before(self, statement: ast.stmt) -> Mapping[str, Value]:
        """The values of all local names where the statement begins."""
        function = self._facts.function_of(statement)
        return self.run(function).before.get(id(statement), {}) if function is not None else {}

    def floats(self, function: FunctionNode, branch: ast.AST | None = None) -> frozenset[Symbol]:
        """The dtype symbols that operations need to be floating which run in every call, or with the branch."""
        run = self.run(function)
        return run.floats_at.get(id(branch), frozenset()) | run.floats

    def is_tensor(self, expr: ast.expr) -> Evidence:
        """Whether the expression is a tensor, with the reason."""
        value = self.of(expr)
        if value.tag is Tag.TENSOR:
            return value.evidence
        if value.tag is Tag.UNKNOWN:
            return Evidence(Level.UNKNOWN, value.because)
        return Evidence(Level.NO, f"it is a {value.tag.value} value")

    def run(self, function: FunctionNode) -> Run:
        """The interpretation of a function with what is known of its own parameters."""
        if function not in self._runs:
            run = self._runs[function] = Run(self._facts, function)
            self._active.append(function)
            try:
                run.execute(start(function, self._facts))
            finally:
                self._active.pop()
        return self._runs[function]

    def returned(self, function: FunctionNode, env: Mapping[str, Value]) -> Value:
        """What the function returns when its parameters have these values; unknown beyond a depth of 3 calls."""
        key = (function, tuple(env.items()))
        if key in self._returns:
            return self._returns[key]
        if function in self._active or len(self._active) >= MAX_DEPTH or isinstance(function, ast.AsyncFunctionDef):
            return UNKNOWN
        self._active.append(function)
        try:
            run = Run(self._facts, function)
            run.execute({**{n: _apart(n, v, function) for n, v in start(function, self._facts).items()}, **env})
            found = run.result()
        finally:
            self._active.pop()
        silent = found.tag is Tag.UNKNOWN and found.because != DISAGREEING and not run.yields
        claimed = annotated(function.returns, self._facts) if silent else None
        if claimed is not None:
            found = replace(claimed, roots=found.roots | {ELSEWHERE}, deps=found.deps | {ELSEWHERE})
        self._returns[key] = found
        return found

    def _outermost(self, node: ast.AST) -> FunctionNode | None:
        return self._facts.function_of(node)


class Run:
    """One interpretation of a function body.

    Attributes:
        values: the value of each expression evaluated, by the node's id.
        before: the environment before each statement, by the statement's id.
        ends: the environments at the end of the two arms of each `if`, by its id; None for an arm that leaves.
        floats: dtype symbols known to be floating because an operation needs it that runs in every call.
        yields: whether it is a generator.
        floats_at: those known where an `if` has been run, by its id; an arm that leaves says nothing.
    """

    def __init__(self, facts: Facts, function: FunctionNode) -> None:
        self.function = function
        self.values: dict[int, Value] = {}
        self.before: dict[int, Env] = {}
        self.ends: dict[int, tuple[Env | None, Env | None]] = {}
        self.floats: set[Symbol] = set()
        self._returned: list[Value] = []
        self.yields = not types(function).isdisjoint((ast.Yield, ast.YieldFrom))
        self.floats_at: dict[int, frozenset[Symbol]] = {}
        self._exits: list[set[Symbol]] = []  # what is known to be floating at each return
        self._evaluator = Evaluator(facts, self.values, self.floats, function)
        self._control: list[frozenset[str]] = []

    def execute(self, env: Env) -> None:
        """Interpret the body from the given parameters."""
        for name in self._evaluator.shared & set(env):
            env[name] = UNKNOWN
        end = self._block(self.function.body, env)
        if end is not None:
            self._returned.append(Value(Tag.NONE))
            self._exits.append(set(self.floats))
        self._floating(set.intersection(*self._exits) if self._exits else set())

    def result(self) -> Value:
        """The join of all values returned."""
        if self.yields or not self._returned:
            return UNKNOWN
        found = self._returned[0]
        for i, value in enumerate(self._returned[1:]):
            found = join(found, value, ("return", id(self.function), i))
        return found

    def _block(self, body: Sequence[ast.stmt], env: Env) -> Env | None:
        """The environment after the block, None where its end is never reached."""
        current: Env | None = env
        for statement in body:
            if current is None:
                current = dict(env)  # dead code still wants values
                dead = True
            else:
                dead = False
            known = self.before.get(id(statement))
            self.before[id(statement)] = (
                dict(current) if known is None else self._join(known, current, ("in", id(statement)))
            )
            after = self._statement(statement, current)
            current = None if dead else after
        return current

    def _join(self, a: Env | None, b: Env | None, merge: Symbol, deps: frozenset[str] = NOTHING) -> Env:
        if a is None or b is None:
            return dict(b or a or {})
        out: Env = {}
        for name in {**a, **b}:
            if name in a and name in b:
                joined = join(a[name], b[name], (*merge, name))
                out[name] = joined if a[name] == b[name] else joined.depending(deps)
            else:
                # Bound on one path only: reading it says that the path was taken.
                out[name] = (a.get(name) or b[name]).depending(deps)
        return out

    def _statement(self, s: ast.stmt, env: Env) -> Env | None:
        ev = self._evaluator
        match s:
            case ast.Return():
                value = ev.of(s.value, env) if s.value else Value(Tag.NONE)
                self._returned.append(value.depending(frozenset().union(*self._control)))
                self._exits.append(set(self.floats))
                return None
            case ast.Raise() | ast.Break() | ast.Continue():
                self._simple(s, env)
                return None
            case ast.If():
                return self._if(s, env)
            case ast.For() | ast.AsyncFor():
                element = ev.element(ev.of(s.iter, env), s.iter)
                return self._loop(s, env, lambda inner: ev.bind(s.target, element, inner))
            case ast.While():
                return self._loop(s, env, lambda inner: ev.of(s.test, inner))
            case ast.With() | ast.AsyncWith():
                return self._with(s, env)
            case ast.Try() | TryStar():
                return self._try(s, env)
            case ast.Match():
                return self._match(s, env)
        self._simple(s, env)
        return env

    def _simple(self, s: ast.stmt, env: Env) -> None:
        """A statement that leads to the next one."""
        ev = self._evaluator
        match s:
            case ast.Assign():
                value = self._by_use(s, ev.of(s.value, env))
                for target in s.targets:
                    ev.bind(target, value, env)
            case ast.AnnAssign():
                if s.value is not None:
                    ev.bind(s.target, ev.of(s.value, env), env)
            case ast.AugAssign():
                ev.augment(s, env)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                env[s.name] = Value(Tag.CALLABLE)
            case ast.Import() | ast.ImportFrom():
                for alias in s.names:
                    env[(alias.asname or alias.name).partition(".")[0]] = UNKNOWN
            case ast.Delete():
                self._delete(s, env)
            case _:
                for child in children(s):
                    if isinstance(child, ast.expr):
                        ev.of(child, env)

    def _delete(self, s: ast.Delete, env: Env) -> None:
        for target in s.targets:
            if isinstance(target, ast.Name):
                env.pop(target.id, None)
            else:
                self._evaluator.bind(target, UNKNOWN, env)

    def _with(self, s: ast.With | ast.AsyncWith, env: Env) -> Env | None:
        for item in s.items:
            value = self._evaluator.of(item.context_expr, env)
            if item.optional_vars is not None:
                self._evaluator.bind(item.optional_vars, replace(UNKNOWN, deps=value.deps | {ELSEWHERE}), env)
        if all(self._lets_through(i.context_expr) for i in s.items):
            return self._block(s.body, env)
        # Other contexts may swallow an exception, after any of the statements.
        start_env = dict(env)
        with self._evaluator.perhaps():
            end = self._block(s.body, env)
        for i, state in enumerate(self._states(s.body)):
            start_env = self._join(start_env, state, ("with", id(s), i), frozenset({ELSEWHERE}))
        return self._join(start_env, end, ("with", id(s)))

    def _lets_through(self, context: ast.expr) -> bool:
        """True for a context manager that swallows no exception: of torch, a file, or a lock."""
        call = context.func if isinstance(context, ast.Call) else context
        qualified = self._evaluator.facts.names.qualified(call) or ""
        return qualified.startswith("torch.") or qualified in ("builtins.open", "contextlib.nullcontext")

    def _states(self, body: Sequence[ast.stmt]) -> list[Env]:
        """The environments before each statement of a block, those inside of it included."""
        nodes = (n for t in body for n in walk(t))
        return [self.before[id(n)] for n in nodes if isinstance(n, ast.stmt) and id(n) in self.before]

    def _by_use(self, s: ast.Assign, value: Value) -> Value:
        """What arithmetic on unknown operands gives, by what is done with its result."""
        target = s.targets[0]
        if value.tag is not Tag.UNKNOWN or not isinstance(s.value, ast.BinOp) or not isinstance(target, ast.Name):
            return value
        found = used(target.id, self.function, self._evaluator.facts)
        if not found.is_tensor:
            return value
        made = ("node", id(s.value))
        return Value(Tag.TENSOR, Level.ASSUMED, found.because, dtype=made, shape=made, deps=value.deps)

    def _if(self, s: ast.If, env: Env) -> Env | None:
        test = self._evaluator.of(s.test, env)
        narrowed_in, narrowed_out = self._evaluator.narrow(s.test, env)
        self._control.append(test.deps)
        known = set(self.floats)
        then = self._block(s.body, narrowed_in)
        floats_then = set(self.floats)
        self._floating(known)
        other = self._block(s.orelse, narrowed_out)
        self.floats_at[id(s)] = frozenset(floats_then & self.floats)
        self._floating(self.floats if then is None else floats_then if other is None else floats_then & self.floats)
        self._control.pop()
        self.ends[id(s)] = (dict(then) if then is not None else None, dict(other) if other is not None else None)
        if then is None and other is None:
            return None
        if then is None or other is None:
            # What follows runs on one side only; later returns depend on the test.
            if ast.Return in types(s):
                self._control.insert(0, test.deps)
            return then if other is None else other
        return self._join(then, other, ("if", id(s)), test.deps)

    def _loop(self, s: ast.For | ast.AsyncFor | ast.While, env: Env, enter: object) -> Env | None:
        assert callable(enter)
        before = dict(env)
        inside = ids(s)
        for _ in range(MAX_ROUNDS):
            inner = dict(before)
            known = dict(before)
            control = self.values.get(id(s.test if isinstance(s, ast.While) else s.iter), UNKNOWN).deps
            self._control.append(control)
            with self._evaluator.perhaps():
                enter(inner)
                after = self._block(s.body, inner)
            self._control.pop()
            jumps = [self.before[id(n)] for n in own_jumps(s.body) if id(n) in self.before]
            for state in [after, *jumps]:
                if state is not None:
                    aged = {k: v if v == env.get(k) else earlier(v, id(s), inside) for k, v in state.items()}
                    before = self._join(before, aged, ("loop", id(s)), control)
            if before == known:
                break
        else:
            before |= dict.fromkeys(binds(s), UNKNOWN)
            self._block(s.body, dict(before))
        if isinstance(s, ast.While):
            self._evaluator.of(s.test, before)
        out = self._block(s.orelse, dict(before)) if s.orelse else before
        return self._join(out, before, ("else", id(s)))

    def _floating(self, known: set[Symbol]) -> None:
        self.floats.intersection_update(known)
        self.floats.update(known)

    def _try(self, s: ast.Try, env: Env) -> Env | None:
        caught = dict(env)
        with self._evaluator.perhaps() if s.handlers else contextlib.nullcontext():
            body = self._block(s.body, env)
        for i, state in enumerate(self._states(s.body)):
            caught = self._join(caught, state, ("try", id(s), i))
        if body is not None:
            caught = self._join(caught, body, ("try", id(s)))
        with self._evaluator.perhaps():
            ends: list[Env | None] = [self._block(s.orelse, dict(body)) if body is not None and s.orelse else body]
        for handler in s.handlers:
            inner = dict(caught)
            if handler.name:
                inner[handler.name] = UNKNOWN
            with self._evaluator.perhaps():
                end = self._block(handler.body, inner)
            if end is not None and handler.name:
                end.pop(handler.name, None)
            ends.append(end)
        live = [e for e in ends if e is not None]
        out: Env | None = None
        for i, state in enumerate(live):
            out = state if out is None else self._join(out, state, ("caught", id(s), i), frozenset({ELSEWHERE}))
        if s.finalbody:
            # It runs after a return or an exception as well, from wherever that was.
            anywhere = caught
            for i, state in enumerate(self._states([*s.orelse, *(t for h in s.handlers for t in h.body)])):
                anywhere = self._join(anywhere, state, ("finally", id(s), i))
            final = self._block(s.finalbody, self._join(anywhere, out, ("finally", id(s))))
            if out is None or final is None:
                return None
            return {**out, **{n: final[n] for n in binds(*s.finalbody) if n in final}}
        return out

    def _match(self, s: ast.Match, env: Env) -> Env | None:
        subject = self._evaluator.of(s.subject, env)
        out: Env | None = dict(env)
        for i, case in enumerate(s.cases):
            inner = dict(env)
            for node in walk(case.pattern):
                for name in (getattr(node, "name", None), getattr(node, "rest", None)):
                    if isinstance(name, str):
                        inner[name] = replace(UNKNOWN, deps=subject.deps | {ELSEWHERE})
            with self._evaluator.perhaps():
                if case.guard is not None:
                    self._evaluator.of(case.guard, inner)
                end = self._block(case.body, inner)
            if end is not None:
                out = self._join(out, end, ("case", id(s), i), subject.deps)
        return out


def _apart(name: str, value: Value, function: FunctionNode) -> Value:
    """A parameter of a function that was called, where nothing is known of what was given for it."""
    if "self" in value.roots:
        return value
    made = ("node", id(function), name)
    known = value.dtype if value.dtype != ("of", name) else made
    return replace(value, dtype=known, shape=made, roots=frozenset({ELSEWHERE}), deps=frozenset({ELSEWHERE}))


__all__ = ["Kinds", "Run", "leaves"]
