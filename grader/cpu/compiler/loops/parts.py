"""A function's body, as a block's threads come through it: statements between barriers, and what
decides which barrier comes next.

    const int t = threadIdx.x;              part 1, of each thread
    tile[t] = keys[t];
    __syncthreads();                        part 2, a barrier
    for (int d = n / 2; d > 0; d /= 2) {    part 3, control: d is the same for all threads
      order(tile, t, d);                        its part 1, of each thread
      __syncthreads();                          its part 2
    }
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..regions import end_of_statement
from ..tokens import Tokens, closing, is_name, next_significant, previous_significant, significant

BARRIER = "__syncthreads"
_KINDS_OF_BARRIER = (f"{BARRIER}_count", f"{BARRIER}_and", f"{BARRIER}_or")
_DEEPEST, _LONGEST = 20, 20_000  # of what is read: more takes long
_LEAVE = ("break", "continue", "return")


class NotALoop(Exception):
    """The threads of a block cannot run as a loop here, or nobody can see that they can."""


@dataclass
class Part:
    """Statements; `first` and `last` are their tokens. `header` is what is in the parentheses of
    control, or among the arguments of a call. `opened` says that braces have to be added."""

    kind: str  # threads, barrier, call, control, leave
    first: int
    last: int
    header: tuple[int, int] | None = None
    inner: list[Part] = field(default_factory=list)
    opened: bool = False
    is_end: bool = False  # of the function: a thread may return
    otherwise: int = -1  # where what is in `else` begins among `inner`

    def branches(self) -> list[list[Part]]:
        if self.otherwise < 0:
            return [self.inner]
        return [self.inner[: self.otherwise], self.inner[self.otherwise :]]


class Parts:
    """Of the functions of one translation unit; `with_barrier` are names of functions that have
    barriers in them."""

    def __init__(self, tokens: Tokens, with_barrier: set[str]) -> None:
        self._tokens, self._with_barrier = tokens, with_barrier

    def of(self, first: int, last: int, depth: int = 0) -> list[Part]:
        """The statements after the brace `first` and before the brace `last`. `depth` says in how
        many loops and branches they are."""
        if depth > _DEEPEST or last - first > _LONGEST:
            raise NotALoop
        parts: list[Part] = []
        at = next_significant(self._tokens, first + 1)
        while at < last:
            end = end_of_statement(self._tokens, at)
            if self.waits(at, end) or self._leaves(at, end, parts):
                parts.append(self._block_part(at, end, depth))
            elif parts and parts[-1].kind == "threads":
                parts[-1].last = end
            else:
                parts.append(Part("threads", at, end))
            at = next_significant(self._tokens, end + 1)
        return parts if depth else _with_one_end(parts)

    def waits(self, first: int, last: int) -> bool:
        """Whether there is a barrier among these tokens, or a call of what has one."""
        for i in range(first, last + 1):
            token = self._tokens[i]
            if token == BARRIER or token in _KINDS_OF_BARRIER or self.is_call(i):
                return True
        return False

    def is_call(self, index: int) -> bool:
        return self._tokens[index] in self._with_barrier

    def _leaves(self, first: int, last: int, before: list[Part]) -> bool:
        """`if (n == 0) return;`, before any thread has done anything since the last barrier."""
        words = significant(self._tokens, first, last + 1)
        if before and before[-1].kind == "threads":
            return False
        return words[0] == "if" and words[-1] == ";" and words[-2] in _LEAVE

    def _block_part(self, first: int, last: int, depth: int) -> Part:
        tokens = self._tokens
        word = tokens[first]
        if word == BARRIER:
            if significant(tokens, first, last + 1) != [BARRIER, "(", ")", ";"]:
                raise NotALoop
            return Part("barrier", first, last)
        if word == "{":
            return Part("control", first, last, None, self.of(first, last, depth + 1))
        if word in ("for", "while", "if"):
            return self._control(first, last, depth)
        if word == "do":
            body = next_significant(tokens, first + 1)
            return Part("control", first, last, self._header_of_do(body), self._branch(body, depth))
        return self._call(first, last)

    def _control(self, first: int, last: int, depth: int) -> Part:
        tokens = self._tokens
        start = next_significant(tokens, first + 1)
        if tokens[start] == "constexpr":
            start = next_significant(tokens, start + 1)
        end = closing(tokens, start)
        words = significant(tokens, start + 1, end)
        if self.waits(start, end) or (tokens[first] != "for" and ";" in words):
            raise NotALoop
        if tokens[first] == "for" and words.count(";") != 2:
            raise NotALoop
        body = next_significant(tokens, end + 1)
        if tokens[body] in _LEAVE:
            return Part("leave", first, last, (start + 1, end - 1))
        part = Part("control", first, last, (start + 1, end - 1), self._branch(body, depth))
        after = next_significant(tokens, end_of_statement(tokens, body) + 1)
        if tokens[first] == "if" and after < last and tokens[after] == "else":
            part.otherwise = len(part.inner)
            part.inner += self._branch(next_significant(tokens, after + 1), depth)
        return part

    def _header_of_do(self, body: int) -> tuple[int, int]:
        tokens = self._tokens
        word = next_significant(tokens, end_of_statement(tokens, body) + 1)
        start = next_significant(tokens, word + 1)
        return start + 1, closing(tokens, start) - 1

    def _branch(self, first: int, depth: int) -> list[Part]:
        """What is in the statement that belongs to a loop or a branch."""
        last = end_of_statement(self._tokens, first)
        if self._tokens[first] == "{":
            return self.of(first, last, depth + 1)
        before = previous_significant(self._tokens, first - 1)
        parts = self.of(before, last + 1, depth + 1)
        if len(parts) != 1:
            raise NotALoop
        parts[0].opened = True
        return parts

    def _call(self, first: int, last: int) -> Part:
        """`load(tile, n);` and `load<4>(tile, n);`, with nothing around them."""
        tokens = self._tokens
        if not self.is_call(first):
            raise NotALoop
        start = next_significant(tokens, first + 1)
        if tokens[start] == "<":
            while start < last and tokens[start] != "(":
                start += 1
        end = closing(tokens, start) if tokens[start] == "(" else last
        if next_significant(tokens, end + 1) != last or tokens[last] != ";":
            raise NotALoop
        if self.waits(start, end):
            raise NotALoop
        return Part("call", first, last, (start + 1, end - 1))


def _with_one_end(parts: list[Part]) -> list[Part]:
    """After the last barrier each thread may return on its own."""
    waits = [i for i, part in enumerate(parts) if part.kind not in ("threads", "leave")]
    end = waits[-1] + 1 if waits else 0
    if end == len(parts):
        return parts
    return [*parts[:end], Part("threads", parts[end].first, parts[-1].last, is_end=True)]


def names_in(tokens: Tokens, first: int, last: int) -> set[str]:
    return {token for token in tokens[first : last + 1] if is_name(token)}
