"""`./lab` on a checkout of fakes, as a process of its own: for tests that need a terminal.

    python lab_on_fakes.py ROOT WORDS...

The environment's PATH names the fake tools, as the fixture `checkout` has set it.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.judging import workers
from grader.judging.admission import Objections
from grader.machine import bootstrap
from grader.sandbox import bubblewrap
from grader.study import running
from report.drawing import result_figure


def lab(root: str, words: list[str]) -> int:
    bootstrap.ensure = lambda *_: None
    workers.refused = lambda *_: ""
    workers.objections = lambda *_: Objections({}, {})
    result_figure.draw_if_possible = lambda *_: []
    box = bubblewrap.Sandbox("none: a test")
    bubblewrap.find = bubblewrap.for_own_file = lambda: box
    running.COMMAND[:] = [sys.executable, __file__, root]
    return main(words, Checkout(Path(root)))


if __name__ == "__main__":
    sys.exit(lab(sys.argv[1], sys.argv[2:]))
