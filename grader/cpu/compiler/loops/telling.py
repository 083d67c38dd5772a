"""Where a text can tell whether a variable is a constant: in a loop over threads many are, that are
none in the text. It can where a reference is bound to the variable whose type the text leaves open:

    template <class T> __device__ bool is_constant(T &) { return std::is_const_v<T>; }
    ...
    out[t] = is_constant(n);    auto &also = n;    out[t] = f(&n);    view.place() = 1;

A function that takes a copy cannot tell, nor what reads the variable's value at once: `n + 1`,
`tile[n]`. Of functions in headers only those in namespaces keep references.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass

from ..by_value import after_captures
from ..scopes import FUNCTION, Scope
from ..sides import Function, Sides, after_angle
from ..tokens import (
    RewriteError,
    Tokens,
    closing,
    is_blank,
    is_name,
    next_significant,
    opening_angle,
    previous_significant,
    significant,
    split_commas,
)
from .names import PURE
from .operators import ASSIGNS, TYPES, Words, is_unary, operators

# Next to one of these a variable is read, unless an operator of the text takes a reference.
_READS = ASSIGNS | frozenset("+ - * / % < > <= >= == != << >> | ^ && || ! ~ -> ++ -- ?".split())
_TAKE_VALUES = PURE | TYPES | frozenset(
    "if while switch for return constexpr alignof static_cast reinterpret_cast const_cast".split()
)  # fmt: skip
_OF_CUDA = re.compile(r"__\w+|atomic\w+|(tex|surf)[123]?D\w+")  # they take values, or pointers
_NEW_TYPES = frozenset("using typedef class struct union enum typename".split())
_NO_TYPES = frozenset("return else do case throw co_return".split())
_MEMBER_OR_TYPE = ("::", ".", ">", "*", "&", "->")  # before a name: it is declared, or qualified


def binds(words: Tokens) -> bool:
    """Whether these words of a declaration, up to its name, make a reference through which it can
    be told what it is bound to; also one of any number."""
    outside, depth = Tokens(), 0
    for word in words:
        depth += word == "<"
        if depth <= 0:
            outside.append(word)
        depth -= word.count(">")
    if not {"&", "&&"} & set(outside):
        return "..." in outside
    pointer = next((i for i in reversed(range(len(outside))) if outside[i] == "*"), 0)
    return "const" not in outside[pointer:]


class Telling:
    """Of a translation unit. `everywhere`: what tells is an operator or a constructor, whose name
    nobody writes."""

    def __init__(self, tokens: Tokens, sides: Sides, scope_of: list[Scope]) -> None:
        self._tokens, self._scope_of = tokens, scope_of
        self._copying: set[str] = set()  # functions that take copies
        self._binding: set[str] = set()  # those that do not, or of one name with such
        self._pairs: set[str] = set()  # methods for constants and others for variables
        self._types = {tokens[next_significant(tokens, i + 1)]
                       for i, token in enumerate(tokens) if token in _NEW_TYPES}  # fmt: skip
        self._generic = {_class_template(tokens, i)
                         for i, token in enumerate(tokens) if token == "template"}  # fmt: skip
        self._in_headers = set() if _opens_a_namespace(tokens) else _only_called(tokens)
        self.everywhere = False
        declared: Counter[tuple[Scope, str]] = Counter()
        known = {one.parenthesis for one in sides.functions.values()}
        for one in sides.functions.values():
            if tokens[one.name] != "[":
                self._add_function(one, declared)
        for i, token in enumerate(tokens):
            if token == "[" and (opener := after_captures(tokens, i)) and tokens[opener] == "(":
                self._add_lambda(i, opener)
            elif token == "(" and i not in known:
                self._add_another(i)

    def names(self, body: tuple[int, int], objects: Container[str]) -> set[str]:
        """Which names a function's body uses so; `objects` are variables of classes."""
        return _Body(self, operators(self._tokens, *body), self._tokens, objects).names()

    def takes_values(self, name: str) -> bool:
        """Whether a function with this name only reads its arguments."""
        if name in self._binding:
            return False
        if name in self._generic:  # `Holds it{n}`: of what, is for the compiler to find
            return False
        known = self._copying | _TAKE_VALUES | self._types | self._in_headers
        return name in known or bool(_OF_CUDA.fullmatch(name))

    def is_generic(self, name: str) -> bool:
        return name in self._generic

    def is_pair(self, name: str) -> bool:
        return name in self._pairs

    def _add_function(self, one: Function, declared: Counter[tuple[Scope, str]]) -> None:
        tokens = self._tokens
        name, places = tokens[one.name], self._parameters(one.parenthesis)
        is_operator = name == "operator"
        if is_operator:
            name += "".join(significant(tokens, one.name + 1, one.parenthesis))
        scope = self._scope_of[one.name]
        declared[scope, name] += 1
        is_pair = declared[scope, name] > 1 and bool(self._types & set(scope))
        if is_pair:
            self._pairs.add(name)
        if is_operator or name in self._types:
            self.everywhere |= (is_operator and is_pair) or any(map(binds, places))
        else:
            self._add(name, places)

    def _add_lambda(self, begin: int, parenthesis: int) -> None:
        """`const auto f = [](int i) {`"""
        equals = previous_significant(self._tokens, begin - 1)
        name = self._tokens[previous_significant(self._tokens, equals - 1)]
        if self._tokens[equals] == "=" and is_name(name):
            self._add(name, self._parameters(parenthesis))

    def _add_another(self, parenthesis: int) -> None:
        """`constexpr int f(int i)`, and `int (*f)(int)`, whose type says what it takes."""
        tokens = self._tokens
        name = previous_significant(tokens, parenthesis - 1)
        before = tokens[previous_significant(tokens, name - 1)]
        if tokens[name] == ")" and parenthesis > name:
            name = previous_significant(tokens, name - 1)
            if tokens[previous_significant(tokens, name - 1)] == "*":
                self._copying.add(tokens[name])
        elif is_name(tokens[name]) and FUNCTION not in self._scope_of[parenthesis]:
            if (is_name(before) and before not in _NO_TYPES) or before in (">", "*", "&"):
                self._add(tokens[name], self._parameters(parenthesis))

    def _parameters(self, parenthesis: int) -> list[Tokens]:
        end = closing(self._tokens, parenthesis)
        return split_commas(significant(self._tokens, parenthesis + 1, end))

    def _add(self, name: str, places: list[Tokens]) -> None:
        (self._binding if any(map(binds, places)) else self._copying).add(name)


def _opens_a_namespace(tokens: Tokens) -> bool:
    """A function of a library may then be called as if it were in none."""
    for i, token in enumerate(tokens):
        if token == "using":
            first = next_significant(tokens, i + 1)
            if tokens[first] == "namespace":
                first = next_significant(tokens, first + 1)
            if tokens[first] in ("std", "cuda"):
                return True
    return False


def _class_template(tokens: Tokens, index: int) -> str:
    """The name of the class whose declaration begins with this `template`; "" if it is of none."""
    start = next_significant(tokens, index + 1)
    if tokens[start] != "<":
        return ""
    key = next_significant(tokens, after_angle(tokens, start))
    is_class = tokens[key] in ("struct", "class", "union")
    return tokens[next_significant(tokens, key + 1)] if is_class else ""


def _only_called(tokens: Tokens) -> set[str]:
    """Names that the text does not declare: of functions in headers, outside of namespaces."""
    called: set[str] = set()
    others: set[str] = set()
    name, before = "", ""
    for token in tokens:
        if is_blank(token) or token.startswith("#"):
            continue
        if is_name(name):
            is_declared = is_name(before) and before not in _NO_TYPES
            is_call = token == "(" and not is_declared and before not in _MEMBER_OR_TYPE
            (called if is_call else others).add(name)
        name, before = token, name
    return called - others


@dataclass
class _Frame:
    """An open bracket. `called`: whose arguments are in it; "" where values are read, or where it
    opens a block; None where it only groups. `binds`: a reference's value is read there."""

    called: str | None
    binds: bool = False


class _Body:
    def __init__(
        self, text: Telling, words: Words, tokens: Tokens, objects: Container[str]
    ) -> None:
        self._text, self._tokens, self._objects = text, tokens, objects
        self._places = [place for _, place in words]
        self._words = [word for word, _ in words]
        self._operators = words
        self._frames = [_Frame("")]

    def names(self) -> set[str]:
        found: set[str] = set()
        for k, word in enumerate(self._words):
            if word in ("(", "[", "{"):
                self._frames.append(_Frame(self._called(k)))
            elif word in (")", "]", "}"):
                self._frames.pop()
            elif word in (",", ";"):
                self._frames[-1].binds = False
            elif word in ("=", ":"):
                self._frames[-1].binds |= self._is_reference(k)
            elif is_name(word) and self._tells(k):
                found.add(word)
        return found

    def _called(self, k: int) -> str | None:
        """Of the bracket at word `k`."""
        words, before = self._words, self._words[k - 1] if k else ""
        if words[k] == "[":
            return ""
        if words[k] == "(" and before == ">":
            try:
                begin = opening_angle(self._tokens, self._places[k - 1])
            except RewriteError:
                return None
            before = self._tokens[previous_significant(self._tokens, begin - 1)]
        elif words[k] == "{" and not is_name(before):
            return ""
        if not is_name(before):
            return before if before in (")", "]", "}") else None
        return "" if self._is_declared(k - 1) else before

    def _is_declared(self, k: int) -> bool:
        """`int m(n)`, but not `std::reference_wrapper also(n)`"""
        of_type = self._words[k - 1] if k else ""
        is_qualified = k > 1 and self._words[k - 2] == "::"
        is_said = of_type not in _NO_TYPES and not self._text.is_generic(of_type)
        return is_name(of_type) and is_said and not is_qualified

    def _is_reference(self, k: int) -> bool:
        """Whether word `k` comes before what a reference is bound to: `auto &also = n`."""
        words, at = self._words, k - 1
        if words[at] == "]":
            while at > 0 and words[at] != "[":
                at -= 1
            if words[at - 1] == ")":
                return True  # `int (&also)[2] = n`
        begin = at - 1
        while begin > 0 and words[begin] not in (";", "{", "}", "(", ",", "[", "="):
            begin -= 1
        return binds(words[begin + 1 : at])

    def _tells(self, k: int) -> bool:
        words = self._words
        before, end = words[k - 1] if k else "", k + 1
        if before in (".", "->", "::"):
            return False
        if before == "&" and is_unary(self._operators, k - 1, ()):
            return True
        is_object = words[k] in self._objects
        while words[end : end + 1] and words[end] in (".", "["):
            if words[end] == "[":
                if not is_object:
                    return False  # what a pointer points to
                end = self._after_index(end)
                continue
            if words[end + 2 : end + 3] == ["("]:
                return self._text.is_pair(words[end + 1])
            is_object, end = True, end + 2
        after = words[end] if end < len(words) else ""
        is_read = (before in _READS and before != "=") or after in _READS
        if is_read or before == ")" or "&" in (before, after):
            return False
        for frame in reversed(self._frames):
            if frame.binds:
                return True
            if frame.called is not None:
                return bool(frame.called) and not self._text.takes_values(frame.called)
        return False

    def _after_index(self, k: int) -> int:
        depth = 0
        for end in range(k, len(self._words)):
            depth += (self._words[end] == "[") - (self._words[end] == "]")
            if depth == 0:
                return end + 1
        return len(self._words)
