"""Tensors made from Python ints that are read back where no call in sight hands them on, as through a public output.

The ints can not come there by a parameter; the tensor itself can carry them, as an attribute. A maker and a reader
are taken to belong together where the tensor has the same name in both; where they do not, the reader finds no ints.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import NoFix
from ..trees import named
from .classes import FunctionNode
from .mirrors import Made, Read
from .unchanged import changed_in_place, changer, fates

if TYPE_CHECKING:
    from . import Facts

_FEWEST = 1  # a row at least: a number that is read from anything of the same name would be too weak a link


@dataclass(frozen=True, slots=True)
class KeptInts:
    """The statements whose tensors carry their ints, and the occurrences that are read back from such."""

    made: tuple[Made, ...]
    reads: tuple[Read, ...]


class Keepers:
    """The tensors of one file that could carry their ints, and who would read them."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @functools.cached_property
    def plan(self) -> KeptInts | None:
        """What one rewrite of the file does; all findings share it."""
        reads = tuple(r for r, refusal in self._outcomes if refusal is None)
        names = {r.node.id for r in reads}
        made = tuple(m for _, m in self._makers if m.name in names)
        return KeptInts(made, reads) if reads else None

    def within(self, function: FunctionNode) -> Iterator[tuple[Read, NoFix | None]]:
        """What is read back in a function, each with the reason why that can not be cured."""
        for read, refusal in self._outcomes:
            if self._facts.function_of(read.node) is function:
                yield read, refusal

    @functools.cached_property
    def _makers(self) -> list[tuple[FunctionNode, Made]]:
        return [(f, m) for f, m in self._facts.mirrors.makers() if m.depth >= _FEWEST and not self._changed(f, m)]

    def _changed(self, function: FunctionNode, made: Made) -> bool:
        """True where the function itself changes the tensor once it is made."""
        after = made.statement.lineno
        return any(
            fate.kind == "changed" for fate in fates(made.name, function, self._facts, lambda use: use.lineno > after)
        )

    @functools.cached_property
    def _outcomes(self) -> list[tuple[Read, NoFix | None]]:
        depths: dict[str, set[int]] = {}
        for _, made in self._makers:
            depths.setdefault(made.name, set()).add(made.depth)
        found: list[tuple[Read, NoFix | None]] = []
        for function in self._facts.names.functions() if depths else ():
            for name in sorted(depths.keys() & set(self._facts.flow(function).parameters)):
                if any(not isinstance(n.ctx, ast.Load) for n in named(function, name)):
                    continue
                for read, refusal in self._facts.mirrors.unled(function, name):
                    if read.depth in depths[name]:
                        found.append((read, refusal or self._refusal(function, read)))
        return found

    def _refusal(self, function: FunctionNode, read: Read) -> NoFix | None:
        name = read.node.id
        changed = changer(name, function, self._facts, self._facts.mirrors.reach(read.node, function))
        if changed is None and (place := next(changed_in_place(name, self._facts), None)) is not None:
            changed = f"`{ast.unparse(place)}` is changed in place on line {place.lineno}"
        return NoFix(changed) if changed else None
