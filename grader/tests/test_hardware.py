"""The comparison with hardware, with a profiler and a sanitizer that say what the tests want."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.tests.hardware import counters, programs, sanitizer, tables

pytestmark = pytest.mark.reads(
    "cpu backend", "grader/tests/hardware", "grader/tests/count", "grader/tests/check", "labs",
    "reference"
)

COUNTED = pytest.mark.exhaustive(
    "grader/cpu", "grader/tests/hardware", "grader/tests/test_hardware.py"
)
ROOT = Path(__file__).resolve().parents[2]
COMPARE = "grader.tests.hardware.compare"
BUGS = "grader.tests.hardware.bugs"
HEAD = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'

FAKE_NVCC = """#!/bin/sh
[ "$1" = --version ] && { echo "release 13.0, V13.0.88"; exit; }
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\n' > "$2"; chmod +x "$2"
"""
FAKE_NCU = """#!/bin/sh
for word; do [ "$last" = --log-file ] && log=$word; last=$word; done
case "$last" in *.gpu0) cp "$FAKE_CSV.gpu0" "$log" ;; *) cp "$FAKE_CSV" "$log" ;; esac
"""
# memcheck finds every bug; racecheck finds everything, twins too; the others hang.
FAKE_SANITIZER = """#!/bin/sh
for word; do [ "$last" = --log-file ] && log=$word; last=$word; done
found=0
case "$2" in
  memcheck) [ "$last" = bug ] && found=1 ;;
  racecheck) found=1 ;;
  *) sleep 60 ;;
esac
echo "========= ERROR SUMMARY: $found errors" > "$log"
"""


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    fakes = {"nvcc": FAKE_NVCC, "ncu": FAKE_NCU, "compute-sanitizer": FAKE_SANITIZER}
    for name, text in fakes.items():
        (folder / name).write_text(text)
        (folder / name).chmod(stat.S_IRWXU)
    return folder


def compare(tools: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", COMPARE, "--out", str(tools / "out"), "--jobs", "2", *words]
    cache = str(Checkout.here().build("cpu"))  # where `./lab run` keeps its libraries
    path = f"{tools}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "XDG_CACHE_HOME": cache, **environment}
    return subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)


def ncu_csv(kernels: counters.Kernels) -> str:
    """What ncu would say, a line for each metric."""
    lines = [
        f'"0","void {kernel}<4>(float *, int)","{metrics[0]}","request","{sums[counter]:,}"'
        for kernel, sums in kernels.items()
        for counter, metrics in (counters.METRICS | counters.ATOMICS).items()
    ]
    return "==PROF== Connected\n" + HEAD + "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def transposes(tmp_path_factory: pytest.TempPathFactory) -> counters.Kernels:
    """What count mode says of count/transposes.cu, as theory has it (see test_count.py)."""
    none = dict.fromkeys([*counters.METRICS, *counters.ATOMICS], 0)
    both = none | {"requests load": 512, "requests store": 512, "sectors load": 2048}
    tile = both | {"sectors store": 2048, "wavefronts load": 512, "wavefronts store": 512}
    return {
        "naive": both | {"sectors store": 16384},
        "tiled32": tile | {"wavefronts load": 16384},
        "tiled33": tile,
    }


def profiled(tools: Path, kernels: counters.Kernels, plain: counters.Kernels | None = None):
    csv = tools / "ncu.csv"
    csv.write_text(ncu_csv(kernels))
    Path(f"{csv}.gpu0").write_text(ncu_csv(plain or kernels))
    return compare(tools, "--only", "counters", "--match", "transposes", FAKE_CSV=str(csv))


@COUNTED
def test_equal_numbers_are_equal(tools: Path, transposes: counters.Kernels) -> None:
    done = profiled(tools, transposes)
    assert done.returncode == 0, done.stderr
    document = json.loads((tools / "out" / "comparison.json").read_text())
    assert {row["verdict"] for row in document["counters"]} == {"equal"}
    assert "3 kernels: 3 equal" in done.stdout
    assert (tools / "out" / "comparison.md").read_text() == done.stdout


@COUNTED
def test_a_difference_is_reported(tools: Path, transposes: counters.Kernels) -> None:
    other = transposes | {"naive": transposes["naive"] | {"sectors store": 16385}}
    done = profiled(tools, other)
    assert done.returncode == 1
    assert "transposes: naive: sectors store: here 16384, ncu 16385" in done.stderr
    assert "| unexplained: sectors store |" in done.stdout


@COUNTED
def test_a_difference_that_the_optimiser_makes_is_explained(
    tools: Path, transposes: counters.Kernels
) -> None:
    other = transposes | {"naive": transposes["naive"] | {"requests load": 128}}
    done = profiled(tools, other, plain=transposes)
    assert done.returncode == 0, done.stderr
    assert "explained: nvcc's optimiser: equal when it is off |" in done.stdout


@COUNTED
def test_a_kernel_that_ncu_does_not_have_is_no_success(
    tools: Path, transposes: counters.Kernels
) -> None:
    done = profiled(tools, {"naive": transposes["naive"]})
    assert done.returncode == 1 and "not measured" in done.stdout
    assert "tiled33: sectors load: here 2048, ncu None" in done.stderr


@COUNTED
def test_an_ncu_that_says_nothing_is_no_success(tools: Path) -> None:
    (tools / "ncu.csv").write_text("==ERROR== no permission: ERR_NVGPUCTRPERM\n")
    csv = str(tools / "ncu.csv")
    done = compare(tools, "--only", "counters", "--match", "transposes", FAKE_CSV=csv)
    assert done.returncode == 3 and "transposes: ==ERROR== no permission" in done.stderr


@COUNTED
def test_bugs_beside_the_sanitizer(tools: Path) -> None:
    done = compare(tools, "--only", "bugs", "--match", "warp_races", "--seconds", "1")
    assert done.returncode == 0, done.stderr
    document = json.loads((tools / "out" / "comparison.json").read_text())
    case = next(c for c in document["bugs"] if (c["case"], c["form"]) == ("last_warp", "bug"))
    assert case["ours"] == "reported" and case["kind"] == "race"
    assert case["tools"] == {"memcheck": "reported", "racecheck": "reported",
                             "initcheck": "timed out", "synccheck": "timed out"}  # fmt: skip
    assert re.search(r"^\| twins \| (\d+) \| 0 \| 0 \| \1 \| 0 \| 0 \|", done.stdout, re.MULTILINE)
    assert "Twins that racecheck reports: warp_races:" in done.stdout


@pytest.mark.parametrize(
    ("log", "word"),
    [
        ("ERROR SUMMARY: 0 errors", "clean"),
        ("ERROR SUMMARY: 1 error", "reported"),
        ("Warning: CUDA Dynamic Parallelism {no}\nERROR SUMMARY: 1 error", "not supported"),
        ("Warning: CUDA Dynamic Parallelism {no}\nERROR SUMMARY: 2 errors", "reported"),
        ("Warning: CUDA Dynamic Parallelism {no}", "not measured"),
    ],
)
def test_a_refusal_of_a_tool_is_no_report(log: str, word: str) -> None:
    assert sanitizer.word_of(log.format(no=sanitizer.REFUSAL)) == word


def test_twins_that_are_not_silent_together_are_asked_one_by_one(tools: Path) -> None:
    case = {"program": "p", "kind": "race", "ours": "clean", "tools": {}}
    cases = [case | {"case": "c", "form": form} for form in ("bug", "twin")]
    (tools / "bugs.json").write_text(json.dumps({"bugs": cases}))
    words = ["--run", str(tools), "--seconds", "0.5", "--jobs", "4"]
    env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, "-m", BUGS, *words], env=env, cwd=ROOT, check=False)
    assert done.returncode == 0
    bug, twin = json.loads((tools / "measured.json").read_text())["bugs"]
    assert bug["tools"]["memcheck"] == bug["tools"]["racecheck"] == "reported"
    assert (twin["tools"]["memcheck"], twin["tools"]["racecheck"]) == ("clean", "reported")
    assert twin["tools"]["initcheck"] == "timed out"


def test_a_folder_without_programs_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", BUGS, "--keep", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "has no measured.json" in done.stderr


def test_a_bug_that_check_mode_misses_fails() -> None:
    from grader.tests.hardware import compare as script

    bug = {"program": "p", "case": "c", "form": "bug", "kind": "race", "tools": {}}
    document = {"counters": [], "bugs": [bug | {"ours": "clean"}]}
    assert list(script.complaints(document)) == ["p: c (bug): check mode does not report it: clean"]
    document["bugs"] = [bug | {"ours": "reported"}]
    assert list(script.complaints(document)) == []
    document["bugs"] = [bug | {"form": "twin", "ours": "reported"}]
    assert list(script.complaints(document)) == ["p: c (twin): check mode: reported"]


def test_an_explanation_holds_for_its_own_difference_only() -> None:
    known = [{"program": "p", "kernel": "k", "counters": ["sectors load"], "least": 0.5,
              "most": 0.5, "why": "joined"}]  # fmt: skip
    row = counters.judge("p", "k", "sectors load", 16, 8, None, known)
    assert (row.verdict, row.why) == ("explained", "joined")
    assert counters.judge("p", "k", "sectors load", 16, 9, None, known).verdict == "unexplained"
    assert counters.judge("p", "k", "sectors store", 16, 8, None, known).verdict == "unexplained"


@pytest.mark.parametrize(
    "name",
    ["sort", "sort<kKeys>", "void sort<(int)4>(float *, int)", "void a::b::sort<4>(float *)",
     "lab::(anonymous namespace)::sort(float *, int)", "void <unnamed>::sort<4>(int)"],
)  # fmt: skip
def test_kernels_are_found_by_their_base_names(name: str) -> None:
    assert counters.base_name(name) == "sort"


def test_the_tools_are_needed(tools: Path) -> None:
    (tools / "ncu").unlink()
    if not any((Path(folder) / "ncu").exists() for folder in os.environ["PATH"].split(":")):
        done = compare(tools, "--only", "counters")
        assert done.returncode == 3 and "ncu missing" in done.stderr


def test_the_readme_takes_the_table_between_its_marks() -> None:
    text = f"before\n{tables.BEGIN}\nold\n{tables.END}\nbehind\n"
    assert tables.insert(text, "new") == text.replace("old", "new")
    with pytest.raises(ValueError):
        tables.insert("no marks", "new")


RECORD = ROOT / "grader" / "tests" / "hardware" / "nvidia-h200.json"


def again(tools: Path, record: dict, *only: str) -> subprocess.CompletedProcess[str]:
    path = tools / "record.json"
    path.write_text(json.dumps(record))
    return compare(tools, "--again", str(path), *only)


@COUNTED
def test_count_mode_still_agrees_with_the_recorded_gpu(tools: Path) -> None:
    record = json.loads(RECORD.read_text())
    done = again(tools, record)
    assert done.returncode == 0, done.stderr
    equal = [row for row in record["counters"] if row["verdict"] == "equal"]
    wrong = max(equal, key=lambda row: row["ncu"])
    wrong["ncu"] += 1
    done = again(tools, record, "--match", wrong["program"].split()[0])
    assert done.returncode == 1
    assert f"{wrong['kernel']}: {wrong['counter']}: here {wrong['here']}," in done.stderr


def test_the_tables_of_the_readme_are_those_of_the_record() -> None:
    readme = (ROOT / "grader" / "cpu" / "README.md").read_text()
    assert tables.insert(readme, tables.markdown(json.loads(RECORD.read_text()))) == readme


@pytest.mark.parametrize("path", programs.lab_files(), ids=lambda path: path.stem)
def test_a_lab_that_is_compared_is_compared_whole(path: Path) -> None:
    left = [stage for stage in programs.labs_left_out() if stage.startswith(f"{path.stem}: ")]
    assert left == []


def test_there_are_programs_enough() -> None:
    assert len(programs.counted()) >= 6 and len(programs.lab_files()) >= 2
