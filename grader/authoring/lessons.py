"""The tables of the references' NOTES.md, from the measurements in report/gallery/: the times of
the stages, and what the plain, good and record forms take and earn on each GPU."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from report.drawing import measurements
from report.drawing.looks import STAGES
from report.drawing.measurements import RECORD as RECORD_FORM

from ..base.checkout import Checkout
from ..base.files import write_atomically
from ..grading.points import share
from ..lab_file import marks
from ..lab_file.exemplars import GOOD, exemplar
from ..lab_file.manifest import Lab, Stage
from ..lab_file.rules import RECORD
from ..timing.bench_table import duration

MEASURED_ON = "nvidia-h200"  # the times of the stages are of one run on this GPU
BLOCK = re.compile(r"<!-- (times|exemplars) -->\n.*?<!-- end -->", re.DOTALL)
Column = tuple[str, str, str, str]  # head; and a method's name, kind and form in the measurements


def _stages(lab: str, kind: str, only: Iterable[str] = ()) -> list[Column]:
    named = [stage for stage in STAGES[lab] if not only or stage in only]
    return [(stage, f"{lab} {stage}", kind, "") for stage in named]


# By lab: the family, the sizes as exponents of 2, and the columns.
TIMES: dict[str, tuple[str, Sequence[int], list[Column]]] = {
    "01": ("rank", (8, 10, 12, 14, 16), [
        ("rank sort, one core", "serial rank sort", "keys", ""),
        *_stages("01", "keys", ("global", "strided", "stable", "tiled")),
        ("record", "01 tiled", "keys", RECORD_FORM)]),
    "02": ("rank", (6, 7, 8, 9, 10), [
        *[(f"{head}, 1 array", *rest) for head, *rest in _stages("02", "keys")],
        ("record, 1 array", "02 fast", "keys", RECORD_FORM),
        ("one core, 1024 arrays", "serial rank sort", "arrays", ""),
        *[(f"{head}, 1024", *rest) for head, *rest in _stages("02", "arrays", ("batched", "fast"))],
        ("record, 1024", "02 fast", "arrays", RECORD_FORM),
        ("CUB segmented, 1024", "CUB segmented", "arrays", "")]),
    "03": ("sort", (10, 14, 18, 20, 24), [
        ("std::sort, one core", "std::sort", "keys", ""), *_stages("03", "keys"),
        ("record", "03 registers", "keys", RECORD_FORM),
        ("CUB radix", "CUB radix", "keys", ""), ("CUB merge", "CUB merge", "keys", "")]),
    "04": ("sort", (10, 14, 16, 20), [
        ("std::sort, one core", "std::sort", "keys", ""),
        *_stages("04", "keys", ("phases", "early-exit")),
        *_stages("04", "records", ("records", "texture")), *_stages("04", "keys", ("tiled",)),
        ("record of tiled", "04 tiled", "keys", RECORD_FORM),
        *_stages("04", "keys", ("merge-split",)),
        ("record", "04 merge-split", "keys", RECORD_FORM)]),
    "05": ("sssp", (14, 16, 18, 20, 22, 24), [
        ("Dijkstra, one core", "dijkstra", "float", ""), ("relax", "neither", "float", ""),
        ("restrict", "restrict", "float", ""), ("atomic", "atomic", "float", ""),
        ("locality", "stage locality", "float", ""),
        ("record of locality", "stage locality", "float", RECORD_FORM),
        ("frontier", "frontier", "float", ""), ("delta", "delta", "float", ""),
        ("record", "delta", "float", RECORD_FORM)]),
}  # fmt: skip


def write(checkout: Checkout, labs: Sequence[Lab]) -> list[Path]:
    """Bring the tables in each lab's NOTES.md up to date; the files that have tables."""
    written = []
    for lab in labs:
        path = checkout.reference / lab.name / "NOTES.md"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if BLOCK.search(text):
            write_atomically(path, filled(checkout, lab, text))
            written.append(path)
    return written


def filled(checkout: Checkout, lab: Lab, text: str) -> str:
    """The notes with every block between its marks made anew."""
    made = {"times": times_of_stages, "exemplars": forms_of_stages}

    def one(found: re.Match[str]) -> str:
        return f"<!-- {found[1]} -->\n{made[found[1]](checkout, lab)}<!-- end -->"

    return BLOCK.sub(one, text)


def times_of_stages(checkout: Checkout, lab: Lab) -> str:
    """A row for each size: the median times of the stages, the records and the baseline."""
    family, scales, columns = TIMES[lab.name[:2]]
    place = checkout.root / "report" / "gallery" / MEASURED_ON
    document = measurements.load(place / f"{family}.json", family)
    if document is None:
        return ""
    gpu, taken = document["machine"]["gpu"]["name"], document["points"][0]["taken"]
    rows = [["n", *(column[0] for column in columns)], ["---"] * (len(columns) + 1)]
    for scale in scales:
        point = measurements.find(document, scale)
        found = [point and measurements.method(point, *column[1:]) for column in columns]
        rows.append([f"2^{scale}", *(duration(median(m["seconds"])) if m else "" for m in found)])
    raw = f"[{family}.json](../../report/gallery/{MEASURED_ON}/{family}.json)"
    when = f"{taken['date']}; raw numbers: {raw}"
    head = f"One {gpu}, CUDA {taken['cuda']}, cold L2, medians, every output checked, {when}."
    return f"{head}\n\n{_table(rows)}"


def forms_of_stages(checkout: Checkout, lab: Lab) -> str:
    """A row for each timed stage and GPU: what each form takes and earns."""
    rows = [["stage, GPU", "n", "plain", "good", "record"], ["---"] * 5]
    for path in sorted((checkout.root / "report" / "gallery").glob("*/exemplars.json"))[::-1]:
        recorded = json.loads(path.read_text(encoding="utf-8"))
        gpu = recorded["gpu"]["name"].split()[1]
        rows += [_forms(checkout, lab, stage, entry, gpu) for stage in lab.stages if stage.speed
                 for entry in recorded["stages"]
                 if (entry["lab"], entry["stage"]) == (lab.name, stage.name)]  # fmt: skip
    head = "Points are set by three forms ([README](../README.md)). In parentheses: the share of "
    return f"{head}the points for speed.\n\n{_table(rows)}"


def _forms(
    checkout: Checkout, lab: Lab, stage: Stage, entry: dict[str, Any], gpu: str
) -> list[str]:
    assert stage.speed is not None
    cells = [f"{stage.name}, {gpu}", f"{entry['n']:,}"]
    for form, times in entry["forms"].items():
        earned = share(stage.speed, times["ratio"])
        cell = f"{duration(times['seconds'])}, {times['ratio']:.2f} times ({earned:.0%})"
        lines = f", {lines_of(checkout, lab, form)[stage.name]} lines" * (form == GOOD)
        cells.append(cell + lines)
    record = duration(entry["forms"][GOOD]["yardstick_seconds"])
    return [*cells, f"{record}, {lines_of(checkout, lab, RECORD)[stage.name]} lines"]


def lines_of(checkout: Checkout, lab: Lab, form: str) -> dict[str, int]:
    """Lines of code of each stage in the good or record form: neither blank nor a comment."""
    text = exemplar(checkout, lab, form).read_text(encoding="utf-8")
    lines, found = text.split("\n"), dict.fromkeys(lab.stage_names, 0)
    for region in marks.parse(text, lab.source, lab.stage_names):
        inside = (line.strip() for line in lines[region.code : region.end])
        found[region.name] += sum(1 for line in inside if line and not line.startswith("//"))
    return found


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "".join("| " + " | ".join(cells) + " |\n" for cells in rows)
