"""Noticing that a student has saved a file, with `watchfiles` (inotify, or polling on NFS).

The folder is watched and not the file: many editors write a new file and rename it over the old
one, or remove the old one first.
"""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path

from ..base.files import sha256

DEBOUNCE_MS = 50  # an editor's several writes within this time are one save
LONGEST_MS = 400
LOOK_MS = 1000  # how often it is looked whether the folder is another one


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

        name, folder = self.file.name, self.file.parent
        while not self._stop.is_set():
            here = _identity(folder)
            if here is None:  # renamed, or between two branches of git
                self._stop.wait(LOOK_MS / 1000)
                continue
            with contextlib.suppress(OSError, RuntimeError):  # it went just now
                for changes in watch(
                    folder, watch_filter=lambda _, path: Path(path).name == name,
                    debounce=LONGEST_MS, step=DEBOUNCE_MS, stop_event=self._stop, recursive=False,
                    raise_interrupt=False, ignore_permission_denied=True,
                    rust_timeout=LOOK_MS, yield_on_timeout=True,
                ):  # fmt: skip
                    if changes:
                        self._saved()
                    if _identity(folder) != here:
                        break
            self._saved()

    def stop(self) -> None:
        self._stop.set()


def _identity(folder: Path) -> tuple[int, int] | None:
    """Which folder has this name now: what is watched is a folder, and not its name."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def fingerprint(file: Path) -> str | None:
    """The hash of the file's content, or None while there is none."""
    try:
        return sha256(file.read_bytes())
    except OSError:
        return None
