"""Reads an object file: its sections, its symbols, and which section refers to which symbol.

The file was made from a submission, so nothing in it is trusted. Every offset is checked, and a
file that is not what g++ writes is a BadObject. Nothing here runs a program.
"""

import platform
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

MACHINES = {"x86_64": 62, "aarch64": 183}
RELOCATABLE, SHARED_LIBRARY = 1, 3
LARGEST_FILE = 256 << 20
LARGEST_COUNT = 400_000  # sections, symbols, relocations: far more than a lab's file has
LARGEST_NAMES = 64 << 20  # bytes of all names together

PROGBITS, SYMTAB, STRTAB, RELA, NOTE, NOBITS = 1, 2, 3, 4, 7, 8
DYNSYM, INIT_ARRAY, GROUP, SYMTAB_INDICES = 11, 14, 17, 18
WRITE, ALLOC, EXECUTABLE, IN_GROUP = 1, 2, 4, 0x200
LOCAL, GLOBAL, WEAK, UNIQUE = 0, 1, 2, 10  # of a symbol: how it binds
OBJECT, FUNCTION, SECTION, FILE, TLS, IFUNC = 1, 2, 3, 4, 6, 10  # ... and what it is
UNDEFINED, FIRST_RESERVED, INDEX_ELSEWHERE = 0, 0xFF00, 0xFFFF
COMDAT = 1

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<QQq")


class BadObject(ValueError):
    """The file is not an object file as a compiler writes it: one sentence."""


@dataclass(frozen=True)
class Section:
    """A section by its header; `data` is empty for what takes no room in the file."""

    name: str
    kind: int
    flags: int
    data: memoryview
    link: int
    info: int


@dataclass(frozen=True)
class Symbol:
    """`section` is an index, 0 for a symbol that is asked for, and FIRST_RESERVED or more for
    what is in no section."""

    name: str
    binding: int
    kind: int
    hidden: bool
    section: int
    value: int


# How a relocation that belongs to a call or a jump is numbered: PLT32, and CALL26 with JUMP26. On
# x86_64 a call within the file may have PC32, as a taken address has: the instruction tells.
_CALLS = {"x86_64": (4,), "aarch64": (282, 283)}
_PC32 = 2
_CALL, _JUMP = b"\xe8", b"\xe9"  # x86_64's instructions
_BRANCHES = tuple(bytes((0x0F, 0x80 + condition)) for condition in range(16))


class Reference(NamedTuple):
    """At `offset` of a section is the address of a symbol, by its index, plus `addend`."""

    offset: int
    symbol: int
    addend: int
    is_call: bool = False  # otherwise the program takes the address


@dataclass
class ObjectFile:
    """An ELF file of this machine."""

    sections: list[Section]
    symbols: list[Symbol]
    comdats: frozenset[int] = frozenset()  # sections that the linker takes once of many
    relocations: dict[int, list[Reference]] = field(default_factory=dict)  # by section

    @property
    def asked(self) -> Iterator[Symbol]:
        return (s for s in self.symbols if s.section == UNDEFINED and s.name)

    @property
    def defined(self) -> Iterator[Symbol]:
        """What other files see."""
        return (s for s in self.symbols if s.section != UNDEFINED and s.binding != LOCAL)


def read_object(path: Path) -> ObjectFile:
    """What a compiler made. Raises BadObject."""
    return parse(_content(path), RELOCATABLE, SYMTAB)


def read_shared(path: Path) -> ObjectFile:
    """The names of a shared library. Raises BadObject."""
    return parse(_content(path), SHARED_LIBRARY, DYNSYM)


def read_program(path: Path) -> ObjectFile:
    """The symbols of a linked program; their values are addresses. Raises BadObject."""
    return parse(_content(path), SHARED_LIBRARY, SYMTAB)


def read_archive(path: Path) -> list[ObjectFile]:
    """The members of a static library of the kit. Raises BadObject."""
    data = memoryview(path.read_bytes())
    if bytes(data[:8]) != b"!<arch>\n":
        raise BadObject(f"{path.name} is not an archive")
    members, at = [], 8
    while at + 60 <= len(data):
        size = int(bytes(data[at + 48 : at + 58]))
        member = data[at + 60 : at + 60 + size]
        if bytes(member[:4]) == b"\x7fELF":
            members.append(parse(member, RELOCATABLE, SYMTAB))
        at += 60 + size + size % 2
    return members


def _content(path: Path) -> memoryview:
    if path.stat().st_size > LARGEST_FILE:
        raise BadObject("the object file is too large")
    return memoryview(path.read_bytes())


def parse(data: memoryview, kind: int, table: int) -> ObjectFile:
    """`table` is the kind of the symbol table that counts. Raises BadObject."""
    try:
        sections = _sections(data, kind)
        symbols, where = _symbols(sections, table)
        found = ObjectFile(sections, symbols)
        if kind == RELOCATABLE:
            found.comdats = _comdats(sections)
            found.relocations = _relocations(sections, where, len(symbols))
        return found
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise BadObject("the object file is damaged") from error


def _sections(data: memoryview, kind: int) -> list[Section]:
    head = HEADER.unpack_from(data)
    if head[0][:7] != b"\x7fELF\x02\x01\x01" or head[1] != kind:
        raise BadObject("the compiler's output is not an object file")
    if head[2] != MACHINES.get(platform.machine()):
        raise BadObject("the object file is for another machine")
    start, size, count, names = head[6], head[11], head[12], head[13]
    if size != SECTION_HEADER.size:
        raise BadObject("the object file is damaged")
    if count == 0 or names == INDEX_ELSEWHERE:  # too many for the header: the first section knows
        first = SECTION_HEADER.unpack_from(data, start)
        count, names = count or first[5], first[6] if names == INDEX_ELSEWHERE else names
    _limit(count)
    table = _part(data, start, count * size)
    raw = list(SECTION_HEADER.iter_unpack(table))
    strings = _Names(_part(data, raw[names][4], raw[names][5]))
    return [
        Section(strings[name], kind, flags,
                data[:0] if kind in (0, NOBITS) else _part(data, offset, length), link, info)
        for name, kind, flags, _, offset, length, link, info, _, _ in raw
    ]  # fmt: skip


def _symbols(sections: list[Section], kind: int) -> tuple[list[Symbol], int]:
    """All symbols, and the index of the table that has them."""
    tables = [i for i, section in enumerate(sections) if section.kind == kind]
    if len(tables) > 1:
        raise BadObject("the object file has more than one symbol table")
    if not tables:
        return [], 0
    section = sections[tables[0]]
    _limit(len(section.data) // SYMBOL.size)
    wide = next((s.data for s in sections if s.kind == SYMTAB_INDICES), section.data[:0])
    strings = _Names(sections[section.link].data)
    symbols = []
    for number, (name, info, other, index, value, _) in enumerate(SYMBOL.iter_unpack(section.data)):
        if index == INDEX_ELSEWHERE:
            (index,) = struct.unpack_from("<I", wide, 4 * number)
        elif index >= FIRST_RESERVED:
            index += 1 << 32
        hidden = other & 3 in (1, 2)
        symbols.append(Symbol(strings[name], info >> 4, info & 15, hidden, index, value))
    return symbols, tables[0]


def _comdats(sections: list[Section]) -> frozenset[int]:
    members: set[int] = set()
    for section in sections:
        if section.kind == GROUP:
            flag, *indices = struct.unpack(f"<{len(section.data) // 4}I", section.data)
            if flag & COMDAT:
                members.update(indices)
    return frozenset(members)


def _relocations(
    sections: list[Section], table: int, symbols: int
) -> dict[int, list[Reference]]:
    """By the section that refers to something."""
    found: dict[int, list[Reference]] = {}
    for section in sections:
        if section.kind != RELA or section.link != table or _is_debug(sections, section.info):
            continue
        _limit(len(section.data) // RELOCATION.size)
        code = sections[section.info]
        references = [Reference(at, info >> 32, addend, _is_call(code, at, info & 0xFFFFFFFF))
                      for at, info, addend in RELOCATION.iter_unpack(section.data)]  # fmt: skip
        if any(reference.symbol >= symbols for reference in references):
            raise BadObject("the object file is damaged")
        found.setdefault(section.info, []).extend(references)
    return found


def _is_call(code: Section, at: int, kind: int) -> bool:
    machine = platform.machine()
    if kind in _CALLS.get(machine, ()):
        return True
    if machine != "x86_64" or kind != _PC32 or not code.flags & EXECUTABLE:
        return False
    return bytes(code.data[max(0, at - 2) : at]).endswith((_CALL, _JUMP, *_BRANCHES))


def _is_debug(sections: list[Section], index: int) -> bool:
    return sections[index].flags & ALLOC == 0


def _limit(count: int) -> None:
    if count > LARGEST_COUNT:
        raise BadObject("the object file has too many names to be checked")


def _part(data: memoryview, start: int, size: int) -> memoryview:
    if start + size > len(data):
        raise BadObject("the object file is damaged")
    return data[start : start + size]


class _Names:
    """A string table. Names may overlap there, so their sum is limited, not the table's size."""

    def __init__(self, table: memoryview) -> None:
        self._table = bytes(table)
        self._left = LARGEST_NAMES

    def __getitem__(self, start: int) -> str:
        """A name. Bytes that are not UTF-8 stay visible as escapes."""
        end = self._table.find(b"\0", start, start + self._left)
        if end < 0:
            raise BadObject("the object file's names are damaged, or too long to be checked")
        self._left -= end - start
        return self._table[start:end].decode("utf-8", "backslashreplace")
