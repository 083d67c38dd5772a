"""The record forms choose by the device. On smaller ones than any here they are right as well.

WARPWISE_DEVICE lets the CPU backend play them: what a launch asks for in vain is an error there,
as on a GPU.
"""

from functools import cache
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.base.verdict import Run
from grader.compiling.build import build
from grader.judging import judge
from grader.judging.workers import make_bench
from grader.lab_file import manifest
from grader.lab_file.exemplars import exemplar
from grader.lab_file.rules import RECORD
from grader.sandbox import bubblewrap

pytestmark = pytest.mark.reads("judging", "labs", "reference")
CHECKOUT = Checkout.here()
EXHAUSTIVE = pytest.mark.exhaustive(
    "reference", "grader/cpu/runtime", "grader/tests/test_devices.py"
)
SMALL = "multiprocessors=2,shared=49152,l2=0"
TURING = "shared=65536,l2=3145728"
BARE = "cooperative=0,pools=0,shared=49152"
STAGES = [("01-rank-sort", "tiled"), ("02-in-place", "registers"), ("02-in-place", "fast"),
          ("03-bitonic", "registers"), ("04-odd-even", "tiled"),
          ("04-odd-even", "merge-split")]  # fmt: skip


@cache
def bench(lab_name: str, old: str = "", new: str = "", *more: tuple[str, str]) -> judge.Bench:
    """The record form as a worker, with its one `old` made `new`, and `more` such pairs."""
    build(CHECKOUT, "cpu")
    lab = manifest.find(manifest.discover(CHECKOUT), lab_name)
    source = changed(lab, (old, new), *more).encode()
    made, message = make_bench(CHECKOUT, lab, source, "cpu", 1, bubblewrap.find(), check=False)
    assert made, message
    return made


def changed(lab: manifest.Lab, *pairs: tuple[str, str]) -> str:
    """The text of the record form, each `before` of the pairs made its `after`."""
    source = exemplar(CHECKOUT, lab, RECORD).read_text(encoding="utf-8")
    for before, after in pairs:
        assert not before or source.count(before) == 1, f"{lab.source} holds {before!r} not once"
        source = source.replace(before, after)
    return source


def on_device(device: str, asked: judge.Bench, stage: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("WARPWISE_DEVICE", device)
    return judge.run_once(asked, stage, "forward")


@pytest.mark.parametrize(("device", "lab", "stage"), [
    (SMALL, *STAGES[0]),
    *(pytest.param(SMALL, *stage, marks=EXHAUSTIVE) for stage in STAGES[1:]),
    *(pytest.param(device, *stage, marks=EXHAUSTIVE) for device in (TURING, BARE)
      for stage in STAGES),
])  # fmt: skip
def test_references_are_right_on_smaller_devices(
    device: str, lab: str, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = on_device(device, bench(lab), stage, monkeypatch)
    assert run.verdict == "passed", run.message


# Lab 05's delta lets a thread look after 1, 2 or 4 vertices, as the threads that fit demand; if
# these are still too few, it takes buckets. The largest graph with many arcs has 4096 vertices,
# twice as many as the smallest device has threads. With few arcs, warps or blocks follow the paths:
# blocks if no vertex has more than eight. They hand over what they have no room for.
ONE = "multiprocessors=1"
TWO_EACH = ("", "")
FOUR_EACH = ("kPullBlock, n) * kPullBlock;", "kPullBlock, n) * kPullBlock / 2;")
NOT_FOLLOWED = ("arcs / n < kManyArcs", "false")
BUCKETS = (*NOT_FOLLOWED, ("const int fit =", "const int fit = 0 *"))
FOLLOWED = ("arcs / n < kManyArcs", "true")
BY_WARPS = (*FOLLOWED, ("if (graph.arcs / kSlots <= graph.n)", "if (false)"),
            ("if (most_arcs <= 2 * kSlots)", "if (false)"))  # fmt: skip
SMALL_RING = ("kRoom = 1024;  // candidates", "kRoom = 16;  // candidates")
SHORT_LIST = (*BUCKETS, ("room = blocks * kSearchBlock;", "room = 16;"))


CHANGES = [TWO_EACH, FOUR_EACH, BUCKETS, SHORT_LIST, FOLLOWED, BY_WARPS, SMALL_RING]


@EXHAUSTIVE
@pytest.mark.parametrize("change", CHANGES)
def test_delta_is_right_however_few_threads_fit(
    change: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = on_device(ONE, bench("05-sssp", *change), "delta", monkeypatch)
    assert run.verdict == "passed", run.message


# A mistake in what a thread does for its vertices, and the device on which it comes up.
ASTRAY = [
    ("const int v = mine + i * threads;", "const int v = mine + i;", ONE),
    ("return arc < behind && unseen + weight[kHeld - 1] < known;", "return false;", ""),
    ("least = min(least, best);\n    atomic_min(", "atomic_min(", ""),
]

# Mistakes in what a warp or a block does with vertices that it may not keep, or that are beyond the
# bucket, and in the buckets' list of those that came closer once more.
LOST = [
    (BUCKETS, "phase.listed_count = tally.again;", "phase.listed_count = 0;"),
    (SHORT_LIST, "if (tally.again <= room) phase.relaxed", "phase.relaxed"),
    (BY_WARPS, "const bool mine = lane() < given && ", "const bool mine = false && "),
    (BY_WARPS, "if (lower) least = min(least, over_u);", ""),
    (BY_WARPS, "postpone(still, u);\n      visits", "visits"),
    (BY_WARPS, "if (still) least = min(least, to_u);\n      postpone(still, u);\n      visits",
     "postpone(still, u);\n      visits"),
    (BY_WARPS, "postpone(lower && isinf(before), ~v);", ""),
    (SMALL_RING, "if (__any_sync(kAllLanes, mine && !fits)) give_away(mine && !fits, c);", ""),
    (SMALL_RING, "if (__any_sync(kAllLanes, mine && !fits)) list_far(mine && !fits, v);", ""),
    (SMALL_RING, "postpone(beyond && isinf(before), c.vertex);", ""),
]  # fmt: skip


@EXHAUSTIVE
@pytest.mark.parametrize(("old", "new", "device"), ASTRAY)
def test_delta_fails_where_a_thread_neglects_its_vertices(
    old: str, new: str, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = on_device(device, bench("05-sssp", old, new), "delta", monkeypatch)
    assert run.verdict == "wrong answer", run.message


@EXHAUSTIVE
@pytest.mark.parametrize(("way", "old", "new"), LOST)
def test_delta_fails_where_a_warp_or_a_block_loses_vertices(
    way: tuple[Any, ...], old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = on_device(ONE, bench("05-sssp", *way, (old, new)), "delta", monkeypatch)
    assert run.verdict == "wrong answer", run.message


# What a reference asks before it launches, left out; and the device that it fails on for that.
CARELESS = [
    ("03-bitonic", "registers", "(gpu.cooperative && ", "(", BARE, "cudaErrorNotSupported"),
    ("03-bitonic", "registers", "blocks <= kOnEach * gpu.multiprocessors", "true",
     SMALL, "cudaErrorCooperativeLaunchTooLarge"),
    ("03-bitonic", "registers", "shared_bytes < kTileBytes<Large, Keys>", "false",
     TURING, "cudaErrorInvalidValue"),
    ("04-odd-even", "tiled", "return cooperative && ", "return ", BARE, "cudaErrorNotSupported"),
]  # fmt: skip


@pytest.mark.parametrize(("lab", "stage", "old", "new", "device", "error"), [
    pytest.param(*case, marks=EXHAUSTIVE) for case in CARELESS
])  # fmt: skip
def test_a_choice_that_does_not_ask_the_device_fails_there_and_only_there(
    lab: str, stage: str, old: str, new: str, device: str, error: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    careless = bench(lab, old, new)
    run = on_device(device, careless, stage, monkeypatch)
    assert run.verdict == "crashed" and error in run.message, run.message
    assert on_device("", careless, stage, monkeypatch).verdict == "passed"


INSISTING = ("error.code() != cudaErrorMemoryAllocation", "true")


@EXHAUSTIVE
def test_a_sort_that_insists_on_memory_fails_without(monkeypatch: pytest.MonkeyPatch) -> None:
    insisting = bench("03-bitonic", *INSISTING)
    run = on_device("", insisting, "registers", monkeypatch)
    assert run.verdict == "crashed" and "cudaErrorMemoryAllocation" in run.message, run.message
    assert on_device("", bench("03-bitonic"), "registers", monkeypatch).verdict == "passed"


FORGETFUL = ("append(v, members_of(atomicAdd(&tally->added, size)), members_of(size));", ";")


@EXHAUSTIVE
def test_a_block_that_finds_more_than_it_has_room_for_loses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Delta-stepping on one multiprocessor, where few blocks share what a phase reaches; the
    reference itself passes there, see above."""
    forgetful = bench("05-sssp", *FORGETFUL, NOT_FOLLOWED)
    run = on_device(ONE, forgetful, "delta", monkeypatch)
    assert run.verdict == "wrong answer" and "a tree of" in run.message, run.message


def test_the_record_forms_hold_all_texts_that_are_changed_here() -> None:
    """In an instant, not only when the tests run that change them."""
    pairs = [
        *(("05-sssp", _in_pairs(change)) for change in CHANGES),
        *(("05-sssp", [(old, new)]) for old, new, _ in ASTRAY),
        *(("05-sssp", [*_in_pairs(way), (old, new)]) for way, old, new in LOST),
        *((lab, [(old, new)]) for lab, _, old, new, *_ in CARELESS),
        ("03-bitonic", [INSISTING]),
        ("05-sssp", [FORGETFUL, NOT_FOLLOWED]),
    ]
    labs = manifest.discover(CHECKOUT)
    for name, made in pairs:
        assert changed(manifest.find(labs, name), *made)
    with pytest.raises(AssertionError, match="not once"):
        changed(manifest.find(labs, "05-sssp"), ("no such text", ""))


def _in_pairs(change: tuple[Any, ...]) -> list[tuple[str, str]]:
    return [change[:2], *change[2:]]
