"""`./lab figures [rank|sort|sssp]`: measures over many sizes and draws; `changed` writes a page.

Without a name: everything that a GPU's gallery needs, in one run.
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from report.drawing import measurements, measuring, result_figure
from report.drawing.measurements import FAMILIES, Document, Family, Point

from ..authoring import lessons
from ..base import console
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, InfrastructureError, UsageError
from ..base.files import make_folder
from ..base.outcome import Outcome
from ..compiling import build
from ..lab_file import manifest
from ..machine import hardware
from ..timing.ceilings import NotMeasured, measure_ceilings
from ..timing.locks import while_timing
from .parser import Commands, count, seconds

ALL, CHANGED = "all", "changed"
LEAST = 4  # the smallest scale
REPETITIONS = 11  # of each sort
FAULTS = 6  # error lines of the compiler that are shown
SOURCES = {"gpu": 32, "cpu": 4}
BUDGET = {"sssp": 2.0, "sort": 0.5, "rank": 0.5}  # seconds for one method at one size


def add(commands: Commands) -> None:
    figures = commands.add("figures", run, "measure the references over many sizes, and draw")
    figures.description = (
        "Measure rank sorts (rank, labs 01 and 02), sorts (sort, labs 03 and 04) or shortest paths "
        "(sssp, lab 05) over many sizes, and draw; or all three, and then write the page on what "
        "still pays (changed). Every answer is checked. Measurements are kept: an interrupted run "
        "continues where it stopped."
    )

    def option(name: str, help: str, **more: Any) -> None:
        figures.add_argument(name, help=help, **more)

    option("family", "default: all", nargs="?", default=ALL, choices=(*FAMILIES, CHANGED, ALL))
    option("--scales", "from 2^A to 2^B vertices or keys of a family", metavar="A-B")
    option("--sources", "searches at each size of sssp (default 32; CPU backend 4)",
           type=count, metavar="N")  # fmt: skip
    option("--seconds", "time for each method at each size (default: sssp 2, others 0.5)",
           type=seconds, metavar="S")  # fmt: skip
    option("--source", "your own file of a lab, not the reference; runs without a sandbox",
           metavar="FILE.cu")  # fmt: skip
    option("--shapes", "sssp in graphs of several shapes: rmat,uniform,grid,road", metavar="LIST")
    option("--out", "default: report/out/figures", metavar="DIR")
    how = figures.add_mutually_exclusive_group()
    how.add_argument("--again", action="store_true", help="measure all sizes again")
    how.add_argument("--draw", action="store_true", help="only draw existing measurements")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Measure the missing sizes, and draw everything. Raises LabError."""
    source = Path(arguments.source).resolve() if arguments.source else None
    own = checkout.out / "figures" / source.stem if source else checkout.out / "figures"
    out = Path(arguments.out) if arguments.out else own
    if arguments.family == CHANGED:
        return _changed(checkout, arguments, out)
    if arguments.family == ALL:
        return _everything(checkout, arguments, out)
    family = FAMILIES[arguments.family]
    if arguments.shapes is not None:
        return _shapes(checkout, arguments, family, out)
    shown = _family(checkout, arguments, family, out, source)
    facts = {"measurements": shown[0], "figures": shown[1:]}
    return Outcome(ALL_PASSED, facts, "\n".join(shown))


def _everything(checkout: Checkout, arguments: argparse.Namespace, out: Path) -> Outcome:
    """All families, one after another; then, from a GPU's measurements, the page."""
    _refuse(arguments, ("scales", "sources", "source", "shapes"),
            "give the family as well: rank, sort, sssp")  # fmt: skip
    if not arguments.draw:  # one build, so that all cores have work
        _require_references(checkout)
        backend = hardware.choose_backend(arguments.backend)
        build.build(checkout, backend, "figures", _of_references(checkout, backend))
    shown = [one for family in FAMILIES.values()
             for one in _family(checkout, arguments, family, out, None)]  # fmt: skip
    document = measurements.load(out / "sssp.json", "sssp")
    if document and document["backend"] == "gpu" and result_figure.available():
        shown.append(_page(checkout, out))
    return Outcome(ALL_PASSED, {"files": shown}, "\n".join(shown))


def _family(
    checkout: Checkout, arguments: argparse.Namespace, family: Family, out: Path,
    source: Path | None,
) -> list[str]:  # fmt: skip
    """Measure and draw one family; the names of the measurements and of the figures."""
    path = out / f"{family.name}.json"
    document = _document(checkout, arguments, family, path, source=source)
    return [checkout.shown(one) for one in (path, *_draw(document, out))]


def _document(
    checkout: Checkout, arguments: argparse.Namespace, family: Family, path: Path,
    shape: str = "", source: Path | None = None,
) -> Document:  # fmt: skip
    """The measurements at `path`, after what is missing has been measured."""
    if arguments.draw:
        document = measurements.load(path, family.name)
        if document is None:
            raise UsageError(f"{path}: does not exist; leave out --draw to measure it.")
    else:
        document = _measure_all(checkout, arguments, family, path, shape, source)
    if not any("measured" in point for point in document["points"]):
        raise InfrastructureError(f"{path}: no size could be measured, so nothing is drawn.")
    if measurements.is_mixed(document):
        console.note(
            f"{checkout.shown(path)}: not every size was measured from the same sources with the "
            "same settings; --again measures the sizes of --scales again."
        )
    return document


def _shapes(
    checkout: Checkout, arguments: argparse.Namespace, family: Family, out: Path
) -> Outcome:
    """Measure a family in graphs of several shapes, each in a file of its own, and draw them."""
    if not family.searches:
        raise UsageError(f"--shapes is for sssp; {family.name} has none.")
    _refuse(arguments, ("source",), "--shapes measures the references")
    documents = {
        shape: _document(checkout, arguments, family, out / f"{family.name}-{shape}.json", shape)
        for shape in measurements.shapes(arguments.shapes)
    }
    shown = [checkout.shown(out / f"{family.name}-{shape}.json") for shape in documents]
    if not result_figure.available():
        console.note("no figure: matplotlib is not installed.")
    else:
        from report.drawing.draw import draw_shapes

        shown += [checkout.shown(one) for one in draw_shapes(documents, out)]
    return Outcome(ALL_PASSED, {"files": shown}, "\n".join(shown))


def _changed(checkout: Checkout, arguments: argparse.Namespace, out: Path) -> Outcome:
    _refuse(arguments, ("scales", "sources", "seconds", "source", "shapes", "again", "draw"),
            "is for measuring and drawing; changed takes only --out")  # fmt: skip
    shown = _page(checkout, out)
    return Outcome(ALL_PASSED, {"page": shown}, shown)


def _page(checkout: Checkout, out: Path) -> str:
    """Write the page on what still pays; with it, from the measurements that NOTES.md show, the
    notes' tables. The page's name."""
    from report.drawing.changed import is_committed, write

    page = write(checkout, out)
    if is_committed(checkout, out):
        lessons.write(checkout, manifest.discover(checkout))
    return checkout.shown(page)


def _refuse(arguments: argparse.Namespace, options: Sequence[str], why: str) -> None:
    for option in options:
        if getattr(arguments, option):
            raise UsageError(f"--{option}: {why}.")


def scales(text: str | None, family: Family, backend: str) -> list[int]:
    """The scales of `14-24` or `20`; every `step`-th of the family. Raises UsageError."""
    first, last = family.gpu_scales if backend == "gpu" else family.cpu_scales
    if text is not None:
        found = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if not LEAST <= first <= last <= family.most:
            raise UsageError(
                f"--scales {text}: expected FIRST-LAST, two exponents of 2 from {LEAST} to "
                f"{family.most}, the smaller one first, for example "
                f"{family.gpu_scales[0]}-{family.gpu_scales[1]}."
            )
    return list(range(first, last + 1, family.step))


def _require_references(checkout: Checkout) -> None:
    if not checkout.reference.is_dir():
        raise UsageError("the figures need the references, and this copy has no folder reference/.")


def _measure_all(
    checkout: Checkout, arguments: argparse.Namespace, family: Family, path: Path, shape: str,
    source: Path | None,
) -> Document:  # fmt: skip
    backend = hardware.choose_backend(arguments.backend)
    wanted = scales(arguments.scales, family, backend)
    settings = _settings(arguments, family, backend) | ({"shape": shape} if shape else {})
    _require_references(checkout)
    sources = {lab: "" for lab in family.labs}  # the reference's
    if source:
        sources[family.lab_of(source)] = str(source)
    make_folder(path.parent)
    # There is one program per family. It contains the kernels of the last build.
    busy = f"waiting for another ./lab figures {family.name} to end."
    with build.lock(checkout, f"{backend}.{family.program}", busy):
        name = source.name if source else measurements.REFERENCE
        document = measurements.open_for(path, family, backend, name)
        _build(checkout, backend, family, sources, source)
        _ceilings(checkout, document)
        origin = measuring.made_from(checkout, family, settings, source)
        for scale in wanted:
            if not arguments.again and measurements.find(document, scale, origin):
                console.verbose(f"2^{scale}: measured before, from the same sources")
                continue
            point = _measure(checkout, family, document, scale, settings, origin)
            measurements.keep(document, point, path)
    return document


def _ceilings(checkout: Checkout, document: Document) -> None:
    """The GPU's ceilings, once for a family's measurements."""
    if document["backend"] != "gpu" or document["machine"].get("ceilings"):
        return
    try:
        document["machine"]["ceilings"] = asdict(measure_ceilings(checkout, "gpu"))
    except NotMeasured as error:
        console.note(f"the GPU's ceilings were not measured: {error}.")


def _measure(
    checkout: Checkout, family: Family, document: Document, scale: int, settings: dict[str, Any],
    origin: str,
) -> Point:  # fmt: skip
    backend = document["backend"]
    programs = checkout.build(backend) / "bin"
    left_out = [] if family.searches else measuring.too_slow(document, scale)
    with console.progress(f"{family.name}: 2^{scale}"), while_timing(backend):
        point = measuring.measure(programs, family, scale, settings, left_out, origin)
    if "not_measured" in point:
        console.note(f"2^{scale}: not measured: {point['not_measured']}.")
    return point


def _build(
    checkout: Checkout, backend: str, family: Family, sources: dict[str, str], source: Path | None
) -> None:
    """Build the family's programs. Raises UsageError if `source` does not compile."""
    try:
        definitions = _definitions(checkout, backend, sources)
        build.build(checkout, backend, family.program, definitions)
        build.build(checkout, backend, family.record_program)
        if backend == "gpu":
            build.build(checkout, backend, "ceilings")
    except InfrastructureError as error:
        said = [line for line in str(error).splitlines() if line.startswith(str(source))]
        faults = [line for line in said if "error" in line]
        if not faults:
            raise
        shown = "\n".join(faults[:FAULTS])
        raise UsageError(f"{source} does not compile:\n{shown}") from error


def _of_references(checkout: Checkout, backend: str) -> tuple[str, ...]:
    labs = {lab: "" for family in FAMILIES.values() for lab in family.labs}
    return _definitions(checkout, backend, labs)


def _definitions(checkout: Checkout, backend: str, sources: dict[str, str]) -> tuple[str, ...]:
    """The file for each lab, as CMake definitions; only those that CMake does not know yet."""
    cache = checkout.build(backend) / "CMakeCache.txt"
    known = cache.read_text(encoding="utf-8", errors="replace") if cache.is_file() else ""
    return tuple(
        f"FIGURES_SOURCE_{lab}:FILEPATH={file}"
        for lab, file in sources.items()
        if f"FIGURES_SOURCE_{lab}:FILEPATH={file}\n" not in known
        and (file or f"FIGURES_SOURCE_{lab}:" in known)
    )


def _settings(arguments: argparse.Namespace, family: Family, backend: str) -> dict[str, Any]:
    seconds = arguments.seconds or BUDGET[family.name]
    settings = {"seed": arguments.seed, "budget": max(1, round(1000 * seconds))}
    if family.searches:
        return {**settings, "sources": arguments.sources or SOURCES[backend]}
    if arguments.sources is not None:
        raise UsageError(f"--sources is for sssp; {family.name} has none.")
    return {**settings, "repetitions": REPETITIONS}


def _draw(document: Document, out: Path) -> list[Path]:
    if not result_figure.available():
        console.note("no figure: matplotlib is not installed.")
        return []
    from report.drawing.draw import draw

    return draw(document, out)
