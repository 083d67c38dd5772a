"""`python3 -m grader`; the script `lab` starts it."""

import os
import shutil
import signal
import sys

# While modules are loaded, Ctrl-C ends the process without a word; main() handles it afterwards.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

try:
    from .commands.cli import main
except EOFError:  # of what Python keeps, half a file: the disk was full when it was written
    if sys.dont_write_bytecode:
        raise
    if (sys.pycache_prefix or "").endswith("/build/python"):  # as `lab` sets it, nobody else's
        shutil.rmtree(sys.pycache_prefix or "", ignore_errors=True)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.execv(sys.executable, [sys.executable, "-P", "-m", "grader", *sys.argv[1:]])

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
