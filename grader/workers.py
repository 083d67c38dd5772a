"""From a submission's source to what a judge needs: the worker, and its twin under the checker."""

from dataclasses import replace

from .build import build
from .checkout import Checkout
from .compiling import compile_submission
from .judge import Bench
from .manifest import Lab

# The checker lives in the CPU backend. The same .cu file runs there, so it has its say on a GPU's
# grading too: a race that a GPU happened to win is still found.
CHECKED = "cpu"


def build_for_grading(checkout: Checkout, backend: str) -> None:
    """Build what grading on `backend` needs. Raises InfrastructureError."""
    for needed in dict.fromkeys((backend, CHECKED)):
        build(checkout, needed)


def make_bench(
    checkout: Checkout, lab: Lab, source: bytes, backend: str, seed: int
) -> tuple[Bench | None, str]:
    """Compile `source` for the backend and for the checker; None with the compiler's message."""
    compiled = compile_submission(checkout, lab, source, backend)
    if compiled.worker is None:
        return None, compiled.message
    judge = checkout.judge(backend, lab.name)
    bench = Bench(judge, compiled.worker, lab.seconds, backend, seed)
    checked = compile_submission(checkout, lab, source, CHECKED, mode="check")
    if checked.worker is None:  # nvcc took it, g++ did not, or the checker's build is broken
        return bench, checked.message
    text = source.decode("utf-8", "replace")
    races = {s.name: tuple(r.for_judge(lab.source, text) for r in s.races) for s in lab.stages}
    checking = checkout.judge(CHECKED, lab.name)
    twin = Bench(checking, checked.worker, lab.seconds, CHECKED, seed, races=races)
    return replace(bench, checked=twin), ""
