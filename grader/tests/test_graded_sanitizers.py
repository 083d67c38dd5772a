"""compute-sanitizer as a graded check, with a fake tool: what it says, and when it is believed."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError
from grader.base.verdict import INFRASTRUCTURE, NOT_MEASURED, PASSED, RACE, Run
from grader.compiling.build import build
from grader.judging import full_judge, judge, sanitize
from grader.judging.judge_report import BadReport
from grader.lab_file import manifest
from grader.lab_file.rules import SANITIZERS
from grader.machine import hardware
from grader.sandbox.bubblewrap import Sandbox

pytestmark = [pytest.mark.reads("grader/trials"), pytest.mark.unit]

STAGE = manifest.discover(Checkout.here())[0].stages[0]

# Counts the words that it is to find faulty on its command line, and answers as the real one does.
TOOL = """#!/bin/sh
while [ "$1" != "" ]; do
  case "$1" in --tool) shift 2;; --log-file) log=$2; shift 2;; *) break;; esac
done
errors=%s
log=$(echo "$log" | sed "s/%%p/$$/")
echo "========= COMPUTE-SANITIZER" > "$log"
echo "========= Error: Race reported between Write access at sort" >> "$log"
echo "========= RACECHECK SUMMARY: $errors hazards displayed ($errors errors, 0 warnings)" >> "$log"
"""
HONEST = TOOL % '0; case "$*" in *healthy*) ;; *sanitizer-control*|*racy*) errors=1;; esac'
BLIND = TOOL % "0"
SEES_GHOSTS = TOOL % "1"
DIES = "#!/bin/sh\nexit 1\n"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> judge.Bench:
    """A bench whose judge starts its worker once, and nothing more."""

    def ask(bench: judge.Bench, *_: object) -> tuple[Any, dict[str, Any]]:
        command = [*bench.sandbox.tool, str(bench.worker)]
        command = [word.replace("/logs", bench.sandbox.logs) for word in command]
        subprocess.run(command, check=False)
        return None, {}

    monkeypatch.setattr(judge, "ask", ask)
    worker = tmp_path / "honest"
    worker.write_text("#!/bin/sh\n")
    return judge.Bench(tmp_path / "judge", worker, 10.0, "gpu", 1)


def install(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "compute-sanitizer"
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setattr(sanitize, "find_tool", lambda: str(program))
    sanitize.control_fault.cache_clear()


def watched_by(
    watch: Callable[..., sanitize.Sanitized], monkeypatch: pytest.MonkeyPatch
) -> list[manifest.Stage]:
    """Three stages, of which a tool that works sees what `watch` says."""
    monkeypatch.setattr(sanitize, "sanitize", watch)
    monkeypatch.setattr(sanitize, "find_tool", lambda: "compute-sanitizer")
    monkeypatch.setattr(sanitize, "control_fault", lambda *_: "")
    return [replace(STAGE, name=name, sanitizers=("racecheck",), sanitizer_size=9)
            for name in "abc"]  # fmt: skip


@pytest.mark.parametrize("boxed", [False, True])
@pytest.mark.parametrize(
    ("tool", "worker", "verdict", "words"),
    [
        (HONEST, "honest", PASSED, ""),
        (HONEST, "racy", RACE, "Race reported"),
        (BLIND, "racy", INFRASTRUCTURE, "reports nothing about a program with the fault"),
        (SEES_GHOSTS, "honest", INFRASTRUCTURE, "in a program that has none"),
        (DIES, "honest", INFRASTRUCTURE, "no log"),
    ],
)
def test_a_tool_is_believed_if_it_sees_the_control(
    checkout: Checkout, bench: judge.Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    tool: str, worker: str, verdict: str, words: str, boxed: bool,
) -> None:  # fmt: skip
    install(tool, tmp_path, monkeypatch)
    bench = replace(bench, worker=bench.worker.rename(tmp_path / worker))
    if boxed:
        bench = replace(bench, sandbox=Sandbox("a sandbox", "/usr/bin/bwrap"))
    run = sanitize.examine(checkout, bench, STAGE, "racecheck")
    assert (run.order, run.verdict) == ("racecheck", verdict)
    assert words in run.message


def test_without_the_tool_nothing_is_measured(
    checkout: Checkout, bench: judge.Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sanitize, "find_tool", lambda: None)
    run = sanitize.examine(checkout, bench, STAGE, "racecheck")
    assert run.verdict == NOT_MEASURED and "compute-sanitizer is missing" in run.message


def test_the_sandbox_shows_the_tool_its_folder_for_logs() -> None:
    box = Sandbox("a sandbox", "/usr/bin/bwrap", ("/usr/bin/tool", "--tool", "x"), "/tmp/logs")
    command = box.worker_command("cpu")
    at = command.index("/tmp/logs")
    assert command[at - 1] == "--bind" and command[at + 1] == "/logs"
    assert command[-4:] == ["/usr/bin/tool", "--tool", "x", "/worker"]
    assert Sandbox("a sandbox", "/usr/bin/bwrap").worker_command("cpu")[-1] == "/worker"
    assert "/logs" not in Sandbox("a sandbox", "/usr/bin/bwrap").worker_command("cpu")


@pytest.mark.parametrize(
    ("said", "verdict", "notes"),
    [
        ({"memcheck": PASSED, "racecheck": PASSED}, PASSED, 0),
        ({"memcheck": PASSED, "racecheck": RACE}, RACE, 0),
        ({"memcheck": INFRASTRUCTURE}, INFRASTRUCTURE, 0),
        ({"memcheck": NOT_MEASURED, "racecheck": NOT_MEASURED}, PASSED, 2),
    ],
)
def test_a_stage_passes_if_its_sanitizers_find_nothing(
    checkout: Checkout, bench: judge.Bench, monkeypatch: pytest.MonkeyPatch,
    said: dict[str, str], verdict: str, notes: int,
) -> None:  # fmt: skip
    lab = manifest.discover(checkout)[0]
    stage = replace(lab.stages[0], sanitizers=("memcheck", "racecheck"))
    monkeypatch.setattr(
        full_judge, "judge_stage", lambda *_: (Run("forward", PASSED, ""), {"forward": PASSED})
    )
    monkeypatch.setattr(
        sanitize, "examine", lambda *a: Run(a[3], said.get(a[3], PASSED), f"{a[3]} said so")
    )
    judged = full_judge.judge_fully(checkout, lab, stage, b"", bench)
    assert judged.run.verdict == verdict and len(judged.notes) == notes
    assert judged.orders == {"forward": PASSED, **said}
    on_cpu = full_judge.judge_fully(checkout, lab, stage, b"", replace(bench, backend="cpu"))
    assert on_cpu.orders == {"forward": PASSED}


# A worker with several stages' calls, and what each stage's own worker then shows.
@pytest.mark.parametrize(
    ("faulty", "answers", "runs", "verdicts"),
    [
        ((), PASSED, ["a,b,c"], [PASSED, PASSED, PASSED]),
        (("b",), PASSED, ["a,b,c", "a", "b", "c"], [PASSED, RACE, PASSED]),
        ((), "timed out", ["a,b,c", "a", "b", "c"], [PASSED, PASSED, PASSED]),
    ],
)
def test_a_tool_watches_stages_together_and_apart_if_it_reports_anything(
    checkout: Checkout, bench: judge.Bench, monkeypatch: pytest.MonkeyPatch,
    faulty: tuple[str, ...], answers: str, runs: list[str], verdicts: list[str],
) -> None:  # fmt: skip
    watched: list[str] = []

    def watch(_: object, stages: list[manifest.Stage], tool: str) -> sanitize.Sanitized:
        watched.append(",".join(stage.name for stage in stages))
        errors = sum(stage.name in faulty for stage in stages)
        return sanitize.Sanitized(tool, errors, "a report", answers == PASSED)

    stages = watched_by(watch, monkeypatch)
    said = sanitize.examine_all(checkout, bench, stages, judge.at_once)
    assert watched == runs
    assert [said[name][0].verdict for name in "abc"] == verdicts


# What the tool saw of all stages together, before it was known which of them pass.
@pytest.mark.parametrize(
    ("faulty", "passing", "ended", "runs", "verdicts"),
    [
        ((), "abc", False, ["a,b,c"], [PASSED] * 3),
        (("b",), "abc", False, ["a,b,c", "a", "b", "c"], [PASSED, RACE, PASSED]),
        (("b",), "ac", True, ["a,b,c", "a,c"], [PASSED] * 2),
        (("b",), "b", True, ["a,b,c", "b"], [RACE]),
        ((), "", True, ["a,b,c"], []),
    ],
)
def test_a_tool_that_began_early_is_believed_if_all_its_stages_pass(
    checkout: Checkout, bench: judge.Bench, monkeypatch: pytest.MonkeyPatch,
    faulty: tuple[str, ...], passing: str, ended: bool, runs: list[str], verdicts: list[str],
) -> None:  # fmt: skip
    watched: list[str] = []

    def watch(_: object, stages: list[manifest.Stage], tool: str) -> sanitize.Sanitized:
        watched.append(",".join(stage.name for stage in stages))
        return sanitize.Sanitized(tool, sum(stage.name in faulty for stage in stages), "a report")

    stages = watched_by(watch, monkeypatch)
    begun = sanitize.begin(checkout, bench, stages, judge.at_once)
    passed = [stage for stage in stages if stage.name in passing]
    said = sanitize.examine_all(checkout, bench, passed, judge.at_once, begun)
    assert [watch.not_needed.is_set() for watch in begun.values()] == [ended]
    assert watched == runs
    assert [said[name][0].verdict for name in passing] == verdicts


def test_tools_and_sizes_are_watched_apart(
    checkout: Checkout, bench: judge.Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups: list[tuple[str, ...]] = []

    def group(_: object, __: object, stages: list[manifest.Stage], tool: str, *___: object
    ) -> list[Run]:  # fmt: skip
        groups.append((tool, *(stage.name for stage in stages)))
        return [Run(tool, PASSED, stage.name) for stage in stages]

    monkeypatch.setattr(sanitize, "_examine_group", group)
    both, one = ("memcheck", "racecheck"), ("memcheck",)
    stages = [replace(STAGE, name=name, sanitizers=tools, sanitizer_size=size)
              for name, tools, size in (("a", both, 9), ("b", one, 9), ("c", both, 5))]  # fmt: skip
    said = sanitize.examine_all(checkout, bench, stages, judge.at_once)
    assert groups == [("memcheck", "a", "b"), ("racecheck", "a"), ("memcheck", "c"),
                      ("racecheck", "c")]  # fmt: skip
    assert {name: [run.order for run in runs] for name, runs in said.items()} == {
        "a": list(both), "b": list(one), "c": list(both)}  # fmt: skip
    assert all(run.message == name for name, runs in said.items() for run in runs)


@pytest.mark.parametrize(
    ("tool", "size", "largest"),
    [("memcheck", 2049, "2049"), ("racecheck", 2049, "520"), ("racecheck", 257, "257")],
)
def test_racecheck_sees_small_sizes(
    bench: judge.Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    tool: str, size: int, largest: str,
) -> None:  # fmt: skip
    asked: list[str] = []

    def ask(_: judge.Bench, options: list[str], *__: object) -> tuple[Any, dict[str, Any]]:
        asked.extend(options)
        raise BadReport("enough")

    install(HONEST, tmp_path, monkeypatch)
    monkeypatch.setattr(judge, "ask", ask)
    with pytest.raises(InfrastructureError):
        sanitize.sanitize(bench, [replace(STAGE, sanitizer_size=size)], tool)
    assert asked[asked.index("--largest") + 1] == largest


@pytest.mark.parametrize("tool", SANITIZERS)
def test_the_real_tool_sees_the_real_control(tool: str) -> None:
    if not hardware.find_gpu():
        pytest.skip("no NVIDIA GPU")
    if not sanitize.find_tool():
        pytest.skip("no compute-sanitizer")
    build(Checkout.here(), "gpu")
    sanitize.control_fault.cache_clear()
    assert sanitize.control_fault(Checkout.here(), tool) == ""


def test_the_errors_of_all_logs_are_added_up_and_the_first_is_told() -> None:
    """Every worker writes a log; the last one may be clean."""
    text = "= S\n========= fault {0}\n========= ERROR SUMMARY: {0} errors\n"
    logs = [text.format(errors) for errors in (0, 2, 1, 0)]
    found = sanitize.read_logs("memcheck", logs)
    assert found.errors == 3 and found.report.startswith("fault 2")
    with pytest.raises(InfrastructureError, match="no summary"):
        sanitize.read_logs("memcheck", [*logs, "cut off"])
