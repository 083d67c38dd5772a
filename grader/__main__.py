"""`python3 -m grader`; the script `lab` starts it."""

import sys

from .commands.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
