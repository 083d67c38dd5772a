"""./lab bench: what is timed and printed, and that nothing is printed which nobody measured."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from grader.base import columns as columns_of
from grader.base import process
from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError, UsageError
from grader.commands import bench
from grader.commands.bench import read_sizes
from grader.commands.cli import main
from grader.compiling.worker import compile_submission
from grader.judging.judge import Bench
from grader.judging.judge_report import BadReport
from grader.judging.workers import build_for_grading
from grader.lab_file import manifest, marks
from grader.machine import hardware
from grader.tests.fakes import CEILINGS, LAB, plan
from grader.tests.test_counting import counted, kernel, line
from grader.timing import ceilings, kernel_profile, roofline, speed
from grader.timing.bench_table import digits, duration, percent, rate, table
from grader.timing.ceilings import NotMeasured

pytestmark = pytest.mark.reads("judging", "labs", "reference", "grader/trials")

Captured = pytest.CaptureFixture[str]

# What `nvcc -Xptxas -v` printed for two kernels, one of them forced to spill.
PTXAS = """\
ptxas info    : Compiling entry function '_ZN3lab3oneEPf' for 'sm_90'
ptxas info    : Function properties for _ZN3lab3oneEPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, used 0 barriers
ptxas info    : Compiling entry function '_ZN3lab3twoILi4EEEvPf' for 'sm_90'
ptxas info    : Function properties for _ZN3lab3twoILi4EEEvPf
    176 bytes stack frame, 228 bytes spill stores, 172 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 34816 bytes smem
"""


def profiled(name: str, **changed: Any) -> dict[str, Any]:
    row = {"kernel": name, "launches": 3, "grid": 64, "block": 256, "registers": 40,
           "static_shared": 17408, "dynamic_shared": 1024, "local": 0, "resident_threads": 1536,
           "most_threads": 2048}  # fmt: skip
    return {**row, **changed}


@pytest.fixture
def gpu(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    """A checkout whose GPU, compiler and ceilings are fakes."""
    shutil.copytree(checkout.build("cpu"), checkout.build("gpu"), dirs_exist_ok=True)
    checkout.ceilings().write_text(f"#!/bin/sh\necho '{json.dumps(CEILINGS)}'\n")
    checkout.ceilings().chmod(0o755)
    monkeypatch.setattr(hardware, "find_gpu", lambda: hardware.Gpu("A GPU", "1", "9.0"))
    ceilings.measure_ceilings.cache_clear()
    return checkout


def run_bench(checkout: Checkout, capsys: Captured, *arguments: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main(["bench", LAB, *arguments, "--json"], checkout)
    return code, json.loads(capsys.readouterr().out)


# ---- what is timed ------------------------------------------------------------------------------


def test_an_untouched_skeleton_leaves_the_reference_to_be_timed(
    checkout: Checkout, capsys: Captured
) -> None:
    assert main(["bench", LAB, "--backend", "cpu"], checkout) == 0
    said = capsys.readouterr()
    assert "still the skeleton: timing the reference" in said.err
    assert "the reference" in said.out and "not GPU time" in said.out
    mine = checkout.labs / LAB / "demo.cu"
    mine.write_text(mine.read_text() + "// edited\n")
    _, document = run_bench(checkout, capsys, "--backend", "cpu")
    assert document["source"].endswith(f"labs/{LAB}/demo.cu")
    _, document = run_bench(checkout, capsys, "--backend", "cpu", "--reference")
    assert document["source"] == "the reference"


def test_a_stage_that_is_not_written_yet_is_not_timed(
    checkout: Checkout, capsys: Captured
) -> None:
    reference = (checkout.reference / LAB / "demo.cu").read_text()
    mine = marks.cut(reference, "demo.cu", keep=("global",))
    (checkout.labs / LAB / "demo.cu").write_text(mine)
    assert main(["bench", LAB], checkout) == 1
    said = capsys.readouterr().out
    assert "strided: not timed: nothing is written between its marks yet" in said
    assert "global: not timed" not in said
    (checkout.labs / LAB / "demo.cu").write_text(reference)
    assert main(["bench", LAB], checkout) == 0
    assert "not timed" not in capsys.readouterr().out


def test_a_file_and_a_submission_can_be_named(checkout: Checkout, capsys: Captured) -> None:
    file = checkout.root.parent / "ann.cu"
    file.write_text(plan("strided", "bench", '{"points": []}'))
    code, document = run_bench(checkout, capsys, "--backend", "cpu", "--source", str(file))
    assert [bool(stage.get("points")) for stage in document["stages"]] == [True, False]
    assert code == 1  # not every stage has a time
    folder = checkout.root.parent / "bob"
    folder.mkdir()
    shutil.copy(file, folder / "demo.cu")
    _, document = run_bench(checkout, capsys, "--backend", "cpu", "--submission", str(folder))
    assert document["source"] == str(folder)


def test_stages_sizes_and_a_file_for_the_document(checkout: Checkout, capsys: Captured) -> None:
    out = checkout.root.parent / "bench.json"
    code, document = run_bench(checkout, capsys, "--backend", "cpu", "--stage", "strided",
                           "--sizes", "1000,2^12", "--out", str(out))  # fmt: skip
    assert code == 0 and json.loads(out.read_text()) == document
    [stage] = document["stages"]
    assert (stage["stage"], [point["n"] for point in stage["points"]]) == ("strided", [1000, 4096])


NO_SIZES = ["", "0", "-3", "4k", "2^", "2^31", "1,,2", "9" * 30, "2^" + "9" * 30, "9" * 5000,
            "2^0000004", "٣"]  # fmt: skip


@pytest.mark.parametrize("text", NO_SIZES)
def test_a_size_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a size"):
        read_sizes(text)


@pytest.mark.parametrize(
    "arguments",
    [["09"], [LAB, "--sizes", "many"], [LAB, "--stage", "tiled"], [f"{LAB}.global", "--stage",
     "strided"], [LAB, "--source", "nowhere.cu"], [LAB, "--source", "a.cu", "--reference"], []],
)  # fmt: skip
def test_bad_usage_is_one_sentence(
    checkout: Checkout, capsys: Captured, arguments: list[str]
) -> None:
    assert main(["bench", *arguments, "--backend", "cpu"], checkout) == 2
    said = capsys.readouterr()
    assert not said.out and len(said.err.strip().splitlines()) == 1


@pytest.mark.parametrize("place", [".", "pipe", "file/below.json"])
def test_an_out_that_cannot_be_is_refused_before_anything_is_timed(
    checkout: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr(speed, "measure", lambda *_: pytest.fail("it was timed"))
    (checkout.root / "file").write_text("")
    os.mkfifo(checkout.root / "pipe")  # stands for /dev/null
    out = checkout.root / place
    assert main(["bench", LAB, "--backend", "cpu", "--out", str(out)], checkout) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_full_disk_costs_the_file_but_not_the_times(
    checkout: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, _: str) -> None:
        raise InfrastructureError(f"cannot write {path}: no space")

    monkeypatch.setattr(bench, "write_atomically", full)
    out = checkout.root / "bench.json"
    asked = ["bench", LAB, "--backend", "cpu", "--reference", "--out", str(out)]
    assert main(asked, checkout) == 3
    said = capsys.readouterr()
    assert "no space" in said.err and "4,096" in said.out


def test_what_was_timed_before_an_interruption_is_told(
    checkout: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = speed.measure

    def interrupted(bench: Bench, stage: str, sizes: tuple[int, ...]) -> Any:
        if stage == "strided":
            raise KeyboardInterrupt
        return real(bench, stage, sizes)

    monkeypatch.setattr(speed, "measure", interrupted)
    asked = ["bench", LAB, "--backend", "cpu", "--reference"]
    assert main(asked, checkout) == 3
    said = capsys.readouterr()
    assert "interrupted" in said.err and "global" in said.out
    assert main([*asked, "--stage", "strided"], checkout) == 3  # nothing was finished
    assert not capsys.readouterr().out


def test_a_stage_without_a_bench_is_left_out_unless_it_is_asked_for(
    checkout: Checkout, capsys: Captured
) -> None:
    file = checkout.root.parent / "ann.cu"
    file.write_text(plan("strided", "bench", '{"text": "", "exit": 2}'))
    source = ("--backend", "cpu", "--source", str(file))
    code, document = run_bench(checkout, capsys, *source)
    assert code == 0 and [stage["stage"] for stage in document["stages"]] == ["global"]
    assert main(["bench", f"{LAB}.strided", *source], checkout) == 2
    assert "does not time strided" in capsys.readouterr().err


def test_what_does_not_compile_is_not_timed(checkout: Checkout, capsys: Captured) -> None:
    file = checkout.root.parent / "ann.cu"
    file.write_text("#error\n")
    assert main(["bench", LAB, "--backend", "cpu", "--source", str(file)], checkout) == 2
    assert "does not compile" in capsys.readouterr().err


# ---- what is explained --------------------------------------------------------------------------


def test_on_the_cpu_backend_only_what_was_counted_is_a_number(
    checkout: Checkout, capsys: Captured
) -> None:
    file = checkout.root.parent / "ann.cu"
    two = counted(kernel(line(1, "global", "load", 100, 400), launches=7))
    file.write_text(two + plan("global", "count", '{"verdict": "crashed", "exit": 1}'))
    source = ("--backend", "cpu", "--source", str(file), "--explain")
    code, document = run_bench(checkout, capsys, *source)
    assert code == 0 and document["machine"]["ceilings"] is None
    crashed, seen = (stage["looked_at"] for stage in document["stages"])
    assert crashed["kernels"] == [] and "crashed" in crashed["not_measured"]
    assert seen["kernels"][0]["launches"] == 7 and seen["n"] == 4096
    text = table(document)
    assert "100 x 4" in text and "kernels: not measured: crashed" in text
    assert "registers, spills, occupancy, bytes/s, operations/s: not measured" in text
    assert "least time" not in text and "of it" not in text


def test_on_a_gpu_rates_shares_and_kernels_are_told(
    gpu: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    file = gpu.root.parent / "ann.cu"
    none = dict.fromkeys(("grid", "block", "registers", "resident_threads", "most_threads"), 0)
    rows = [profiled("_ZN3lab3twoILi4EEEvPf", launches=16), profiled("_ZN3lab3oneEPf"),
            profiled("(graphs)", launches=1, **none)]  # fmt: skip
    file.write_text(plan("global", "profile", json.dumps({"kernels": rows})))
    code, document = run_bench(gpu, capsys, "--stage", "global", "--source", str(file), "--explain")
    assert code == 0 and document["machine"]["ceilings"] == CEILINGS
    [stage] = document["stages"]
    first, second, _ = stage["looked_at"]["kernels"]
    assert (first["name"], first["launches"], first["occupancy"]) == ("two<4>", 16, 0.75)
    assert (second["name"], second["spilled"]) == ("one", None)  # the fake compiler says nothing
    text = table(document)
    # 4096 keys in 4.5 ms: 16.8 M compares, 3.7 G/s, of 16 T/s; the limit is a launch, 2.5 us.
    assert "3.72 G" in text and "2.50 us (one launch)" in text and "0.055 %" in text
    assert "17,408 + 1,024 B" in text and "64 x 256" in text and "75 %" in text
    assert "20 empty launches take 50.0 us: 1.1 % of this call's time" in text
    assert "(graphs)         1\n" in text  # a graph has no registers
    assert "measured peaks per second: 4.00 T bytes copied, 16.0 T compares" in text
    assert "not measured" in text  # what was spilled


@pytest.mark.parametrize("columns", [100, 60])
def test_what_is_told_of_a_gpu_fits_the_terminal(
    gpu: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = json.dumps({"kernels": [profiled("_ZN3lab30a_kernel_with_a_rather_long_nameEPf")]})
    file = gpu.root.parent / "ann.cu"
    file.write_text(plan("global", "profile", rows))
    options = ("--source", str(file), "--explain", "--sizes", "1000,2^28")
    _, document = run_bench(gpu, capsys, *options)
    lines = columns_of.fitted(table(document), columns).splitlines()
    assert max(len(line) for line in lines if str(file) not in line) <= columns
    text = " ".join(" ".join(lines).split())
    for said in ("n 268,435,456" if columns == 60 else "268,435,456", "64 x 256", "one launch"):
        assert said in text


def test_ceilings_that_failed_are_not_measured(gpu: Checkout, capsys: Captured) -> None:
    gpu.ceilings().unlink()
    _, document = run_bench(gpu, capsys, "--reference", "--explain")
    text = table(document)
    assert document["machine"]["ceilings"] is None and "least time" not in text
    assert "limits: not measured: " in text and "was not built" in text


def test_a_profile_that_failed_says_so(gpu: Checkout, capsys: Captured) -> None:
    file = gpu.root.parent / "ann.cu"
    file.write_text(plan("global", "profile", json.dumps({"kernels": [{"kernel": "f"}]})))
    _, document = run_bench(gpu, capsys, "--stage", "global", "--source", str(file), "--explain")
    looked_at = document["stages"][0]["looked_at"]
    assert looked_at["kernels"] == [] and "lacks something" in looked_at["not_measured"]


def test_spills_are_read_from_what_ptxas_says() -> None:
    spilled = kernel_profile.spills(PTXAS)
    assert spilled == {"_ZN3lab3oneEPf": 0, "_ZN3lab3twoILi4EEEvPf": 400}
    assert kernel_profile.spills("") == {}
    [one] = kernel_profile.kernels([profiled("_ZN3lab3twoILi4EEEvPf")], spilled)
    assert (one.name, one.spilled, one.occupancy) == ("two<4>", 400, 0.75)


@pytest.mark.parametrize(
    "row",
    [{"kernel": "f"}, profiled("f", launches=-1), profiled("f", registers=2.5),
     profiled("f", grid=True)],
)  # fmt: skip
def test_a_profile_with_numbers_that_are_none_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(BadReport):
        kernel_profile.kernels([row], {})
    assert kernel_profile.kernels([profiled("f")], {})


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN3lab3oneEPf", "one"),
        ("_ZN7bitonic43_GLOBAL__N__5ee911c5_10_bitonic_cu_456915e610merge_rowsINS0_4KeysEEEvT_jib",
         "merge_rows<Keys>"),
        ("plain", "plain"),
        ("--version", "--version"),
        ("(graphs)", "(graphs)"),
    ],
)  # fmt: skip
def test_kernels_have_names_for_people(symbol: str, name: str) -> None:
    assert kernel_profile.readable([symbol]) == {symbol: name}


def test_without_a_demangler_the_last_name_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "run", lambda *_, **__: process.Finished(127, "", False, 0))
    assert kernel_profile.readable(["_ZN3lab3oneEPf"]) == {"_ZN3lab3oneEPf": "one"}


# ---- ceilings and shares ------------------------------------------------------------------------


@pytest.mark.parametrize("changed", [{"launch_seconds": 0}, {"launch_seconds": None},
                                     {"compares_per_second": -1}])  # fmt: skip
def test_ceilings_that_are_none_are_refused(changed: dict[str, Any]) -> None:
    assert ceilings.read(json.dumps(CEILINGS)).launch_seconds == 2.5e-6
    with pytest.raises(NotMeasured):
        ceilings.read(json.dumps({**CEILINGS, **changed}))


@pytest.mark.parametrize("text", ["", "[]", "{}", "ceilings: no CUDA-capable device"])
def test_a_report_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(NotMeasured):
        ceilings.read(text)


def test_without_a_gpu_there_are_no_ceilings(checkout: Checkout) -> None:
    with pytest.raises(NotMeasured, match="not GPU time"):
        ceilings.measure_ceilings(checkout, "cpu")
    with pytest.raises(NotMeasured, match="was not built"):
        ceilings.measure_ceilings(checkout, "gpu")


def test_ceilings_come_into_a_result_of_a_gpu(gpu: Checkout, capsys: Captured) -> None:
    path = gpu.root.parent / "demo.cu"
    path.write_text("// fine\n")
    arguments = ["grade", "--figures", str(path), "--json"]
    main(arguments, gpu)
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert result["machine"]["ceilings"] == CEILINGS
    assert result["measured"][0]["points"][0]["work"]["operation"] == "compares"
    gpu.ceilings().write_text("#!/bin/sh\necho ceilings: broken; exit 3\n")
    ceilings.measure_ceilings.cache_clear()
    main(arguments, gpu)
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert result["machine"]["ceilings"] is None
    assert "the machine's limits were not measured: ceilings: broken" in [
        note["text"] for note in result["staff_notes"]
    ]


def point(seconds: float, **work: Any) -> dict[str, Any]:
    return {"n": 8, "seconds": [seconds], "work": work}


@pytest.mark.parametrize(
    ("measured", "bound_by", "share"),
    [
        (point(1e-3, bytes=8, operations=8e9, operation="compares"), "compares", 0.5),
        (point(1e-3, bytes=8, operations=8e9, operation="exchanges"), "exchanges", 1.0),
        (point(1e-3, bytes=8, operations=8e6, operation="arcs"), "arcs", 0.05),
        (point(1e-3, bytes=2e9, operations=0, operation=""), "bytes", 0.5),
        (point(1e-5, bytes=8, operations=8, operation="compares"), "launch", 0.25),
    ],
)
def test_the_share_is_that_of_what_takes_longest(
    measured: dict[str, Any], bound_by: str, share: float
) -> None:
    found = roofline.reached(measured, CEILINGS)
    assert found is not None
    assert (found.bound_by, found.share) == (bound_by, pytest.approx(share))
    assert roofline.reached(measured, None) is None
    assert roofline.reached({"n": 8, "seconds": [1.0]}, CEILINGS) is None


def test_numbers_have_three_digits() -> None:
    assert [duration(s) for s in (2.5, 0.1999, 2.83e-4, 9.996e-6, 4e-9)] == [
        "2.50 s", "200 ms", "283 us", "10.0 us", "4.00 ns"]  # fmt: skip
    assert [rate(r) for r in (4.2e12, 15.96e9, 2e6, 3)] == ["4.20 T", "16.0 G", "2.00 M", "3.00"]
    assert [percent(s) for s in (1, 0.185, 0.0999, 0.00055)] == ["100 %", "18 %", "10 %", "0.055 %"]
    assert percent(2e-7) == "< 0.001 %" and percent(0) == "0 %"
    assert [digits(v) for v in (0, 0.5, 0.0123, 4.56e-6)] == ["0", "0.5", "0.0123", "0.00000456"]


def test_the_kits_ceilings_and_schema_name_the_same_numbers() -> None:
    folder = Checkout.here().root / "grader" / "grading"
    schema = json.loads((folder / "result.schema.json").read_text())
    assert set(schema["$defs"]["ceilings"]["properties"]) == set(CEILINGS)
    program = Path(Checkout.here().root / "grader" / "trials" / "ceilings_main.cpp").read_text()
    assert all(f'"{name}"' in program for name in CEILINGS)
    operations = schema["$defs"]["work"]["properties"]["operation"]["enum"]
    assert set(operations) == {"", *roofline.OPERATIONS}
    words = (Checkout.here().root / "grader" / "clock" / "work.hpp").read_text()
    assert all(f'return "{name}";' in words for name in operations)


# ---- the real judge -----------------------------------------------------------------------------


# Merges runs, so that it takes less time than the serial rank sort that it is compared with.
MERGES = b"""#include <utility>
#include "device_buffer.hpp"
#include "rank_sort.hpp"
namespace rank_sort {
__global__ void merge_runs(const float* from, float* to, int n, int run) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int own = i / run * run, pair = i / (2 * run) * 2 * run;
  const int first = own == pair ? own + run : pair;
  int low = first;
  for (int high = low + run; low < high;) {
    const int middle = (low + high) / 2;
    if (from[middle] < from[i]) low = middle + 1; else high = middle;
  }
  to[pair + i - own + low - first] = from[i];
}
void global(const float* in, float* out, int n) {  // n is a power of two
  kit::DeviceBuffer<float> other(n);
  float *from = other.data(), *to = out;
  cudaMemcpy(from, in, n * sizeof(float), cudaMemcpyDeviceToDevice);
  for (int run = 1; run < n; run *= 2, std::swap(from, to))
    merge_runs<<<(n + 255) / 256, 256>>>(from, to, n, run);
  if (from != out) cudaMemcpy(out, from, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
}
"""


@pytest.fixture(scope="module")
def real() -> Bench:
    return real_bench()


def real_bench(source: bytes = b"") -> Bench:
    """Lab 01's judge and its reference, or another source; started without a sandbox."""
    here, name = Checkout.here(), "01-rank-sort"
    build_for_grading(here, "cpu")
    lab = manifest.find(manifest.discover(here), name)
    source = source or (here.reference / name / lab.source).read_bytes()
    made = compile_submission(here, lab, source, "cpu")
    assert made.worker, made.message
    return Bench(here.judge("cpu", name), made.worker, 10.0, "cpu", 1, here.control("cpu", name))


def test_the_judge_times_the_backends_sizes_if_none_are_asked_for(real: Bench) -> None:
    listed = next(bench for bench in speed.benches(real.judge) if bench["stage"] == "tiled")
    measured = speed.measure(real, "tiled")
    assert measured is not None
    sizes = [point["n"] for point in measured["points"]]
    assert sizes == [point["n"] for point in listed["points"]] and max(sizes) <= 1 << 15


def test_a_slow_baseline_is_sampled_three_times() -> None:
    measured = speed.measure(real_bench(MERGES), "global", (64, 1 << 15))
    assert measured is not None
    fast, slow = (point["baseline_seconds"] for point in measured["points"])
    assert len(fast) == 7
    assert min(slow) > 0.05 and len(slow) == 3


def test_the_judge_times_the_sizes_that_are_asked_for(real: Bench) -> None:
    measured = speed.measure(real, "tiled", (40, 300))
    assert measured is not None
    works = [(point["n"], point["work"]) for point in measured["points"]]
    assert works == [
        (n, {"bytes": 8 * n, "operations": n * n, "operation": "compares"}) for n in (40, 300)
    ]
    assert speed.measure(real, "strings") is None  # has no bench
    alone = speed.measure_largest(real, "tiled")
    assert alone["n"] > 300 and alone["seconds"] and alone["baseline_seconds"] == []
    with pytest.raises(BadReport, match="no points"):
        speed.measure_largest(real, "strings")


@pytest.mark.parametrize(
    "options",
    [["--bench", "--sizes", "0"], ["--bench", "--sizes", "8,x"], ["--profile"], ["--count"]],
)
def test_the_judge_refuses_what_it_cannot_measure(
    real: Bench, tmp_path: Path, options: list[str]
) -> None:
    report = tmp_path / "report"
    asked = [real.judge, "--stage", "tiled", "--worker", real.worker, "--report", report, *options]
    assert process.run(asked, limit=60).returncode == 2 and not report.exists()


def test_a_worker_that_is_not_profiled_has_nothing_to_tell(real: Bench, tmp_path: Path) -> None:
    report = tmp_path / "report"
    asked = [real.judge, "--profile", "--n", "64", "--stage", "tiled", "--worker", real.worker,
             "--report", report]  # fmt: skip
    assert process.run(asked, limit=60).ok
    assert json.loads(report.read_text())["kernels"] == []


def test_the_judge_lists_its_benches(real: Bench) -> None:
    stages = [bench["stage"] for bench in speed.benches(real.judge)]
    assert stages == ["global", "strided", "stable", "tiled"]
