"""`./lab figures sssp|sort|rank`: measure over many sizes, and draw; `changed`: a page on them."""

import argparse
import re
from pathlib import Path

from . import console, figures, machine, series
from .build import build
from .checkout import Checkout
from .errors import ALL_PASSED, InfrastructureError, UsageError
from .files import make_folder
from .gpu_lock import gpu_to_oneself
from .outcome import Outcome
from .series import FAMILIES, Document, Family

LEAST, MOST = 4, 28  # scales
REPETITIONS = 11  # of a sort
SOURCES = {"gpu": 32, "cpu": 4}
BUDGET = {"sssp": 6.0, "sort": 0.5, "rank": 0.5}  # seconds a method gets at one size


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Measure what is not measured yet, and draw everything. Raises LabError."""
    source = Path(arguments.source).resolve() if arguments.source else None
    own = checkout.out / "figures" / source.stem if source else checkout.out / "figures"
    out = Path(arguments.out) if arguments.out else own
    if arguments.family == "changed":
        from .changed import write

        return write(checkout, out)
    family = FAMILIES[arguments.family]
    path = out / f"{family.name}.json"
    if arguments.draw:
        document = series.load(path, family.name)
        if document is None:
            raise UsageError(f"{path}: is not there; without --draw it is measured.")
    else:
        document = _measure_all(checkout, arguments, family, path, source)
    if not any("measured" in point for point in document["points"]):
        raise InfrastructureError(f"{path}: no size could be measured, so nothing is drawn.")
    drawn = _draw(document, out)
    shown = [checkout.shown(one) for one in (path, *drawn)]
    facts = {"measurements": shown[0], "figures": shown[1:]}
    return Outcome(ALL_PASSED, facts, "\n".join(shown))


def scales(text: str | None, family: Family, backend: str) -> list[int]:
    """The scales of `14-24` or `20`; every `step`-th of the family. Raises UsageError."""
    first, last = family.gpu_scales if backend == "gpu" else family.cpu_scales
    if text is not None:
        found = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if not LEAST <= first <= last <= MOST:
            raise UsageError(
                f"--scales {text}: expected FIRST-LAST, two exponents of 2 from {LEAST} to {MOST}, "
                f"the smaller one first, for example {family.gpu_scales[0]}-{family.gpu_scales[1]}."
            )
    return list(range(first, last + 1, family.step))


def _measure_all(
    checkout: Checkout, arguments: argparse.Namespace, family: Family, path: Path,
    source: Path | None,
) -> Document:  # fmt: skip
    backend = machine.choose_backend(arguments.backend)
    wanted = scales(arguments.scales, family, backend)
    settings = _settings(arguments, family, backend)
    if not checkout.reference.is_dir():
        raise UsageError("the figures need the references, and this copy has no folder reference/.")
    sources = {lab: "" for lab in family.labs}  # the reference's
    if source:
        sources[family.lab_of(source)] = str(source)
    make_folder(path.parent)
    document = series.open_for(path, family, backend, source.name if source else series.REFERENCE)
    build(checkout, backend, family.program, _definitions(checkout, backend, sources))
    origin = series.made_from(checkout, family, settings, source)
    for scale in wanted:
        if not arguments.again and series.find(document, scale, origin):
            console.verbose(f"2^{scale}: measured before, from the same sources")
            continue
        left_out = [] if family.searches else series.too_slow(document, scale)
        with console.progress(f"{family.name}: 2^{scale}"):
            if backend == "gpu":
                with gpu_to_oneself():
                    point = series.measure(
                        checkout, family, backend, scale, settings, left_out, origin)  # fmt: skip
            else:
                point = series.measure(
                    checkout, family, backend, scale, settings, left_out, origin)  # fmt: skip
        if "not_measured" in point:
            console.note(f"2^{scale}: not measured: {point['not_measured']}.")
        series.keep(document, point, path)
    return document


def _definitions(checkout: Checkout, backend: str, sources: dict[str, str]) -> tuple[str, ...]:
    """What CMake has to be told anew: which file stands for a lab."""
    cache = checkout.build(backend) / "CMakeCache.txt"
    known = cache.read_text(encoding="utf-8", errors="replace") if cache.is_file() else ""
    return tuple(
        f"FIGURES_SOURCE_{lab}:FILEPATH={file}"
        for lab, file in sources.items()
        if f"FIGURES_SOURCE_{lab}:FILEPATH={file}\n" not in known
        and (file or f"FIGURES_SOURCE_{lab}:" in known)
    )


def _settings(arguments: argparse.Namespace, family: Family, backend: str) -> dict[str, int]:
    seconds = arguments.seconds or BUDGET[family.name]
    settings = {"seed": arguments.seed, "budget": max(1, round(1000 * seconds))}
    if family.searches:
        return {**settings, "sources": arguments.sources or SOURCES[backend]}
    if arguments.sources is not None:
        raise UsageError(f"--sources is for sssp; {family.name} has none.")
    return {**settings, "repetitions": REPETITIONS}


def _draw(document: Document, out: Path) -> list[Path]:
    if not figures.available():
        console.note("no figure: matplotlib is not installed.")
        return []
    from .series_plot import draw

    return draw(document, out)
