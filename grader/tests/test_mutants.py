"""The list of mutants is true to the files, and its runner tells a killed one from a survivor."""

import json
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import UsageError
from grader.base.verdict import Run
from grader.judging.full_judge import Judged
from grader.lab_file import manifest
from grader.tests.finished import finished
from grader.tests.mutants import listed, mutants
from grader.tests.mutants.listed import Mutant, Stale, chosen, read_lists
from grader.tests.mutants.mutants import EQUIVALENT, ERROR, KILLED, SURVIVED, Outcome, Runner
from grader.tests.mutants.scratch import CTEST, Tried

ROOT = Checkout.here().root
FEWEST = 120
FEWEST_OF_A_LAB = 10


@pytest.fixture(scope="module")
def everything() -> list[Mutant]:
    return read_lists()


def test_the_list_is_long_and_serves_every_lab_and_room(everything: list[Mutant]) -> None:
    assert len(everything) >= FEWEST
    assert {mutant.room for mutant in everything} == set(listed.ROOMS)
    labs = Counter(mutant.lab for mutant in everything if not mutant.equivalent)
    for lab in finished(Checkout.here()):
        assert labs[lab.name] >= FEWEST_OF_A_LAB, lab.name
    changes = [(mutant.path, mutant.old, mutant.new, mutant.tests) for mutant in everything]
    assert len(set(changes)) == len(changes)


def test_the_text_of_every_mutant_occurs_exactly_once(everything: list[Mutant]) -> None:
    stale: list[str] = []
    for mutant in everything:
        try:
            mutant.applied((ROOT / mutant.path).read_text())
        except (Stale, OSError) as error:
            stale.append(str(error))
    assert stale == []


def test_every_stage_and_file_of_tests_exists(everything: list[Mutant]) -> None:
    stages = {(lab.name, s.name) for lab in manifest.discover(Checkout.here()) for s in lab.stages}
    assert [m for m in everything if m.lab and (m.lab, m.stage) not in stages] == []
    nodes = {node for mutant in everything for node in mutant.tests}
    files = {node.partition("::")[0] for node in nodes if not node.startswith(CTEST)}
    assert [file for file in files if not (ROOT / file).is_file()] == []
    for node in {node for node in nodes if "::" in node}:
        file, _, name = node.partition("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / file).read_text(), node


def test_a_comment_at_the_end_of_a_line_may_change() -> None:
    mutant = Mutant("clock", "a.cpp", "  wait();\n  next();", "  next();", ("t",))
    for between in ("\n", "  // for all\n", " \n"):
        text = f"{{\n  wait();{between}  next();  // go on\n}}"
        assert mutant.applied(text) == "{\n  next();  // go on\n}"
    for between in ("\n\n", " now();\n", ""):
        with pytest.raises(Stale):
            mutant.applied(f"  wait();{between}  next();")
    with pytest.raises(Stale):
        replace(mutant, path="a.py").applied("  wait();  // for all\n  next();")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[file]]\npath = 'a.py'\nmutant = [{old = 'a', new = 'b'}]", "tests: is missing"),
        ("[[file]]\npath = 'reference/1/a.cu'\nmutant = [{old = 'a', new = 'b'}]", "stage"),
        ("[[file]]\npath = 'a.py'\ntests = ['t']\nmutant = [{old = 'a', new = 'a'}]", "same"),
        ("[[file]]\npath = 'a.py'\ntests = ['t']\nmutant = [{old = 'a'}]", "new: is missing"),
        ("[[file]]\npath = 'a.py'\ntests = 't'\n", "list of strings"),
        ("[[file]]\npath = 'a.py'\nfoo = 1\n", "not a key"),
        ("[[mutant]]\npath = 'a.py'\n", "unknown key mutant"),
        ("[[file", "cannot be read"),
    ],
)
def test_each_fault_of_a_list_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "points.toml").write_text(text)
    with pytest.raises(UsageError, match=said):
        read_lists(tmp_path, ["points"])


def test_a_room_a_path_and_a_shard_are_chosen(everything: list[Mutant]) -> None:
    assert {m.room for m in chosen(everything, "points", (1, 1))} == {"points"}
    lab = chosen(everything, "reference/02", (1, 1))
    assert {m.lab for m in lab} == {"02-in-place"}
    parts = [chosen(everything, None, (index, 3)) for index in (1, 2, 3)]
    assert sorted(map(repr, sum(parts, []))) == sorted(map(repr, everything))
    with pytest.raises(UsageError, match="no mutant"):
        chosen(everything, "attic", (1, 1))


# ---- the runner, on a small checkout ------------------------------------------------------------

ADDS = Mutant("points", "adder.py", "a + b", "a - b", ("test_adder.py",))
# Each trial starts pytest several times. One that kills and one that survives run every day.
TRIED = pytest.mark.exhaustive("grader/tests/mutants", "grader/tests/test_mutants.py")
STAGE = Mutant("references", "reference/01-demo/demo.cu", "the answer", "no answer", (), "global")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A repository with one function, and a test of it."""
    root = tmp_path / "small"
    root.mkdir()
    (root / "adder.py").write_text("def add(a: int, b: int) -> int:\n    return a + b\n")
    (root / "test_adder.py").write_text(
        "from adder import add\n\ndef test_sum():\n    assert add(1, 2) == 3\n\n"
        "def test_of_another_day():\n    import pytest\n    pytest.skip('no GPU')\n"
    )
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\npythonpath = ['.']\n")
    (root / ".gitignore").write_text("/build/\n")
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


def tried(root: Path, *some: Mutant, limit: float = 60) -> list[Outcome]:
    outcomes: list[Outcome] = []
    Runner(root, root / "build" / "mutants", limit=limit).run(list(some), outcomes.append)
    return outcomes


def test_a_killed_mutant_is_told_from_a_survivor(small: Path) -> None:
    killed, survived, equivalent = tried(
        small, ADDS, replace(ADDS, new="b + a"), replace(ADDS, equivalent="because")
    )
    assert killed.state == KILLED and "test_sum" in killed.by
    assert killed.label == "adder.py:2: a + b -> a - b"
    assert survived.state == SURVIVED
    assert (equivalent.state, equivalent.by) == (EQUIVALENT, "because")
    assert "return a + b" in (small / "adder.py").read_text()
    assert "return a + b" in (small / "build" / "mutants" / "checkout" / "adder.py").read_text()


@TRIED
@pytest.mark.parametrize(
    ("mutant", "said"),
    [
        (replace(ADDS, old="a * b"), "occurs 0 times"),
        (replace(ADDS, old="a"), "occurs 3 times"),
        (replace(ADDS, path="gone.py"), "No such file"),
        (replace(ADDS, new="a +"), "invalid syntax"),
        (replace(ADDS, tests=("test_adder.py::test_gone",)), "without the mutant"),
        (replace(ADDS, tests=("test_adder.py::test_of_another_day",)), "without the mutant"),
    ],
)
def test_what_cannot_be_tried_is_never_killed(small: Path, mutant: Mutant, said: str) -> None:
    [outcome] = tried(small, mutant)
    assert outcome.state == ERROR and said in outcome.by


@TRIED
def test_tests_that_fail_anyway_kill_nothing(small: Path) -> None:
    (small / "test_adder.py").write_text("def test_sum():\n    assert False\n")
    [outcome] = tried(small, ADDS)
    assert outcome.state == ERROR and "without the mutant" in outcome.by


@TRIED
def test_a_test_that_hangs_has_noticed(small: Path) -> None:
    forever = replace(ADDS, new="a + b if a else add(a, b)", old="a + b")
    (small / "test_adder.py").write_text(
        "import time\nfrom adder import add\n\n"
        "def test_sum():\n    add(1, 2) == 3 or time.sleep(60)\n"
    )
    [killed, survived] = tried(small, ADDS, forever, limit=5)
    assert (killed.state, killed.by) == (KILLED, "the limit of 5 s")
    assert survived.state == SURVIVED


@pytest.mark.parametrize(
    ("verdict", "state"),
    [("wrong answer", KILLED), ("rejected", KILLED), ("passed", SURVIVED),
     ("infrastructure error", ERROR), ("", ERROR)],
)  # fmt: skip
def test_a_reference_is_judged_with_its_changed_text(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, verdict: str, state: str
) -> None:
    """The judge is a fake: it says `verdict` of every text but the original one."""
    asked: list[tuple[str, bytes]] = []

    def make_bench(_: object, lab: object, source: bytes, *__: object) -> tuple[object, str]:
        changed = b"no answer" in source
        fake = type("Bench", (), {"checked": True, "source": source})
        return (None, "no.") if changed and not verdict else (fake, "")

    def judge_fully(_: object, lab: object, stage: manifest.Stage, source: bytes, __: object):
        asked.append((stage.name, source))
        return Judged(Run("forward", verdict if b"no answer" in source else "passed", "why"), {})

    source = checkout.root / STAGE.path
    source.write_text(source.read_text() + "// the answer\n")
    subprocess.run(["git", "init", "-q", checkout.root], check=True)
    monkeypatch.setattr(mutants, "make_bench", make_bench)
    monkeypatch.setattr(mutants, "judge_fully", judge_fully)
    monkeypatch.setattr(mutants.Scratch, "build", lambda self: None)
    [outcome] = tried(checkout.root, STAGE)
    assert outcome.state == state
    assert all(stage == "global" for stage, _ in asked) and asked[0][1] == source.read_bytes()


def test_the_command_sums_up_and_writes_json(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_tests(scratch: mutants.Scratch, *_: object) -> Tried:
        return Tried("test_sum" if "a - b" in (scratch.root / "adder.py").read_text() else "")

    some = [ADDS, replace(ADDS, new="b + a")]
    monkeypatch.setattr(mutants, "read_lists", lambda: some)
    monkeypatch.setattr(mutants.Scratch, "run_tests", run_tests)
    out = tmp_path / "out.json"
    assert mutants.main(["--checkout", str(small), "--out", str(out)]) == 1
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == "2 mutants: 1 killed, 1 survived, 0 equivalent"
    assert json.loads(out.read_text())["summary"] == said.splitlines()[-1]
    assert mutants.main(["--checkout", str(small), "--shard", "1/2"]) == 0
    some[0] = replace(ADDS, old="gone")
    assert mutants.main(["--checkout", str(small)]) == 3
    assert mutants.main(["--checkout", str(tmp_path / "nowhere")]) == 2
    assert mutants.main(["--checkout", str(small), "--only", "attic"]) == 2
