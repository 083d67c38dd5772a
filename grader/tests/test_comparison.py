"""The clock: two real workers against each other, mostly of lab 02, and a driver that is a fake."""

import fcntl
import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.compiling import worker
from grader.judging.workers import build_for_grading
from grader.lab_file import manifest
from grader.machine import hardware

pytestmark = [pytest.mark.alone, pytest.mark.reads("judging", "labs", "reference")]
CHECKOUT = Checkout.here()
LAB = "02-in-place"
STAGE = "in-place"
HEAD = """
#include <time.h>
#include "cuda_check.hpp"
#include "in_place.hpp"
namespace in_place {
static double now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
static void wait(double seconds) { timespec t = {0, long(seconds * 1e9)}; nanosleep(&t, nullptr); }
__global__ void sort(float* keys, int n) {
  __shared__ float key[kOneEach];
  const int t = threadIdx.x;
  if (t < n) key[t] = keys[t];
  __syncthreads();
  int rank = 0;
  if (t < n) for (int j = 0; j < n; ++j) rank += key[j] < key[t] || (key[j] == key[t] && j < t);
  if (t < n) keys[rank] = key[t];
}
void in_place(float* keys, int n) {
  %s
  if (n > 0) sort<<<1, n>>>(keys, n);
  CUDA_CHECK(cudaDeviceSynchronize());
}
}
"""  # noqa: E501
# Takes half a millisecond per call: the plain one is the yardstick, and others add to it.
PLAIN = HEAD % "wait(500e-6);"
DOUBLE = HEAD % "wait(1000e-6);"
# Waits once per batch, however many calls it has: half a millisecond without a call is a new one.
ONCE = HEAD % "static double last; if (now() - last > 5e-4) wait(60e-3); last = now();"
WRONG = HEAD % "wait(500e-6); if (n > 1) --n;"
KEEPS = HEAD % "static float* kept; if (!kept) CUDA_CHECK(cudaMalloc(&kept, 4)); wait(500e-6);"
FREES = HEAD % "float* own; cudaMalloc(&own, 4); CUDA_CHECK(cudaFree(own)); wait(500e-6);"
# A process that has made so many calls makes no more.
TIRED = HEAD % "wait(500e-6); static int calls; if (++calls > %d) return;"
# Sorts only where it may run on one processor alone, the one that stands for %d.
ON_ONE = (
    "#include <sched.h>\n"
    + HEAD
    % """
  cpu_set_t usable;
  sched_getaffinity(0, sizeof usable, &usable);
  if (CPU_COUNT(&usable) != 1 || !CPU_ISSET(%d, &usable)) return;
"""
)


BUSY = 2.0  # programs that want to run, per processor


@pytest.fixture(scope="session")
def built() -> None:
    build_for_grading(CHECKOUT, "cpu")


@pytest.fixture
def quiet(built: None) -> None:
    """Half a millisecond is none where every processor is wanted by several programs."""
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    if load > BUSY * cores:
        pytest.skip(f"the machine is too busy to time anything: load {load:.1f} on {cores} cores")


def compare(
    text: str, folder: Path, environment: dict[str, str] | None = None, budget: float = 60
) -> dict[str, Any]:
    """The judge's report on `text` against PLAIN; full points up to 1.4 times, none from 1.5 on."""
    return compare_stage(LAB, STAGE, 64, (text, PLAIN), folder, environment, budget)


def compare_stage(
    lab: str, stage: str, n: int, sources: tuple[str, str], folder: Path,
    environment: dict[str, str] | None = None, budget: float = 60, more: tuple[str, ...] = (),
) -> dict[str, Any]:  # fmt: skip
    manifested = manifest.load(CHECKOUT.labs / lab / "lab.toml")
    workers = []
    for source in sources:
        compiled = worker.compile_submission(CHECKOUT, manifested, source.encode(), "cpu")
        assert compiled.worker, compiled.message
        workers.append(str(compiled.worker))
    report = folder / "report.json"
    command = [
        str(CHECKOUT.judge("cpu", lab)), "--compare", "--stage", stage, "--n", str(n),
        "--worker", workers[0], "--yardstick", workers[1], "--full", "1.4", "--none", "1.5",
        "--budget", str(budget), "--report", str(report), *more,
    ]  # fmt: skip
    subprocess.run(command, check=False, timeout=120, env=environment)
    return json.loads(report.read_text())


def test_twice_the_time_is_a_ratio_of_two(quiet: None, tmp_path: Path) -> None:
    rounds = []
    for _ in range(3):  # a virtual machine that loses its processor needs more rounds
        report = compare(DOUBLE, tmp_path)
        assert report["verdict"] == "decided"  # none from 1.5 on; a twentieth of all is as none
        assert 1.5 / (1.5 / 1.4) ** 0.05 <= report["low"] <= report["ratio"] <= report["high"] < 3
        assert report["anomalies"] == []
        rounds.append(report["rounds"])
        if rounds[-1] == 4:
            break
    assert rounds[-1] == 4, rounds


def test_a_submission_against_itself_is_a_ratio_of_one(quiet: None, tmp_path: Path) -> None:
    report = compare(PLAIN, tmp_path)
    assert report["verdict"] == "decided"
    assert 0.8 < report["ratio"] < 1.25 and report["noise"] < 0.5
    assert 450e-6 < report["seconds"] < 3e-3
    assert 0.7 < report["seconds"] / report["yardstick_seconds"] < 1.4
    assert report["anomalies"] == []


def test_where_the_time_went_is_told(built: None, tmp_path: Path) -> None:
    started = time.monotonic()
    spent = compare(PLAIN, tmp_path, budget=1)["spent"]
    assert set(spent) == {
        "prepare", "wait for the turn", "choose the number of calls",
        "start workers", "make inputs", "time", "check",
    }  # fmt: skip
    assert 0 < spent["time"] and sum(spent.values()) < time.monotonic() - started


@pytest.mark.exhaustive("grader/clock", "grader/judge")
def test_what_was_timed_is_checked_while_nobody_else_times(built: None, tmp_path: Path) -> None:
    def run(*more: str) -> str:
        both = (PLAIN, PLAIN)
        return compare_stage(LAB, STAGE, 64, both, tmp_path, budget=0.01, more=more)["verdict"]

    started = time.monotonic()
    run()
    seconds = time.monotonic() - started
    door, room = tmp_path / "door", tmp_path / "room"
    for file in (door, room):
        file.touch()
    checks = ("--checks", f"{door},{room}")
    with door.open() as closed, ThreadPoolExecutor(1) as pool:
        assert run(*checks) == "inconclusive"
        fcntl.flock(closed, fcntl.LOCK_EX)
        waiting = pool.submit(run, *checks)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=2 * seconds + 1)
        fcntl.flock(closed, fcntl.LOCK_UN)
        assert waiting.result() == "inconclusive"


@pytest.mark.parametrize("checks", ["one", "one,none", "one,one,one", "none,one"])
def test_without_door_and_room_nothing_is_timed(built: None, tmp_path: Path, checks: str) -> None:
    (tmp_path / "one").touch()
    files = ",".join(str(tmp_path / name) for name in checks.split(","))
    command = [CHECKOUT.judge("cpu", LAB), "--stage", STAGE, "--worker", CHECKOUT.judge("cpu", LAB),
               "--report", tmp_path / "report.json", "--checks", files]  # fmt: skip
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2 and "--checks needs two files" in ended.stderr


@pytest.mark.exhaustive("grader/clock", "grader/judge")
def test_time_that_does_not_grow_with_the_calls_is_an_anomaly(quiet: None, tmp_path: Path) -> None:
    # On a busy machine the worker may be stopped for a while within a batch, and wait once more.
    found = next(filter(None, (compare(ONCE, tmp_path)["anomalies"] for _ in range(3))), [])
    assert len(found) == 1 and "twice as many calls took only" in found[0]


@pytest.mark.exhaustive("grader/clock", "grader/judge", "labs/05-sssp")
def test_what_a_timed_call_keeps_is_told(built: None, tmp_path: Path) -> None:
    """Small inputs under the checker may not show it: a call can keep what is large enough."""
    report = compare(KEEPS, tmp_path, budget=1)
    assert report["verdict"] == "wrong answer" and "keeps device memory" in report["message"]
    assert compare(FREES, tmp_path, budget=1)["verdict"] in ("decided", "inconclusive")


def test_every_second_round_has_new_processes(quiet: None, tmp_path: Path) -> None:
    """Four rounds have 112 calls and more; two, with what comes before them, at most 80."""
    report = compare(TIRED % 90, tmp_path)
    assert report["verdict"] == "decided" and report["rounds"] >= 4
    assert compare(TIRED % 40, tmp_path)["verdict"] == "wrong answer"


def test_a_timed_call_is_a_checked_call(built: None, tmp_path: Path) -> None:
    report = compare(WRONG, tmp_path)
    assert report["verdict"] == "wrong answer" and "64" in report["message"]


def test_a_yardstick_that_fails_is_the_kits_fault(built: None, tmp_path: Path) -> None:
    broken = HEAD % "CUDA_CHECK(cudaErrorUnknown);"
    report = compare_stage(LAB, STAGE, 64, (PLAIN, broken), tmp_path, budget=1)
    assert report["verdict"] == "infrastructure error" and "of the kit" in report["message"]


def test_timed_workers_stay_on_the_processor_that_is_named(built: None, tmp_path: Path) -> None:
    processor = max(os.sched_getaffinity(0))

    def verdict(*more: str) -> str:
        both = (ON_ONE % processor, PLAIN)
        return compare_stage(LAB, STAGE, 64, both, tmp_path, budget=0.01, more=more)["verdict"]

    assert verdict("--processor", str(processor)) == "inconclusive"
    assert verdict() == "wrong answer"


def test_no_time_to_measure_is_inconclusive(built: None, tmp_path: Path) -> None:
    report = compare(DOUBLE, tmp_path, budget=0.01)
    assert report["verdict"] == "inconclusive"


@pytest.mark.exhaustive("grader/clock", "grader/judge", "labs/05-sssp")
def test_what_a_preparation_keeps_is_gone_when_the_search_is_timed(
    built: None, tmp_path: Path
) -> None:
    honest = (CHECKOUT.reference / "05-sssp" / "sssp.cu").read_text()
    prepare = "  sort_arcs_by_weight(offsets, targets, weights, n, arcs, sorted_targets,"
    search = "  return search_by_delta_stepping("
    keeps = honest.replace(prepare, f"  kept = true;\n{prepare}")
    keeps = keeps.replace(search, f"  if (!kept) return 1;\n{search}")
    keeps = keeps.replace("namespace sssp {", "namespace sssp {\nstatic bool kept = false;", 1)
    assert keeps.count("kept = true") == 2 and keeps.count("!kept") == 2
    report = compare_stage("05-sssp", "delta", 256, (keeps, honest), tmp_path, budget=0.01)
    assert report["verdict"] == "wrong answer"
    report = compare_stage("05-sssp", "delta", 256, (honest, honest), tmp_path, budget=0.01)
    assert report["verdict"] in ("decided", "inconclusive") and report["rounds"] > 0


@pytest.mark.exhaustive("grader/clock", "grader/judge", "labs/05-sssp")
def test_a_batch_has_many_searches_because_their_times_depend_on_the_source(
    built: None, tmp_path: Path
) -> None:
    """Two calls would be long enough for the clock; of a slow program a few must do."""
    honest = (CHECKOUT.reference / "05-sssp" / "sssp.cu").read_text()
    search = "  return search_by_delta_stepping("
    for milliseconds, least, most in ((4, 24, 24), (40, 3, 6)):
        slow = "#include <unistd.h>\n" + honest.replace(
            search, f"  usleep({milliseconds * 1000});\n{search}"
        )
        report = compare_stage("05-sssp", "delta", 64, (slow, slow), tmp_path, budget=0.01)
        assert least <= report["calls"] <= most


def on_graph(stage: str, submission: str, yardstick: str, folder: Path) -> dict[str, Any]:
    return compare_stage("05-sssp", stage, 64, (submission, yardstick), folder, budget=0.01)


@pytest.mark.exhaustive("grader/clock", "grader/judge", "labs/05-sssp")
def test_what_differs_from_the_yardsticks_answer_is_proved_by_itself(
    built: None, tmp_path: Path
) -> None:
    """One side is wrong from every other source. The yardstick's first answer is proved. If that is
    right, its wrong ones do not harm a submission that is right."""
    honest = (CHECKOUT.reference / "05-sssp" / "sssp.cu").read_text()
    search = "  return search_by_delta_stepping("
    wrong = [honest.replace(search, f"  if (source % 2 == {odd}) return 1;\n{search}")
             for odd in (0, 1)]  # fmt: skip
    found = [on_graph("delta", text, honest, tmp_path)["verdict"] for text in wrong]
    assert found == ["wrong answer", "wrong answer"]
    unharmed = [on_graph("delta", honest, text, tmp_path)["verdict"] for text in wrong]
    assert sum(verdict == "infrastructure error" for verdict in unharmed) == 1
    assert sum(verdict in ("decided", "inconclusive") for verdict in unharmed) == 1


@pytest.mark.exhaustive("grader/clock", "grader/judge", "labs/05-sssp")
def test_a_label_outside_the_graph_is_a_wrong_answer(built: None, tmp_path: Path) -> None:
    honest = (CHECKOUT.reference / "05-sssp" / "sssp.cu").read_text()
    call = honest[honest.index("void arrange(const") :]
    call = call[: call.index("}\n")]
    hostile = honest.replace(
        call,
        f"{call}  const int far = 1 << 30;\n"
        "  CUDA_CHECK(cudaMemcpy(label, &far, sizeof far, cudaMemcpyHostToDevice));\n",
    )
    report = on_graph("locality", hostile, honest, tmp_path)
    assert report["verdict"] == "wrong answer" and "label" in report["message"]
    report = on_graph("locality", honest, honest, tmp_path)
    assert report["verdict"] in ("decided", "inconclusive") and report["rounds"] > 0


FAKE_DRIVER = """
extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned, void** d) { *d = d; return 0; }
int nvmlDeviceGetHandleByUUID(const char*, void** d) { *d = d; return 0; }
int nvmlDeviceGetClockInfo(void*, int, unsigned* mhz) { *mhz = 1980; return 0; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* r) { static int asked; *r = REASONS; return 0; }
}
"""  # noqa: E501


def fake_driver(folder: Path, reasons: str) -> dict[str, str]:
    source = folder / "driver.cpp"
    source.write_text(FAKE_DRIVER)
    library = folder / "libnvidia-ml.so.1"
    command = ["g++", "-shared", "-fPIC", f"-DREASONS={reasons}", source, "-o", library]
    subprocess.run(command, check=True)
    return {"LD_LIBRARY_PATH": str(folder)}


@pytest.mark.skipif(hardware.find_gpu() is not None, reason="the real driver answers here")
@pytest.mark.exhaustive("grader/clock", "grader/judge")
def test_rounds_in_which_the_gpu_was_hot_are_dropped(built: None, tmp_path: Path) -> None:
    """Before a round or after it: one of the two is enough."""
    driver = fake_driver(tmp_path, reasons="asked++ % 2 ? 0 : 0x40")
    hot = compare(PLAIN, tmp_path, driver, budget=3)
    assert (hot["verdict"], hot["rounds"]) == ("inconclusive", 0)
    assert hot["dropped"] > 0 and "heat" in hot["dropped_why"]


@pytest.mark.skipif(hardware.find_gpu() is not None, reason="the real driver answers here")
@pytest.mark.exhaustive("grader/clock", "grader/judge")
def test_the_power_cap_drops_nothing(built: None, tmp_path: Path) -> None:
    capped = compare(PLAIN, tmp_path, fake_driver(tmp_path, reasons="0x04"))
    assert (capped["verdict"], capped["dropped"]) == ("decided", 0)
    assert capped["lowest_clock_mhz"] == capped["highest_clock_mhz"] == 1980
