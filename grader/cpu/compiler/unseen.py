"""What a kernel writes without an announcement by g++, as its listing of the program shows it.

A struct that a call returns directly to memory: by_value.py has most of these calls inlined. What
is left are functions that call themselves, and those that are called through a pointer.

An atomic that g++ leaves as it is because its memory order does not exist, and a copy or fill that
it writes as moves of its own because it knows the size.
"""

from __future__ import annotations

import re

LISTING = "-fdump-tree-optimized-asmname-lineno={}"
UNSEEN = (
    "a function that is called through a pointer, or that calls itself, returns a struct directly "
    "to memory, which the checker does not see: assign it to a local variable first"
)
UNANNOUNCED = (
    "the compiler does not announce what this writes, so the checker does not see it: use an order "
    "of memory that exists, plain assignments, or CUDA's atomics"
)
_FUNCTION = re.compile(r"^;; Function .*? \(([\w.$]+), funcdef_no=", re.M)
_PLACE = re.compile(r"\[([^\[\]\n]*):(\d+):\d+")
_RETURNED = re.compile(r"^(?P<line>.*?) = .*\[return slot optimization\]", re.M)
# A local variable has its plain name. Nothing is cut off first: a #line may name files as it likes.
_TO_MEMORY = re.compile(r"\*|\bMEM\b|\b_Z")
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
_RUNS_KERNEL = "_ZN11cuda_on_cpu11run_threadsI"


def find_unseen(listing: str) -> str:
    """FILE:LINE of the first such call in the code of kernels, and why; "" if there is none."""
    bodies = _bodies(listing)
    for body in bodies.values():  # a kernel may come there through a pointer
        if call := _of_no_order(body):
            return f"{_place(call[0])}: error: {UNANNOUNCED}"
    waiting = [name for name in bodies if name.startswith(_RUNS_KERNEL)]
    reached = set(waiting)
    for name in waiting:  # grows while it is read
        for call in _RETURNED.finditer(bodies[name]):
            if _TO_MEMORY.search(call["line"]):
                return f"{_place(call['line'])}: error: {UNSEEN}"
        if call := _UNANNOUNCED.search(bodies[name]):
            return f"{_place(call[0])}: error: {UNANNOUNCED}"
        new = bodies.keys() & set(_NAME.findall(bodies[name])) - reached
        reached |= new
        waiting += sorted(new)
    return ""


def _of_no_order(body: str) -> re.Match[str] | None:
    """The first atomic with an order that does not exist. The kit announces those of CUDA."""
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
