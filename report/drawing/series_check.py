"""Whether a file of measurements contains everything that measuring and drawing need."""

from typing import Any

NUMBER = (int, float)
# What every family's program prints, and what each one prints in addition.
PRINTED: dict[str, type | tuple[type, ...]] = {
    "n": int, "clock": str, "backend": str, "copy_bytes_per_second": NUMBER, "methods": list,
}  # fmt: skip
PRINTED_BY: dict[str, dict[str, type]] = {
    "sssp": {"arcs": int, "sources": list, "preparations": list, "segments": dict, "cpu": dict},
    "sort": {"arrays": int},
    "rank": {"arrays": int},
}


def sound(document: Any, schema: int, family: str) -> bool:
    """Whether this is a complete document of `family`, as measurements.py describes it."""
    if not isinstance(document, dict) or document.get("schema") != schema:
        return False
    machine, points = document.get("machine"), document.get("points")
    return (
        document.get("family") == family
        and document.get("backend") in ("cpu", "gpu")
        and isinstance(machine, dict)
        and {"cpu", "cores", "gpu"} <= machine.keys()
        and isinstance(points, list)
        and all(_sound_point(point, family) for point in points)
    )


def _sound_point(point: Any, family: str) -> bool:
    if not isinstance(point, dict):
        return False
    if type(point.get("scale")) is not int or not isinstance(point.get("made_from"), str):
        return False
    return "not_measured" in point or sound_measurement(point.get("measured"), family)


def sound_measurement(measured: Any, family: str) -> bool:
    """Whether this is what the program of `family` prints."""
    if not isinstance(measured, dict):
        return False
    wanted = {**PRINTED, **PRINTED_BY[family]}
    whole = all(isinstance(measured.get(key), kind) for key, kind in wanted.items())
    return whole and all(map(_sound_method, measured["methods"]))


def _sound_method(method: Any) -> bool:
    if not isinstance(method, dict) or not {"name", "kind"} <= method.keys():
        return False
    seconds = method.get("seconds")
    return isinstance(seconds, list) and bool(seconds) and all(map(_positive, seconds))


def _positive(value: Any) -> bool:
    return isinstance(value, NUMBER) and value > 0
