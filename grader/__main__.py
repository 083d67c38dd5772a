"""`python3 -m grader`; the script `lab` starts it."""

import signal
import sys

# While modules are loaded, Ctrl-C ends the process without a word; main() handles it afterwards.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from .commands.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
