"""What C() does, as the classes of a file say: its own lines, its bases' and its members' work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .scopes import declaration_start
from .tokens import Tokens, closing, is_name, next_significant, significant

CLASS_KEYS = ("struct", "class")
NUMBERS = ("int", "char", "short", "long", "unsigned", "signed", "float", "double", "bool")
_NO_MEMBER = frozenset(("using", "typedef", "friend", "static", "template", "operator", "enum"))
_KEYS = frozenset((*CLASS_KEYS, "union", "enum"))
_ACCESS = ("public", "private", "protected")


@dataclass(frozen=True)
class _Work:
    """Of one C(); it is late if a compiler cannot do it."""

    is_some: bool = False
    is_late: bool = False
    is_partly: bool = False  # only because members without a value stand beside others
    is_possible: bool = True  # the class has such a constructor


class Constructors:
    """Whether C() has something to do. A class of another file has nothing."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._found: dict[str, _Work] = {}
        self._classes: dict[str, list[int]] = {}
        for i, token in enumerate(tokens):
            if token in CLASS_KEYS and (name := next_significant(tokens, i + 1)) < len(tokens):
                self._classes.setdefault(tokens[name], []).append(name)

    def work_of(self, name: str, in_function: bool = False) -> bool:
        work = self._work(name)  # nvcc does not mind such members in a static variable
        return work.is_some and not (in_function and work.is_partly)

    def work_late(self, name: str, in_function: bool = False) -> bool:
        """It does so when the program runs: no compiler can do all of it."""
        work = self._work(name)
        return work.is_late and not (in_function and work.is_partly)

    def are_missing(self, name: str) -> bool:
        return not self._work(name).is_possible

    def _work(self, name: str) -> _Work:
        if name not in self._found:
            self._found[name] = _Work()  # a class that names itself
            classes = [] if name in NUMBERS else self._classes.get(name, [])
            works = [work for i in classes if (work := self._in_class(name, i))]
            self._found[name] = max(works, key=lambda one: one.is_some, default=_Work())
        return self._found[name]

    def _in_class(self, name: str, index: int) -> _Work | None:
        """Nothing of a class that is only declared."""
        tokens = self._tokens
        brace = next((j for j in range(index, len(tokens)) if tokens[j] in ("{", ";", "(")), index)
        if tokens[brace] != "{":
            return None
        end = closing(tokens, brace)
        own = list(_constructors(tokens, name, brace + 1, end))
        mine = next((i for i in own if _needs_nothing(_parameters(tokens, i))), -1)
        if mine < 0 and own and "using" not in tokens[brace:end]:
            return _Work(is_possible=False)
        after = _body_of(tokens, mine, end) if mine >= 0 else -1
        is_early = after < 0 or _is_early(tokens, mine)
        if after >= 0 and tokens[after] in (":", "{") and _has_work(tokens, after):
            return _Work(True, not is_early)
        parts = self._parts(index, brace, end)
        is_late = parts.is_some and not is_early
        return _Work(parts.is_some, parts.is_late or is_late, parts.is_partly and not is_late)

    def _parts(self, name: int, brace: int, end: int) -> _Work:
        """Of the bases, the members and their values, and a table of virtual functions."""
        tokens = self._tokens
        names = [word for word in significant(tokens, name + 1, brace) if is_name(word)]
        members = [significant(tokens, *place) for place in _members(tokens, brace + 1, end)]
        has_values = any({"=", "{"} & set(words) for words in members)
        has_table = "virtual" in tokens[brace:end]
        is_some, is_late, is_open = has_values or has_table, False, False
        for base in names:
            is_some |= self.work_of(base)
            is_late |= self.work_late(base)
        for words in members:
            if {"=", "{", "*", "&"} & set(words):
                is_open |= not {"=", "{"} & set(words)
                continue
            kinds = [word for word in words if self.work_of(word)]
            is_some |= bool(kinds)
            is_late |= any(map(self.work_late, kinds))
            is_open |= not kinds
        return _Work(
            is_some, is_late or (is_some and is_open), is_open and has_values and not is_late
        )


def _constructors(tokens: Tokens, name: str, begin: int, end: int) -> Iterator[int]:
    """Where each is declared, without those that only copy or move."""
    i = begin
    while i < end:
        if tokens[i] == "{":
            i = closing(tokens, i)
        elif tokens[i] == name and tokens[next_significant(tokens, i + 1)] == "(":
            head = significant(tokens, declaration_start(tokens, i), i)
            given = _parameters(tokens, i)
            copies = name in given and "&" in given and "," not in given
            if head[-1:] != ["~"] and "=" not in head and not copies:
                yield i
            i = closing(tokens, next_significant(tokens, i + 1))
        i += 1


def _parameters(tokens: Tokens, name: int) -> Tokens:
    parenthesis = next_significant(tokens, name + 1)
    return significant(tokens, parenthesis + 1, closing(tokens, parenthesis))


def _needs_nothing(parameters: Tokens) -> bool:
    return not parameters or parameters.count("=") == parameters.count(",") + 1


def _body_of(tokens: Tokens, name: int, end: int) -> int:
    """The first of `: { = ;` after the parameters; -1 for `= default`."""
    last = closing(tokens, next_significant(tokens, name + 1))
    after = next((j for j in range(last, end) if tokens[j] in (":", "{", "=", ";")), end)
    return -1 if tokens[after] == "=" else after


def _is_early(tokens: Tokens, name: int) -> bool:
    head = tokens[declaration_start(tokens, name) : name]
    return not {"constexpr", "consteval"}.isdisjoint(head)


def _has_work(tokens: Tokens, index: int) -> bool:
    if tokens[index] == ":":
        return True
    return bool(significant(tokens, index + 1, closing(tokens, index)))


def _members(tokens: Tokens, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the variables of an object are declared."""
    i = first = begin
    while i < end:
        if tokens[i] == "(":
            i = closing(tokens, i)
        elif tokens[i] == "{":
            last = closing(tokens, i)
            ends = tokens[next_significant(tokens, last + 1)] in (";", ",")
            is_value = ends and _KEYS.isdisjoint(tokens[first:i])
            first = first if is_value else last + 1  # after a function or a class within the class
            i = last
        elif tokens[i] == ":" and set(significant(tokens, first, i)) & set(_ACCESS):
            first = i + 1
        elif tokens[i] == ";":
            words = significant(tokens, first, i)
            if words and _NO_MEMBER.isdisjoint(words) and not _is_function(words):
                yield first, i
            first = i + 1
        i += 1


def _is_function(words: Tokens) -> bool:
    value = next((i for i, word in enumerate(words) if word in ("=", "{")), len(words))
    return "(" in words[:value]
