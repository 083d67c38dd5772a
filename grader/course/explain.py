"""How a mark came about, from the hash of what was handed in to the last decision."""

from collections.abc import Iterator
from datetime import tzinfo

from ..base.local_time import local_time
from ..base.text import counted, line, singular, verb
from .book import Entry, waiting
from .course import Course
from .earlier import accepted, changes, counted_before, other_attempts
from .hand_ins import read_time
from .ledger import Decision
from .marks import Mark, said_points


def explain(course: Course, entry: Entry) -> str:
    return "\n".join(_lines(course, entry))


def _lines(course: Course, entry: Entry) -> Iterator[str]:
    student = entry.student
    yield f"{student.id} ({line(student.name)}), {entry.lab.name}: {_mark(entry)}"
    if entry.state == "excused":
        yield "  excused: the mark does not count, and no export has it"
    yield from _hand_in(course, entry)
    yield from _result(course, entry)
    stages = {one["name"]: one for one in (entry.document or {}).get("stages", ())}
    for part, so_far in entry.mark.running:
        added = f"= {so_far:.2f}" if part.kind == "weight" else f"{part.points or 0:+.2f}"
        yield f"  {added:>8}  {line(part.text)}"
        message = stages.get(part.text.partition(":")[0], {}).get("message")
        if part.kind == "stage" and message:
            yield f"            {line(singular(message.splitlines()[0]))}"
    if entry.mark.lines:
        yield f"  {entry.mark.points:>8g}  of {entry.mark.possible:g}"
    if entry.mark.open_points and entry.state != "excused":
        count = entry.mark.open_points
        waits = verb(count, "wait")
        yield f"  open: {counted(count, 'point')} {waits} for a person or for a machine"
    for review in waiting(entry):
        yield f"  to review: {review['stage'] or entry.lab.name}: {review['text']}"
    for decision in entry.decisions:
        yield f"  decision {decision.number}: {_said(entry, decision, course.settings.zone)}"
    yield from _earlier(course, entry)
    for change in changes(course, [entry]):
        tasks = ", ".join(one.task for one in change.entry.later)
        yield (f"  graded again as {tasks}: it would be {_mark(change.after)}; "
               "./lab class accept makes that count")  # fmt: skip


def _earlier(course: Course, entry: Entry) -> Iterator[str]:
    """Why the mark was another one some time ago: results that counted before, other attempts."""
    zone = course.settings.zone
    if decision := accepted(course, entry):
        yield (f"  this result was accepted by {decision.who} at "
               f"{local_time(decision.time, zone)}: {line(decision.because)}")  # fmt: skip
    for stored, mark in counted_before(course, entry):
        yield f"  before that: results/{stored.task}: {_points(mark)}"
    for other in other_attempts(course, entry):
        assert other.hand_in is not None
        at = other.hand_in.handed_in
        time = local_time(at, zone) if at else "the time is not known"
        mark = _mark(other) if other.document else "not graded"
        yield f"  attempt {other.hand_in.attempt} ({time}) does not count: {mark}"


def _points(mark: Mark) -> str:
    if mark.points is None:
        return "no points"
    still_open = f", {mark.open_points:g} open" if mark.open_points else ""
    return f"{mark.points:g} of {mark.possible:g} points{still_open}"


def _mark(entry: Entry) -> str:
    if entry.mark.points is None:
        return entry.state
    if entry.state == "excused":
        return f"excused; without that {_points(entry.mark)}"
    return f"{_points(entry.mark)}, {entry.state}"


def _hand_in(course: Course, entry: Entry) -> Iterator[str]:
    hand_in = entry.hand_in
    if hand_in is None:
        yield "  nothing was handed in"
        return
    attempts = len(entry.others) + 1
    which = f"attempt {hand_in.attempt}" + (f" of {attempts}" if attempts > 1 else "")
    counts = "best one" if course.settings.attempt == "best" else "one handed in last"
    rule = f" (the {counts} counts)" if attempts > 1 else ""
    yield f"  handed in: {which}{rule}, {_time(entry, course.settings.zone)}"
    source = hand_in.record.source if hand_in.record else "put there by hand"
    yield f"  from: {line(source)}; files: {hand_in.folder.relative_to(course.folder)}"
    yield f"  sha256: {hand_in.sha256}"
    for text in hand_in.notes:
        yield f"  note: {line(text)}"


def _time(entry: Entry, zone: tzinfo) -> str:
    assert entry.hand_in is not None
    at, due = entry.hand_in.handed_in, entry.due
    unknown = "the time is not known"
    unknown += ", but the LMS marks it late" if entry.hand_in.is_late_by_unknown else ""
    text = local_time(at, zone) if at else unknown
    return text + (f"; due {local_time(due, zone)}" if due else "")


def _verdict(course: Course, entry: Entry, verdict: str) -> str:
    """The verdict of the whole lab, which may not be that of the stages that count here."""
    lab = course.settings.lab(entry.lab.name)
    if lab.counts_all or verdict == "refused":
        return verdict
    return f"{verdict} (all {len(lab.lab.stages)} stages; this course counts {len(lab.stages)})"


def _result(course: Course, entry: Entry) -> Iterator[str]:
    document, zone = entry.document, course.settings.zone
    if document is None or entry.stored is None:
        if entry.hand_in:
            yield "  not graded yet: ./lab class grade"
        return
    grader, machine = document["grader"], document["machine"]
    gpu = machine["gpu"]["name"] if machine["gpu"] and document["backend"] == "gpu" else "no GPU"
    seed = document["seed"]
    commitment = seed["commitment"]
    secret = f"secret, commitment {commitment[:16]}" if commitment else f"public, {seed['public']}"
    verdict = _verdict(course, entry, document["verdict"])
    commit = f", commit {grader['commit'][:12]}" if grader["commit"] else ""
    yield f"  result: results/{entry.stored.task}/result.json, {verdict}"
    yield (f"  graded: {local_time(document['started'], zone)}, {document['seconds']:g} s, on the "
           f"{document['backend']} backend ({gpu}; {machine['cpu']})")  # fmt: skip
    yield f"  kit: {grader['version']}{commit}, sha256 {grader['sha256'][:16]}; seed: {secret}"
    yield f"  sandbox: {document['sandbox']}"


def _said(entry: Entry, decision: Decision, zone: tzinfo) -> str:
    about = decision.about
    until = read_time(about.get("until"))
    what = {
        "decide": f"{about.get('stage') or 'the whole lab'}: "
        + ("as graded" if about.get("points") is None else f"{said_points(decision)} points"),
        "extend": f"due {local_time(until, zone)}" if until else "",
        "excuse": "excused" if about.get("excused") else "not excused any more",
    }.get(decision.kind, decision.kind)
    at = local_time(decision.time, zone)
    text = f"{what}, by {decision.who} at {at}: {line(decision.because)}"
    source = entry.hand_in.sha256 if entry.hand_in else None
    if decision.kind == "decide" and about.get("source") != source:
        text += f" (does not apply: it was about attempt {about.get('attempt') or 'none'})"
    return text
