"""Times calls from a cold cache in a process that has compiled nothing yet: `python -m refactor.verify.cold`.

Reads the question as JSON from standard input and writes what each call takes longer than later on, in seconds.
"""

from __future__ import annotations

import json
import os
import sys

import msgspec

from .explain import extra_s
from .ledger import Found
from .limits import die_with_parent
from .verdict import request_from


def main() -> int:
    """Answer one question."""
    die_with_parent()
    question = json.load(sys.stdin)
    with os.fdopen(os.dup(sys.stdout.fileno()), "w") as answer:
        # What the program prints, from native code too, is no part of the answer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        found = msgspec.convert(question["found"], list[Found])
        json.dump(extra_s(request_from(question["request"]), question["role"], found), answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
