"""`./lab data make|info|convert`: data sets, made by the C++ program warpwise-data."""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

from ..base import console
from ..base.checkout import Checkout
from ..base.errors import ALL_PASSED, USAGE, InfrastructureError, UsageError
from ..base.outcome import Outcome
from ..base.text import line, nearest
from ..compiling.build import build
from .parser import Commands

PROGRAM = "warpwise-data"
BACKEND = "cpu"  # the program is in this backend's build folder; it runs no kernel

Facts = dict[str, Any]

# The program itself checks the values of its options.
GRAPHS = ("rmat", "uniform", "grid", "road", "chain", "star", "complete", "disconnected",
          "no-edges")  # fmt: skip
WORDS = {"make": ("kind",), "info": ("source",), "convert": ("source", "target")}
VALUES = ("scale", "vertices", "degree", "weights", "a", "b", "c", "shape", "count", "out")
FLAGS = ("directed", "scrambled", "simple", "undirected", "force")

def add(commands: Commands) -> None:
    data = commands.group("data", "make, describe and convert graphs and arrays of keys",
                          "make|info|convert")  # fmt: skip
    make = data.add("make", run, "generate a graph or keys into a file", setup="data")
    info = data.add("info", run, "describe a file with a graph or with keys", setup="data")
    convert = data.add("convert", run, "convert a file; suffixes give the formats", setup="data")
    _add_make(make)
    info.add_argument("source", metavar="FILE")
    convert.add_argument("source", metavar="FROM")
    convert.add_argument("target", metavar="TO")
    _flag(convert, "force", "overwrite TO")
    for parser in (info, convert):
        _flag(parser, "undirected", "use every arc of the file in both directions")
        _value(parser, "weights", "KIND", "for a file without weights: unit, integers, reals, "
               "zeros")  # fmt: skip
    for name, parser in (("make", make), ("info", info), ("convert", convert)):
        parser.set_defaults(action=name)


def _add_make(make: argparse.ArgumentParser) -> None:
    make.add_argument("kind", metavar="KIND", help=f"{', '.join(GRAPHS)}, or keys")
    _value(make, "out", "FILE", "graphs: .gr .mtx .wel .el .txt .wsg, each also with .gz; "
           "keys: .f32 .npy .txt")  # fmt: skip
    _flag(make, "force", "overwrite FILE")
    _value(make, "scale", "S", "2^S vertices")
    _value(make, "vertices", "N", "N vertices")
    _value(make, "degree", "D", "edges per vertex of rmat, uniform, disconnected (default 16)")
    _value(make, "weights", "KIND", "unit, integers (default), reals, zeros, or a road's lengths")
    _flag(make, "directed", "an edge is one arc instead of two")
    _flag(make, "simple", "no self-loops, no parallel edges")
    _flag(make, "scrambled", "vertices numbered at random")
    for name, quarter in (("a", "top left"), ("b", "top right"), ("c", "bottom left")):
        _value(make, name, "P", f"rmat: probability of the {quarter} quarter")
    _value(make, "shape", "SHAPE", "keys: uniform (default), shuffled, sorted, reversed, "
           "nearly-sorted, all-equal, few-keys, zipf, organ-pipe, runs, stretches, two-keys, "
           "not-negative, extremes, nan")  # fmt: skip
    _value(make, "count", "N", "keys: their number")


def _value(parser: argparse.ArgumentParser, name: str, metavar: str, help: str) -> None:
    parser.add_argument(f"--{name}", metavar=metavar, help=help)


def _flag(parser: argparse.ArgumentParser, name: str, help: str) -> None:
    parser.add_argument(f"--{name}", action="store_true", help=help)


def run(checkout: Checkout, arguments: argparse.Namespace) -> Outcome:
    """Do what `action` says. Raises UsageError or InfrastructureError with the program's text."""
    _check_words(arguments)
    _build(checkout)
    command = [str(checkout.build(BACKEND) / "bin" / PROGRAM), *words(arguments)]
    console.verbose("+ " + " ".join(command))
    # It runs in our process group: an interrupt also reaches it, and it removes its partial file.
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
    return Outcome(ALL_PASSED, facts, f"{line(facts['file'])}: {_sentence(facts)}")


def _check_words(arguments: argparse.Namespace) -> None:
    """What needs no program: nobody waits for a build to hear of a mistyped word."""
    kind, source = getattr(arguments, "kind", None), getattr(arguments, "source", None)
    kinds = (*GRAPHS, "keys")
    if kind is not None and kind not in kinds:
        raise UsageError(f"the kind {line(kind)} is unknown{nearest(kind, kinds)}; choose from "
                         f"{', '.join(GRAPHS)}, or keys.")  # fmt: skip
    if source is not None and not Path(source).exists():  # whatever its suffix is
        raise UsageError(f"{line(source)}: no such file; check the path.")


def _build(checkout: Checkout) -> None:
    """Bring the program up to date. If CMake did not find zlib the last time, it looks again."""
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
    made = "" if facts["weights_in_file"] else "; generated, because the file has none"
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


def words(arguments: argparse.Namespace) -> list[str]:
    """The equivalent command line of warpwise-data."""
    given = [arguments.action, *(getattr(arguments, name) for name in WORDS[arguments.action])]
    given += ["--seed", str(arguments.seed)]
    for name in VALUES:
        value = getattr(arguments, name, None)
        given += [f"--{name}", value] if value is not None else []
    return given + [f"--{name}" for name in FLAGS if getattr(arguments, name, False)]
