"""`./lab dev exemplars`: times every lab's plain and good forms beside the record, on a GPU."""

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ... import __version__
from ...authoring import exemplars
from ...base.checkout import Checkout
from ...base.errors import ALL_PASSED, SOME_FAILED, UsageError
from ...base.files import require_place_for_file, to_json, write_atomically
from ...base.outcome import Outcome
from ...compiling.build import build
from ...lab_file import manifest
from ...machine import hardware
from ..parser import Commands, with_references


def add(dev: Commands) -> None:
    timed = dev.add("exemplars", run, "time every lab's plain and good forms beside the record",
                    setup="dev exemplars",
                    before=with_references("dev exemplars times references"))  # fmt: skip
    timed.add_argument("lab", nargs="?", metavar="LAB")
    timed.add_argument("--out", metavar="FILE", required=True, help="where the JSON document goes")


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Exit code 1 if a form gets a share of the points that it must not get."""
    if hardware.choose_backend(arguments.backend) != "gpu":
        raise UsageError("the exemplars are timed on a GPU, and there is none.")
    out = Path(arguments.out)
    require_place_for_file(out)
    labs = manifest.discover(checkout)
    if arguments.lab:
        labs = [manifest.find(labs, arguments.lab)]
    build(checkout, "gpu")
    head = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "kit": __version__}

    def keep(measured: dict[str, Any]) -> None:
        write_atomically(out, to_json(head | measured))

    document = head | exemplars.measure(checkout, labs, keep)
    disputed = [text for lab in labs for text in exemplars.disputed(lab, document)]
    lines = [
        f"{one['lab']}.{one['stage']}: {form} {exemplars.told(times)}"
        for one in document["stages"]
        for form, times in one["forms"].items()
    ]
    code = SOME_FAILED if disputed else ALL_PASSED
    return Outcome(code, document, "\n".join([*lines, *disputed, f"written: {out}"]))
