"""The text of one function as loops over the threads. It adds no line to the user's: what is put
between them has the number of the line that it is in, and counts as a header's, of which the
compiler says nothing."""

from __future__ import annotations

from ..rewrite import Unit
from ..tokens import is_blank, next_significant, previous_significant
from .analysis import Facts
from .expressions import Known, Variable
from .parts import NotALoop, Part, names_in
from .variables import READ, Declarations

_TURN = "cuda_on_cpu_turn"
Texts = dict[int, tuple[str, str | None, str]]  # before a token, instead of it, and after it


class Writer:
    """Of one function; `facts` are of its parts, by their first token."""

    def __init__(self, unit: Unit, declarations: Declarations, facts: dict[int, Facts]) -> None:
        self.texts: Texts = {}
        self.constants: dict[str, Variable] = {}  # that are none in the text
        self._unit, self._tokens = unit, unit.tokens
        self._declarations, self._facts = declarations, facts

    def add(
        self, index: int, before: str = "", after: str = "", instead: str | None = None
    ) -> None:
        old = self.texts.get(index, ("", None, ""))
        there = old[1] if instead is None else instead
        self.texts[index] = before + old[0], there, old[2] + after

    def write(self, parts: list[Part]) -> None:
        for place, part in enumerate(parts):
            if part.kind == "barrier":
                self.add(part.first, instead="::cuda_on_cpu::pass_barrier")
            elif part.kind == "threads":
                self._write_threads(part, parts[place + 1 :])
            self.write(part.inner)

    def keep_constant(self) -> None:
        """What later parts compute again, no thread may change where it is declared."""
        for facts in self._facts.values():
            for first, last in facts.statements:
                again = [one for one in facts.declared if first <= one.place[0] <= last
                         and one.is_used_again]  # fmt: skip
                plain = any(not one.is_const and not one.is_pointer for one in again)
                self.constants |= {one.name: one for one in again if not one.is_const}
                if again:
                    self.add(first, before=f"[[maybe_unused]] {'const ' if plain else ''}")
                for one in again:
                    if one.is_pointer and not one.is_const:
                        self.add(one.place[1], before="const ")
                    if one.equals >= 0:
                        self.add(one.equals, after=f" {READ}(")
                        self.add(one.place[2], after=")")

    def _write_threads(self, part: Part, later: list[Part]) -> None:
        facts = self._facts[part.first]
        if any(facts.hidden & names_in(self._tokens, one.first, one.last) for one in later):
            raise NotALoop
        of_block = [one for one in facts.declared if one.is_of_block]
        kept = [one for one in facts.declared
                if not one.is_of_block and not one.kind and self._is_used(one, later)]  # fmt: skip
        again, loaded = self._from_before(part, facts)
        texts = [(ends[0], self._declarations.text(*ends)) for ends in facts.shared]
        texts += [(one.place[1], self._constant(one)) for one in of_block]
        begin = [text for _, text in sorted(texts)]
        begin += [self._store(one) for one in kept]
        for ends in facts.shared:
            self._erase(*ends)
        for one in of_block:
            self._erase_declarator(facts, one)
        inside = [f"[[maybe_unused]] {self._constant(one)}" for one in again]
        inside += [self._load(one) for one in loaded]
        known = facts.known | {one.name: one for one in of_block}
        lambda_head = (f"[&{self._captures(known)}] [[gnu::always_inline]] "
                       f"([[maybe_unused]] unsigned {_TURN}) mutable")  # fmt: skip
        opening = (f"{'{ ' if part.opened else ''}{' '.join(begin)} ::cuda_on_cpu::for_each_thread("
                   f"{lambda_head} {{ {' '.join(inside)}")  # fmt: skip
        before = previous_significant(self._tokens, part.first - 1)
        self.add(before, after=self._own_lines(opening, before + 1))
        saved = [*(one for one in loaded if not one.is_const), *kept]
        end = "".join(f"{self._kept(one)}.save({_TURN}, {one.name}); " for one in saved)
        end += self._are_values(facts, bool(later))
        changes = (self._declarations.text(*ends) for ends in facts.changes)
        end += f"}}); {' '.join(changes)}{' }' if part.opened else ''}"
        self.add(part.last, after=self._own_lines(end, part.last))

    def _are_values(self, facts: Facts, is_more: bool) -> str:
        """No object of a class is one for all threads, comes from one part to the next, or ends
        with a part."""
        classes = (one.name for one in facts.declared
                   if one.is_class and (is_more or one.is_of_block))  # fmt: skip
        said = "static_assert(::cuda_on_cpu::is_value<std::remove_cvref_t<decltype"
        return "".join(f"{said}({name})>>); " for name in classes)

    def _is_used(self, variable: Variable, later: list[Part]) -> bool:
        return any(variable.name in names_in(self._tokens, part.first, part.last) for part in later)

    def _from_before(self, part: Part, facts: Facts) -> tuple[list[Variable], list[Variable]]:
        """What a part computes again, and what it gets from a part before."""
        again: list[Variable] = []
        loaded: list[Variable] = []

        def want(one: Variable) -> None:
            if one.is_of_block or one in again or one in loaded:
                return
            if one.kind:
                for other in one.needs:
                    if facts.known.get(other.name) is not other:
                        raise NotALoop  # here the name is another variable's
                    want(other)
                one.is_used_again = True
                again.append(one)
            elif one.type and not (one.is_const and one.is_array):
                loaded.append(one)
            else:
                raise NotALoop

        if any(
            self._is_named_before(part, one) for one in facts.declared if one.name in facts.known
        ):
            raise NotALoop  # it hides a variable that is meant, too
        own = {one.name for one in facts.declared}
        used = names_in(self._tokens, part.first, part.last) - own
        for name, one in facts.known.items():
            if name in used:
                want(one)
        return again, loaded

    def _is_named_before(self, part: Part, variable: Variable) -> bool:
        tokens = self._tokens
        return any(
            tokens[i] == variable.name
            and tokens[previous_significant(tokens, i - 1)] not in (".", "->")
            for i in range(part.first, variable.place[1])
        )

    def _constant(self, variable: Variable) -> str:
        if variable.is_const or variable.changes:
            return variable.text
        self.constants[variable.name] = variable
        if not variable.is_pointer:
            return f"const {variable.text}"
        at = variable.text.rindex("*", 0, variable.text.index(f" {variable.name}")) + 1
        return f"{variable.text[:at]} const{variable.text[at:]}"

    def _kept(self, variable: Variable) -> str:
        return f"cuda_on_cpu_kept_{variable.name}"

    def _load(self, variable: Variable) -> str:
        name, kept = variable.name, self._kept(variable)
        if variable.is_const:
            return f"[[maybe_unused]] const auto {name} = {kept}.value({_TURN});"
        return f"[[maybe_unused]] {variable.bare} {kept}.load({_TURN}, {name});"

    def _store(self, variable: Variable) -> str:
        if not variable.type:
            raise NotALoop
        return f"::cuda_on_cpu::Kept<{variable.type}> {self._kept(variable)};"

    def _captures(self, known: Known) -> str:
        text = ""
        for one in known.values():
            if one.changes:
                text += f", {one.name} = {one.name}"
            elif one.is_lent:
                self.constants[one.name] = one
                text += f", &{one.name} = std::as_const({one.name})"
        return text

    def _erase(self, first: int, last: int) -> None:
        for i in range(first, last + 1):
            if not is_blank(self._tokens[i]):
                self.add(i, instead="\n" * self._tokens[i].count("\n"))

    def _erase_declarator(self, facts: Facts, variable: Variable) -> None:
        """Of `const int t = threadIdx.x, places = blockDim.x;` the second."""
        first, _, last = variable.place
        start, end = next(ends for ends in facts.statements if first <= ends[1])
        left = [one for one in facts.declared
                if start <= one.place[0] <= end and not one.is_of_block]  # fmt: skip
        if not left:
            self._erase(start, end)
            return
        is_before_all = all(one.place[0] > first for one in left)
        comma = (next_significant(self._tokens, last + 1) if is_before_all
                 else previous_significant(self._tokens, first - 1))  # fmt: skip
        if self._tokens[comma] != ",":
            raise NotALoop
        self._erase(first, last)
        self._erase(comma, comma)

    def _own_lines(self, text: str, index: int) -> str:
        """To be put before the token with this index."""
        file, line, _ = self._unit.places[index]
        if not file or "\n" in text:
            raise NotALoop
        return f'\n# {line} "{file}" 3\n{text}\n# {line} "{file}"\n'
