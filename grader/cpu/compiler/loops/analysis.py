"""What each part of a function declares, needs and changes. What all threads come to only together
has to have one value for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..by_value import lambda_at
from ..regions import end_of_statement
from ..tokens import Tokens, closing, is_name, next_significant
from .expressions import QUALIFIERS, SAME, Changes, Expressions, Known, Variable
from .operators import ASSIGNS, COUNTS, TYPES, Words, changed, operators
from .parts import NotALoop, Part, names_in
from .variables import Declarations, shared_variables

_CONTROL = ("for", "while", "do", "if", "switch", "{")
_DECLARE = ("using", "typedef", "enum", "union", "class", "struct", "alignas", "__attribute__", "[")
_STAYS = ("using", "typedef", "static_assert")


@dataclass
class Facts:
    """Of one part with statements of the threads."""

    known: Known  # before it
    declared: list[Variable] = field(default_factory=list)
    statements: list[tuple[int, int]] = field(default_factory=list)
    shared: list[tuple[int, int]] = field(default_factory=list)  # of them: with __shared__
    changes: list[tuple[int, int]] = field(default_factory=list)  # of them: for all threads
    hidden: set[str] = field(default_factory=set)  # what is declared and not read here
    acts: bool = False  # in some statement a thread does what others could notice


Called = Callable[[str, bool], bool]  # the same of a function that a part calls


class Analysis:
    """Of one function. `facts` are of its parts, by their first token."""

    def __init__(
        self,
        tokens: Tokens,
        expressions: Expressions,
        declarations: Declarations,
        changes: Changes,
        end: int,
    ) -> None:
        self.facts: dict[int, Facts] = {}
        self._tokens, self._changes, self._end = tokens, changes, end
        self._expressions, self._declarations = expressions, declarations
        self._acted: dict[tuple[int, int, bool], bool] = {}  # what is known of parts
        self._changing: set[str] = set()  # what statements change for all threads alike
        self._not_for_all: set[str] = set()  # of these, what some change otherwise

    def look(self, parts: list[Part], parameters: list[Variable]) -> None:
        """Raises NotALoop, also for what all threads need and only some change. First, what a
        statement changes counts as changed by all threads alike; then as often again as some of it
        turns out not to be."""
        changing = self._changed(parts)
        while True:
            self.facts.clear()
            self._changing, self._not_for_all = changing, set()
            for one in parameters:
                one.changes = one.name in changing
            try:
                self._look(parts, {one.name: one for one in parameters})
            except NotALoop:
                if not self._not_for_all:
                    raise
            if not self._not_for_all:
                return
            if any(one.name in self._not_for_all for one in parameters):
                raise NotALoop
            changing = changing - self._not_for_all

    def acted(self, parts: list[Part], before: bool, called: Called) -> bool:
        """Whether a thread has acted after the last barrier, if one had `before` these parts.
        Raises NotALoop where one would act again: in loops, all others would have acted in between.
        """
        acted = before
        for part in parts:
            key = part.first, part.last, acted  # loops in loops would be looked at ever more often
            if key not in self._acted:
                self._acted[key] = self._acted_in(part, acted, called)
            acted = self._acted[key]
        return acted

    def _acted_in(self, part: Part, before: bool, called: Called) -> bool:
        if part.kind == "barrier":
            return False
        if part.kind == "threads" and self.facts[part.first].acts:
            if before:
                raise NotALoop
            return True
        if part.kind == "leave" and before:
            raise NotALoop  # what comes after the loop is not looked at from here
        if part.kind == "call":
            return called(self._tokens[part.first], before)
        if part.kind != "control":
            return before
        after = [self.acted(inner, before, called) for inner in part.branches()]
        if self._tokens[part.first] in ("for", "while", "do"):  # and again
            after += [self.acted(part.inner, after[0], called)]
        is_surely = self._tokens[part.first] in ("do", "{")
        return any(after) if is_surely else before or any(after)

    def assigned(self, first: int, last: int) -> str:
        """The variable that a statement changes, and nothing else: `d /= 2;` or `++d;`"""
        words = operators(self._tokens, first, last)
        if len(words) > 2 and is_name(words[0][0]) and words[1][0] in ASSIGNS:
            return words[0][0]
        if len(words) == 3 and {words[0][0], words[1][0]} & COUNTS:
            return next((word for word, _ in words[:2] if is_name(word)), "")
        return ""

    def _changed(self, parts: list[Part]) -> set[str]:
        """Names that such statements change, among those between barriers."""
        found: set[str] = set()
        for part in parts:
            found |= self._changed(part.inner)
            if part.kind == "threads":
                found |= {self.assigned(*ends) for ends in self._statements(part)}
        return found - {""}

    def _statements(self, part: Part) -> Iterator[tuple[int, int]]:
        at = part.first
        while at <= part.last:
            end = end_of_statement(self._tokens, at)
            yield at, end
            at = next_significant(self._tokens, end + 1)

    def _look(self, parts: list[Part], known: Known) -> None:
        for part in parts:
            inner = dict(known)
            if part.kind == "threads":
                self._look_at_threads(part, known)
            elif part.header and self._tokens[part.first] == "for":
                self._look_at_loop(part.header, inner)
            elif part.header:
                self._need(*part.header, inner)
            self._look(part.inner, inner)

    def _look_at_threads(self, part: Part, known: Known) -> None:
        facts = self.facts[part.first] = Facts(dict(known))
        changed: set[str] = set()
        for first, last in self._statements(part):
            facts.statements.append((first, last))
            words = names_in(self._tokens, first, last)
            if "return" in words and not part.is_end and self._leaves(first, last):
                raise NotALoop
            if "__shared__" in words and self._tokens[first] in _CONTROL:
                raise NotALoop
            if self._tokens[first] in _DECLARE:
                facts.hidden |= self._hidden(first, last)
            if "__shared__" in words:
                facts.shared.append((first, last))
                self._need_own(words & known.keys(), known)
                known |= {one.name: one for one in shared_variables(self._tokens, first, last)}
            elif self._tokens[first] in _STAYS:
                continue
            elif found := self._declarations.read(first, last, known, self._end, self._changing):
                self._look_for_changes(first, last, known)
                self._look_at_variables(found, changed)
                facts.declared += found
                known |= {one.name: one for one in found}
            elif name := self._look_at_statement(first, last, known):
                facts.changes.append((first, last))
                changed.add(name)
            else:
                facts.acts = True
                if self._tokens[first] in TYPES:
                    facts.hidden |= self._hidden(first, last)
        facts.acts |= any(one.reads for one in facts.declared)

    def _hidden(self, first: int, last: int) -> set[str]:
        """Names that a statement may declare: in later parts they would mean something else."""
        words = [word for word, _ in operators(self._tokens, first, last) if is_name(word)]
        if words[0] == "using":
            return set(words[1:2])
        return set(words[-1:]) if words[0] == "typedef" else set(words) - TYPES - QUALIFIERS

    def _need_own(self, names: set[str], known: Known) -> None:
        """What the size of an array in shared memory depends on."""
        for name in names:
            self._for_block(known[name])

    def _leaves(self, first: int, last: int) -> bool:
        """Whether a thread may leave the function there, not only a lambda."""
        at = first
        while at <= last:
            if self._tokens[at] == "return":
                return True
            if self._tokens[at] == "[" and (found := lambda_at(self._tokens, at)):
                at = closing(self._tokens, found[1])
            at += 1
        return False

    def _look_at_variables(self, found: list[Variable], changed: set[str]) -> None:
        # What is computed again must stay as it is: one word says so for all of a statement.
        if not all(one.kind or one.is_const or one.is_pointer for one in found):
            for one in found:
                if not one.is_const and not one.is_pointer and not one.changes:
                    one.kind = ""
        for one in found:
            one.is_late = any(other.name in changed for other in one.needs)
            depends = any(other.changes for other in one.needs)
            if one.changes and one.is_late:
                self._not_for_all.add(one.name)
            elif one.changes or (depends and one.kind == SAME and not one.is_late):
                self._for_block(one)
            elif depends:  # it cannot be computed later
                one.kind = ""

    def _look_at_statement(self, first: int, last: int, known: Known) -> str:
        """A change of a variable that all threads share must be the same for all. Returns its name;
        "" if the statement changes none."""
        name = self.assigned(first, last)
        if not (name in known and known[name].changes):
            name = ""
        words = operators(self._tokens, first, last)
        self._look_for_addresses(words, known)
        if name and len(words) > 3:
            try:
                self._need(words[2][1], words[-2][1], known)
            except NotALoop:
                self._not_for_all.add(name)
        self._look_for_changes(first, last, known, name)
        if name and len(words) > 3 and self._changes.possibly_of(name, words[2][1], last):
            self._not_for_all.add(name)
        return name

    def _look_for_addresses(self, words: Words, known: Known) -> None:
        """A pointer to what a thread has in one part says nothing in the next one."""
        for k, (word, at) in enumerate(words):
            variable = known.get(changed(words, k)) if word == "=" else None
            if variable and (variable.is_pointer or variable.is_class):
                end = next((place for other, place in words[k:] if other == ";"), at)
                if self._expressions.may_point(at + 1, end, known):
                    variable.may_point, variable.type = True, ""

    def _look_for_changes(self, first: int, last: int, known: Known, but_of: str = "") -> None:
        """Each thread has a copy of what changes: no other change would come to the others."""
        for one in known.values():
            if one.changes and one.name != but_of:
                if self._changes.possibly_of(one.name, first, last):
                    self._not_for_all.add(one.name)

    def _look_at_loop(self, header: tuple[int, int], known: Known) -> None:
        """`for (int d = n / 2; d > 0; d /= 2)`"""
        first, last = header
        ends = [i for i in range(first, last + 1) if self._tokens[i] == ";"]
        begin = next_significant(self._tokens, first)
        if begin < ends[0]:
            found = self._declarations.read(begin, ends[0], known, ends[0], self._changing)
            if found is None or any(one.kind != SAME or one.is_const or one.is_class
                                    for one in found):  # fmt: skip
                raise NotALoop
            for one in found:
                for other in one.needs:
                    self._for_block(other)
                one.is_of_block = one.is_lent = True
                known[one.name] = one
        self._need(ends[0] + 1, ends[1] - 1, known)
        step = operators(self._tokens, ends[1] + 1, last)
        while step:
            cut = next((k for k, (word, _) in enumerate(step) if word == ","), len(step))
            self._look_at_step(step[:cut], known)
            step = step[cut + 1 :]

    def _look_at_step(self, words: list[tuple[str, int]], known: Known) -> None:
        names = [word for word, _ in words if is_name(word)]
        changes = [word for word, _ in words if word in ASSIGNS or word in COUNTS]
        target = known.get(names[0]) if names else None
        if not target or not (target.is_lent or target.changes) or len(changes) != 1:
            raise NotALoop
        for word, at in words:
            if is_name(word) and word != target.name:
                self._need(at, at, known)
            elif word in ("[", "->", "("):
                raise NotALoop

    def _need(self, first: int, last: int, known: Known) -> None:
        """This has one value for all threads, and is known outside of the loops over them."""
        kind, needs = self._expressions.kind(first, last, known)
        if kind != SAME:
            raise NotALoop
        for one in needs:
            self._for_block(one)

    def _for_block(self, variable: Variable) -> None:
        if variable.is_of_block:
            return
        if variable.kind != SAME or variable.is_late:
            raise NotALoop
        for one in variable.needs:
            self._for_block(one)
        variable.is_of_block = True
