"""What a kernel does without an announcement by g++, as its listings of the program show it.

A struct that a call takes from memory or returns there: by_value.py has most of these calls
inlined. What is left are functions that call themselves, and those that are called through a
pointer.

An atomic that g++ leaves as it is because its memory order does not exist, and a copy or fill that
it writes as moves of its own because it knows the size.
"""

from __future__ import annotations

import re
from collections.abc import Set

# What is left of the functions; and all symbols, with the news whether an address is taken.
LISTINGS = ("-fdump-tree-optimized-asmname-lineno={}", "-fdump-ipa-whole-program={}")
UNSEEN = (
    "a function that is called through a pointer, or that calls itself, returns a struct directly "
    "to memory or takes one from there, which the checker does not see: assign it to a local "
    "variable in between"
)
UNANNOUNCED = (
    "the compiler does not announce what this writes, so the checker does not see it: use an order "
    "of memory that exists, plain assignments, or CUDA's atomics"
)
_FUNCTION = re.compile(r"^;; Function .*? \(([\w.$]+), funcdef_no=", re.M)
_SHORT_NAME = re.compile(  # without its template's arguments
    r"^;; Function (operator ?(?:\(\)|\[\]|[^\w\s()<]+|<=>|<<=?|<=?)|\w+)[^\n]*? "
    r"\(([\w.$]+), funcdef_no=",
    re.M,
)
_PLACE = re.compile(r"\[([^\[\]\n]*):(\d+):\d+")
_PLACES = re.compile(r"\[[^\[\]\n]*:\d+:\d+(?: discrim \d+)?\] ")
# Numbers and pointers are in registers; so what a call has in memory is a struct.
_CALL = re.compile(
    r" *(?:(?P<result>.*?) = )?(?P<called>[\w.$]+(?:\(D\))?|OBJ_TYPE_REF\(.*?\)) "
    r"\((?P<arguments>.*)\);(?P<slot> \[return slot optimization\])?"
)
# Not the kit's own calls of a kernel that a pointer launches.
_BY_POINTER = re.compile(
    r"^ *(?:\S+ = )?(?:(?!__|_Z)\w*_\d+(?:\(D\))?|OBJ_TYPE_REF\(.*?\)) \((?!cuda_on_cpu_values#)",
    re.M,
)
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"')
# The object that a function returns, where its class has a destructor, say: constructors make it in
# its place, whose writes are seen like all others.
_RETURN = re.compile(r"\breturn ([^;\n]*);")
_OF_OBJECT_IN_PLACE = re.compile(r"(?:<retval>)?_\d+\(D\)")
# A text ends at the next quotation mark of a line. A #line may bring one into the name of a file.
ODD_FILE = re.compile(r'^# \d+ "[^\n]*\\"', re.M)
ODD_NAME = "error: a #line names a file with a quotation mark in it: leave it out"
_NESTED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>")
_IN_MEMORY = re.compile(r"\*|->|\bMEM\b|\b_Z")  # a local variable has its plain name
# A name, a number, the name in the source; what it is, and who refers to it.
_SYMBOL = re.compile(r"^(\S+)/\d+ \(.*\n((?:  .*\n)*)", re.M)
# Whatever is written to a plain local variable is the thread's own. The calls of memcpy, memmove
# and memset that remain calls are seen (checker/tsan_abi.cpp).
_UNANNOUNCED = re.compile(
    r"^.*?(?:\.(?:MASK_STORE|STORE_LANES)|"
    r"\b(?:__builtin_)?_*(?:mempcpy|memccpy|bcopy|bzero|st[pr]n?cpy|strn?cat)(?:_chk)?|"
    r"\b__builtin_(?:setjmp|clear_padding|apply|init_trampoline|va_\w+)|"
    r"\b(?:__builtin_)?_*mem(?:cpy|move|set)(?:_chk)?(?= \([^;]*, \d+\);)) \((?!&\w+[,)]).*$",
    re.M,
)
_ATOMIC = re.compile(r"^.*(?:\b__atomic_|\.ATOMIC_)(?P<name>\w+) \((?P<arguments>.*)\);.*$", re.M)
_ORDER, _LAST_ORDER = 0x7FFF, 5  # of memory; what is beyond these bits are hints
_NAME = re.compile(r"\b_Z[\w.$]+")
_OF_THE_KIT = re.compile("_Z+N11cuda_on_cpu")
_OF_OBJECT = "_ZNSt17_Function_handlerI"  # how a std::function calls what it holds
_ENDS_OBJECT = re.compile(r"_ZNSt\w*D[012]Ev")  # at the program's end, if it is static
_RUNS_KERNEL = "_ZN11cuda_on_cpu11run_threadsI"


def find_unseen(listing: str, symbols: str) -> str:
    """FILE:LINE of the first such call in the code of kernels, and why; "" if there is none."""
    bodies = _bodies(listing)
    for body in bodies.values():  # a kernel may come there through a pointer
        if call := _of_no_order(body):
            return f"{_place(call[0])}: error: {UNANNOUNCED}"
    functions = {name: what for name, what in _SYMBOL.findall(symbols) if "Type: function" in what}
    taken = {name for name, what in functions.items() if "Address is taken." in what}
    in_kernels = _reached(bodies, {name for name in bodies if name.startswith(_RUNS_KERNEL)})
    for name in in_kernels:
        if call := _UNANNOUNCED.search(bodies[name]):
            return f"{_place(call[0])}: error: {UNANNOUNCED}"
    for name in (*in_kernels, *_through_pointers(bodies, in_kernels, taken)):
        if line := _moves_struct(bodies[name], bodies, functions.keys()):
            return f"{_place(line)}: error: {UNSEEN}"
    return ""


def names_of_recursive(listing: str) -> set[str]:
    """The plain names of the functions that may come to call themselves."""
    bodies = _bodies(listing)
    short = {name: plain for plain, name in _SHORT_NAME.findall(listing)}
    called = {name: bodies.keys() & set(_NAME.findall(body)) for name, body in bodies.items()}
    return {short.get(name, name) for name in called if name in _reached(bodies, called[name])}


def _through_pointers(bodies: dict[str, str], in_kernels: list[str], taken: Set[str]) -> list[str]:
    """What kernels may come to by an address: other kernels as well, which a pointer launches."""
    addresses = bodies.keys() & taken
    of_objects = {name for name in addresses if name.startswith(_OF_OBJECT)}
    found = _reached(bodies, addresses - of_objects)
    code = [bodies[name] for name in (*in_kernels, *found) if not _ENDS_OBJECT.match(name)]
    if any(_BY_POINTER.search(_PLACES.sub("", body)) for body in code):
        found += _reached(bodies, of_objects)
    return [name for name in found if not _OF_THE_KIT.match(name)]


def _reached(bodies: dict[str, str], begin: Set[str]) -> list[str]:
    """These functions, and all that they name."""
    waiting, reached = sorted(begin), set(begin)
    for name in waiting:  # grows while it is read
        new = bodies.keys() & set(_NAME.findall(bodies[name])) - reached
        reached |= new
        waiting += sorted(new)
    return waiting


def _moves_struct(body: str, bodies: dict[str, str], functions: Set[str]) -> str:
    """The first line with a call that takes a struct from memory, or returns one there."""
    for line in body.splitlines():
        if " (" not in line or "# DEBUG" in line or " __tsan_" in line:
            continue
        call = _CALL.match(_TEXT.sub('""', _PLACES.sub("", line)))
        if call and any(_is_in_memory(one, functions) for one in _operands(call, bodies)):
            return line
    return ""


def _operands(call: re.Match[str], bodies: dict[str, str]) -> list[str]:
    arguments, before = call["arguments"], ""
    while arguments != before:
        arguments, before = _NESTED.sub("", arguments), arguments
    result = call["result"] or ""
    if call["slot"] and _makes_in_place(bodies.get(call["called"], "")):
        result = ""
    return [result, *arguments.split(", ")]


def _makes_in_place(body: str) -> bool:
    returned = _RETURN.findall(body)
    return bool(returned) and all(_OF_OBJECT_IN_PLACE.fullmatch(one) for one in returned)


def _is_in_memory(operand: str, functions: Set[str]) -> bool:
    if operand.startswith(("&", '"')) or operand.partition(".")[0] in functions:  # an address
        return False
    return _IN_MEMORY.search(operand) is not None


def _of_no_order(body: str) -> re.Match[str] | None:
    """The first atomic with an order that does not exist. The kit announces those of CUDA."""
    if "__atomic_" not in body and ".ATOMIC_" not in body:  # as in most: a long text is read fast
        return None
    for call in _ATOMIC.finditer(body):
        orders = call["arguments"].split(", ")[-2 if "compare_exchange" in call["name"] else -1 :]
        if any(order.isdecimal() and int(order) & _ORDER > _LAST_ORDER for order in orders):
            return call
    return None


def _place(line: str) -> str:
    found = _PLACE.search(line)
    return f"{found[1].rpartition('/')[2]}:{found[2]}" if found else "an unknown line"


def _bodies(listing: str) -> dict[str, str]:
    """What each function consists of, by its name in the object file."""
    starts = [*_FUNCTION.finditer(listing)]
    ends = [one.start() for one in starts[1:]] + [len(listing)]
    return {one[1]: listing[one.end() : end] for one, end in zip(starts, ends, strict=True)}
