"""Nsight Compute beside ./lab why: what it prints is read, and whatever it lacks is said."""

import csv
import io
import json
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.compiling.worker import Compiled
from grader.lab_file.manifest import Lab
from grader.sandbox.bubblewrap import OWN_RIGHTS
from grader.study import ncu

pytestmark = [pytest.mark.reads(), pytest.mark.unit]

HEAD = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
        "Block Size", "Grid Size", "Device", "CC", "Section Name", "Metric Name", "Metric Unit",
        "Metric Value")  # fmt: skip
BEFORE = """==PROF== Connected to process 4711 (/build/gpu/submissions/0/worker)
==PROF== Profiling "count_tiles" - 0: 0%....50%....100% - 8 passes
==PROF== Disconnected from process 4711
"""
MEMORY, ISSUE = ncu.PARTS["memory"], ncu.PARTS["issue"]
Launch = tuple[str, dict[str, str]]


def wait(name: str) -> str:
    return ncu.STALL.format(name)


def log(*launches: Launch, before: str = BEFORE, more: Sequence[str] = ()) -> str:
    """As `ncu --csv --log-file` writes it; newer versions have more columns."""
    table = io.StringIO()
    writer = csv.writer(table, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow([*HEAD, *more])
    for number, (kernel, values) in enumerate(launches):
        for metric, value in values.items():
            writer.writerow([number, 4711, "worker", "127.0.0.1", kernel, 1, 7, "(256, 1, 1)",
                             "(16, 1, 1)", 0, "9.0", "Command line profiler metrics", metric,
                             "%", value, *([""] * len(more))])  # fmt: skip
    return before + table.getvalue()


SLOW: Launch = ("count_tiles", {
    ncu.TIME: "12,345", MEMORY: "23.40", ISSUE: "41.0", wait("long_scoreboard"): "5.21",
    wait("barrier"): "1.00", wait("wait"): "2.09",
})  # fmt: skip
FAST: Launch = ("place", {ncu.TIME: "1,234", MEMORY: "80.0", wait("barrier"): "9.00"})


@pytest.mark.parametrize("more", [(), ("Rule Name", "Rule Type", "Rule Description")])
def test_the_kernel_that_takes_longest_is_told(more: Sequence[str]) -> None:
    found = ncu.read(log(FAST, SLOW, SLOW, more=more))
    assert (found.kernel, found.launches, found.longest) == ("count_tiles", 2, "long_scoreboard")
    first, second = ncu.told(found)
    assert first == ("ncu: count_tiles (95% of the kernels' time) uses 23 % of the memory's "
                     "bandwidth, 41 % of the issue slots.")  # fmt: skip
    assert second == ("Its warps wait longest for data from global memory: 5.2 of 8.3 cycles per "
                      "instruction.")  # fmt: skip
    assert "shared memory or registers" in ncu.advice(found)


def test_means_are_over_the_time() -> None:
    long, short = ("k", {ncu.TIME: "300", MEMORY: "90"}), ("k", {ncu.TIME: "100", MEMORY: "10"})
    assert ncu.read(log(long, short)).parts == {"memory": pytest.approx(70)}


@pytest.mark.parametrize(("values", "words"), [
    ({MEMORY: "71"}, "fewer bytes"), ({ISSUE: "88"}, "instructions"),
    ({wait("barrier"): "3", wait("wait"): "2"}, "fewer barriers"),
    ({wait("short_scoreboard"): "3"}, "shared memory"),
])  # fmt: skip
def test_the_advice_is_about_the_limit_or_the_longest_wait(
    values: dict[str, str], words: str
) -> None:
    assert words in ncu.advice(ncu.read(log(("k", {ncu.TIME: "5", **values}))))


def test_what_is_hardly_used_is_not_called_unused() -> None:
    [first] = ncu.told(ncu.read(log(("k", {ncu.TIME: "5", MEMORY: "0.04"}))))
    assert "uses under 1 % of the memory's bandwidth" in first


@pytest.mark.parametrize("value", ["n/a", "", "nan", "(!) n/a", "no"])
def test_a_metric_that_this_gpu_lacks_is_left_out(value: str) -> None:
    found = ncu.read(log(("k", {ncu.TIME: "5", MEMORY: value, wait("wait"): value})))
    assert found.parts == {} and found.longest == "" and ncu.advice(found) == ""
    assert ncu.told(found) == ["ncu: k (100% of the kernels' time)."]


PERMISSION = """==PROF== Connected to process 4711 (/worker)
==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0. For instructions on enabling permissions and to get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM
==PROF== Disconnected from process 4711
==WARNING== No kernels were profiled.
"""  # noqa: E501


@pytest.mark.parametrize(("text", "said", "words"), [
    (PERMISSION, "", "for administrators"),
    ("==ERROR== Failed to find metric gpu__time\n", "", "ncu says: Failed to find metric"),
    ("==PROF== Connected\n==WARNING== No kernels were profiled.\n", "", "saw no kernel"),
    ("", "the judge did not finish within 120 s", "did not finish"), ("", "", "no counters"),
    (log(), "", "no counters"),
])  # fmt: skip
def test_without_counters_one_sentence_says_why(text: str, said: str, words: str) -> None:
    with pytest.raises(ncu.Refused, match=words):
        ncu.read(text, said)


def test_ncu_starts_the_worker_that_the_judge_asks(
    checkout: Checkout, lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fake ncu and a fake judge, which starts its worker as the real one does."""
    box = tmp_path / "bin"
    box.mkdir()
    script(box / "ncu", f"""import sys
words = sys.argv
open(words[words.index("--log-file") + 1], "w").write({log(SLOW)!r})
assert words[-1].endswith("worker") and words[words.index("--metrics") + 1].count(",") > 10
assert words[words.index("--kernel-name") + 1] == "regex:^(count_tiles|place)$"
""")
    script(checkout.judge("gpu", lab.name), f"""import json, subprocess, sys
words = sys.argv
assert "--profile" in words and "--launcher" not in words
subprocess.run([words[words.index("--worker") + 1]], check=True)
open(words[words.index("--report") + 1], "w").write({json.dumps({"verdict": "profiled"})!r})
""")
    monkeypatch.setenv("PATH", f"{box}:/usr/bin:/bin")
    made = Compiled(tmp_path / "worker", "")
    monkeypatch.setattr(ncu, "compile_submission", lambda *_, **__: made)
    asked = (checkout, lab, b"", "global", 4096, 1, OWN_RIGHTS, ["place", "count_tiles<float>"])
    assert ncu.profile(*asked).kernel == "count_tiles"
    (box / "ncu").unlink()
    with pytest.raises(ncu.Refused, match="is not installed"):
        ncu.profile(*asked)


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/usr/bin/env python3\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
