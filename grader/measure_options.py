"""The options of the commands that measure: `./lab bench` and `./lab figures`."""

import argparse
from collections.abc import Callable
from typing import Any

Add = Callable[..., argparse.ArgumentParser]


def seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise ValueError(text)
    return value


seconds.__name__ = "time limit"


def count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 1024:
        raise ValueError(text)
    return value


count.__name__ = "number from 1 to 1024"


def add_bench(add: Add) -> None:
    bench = add("bench", "bench_command.run", "time a lab's stages, without marks")
    bench.description = (
        "Time a lab's stages as grading does, every output checked, without marks: your file in "
        "labs/, or the reference while yours is the skeleton. Exit code 1 if a stage has no time."
    )
    bench.add_argument("target", metavar="LAB[.STAGE]")
    bench.add_argument("--stage", metavar="STAGE", help="the same as LAB.STAGE")
    which = bench.add_mutually_exclusive_group()
    which.add_argument("--reference", action="store_true",
                       help="the reference instead of your file in labs/")  # fmt: skip
    which.add_argument("--source", metavar="FILE", help="a .cu file of any name")
    which.add_argument("--submission", metavar="PATH", help="a folder or a zip, as for grade")
    bench.add_argument("--trust", action="store_true", help="without a sandbox, as for grade")
    bench.add_argument("--sizes", metavar="N,N,...", help="instead of the lab's: 1000,2^20")
    bench.add_argument(
        "--explain",
        action="store_true",
        help="what bounds it: bandwidth, operations, launches, registers, ...",
    )
    bench.add_argument("--out", metavar="FILE", help="write the JSON document there as well")


def add_figures(add: Add) -> None:
    figures = add("figures", "figures_command.run",
                  "measure the references over many sizes, and draw")  # fmt: skip
    figures.description = (
        "Measure shortest paths (sssp, lab 05), sorts (sort, labs 03 and 04) or rank sorts (rank, "
        "labs 01 and 02) over many sizes, every answer checked, and draw. What was measured is "
        "kept: an interrupted run goes on where it stopped."
    )

    def option(name: str, help: str, **more: Any) -> None:
        figures.add_argument(name, help=help, **more)

    option("family", "changed: write the page on what still pays, from a GPU's measurements",
           choices=("sssp", "sort", "rank", "changed"))  # fmt: skip
    option("--scales", "from 2^A to 2^B vertices or keys", metavar="A-B")
    option("--sources", "searches per size of sssp (default 32; CPU backend 4)",
           type=count, metavar="N")  # fmt: skip
    option("--seconds", "a method's share at each size (default: sssp 6, others 0.5)",
           type=seconds, metavar="S")  # fmt: skip
    option("--source", "your own file of a lab, not the reference; runs without a sandbox",
           metavar="FILE.cu")  # fmt: skip
    option("--out", "default: report/out/figures", metavar="DIR")
    how = figures.add_mutually_exclusive_group()
    how.add_argument("--again", action="store_true", help="measure again what was measured")
    how.add_argument("--draw", action="store_true", help="only draw what was measured")
