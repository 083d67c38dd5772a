"""Counters by name: `global.load.requests`, `launches`, ...; their sums and the costliest line."""

from typing import Any

SPACES = {"global": "sectors", "shared": "wavefronts"}
ACCESSES = ("load", "store", "atomic")
BRANCHES = "branch_efficiency"
LARGER_IS_BETTER = (BRANCHES,)
# Where a rule counts loads, those from farther memory count as well, and atomics, which read, too:
# avoiding one path by a longer one saves nothing.
DEARER = {
    "global": ("global.atomic", "texture.load"),
    "shared": ("shared.atomic", "global.load", "global.atomic", "texture.load"),
}

Kernels = list[dict[str, Any]]  # as the judge's --count reports them


def _names() -> tuple[str, ...]:
    names = []
    for space, pieces in SPACES.items():
        for access in ACCESSES:
            names.append(f"{space}.{access}.requests")
            if access != "atomic":  # a GPU serialises atomics in a different way
                names += [f"{space}.{access}.{pieces}", f"{space}.{access}.{pieces}_per_request"]
    return (*names, "launches", "barriers", BRANCHES)


NAMES = _names()


def total(counter: str, kernels: Kernels) -> float:
    """The value of a counter in one call of a stage, summed over its kernels and lines.

    `barriers` counts once for every block that passes a barrier. `..._per_request` is the ratio of
    two sums, and 0 without a request. `branch_efficiency` is 1 without a branch.
    """
    if counter == BRANCHES:
        branches = sum(kernel["branches"] for kernel in kernels)
        uniform = sum(kernel["uniform_branches"] for kernel in kernels)
        return uniform / branches if branches else 1.0
    if "." not in counter:
        return sum(kernel[counter] for kernel in kernels)
    lines = _lines(counter, kernels)
    requests, pieces = (sum(line[key] for line in lines) for key in ("requests", "pieces"))
    if counter.endswith("_per_request"):
        return pieces / requests if requests else 0.0
    return requests if counter.endswith(".requests") else pieces


def charged(counter: str, kernels: Kernels) -> float:
    """What a rule counts: the counter's total, and for requests of loads also DEARER ones."""
    return total(counter, kernels) + sum(line["requests"] for line in _dearer(counter, kernels))


def costliest(counter: str, kernels: Kernels) -> str:
    """The line or kernel with the largest share of the counter, in words; "" if all are 0."""
    if counter == BRANCHES:
        return _most_divergent([line for kernel in kernels for line in kernel["lines"]])
    if "." not in counter:
        kernel = max(kernels, key=lambda kernel: kernel[counter], default=None)
        return f"kernel {kernel['kernel']}: {kernel[counter]:,} {counter}" if kernel else ""
    key = "requests" if counter.endswith(".requests") else "pieces"
    lines = [*_lines(counter, kernels), *_dearer(counter, kernels)]
    line = max(lines, key=lambda line: line[key], default=None)
    if line is None:
        return ""
    text = f"{line['line']}: {line['requests']:,} {line['space']} {line['access']} requests"
    if line["access"] == "atomic" or not line["requests"]:
        return text
    each = line["pieces"] / line["requests"]
    return f"{text} of {each:.3g} {SPACES.get(line['space'], 'sectors')} each"


def _most_divergent(lines: list[dict[str, Any]]) -> str:
    """The line with the most divergent branches after it, in words.

    The branches before a kernel's first access belong to no line.
    """
    worst = max(lines, key=_diverged, default=None)
    if worst is None or not _diverged(worst):
        return ""
    count = f"{_diverged(worst):,} of {worst['branches']:,}"
    return f"{worst['line']}: {count} branches after it diverged"


def _diverged(line: dict[str, Any]) -> int:
    return line["branches"] - line["uniform_branches"]


def _lines(counter: str, kernels: Kernels) -> list[dict[str, Any]]:
    space, access, _ = counter.split(".")
    return [
        line
        for kernel in kernels
        for line in kernel["lines"]
        if (line["space"], line["access"]) == (space, access)
    ]


def _dearer(counter: str, kernels: Kernels) -> list[dict[str, Any]]:
    space, _, rest = counter.partition(".")
    if rest != "load.requests":
        return []
    return [line for other in DEARER[space] for line in _lines(f"{other}.requests", kernels)]
