"""Budgets of time that come out the same on a busy machine."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Deadline:
    """The end of a budget.

    Attributes:
        work_s: seconds of this process's own computing, so that what else the machine does changes no verdict.
        wall_s: seconds on the clock; what comes first counts.
    """

    work_s: float
    wall_s: float
    _began: tuple[float, float] = field(default_factory=lambda: (time.process_time(), time.monotonic()))

    @property
    def passed(self) -> bool:
        """True where the budget is used up."""
        return self.later_than(1.0)

    def later_than(self, share: float) -> bool:
        """True where more than a share of the budget is used up."""
        work, wall = time.process_time() - self._began[0], time.monotonic() - self._began[1]
        return work > share * self.work_s or wall > share * self.wall_s
