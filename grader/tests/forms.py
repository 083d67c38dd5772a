"""What the plain and the good form of each stage ask of memory, as counted: fixtures/forms.json.

`python3 -m grader.tests.forms` counts those anew whose source is another one than when they were
counted, and those alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from grader.base.checkout import Checkout
from grader.base.files import sha256, to_json
from grader.compiling.build import build
from grader.grading.counting import BACKEND
from grader.lab_file.exemplars import exemplar
from grader.lab_file.manifest import Lab, Stage
from grader.lab_file.recorded import Form
from grader.study.recorded import counted
from grader.tests.finished import finished

FILE = Path(__file__).parent / "fixtures" / "forms.json"
FORMS = ("plain", "good")
SEED = 1


def stages(checkout: Checkout) -> list[tuple[Lab, Stage]]:
    """Those that have a plain and a good form: points for speed, or for counts."""
    return [(lab, stage) for lab in finished(checkout) for stage in lab.stages
            if stage.speed or stage.counters]  # fmt: skip


def known() -> dict[str, dict[str, object]]:
    """By `LAB.STAGE.FORM`: the source's hash, and what was counted."""
    return dict(json.loads(FILE.read_text())) if FILE.is_file() else {}


def name(lab: Lab, stage: Stage, form: str) -> str:
    return f"{lab.name}.{stage.name}.{form}"


def form_of(entry: dict[str, object]) -> Form:
    return Form(**entry["form"])  # type: ignore[arg-type]


def changed(checkout: Checkout) -> Iterator[tuple[Lab, Stage, str]]:
    """The forms whose source is not the one that was counted."""
    entries = known()
    for lab, stage in stages(checkout):
        for form in FORMS:
            entry = entries.get(name(lab, stage, form), {})
            if entry.get("sha256") != sha256(exemplar(checkout, lab, form).read_bytes()):
                yield lab, stage, form


def count(checkout: Checkout, lab: Lab, stage: Stage, form: str) -> dict[str, object]:
    """Count one form. Raises BadReport."""
    build(checkout, BACKEND)
    source = exemplar(checkout, lab, form).read_bytes()
    found = counted(checkout, lab, stage, source, SEED)
    return {"sha256": sha256(source), "form": asdict(found)}


def main() -> None:
    here = Checkout.here()
    entries = known()
    for lab, stage, form in list(changed(here)):
        print(name(lab, stage, form), flush=True)
        entries[name(lab, stage, form)] = count(here, lab, stage, form)
    due = {name(lab, stage, form) for lab, stage in stages(here) for form in FORMS}
    FILE.write_text(to_json({key: entries[key] for key in sorted(due)}))


if __name__ == "__main__":
    main()
