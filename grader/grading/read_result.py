"""Reading a result.json: of this schema, or of schema 1, which is converted.

Whoever reads a result reads it here, and sees only schema 2.
"""

import json
from pathlib import Path
from typing import Any

from ..base.errors import UsageError
from .derived import SCHEMA, Document, complete, note

LARGEST_RESULT = 64 << 20  # bytes
STUDENTS = ("the file was ", "the file begins ")  # notes of schema 1 that were for students


def read_result(path: Path) -> Document:
    """The result at `path` as a document of schema 2. Raises UsageError.

    What schema 1 did not say is None: the kit's commit, versions of compilers, when it finished.
    """
    try:
        if not path.is_file() or path.stat().st_size > LARGEST_RESULT:
            raise UsageError(f"{path}: is not a result.json.")
        document = json.loads(path.read_text(encoding="utf-8"))
        return converted(document)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read as a result: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        said = f"{path}: is not a whole result of schema {SCHEMA} or 1; check or grade again."
        raise UsageError(said) from error


def converted(document: Any) -> Document:
    """A document of schema 2 from one of schema 1 or 2. Raises what broken documents raise."""
    if document["schema"] == 1:
        document = _from_schema_1(document)
    if document["schema"] != SCHEMA or not isinstance(document.get("decisions", []), list):
        raise ValueError("schema")
    return complete(document)


def _from_schema_1(old: Any) -> Document:
    stages = [_stage(stage) for stage in old["stages"]]
    names = [stage["name"] for stage in stages]
    staff = [text for text in old["notes"] if not text.startswith(STUDENTS)]
    students = [text for text in old["notes"] if text.startswith(STUDENTS)]
    gpu = old["machine"]["gpu"]
    return {
        **old,
        "schema": SCHEMA,
        "submission": {**old["submission"], "student": None, "attempt": None, "handed_in": None},
        "grader": {**old["grader"], "commit": None, "changed": None},
        "toolchain": {"compiler": None, "cuda": None},
        "machine": {**old["machine"], "gpu": gpu and {**gpu, "uuid": None},
                    "ceilings": old["machine"].get("ceilings")},
        "seed": {"commitment": None, **old["seed"]},
        "finished": None,
        "stages": stages,
        "notes": [note(text, names) for text in students],
        "staff_notes": [note(text, names) for text in staff],
        "figures": [],
        "profile": old.get("profile", []),
        "refusal": None,
    }  # fmt: skip


def _stage(old: Any) -> Document:
    points = old["points"]
    counters = [{"bar": None, **counter} for counter in points.get("counters", ())]
    fast = points["fast"] and {"bar": None, **points["fast"]}
    return {**old, "staff_message": "", "points": {**points, "fast": fast, "counters": counters}}
