"""Lists that other systems hand out as CSV: their text, their cells, and who in them is nobody.

Spreadsheets save them in UTF-16 or in a code page of Windows, and some write `sep=;` first. Cells
stay text: an id may begin with zeros.
"""

import re
import stat
from collections.abc import Iterator
from pathlib import Path

from . import console
from .errors import UsageError

LARGEST = 16 << 20  # bytes
MARK = "\ufeff"
SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # of today and of the nineties
PAGE = re.compile(rb"\s*<(!doctype|html)", re.IGNORECASE)
QUOTED = re.compile('"[^"]*(?:""[^"]*)*"')
SEPARATOR = re.compile(r'"?sep=(.)"?\r?\n', re.IGNORECASE)
# What a column's cells look like, where its title is in another language.
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
NUMBERED = re.compile(r"\D*\d+")  # `Participant 501`
ROUNDED = re.compile(r"\d([.,]\d+)?[eE]\+\d+")  # 10000000000042 as a spreadsheet shows it
IN_QUOTES = 'A name with a comma in it must be in quotes, such as "Lovelace, Ada".'
TEST_STUDENT = ("studenttest", "teststudent")


class Cell(str):
    """What a cell says, and how it is written, with its quotes."""

    written: str

    def __new__(cls, written: str) -> "Cell":
        is_quoted = written.startswith('"')
        cell = super().__new__(cls, written[1:-1].replace('""', '"') if is_quoted else written)
        cell.written = written
        return cell


class Row(list[str]):
    """The cells of a row that begins in line `line`."""

    line = 0


def read(path: Path) -> str:
    """The text of a list, with its byte order mark and its line ends. Raises UsageError."""
    try:
        about = path.stat()
        if not (stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)):
            raise UsageError(f"{path}: is a device, pipe or socket, not a file.")
        if about.st_size > LARGEST:
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


def cells(text: str, where: str) -> tuple[list[Row], str]:
    """The rows of a CSV and its delimiter: `,`, `;` or a tab, or what `sep=` in a line above says.
    Raises UsageError, also if a row goes on after the last column: then its cells are shifted.
    Some programs end each row with an empty cell, which says nothing."""
    body = text.removeprefix(MARK)
    said = SEPARATOR.match(body)
    begin = said.end() if said else 0
    first = next((row for row in body[begin:].splitlines() if row.strip()), "")
    delimiter = said[1] if said else max(",;\t", key=QUOTED.sub("", first).count)
    rows = [row for row in _rows(body, begin, delimiter, where) if row != [""]]
    longest = len(rows[0]) if rows else 0
    if all(len(row) == longest + 1 and not row[-1] for row in rows[1:]):
        longest += 1
    for row in rows:
        if len(row) > longest:
            raise UsageError(f"{where}: line {row.line} has {len(row)} cells, but the first line "
                             f"has {len(rows[0])}. {IN_QUOTES}")  # fmt: skip
    return rows, delimiter


def _rows(body: str, at: int, delimiter: str, where: str) -> Iterator[Row]:
    mark = re.escape(delimiter)
    form = re.compile(rf'({QUOTED.pattern}|(?!")[^{mark}\r\n]*)({mark}|\r\n|\r|\n|\Z)')
    line, row = 1 + body.count("\n", 0, at), Row()
    while at < len(body) or row:
        row.line = row.line or line
        if not (found := form.match(body, at)):
            raise UsageError(f"{where}: is not a CSV file: in line {line} a cell begins with a "
                             'quote (") and does not end with one.')  # fmt: skip
        row.append(Cell(found[1]))
        at, line = found.end(), line + found[0].count("\n")
        if found[2] != delimiter:
            yield row
            row = Row()


def is_test_student(name: str, sis_user_id: str = "") -> bool:
    """Whether this is Canvas's own: the teacher's preview, in lists and in names of files. Such a
    name with an institution's id is a person's."""
    squeezed = re.sub(r"[\s,_]+", "", name).casefold()
    return squeezed in TEST_STUDENT and not sis_user_id.strip()
