"""What an instructor sees: a course from its folder to marks, and what can be wrong on the way."""

import json
from pathlib import Path

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.commands.course import grade as class_grade
from grader.course import loop
from grader.machine import hardware
from grader.tests import fake_class
from grader.tests.fakes import LAB

from .hand_in import encrypted, packed
from .situation import Prepare, Situation, both, files, given, raises, says

ROSTER = "student,name,email\nann,Ann Ant,ann@x.edu\nbob,Bob Bee,bob@x.edu\ncid,Cid Cat,cid@x.edu\n"
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Demo sort (901)
    Points Possible,,,,,20
"Ant, Ann",11,u1,ann,S1,
"Doe, Dan",14,u4,dan,S1,
"""
WORKSHEET = (
    'Identifier,"Full name","Email address",Status,Grade,"Maximum grade",'
    '"Last modified (submission)"\n"Participant 501","Ann Ant",ann@x.edu,Submitted,,{},-\n'
)
REJECTED = '// GRADE {"verdict": "rejected", "earned": null, "message": "names std::sort"}'
WRONG = '// GRADE {"verdict": "wrong answer", "earned": 0, "message": "n = 3"}'
ONE_GPU = hardware.Gpu("NVIDIA H200", "1", "9.0", uuid="GPU-0")
IN = "--course {given}/cs101"


class FakeSite(loop.Site):
    """Grades with the fake of fake_class.py, in the modules of this checkout."""

    def slots(self, phase: str, tasks: int):  # type: ignore[no-untyped-def]
        made = super().slots(phase, tasks)
        for slot in made:
            slot.environment["PYTHONPATH"] = str(Checkout.here().root)
            slot.command = fake_class.COMMAND
        return made


FAKE = {"grader.commands.course.grade.Site": FakeSite,
        "grader.commands.course.grade.build_for_grading": says(None),
        "grader.course.ledger.login": says("you")}  # fmt: skip


def course(checkout: Checkout) -> None:
    """A course of the fixtures' lab without students."""
    assert main(["class", "new", str(given(checkout) / "cs101"), "--backend", "cpu"], checkout) == 0


def settings(old: str, new: str) -> Prepare:
    """course.toml with `new` for `old`."""

    def prepared(checkout: Checkout) -> None:
        path = given(checkout) / "cs101" / "course.toml"
        text = path.read_text()
        assert old in text, text
        path.write_text(text.replace(old, new))

    return both(course, prepared)


def weigh(checkout: Checkout, points: int) -> None:
    path = given(checkout) / "cs101" / "course.toml"
    path.write_text(path.read_text().replace("# weight = 20 ", f"weight = {points} "))


def students(checkout: Checkout) -> None:
    course(checkout)
    (given(checkout) / "cs101" / "roster.csv").write_text(ROSTER)


def canvas_zip(checkout: Checkout) -> None:
    """What Canvas packs: names with numbers, one of them late."""
    settings("percent_per_day = 0", "percent_per_day = 10")(checkout)
    sheet = "student,name,email,canvas_id\nann,Ann Ant,ann@x.edu,11\nbob,Bob Bee,bob@x.edu,12\n"
    (given(checkout) / "cs101" / "roster.csv").write_text(sheet)
    (given(checkout) / "all").mkdir()
    for name in ("antann_LATE_11_4_demo.cu", "beebob_12_5_demo.cu"):
        (given(checkout) / "all" / name).write_text(f"// {name}")


def hand_in(student: str, text: str, name: str = "demo.cu") -> Prepare:
    def prepared(checkout: Checkout) -> None:
        place = given(checkout) / "cs101" / "submitted" / student / LAB
        (place / "1").mkdir(parents=True)
        (place / "1" / name).write_text(text)
        record = {"student": student, "lab": LAB, "attempt": 1, "notes": [], "schema": 1,
                  "handed_in": "2026-11-20T12:00:00Z", "imported": "2026-11-21T12:00:00Z",
                  "source": "Canvas"}  # fmt: skip
        (place / "1.json").write_text(json.dumps(record))

    return prepared


HANDED_IN = both(students, hand_in("ann", "// good"), hand_in("bob", REJECTED),
                 hand_in("cid", "%PDF", "report.pdf"))  # fmt: skip


def graded(checkout: Checkout) -> None:
    HANDED_IN(checkout)
    class_grade.Site, site = FakeSite, class_grade.Site  # type: ignore[misc]
    class_grade.build_for_grading, build = says(None), class_grade.build_for_grading  # type: ignore
    folder = given(checkout) / "cs101"
    words = ["class", "grade", "--course", str(folder)]
    try:
        fake_class.graded_once(folder, lambda: main(words, checkout))
    finally:
        class_grade.Site, class_grade.build_for_grading = site, build  # type: ignore


def edited(checkout: Checkout) -> None:
    """Somebody has changed points in the results."""
    graded(checkout)
    for path in (given(checkout) / "cs101" / "results").glob("*/result.json"):
        path.write_text(path.read_text().replace('"earned": 10', '"earned": 20'))


def called(*words: str) -> str:
    """`class WORDS` about the course, each a command."""
    return "\n".join(f"class {word} {IN}" for word in words)


def wrong_settings() -> tuple[Situation, ...]:
    """Each mistake in course.toml is one sentence with its key."""
    mistakes = {
        "no-toml": ('title = "cs101"', "title = "), "no-lab": ("[[lab]]", "[[laboratory]]"),
        "an-unknown-lab": (f'name = "{LAB}"', 'name = "09-none"'),
        "an-unknown-stage": (f'name = "{LAB}"', f'name = "{LAB}"\nstages = ["globl"]'),
        "no-stage": (f'name = "{LAB}"', f'name = "{LAB}"\nstages = []'),
        "an-unknown-word": ('attempt = "last"', 'attempt = "newest"'),
        "an-unknown-zone": ('time_zone = ', 'time_zone = "Mars/Base" # '),
        "a-date-that-is-none": (f'name = "{LAB}"', f'name = "{LAB}"\ndue = "tomorrow"'),
        "more-than-all": ("percent_per_day = 0", "percent_per_day = 200"),
        "neither-true-nor-false": ("figures = false", "figures = 3"),
        "a-lab-twice": ("[[lab]]", f'[[lab]]\nname = "{LAB}"\n[[lab]]'),
        "an-unknown-number-of-hints": ('hints = "all"', 'hints = "many"'),
        "an-unknown-part-of-a-page": ('students = ["points", ', 'students = ["secrets", '),
        "an-unknown-key": ('attempt = "last"', 'attempt = "last"\nlateness = 3'),
    }
    return tuple(Situation(f"course-toml-{name}", called("status"), settings(*change))
                 for name, change in mistakes.items())  # fmt: skip


def own_roster(text: str | bytes) -> Prepare:
    return both(course, own_students(text))


def own_students(text: str | bytes) -> Prepare:
    return lambda checkout: (given(checkout) / "cs101" / "roster.csv").write_bytes(
        text.encode() if isinstance(text, str) else text) and None


def secret(text: str, mode: int) -> Prepare:
    def prepared(checkout: Checkout) -> None:
        settings('seed = "public"', 'seed = "secret"')(checkout)
        path: Path = given(checkout) / "cs101" / "secret-seed"
        path.write_text(text)
        path.chmod(mode)

    return prepared


SITUATIONS = (
    Situation("class-new", "class new {given}/cs101 --backend cpu\n"
              "class new {given}/cs101\nclass new {labs}/cs101\nclass new ''"),
    Situation("class-of-no-course", "class status\nclass status --course {given}/none"),
    *wrong_settings(),
    Situation("class-import-of-gradescope", called("import {given}/all"),
              both(students, files(all__submission__demo_cu="// x"), lambda checkout: (
                  given(checkout) / "all" / "submission_metadata.yml").write_text(": [") and None)),
    Situation("class-decisions-that-are-lost", called("status"), both(students, lambda checkout: (
                  given(checkout) / "cs101" / "decisions.jsonl").mkdir())),
    Situation("class-on-gpus", called("grade --gpus 7", "grade --gpus x"), HANDED_IN,
              {**FAKE, "grader.machine.hardware.choose_backend": says("gpu"),
               "grader.machine.hardware.all_gpus": says([ONE_GPU])}),
    Situation("class-import-of-the-test-student", called("import {given}/all"),
              both(canvas_zip, lambda checkout: (given(checkout) / "all" /
                                                 "studenttest_99_7_demo.cu").write_text("//")
                   and None)),
    Situation("class-import", called("import {given}/all", "import {given}/all"),
              both(students, files(all__ann__demo_cu="// a", all__bob__notes_txt="hello"))),
    Situation("class-import-of-canvas",
              called("import {given}/all", "import {given}/all {given}/times.json",
                     "import {given}/all {given}/list.json", "import {given}/times.json"),
              both(canvas_zip, files(list_json="{}", times_json='[{"user_id": 11, "submitted_at": '
                                     '"2026-11-20T12:00:00Z"}]'))),
    Situation("class-import-refused",
              called("import {given}/none", "import {given}/sheet.csv", "import {given}/a.txt",
                     "import {given}/damaged.zip", "import {given}/rar.zip",
                     "import {given}/locked.zip", "import {given}/empty",
                     "import {given}/strangers"),
              both(students, files(sheet_csv="a,b\n1,2\n", a_txt="x", damaged_zip=b"PK",
                                   rar_zip=b"Rar!\x1a\x07\x00", empty__x="x",
                                   locked_zip=encrypted(packed({"ann/demo.cu": "// a"})),
                                   strangers__zoe__demo_cu="// z"),
                   lambda checkout: (given(checkout) / "empty" / "x").unlink())),
    Situation("class-import-of-folders-without-names",
              called("import {given}/all {given}/w.csv"),
              both(students, files(all__one__demo_cu="// a", all__two__demo_cu="// b",
                                   w_csv=WORKSHEET.format("20.00").replace(",-\n", ",soon\n")),
                   lambda checkout: (
                       given(checkout) / "all" / "submission_metadata.yml").write_text(
                       "one:\n  :submitters:\n  - :email: ann@x.edu\n") and None)),
    Situation("class-import-without-a-roster", called("import {given}/all"),
              both(course, files(all__ann__demo_cu="// a"))),
    Situation("class-grade", called("grade --processes 1", "status --review"), HANDED_IN, FAKE),
    Situation("class-grade-again", called("grade --again --processes 1",
                                          "accept --because 'a newer kit'"),
              graded, FAKE),
    Situation("class-edited-results", called("status", "export csv", "grade"), edited, FAKE),
    Situation("class-seal-key-damaged", called("status"), both(graded, lambda checkout: (
        given(checkout) / "cs101" / "seal-key").write_text("x") and None), FAKE),
    Situation("class-seal-key-gone", called("status", "grade"), both(graded, lambda checkout: (
        given(checkout) / "cs101" / "seal-key").unlink()), FAKE),
    Situation("class-grade-refused",
              called("grade --where 'colour = 3'", "grade --where '1; drop table grades'",
                     "grade --student zoe", "grade --lab 09", "grade --gpus 7 --backend gpu",
                     "grade --gpus 0"),
              graded, FAKE),
    Situation("class-grade-while-another-does", called("grade"), HANDED_IN,
              {**FAKE, "fcntl.flock": raises(BlockingIOError())}),
    Situation("class-decide", called(
        "decide bob 01.global --points 6 --because 'only in a comment'",
        "decide bob 01.global --as-graded --because 'once more'"), graded, FAKE),
    Situation("class-decide-refused", called(*(f"decide {words}" for words in (
        "zoe 01 --points 1 --because x", "bob 09 --points 1 --because x",
        "cid 01.global --points 1 --because x",
        "bob 01.globl --points 1 --because x", "bob 01 --points 99 --because x",
        "bob 01 --points -1 --because x", "bob 01 --points 1 --because ' '", "bob 01 --points 1",
        "bob 01. --points 1 --because x", "bob .global --points 1 --because x",
        "'' 01 --points 1 --because x", "bob 01 --because x", "bob 01 --points 1 --because"))),
        graded),
    Situation("class-decide-in-the-courses-points", called(
        "decide bob 01.global --points 51 --because x",
        "decide bob 01.global --points 25 --because 'half of it'",
        "decide cid 01 --points 101 --because x"),
        both(graded, lambda checkout: weigh(checkout, 100)), FAKE),
    Situation("class-decide-before-grading", called("decide ann 01 --points 1 --because x"),
              HANDED_IN),
    Situation("decide-about-a-course", "decide {given}/cs101/results/x/result.json global "
              "--points 1 --because x", graded),
    Situation("class-extend", called(
        "extend bob 01 --until 2026-12-03T23:59 --because ill",
        "extend bob 01 --until tomorrow --because ill"), graded, FAKE),
    Situation("class-extend-to-an-earlier-date", called(
        "extend bob 01 --until 2026-01-03 --because ill"),
        both(settings(f'name = "{LAB}"', f'name = "{LAB}"\ndue = 2026-11-20T12:00:00'),
             own_students(ROSTER)), FAKE),
    Situation("class-excuse", called("excuse cid 01 --because ill",
                                     "excuse cid 01 --not-any-more --because 'well again'"),
              graded, FAKE),
    Situation("class-explain", called("explain ann 01", "explain cid 01"), graded),
    Situation("class-export", called(
        "export canvas {given}/canvas.csv --lab 01", "export moodle {given}/moodle.csv --lab 01",
        "export csv", "export json", "export junit", "export gradescope --lab 01"),
              both(graded, files(canvas_csv=CANVAS, moodle_csv=WORKSHEET.format("20.00")))),
    Situation("class-export-refused", called(
        "export canvas", "export canvas {given}/canvas.csv", "export canvas {given}/a.csv --lab 01",
        "export canvas {given}/canvas.csv --lab 01 --column Quiz",
        "export canvas {given}/one.csv --lab 01", "export canvas {given}/c.csv --lab 01",
        "export moodle {given}/a.csv --lab 01",
        "export moodle {given}/moodle.csv --lab 01", "export excel"),
              both(graded, files(canvas_csv=CANVAS, a_csv="a,b\n1,2\n", one_csv="Student,ID\n",
                                 c_csv=CANVAS.replace(",11,", ",1E+13,"),
                                 moodle_csv=WORKSHEET.format("99.00")))),
    Situation("class-export-to-a-row-of-two", called(
        "export canvas {given}/both.csv --lab 01", "export canvas {given}/twice.csv --lab 01"),
              both(own_roster("student,name,email,canvas_id,sis_login_id\n"
                              "ann,Ann Ant,a@x,11,\nbob,Bob Bee,b@x,,ann\n"),
                   files(both_csv=CANVAS,
                         twice_csv=CANVAS.replace("u1,ann", ",").replace("14,u4,dan", "11,,")))),
    Situation("class-export-of-nobody", called("export csv"), course),
    Situation("class-report-of-nobody", called("report"), course),
    Situation("class-index", called("index"), graded),
    Situation("class-seed", called("seed new", "seed new"), course),
    Situation("class-seed-missing", called("grade"),
              settings('seed = "public"', 'seed = "secret"')),
    Situation("class-seed-for-all-to-read", called("grade"), secret("1\n", 0o644)),
    Situation("class-seed-that-is-none", called("grade"), secret("one\n", 0o600)),
    Situation("release-refused", "release {labs}/copy\nrelease {given}/full\n"
              "release {given}/full/x\nrelease {given}/new --labs 09\n"
              "release {given}/new --hints x\nrelease {given}/new\n"
              "release {given}/new --labs ''", files(full__x="x")),
)  # fmt: skip
