"""The options of the commands that measure: `./lab bench` and `./lab figures`."""

import argparse
from collections.abc import Callable

Add = Callable[..., argparse.ArgumentParser]


def seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise ValueError(text)
    return value


seconds.__name__ = "time limit"


def _count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 1024:
        raise ValueError(text)
    return value


_count.__name__ = "number from 1 to 1024"


def add_bench(add: Add) -> None:
    bench = add("bench", "bench_command.run", "time a lab's stages, without marks")
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
    figures.add_argument("family", choices=("sssp", "sort", "rank", "changed"),
                         help="changed: the page on what still pays")  # fmt: skip
    figures.add_argument("--scales", metavar="A-B", help="from 2^A to 2^B vertices or keys")
    figures.add_argument("--sources", type=_count, metavar="N",
                         help="searches per size of sssp (default 32; CPU backend 4)")  # fmt: skip
    figures.add_argument("--seconds", type=seconds, metavar="S",
                         help="a method's share at each size")  # fmt: skip
    figures.add_argument("--source", metavar="FILE.cu", help="your file, not the reference")
    figures.add_argument("--out", metavar="DIR", help="default: report/out/figures")
    figures.add_argument("--again", action="store_true", help="measure again what was measured")
    figures.add_argument("--draw", action="store_true", help="only draw what was measured")
