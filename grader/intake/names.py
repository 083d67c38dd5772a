"""Which names a submission's object file may have: those on a list, and functions of its own.

The object file is what the linker sees, whatever macro, alias or label is in the source. A
file that asks for anything else, or defines what is not its own, gets no points without a person.
"""

import re
from functools import lru_cache

from .elf import (
    ALLOC,
    EXECUTABLE,
    FILE,
    FIRST_RESERVED,
    FUNCTION,
    GLOBAL,
    GROUP,
    IFUNC,
    INIT_ARRAY,
    LOCAL,
    NOBITS,
    NOTE,
    OBJECT,
    PROGBITS,
    RELA,
    SECTION,
    STRTAB,
    SYMTAB,
    SYMTAB_INDICES,
    TLS,
    UNDEFINED,
    UNIQUE,
    WEAK,
    WRITE,
    ObjectFile,
    Symbol,
)
from .surface import Surface

# Sections that g++ and nvcc write for plain code and data. What is not loaded may have any name.
_SECTIONS = re.compile(
    r"\.(?:text|rodata|data|bss|tdata|tbss|gcc_except_table|eh_frame)(?:\..*)?|\.init_array|"
    r"\.note\.gnu\.property|\.nv_fatbin|\.nvFatBinSegment|__nv_module_id|\.lrodata.*|\.ldata.*|"
    r"\.lbss.*|\.stapsdt\.base|warpwise_(?:device|managed)(?:\..*)?",
    re.DOTALL,
)
REMEMBERED = 1 << 14  # names: more than an object file has, less than those of a class
# -fsanitize=thread calls __tsan_init in the first; cpu/compiler/alignments.py adds the second. What
# a submission puts there itself is in the file of mode run, too.
_OF_WATCHED = frozenset({".init_array.00099", "warpwise_alignments"})
_NOT_LOADED = re.compile(r"\.debug_\w+|\.comment|\.note\.GNU-stack|\.llvm_addrsig")
_TABLES = frozenset({SYMTAB, STRTAB, RELA, GROUP, SYMTAB_INDICES})  # of the file itself
_X86_UNWIND = 0x70000001
_KINDS = frozenset({PROGBITS, NOBITS, NOTE, INIT_ARRAY, _X86_UNWIND, *_TABLES})
# The functions that g++ and nvcc write to give variables their first values.
_INITIALISER = re.compile(
    r"_GLOBAL__(?:sub_)?I_.*|_sub_I_00099_0|(?:_ZL\d+)?__sti____cudaRegisterAll\w*", re.DOTALL
)

# Names of the compiler's own, beside functions and data of the submission.
_COMPILERS = re.compile(r"DW\.ref\.\w+|__fatbinwrap\w*|__nv_\w+|__cudaRegisterLinkedBinary\w*")
# C++'s own name spaces, the kit's, and the allocator.
_RESERVED = re.compile(
    r"_ZN?[VKRO]*(?:St|Sa|S[bsiod]|9__gnu_cxx|10__cxxabiv1|11cuda_on_cpu|8warpwise)|"
    r"_Z(?:n[wa]|d[la])|_ZT[VISTC]N?(?:9__gnu_cxx|10__cxxabiv1|11cuda_on_cpu|8warpwise)"
)
_SPELLED = re.compile(r"(?:[^\W\d]|[.$])[\w.$]*")  # also with letters that are not ASCII's
_LENGTH = re.compile(r"L?(\d{1,5})")  # of the next word of a mangled name
LONGEST_SHOWN = 120


def refusal(file: ObjectFile, surface: Surface) -> str:
    """Why the file does not count, in a sentence; "" if nothing speaks against it."""
    for check in (_bad_section, _bad_request, _bad_definition, _bad_initialiser):
        if reason := check(file, surface):
            return reason
    return ""


def _bad_section(file: ObjectFile, surface: Surface) -> str:
    for section in file.sections[1:]:
        if section.kind in _TABLES:
            continue
        loaded = section.flags & ALLOC != 0
        known = (_SECTIONS if loaded else _NOT_LOADED).fullmatch(section.name)
        if surface.mode == "check" and section.name in _OF_WATCHED:
            continue
        if section.kind not in _KINDS or not known:
            return _of_section(section.name)
        if section.flags & EXECUTABLE and (section.flags & WRITE or not loaded):
            return _of_section(section.name)
    return ""


def _of_section(name: str) -> str:
    return (
        f"the file has a section `{_shown(name)}`, which plain code does not have: "
        "remove the attribute, or the assembly, that makes it"
    )


def _bad_request(file: ObjectFile, surface: Surface) -> str:
    for symbol in file.asked:
        if not surface.offers(symbol.name):
            return (
                f"the file asks for `{spelled(symbol.name)}`, which is not among the functions "
                "that a submission may use: CUDA's, the kit's, and those of the C and C++ library "
                "for memory, text, numbers and containers; do without it"
            )
    return ""


def _bad_definition(file: ObjectFile, surface: Surface) -> str:
    for symbol in file.symbols:
        if symbol.section == UNDEFINED or symbol.kind in (SECTION, FILE):
            continue
        if symbol.kind == IFUNC:
            return (
                f"`{spelled(symbol.name)}` is chosen while the program is loaded (an indirect "
                "function): define it as a plain function"
            )
        if symbol.binding != LOCAL and (reason := _not_its_own(file, symbol, surface)):
            return f"the file defines `{spelled(symbol.name)}`, {reason}"
    return ""


def _not_its_own(file: ObjectFile, symbol: Symbol, surface: Surface) -> str:
    """Why a name that other files see is not the submission's to define; "" if it is."""
    name, shared = symbol.name, symbol.section in file.comdats
    if symbol.section >= FIRST_RESERVED or symbol.kind not in (0, OBJECT, FUNCTION, TLS):
        return "which is in none of its sections: define a plain variable or function"
    if name in surface.entries and symbol.binding == GLOBAL:
        return ""
    if not _SPELLED.fullmatch(name):
        return "which is not a name of C++"
    if _COMPILERS.fullmatch(name):
        return ""
    taken = name in surface.missing or name in surface.strong
    if symbol.binding in (WEAK, UNIQUE):
        if not shared:
            return "as a weak symbol: remove the attribute"
        # A library would call `extern "C" inline void* malloc(...)` in the place of its own.
        plain = not name.startswith("_Z")
        if taken or (plain and name in surface.system):
            return "which is the grader's to define: give it another name"
        return _plain(symbol) if plain else ""
    if taken or name in surface.weak or name in surface.system or _RESERVED.match(name):
        return "which is the grader's, or the library's, to define: give it another name"
    if not name.startswith("_Z"):
        return _plain(symbol)
    return ""


def _plain(symbol: Symbol) -> str:
    """A variable outside every namespace has its plain name; a function never has in C++."""
    if symbol.kind == FUNCTION or symbol.kind == 0:
        return 'a function with a name of C: remove `extern "C"`, or the label, from it'
    if symbol.name.startswith("__"):
        return "and names with two underscores are the compiler's: give it another name"
    return ""


def _bad_initialiser(file: ObjectFile, surface: Surface) -> str:
    """What runs before main must be what a variable's initial value needs."""
    starts = {(symbol.section, symbol.value): symbol.name for symbol in file.symbols
              if symbol.kind == FUNCTION and symbol.section != UNDEFINED}  # fmt: skip
    for index, section in enumerate(file.sections):
        if section.kind != INIT_ARRAY and not section.name.startswith(".init_array"):
            continue
        for reference in file.relocations.get(index, []):
            symbol = file.symbols[reference.symbol]
            at = (symbol.section, symbol.value + reference.addend)
            name = starts.get(at, symbol.name)
            if not _INITIALISER.fullmatch(name):
                return (
                    f"`{spelled(name)}` would run before the stages are called: remove the "
                    "attribute `constructor`"
                )
    return ""


@lru_cache(REMEMBERED)
def spelled(symbol: str) -> str:
    """A symbol as its source has it, without parameters: `sssp::relax` of `_ZN4sssp5relaxEPfi`."""
    match = re.match(r"_ZT[VISTC]|_ZT[hv]\w*?_|_ZL?|", symbol)
    # Lengths are those of bytes.
    rest = (symbol[match.end() :] if match else symbol).encode("utf-8", "replace").decode("latin-1")
    if not symbol.startswith("_Z"):
        return _shown(symbol)
    rest = re.sub(r"^N[rVKRO]*", "", rest)
    words: list[str] = []
    if found := re.match(r"St|S[aobsid]", rest):
        words.append("std")
        rest = rest[found.end() :]
    at = 0
    while (found := _LENGTH.match(rest, at)) and int(found[1]) > 0:
        at = found.end() + int(found[1])
        words.append(rest[found.end() : at])
        if not symbol.startswith(("_ZN", "_ZTVN", "_ZTIN", "_ZTSN")):
            break
    operators = {"nw": "operator new", "na": "operator new[]", "dl": "operator delete",
                 "da": "operator delete[]"}  # fmt: skip
    if not words and rest[:2] in operators:
        words = [operators[rest[:2]]]
    name = "::".join(word for word in words if word != "__cxx11")
    return _shown(name.encode("latin-1").decode("utf-8", "replace") or symbol)


def _shown(name: str) -> str:
    """A name for a message: on one line, and not too long."""
    plain = "".join(c if c.isprintable() else "?" for c in name[:LONGEST_SHOWN])
    return plain + ("..." if len(name) > LONGEST_SHOWN else "")
