"""Makes a variation that shows a difference as small as it can be while it still shows one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .draws import CallDraw, Change, Draw

MAX_ATTEMPTS = 80


def shrunk(
    draw: Draw, fails: Callable[[Draw], bool], sizes: tuple[int, ...] = (), attempts: int = MAX_ATTEMPTS
) -> Draw:
    """The smallest draw found in a greedy search on which `fails` still holds.

    Args:
        draw: a draw on which it holds.
        fails: whether the difference shows; called at most `attempts` times.
        sizes: leading dimensions of the arguments, which are tried at 1 and 2.
        attempts: how many calls of `fails` are allowed.
    """
    left = attempts
    progress = True
    while progress and left > 0:
        progress = False
        for candidate in _smaller(draw, sizes):
            if left <= 0:
                break
            left -= 1
            if fails(candidate):
                draw, progress = candidate, True
                break
    return draw


def _smaller(draw: Draw, sizes: tuple[int, ...]) -> Iterator[Draw]:
    if len(draw.calls) > 2:
        yield replace(draw, calls=draw.calls[: len(draw.calls) // 2])
        yield replace(draw, calls=draw.calls[len(draw.calls) // 2 :])
    if len(draw.calls) > 1:
        yield from (replace(draw, calls=(*draw.calls[:i], *draw.calls[i + 1 :])) for i in range(len(draw.calls)))
    yield from (replace(draw, modes=tuple(m for m in draw.modes if m != mode)) for mode in draw.modes)
    if draw.grad != "on":
        yield replace(draw, grad="on")
    if draw.reuse:
        yield replace(draw, reuse=False)
    if draw.switch:
        yield replace(draw, switch=False)
    if draw.between:
        yield replace(draw, between="")
    if draw.verbose:
        yield replace(draw, verbose=False)
    for index, call in enumerate(draw.calls):
        for less in _simpler(call, sizes):
            yield replace(draw, calls=(*draw.calls[:index], less, *draw.calls[index + 1 :]))


def _simpler(call: CallDraw, sizes: tuple[int, ...]) -> Iterator[CallDraw]:
    changes = call.changes
    if call.mode != "on":
        yield replace(call, mode="on")
    yield from (replace(call, changes=(*changes[:i], *changes[i + 1 :])) for i in range(len(changes)))
    if not any(change.kind == "resize" for change in changes):
        for size in sizes:
            for wanted in (1, 2):
                if wanted < size:
                    yield replace(call, changes=(Change("resize", (), [size, wanted, "first"]), *changes))
