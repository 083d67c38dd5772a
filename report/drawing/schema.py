"""Whether a file of measurements, or what a program printed, fits measurements.schema.json."""

import json
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("measurements.schema.json")


def is_document(document: Any, family: str) -> bool:
    """Whether this is a complete document of `family`."""
    return isinstance(document, dict) and document.get("family") == family and _fits(document, "")


def is_measurement(measured: Any, family: str) -> bool:
    """Whether this is what the program of `family` prints about one size."""
    return isinstance(measured, dict) and _fits(measured, family)


def _fits(value: Any, definition: str) -> bool:
    """Whether the schema accepts `value`. Without jsonschema, which a separate GPU machine may
    lack, every value is accepted."""
    try:
        return _validator(definition).is_valid(value)
    except ImportError:
        return True


@cache
def _validator(definition: str) -> Any:
    from jsonschema import Draft202012Validator

    schema = json.loads(FILE.read_text(encoding="utf-8"))
    if definition:
        schema = {"$defs": schema["$defs"], "$ref": f"#/$defs/{definition}"}
    return Draft202012Validator(schema)
