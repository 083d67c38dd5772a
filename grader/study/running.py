"""A command of the kit that runs beside the screen of watch, and can be given up at any time."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..base.checkout import Checkout
from ..base.console import PAUSE
from ..base.reaper import ends_with_us, start

COMMAND = [sys.executable, "-P", "-m", "grader"]  # ./lab, in the same Python
TAIL = 4096  # bytes of stderr in which the last line of progress is looked for


class Running:
    """`./lab WORDS`, started at once. `when_done` is called from another thread at its end.

    It runs in a session of its own, so Ctrl-C reaches it only through `cancel`. What a cancelled
    check was running (compilers, workers) ends with it.
    """

    def __init__(
        self, checkout: Checkout, words: Sequence[str], when_done: Callable[[], None] = lambda: None
    ) -> None:
        self.words = list(words)
        self.started = time.monotonic()
        self.cancelled = False
        self.output = ""
        self._said = tempfile.TemporaryFile()
        env = {**os.environ, "PYTHONPATH": str(checkout.root), "NO_COLOR": "1", PAUSE: "1",
               "COLUMNS": str(shutil.get_terminal_size().columns)}  # fmt: skip
        self._process = start(
            [*COMMAND, *words], env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self._said, start_new_session=True,
        )  # fmt: skip
        self._when_done = when_done
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with ends_with_us(-self._process.pid):
            assert self._process.stdout is not None
            self.output = self._process.stdout.read().decode("utf-8", "replace")
            self._process.wait()
        self._when_done()

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def exit_code(self) -> int:
        """Valid after the end."""
        return self._process.returncode

    @property
    def said(self) -> str:
        """The last line of progress, or of what went wrong."""
        size = os.fstat(self._said.fileno()).st_size
        tail = os.pread(self._said.fileno(), TAIL, max(0, size - TAIL)).decode("utf-8", "replace")
        lines = [line.strip() for line in tail.splitlines() if line.strip()]
        return lines[-1] if lines else ""

    def document(self) -> dict[str, Any] | None:
        """The JSON document that the command printed, or None."""
        try:
            made = json.loads(self.output)
        except ValueError:
            return None
        return made if isinstance(made, dict) else None

    def cancel(self) -> None:
        """End it and everything that it runs. Returns after its end."""
        self.cancelled = True
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if not self.done:
                try:
                    os.killpg(self._process.pid, sign)
                except ProcessLookupError:
                    pass
                self._thread.join(timeout=2.0)
