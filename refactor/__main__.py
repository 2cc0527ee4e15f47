"""`python -m refactor` is the command `refactor`."""

from .cli import main

if __name__ == "__main__":
    main()
