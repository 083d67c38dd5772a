"""`./lab data make|info|convert`: data sets, by the C++ program warpwise-data."""

import argparse
import json
import subprocess
from typing import Any

from . import console
from .build import build
from .checkout import Checkout
from .data_options import words
from .errors import ALL_PASSED, USAGE, InfrastructureError, UsageError
from .outcome import Outcome

PROGRAM = "warpwise-data"
BACKEND = "cpu"  # whose build folder the program lies in; it runs no kernel

Facts = dict[str, Any]


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Do what `action` says. Raises UsageError or InfrastructureError with the program's words."""
    _build(checkout)
    command = [str(checkout.build(BACKEND) / "bin" / PROGRAM), *words(arguments)]
    console.verbose("+ " + " ".join(command))
    # In our process group: an interrupt reaches the program too, which then removes its half file.
    done = subprocess.run(command, capture_output=True, check=False)
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode == USAGE:
        raise UsageError(said)
    if done.returncode != 0:
        raise InfrastructureError(said or f"{PROGRAM} ended with {done.returncode}.")
    if said:
        console.note(f"lab: {said}")
    file = {"make": "out", "info": "source", "convert": "target"}[arguments.action]
    facts = {"file": getattr(arguments, file), **_facts(done.stdout.decode())}
    return Outcome(ALL_PASSED, facts, f"{facts['file']}: {_sentence(facts)}")


def _build(checkout: Checkout) -> None:
    """Bring the program up to date; look again for a zlib that CMake missed when it last looked."""
    cache = checkout.build(BACKEND) / "CMakeCache.txt"
    missed = cache.is_file() and "ZLIB_INCLUDE_DIR-NOTFOUND" in cache.read_text(errors="replace")
    build(checkout, BACKEND, PROGRAM, ("CMAKE_BUILD_TYPE=Release",) if missed else ())


def _facts(output: str) -> Facts:
    """The program's lines `name<tab>JSON`."""
    pairs = (line.split("\t", 1) for line in output.splitlines())
    return {name: json.loads(value) for name, value in pairs}


def _sentence(facts: Facts) -> str:
    if "keys" in facts:
        return _keys(facts)
    first = f"{facts['vertices']} vertices, {facts['arcs']} arcs"
    return _graph(first, facts) if "checksum" in facts else f"{first}."


def _keys(facts: Facts) -> str:
    first = f"{facts['keys']} keys"
    if "distinct" not in facts:
        return f"{first}."
    order = [word for word in ("ascending", "descending") if facts[word]]
    ends = (f"  from {_number(facts['least'])} to {_number(facts['largest'])}"
            if "least" in facts else "  no number")  # fmt: skip
    return "\n".join([", ".join([first, *order]),
                      f"{ends}, {facts['distinct']} different, {facts['nan']} NaN"])  # fmt: skip


def _graph(first: str, facts: Facts) -> str:
    whole = "whole numbers " if facts["whole_weights"] else ""
    made = "" if facts["weights_in_file"] else "; made up, the file has none"
    weights = f"{whole}from {facts['weight_min']:.6g} to {facts['weight_max']:.6g}{made}"
    rows = [
        ("degree", f"from {facts['degree_min']} to {facts['degree_max']}, "
                   f"mean {facts['degree_mean']:.4g}"),
        ("weights", weights if facts["arcs"] else "none"),
        ("components", f"{facts['components']}, {facts['isolated']} of them a single vertex"),
        ("self-loops", str(facts["self_loops"])),
        ("parallel", f"{facts['parallel_arcs']} arcs beyond the first between two vertices"),
        ("checksum", facts["checksum"]),
    ]  # fmt: skip
    lines = [f"{first}, {'undirected' if facts['undirected'] else 'directed'}"]
    return "\n".join(lines + [f"  {name:<11} {text}" for name, text in rows])


def _number(value: float | None) -> str:
    return "an infinity" if value is None else f"{value:.6g}"
