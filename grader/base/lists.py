"""Lists that other systems hand out as CSV: their text, their cells, and who in them is nobody.

Spreadsheets save them in UTF-16 or in a code page of Windows, and some write `sep=;` first. Cells
stay text: an id may begin with zeros.
"""

import csv
import io
import re
from pathlib import Path

from . import console
from .errors import UsageError

LARGEST = 16 << 20  # bytes
MARK = "\ufeff"
SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # of today and of the nineties
PAGE = re.compile(rb"\s*<(!doctype|html)", re.IGNORECASE)
SEPARATOR = re.compile(r'"?sep=(.)"?\r?\n', re.IGNORECASE)
# What a column's cells look like, where its title is in another language.
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
NUMBERED = re.compile(r"\D*\d+")  # `Participant 501`
ROUNDED = re.compile(r"\d([.,]\d+)?[eE]\+\d+")  # 10000000000042 as a spreadsheet shows it
TEST_STUDENT = ("studenttest", "teststudent")


def read(path: Path) -> str:
    """The text of a list, with its byte order mark and its line ends. Raises UsageError."""
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{path}: is larger than {LARGEST >> 20} MiB; is it a list?")
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}.") from error
    if data.startswith(SPREADSHEETS):
        raise UsageError(f"{path}: is a spreadsheet or a zip; export it as CSV with UTF-8.")
    if PAGE.match(data.removeprefix(MARK.encode())):
        raise UsageError(f"{path}: is a web page and no list; download it again, logged in.")
    try:
        encoding = encoding_of(data)
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 text; export it as CSV with UTF-8.") from error
    if encoding == "cp1252":
        console.note(f"lab: {path}: is not UTF-8, so it is read as Windows-1252. If names with "
                     "accents look wrong, save it as UTF-8.")  # fmt: skip
    return text


def encoding_of(data: bytes) -> str:
    """UTF-8 if it is that; UTF-16 with its mark, or by its zeros; else what Windows has in Western
    Europe."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16-le" if data[0] == 0xFF else "utf-16-be"
    head = data[:1000]
    for name, zeros, letters in (("utf-16-le", head[1::2], head[::2]),
                                 ("utf-16-be", head[::2], head[1::2])):  # fmt: skip
        if zeros.count(0) > len(zeros) / 2 > 2 * letters.count(0):
            return name
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def cells(text: str, where: str) -> tuple[list[list[str]], str]:
    """The rows of a CSV, as its cells are written, and its delimiter: `,`, `;` or a tab, or what
    `sep=` in a line above says. Raises UsageError."""
    body = text.removeprefix(MARK)
    said = SEPARATOR.match(body)
    body = body[said.end() :] if said else body
    first = next((row for row in body.splitlines() if row.strip()), "")
    try:
        delimiter = said[1] if said else max(",;\t", key=lambda mark: _columns(first, mark))
        reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)
        return [row for row in reader if row], delimiter
    except (csv.Error, TypeError, ValueError) as error:
        raise UsageError(f"{where}: is not a CSV file: {error}.") from error


def _columns(first: str, delimiter: str) -> int:
    """How many cells a row has with this delimiter; what is in quotes is one."""
    return len(next(csv.reader([first], delimiter=delimiter), []))


def is_test_student(name: str, sis_user_id: str = "") -> bool:
    """Whether this is Canvas's own: the teacher's preview, in lists and in names of files. Such a
    name with an institution's id is a person's."""
    squeezed = re.sub(r"[\s,_]+", "", name).casefold()
    return squeezed in TEST_STUDENT and not sis_user_id.strip()
