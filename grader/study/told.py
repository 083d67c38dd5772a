"""A check in the student's words: what was tried, their own lines, the likely cause, what next.

Everything here is about a public seed: it may name inputs and say how to repeat them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.checkout import Checkout
from ..base.console import paint
from ..base.errors import UsageError
from ..base.text import singular
from ..base.verdict import (
    CRASHED,
    DID_NOT_COMPILE,
    INCONCLUSIVE,
    INFRASTRUCTURE,
    NOT_ATTEMPTED,
    PASSED,
    RACE,
    REJECTED,
    TIMED_OUT,
    TOO_SLOW,
    WROTE_OUTSIDE,
)
from ..compiling import outside
from ..grading.counting import BACKEND
from ..grading.decisions import total
from ..grading.result_table import BACKENDS, heading, parts, points
from ..lab_file import marks, recorded
from ..lab_file.manifest import Lab
from . import causes, compiler_words, likely, signature, slips
from .excerpt import excerpt, places
from .standing import place

WITH_PARTS = (PASSED, TOO_SLOW, INCONCLUSIVE, REJECTED)  # others have no time and no count
WITH_LINES = (RACE, WROTE_OUTSIDE, CRASHED)
MESSAGE_LINES = 16
INDENT = " " * 8
CUDA_ERROR = re.compile(
    r": failed: (?P<file>[\w.-]+):(?P<line>\d+): (?P<call>(?P<name>cuda\w+)\(.*?\)): "
    r"(?P<error>cudaError\w+): [^:\n]+: (?:(?:barrier|assert|memory|arithmetic): )?"
    r"(?P<reason>.+?)(?: \((?P<place>[\w.-]+:\d+)\))?$", re.MULTILINE)  # fmt: skip
ASKS = re.compile("Synchronize$|LastError$")  # tells what an earlier call or a kernel did
LAST_WORDS = re.compile(r"; it last said:\n((?:memory|arithmetic): )?")
POISON = "nan(0xffffffff)"  # what an output holds before a call
WRITTEN = f"so the call wrote {POISON}"
DRAWING = re.compile(r"^(  index .*)\n(  got .*)\n(  expected .*)$", re.MULTILINE)
PAIRS = re.compile(r'(: got [^\s":]+:[^\s":]+, expected [^\s":]+:[^\s":]+)$', re.MULTILINE)
NOTHING_WRITTEN = re.compile(
    r"(nothing was written to )(.+?); first wrong at \2: got [^,]+, expected (.+)$", re.MULTILINE
)
NOT_DEFINED = "the file does not define "
KITS_FAULT = "This is the kit's fault, not yours. Check again; ./lab doctor may say why."
TOO_BUSY = ", but the machine is too busy"
BUSY = ("Other programs slow this machine down: nobody knows whether your code is too slow, or "
        "never ends. Check again when less runs beside it.")  # fmt: skip
NOTHING_STORED = {
    True: "A kernel is launched, but what it stores is not where the contract wants it, or is what "
          "was there before.",
    False: "Either no kernel is launched, or what it stores is not where the contract wants it, or "
           "is what was there before.",
}
OF_TWO_THREADS = "; no __sync"  # a race; it may have another cause than what failed
COMMANDS = ("again: ", "help: ")  # a screen has keys for them


@dataclass(frozen=True)
class Check:
    """A result document (schema of result.json) of a student's own file, and what it was made of.

    `warnings` is all that the compiler said about a file that compiles. `instead` is the file that
    was judged instead of the student's own. `found` is what where.py knows, by stage.
    """

    checkout: Checkout
    lab: Lab
    document: dict[str, Any]
    source: str
    warnings: str = ""
    instead: str = ""
    found: Mapping[str, str] = field(default_factory=dict)

    @property
    def file(self) -> str:
        return f"labs/{self.lab.name}/{self.lab.source}"

    @property
    def contract(self) -> str:
        return (self.checkout.labs / self.lab.name / self.lab.contract).read_text(encoding="utf-8")


def told(check: Check) -> str:
    """The whole result as text."""
    document = check.document
    where = BACKENDS[document["backend"]]
    title = paint(f"{document['lab']}  {document['title']}", "bold")
    lines = [f"{title}  ({check.instead or check.file}, {where})"]
    lines += _compiler(check)
    for stage in document["stages"]:
        number = check.lab.stage_names.index(stage["name"]) + 1
        lines.append(heading(number, stage))
        lines += [(INDENT + line).rstrip() for line in about(check, stage)]
        lines += parts(stage) if stage["verdict"] in WITH_PARTS else []
    # The student's own machine is at work: nobody else could act on what is for the staff.
    for note in (*document["notes"], *document.get("staff_notes", ())):
        text = note if isinstance(note, str) else note["text"]
        first, *more = text.splitlines() or [""]
        lines += [f"  note: {first}", *(f"{INDENT}{line}" for line in more)]
    return "\n".join([*lines, f"  {points(total(document))}"])


def _compiler(check: Check) -> list[str]:
    """Errors once, not for every stage; and warnings, if there are only these."""
    failed = [s for s in check.document["stages"] if s["verdict"] == DID_NOT_COMPILE]
    if failed:
        message = failed[0]["message"]
        said = compiler_words.errors(message, check.lab.source, check.source)
        if said and (why := outside.sentence(message)) and why in message:  # not where nvcc spoke
            said.append(why)
        return [f"  {line}" for line in said or message.splitlines()]
    said = compiler_words.warnings(check.warnings, check.lab.source, check.source)
    return [f"  {paint('warning:', 'yellow')} {line}" for line in said]


def about(check: Check, stage: dict[str, Any]) -> list[str]:
    """Why a stage has not passed, and what to do; nothing if it has."""
    verdict = stage["verdict"]
    if verdict in (PASSED, DID_NOT_COMPILE):
        return []
    if verdict == NOT_ATTEMPTED:
        return _not_attempted(check, stage)
    first, *rest = _blocks(plainly(stage.get("staff_message") or stage["message"]))
    found = check.found.get(stage["name"], "")
    lines = _with(first, found)
    if verdict in WITH_LINES or "at " + check.lab.source in stage["message"] + found:
        message = plainly(stage["message"] + "\n" + found)
        shown = excerpt(check.source, places(message, check.lab.source))
        lines += ["", *shown, ""] if shown else []
    if verdict == INFRASTRUCTURE:
        lines += _nobodys_fault(stage.get("staff_message") or stage["message"])
    lines += _likely(check, stage)
    lines += [line for block in rest for line in block][:MESSAGE_LINES]
    if stage["case"] and stage["case"] not in stage["message"]:
        lines.append(f"test: {stage['case']}")
    if stage["handout"]:
        lines.append(f"asked: {stage['handout']['text']}")
    if verdict not in (INFRASTRUCTURE, REJECTED):
        lines += _repeat(check, stage)
    return lines


def _nobodys_fault(message: str) -> list[str]:
    """What to do; on a busy machine also what it is if it is the student's fault after all."""
    said, busy, _ = message.partition(TOO_BUSY)
    if not busy:
        return [KITS_FAULT]
    endless = slips.endless({"verdict": TIMED_OUT, "message": said})
    return [BUSY, *(f"if endless: {cause}" for cause in endless)]


def _with(first: list[str], found: str) -> list[str]:
    """What failed, and what the checker found; once, if it says the same and adds the place."""
    said, begin, place = first[0], *found.rpartition(" at ")[::2]
    if begin and said.endswith(begin):
        return [f"{said} at {place}", *first[1:]]
    also = "also found" if OF_TWO_THREADS in found and OF_TWO_THREADS not in said else "found"
    return [*first, *([f"{also}: {found}"] if found else [])]


def plainly(message: str) -> str:
    """The message, an error of CUDA with its reason first, and its last words in its sentence."""
    message = LAST_WORDS.sub(": ", message)
    message = CUDA_ERROR.sub(_reason_first, message)
    message = NOTHING_WRITTEN.sub(r"\1\2, where \3 is expected", message)
    message = PAIRS.sub(r"\1 (each is key:value)", message)
    message = singular(message)
    return message if WRITTEN in message else DRAWING.sub(_drawn, message)


def _reason_first(found: re.Match[str]) -> str:
    error, line = found["error"], found["line"]
    if found["place"]:
        return f": {found['reason']} at {found['place']} ({error}, seen after line {line})"
    if ASKS.search(found["name"]):
        after = (
            f"after line {line}"
            if found["file"] in found["reason"]
            else f"at {found['file']}:{line}"
        )
        return f": {found['reason']} ({error}, seen {after})"
    return f": {found['call']} at {found['file']}:{line}: {found['reason']} ({error})"


def _drawn(found: re.Match[str]) -> str:
    """A drawing that says what no thread wrote, and whose columns are as wide as that needs."""
    if POISON not in found[2] or POISON in found[3]:
        return found[0]
    rows = [line.split() for line in found[0].replace(POISON, "unwritten").split("\n")]
    if len({len(row) for row in rows}) != 1:  # a value of two words
        return found[0]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return "\n".join(
        f"  {row[0]:<{widths[0]}}" + "".join(f"  {cell:>{width}}" for cell, width in
                                            zip(row[1:], widths[1:], strict=True))
        for row in rows
    )  # fmt: skip


def _not_attempted(check: Check, stage: dict[str, Any]) -> list[str]:
    where = f"write it at {place(check.checkout, check.file, stage['name'])}"
    if not _has_code(check, stage["name"]):
        return [where]
    if stage["message"].startswith(NOT_DEFINED):
        function = stage["message"].removeprefix(NOT_DEFINED)
        return [f"there is code for this stage, but no function {function} with the parameters "
                f"that {check.lab.contract} gives it",
                *signature.told(function, check.lab, check.contract, check.source),
                *_repeat(check, stage)]  # fmt: skip
    has_counted = check.document["backend"] == BACKEND  # else it would be another sentence
    return ["there is code for this stage, but a call left its output as it was",
            *(_likely(check, stage) or [NOTHING_STORED[has_counted]]),
            *_repeat(check, stage)]  # fmt: skip


def _has_code(check: Check, stage: str) -> bool:
    """Whether the student has written more than comments between the stage's marks."""
    try:
        mine = _inside(check.source, stage)
        given = _inside(recorded.skeleton(check.checkout, check.lab) or "", stage)
    except UsageError:  # a mark is damaged
        return False
    return bool(mine) and mine != given


def is_untouched(checkout: Checkout, lab: Lab, source: str, stage: str) -> bool:
    """Whether what is between the stage's marks is still the handout's."""
    try:
        is_there = any(region.name == stage for region in marks.parse(source, ""))
        given = recorded.skeleton(checkout, lab) or ""
        return is_there and _inside(source, stage) == _inside(given, stage)
    except UsageError:  # a mark is damaged
        return False


def _inside(text: str, stage: str) -> list[str]:
    lines = text.split("\n")
    regions = [one for one in marks.parse(text, "") if one.name == stage]
    inside = [line.strip() for one in regions for line in lines[one.begin + 1 : one.end]]
    return [line for line in inside if line and not line.startswith("//")]


def _blocks(message: str) -> list[list[str]]:
    """The sentences, each with the indented lines that belong to it, such as a drawing."""
    blocks: list[list[str]] = []
    for line in message.splitlines() or [""]:
        if causes.ADDED.fullmatch(line):  # said with what is likely
            continue
        if blocks and line.startswith("  "):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return [block[:MESSAGE_LINES] for block in blocks]


def _likely(check: Check, stage: dict[str, Any]) -> list[str]:
    if not likely.is_by_hand(check.source):
        return []
    failure = likely.Failure(
        stage,
        check.lab.source,
        check.source,
        found=check.found.get(stage["name"], ""),
        warnings=check.warnings,
        known=causes.known(check.checkout, check.lab.name),
        kit=check.checkout.labs / "kit",
    )
    if not (found := likely.cause(failure)):
        return likely.facts(failure, check.contract)
    words = ("likely cause:", "or:")
    return [f"{paint(word, 'yellow')} {cause}" for word, cause in zip(words, found, strict=False)]


def _repeat(check: Check, stage: dict[str, Any]) -> list[str]:
    """The commands that try the same inputs again, and help. A secret seed has none."""
    seed = check.document["seed"]
    if seed["secret"]:
        raise UsageError("a result of a secret seed is not for students.")
    again = f"./lab check {check.lab.name}.{stage['name']}"
    if seed["public"] != 1:
        again += f" --seed {seed['public']}"
    return [f"again: {again}", f"help:  ./lab hint {check.lab.name}.{stage['name']}"]


def one_stage(check: Check, name: str) -> list[str]:
    """One stage, for a screen: compiler's words, reasons, points."""
    stages: Sequence[dict[str, Any]] = check.document["stages"]
    stage = next(stage for stage in stages if stage["name"] == name)
    reasons = [line for line in about(check, stage) if not line.startswith(COMMANDS)]
    extra = [line.strip() for line in parts(stage) if stage["verdict"] in WITH_PARTS]
    return [*(line.strip("\n") for line in _compiler(check)), *reasons, *extra]
