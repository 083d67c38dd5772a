"""`python3 -m grader`, which the script `lab` starts."""

import sys

from .commands.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
