"""Who calls whom, and where: the compiler's -fcallgraph-info, read beside the user's tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .mangled import base_name, readable
from .rewrite import Unit
from .sides import DEVICE, HOST, KERNEL, Place, Sides, after_angle, qualified
from .suspects import INCLUDE
from .tokens import (
    Tokens,
    closing,
    is_blank,
    is_name,
    next_significant,
    previous_significant,
    significant,
)

_EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)" label: "([^"]*)"')
_NODE = re.compile(r'node: \{ title: "([^"]*)" label: "(.*)\\n([^"\\]*):(\d+):(\d+)"')
_PLACE = re.compile(r"(.*):(\d+):(\d+)$")
# What the device offers of the C library, besides <math.h>.
_DEVICE_C = frozenset(
    "printf vprintf malloc free memcpy memset strlen clock abs labs llabs".split()
)
_HEADERS_FOR_BOTH = frozenset(
    "math.h mathcalls.h mathcalls-helper-functions.h mathcalls-narrow.h iseqsig.h cmath std_abs.h "
    "new initializer_list".split()
)
_OWN_HEADERS_FOR_BOTH = ("small_float.hpp", "cuda_fp16.h", "cuda_bf16.h")
_STD = re.compile(r"_ZN?K?(?:St|9__gnu_cxx)")
_STD_FOR_BOTH = re.compile(r"_ZSt(?:4move|7forward|9addressof|11__addressof)I\w+")
_DEVICE_NAMES = re.compile(r"__(?!half)[a-z]|atomic[A-Z]|(?:tex|surf)[123]D")
# Of those that nvcc lets kernels call, the ones that are here.
_CUDA_OF_BOTH = frozenset(
    "cudaGetLastError cudaPeekAtLastError cudaGetErrorString cudaGetErrorName cudaGetDevice "
    "cudaStreamCreateWithFlags cudaStreamDestroy "
    "__tsan_memcpy __tsan_memmove __tsan_memset".split()  # rewrite.py: the C library's
)
_CUDA_OF_DEVICE = ("cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion")
_COOPERATIVE_GROUPS = ("_ZN18cooperative_groups", "_ZNK18cooperative_groups")


class CallList:
    """Functions are known by their title, which is the symbol of the linker."""

    def __init__(self, unit: Unit, sides: Sides, places: list[Place], path: Path) -> None:
        """`places` has a place for each token, in the text that was compiled."""
        tokens = unit.tokens
        self._tokens, self._scope_of, self._sides = tokens, unit.scope_of, sides
        twice = _told_twice(places, tokens)
        words = [(place, i) for i, place in enumerate(places) if not is_blank(tokens[i])]
        self._at = {place: i for place, i in words if place[:2] not in twice}
        self._files = {place[0] for place, _ in words}
        self._functions: dict[str, tuple[str, Place]] = {}
        self._edges: list[tuple[str, str, Place]] = []
        self._called_by: dict[str, list[str]] = {}
        self._of_this_file: set[str] = set()
        text = path.read_text(errors="replace") if path.is_file() else ""
        for line in text.splitlines():
            if node := _NODE.match(line):
                place = (node[3], int(node[4]), int(node[5]))
                self._functions[_title(node[1])] = (node[2], place)
            elif (edge := _EDGE.match(line)) and (found := _PLACE.match(edge[3])):
                source, target = _title(edge[1]), _title(edge[2])
                if ":" in edge[1]:
                    self._of_this_file.add(source)
                place = (found[1], int(found[2]), int(found[3]))
                self._edges.append((source, target, place))
                self._called_by.setdefault(source, []).append(target)

    def token_at(self, place: Place) -> int | None:
        return self._at.get(place)

    def calls(self) -> Iterator[tuple[int, int, str]]:
        """The token of a call and of its caller's name, both the user's, and the callee.

        A function of this file alone that nobody calls is compiled by no nvcc. What the compiler
        has written itself, as the destructor of a class, has the side of what it calls.
        """
        used = {target for _, target, _ in self._edges}
        for source, target, place in self._edges:
            at, caller = self._at.get(place), self._token(source)
            is_dead = source in self._of_this_file and source not in used
            if at is None or caller is None or is_dead:
                continue
            if not self._is_implicit(source):
                yield at, caller, target

    def _token(self, title: str) -> int | None:
        known = self._functions.get(title)
        return self._at.get(known[1]) if known else None

    def is_users(self, title: str) -> bool:
        return self._token(title) is not None

    def is_constexpr(self, title: str) -> bool:
        return self._functions.get(title, ("",))[0].startswith("constexpr")

    def through_implicit(self, target: str) -> list[str]:
        """The function; of one that the compiler has written itself, what it calls."""
        found = [target]
        for title in found:  # grows while it is read
            if self._is_implicit(title):
                found += [one for one in self._called_by.get(title, []) if one not in found]
        return [title for title in found if not self._is_implicit(title)]

    def _is_implicit(self, title: str) -> bool:
        """A constructor or the like that stands where its class does, or is `= default`."""
        token, tokens = self._token(title), self._tokens
        if token is None or tokens[token] == "[":
            return False
        if tokens[previous_significant(tokens, token - 1)] in ("struct", "class", "union"):
            return True
        name = self._last_name(token)
        name = tokens.index("(", name) if tokens[name] == "operator" else name
        start = next_significant(tokens, name + 1)
        if tokens[start : start + 1] != ["("]:
            return False
        after = next_significant(tokens, closing(tokens, start) + 1)
        while after < len(tokens) and tokens[after] in ("noexcept", "const"):
            after = next_significant(tokens, after + 1)
        return significant(tokens, after, after + 4)[:2] == ["=", "default"]

    def side(self, title: str) -> str:
        """The side of a function; "" if it is for both or nothing is known."""
        token = self._token(title)
        if token is not None:
            return self.side_of_token(token)
        _, (file, _, _) = self._functions.get(title, ("", ("", 0, 0)))
        return _side_in_library(title, file) if file and file not in self._files else ""

    def side_of_token(self, token: int) -> str:
        tokens, name = self._tokens, self._last_name(token)
        if function := self._sides.functions.get(token) or self._sides.functions.get(name):
            return function.side
        around = self._sides.around(token)
        if tokens[token] == "[":
            side = around.side if around else HOST
            return DEVICE if side == KERNEL else side
        if around or not (is_name(tokens[token]) or tokens[token] == "~"):
            return ""
        # A qualifier at another declaration holds for this one, too.
        known = qualified(tokens, name, self._scope_of[name]) in self._sides.qualified
        return "" if known else HOST

    def spelled(self, title: str) -> str:
        token = self._token(title)
        return readable(title) if token is None else self.spelled_token(token)

    def spelled_token(self, token: int) -> str:
        tokens, name = self._tokens, self._last_name(token)
        if tokens[name] == "operator":
            end = tokens.index("(", next_significant(tokens, name + 1) + 1)
            words = significant(tokens, name, end)
            return words[0] + (" " if is_name(words[1]) else "") + "".join(words[1:])
        if tokens[name] == "~":
            return "~" + tokens[next_significant(tokens, name + 1)]
        return "a lambda" if tokens[name] == "[" else tokens[name]

    def _last_name(self, token: int) -> int:
        """`f` of `A::f`, which a compiler places at `A`."""
        tokens, i = self._tokens, token
        while True:
            after = next_significant(tokens, i + 1)
            if tokens[after : after + 1] == ["<"]:
                after = next_significant(tokens, after_angle(tokens, after))
            if tokens[after : after + 1] != ["::"]:
                return i
            i = next_significant(tokens, after + 1)


def _told_twice(places: list[Place], tokens: Tokens) -> set[tuple[str, int]]:
    """Lines in which two words may have one place. The preprocessor begins a line anew after a
    system header's macro, as NULL is one, and counts its columns from there."""
    found: set[tuple[str, int]] = set()
    end = ("", 0, 0)
    for i, (file, line, column) in enumerate(places[:-1]):
        if is_blank(tokens[i]):
            continue
        if end[:2] == (file, line) and column < end[2]:
            found.add((file, line))
        end = (file, line, max(column, places[i + 1][2]))
    return found


def _title(text: str) -> str:
    """A function's symbol; of the variants of constructors and destructors the first."""
    return re.sub(r"([CD])[0245](?=[IE])", r"\g<1>1", text.rpartition(":")[2])


def _side_in_library(title: str, file: str) -> str:
    name, base = Path(file).name, base_name(title)
    if name in _OWN_HEADERS_FOR_BOTH:
        return ""
    if Path(file).is_relative_to(INCLUDE):
        if base in _CUDA_OF_BOTH:
            return ""
        if re.match(r"cuda[A-Z]", base) and base not in _CUDA_OF_DEVICE:
            return HOST
        of_device = title.startswith(_COOPERATIVE_GROUPS) or base in _CUDA_OF_DEVICE
        of_device = of_device or _DEVICE_NAMES.match(base)
        return DEVICE if of_device else ""
    if name in _HEADERS_FOR_BOTH:
        return HOST if base == "lerp" else ""
    if _STD.match(title):
        return "" if _STD_FOR_BOTH.fullmatch(title) else HOST
    is_known = title.isidentifier() and not title.startswith("_") and title not in _DEVICE_C
    return HOST if is_known else ""
