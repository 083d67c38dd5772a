"""The proof that points are fair: plain, good and record forms, judged, counted and timed."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.verdict import INFRASTRUCTURE
from ..grading.points import share
from ..judging.judge_report import BadReport
from ..judging.workers import compile_form, make_bench
from ..lab_file.exemplars import GOOD, SHARES, code_hash, exemplar, fits
from ..lab_file.manifest import Lab, Stage
from ..lab_file.rules import RECORD
from ..machine import hardware
from ..sandbox import bubblewrap
from ..timing import speed

PUBLIC_SEED = 1
BUDGET_SECONDS = 7.0  # for one comparison: the ratio counts here, not whether it is decided
Keep = Callable[[dict[str, Any]], None]
TIMED = ("plain", GOOD)  # beside the record, whose ratio to itself is 1


def rewarded(lab: Lab) -> tuple[Stage, ...]:
    """The stages with points beyond right answers."""
    return tuple(stage for stage in lab.stages if stage.speed or stage.counters)


def wrong_share(lab: Lab, stage: Stage, form: str, ratio: float) -> str:
    """What is wrong with a form that was timed at this ratio; "" if it gets what it must get."""
    assert stage.speed is not None
    part = share(stage.speed, ratio)
    if fits(form, part):
        return ""
    least, most = SHARES[form]
    return (
        f"labs/{lab.name}/lab.toml: stage {stage.name}: the {form} form takes {ratio:.3g} times "
        f"the {stage.speed.against}'s time, which is {part:.0%} of the points for speed; it must "
        f"get {least:.0%} to {most:.0%}"
    )


def measure(checkout: Checkout, labs: list[Lab], keep: Keep) -> dict[str, Any]:
    """The times of the forms of all timed stages of `labs`, on this machine's GPU.

    `keep` is called with the document after every comparison: what was measured is not lost.
    """
    work = [(lab, form) for lab in labs for form in SHARES if any(s.speed for s in lab.stages)]
    with ThreadPoolExecutor(max_workers=hardware.describe().cores) as pool:
        list(pool.map(lambda one: compile_form(checkout, *one, box=bubblewrap.find()), work))
    machine = hardware.describe()
    document: dict[str, Any] = {"gpu": machine.gpu and asdict(machine.gpu), "stages": []}
    timed = [(lab, stage) for lab in labs for stage in lab.stages if stage.speed]
    for lab, stage in timed:
        assert stage.speed is not None
        entry: dict[str, Any] = {"lab": lab.name, "stage": stage.name, "n": stage.speed.n,
                                 "against": stage.speed.against, "forms": {}}  # fmt: skip
        document["stages"].append(entry)
        for form in TIMED:
            times = entry["forms"][form] = compare(checkout, lab, stage, form)
            console.note(f"{lab.name}.{stage.name}: {form}: {told(times)}")
            keep(document)
    return document


def told(times: dict[str, Any]) -> str:
    """A form's ratio with its interval, or why it has none."""
    if times["ratio"] is None:
        return f"{times['verdict']}: {times['message']}"
    return f"{times['ratio']:.3g} ({times['low'] or 0:.3g} to {times['high'] or 0:.3g})"


def compare(checkout: Checkout, lab: Lab, stage: Stage, form: str) -> dict[str, Any]:
    """One form beside the stage's yardstick, in turns, as in grading."""
    assert stage.speed is not None
    source = exemplar(checkout, lab, form).read_bytes()
    bench, message = make_bench(
        checkout, lab, source, "gpu", PUBLIC_SEED, bubblewrap.find(), check=False
    )
    if bench is None:
        raise InfrastructureError(message)
    yardstick = compile_form(checkout, lab, stage.speed.form, box=bubblewrap.find())
    try:
        found = speed.compare(bench, stage.name, stage.speed, yardstick, BUDGET_SECONDS)
    except BadReport as error:
        nothing = dict.fromkeys(("ratio", "low", "high", "measured"))
        found = {"verdict": INFRASTRUCTURE, "message": str(error), **nothing}
    measured = found["measured"] or {}
    return {
        "code": code_hash(source.decode()),
        **{key: found[key] for key in ("verdict", "message", "ratio", "low", "high")},
        **{key: measured.get(key) for key in ("seconds", "yardstick_seconds", "rounds")},
    }


def disputed(lab: Lab, recorded: dict[str, Any]) -> list[str]:
    """What is wrong with the forms of `lab` by recorded times; empty if all get their share."""
    found = []
    for stage in (stage for stage in lab.stages if stage.speed):
        entries = [
            one
            for one in recorded["stages"]
            if (one["lab"], one["stage"]) == (lab.name, stage.name)
        ]
        assert stage.speed is not None
        if not entries or entries[0]["n"] != stage.speed.n:
            found.append(f"{lab.name}.{stage.name}: not measured at n = {stage.speed.n}")
            continue
        if entries[0]["against"] != stage.speed.against:
            found.append(f"{lab.name}.{stage.name}: measured against {entries[0]['against']}")
        for form, times in entries[0]["forms"].items():
            if times["ratio"] is None:
                found.append(f"{lab.name}.{stage.name}: {form}: {times['message']}")
            else:
                found.append(wrong_share(lab, stage, form, times["ratio"]))
        found.append(wrong_share(lab, stage, RECORD, 1.0))
    return list(filter(None, found))
