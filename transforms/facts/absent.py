"""Questions about tensors whose answer is known where optional inputs are absent."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..trees import walk
from .classes import FunctionNode
from .fills import ABSENT, filled
from .flow import walk_scope
from .parameters import defaults
from .predicates import unwrapped

if TYPE_CHECKING:
    from . import Facts

_ANSWERS = frozenset({"any", "all"})
_CHOICES = 60  # of absent inputs, which are tried out


@dataclass(frozen=True, slots=True)
class Answer:
    """A question that need not be asked.

    Attributes:
        question: the expression that reads a tensor, in `asker`.
        asker: the function that asks.
        outcome: the answer where the inputs are absent.
        inputs: the parameters of `entry` that are absent then.
        entry: the function that has them; the asker itself, or one that calls it.
        call: the call of the asker in the entry and its parameter with the tensor, None where they are the same.
        assumed: what a method of another file does is taken for known.
    """

    question: ast.expr
    asker: FunctionNode
    outcome: bool
    inputs: tuple[str, ...]
    entry: FunctionNode
    call: tuple[ast.Call, str] | None
    assumed: bool


def answers(function: FunctionNode, facts: Facts) -> Iterator[Answer]:
    """The questions of one function whose answers are known, for the fewest absent inputs."""
    questions = list(_questions(function, facts))
    if not questions:
        return
    done: set[int] = set()
    for entry, call in [(function, None), *_callers(function, facts)]:
        for absent in itertools.islice(_choices(entry), _CHOICES):
            run = filled(entry, dict.fromkeys(absent, ABSENT), facts)
            assumed, place = run.assumed, None
            if call is not None:
                given = {n: run.at.get(id(e)) for n, e in _given(call, function).items()}
                tensors = [n for n, v in given.items() if isinstance(v, frozenset)]
                if not tensors:
                    continue
                run, place = filled(function, given, facts), (call, tensors[0])
                assumed |= run.assumed
            for question in questions:
                found = run.at.get(id(_asked(question, facts)))
                if isinstance(found, frozenset) and len(found) == 1 and id(question) not in done:
                    done.add(id(question))
                    yield Answer(question, function, bool(min(found)), absent, entry, place, assumed)


def _questions(function: FunctionNode, facts: Facts) -> Iterator[ast.expr]:
    """`x.any().item()`, `bool(x.all())`, and such tensors as conditions."""
    for node in walk_scope(*function.body):
        if not isinstance(node, (ast.If, ast.IfExp, ast.Call)):
            continue
        test = node if isinstance(node, ast.Call) else node.test
        bare = _asked(test, facts)
        asks = isinstance(bare, ast.Call) and isinstance(bare.func, ast.Attribute) and bare.func.attr in _ANSWERS
        asks = asks and not getattr(bare, "args", None) and not getattr(bare, "keywords", None)
        if not asks or (bare is test and test is node):
            continue
        above = facts.names.parent(test)
        if isinstance(above, ast.IfExp) and above.orelse is test and isinstance(above.test, ast.Name):
            continue  # asked only where an input is given already
        if not facts.regions.left_alone(test):
            yield test


def _asked(test: ast.expr, facts: Facts) -> ast.expr:
    return unwrapped(test, facts)


def _choices(entry: FunctionNode) -> Iterator[tuple[str, ...]]:
    """One or two parameters that may be None, and that the function asks for."""
    optional = [n for n, d in defaults(entry).items() if isinstance(d, ast.Constant) and d.value is None]
    asked = {
        n.left.id
        for n in walk(entry)
        if isinstance(n, ast.Compare) and isinstance(n.ops[0], (ast.Is, ast.IsNot)) and isinstance(n.left, ast.Name)
    }
    names = [n for n in optional if n in asked]
    yield from ((n,) for n in names)
    yield from itertools.combinations(names, 2)


def _callers(function: FunctionNode, facts: Facts) -> Iterator[tuple[FunctionNode, ast.Call]]:
    """The calls in sight."""
    for call in facts.calls.callers(function):
        entry, target = facts.function_of(call), facts.calls.target(call)
        if entry is None or entry is function or target is None or not target.plain:
            continue
        if not any(isinstance(a, ast.Starred) for a in call.args) and facts.regions.of(entry):
            yield entry, call


def _given(call: ast.Call, function: FunctionNode) -> dict[str, ast.expr]:
    """The arguments of a call by parameter."""
    positional = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
    names = positional[1:] if positional[:1] == ["self"] else positional
    return dict(zip(names, call.args, strict=False)) | {k.arg: k.value for k in call.keywords if k.arg}
