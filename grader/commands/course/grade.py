"""`./lab class grade`: grades what has no result yet, and goes on where the last call ended."""

import argparse

from ...base import console
from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED, INFRASTRUCTURE, UsageError
from ...base.outcome import Outcome
from ...base.scratch import remove_abandoned
from ...base.text import counted, named
from ...course import index, plan, seeds, tasks
from ...course.book import Entry, book
from ...course.course import Course, alone
from ...course.earlier import Change, changes
from ...course.loop import Site, chosen_gpus
from ...course.loop import run as run_loop
from ...course.screen import Screen
from ...course.status import next_step, remarks, standing, table
from ...course.tasks import Conditions
from ...judging.workers import build_for_grading
from ...machine import hardware
from ...sandbox import bubblewrap
from ..parser import Commands, count, course_flag


def add(commands: Commands) -> None:
    made = commands.add("grade", run, "grade what has no result yet; an interrupted call goes on",
                        setup="class grade")  # fmt: skip
    made.add_argument("--lab", help="only this lab")
    made.add_argument("--student", help="only this student")
    made.add_argument("--gpus", metavar="all|0,1", help="default: the first one")
    made.add_argument("--where", metavar="CONDITION",
                      help="grade again what an SQL condition selects, such as "
                      "'verdict = \"infrastructure error\"'; ./lab class index names the columns")
    made.add_argument("--again", action="store_true",
                      help="grade everything again, for example with a newer kit")
    made.add_argument("--processes", type=count, metavar="N", help="default: one per core")
    made.add_argument("--trust", action="store_true",
                      help="without a sandbox: submissions run with your own rights")  # fmt: skip
    course_flag(made)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Grade in two phases. Exit code 3 if something has no result afterwards."""
    course = Course.find(checkout, arguments.course)
    backend = _backend(course, arguments.backend)
    seed = seeds.seed_of(course, arguments.seed)
    with alone(course, "grade"):
        remove_abandoned((course.results, course.folder))
        tasks.begin(course)
        box = bubblewrap.for_others(arguments.trust)
        gpus = chosen_gpus(backend, arguments.gpus)
        gpu = hardware.find_gpu() if backend == "gpu" else None
        conditions = Conditions(checkout, backend, gpu.name if gpu else "", box.text, seed,
                                backend == "gpu" or course.settings.figures)  # fmt: skip
        entries = _chosen(course, arguments)
        once_more = bool(arguments.where or arguments.again)
        todo = (plan.again if once_more else plan.plan)(course, conditions, entries)
        site = Site(course, checkout.root, backend, arguments.seed, arguments.trust, gpus,
                    arguments.processes)  # fmt: skip
        return _grade(checkout, site, todo, bool(arguments.where))


def _chosen(course: Course, arguments: argparse.Namespace) -> list[Entry]:
    """The entries that the options select."""
    labs = [course.settings.lab(arguments.lab).lab.name] if arguments.lab else []
    students = [course.student(arguments.student).id] if arguments.student else []
    if not arguments.where:
        return book(course, students, labs)
    index.rebuild(course, book(course))
    wanted = index.select(course, arguments.where)
    return [entry for entry in book(course, students, labs)
            if (entry.student.id, entry.lab.name) in wanted]  # fmt: skip


def _say_what_comes(course: Course, todo: plan.Plan) -> None:
    all_of = (f"{todo.hand_ins} hand-ins, of which identical ones are graded once"
              if todo.hand_ins > 1 else "1 hand-in")  # fmt: skip
    console.note(f"lab: {len(todo.jobs)} to grade, {todo.finished} have a result; from {all_of}.")
    parts = sorted({job.task.lab.name for job in todo.jobs}
                   - {one.lab.name for one in course.settings.labs if one.counts_all})  # fmt: skip
    if parts:
        console.note(f"lab: verdicts and points below are of all stages of {named(parts)}; "
                     "marks are of those that this course counts.")  # fmt: skip


def _grade(checkout: Checkout, site: Site, todo: plan.Plan, is_selection: bool) -> Outcome:
    course = site.course
    text: list[str] = []
    trouble, lost = "", []
    if todo.jobs:
        _say_what_comes(course, todo)
        build_for_grading(checkout, site.backend)
        screen = Screen(todo.jobs, todo.finished)
        try:
            outcome = run_loop(site, todo.jobs, screen.tell)
        finally:
            screen.end()
        trouble, lost = outcome.trouble, outcome.lost
    else:
        none = "--where selects no hand-in" if is_selection else "there are no hand-ins"
        text.append("Nothing to grade: "
                    f"{'every hand-in has a result' if todo.hand_ins else none}.")  # fmt: skip
    entries = book(course)
    index.refresh(course, entries)
    text += table(standing(course, entries))
    if todo.other_kit:
        text.append(f"{counted(todo.other_kit, 'result')} by another kit, lab, machine or seed; "
                    "they count. --again grades them anew and shows what would change.")
    changed = changes(course, entries)
    text += _said_of(changed)
    text += remarks(course, entries)
    if changed:
        text.append("Nothing of this counts yet. ./lab class accept --because TEXT makes it count.")
    elif not (lost or trouble) and (step := next_step(entries)):
        text.append(step)
    text += [f"no result: {name}: {why}" for name, why in lost]
    if trouble:
        text.append(f"stopped: {trouble} What was finished is kept; call again to go on.")
    document = {**standing(course, entries), "graded": len(todo.jobs), "lost": dict(lost),
                "stopped": trouble}  # fmt: skip
    code = INFRASTRUCTURE if trouble or lost else ALL_PASSED
    return Outcome(code, document, "\n".join(text))


def _backend(course: Course, wanted: str | None) -> str:
    """That of the course, unless the caller wants another one. Raises UsageError."""
    try:
        return hardware.choose_backend(wanted or course.settings.backend)
    except UsageError as error:
        if wanted:
            raise
        raise UsageError("course.toml: backend: is gpu, and this machine cannot run kernels on one "
                         "(./lab doctor says what it lacks). Grade where there is one.") from error


def _said_of(changed: list[Change]) -> list[str]:
    """A line for each mark that would change, and how many would not."""
    text = [f"graded again: {one.entry.student.id} {one.entry.lab.name}: {one.said}"
            for one in changed if one.said]  # fmt: skip
    if same := len(changed) - len(text):
        text.append(f"graded again: no change of {counted(same, 'mark')}.")
    return text
