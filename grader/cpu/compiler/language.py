"""The rules about host and device that nvcc enforces and a C++ compiler does not know.

    kernels.cu:12:9: error: kernel `k` calls `count`, a function of the host: mark it __device__

A file with suspects (suspects.py) is compiled once more, without inlining. The compiler's list of
calls and its warnings about marked names say what is really used, and where: overloads, templates
and scopes are resolved by then. What is not proved so is no error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from . import (
    captures,
    device_side,
    function_addresses,
    host_copies,
    lenient,
    plain_rules,
    refusals,
    variable_arrays,
)
from .call_list import CallList
from .casts import wrong_casts
from .constructed import arrays, shared_constructors, unfit
from .options import EXTENDED_LAMBDA, RELAXED_CONSTEXPR
from .redeclared import redeclared
from .rewrite import Unit
from .scopes import declaration_start
from .sides import BOTH, DEVICE, HOST, KERNEL, Function, Sides, positions
from .suspects import constexpr_functions, has_suspects, host_variables
from .tokens import Tokens, is_name, previous_significant, significant

_MARK = "warpwise: of the host"
_MARKED = re.compile(rf"^(.*?):(\d+):(\d+): warning: '(.*)' is deprecated: {_MARK}", re.MULTILINE)
# As the C++ library writes it, for the methods of std::atomic. Headers of a library are one token.
_INLINED = "inline __attribute__((__always_inline__))"
_OF_CUDA = re.compile(r"cuda[A-Z]\w*")
_LIMITS = "max", "min", "lowest", "infinity", "epsilon", "quiet_NaN"
_INSTEAD = {
    "std::max": "CUDA has max(a, b)",
    "std::min": "CUDA has min(a, b)",
    "std::clamp": "CUDA has min and max",
    **dict.fromkeys(
        ("cudaMalloc", "cudaFree"),
        "kernels take memory from malloc() and give it back with free(), or get it as an argument "
        "(nvcc takes this call with -rdc=true)"),
    "std::swap": "exchange the two through a third variable",
    **{f"std::numeric_limits::{limit}": "CUDA has INT_MAX, FLT_MAX, INFINITY and the like"
       for limit in _LIMITS},
}  # fmt: skip

_EXTENDED = (
    "__device__ on a lambda needs nvcc's flag --extended-lambda, which is not given: write a "
    "struct with a __device__ operator()"
)
_NOT_FOR_DEVICES = ("throw", "try", "dynamic_cast", "typeid", "thread_local")
_UNEVALUATED = ("sizeof", "decltype", "alignof", "typeid", "noexcept")

Mistake = tuple[int, str]  # the index of a token, and a sentence


class Rules:
    """What nvcc says of a translation unit, if it gets these of the user's flags. A submission is
    compiled without -rdc=true; what other programs get is not known."""

    def __init__(self, unit: Unit, flags: frozenset[str], is_submission: bool = False) -> None:
        self._is_submission = is_submission
        self._tokens = unit.tokens
        self._unit = unit
        self._sides = Sides(unit.tokens, unit.scope_of)
        refusals.refuse_impossible_kernels(unit.tokens, self._sides)
        refusals.refuse_other_launches(unit.tokens, unit.scope_of, self._sides)
        self._relaxed = bool(flags & RELAXED_CONSTEXPR)
        self._extended = bool(flags & EXTENDED_LAMBDA)

    def plain_mistakes(self) -> list[Mistake]:
        """What the text alone proves."""
        found: list[Mistake] = [*plain_rules.errors(self._tokens, self._unit.scope_of, self._sides)]
        for i in plain_rules.host_code_with_index(self._tokens, self._unit.scope_of, self._sides):
            found.append((i, f"host code uses `{self._tokens[i]}`, which only threads of a kernel "
                             "have"))  # fmt: skip
        for i in plain_rules.shared_of_the_host(self._tokens, self._unit.scope_of, self._sides):
            found.append((i, "a __shared__ variable in a function of the host: only kernels and "
                             "__device__ functions have shared memory"))  # fmt: skip
        found += redeclared(self._tokens, self._unit.scope_of, self._sides)
        bodies = [one.body for one in self._sides.device_bodies() if one.body]
        found += arrays(self._tokens, self._unit.scope_of, bodies)
        found += unfit(self._tokens, self._unit.scope_of, self._sides.computing(self._tokens))
        if not self._extended:
            found += [(one.name, _EXTENDED) for one in self._sides.lambdas]
        for i, name in captures.by_reference(self._tokens, self._sides):
            found.append((i, f"a __device__ lambda captures {name} by reference, and a kernel "
                             "cannot use what the host has: capture by value, [=]"))  # fmt: skip
        for function in self._sides.device_bodies():
            for i in range(*(function.body or (0, 0))):
                word = self._tokens[i]
                if word in _NOT_FOR_DEVICES:
                    user = self._user(function.name)
                    found.append((i, f"{user} uses `{word}`, which devices do not have"))
                elif word == "std" and (name := _computed_early(self._tokens, i)):
                    if not self._relaxed:
                        found.append((i, self._of_host(function.name, f"std::{name}", False)))
        return found

    def warnings(self) -> list[Mistake]:
        """What nvcc only warns of."""
        found = plain_rules.warnings(self._tokens, self._unit.scope_of, self._sides)
        functions = function_addresses.functions_as_arguments(
            self._tokens, self._unit.scope_of, self._sides
        )
        addresses = dict(host_copies.warnings(self._tokens, self._unit.addresses))
        others = [mistake for mistake in found if mistake[0] not in addresses]
        casts = wrong_casts(self._tokens, self._unit.scope_of)
        empty = lenient.warnings(self._tokens, self._unit.scope_of)
        taken = function_addresses.addresses_of_functions(
            self._tokens, self._unit.scope_of, self._sides
        )
        children = plain_rules.launches_by_kernels(self._tokens, self._sides)
        shared = plain_rules.variables_of_several_files(self._tokens, self._unit.scope_of)
        refused = (*children, *shared) if self._is_submission else ()
        told = (*taken, *addresses.items(), *casts, *empty, *shared_constructors(self._tokens))
        return [*others, *functions, *told, *refused]

    def are_in_doubt(self) -> bool:
        return has_suspects(
            self._tokens, self._unit.scope_of, self._sides
        ) or variable_arrays.may_be_there(self._tokens, self._sides)

    def text_to_compile(self) -> Tokens:
        """The rewritten text with marks; nothing in it has to be inlined."""
        pairs = zip(self._tokens, self._unit.rewritten, strict=True)
        # What is called is called by its own name. A type may be part of a declaration that was
        # moved to another token: then nothing is left here.
        text = [old if new and _OF_CUDA.fullmatch(old) else new for old, new in pairs]
        places = host_variables(self._tokens, self._unit.scope_of, self._sides)
        if not self._relaxed:
            places += constexpr_functions(self._tokens, self._unit.scope_of, self._sides)
        for i in places:
            text[i] += f' __attribute__((deprecated("{_MARK}")))'
        return ["unused" if word == "always_inline" else word.replace(_INLINED, "inline")
                for word in text]  # fmt: skip

    def mistakes(self, compiled: Tokens, calls: Path, said: str) -> list[Mistake]:
        """What the second compilation proves; `said` is what the compiler printed."""
        listed = CallList(self._unit, self._sides, positions(compiled), calls)
        found = dict.fromkeys(self._calls(listed))
        found.update(dict.fromkeys(self._uses_of_marked(listed, said)))
        found.update(dict.fromkeys(self._variable_arrays(listed, said)))
        return sorted(found)

    def _calls(self, listed: CallList) -> Iterator[Mistake]:
        for at, caller, target in listed.calls():
            around = self._sides.around(at)
            side = around.side if around else listed.side_of_token(caller)
            user = around.name if around else caller
            reached = listed.through_implicit(target) if side in (DEVICE, KERNEL) else [target]
            for title in reached:
                if sentence := self._objection(listed, side, user, title, around is not None):
                    yield at, sentence

    def _objection(
        self, listed: CallList, side: str, user: int, title: str, is_inside: bool
    ) -> str:
        callee, name = listed.side(title), listed.spelled(title)
        if callee == KERNEL:
            return (f"kernel `{name}` is called like a function: launch it, "
                    f"{name}<<<grid, block>>>(...)")  # fmt: skip
        if side == HOST and not is_inside and callee == DEVICE:
            caller = listed.spelled_token(user)
            return (f"host function `{caller}` calls `{name}`, a function of the device: only "
                    "kernels and __device__ functions may")  # fmt: skip
        if side == BOTH and callee == DEVICE and listed.is_users(title):
            function = self._sides.functions.get(user)
            if function and not function.is_template and not self._asks_for_side(function):
                return (f"a __host__ __device__ function calls `{name}`, which only the device "
                        "has: mark that one __host__ __device__, too")  # fmt: skip
        if side in (DEVICE, KERNEL) and callee == HOST:
            if not (self._relaxed and listed.is_constexpr(title)):
                return self._of_host(user, name, listed.is_users(title))
        return ""

    def _uses_of_marked(self, listed: CallList, said: str) -> Iterator[Mistake]:
        """Variables and constexpr functions of the host that device code names."""
        for file, line, column, name in _MARKED.findall(said):
            at = listed.token_at((file, int(line), int(column)))
            around = self._sides.around(at) if at is not None else None
            if at is None or around is None or around.side not in (DEVICE, KERNEL):
                continue
            if _is_unevaluated(self._tokens, at, (around.body or (0, 0))[0]):
                continue
            if ")" in name:
                plain = re.sub(r"\(.*|.*[ *&:](?=\w+\()", "", name)
                yield at, self._of_host(around.name, plain, True)
            else:
                yield at, (f"{self._user(around.name)} uses `{name}`, a variable of the host: pass "
                           "it as an argument, or mark it __device__ or __constant__")  # fmt: skip

    def _asks_for_side(self, function: Function) -> bool:
        first, last = function.body or (0, 0)
        return device_side.ASKS in self._tokens[first:last]

    def _variable_arrays(self, listed: CallList, said: str) -> Iterator[Mistake]:
        for file, line, column in variable_arrays.SAID.findall(said):
            at = listed.token_at((file, int(line), int(column)))
            if at is not None and self._sides.around(at):
                yield at, variable_arrays.sentence(self._tokens[at])

    def _of_host(self, caller: int, called: str, is_users: bool) -> str:
        user = self._user(caller)
        if called == "a lambda":
            return f"{user} calls a lambda of the host: pass a struct with a __device__ operator()"
        advice = ": mark it __device__" if is_users else ""
        if called in _INSTEAD:
            advice = f": {_INSTEAD[called]}"
        return f"{user} calls `{called}`, a function of the host{advice}"

    def _user(self, caller: int) -> str:
        function = self._sides.functions.get(caller)
        if function is None or not is_name(self._tokens[caller]):
            return "device code"
        word = "kernel" if function.side == KERNEL else "device function"
        return f"{word} `{self._tokens[caller]}`"


def _is_unevaluated(tokens: Tokens, index: int, first: int) -> bool:
    """Inside `sizeof (...)` and the like."""
    depth = 0
    for i in range(index - 1, first, -1):
        depth += (tokens[i] == ")") - (tokens[i] == "(")
        if tokens[i] in (";", "{", "}"):
            return False
        if tokens[i] in _UNEVALUATED and depth <= 0:
            return True
    return False


def _computed_early(tokens: Tokens, index: int) -> str:
    """The name after `std::` of a call that a compiler may compute before it lists calls."""
    words = significant(tokens, index, min(index + 60, len(tokens)))
    before = previous_significant(tokens, index - 1)
    if tokens[before] == "::" and tokens[previous_significant(tokens, before - 1)] == "cuda":
        return ""
    if "static_assert" in tokens[declaration_start(tokens, index) : index]:
        return ""
    if words[1:3] == ["::", "numeric_limits"] and words[3:4] == ["<"] and ">" in words:
        end = words.index(">")
        is_call = words[end + 1 : end + 2] == ["::"] and words[end + 3 : end + 4] == ["("]
        return f"numeric_limits::{words[end + 2]}" if is_call else ""
    return words[2] if words[2] in ("max", "min", "clamp") and words[3] in ("(", "<") else ""


def report(unit: Unit, mistakes: list[Mistake], word: str = "error") -> str:
    """One line for each, as a compiler writes them, with the columns of the user's text."""
    lines: dict[tuple[str, int, str], int] = {}
    for at, text in sorted(mistakes):
        file, line, column = unit.places[at]
        lines.setdefault((file, line, text), column)
    return "".join(f"{file}:{line}:{column}: {word}: {text}\n"
                   for (file, line, text), column in lines.items())  # fmt: skip
