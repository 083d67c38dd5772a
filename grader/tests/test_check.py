"""Check mode: the seeded bugs of check/*.cu are reported with kind and lines, twins are silent."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent / "check"
CPU = Path(__file__).resolve().parents[1] / "cpu"
sys.path.insert(0, str(CPU))

import cucc  # noqa: E402
import cucc_options  # noqa: E402
import runtime_library  # noqa: E402

FLAGS = ["--mode", "check", "-Wall", "-Wextra"]
EXIT_WITH_FINDINGS = 86
FAILING = {"race", "memory", "uninitialised", "barrier"}
PROGRAMS = sorted(path.stem for path in TESTS.glob("*.cu") if path.stem != "interface")


def marks(program: str) -> dict[str, tuple[str, list[str]]]:
    """Case -> kind and places that a finding has to name, from comments `// BUG KIND CASE...`."""
    found: dict[str, tuple[str, list[str]]] = {}
    lines = (TESTS / f"{program}.cu").read_text().splitlines()
    for number, line in enumerate(lines, start=1):
        if mark := re.search(r"// BUG (\w+) ([\w ]+)$", line):
            for case in mark[2].split():
                _, places = found.setdefault(case, (mark[1], []))
                places.append(f"{program}.cu:{number}")
    return found


def cases(program: str) -> list[str]:
    return re.findall(r"^CASE\((\w+)\)", (TESTS / f"{program}.cu").read_text(), re.MULTILINE)


BUGS = [(program, case) for program in PROGRAMS for case in marks(program)]
TWINS = [(program, case) for program in PROGRAMS for case in cases(program)]


@pytest.fixture(scope="session")
def programs(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("check")
    library = runtime_library.cached_library(cucc_options.compiler(), folder, "check")

    def build(name: str) -> Path:
        cucc.link_program([TESTS / f"{name}.cu"], folder / name, FLAGS, library)
        return folder / name

    names = [*PROGRAMS, "interface"]
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(names, pool.map(build, names), strict=True))


def run(program: Path, *words: str, order: str = "forward") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WARPWISE_ORDER": order, "WARPWISE_SEED": "5"}
    return subprocess.run(
        [str(program), *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


def findings(output: str) -> dict[str, list[str]]:
    """Kind -> texts. The runtime's own kind "warp" is a barrier, and its warnings are warnings."""
    found = defaultdict(list)
    for kind, text in re.findall(r"^warpwise: (\w+): (.*)$", output, re.MULTILINE):
        kind = "warning" if text.startswith("warning: ") else kind.replace("warp", "barrier")
        found[kind.replace("barriering", "warning")].append(text)
    return found


def test_program_can_ask_for_the_findings(programs):
    done = run(programs["interface"])
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_without_the_checker_nothing_is_found(tmp_path):
    cucc.link_program([TESTS / "interface.cu"], tmp_path / "interface", ["--mode", "run"])
    assert run(tmp_path / "interface").returncode == 0


def test_there_are_bugs_enough():
    assert len(BUGS) >= 40


@pytest.mark.parametrize(("program", "case"), BUGS)
def test_bug_is_reported_with_kind_and_lines(programs, program, case):
    kind, places = marks(program)[case]
    done = run(programs[program], case, "bug")
    texts = findings(done.stderr)[kind]
    if kind == "leak":
        assert texts == ["buffer 1 (132 bytes) was never freed"]
    else:
        named = [text for text in texts if all(re.search(rf"{p}\b", text) for p in places)]
        assert named, f"{kind} at {places} expected:\n{done.stderr}"
    failed = FAILING & findings(done.stderr).keys()
    assert done.returncode == (EXIT_WITH_FINDINGS if failed else 0), done.stderr
    assert (kind in FAILING) == bool(failed)


@pytest.mark.parametrize(("program", "case"), TWINS)
def test_twin_is_silent(programs, program, case):
    done = run(programs[program], case, "twin")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("order", ["reverse", "random"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_verdict_does_not_depend_on_the_order_of_threads(programs, program, order):
    for case, (kind, _) in marks(program).items():
        assert findings(run(programs[program], case, "bug", order=order).stderr)[kind], case
    for case in cases(program):
        done = run(programs[program], case, "twin", order=order)
        assert (done.returncode, done.stderr) == (0, ""), case


def test_same_report_every_time(programs):
    first = run(programs["shared_races"], "reduce_256", "bug").stderr
    assert first == run(programs["shared_races"], "reduce_256", "bug").stderr
