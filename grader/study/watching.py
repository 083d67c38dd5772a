"""Noticing that a student has saved a file, with `watchfiles` (inotify, or polling on NFS).

The folder is watched and not the file: many editors write a new file and rename it over the old
one, or remove the old one first.
"""

import threading
from collections.abc import Callable
from pathlib import Path

from ..base.files import sha256

DEBOUNCE_MS = 50  # an editor's several writes within this time are one save
LONGEST_MS = 400


class Watcher:
    """Calls `saved` from another thread whenever something happens to `file`, until `stop`."""

    def __init__(self, file: Path, saved: Callable[[], None]) -> None:
        self.file = file
        self._saved = saved
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        from watchfiles import watch  # installed only after bootstrap has run

        name = self.file.name
        for _ in watch(
            self.file.parent, watch_filter=lambda _, path: Path(path).name == name,
            debounce=LONGEST_MS, step=DEBOUNCE_MS, stop_event=self._stop, recursive=False,
            raise_interrupt=False, ignore_permission_denied=True,
        ):  # fmt: skip
            self._saved()

    def stop(self) -> None:
        self._stop.set()


def fingerprint(file: Path) -> str | None:
    """The hash of the file's content, or None while there is none."""
    try:
        return sha256(file.read_bytes())
    except OSError:
        return None
