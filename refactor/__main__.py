"""`python -m refactor` is the command `refactor`."""

import os
import sys
from pathlib import Path

# Python puts the working directory first, so that a user's `torch.py` or `click.py` would be imported and run.
if sys.path and sys.path[0] in ("", os.getcwd()) and not Path(sys.path[0], "refactor", "__main__.py").is_file():  # noqa: PTH109
    del sys.path[0]

from .cli import main

if __name__ == "__main__":
    main()
