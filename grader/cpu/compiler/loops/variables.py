"""What a function declares, and how a part of it may have a variable that a part before declared:
by computing it again, or by getting the value that was kept."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..sides import Function, after_angle
from ..tokens import (
    Tokens,
    closing,
    is_blank,
    is_name,
    next_significant,
    previous_significant,
    significant,
    split_commas,
)
from .expressions import QUALIFIERS, SAME, Changes, Expressions, Known, Variable
from .operators import TYPES
from .parts import NotALoop

READ = "::cuda_on_cpu::value_of"  # a constant's value that is none for the compiler
_AFTER_STAR = ("*", "const", "__restrict__", "__restrict", "&")
_NO_DECLARATION = frozenset(
    "return if for while do switch break continue goto delete throw else case new using typedef "
    "static_assert static extern default try asm".split()
)  # fmt: skip


class Declarations:
    """Reads `const int t = threadIdx.x, half = n / 2;`."""

    def __init__(
        self, tokens: Tokens, rewritten: Tokens, expressions: Expressions, changes: Changes
    ) -> None:
        self._tokens, self._rewritten = tokens, rewritten
        self._expressions, self._changes = expressions, changes

    def read(
        self, first: int, last: int, known: Known, end: int, changing: set[str]
    ) -> list[Variable] | None:
        """The variables of a statement, in their order; None if it declares none. `last` is the
        semicolon. Only those that are `changing` get another value up to the token `end`: of all
        others that do, only their threads know it."""
        start = self._declarator(first, last)
        if start is None:
            return None
        found: list[Variable] = []
        scope = dict(known)
        for begin, stop in self._split(start, last):
            variable = self._variable(first, start, (begin, stop), scope)
            name = variable.name
            variable.changes = name in changing and variable.kind == SAME and not variable.is_const
            if not variable.changes and self._changes.of(name, stop + 1, end):
                variable.kind = ""
            scope[variable.name] = variable
            found.append(variable)
        return found

    def text(self, first: int, last: int) -> str:
        """What is compiled, in one line."""
        read = self._rewritten[first : last + 1]
        pieces = ("" if token.startswith("#") else token for token in read)
        return " ".join("".join(pieces).split())

    def _declarator(self, first: int, last: int) -> int | None:
        """Where the first declarator begins, after the type."""
        tokens, at, has_type = self._tokens, first, False
        if tokens[first] in _NO_DECLARATION:
            return None
        while at < last:
            token = tokens[at]
            if token in QUALIFIERS or token in TYPES:
                has_type |= token in TYPES
            elif is_name(token) and not has_type:
                at = self._end_of_type(at)
                has_type = True
            else:
                break
            at = next_significant(tokens, at + 1)
        name = at
        while name < last and tokens[name] in _AFTER_STAR:
            name = next_significant(tokens, name + 1)
        if not has_type or name >= last or not is_name(tokens[name]):
            return None
        after = tokens[next_significant(tokens, name + 1)]
        return at if after in ("=", ";", ",", "[", "{", "(", ")") else None

    def _end_of_type(self, at: int) -> int:
        """The last token of `std::vector<int>::size_type`."""
        tokens = self._tokens
        while True:
            after = next_significant(tokens, at + 1)
            if tokens[after] == "<":
                end = previous_significant(tokens, after_angle(tokens, after) - 1)
                if tokens[end] not in (">", ">>>"):
                    return at
                at, after = end, next_significant(tokens, end + 1)
            if tokens[after] != "::":
                return at
            at = next_significant(tokens, after + 1)

    def _split(self, first: int, last: int) -> list[tuple[int, int]]:
        """Each declarator, without commas."""
        tokens, parts, begin, at = self._tokens, [], first, first
        while at < last:
            if tokens[at] in ("(", "[", "{"):
                at = closing(tokens, at)
            elif tokens[at] == ",":
                parts.append((begin, previous_significant(tokens, at - 1)))
                begin = next_significant(tokens, at + 1)
            at += 1
        return [*parts, (begin, previous_significant(tokens, last - 1))]

    def _variable(
        self, first: int, start: int, declarator: tuple[int, int], known: Known
    ) -> Variable:
        """`first` begins the statement, `start` its first declarator."""
        tokens = self._tokens
        begin, end = declarator
        name = begin
        while tokens[name] in _AFTER_STAR:
            name = next_significant(tokens, name + 1)
        if not is_name(tokens[name]):
            raise NotALoop  # a comma of a template's arguments
        value = next_significant(tokens, name + 1)
        while value <= end and tokens[value] == "[":
            value = next_significant(tokens, closing(tokens, value) + 1)
        stars, said = significant(tokens, begin, name), significant(tokens, first, start)
        variable = Variable(tokens[name], "", (begin, name, end), is_pointer=bool(stars))
        variable.is_const = "const" in (stars or said) or "constexpr" in said
        if "&" in stars:
            return variable
        bounds = self.text(name + 1, previous_significant(tokens, value - 1))
        written = self.text(first, previous_significant(tokens, start - 1))
        skip = next_significant(tokens, value + 1) if tokens[value] == "=" else value
        has_value = tokens[skip] != "{" and (tokens[value] == "=" or tokens[skip] != "(")
        if value <= end and not bounds and has_value:
            variable.kind, variable.needs = self._expressions.kind(skip, end, known)
        if variable.kind == SAME and not (variable.needs or variable.is_const or stars):
            if tokens[value] == "=":
                variable.equals = value
            else:
                variable.kind = ""
        variable.reads = value <= end and not variable.kind and self._reads(skip, known)
        variable.is_array = bool(bounds)
        is_number = "<" not in said and not (TYPES - {"auto"}).isdisjoint(said)
        variable.is_class = not stars and not is_number
        if (stars or variable.is_class) and not variable.kind:
            variable.may_point = self._expressions.may_point(name + 1, end, known)
        said_at_last = self.text(name, end)
        if variable.equals >= 0:
            said_at_last = f"{variable.name} = {READ}({self.text(skip, end)})"
        variable.text = f"{written} {' '.join(stars)} {said_at_last};"
        if not {"auto", "volatile"} & set(said) and not variable.may_point:
            self._write_type(variable, written, stars, bounds)
        return variable

    def _reads(self, value: int, known: Known) -> bool:
        """Whether a value that each thread has for itself comes from memory or a call."""
        if self._tokens[value] != "{":
            return True
        end = closing(self._tokens, value)
        return not self._expressions.kind(value + 1, end - 1, known)[0]

    def _write_type(self, variable: Variable, written: str, stars: list[str], bounds: str) -> None:
        """Without `const`, so that a value can come into it. A '>' in an array's bound would end
        the arguments of a template."""
        written = re.sub(r"\bconstexpr\b" if stars else r"\b(constexpr|const)\b", "", written)
        loose = re.sub(r"\s*const$", "", " ".join(stars))
        variable.bare = f"{written} {loose} {variable.name}{bounds};"
        inside = bounds.replace("[", "[(").replace("]", ")]")
        variable.type = f"{written} {loose}{inside}"


def shared_variables(tokens: Tokens, first: int, last: int) -> list[Variable]:
    """What a statement with __shared__ declares. All threads have the address of an array, but not
    what is in shared memory."""
    found, at = [], first
    while at <= last:
        after = tokens[next_significant(tokens, at + 1)] if at < last else ""
        if tokens[at] in ("(", "{", "["):
            at = closing(tokens, at)
        elif is_name(tokens[at]) and after in ("[", ";", ","):
            kind = SAME if after == "[" else ""
            found.append(Variable(tokens[at], kind, is_of_block=True))
        at += 1
    return found


def parameters(tokens: Tokens, function: Function) -> list[Variable]:
    """Raises NotALoop for those through which a thread could change what all have."""
    end = closing(tokens, function.parenthesis)
    found: list[Variable] = []
    words: Tokens = []
    depth = 0
    for i in range(function.parenthesis + 1, end + 1):
        token = tokens[i]
        depth += token in ("(", "[", "<")
        if i == end or (token == "," and depth == 0):
            if words and words != ["void"]:
                found.append(_parameter(words))
            words = []
            continue
        depth -= token in (")", "]") or (token.count(">") if token in (">", ">>>") else 0)
        if not is_blank(token):
            words.append(token)
    return found


def by_value(
    tokens: Tokens, functions: Iterable[Function]
) -> tuple[set[tuple[str, int]], set[str]]:
    """The arguments that functions get copies of, or may not change: name and place. And the names
    of which one function gets a copy where another one may change the argument."""
    copied: set[tuple[str, int]] = set()
    others: set[tuple[str, int]] = set()
    for one in functions:
        end = closing(tokens, one.parenthesis)
        each = split_commas(significant(tokens, one.parenthesis + 1, end))
        for place, words in enumerate(each):
            is_copy = "const" in words or not {"&", "..."} & set(words)
            (copied if is_copy else others).add((tokens[one.name], place))
    return copied - others, {name for name, _ in copied & others}


def _parameter(words: Tokens) -> Variable:
    if "=" in words:
        words = words[: words.index("=")]
    named = [word for word in words if is_name(word)]
    if "." in words or "..." in words or "(" in words or "[" in words or len(named) < 2:
        raise NotALoop
    is_reference = "&" in words
    if is_reference and "const" not in words:
        raise NotALoop
    is_class = "*" not in words and TYPES.isdisjoint(words)
    return Variable(
        named[-1], SAME, is_of_block=True, is_lent=not is_reference, is_class=is_class
    )
