"""What the good form of a stage asks of memory: the numbers that ./lab why compares with.

They are counted from the reference; a copy for students has them as `./lab release` wrote them.
"""

from ..base.checkout import Checkout
from ..base.errors import UsageError
from ..base.verdict import PASSED
from ..grading.counting import BACKEND, KERNEL_KEYS, Counted, count, counted_program
from ..judging.judge_report import BadReport
from ..lab_file import recorded
from ..lab_file.counters import Kernels
from ..lab_file.manifest import Lab, Stage
from ..lab_file.recorded import Form
from ..sandbox import bubblewrap
from ..timing import speed

COUNTED_N = 4096  # the counter takes a second for a few million accesses
SUMMED = ("requests", "pieces", "ideal", "branches", "uniform_branches")


def size(checkout: Checkout, lab: Lab, stage: Stage) -> int:
    """The largest size of the stage's bench that the counter takes seconds for.

    Raises UsageError if the stage is not timed.
    """
    listed = speed.benches(checkout.judge(BACKEND, lab.name))
    sizes = [point["n"] for bench in listed if bench["stage"] == stage.name
             for point in bench["points"]]  # fmt: skip
    if not sizes:
        raise UsageError(f"{lab.name} does not time {stage.name}, so there is no input to count.")
    return max((n for n in sizes if n <= COUNTED_N), default=min(sizes))


def known_form(checkout: Checkout, lab: Lab, stage: Stage) -> Form | None:
    """What was recorded of the good form, with the size and the seed of its input; None if the
    reference itself is here.

    Raises UsageError if this copy of the kit has neither.
    """
    if (checkout.reference / lab.name / lab.source).is_file():
        return None
    known = recorded.load(checkout, lab)
    form = known.form(stage.name) if known else None
    if form is None:
        raise UsageError(
            f"the good form of {lab.name}.{stage.name} is not in this copy of the kit; "
            f"./lab bench {lab.name}.{stage.name} --explain shows your own counters."
        )
    return form


def good_form(checkout: Checkout, lab: Lab, stage: Stage, seed: int) -> Form:
    """What one call of the reference asks. Raises BadReport."""
    source = (checkout.reference / lab.name / lab.source).read_bytes()
    return counted(checkout, lab, stage, source, seed)


def counted(checkout: Checkout, lab: Lab, stage: Stage, source: bytes, seed: int) -> Form:
    """What a form of the solution asks. Raises BadReport if its answers are wrong."""
    n = size(checkout, lab, stage)
    found = ask(checkout, lab, stage, source, n, seed)
    if found.verdict != PASSED:
        raise BadReport(f"the kit's own form is '{found.verdict}': {found.message}")
    return Form(stage.name, n, seed, summed(found.kernels))


def ask(
    checkout: Checkout, lab: Lab, stage: Stage, source: bytes, n: int, seed: int
) -> Counted:  # fmt: skip
    """One call in count mode. Raises BadReport."""
    box = bubblewrap.for_own_file()
    program = counted_program(checkout, lab, source, seed, box, (stage,))
    return count(program, stage.name, n)


def summed(kernels: Kernels) -> Kernels:
    """The counters of all kernels together, by what is accessed: without names and lines, which
    would tell about the solution."""
    lines: dict[tuple[str, str], dict[str, int]] = {}
    for kernel in kernels:
        for line in kernel["lines"]:
            into = lines.setdefault((line["space"], line["access"]), dict.fromkeys(SUMMED, 0))
            for key in SUMMED:
                into[key] += line.get(key, line["requests"] if key == "ideal" else 0)
    total = {key: sum(kernel[key] for kernel in kernels) for key in KERNEL_KEYS}
    parts = [{"line": "", "space": space, "access": access, **sums}
             for (space, access), sums in sorted(lines.items())]  # fmt: skip
    return [{"kernel": "", **total, "lines": parts}]
