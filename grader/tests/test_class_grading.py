"""Grading a class: each source once, and whatever ends the loop, the next call goes on.

The grader is a fake (fake_class.py), in real processes.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.verdict import INFRASTRUCTURE
from grader.commands.cli import main
from grader.commands.course import grade as class_grade
from grader.course import loop, seals, trouble
from grader.course.book import book
from grader.course.course import Course
from grader.machine import hardware
from grader.tests import fake_class
from grader.tests.fakes import LAB

pytestmark = pytest.mark.reads("grader/grading", "grader/course")

CPU = ("--backend", "cpu")  # a later --backend takes precedence
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def course(checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of the lab of the fixtures, graded by the fake."""
    monkeypatch.setattr(loop.Site, "command", fake_class.COMMAND)
    monkeypatch.setattr(class_grade, "build_for_grading", lambda *_: None)
    monkeypatch.setattr(class_grade, "Site", _with_fake(loop.Site))
    monkeypatch.setenv("PYTHONPATH", str(Checkout.here().root))
    folder = tmp_path / "cs101"
    assert main(["class", "new", str(folder), "--backend", "cpu"], checkout) == 0
    return folder


def _with_fake(site: type[loop.Site]) -> Any:
    """The processes' modules are those of this checkout, not of the fixtures' one."""

    class Fake(site):  # type: ignore[valid-type, misc]
        def slots(self, phase: str, tasks: int) -> Any:
            made = super().slots(phase, tasks)
            for slot in made:
                slot.environment["PYTHONPATH"] = str(Checkout.here().root)
                slot.command = fake_class.COMMAND
            return made

    return Fake


def hand_in(folder: Path, student: str, text: str, attempt: int = 1, name: str = "demo.cu") -> None:
    place = folder / "submitted" / student / LAB / str(attempt)
    place.mkdir(parents=True)
    (place / name).write_text(text)


def roster(folder: Path, *students: str) -> None:
    (folder / "roster.csv").write_text("student,name,email\n" + "".join(
        f"{name},{name.title()},{name}@x.edu\n" for name in students))  # fmt: skip


def grade(checkout: Checkout, folder: Path, *more: str) -> int:
    return main(["class", "grade", "--course", str(folder), *CPU, *more], checkout)


def marks(checkout: Checkout, folder: Path) -> dict[str, Any]:
    entries = book(Course.load(checkout, folder))
    return {entry.student.id: (entry.state, entry.mark.points) for entry in entries}


def results(folder: Path) -> dict[str, bytes]:
    """Without the seals: each course has a key of its own."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted((folder / "results").rglob("*"))
            if path.is_file() and path.name != "seal.json"}  # fmt: skip


def rewritten(folder: Path, path: Path, document: Any) -> None:
    """As if the grading itself had stored `document` there."""
    number = seals.said_number(path.parent)
    path.write_text(json.dumps(document))
    seals.Seals.of(folder / "seal-key").write(path.parent, path.parent.name, number)


def test_everybody_has_a_row_and_identical_sources_are_graded_once(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    roster(course, "ann", "bob", "cid", "dan", "eve")
    hand_in(course, "ann", "// good")
    hand_in(course, "bob", "// good")
    hand_in(course, "cid", '// GRADE {"verdict": "race", "earned": 0}')
    hand_in(course, "dan", "no text", name="report.pdf")
    assert grade(checkout, course) == 0
    assert len(fake_class.calls(checkout)) == 2
    assert marks(checkout, course) == {
        "ann": ("graded", 20), "bob": ("graded", 20), "cid": ("graded", 0),
        "dan": ("refused", 0), "eve": ("missing", None),
    }  # fmt: skip
    before = results(course)
    assert len(before) == 3  # a result for the refused one, too
    assert grade(checkout, course) == 0  # nothing to do, and nothing is done
    assert len(fake_class.calls(checkout)) == 2 and results(course) == before
    assert "01-demo 3 1 0 1" in " ".join(capsys.readouterr().out.split())


def test_no_student_is_named_in_a_result_or_in_a_task(checkout: Checkout, course: Path) -> None:
    roster(course, "annabella", "boris")
    hand_in(course, "annabella", "// good")
    hand_in(course, "boris", "x", name="report.pdf")
    assert grade(checkout, course) == 0
    for name, content in results(course).items():
        assert b"annabella" not in content and b"boris" not in content, name
        assert "annabella" not in name
    assert "annabella" not in " ".join(fake_class.calls(checkout))


@pytest.mark.parametrize(("first", "second", "points"), [
    ("2026-11-20T12:00:00Z", "2026-11-21T12:00:00Z", 6),
    ("2026-11-21T12:00:00Z", "2026-11-20T12:00:00Z", 16),  # imported in the other order
    ("2026-11-20T12:00:00Z", "2026-11-20T12:00:00Z", 6),
    ("2026-11-21T12:00:00Z", None, 6),  # nobody knows: as they were imported
])  # fmt: skip
def test_the_last_attempt_is_the_one_handed_in_last(
    checkout: Checkout, course: Path, first: str, second: str | None, points: int
) -> None:
    roster(course, "ann")
    for attempt, (earned, when) in enumerate(((8, first), (3, second)), 1):
        hand_in(course, "ann", f'// GRADE {{"earned": {earned}}}', attempt)
        record = {"student": "ann", "lab": LAB, "attempt": attempt, "handed_in": when, "notes": [],
                  "imported": first, "source": "a test", "schema": 1}  # fmt: skip
        path = course / "submitted" / "ann" / LAB / f"{attempt}.json"
        path.write_text(json.dumps(record))
    assert grade(checkout, course) == 0
    assert marks(checkout, course) == {"ann": ("graded", points)}


def test_a_further_attempt_that_may_be_the_best_is_named_until_it_is_graded(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    text = (course / "course.toml").read_text().replace('attempt = "last"', 'attempt = "best"')
    (course / "course.toml").write_text(text)
    roster(course, "ann", "bob")
    hand_in(course, "ann", '// GRADE {"earned": 3}', 1)
    hand_in(course, "bob", '// GRADE {"earned": 4}', 1)
    assert grade(checkout, course) == 0
    hand_in(course, "ann", '// GRADE {"earned": 8}', 2)
    said = f"a further attempt is not graded yet, and may be the best: ann {LAB}."
    for words in (["status"], ["export", "csv"], ["report"]):
        capsys.readouterr()
        assert main(["class", *words, "--course", str(course)], checkout) == 0
        assert said in capsys.readouterr().out
    assert marks(checkout, course) == {"ann": ("graded", 6), "bob": ("graded", 8)}
    assert grade(checkout, course) == 0
    assert "further attempt" not in capsys.readouterr().out
    assert marks(checkout, course) == {"ann": ("graded", 16), "bob": ("graded", 8)}
    hand_in(course, "ann", "no text", 3, "report.pdf")  # a refused one is never the best
    assert grade(checkout, course) == 0
    assert marks(checkout, course)["ann"] == ("graded", 16)


def test_the_last_attempt_counts_or_the_best(checkout: Checkout, course: Path) -> None:
    roster(course, "ann")
    hand_in(course, "ann", '// GRADE {"earned": 8}', 1)
    hand_in(course, "ann", '// GRADE {"earned": 3}', 2)
    assert grade(checkout, course) == 0
    assert marks(checkout, course) == {"ann": ("graded", 6)}
    assert len(fake_class.calls(checkout)) == 1
    text = (course / "course.toml").read_text().replace('attempt = "last"', 'attempt = "best"')
    (course / "course.toml").write_text(text)
    assert grade(checkout, course) == 0
    assert marks(checkout, course) == {"ann": ("graded", 16)}


ON_ITS_PART = """
import io, os, sys
from types import SimpleNamespace
from grader.course import worker
sys.stdin = io.StringIO()
worker.serve(SimpleNamespace(cores=[min(os.sched_getaffinity(0))]))
from grader.machine import load
os.getloadavg = lambda: (load.PER_CORE * %s, 0, 0)
print(len(os.sched_getaffinity(0)), bool(load.overload()), file=sys.stderr)
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) == 1, reason="one core has no parts")
@pytest.mark.parametrize(("more", "busy"), [(0, False), (0.1, True)])
def test_a_process_on_its_part_of_the_cores_knows_how_many_carry_the_load(
    more: float, busy: bool
) -> None:
    """Otherwise what runs for ever would be the machine's fault in every class on many cores."""
    load = len(os.sched_getaffinity(0)) + more
    done = subprocess.run([sys.executable, "-c", ON_ITS_PART % load], cwd=Checkout.here().root,
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stderr.split() == ["1", str(busy)]


def test_a_process_that_dies_takes_only_its_task_with_it(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    roster(course, "ann", "bob", "cid")
    hand_in(course, "ann", '// GRADE {"exit": 9}')
    hand_in(course, "bob", '// GRADE {"raise": "a defect"}')
    hand_in(course, "cid", "// good")
    assert grade(checkout, course, "--processes", "1") == 3
    out = capsys.readouterr().out
    assert "died twice" in out and "a defect of the kit" in out
    assert marks(checkout, course) == {
        "ann": ("waiting", None), "bob": ("waiting", None), "cid": ("graded", 20)
    }  # fmt: skip
    assert len(fake_class.calls(checkout)) == 4  # who died was tried twice


def test_a_full_disk_stops_the_class_and_stores_nothing_wrong(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    roster(course, "ann", "bob")
    hand_in(course, "ann", "// good")
    hand_in(course, "bob", "// other")
    (course / "results").rmdir()
    (course / "results").write_text("in the way")  # nothing can be written there
    assert grade(checkout, course) == 3
    out = capsys.readouterr().out
    assert "stopped: cannot write a result" in out and "call again" in out
    (course / "results").unlink()
    assert grade(checkout, course) == 0
    assert marks(checkout, course) == {"ann": ("graded", 20), "bob": ("graded", 20)}


def test_an_error_of_this_machine_is_no_result(
    checkout: Checkout, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert trouble.trouble_here(course, checkout, "cpu") == ""
    monkeypatch.setattr(trouble, "LEAST_FREE", 1 << 60)
    assert "MiB are free" in trouble.trouble_here(course, checkout, "cpu")
    monkeypatch.setattr(trouble, "LEAST_FREE", 0)
    found = [hardware.Gpu("A GPU", "1", "9.0", "GPU-1")]
    monkeypatch.setattr(hardware, "all_gpus", lambda: found)
    for given, is_there in (("", True), ("0", True), ("GPU-1", True), ("GPU-0", False)):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", given)
        said = trouble.trouble_here(course, checkout, "gpu")
        assert ("GPU does not answer" in said) is not is_there
    found.clear()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert "GPU does not answer" in trouble.trouble_here(course, checkout, "gpu")


def test_a_gpu_that_is_unplugged_costs_nothing_but_time(
    checkout: Checkout, course: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """The call ends and says so. The next one goes on with the other GPU: nothing that was finished
    is done again, and nobody's result is an infrastructure error."""
    def there() -> list[hardware.Gpu]:
        return fake_class.plugged(checkout, "GPU-0", "GPU-1")

    monkeypatch.setattr(hardware, "all_gpus", there)
    monkeypatch.setattr(hardware, "find_gpu", lambda: there()[0])
    names = [f"s{number}" for number in range(8)]
    roster(course, *names)
    for name in names[:-1]:
        hand_in(course, name, f"// {name}")
    hand_in(course, names[-1], '// GRADE {"unplug": true, "earned": 4}')
    on_all = ("--backend", "gpu", "--gpus", "all")
    assert grade(checkout, course, *on_all) == 3
    assert "the GPU does not answer any more" in capsys.readouterr().out
    assert all(each["verdict"] != INFRASTRUCTURE for each in results(course).values())
    before, kept = fake_class.calls(checkout), {*(course / "judged").iterdir()}
    assert kept
    assert grade(checkout, course, *on_all) == 0
    after = fake_class.calls(checkout)[len(before) :]
    [left] = there()
    assert {call for call in after if call.startswith("timed-on-")} == {f"timed-on-{left.uuid}"}
    assert not {path.name for path in kept} & {*after}
    assert marks(checkout, course) == {name: ("graded", 20) for name in names[:-1]} | {
        names[-1]: ("graded", 8)
    }


def test_a_damaged_result_is_put_aside_and_graded_again(checkout: Checkout, course: Path) -> None:
    roster(course, "ann")
    hand_in(course, "ann", "// good")
    assert grade(checkout, course) == 0
    [path] = (course / "results").glob("*/result.json")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert grade(checkout, course) == 0
    assert path.read_bytes() == whole and len(fake_class.calls(checkout)) == 2
    assert list((course / "results").glob(".*damaged"))


def test_what_took_too_long_in_company_is_judged_alone(checkout: Checkout, course: Path) -> None:
    roster(course, "ann", "bob")
    hand_in(course, "ann", '// GRADE {"verdict": "timed out", "earned": 0}')
    hand_in(course, "bob", "// good")
    assert grade(checkout, course) == 0
    assert len(fake_class.calls(checkout)) == 3
    assert marks(checkout, course)["ann"] == ("graded", 0)
    assert not list((course / "judged").iterdir())


def test_on_a_gpu_it_was_alone_already(
    checkout: Checkout, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu = hardware.Gpu("A GPU", "1", "9.0", "GPU-0")
    monkeypatch.setattr(hardware, "find_gpu", lambda: gpu)
    monkeypatch.setattr(hardware, "all_gpus", lambda: [gpu])
    roster(course, "ann")
    hand_in(course, "ann", '// GRADE {"verdict": "timed out", "earned": 0}')
    assert grade(checkout, course, "--backend", "gpu") == 0
    assert len(fake_class.calls(checkout)) == 1
    assert marks(checkout, course)["ann"] == ("graded", 0)


def test_a_second_call_at_the_same_time_is_refused(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    from grader.course.course import alone

    roster(course, "ann")
    with alone(Course.load(checkout, course), "grade"):
        assert grade(checkout, course) == 2
    assert "another ./lab class grade" in capsys.readouterr().err
    assert grade(checkout, course) == 0


@pytest.mark.parametrize("gpus", [1, 2])
def test_what_passed_is_timed_one_at_a_time_on_each_gpu(
    checkout: Checkout, course: Path, monkeypatch: pytest.MonkeyPatch, gpus: int
) -> None:
    found = [hardware.Gpu("A GPU", "1", "9.0", f"GPU-{n}") for n in range(gpus)]
    monkeypatch.setattr(hardware, "find_gpu", lambda: found[0])
    monkeypatch.setattr(hardware, "all_gpus", lambda: found)
    names = [f"s{number}" for number in range(8)]
    roster(course, *names)
    for name in names[1:]:
        hand_in(course, name, f"// {name}")
    hand_in(course, "s0", '// GRADE {"verdict": "race", "earned": 0}')
    assert grade(checkout, course, "--backend", "gpu", "--gpus", "all") == 0
    calls = fake_class.calls(checkout)
    timed = [call for call in calls if call.startswith("timed-on-")]
    assert calls.index(timed[0]) == 8 and len(timed) == 7  # after all were judged
    assert set(timed) == {f"timed-on-GPU-{n}" for n in range(gpus)}
    assert marks(checkout, course)["s1"] == ("graded", 20)


def test_what_takes_long_begins_first() -> None:
    def job(stages: int, timed: int) -> Any:
        lab = SimpleNamespace(stages=[SimpleNamespace(speed="bar" if stage < timed else None)
                                      for stage in range(stages)])  # fmt: skip
        return SimpleNamespace(task=SimpleNamespace(lab=lab))

    jobs = [job(4, 1), job(7, 2), job(6, 1), job(6, 2)]
    assert sorted(jobs, key=loop._length, reverse=True) == [jobs[1], jobs[3], jobs[2], jobs[0]]


@pytest.mark.parametrize(
    ("cores", "gpus", "phase", "shares"),
    [
        (8, 1, loop.TIME, [8, 8]),
        (8, 2, loop.TIME, [4, 4, 4, 4]),
        (16, 1, loop.JUDGE, [2, 3, 3, 2, 3, 3]),
        (1, 2, loop.TIME, [1, 1, 1, 1]),
    ],
)
def test_cores_are_shared_out_among_gradings_or_gpus(
    checkout: Checkout, course: Path, monkeypatch: pytest.MonkeyPatch, cores: int, gpus: int,
    phase: str, shares: list[int],
) -> None:  # fmt: skip
    """What gets ready on one GPU keeps off the cores of another, where somebody may be timed."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))
    site = loop.Site(Course.load(checkout, course), checkout.root, "gpu",
                     gpus=tuple(f"GPU-{n}" for n in range(gpus)))  # fmt: skip
    slots = site.slots(phase, 40)
    own = [set(slot.argument["cores"]) for slot in slots]
    assert [len(each) for each in own] == shares
    if phase == loop.TIME and cores > 1:
        on = {slot.environment["CUDA_VISIBLE_DEVICES"]: own[slot.number] for slot in slots}
        assert set.union(*own) == set(range(cores)) and sum(map(len, on.values())) == cores
    elif phase == loop.JUDGE:
        assert set.union(*own) == set(range(cores)) and sum(map(len, own)) == cores


def test_what_was_judged_before_an_interruption_is_only_timed(
    checkout: Checkout, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [hardware.Gpu("A GPU", "1", "9.0", "GPU-0")]
    monkeypatch.setattr(hardware, "find_gpu", lambda: found[0])
    monkeypatch.setattr(hardware, "all_gpus", lambda: found)
    roster(course, "ann")
    hand_in(course, "ann", "// good")
    whole = loop._phase

    def interrupted(site: loop.Site, phase: str, *more: Any) -> None:
        if phase == loop.TIME:
            raise KeyboardInterrupt
        whole(site, phase, *more)

    with monkeypatch.context() as patch:
        patch.setattr(loop, "_phase", interrupted)
        assert grade(checkout, course, "--backend", "gpu") == 3
    [judged] = (course / "judged").iterdir()
    assert results(course) == {}
    assert grade(checkout, course, "--backend", "gpu") == 0
    assert not judged.exists() and len(results(course)) == 1
    assert len([call for call in fake_class.calls(checkout) if "timed" not in call]) == 1


def test_a_gpu_that_is_not_there_is_refused(
    checkout: Checkout, course: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    gpu = hardware.Gpu("A GPU", "1", "9.0", "GPU-0")
    monkeypatch.setattr(hardware, "find_gpu", lambda: gpu)
    monkeypatch.setattr(hardware, "all_gpus", lambda: [gpu])
    roster(course, "ann")
    for wanted in ("1", "0,x", "none"):
        assert grade(checkout, course, "--backend", "gpu", "--gpus", wanted) == 2
        assert "--gpus" in capsys.readouterr().err
    assert grade(checkout, course, "--backend", "gpu", "--gpus", "0") == 0
    assert loop.chosen_gpus("gpu", "0,0") == ("GPU-0",)  # one GPU times one program


def test_a_course_on_cpus_has_no_gpus_and_one_on_gpus_needs_some(
    checkout: Checkout, course: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "find_gpu", lambda: None)
    roster(course, "ann")
    assert grade(checkout, course, "--gpus", "all") == 2
    assert "--gpus all: kernels of this course run on the CPU" in capsys.readouterr().err
    path = course / "course.toml"
    path.write_text(path.read_text().replace('backend = "cpu"', 'backend = "gpu"'))
    assert main(["class", "grade", "--course", str(course)], checkout) == 2
    said = capsys.readouterr().err
    assert "course.toml: backend: is gpu, and this machine" in said and "--backend" not in said
    assert grade(checkout, course, "--backend", "gpu") == 2
    assert "use --backend cpu" in capsys.readouterr().err


BROKEN = '// GRADE {"verdict": "infrastructure error", "earned": null, "message": "broke"}'


def test_a_selection_is_graded_again_and_old_results_stay(
    checkout: Checkout, course: Path, capsys: Captured
) -> None:
    roster(course, "ann", "bob")
    hand_in(course, "ann", BROKEN)
    hand_in(course, "bob", "// good")
    assert grade(checkout, course) == 0
    assert grade(checkout, course, "--where", 'verdict = "infrastructure error"') == 0
    assert len(fake_class.calls(checkout)) == 3 and len(results(course)) == 3
    capsys.readouterr()
    assert grade(checkout, course, "--where", "points > 10") == 0
    shown = capsys.readouterr().out
    assert "graded again: no change of" in shown and "class accept" in shown


def test_grading_again_changes_nothing_before_somebody_accepts_it(
    checkout: Checkout, course: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    roster(course, "ann")
    hand_in(course, "ann", "// good")
    assert grade(checkout, course) == 0
    assert grade(checkout, course, "--again") == 0
    [second] = (course / "results").glob("*.2/result.json")
    document = json.loads(second.read_text())  # as if a newer kit saw more
    document["stages"][0]["points"]["correct"]["earned"] = 0
    rewritten(course, second, document)
    capsys.readouterr()
    assert main(["class", "explain", "ann", "--course", str(course)], checkout) == 0
    assert "it would be 10" in capsys.readouterr().out
    assert marks(checkout, course) == {"ann": ("graded", 20)}
    words = ["class", "accept", "--course", str(course), "--because", "the tests were too weak"]
    assert main(words, checkout) == 0
    assert "20 -> 10" in capsys.readouterr().out
    assert marks(checkout, course) == {"ann": ("graded", 10)}
    assert len(list((course / "results").glob("*/result.json"))) == 2


SCRIPT = """
import sys
from pathlib import Path
from grader.base.checkout import Checkout
from grader.course import loop
from grader.commands.course import grade as class_grade
from grader.commands.cli import main
from grader.machine import bootstrap
from grader.sandbox import bubblewrap
from grader.tests.test_class_grading import _with_fake
bootstrap.ensure = lambda *_: None
class_grade.build_for_grading = lambda *_: None
class_grade.Site = _with_fake(loop.Site)
bubblewrap.for_others = lambda trust: bubblewrap.Sandbox("none: a test")
sys.exit(main(["class", "grade", "--course", sys.argv[2], "--backend", "cpu"],
              Checkout(Path(sys.argv[1]))))
"""


def start(checkout: Checkout, folder: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-P", "-c", SCRIPT, str(checkout.root), str(folder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def large_class(folder: Path) -> None:
    names = [f"s{number:02}" for number in range(24)]
    roster(folder, *names)
    for number, name in enumerate(names):
        hand_in(folder, name, f'// GRADE {{"earned": {number % 11}, "sleep": 0.6}} {number // 2}')


@pytest.mark.exhaustive("grader/course", "grader/grading")
@pytest.mark.parametrize("sign", [
    signal.SIGKILL,
    pytest.param(signal.SIGINT, marks=pytest.mark.exhaustive("grader/course", "grader/grading")),
])  # fmt: skip
def test_five_interruptions_at_random_moments_leave_no_trace(
    checkout: Checkout, course: Path, sign: signal.Signals, capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    chance = random.Random(19)
    large_class(course)
    for _ in range(5):
        process = start(checkout, course)
        time.sleep(chance.uniform(0.4, 1.2))  # five of them are shorter than the whole grading
        assert process.poll() is None
        process.send_signal(sign)
        process.wait(30)
    monkeypatch.setenv("FAKE_HURRY", "1")  # nothing else is interrupted
    assert start(checkout, course).wait(120) == 0
    undisturbed = course.parent / "undisturbed"
    assert main(["class", "new", str(undisturbed), "--backend", "cpu"], checkout) == 0
    large_class(undisturbed)
    assert start(checkout, undisturbed).wait(120) == 0
    assert results(course) == results(undisturbed)
    assert not list(course.glob("warpwise-run*")) and not list(course.glob("results/warp*"))
    for folder in (course, undisturbed):
        assert main(["class", "export", "csv", "--course", str(folder)], checkout) == 0
    assert (course / "exports/marks.csv").read_bytes() == (
        undisturbed / "exports/marks.csv"
    ).read_bytes()
    stored = sorted(path.name for path in (course / "results").iterdir())
    assert len(stored) == len(set(stored)) == 24
    graded = fake_class.calls(checkout)
    given_up = 5 * len(os.sched_getaffinity(0))
    assert 48 <= len(graded) <= 48 + given_up  # what was stored was not graded again
