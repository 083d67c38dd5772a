"""Which tests are nearest to what changed: those that `./lab test --changed` runs.

Half of all tests depend on a module at the bottom, and they take minutes. So the nearest tests of
a changed file run, as many as there is time for; `./lab test` runs the others. Distance is the
number of imports between. A file that `pytest.mark.reads` names is as near as an import; a folder
that it names is as far as two, a set of folders as three.

    python -m grader.tests.nearest SECONDS      # the test files, the nearest first
"""

import json
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from grader.base.changes import changed_files
from grader.tests import inputs

TOOK = inputs.ROOT / "build" / "took.json"  # test -> seconds, of the tests that run every day
RARE_TOOK = TOOK.with_name("rare_took.json")  # of those that are marked `exhaustive`
# Seconds of a test that never ran here. Rare ones are rare because they are long.
UNKNOWN, UNKNOWN_RARE = 0.5, 10.0

Took = dict[str, float]


def read(file: Path = TOOK) -> Took:
    """How long tests took; nothing where none is known."""
    try:
        took = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return took if isinstance(took, dict) else {}


@cache
def distance(test_file: str, differs: frozenset[str]) -> int | None:
    """How far a test file is from the nearest of the files that differ; None if it depends on none
    of them."""
    if differs.isdisjoint(inputs.inputs(test_file)):
        return None
    steps = inputs.reached(test_file)
    far = [steps[name] for name in differs if name in steps]
    for place in inputs.declared(test_file) or ():
        if place in inputs.SETS:
            continue
        far += [1 if name == place else 2 for name in differs if inputs.is_in(name, place)]
    return min(far, default=3)


def nearest(nodes: Iterable[str], differs: frozenset[str], took: Took, seconds: float) -> set[str]:
    """The tests that fit into so many seconds: the nearest first, of these the quickest first; and
    one at least."""
    def order(node: str) -> tuple[int, float, str]:
        far = distance(node.partition("::")[0], differs)
        return (99 if far is None else far, took.get(node, UNKNOWN), node)

    return set(_that_fit(sorted(nodes, key=order), took, seconds))


def files(differs: frozenset[str], took: Took, seconds: float) -> list[str]:
    """The test files that fit as a whole. To import all of them takes longer than most tests."""
    sums: Took = {}
    for node, time in took.items():
        file = node.partition("::")[0]
        sums[file] = sums.get(file, 0.0) + time
    folder = inputs.ROOT / "grader" / "tests"
    far = {name: steps for path in folder.glob("test_*.py")
           if (steps := distance(name := path.relative_to(inputs.ROOT).as_posix(), differs))
           is not None}  # fmt: skip
    ordered = sorted(far, key=lambda file: (far[file], sums.get(file, UNKNOWN), file))
    return _that_fit(ordered, sums, seconds)


def _that_fit(ordered: Iterable[str], took: Took, seconds: float) -> list[str]:
    """One after the other, without those that are too long for the time that is left; the first one
    in any case."""
    chosen: list[str] = []
    for name in ordered:
        time = took.get(name, UNKNOWN)
        if not chosen or time <= seconds:
            chosen.append(name)
            seconds -= time
    return chosen


if __name__ == "__main__":
    print(*files(frozenset(changed_files(inputs.ROOT)), read(), float(sys.argv[1])), sep="\n")
