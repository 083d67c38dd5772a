"""The options of `./lab data`. What their values may be is said by the program that gets them."""

import argparse
from collections.abc import Callable

GRAPHS = ("rmat", "uniform", "grid", "road", "chain", "star", "complete", "disconnected",
          "no-edges")  # fmt: skip
WORDS = {"make": ("kind",), "info": ("source",), "convert": ("source", "target")}
VALUES = ("scale", "vertices", "degree", "weights", "a", "b", "c", "shape", "count", "out")
FLAGS = ("directed", "scrambled", "simple", "undirected", "force")

Add = Callable[..., argparse.ArgumentParser]


def add_data(add: Add, parser_class: type[argparse.ArgumentParser]) -> None:
    """Declare make, info and convert below `data`."""
    data = add("data", "", "make, describe and convert graphs and arrays of keys")
    data.set_defaults(run=None)
    inner = data.add_subparsers(metavar="make|info|convert", required=True,
                                parser_class=parser_class)  # fmt: skip
    _add_make(add("make", "data_command.run", "generate a graph or keys into a file", inner))
    info = add("info", "data_command.run", "what is in a file of a graph or of keys", inner)
    info.add_argument("source", metavar="FILE")
    convert = add("convert", "data_command.run", "one format into another, by suffix", inner)
    convert.add_argument("source", metavar="FROM")
    convert.add_argument("target", metavar="TO")
    _flag(convert, "force", "overwrite TO")
    for parser in (info, convert):
        _flag(parser, "undirected", "take every arc of the file for both directions")
        _value(parser, "weights", "KIND", "of a file without any: unit, integers, reals or zeros")
    for name, parser in inner.choices.items():
        parser.set_defaults(command="data", action=name)


def _add_make(make: argparse.ArgumentParser) -> None:
    make.add_argument("kind", metavar="KIND", help=f"{', '.join(GRAPHS)}, or keys")
    _value(make, "out", "FILE", "graphs: .gr .mtx .wel .el .txt .wsg, .gz behind any of them; "
           "keys: .f32 .npy .txt")  # fmt: skip
    _flag(make, "force", "overwrite FILE")
    _value(make, "scale", "S", "2^S vertices")
    _value(make, "vertices", "N", "N vertices")
    _value(make, "degree", "D", "edges per vertex of rmat, uniform, disconnected (default 16)")
    _value(make, "weights", "KIND", "unit, integers (default), reals, zeros, or a road's lengths")
    _flag(make, "directed", "an edge is one arc; else two")
    _flag(make, "simple", "no self-loops, no parallel edges")
    _flag(make, "scrambled", "vertices numbered at random")
    for name, quarter in (("a", "top left"), ("b", "top right"), ("c", "bottom left")):
        _value(make, name, "P", f"rmat: probability of the {quarter} quarter")
    _value(make, "shape", "SHAPE", "keys: uniform (default), shuffled, sorted, reversed, "
           "nearly-sorted, all-equal, few-keys, zipf, organ-pipe, extremes, nan")  # fmt: skip
    _value(make, "count", "N", "keys: how many")


def _value(parser: argparse.ArgumentParser, name: str, metavar: str, help: str) -> None:
    parser.add_argument(f"--{name}", metavar=metavar, help=help)


def _flag(parser: argparse.ArgumentParser, name: str, help: str) -> None:
    parser.add_argument(f"--{name}", action="store_true", help=help)


def words(arguments: argparse.Namespace) -> list[str]:
    """The command line of warpwise-data that says the same."""
    given = [arguments.action, *(getattr(arguments, name) for name in WORDS[arguments.action])]
    given += ["--seed", str(arguments.seed)]
    for name in VALUES:
        value = getattr(arguments, name, None)
        given += [f"--{name}", value] if value is not None else []
    return given + [f"--{name}" for name in FLAGS if getattr(arguments, name, False)]
