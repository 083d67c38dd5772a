"""Seals: a result that something else than the grading process wrote or changed is seen.

`seal.json` beside a result holds a code over it, made with the key of the course, and the number of
the grading among those of the same source. The number says which of two results came first, also
when the machine's clock was turned back between them.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.errors import UsageError
from ..base.files import to_json, write_atomically, write_private
from ..grading.result import FILE_NAME as RESULT

FILE_NAME = "seal.json"
KEY_BYTES = 32


@dataclass(frozen=True)
class Seals:
    """Of one course. Without a key nothing is sealed: it is a course of an earlier kit."""

    key: bytes | None

    @classmethod
    def of(cls, file: Path) -> "Seals":
        """With the key in `file`, if there is one. Raises UsageError."""
        try:
            return cls(bytes.fromhex(file.read_text(encoding="ascii").strip()) or None)
        except FileNotFoundError:
            return cls(None)
        except OSError as error:
            raise UsageError(f"{file}: cannot be read: {error.strerror}.") from error
        except ValueError:  # its text is the key: no traceback may hold it
            raise UsageError(
                f"{file}: is damaged; put it back from your backup, or remove it: "
                "then ./lab class grade seals the results as they are."
            ) from None

    def write(self, folder: Path, name: str, number: int) -> None:
        """Seal the result in `folder`, whose name shall be `name`."""
        content = (folder / RESULT).read_bytes()
        code = self._code(name, number, content)
        write_atomically(folder / FILE_NAME, to_json({"number": number, "hmac_sha256": code}))

    def sealed(self, name: str, text: str) -> str:
        """`text` of a file that waits for its task's next phase, with its seal in it."""
        code = self._code(name, 0, text.encode())
        return to_json({"hmac_sha256": code, "text": text})

    def opened(self, name: str, file: Path) -> str | None:
        """The text in `file`, if that is as `sealed` wrote it."""
        try:
            said = json.loads(file.read_text(encoding="utf-8"))
            code, text = str(said["hmac_sha256"]), str(said["text"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        right = self._code(name, 0, text.encode())
        return text if hmac.compare_digest(code, right) else None

    def number(self, folder: Path) -> int | None:
        """The number in the seal of a result; None if the seal does not fit it."""
        said = _read(folder / FILE_NAME)
        if self.key is None:
            return said[0] if said else 0
        if said is None:
            return None
        number, code = said
        content = (folder / RESULT).read_bytes()
        fits = hmac.compare_digest(code, self._code(folder.name, number, content))
        return number if fits else None

    def _code(self, name: str, number: int, content: bytes) -> str:
        if not self.key:
            return ""
        head = f"{name}\0{number}\0".encode()
        return hmac.new(self.key, head + content, hashlib.sha256).hexdigest()


def begin(file: Path, folders: Iterable[Path]) -> int:
    """Make the key in `file`, if there is none, after sealing what is there: results of an earlier
    kit, the oldest first. Returns how many. The key comes last, so an interrupted call is made
    again from its beginning."""
    if file.exists():
        return 0
    seals, numbers, count = Seals(secrets.token_bytes(KEY_BYTES)), dict[str, int](), 0
    for folder in folders:
        source = ".".join(folder.name.split(".")[:2])  # lab and source
        numbers[source] = numbers.get(source, 0) + 1
        seals.write(folder, folder.name, numbers[source])
        count += 1
    assert seals.key
    write_private(file, f"{seals.key.hex()}\n")
    return count


def said_number(folder: Path) -> int:
    """The number in a result's seal, whether it fits or not; 1 without one."""
    said = _read(folder / FILE_NAME)
    return said[0] if said else 1


def _read(file: Path) -> tuple[int, str] | None:
    try:
        said: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return int(said["number"]), str(said["hmac_sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
