"""From one call that works to a few that run more of the code: each call kept takes steps that none before it took."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .explore import Attempt, Explorer, Outcome, Plan, Step
from .inputs import state_numbers
from .menu import Constants
from .specs import ManySpec, NamedSpec, PlainSpec, Spec, TensorSpec, plain, variants
from .targets import owner

_MAX_KEPT = 8
_PAIRS = 150
_REPAIRS = 80
_MAX_REPEATS = 6


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls on one object, in order.

    Attributes:
        build: the expression of the callable.
        calls: the expressions of the (args, kwargs) pairs; those that raise on purpose come last.
        steps, lines: what they run.
    """

    build: str
    calls: tuple[str, ...]
    steps: frozenset[Step]
    lines: frozenset[int]


def enriched(
    explorer: Explorer,
    plan: Plan,
    attempt: Attempt,
    outcome: Outcome,
    constants: Constants,
    given: Sequence[str] = (),
) -> Calls:
    """Calls that together run as much of the code as was found in the time.

    Args:
        explorer: runs calls on the original.
        plan, attempt, outcome: a call that works.
        constants: what the text compares with.
        given: the calls to begin with, whose outcome it is; that of the attempt by default.
    """
    build = plan.build_text(attempt)
    seen: list[float | int] = []
    explorer.run(build, [], lambda function: seen.extend(state_numbers(owner(function))))
    constants = Constants(tuple(dict.fromkeys((*constants.numbers, *seen))), constants.texts)
    kept, raising = list(given) or [plan.call_spec(attempt).text], list[str]()
    steps, lines = set(outcome.steps), set(outcome.lines)
    most = _MAX_KEPT + len(given)

    def consider(text: str) -> bool:
        found = explorer.run(build, [*kept, text])
        if found.steps <= steps or (found.error is not None and not found.deliberate):
            return False
        steps.update(found.steps)
        lines.update(found.lines)
        (raising if found.error is not None else kept).append(text)
        return True

    singles = list(_singles(plan, attempt, constants))
    for single in itertools.chain(singles, _pairs(plan, constants, singles)):
        if explorer.late or len(kept) + len(raising) >= most:
            break
        consider(plan.call_spec(single).text)
    for fuller in _optional(explorer, plan, attempt):
        if len(kept) + len(raising) < most + 2:
            consider(plan.call_spec(fuller).text)
    for _ in range(_MAX_REPEATS):
        if explorer.late or not consider(kept[0]):
            break
    # The same call on other numbers shows state that the first one left.
    other = plan.call_spec(_reseeded(attempt)).text
    if explorer.run(build, [*kept, other]).error is None:
        kept.append(other)
    return Calls(build, (*kept, *raising), frozenset(steps), frozenset(lines))


def _singles(plan: Plan, attempt: Attempt, constants: Constants) -> Iterator[Attempt]:
    """Each argument changed by itself, in turn, and the numbers of all tensors at once."""
    rows: list[Iterable[Attempt]] = [_together(attempt)]
    options = {guess.name: guess.options for guess in plan.calling}
    for guess in plan.calling:
        key = ("call", guess.name)
        spec = attempt.spec(key)
        if spec is None:
            rows.append(attempt.with_each(key, options[guess.name][:6]))
        else:
            changed = [*_changed(spec, constants), *options[guess.name][:4]]
            rows.append(attempt.with_each(key, changed))
            if not guess.required:
                rows.append([attempt.with_spec(key, None)])
    return (item for turn in itertools.zip_longest(*rows) for item in turn if item not in (None, attempt))


def _optional(explorer: Explorer, plan: Plan, attempt: Attempt) -> Iterator[Attempt]:
    """Each argument that was left out, given as far as one that works is found soon."""
    for guess in plan.calling:
        key = ("call", guess.name)
        if attempt.spec(key) is None and guess.options and not explorer.late:
            found, outcome = explorer.find(plan, attempt.with_spec(key, guess.options[0]), _REPAIRS, {key})
            if outcome.error is None:
                yield found


def _pairs(plan: Plan, constants: Constants, singles: list[Attempt]) -> Iterator[Attempt]:
    """Two changes at a time, drawn from the single ones."""
    draws = random.Random(0)
    if not singles:
        return
    for _ in range(_PAIRS):
        first = draws.choice(singles)
        further = list(itertools.islice(_singles(plan, first, constants), 200))
        if further:
            yield draws.choice(further)


def _together(attempt: Attempt) -> Iterator[Attempt]:
    for change in (
        lambda t: replace(t, scale=t.scale * 9.0) if t.is_float else t,
        lambda t: replace(t, scale=t.scale * 0.05) if t.is_float else t,
        lambda t: replace(t, draw="constant", shift=0.0),
        lambda t: replace(t, draw="uniform", shift=0.1) if t.is_float else t,
        lambda t: replace(t, draw="uniform", scale=-1.0, shift=-0.1) if t.is_float else t,
        lambda t: replace(t, draw="constant", shift=1.0),
        lambda t: replace(t, shape=(1, *t.shape[1:])) if t.shape else t,
        lambda t: replace(t, shape=(t.shape[0] + 1, *t.shape[1:])) if t.shape else t,
        lambda t: replace(t, shape=(*t.shape[:-2], *(s + 1 for s in t.shape[-2:]))) if len(t.shape) > 2 else t,
        lambda t: replace(t, shape=(*t.shape[:-2], *(s + 2 for s in t.shape[-2:]))) if len(t.shape) > 2 else t,
        lambda t: replace(t, shape=(0, *t.shape[1:])) if t.shape else t,
    ):
        yield _mapped(attempt, change)


def _mapped(attempt: Attempt, change: object) -> Attempt:
    for key in attempt.keys:
        spec = attempt.spec(key)
        if key[0] == "call" and spec is not None:
            attempt = attempt.with_spec(key, _everywhere(spec, change))
    return attempt


def _everywhere(spec: Spec, change: object) -> Spec:
    if isinstance(spec, TensorSpec):
        return change(spec)  # type: ignore[operator, no-any-return]  # a function of a tensor's spec
    if isinstance(spec, ManySpec):
        return replace(spec, items=tuple(_everywhere(item, change) for item in spec.items))
    if isinstance(spec, NamedSpec):
        return replace(spec, items=tuple((name, _everywhere(item, change)) for name, item in spec.items))
    return spec


def _reseeded(attempt: Attempt) -> Attempt:
    return _mapped(attempt, lambda t: replace(t, seed=t.seed + 7))


def _changed(spec: Spec, constants: Constants) -> Iterator[Spec]:
    yield from variants(spec, lambda t: _numbers(t, constants))
    if isinstance(spec, TensorSpec):
        yield from (replace(spec, shape=spec.shape[1:]), plain([0.5]))
    elif isinstance(spec, PlainSpec):
        yield from _plains(spec, constants)
    elif isinstance(spec, ManySpec):
        yield replace(spec, items=())
        yield replace(spec, items=spec.items[:-1])
        yield replace(spec, items=spec.items[::-1])
    elif not spec.maker:
        for index in range(len(spec.items)):
            yield replace(spec, items=spec.items[index : index + 1])
        yield ManySpec(tuple(item for _, item in spec.items), True)


def _numbers(spec: TensorSpec, constants: Constants) -> Iterator[Spec]:
    """Other values for one tensor."""
    numbers = [float(number) for number in constants.numbers]
    if spec.dtype == "bool":
        yield from (replace(spec, draw="constant", shift=value) for value in (0.0, 1.0))
        yield from (replace(spec, seed=seed, scale=scale) for seed, scale in ((1, 0.5), (2, 0.8), (3, 0.2)))
    elif spec.is_float:
        yield from (replace(spec, scale=spec.scale * factor) for factor in (9.0, 0.05, -1.0))
        yield from (replace(spec, draw="constant", shift=value) for value in (0.0, 1.0, -1.0))
        yield replace(spec, draw="uniform", shift=0.1)
        yield replace(spec, draw="uniform", scale=-1.0, shift=-0.1)
        yield from (replace(spec, draw="placed", shift=value) for value in (float("inf"), float("nan"), 0.0))
        yield from (
            replace(spec, draw="constant", shift=number + step) for number in numbers for step in (0.0, 0.5, -0.5)
        )
        yield from (replace(spec, seed=seed) for seed in (1, 2, 3))
    else:
        whole = [value for number in (*numbers, 0.0, 1.0, 2.0, 3.0) for value in (number, number + 1, number - 1)]
        inside = [value for value in dict.fromkeys(whole) if value == int(value) and abs(value) < 1000]
        yield from (replace(spec, draw="constant", shift=value) for value in inside)
        yield from (replace(spec, seed=seed) for seed in (1, 2, 3))
        yield replace(spec, scale=spec.scale + 3)
    if spec.shape:
        named = [int(n) + step for n in constants.numbers if n == int(n) and 0 < n <= 64 for step in (0, 1)]
        sizes = dict.fromkeys((1, 0, spec.shape[0] + 1, *named))
        yield from (replace(spec, shape=(size, *spec.shape[1:])) for size in sizes)


def _plains(spec: PlainSpec, constants: Constants) -> Iterator[Spec]:
    value = spec.value
    if isinstance(value, bool):
        yield plain(not value)
    elif isinstance(value, int):
        near = [int(n) + step for n in constants.numbers for step in (0, 1, -1) if abs(n) < 100]
        yield from (plain(v) for v in dict.fromkeys((value + 1, 0, 1, 2, 3, *near, -1)))
    elif isinstance(value, float):
        near_floats = [n + step for n in constants.numbers for step in (0.0, 0.5, -0.5)]
        yield from (plain(float(v)) for v in dict.fromkeys((value * 3, 0.0, 1.0, *near_floats, -value, 9.0)))
        yield TensorSpec((), draw="constant", shift=value)
    elif isinstance(value, str):
        yield from (plain(text) for text in constants.texts)
