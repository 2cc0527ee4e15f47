"""Variations aimed at the conditions of the text: on both sides of each comparison, and at the tie."""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import torch
from hypothesis import strategies as st
from hypothesis import target

from .changes import leaves
from .draws import CallDraw, Change, Draw, InapplicableError
from .generation import run_each
from .observe import Call, OutOfTime
from .targets import Target, TargetError

_PROBE = "__refactor_distance__"
_OPERATORS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_LEVELS = (-1e3, -30.0, -4.0, -1.0, -0.1, 0.0, 0.1, 1.0, 4.0, 30.0, 1e3)
_FACTORS = (-30.0, -1.0, 0.0, 0.03, 0.3, 1.0, 3.0, 30.0, 1e3)
_HALVINGS = 70
_MAX_LEAVES = 6

# Where a comparison stands (its number, and which of its elements), and how far its sides are apart.
Distances = dict[tuple[int, str], float]
Run = Callable[[Target, Draw], Any]


class Probe:
    """The original with each comparison recording how far its sides are apart.

    Args:
        target: the original.
        run: runs a target on a draw; what comes of it does not matter.
    """

    def __init__(self, target: Target, run: Run) -> None:
        self._distances: Distances = {}
        self._sides: dict[int, set[bool]] = {}
        self._run = run
        marker = _Marker()
        tree = ast.fix_missing_locations(marker.visit(ast.parse(target.text.removeprefix("\ufeff"))))
        self.sites = marker.sites
        self._target = Target(target.text, target.place, "old", tree, {_PROBE: self._compare})

    def distances(self, draw: Draw) -> Distances:
        """The distances on a draw, each of the first time that its comparison is met."""
        self._distances = {}
        try:
            self._run(self._target, draw)
        except (InapplicableError, TargetError, OutOfTime):
            return {}
        return self._distances

    @property
    def one_sided(self) -> frozenset[int]:
        """The comparisons that no draw so far has seen on both sides."""
        return frozenset(site for site in range(self.sites) if len(self._sides.get(site, ())) < 2)

    @property
    def met(self) -> bool:
        """True where some draw met a comparison of numbers."""
        return bool(self._sides)

    def gap(self, site: int, distances: Distances) -> float | None:
        """How far a draw is from the side of a comparison that none has seen; None where it did not meet it."""
        end = "most" if True not in self._sides.get(site, ()) else "least"
        return abs(distances[site, end]) if (site, end) in distances else None

    def _compare(self, site: int, left: Any, name: str, right: Any) -> Any:
        if (site, "least") not in self._distances:
            self._note(site, left, right)
        return getattr(operator, name)(left, right)

    def _note(self, site: int, left: Any, right: Any) -> None:
        numbers = (int, float, torch.Tensor)
        if not isinstance(left, numbers) or not isinstance(right, numbers) or isinstance(left, bool):
            return
        try:
            apart = torch.as_tensor(left).detach().double() - torch.as_tensor(right).detach().double()
        except (RuntimeError, TypeError):
            return
        if apart.numel() and bool(apart.isfinite().all()):
            ends = {"least": float(apart.min()), "most": float(apart.max())}
            self._distances |= {(site, name): distance for name, distance in ends.items()}
            self._sides.setdefault(site, set()).update(distance > 0 for distance in ends.values() if distance)


class _Marker(ast.NodeTransformer):
    def __init__(self) -> None:
        self.sites = 0

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        kind = _OPERATORS.get(type(node.ops[0]))
        if len(node.ops) != 1 or kind is None:
            return node
        arguments = [ast.Constant(self.sites), node.left, ast.Constant(kind.__name__), node.comparators[0]]
        self.sites += 1
        return ast.copy_location(ast.Call(ast.Name(_PROBE, ast.Load()), arguments, []), node)


def aimed(probe: Probe, bases: tuple[int, ...], given: list[Call], late: Callable[[], bool]) -> Iterator[Draw]:
    """Draws at the tie of each comparison, or right beside it on both sides.

    Args:
        probe: measures distances on the original.
        bases: the given calls to vary.
        given: the given calls, to look at.
        late: whether to stop.
    """
    if not probe.sites:
        return
    reached: set[tuple[int, str]] = set()
    for base in bases:
        for kind, path, values in _lines(given[base]):
            found: list[tuple[float, Distances]] = []
            for value in values:
                if late():
                    return
                found.append((value, probe.distances(_draw(base, kind, path, value))))
            for (low, below), (high, above) in itertools.pairwise(found):
                for site in sorted(below.keys() & above.keys() - reached):
                    if below[site] * above[site] < 0 and not late():
                        reached.add(site)
                        yield from _closing(probe, site, (base, kind, path), (low, below[site]), high)


def _lines(call: Call) -> Iterator[tuple[str, tuple[Any, ...], tuple[float, ...]]]:
    """How one number changes a call: as the level or scale of a tensor, as its first element, as an argument."""
    args, kwargs = call
    found = list(leaves({"args": args, "kwargs": kwargs}))
    floats = [path for path, leaf in found if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()]
    numbers = [path for path, leaf in found if type(leaf) is float]
    yield from (("fill", path, _LEVELS) for path in floats[:_MAX_LEAVES])
    yield from (("set", path, _LEVELS) for path in numbers[:_MAX_LEAVES])
    yield from (("scale", path, _FACTORS) for path in floats[:_MAX_LEAVES])
    yield from (("first", path, _LEVELS) for path in floats[:_MAX_LEAVES])


def _closing(
    probe: Probe,
    site: tuple[int, str],
    line: tuple[int, str, tuple[Any, ...]],
    low: tuple[float, float],
    high: float,
) -> Iterator[Draw]:
    """Halve an interval at whose ends a distance has other signs, down to the tie or to neighbouring numbers."""
    (start, sign), end = low, high
    for _ in range(_HALVINGS):
        middle = (start + end) / 2
        if middle in (start, end):
            break
        distance = probe.distances(_draw(*line, middle)).get(site, math.nan)
        if distance == 0:
            yield _draw(*line, middle)
            break
        if math.isnan(distance):
            break
        if distance * sign > 0:
            start = middle
        else:
            end = middle
    yield from (_draw(*line, value) for value in (start, end))


def _draw(base: int, kind: str, path: tuple[Any, ...], value: float) -> Draw:
    return Draw((CallDraw(base, (_change(kind, path, value),)),))


def _change(kind: str, path: tuple[Any, ...], value: float) -> Change:
    return Change("place", path, [value, "first"]) if kind == "first" else Change(kind, path, value)


def climb(
    probe: Probe,
    bases: tuple[int, ...],
    given: list[Call],
    attempt: Callable[[Draw], bool],
    late: Callable[[], bool],
    examples: int,
    number: int,
) -> None:
    """Let hypothesis climb towards comparisons that were seen on one side only: several numbers change at once.

    Args:
        probe: measures distances on the original.
        bases: the given calls to vary.
        given: the given calls, to look at.
        attempt: judges a draw that shows another side; False ends the search.
        late: whether to stop.
        examples: how many draws are measured at most.
        number: the seed.
    """

    def step(draw: Draw) -> bool:
        wanted = probe.one_sided
        if late() or not wanted:
            return False
        distances = probe.distances(draw)
        for site in sorted(wanted):
            gap = probe.gap(site, distances)
            if gap is not None:
                target(-gap, label=f"comparison {site}")
        return probe.one_sided == wanted or attempt(draw)

    if probe.met and probe.one_sided and any(list(_lines(given[base])) for base in bases):
        run_each(_moves(bases, given), step, examples, number)


@st.composite
def _moves(draw: st.DrawFn, bases: tuple[int, ...], given: list[Call]) -> Draw:
    """Some of the numbers of a call, each set anywhere."""
    base = draw(st.sampled_from(bases))
    lines = [(kind, path) for kind, path, _ in _lines(given[base])]
    chosen = draw(st.lists(st.sampled_from(lines), max_size=4, unique=True)) if lines else []
    values = st.floats(-1e4, 1e4, allow_nan=False, width=32)
    return Draw((CallDraw(base, tuple(_change(kind, path, draw(values)) for kind, path in chosen)),))
