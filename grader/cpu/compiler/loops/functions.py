"""Which functions of a text can be loops over the threads of a block: kernels with barriers, and
the functions with barriers that they call. Those that call each other can be only together."""

from __future__ import annotations

import re
from dataclasses import replace

from ..rewrite import Unit
from ..scopes import Braces, declaration_start
from ..sides import KERNEL, Function, Sides, after_angle
from ..tokens import RewriteError, is_name, next_significant, previous_significant, significant
from .analysis import Analysis
from .expressions import Changes, Expressions
from .names import Names
from .parts import BARRIER, NotALoop, Part, Parts, names_in
from .telling import Telling
from .variables import Declarations, by_value, parameters
from .writing import Texts, Writer

# In these a thread may wait for another one, or the text says more than is read here.
_WAITS = re.compile(
    r"__(shfl|ballot|any|all|match|reduce)\w*|__syncwarp|__activemask|__syncthreads_\w+|\w+_sync|"
    r"cooperative_groups|__cluster\w+|this_(thread_block|grid|cluster|multi_grid)|\w*_partition|thread_block\w*|"
    r"grid_group|coalesced_\w+|sync|shfl\w*|ballot|any|all|match_\w+|reduce|\w+clusive_scan|"
    r"invoke_one\w*|cuda|\w*wait\w*|arrive\w*|\w*acquire\w*|\w*commit\w*|\w*barrier|latch|"
    r"exchange|compare_exchange_\w+|test_and_set|notify_\w+|atomic(Exch|CAS)\w*|__threadfence\w*|"
    r"__nanosleep|__ldc[gv]|volatile|__pipeline\w*|memcpy_async|asm|__asm__|__asm|goto|try|co_\w+"
)
# These say another thing in a part of a function, or where a variable is a constant.
_OF_A_WHOLE = frozenset(
    "static __func__ __FUNCTION__ __PRETTY_FUNCTION__ alloca __builtin_alloca decltype typeof "
    "__typeof__ __typeof source_location requires noexcept typeid __builtin_constant_p".split()
)
_OWN = "/include/cuda_on_cpu/"  # in the path of a header of the CPU backend
_LIBRARIES = {"cub", "thrust"}  # have barriers of their own, whatever a program calls their parts
_MOST = 200  # functions with barriers in a file: more would take long to read
_SPINS = "::cuda_on_cpu::spin()"  # spins.py: a loop in which a thread may wait


def with_loops(unit: Unit) -> Unit | None:
    """The unit whose kernels are loops, where they can be; None if none of them can."""
    if BARRIER not in unit.tokens or not _LIBRARIES.isdisjoint(unit.tokens):
        return None
    if any(map(_is_foreign, unit.tokens)):
        return None
    texts = Functions(unit).texts()
    if not texts:
        return None
    kept = dict(unit.replaced)
    for i, (before, instead, after) in texts.items():
        text = kept.get(i, unit.rewritten[i]) if instead is None else instead
        kept[i] = f"{before}{text}{after}"
    return replace(unit, replaced=kept)


def _is_foreign(header: str) -> bool:
    """Text from a header of a library, whose functions are not read, with barriers in it."""
    return header.startswith("#") and BARRIER in header and _OWN not in header


class Functions:
    """Of a translation unit: those with barriers, and what they call."""

    def __init__(self, unit: Unit) -> None:
        self._unit, self._tokens = unit, unit.tokens
        self._sides = Sides(unit.tokens, unit.scope_of)
        self._braces = Braces(unit.tokens)
        computing = self._sides.computing(unit.tokens)
        self._names = Names(unit.tokens, unit.scope_of, computing)
        self._words = {one: names_in(unit.tokens, *one.body)
                       for one in self._sides.with_body if one.body}  # fmt: skip
        self._may_wait_there: dict[Function, bool] = {}
        self._reaches: dict[Function, bool] = {}
        self._waiting = self._and_callers({self._name(one) for one, words in self._words.items()
                                           if BARRIER in words})  # fmt: skip
        self._named: dict[str, list[Function]] = {}
        for one in self._words:
            self._named.setdefault(self._name(one), []).append(one)
        self._written = [unit.replaced.get(i, token) for i, token in enumerate(unit.rewritten)]
        self._values, self._unlike = by_value(unit.tokens, self._sides.functions.values())
        declared = {self._name(one) for one in self._sides.functions.values()}
        self._elsewhere = declared - self._named.keys()
        self._telling = Telling(unit.tokens, self._sides, unit.scope_of)

    def texts(self) -> Texts:
        """Of all functions that can be loops."""
        candidates = [one for one in self._words
                      if self._name(one) in self._waiting and self._is_plain(one)]  # fmt: skip
        if len(candidates) > _MOST or self._telling.everywhere:
            return {}
        if self._are_named(candidates) or self._waits_unseen():
            return {}
        bad: set[str] = set()
        while True:
            texts: Texts = {}
            before = len(bad)
            self._looked: dict[str, list[tuple[Analysis, list[Part]]]] = {}
            self._known: dict[tuple[str, bool], bool | None] = {}  # None: of what calls itself
            for one in candidates:
                try:
                    if self._name(one) in bad or self._may_reach_wait(one):
                        raise NotALoop
                    texts |= self._text(one)
                except (NotALoop, IndexError, RewriteError):
                    bad |= self._together(one)
            for one in candidates:
                try:
                    if one.side == KERNEL:
                        self._acted(self._name(one), False)
                except NotALoop:
                    bad |= self._together(one)
            if len(bad) == before:
                return texts

    def _acted(self, name: str, before: bool) -> bool:
        """Of all functions with this name: Analysis.acted()."""
        key = name, before
        if key not in self._known:
            self._known[key] = None
            each = [analysis.acted(parts, before, self._acted)
                    for analysis, parts in self._looked.get(name, [])]  # fmt: skip
            self._known[key] = any(each) if each else before
        known = self._known[key]
        if known is None:
            raise NotALoop
        return known

    def _and_callers(self, names: set[str]) -> set[str]:
        """These functions, and all that may come to call them."""
        found = set(names)
        while more := {self._name(one) for one, words in self._words.items()
                       if words & found} - found:  # fmt: skip
            found |= more
        return found

    def _name(self, function: Function) -> str:
        return self._tokens[function.name]

    def _together(self, function: Function) -> set[str]:
        """The function, those with barriers that it calls, and those that call it."""
        name = self._name(function)
        callers = {self._name(one) for one, words in self._words.items() if name in words}
        return {name} | ((self._words[function] | callers) & self._waiting)

    def _is_plain(self, function: Function) -> bool:
        """Neither a lambda nor a method: calls of these are not read."""
        name = self._name(function)
        return is_name(name) and name != "operator" and not self._braces.are_of_class(function.name)

    def _are_named(self, candidates: list[Function]) -> bool:
        """Whether one that is no kernel is named outside of them: a pointer may lead to it."""
        spans = [one.body for one in candidates if one.body]
        kernels = {self._name(one) for one in candidates if one.side == KERNEL}
        others = {self._name(one) for one in candidates if one.side != KERNEL}
        named = (i for i, token in enumerate(self._tokens)
                 if token in others and i not in self._sides.functions)  # fmt: skip
        return bool(others & kernels) or any(
            not any(first < i < last for first, last in spans) for i in named
        )

    def _waits_unseen(self) -> bool:
        """Whether a thread may wait where no call is written: in a constructor or destructor, or in
        what is a template's argument."""
        waiting = {self._name(one) for one in self._words if self._may_wait(one)} | self._waiting
        waiting = self._and_callers(waiting)
        waiting -= {self._name(one) for one in self._words if one.side == KERNEL}
        return any(
            self._is_made(i) if i in self._sides.functions else not self._is_called(i)
            for i, token in enumerate(self._tokens) if token in waiting
        )  # fmt: skip

    def _is_made(self, name: int) -> bool:
        """Whether this is the name of a constructor or destructor."""
        tokens = self._tokens
        before = previous_significant(tokens, name - 1)
        if tokens[before] == "::":
            return tokens[previous_significant(tokens, before - 1)] in (tokens[name], ">")
        return tokens[name] == "~" or self._unit.scope_of[name][-1:] == (tokens[name],)

    def _is_called(self, name: int) -> bool:
        after = next_significant(self._tokens, name + 1)
        if self._tokens[after] == "<":
            after = next_significant(self._tokens, after_angle(self._tokens, after))
        return self._tokens[after] == "("

    def _may_reach_wait(self, function: Function) -> bool:
        if function not in self._reaches:
            self._reaches[function] = any(map(self._may_wait, self._reached(function)))
        return self._reaches[function]

    def _reached(self, function: Function) -> set[Function]:
        """A function, and those that may be called there: operators are not named."""
        new, seen = {function}, {function}
        while new:
            names = (self._words[new.pop()] & self._named.keys()) | {"[", "operator"}
            more = {other for name in names for other in self._named.get(name, ())} - seen
            seen |= more
            new |= more
        return seen

    def _may_wait(self, function: Function) -> bool:
        """Whether a thread may wait there for another one, and not at a barrier."""
        if function not in self._may_wait_there:
            self._may_wait_there[function] = self._waits(function)
        return self._may_wait_there[function]

    def _waits(self, function: Function) -> bool:
        first, last = function.body or (0, 0)
        words = self._words[function]
        if (BARRIER in words or words & self._waiting) and not self._is_plain(function):
            return True
        if words & self._elsewhere or any(map(_WAITS.fullmatch, words)):
            return True
        if "<<<" in self._tokens[first:last]:
            return True
        return any(_SPINS in text for text in self._unit.rewritten[first:last])

    def _gives_nothing(self, function: Function) -> bool:
        tokens = self._tokens
        start = declaration_start(tokens, function.name)
        while tokens[start] == "template":
            start = next_significant(
                tokens, after_angle(tokens, next_significant(tokens, start + 1))
            )
        head = significant(tokens, start, function.name)
        return "void" in head and "*" not in head

    def _text(self, function: Function) -> Texts:
        tokens, unit = self._tokens, self._unit
        words = self._words[function]
        if not function.body or not self._gives_nothing(function):
            raise NotALoop
        if not words.isdisjoint(_OF_A_WHOLE) or not words.isdisjoint(self._unlike):
            raise NotALoop
        expressions = Expressions(tokens, self._names)
        changes = Changes(tokens, function.body, self._values)
        declarations = Declarations(tokens, self._written, expressions, changes)
        analysis = Analysis(tokens, expressions, declarations, changes, function.body[1])
        parts = Parts(tokens, self._waiting).of(*function.body)
        analysis.look(parts, parameters(tokens, function))
        self._looked.setdefault(self._name(function), []).append((analysis, parts))
        writer = Writer(unit, declarations, analysis.facts)
        if function.side == KERNEL:
            writer.add(function.body[0], after=" ::cuda_on_cpu::run_whole_block();")
        writer.write(parts)
        writer.keep_constant()
        altered = writer.constants.keys()
        objects = {name for name, one in writer.constants.items() if one.is_class}
        if altered and not altered.isdisjoint(self._telling.names(function.body, objects)):
            raise NotALoop
        return writer.texts
