"""From a submission's source to what a judge needs: the worker, and another one for the checker."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.steps import within
from ..compiling.build import build
from ..compiling.worker import compile_submission
from ..intake.elf import BadObject, read_object
from ..lab_file.exemplars import exemplar
from ..lab_file.manifest import Lab, Stage, discover
from ..sandbox.bubblewrap import Sandbox
from .admission import Objections, another_text, objection_to, objections, own_names, refused
from .judge import HOST_BYTES_PER_LAUNCH, Bench

# The checker is part of the CPU backend. The same .cu file runs there, so the checker also decides
# when grading on a GPU: it finds a race even if the answer on the GPU happened to be right.
CHECKED = "cpu"
LOOPS = "cuda_on_cpu15run_whole_block"  # what a kernel calls whose threads are a loop


def build_for_grading(checkout: Checkout, backend: str) -> None:
    """Build what grading on `backend` needs. Raises InfrastructureError.

    On a GPU, the yardsticks compile beside the rest, because the largest takes half a minute. A
    grading asks for its own once more, and hears of failures.
    """
    with ThreadPoolExecutor() as beside:
        if build(checkout, backend) and backend == "gpu":
            for lab, form in _yardsticks(checkout):
                beside.submit(compile_form, checkout, lab, form, backend)
        if backend != CHECKED:
            build(checkout, CHECKED)


def _yardsticks(checkout: Checkout) -> set[tuple[Lab, str]]:
    """The forms that timed stages are compared with, where this copy of the kit has them."""
    forms = {(lab, stage.speed.form)
             for lab in discover(checkout) for stage in lab.stages if stage.speed}  # fmt: skip
    return {(lab, form) for lab, form in forms if exemplar(checkout, lab, form).is_file()}


def compile_form(
    checkout: Checkout, lab: Lab, form: str, backend: str = "gpu", box: Sandbox | None = None
) -> Path:
    """A form of the kit's own solution as a worker. Raises InfrastructureError."""
    path = exemplar(checkout, lab, form)
    compiled = compile_submission(checkout, lab, path.read_bytes(), backend, box=box)
    if compiled.worker is None:
        raise InfrastructureError(f"{checkout.shown(path)} does not compile:\n{compiled.message}")
    return compiled.worker


def make_bench(
    checkout: Checkout, lab: Lab, source: bytes, backend: str, seed: int, sandbox: Sandbox,
    check: bool = True, when_checked: Callable[[Bench], None] = lambda checked: None,
    called: Sequence[Stage] = (),
) -> tuple[Bench | None, str]:  # fmt: skip
    """Compile `source` for the backend and, with `check`, also for the checker.

    If only the `called` stages are asked for, the rest of the file may be left out.

    Returns None and the compiler's message if it does not compile. For a GPU the checker's part is
    there long before the rest: `when_checked` is told at once.
    """
    with ThreadPoolExecutor(2) as compilers:
        inputs = (checkout, lab, source, backend, seed, sandbox)
        answering = compilers.submit(within(_bench), *inputs, "run", called)
        if check:
            checking = compilers.submit(within(make_checked), checkout, lab, source, seed, sandbox,
                                        when_checked, called)  # fmt: skip
        bench, message = answering.result()
        if bench is None or not check:
            return bench, message
        checked, message = checking.result()
    if checked is None:  # nvcc accepted it and g++ did not, or the checker's build is broken
        unseen = f"only the CPU backend can see work on the host, and it failed there: {message}"
        hidden = {stage: unseen for stage in bench.on_device if stage not in bench.rejected}
        return replace(bench, rejected={**bench.rejected, **hidden}), message
    refusal = bench.refused or checked.refused
    if not refusal and backend == CHECKED and bench.text != checked.text:
        refusal = another_text(lab)
    return replace(bench, checked=checked, refused=refusal), ""


def make_checked(
    checkout: Checkout, lab: Lab, source: bytes, seed: int, sandbox: Sandbox,
    when_checked: Callable[[Bench], None] = lambda checked: None, called: Sequence[Stage] = (),
) -> tuple[Bench | None, str]:  # fmt: skip
    """Compile `source` for the checker alone. Returns None and the compiler's message if it does
    not compile. A file that may not run is not told to `when_checked`."""
    checked, message = _bench(checkout, lab, source, CHECKED, seed, sandbox, "check", called)
    if checked and not checked.refused:
        when_checked(checked)
    return checked, message


def _bench(
    checkout: Checkout, lab: Lab, source: bytes, backend: str, seed: int, sandbox: Sandbox,
    mode: str, called: Sequence[Stage], threads: bool = False,
) -> tuple[Bench | None, str]:  # fmt: skip
    compiled = compile_submission(checkout, lab, source, backend, mode, sandbox, called, threads)
    if compiled.worker is None:
        return None, compiled.message
    text = source.decode("utf-8", "replace")
    reason = refused(checkout, lab, compiled, backend, mode)
    found = Objections({}, {})
    if mode == "run" and not reason:
        found = objections(checkout, lab, compiled, backend)
    on_device = {stage.name: allowed for stage in lab.stages for group in stage.forbids
                 if (allowed := HOST_BYTES_PER_LAUNCH.get(group)) is not None}  # fmt: skip
    races = {s.name: tuple(r.for_judge(lab.source, text) for r in s.races) for s in lab.stages}
    judge, control = checkout.judge(backend, lab.name), checkout.control(backend, lab.name)
    bench = Bench(judge, compiled.worker, lab.seconds, backend, seed, control, sandbox,
                  found.certain, on_device, refused=reason or own_names(compiled.text),
                  text=compiled.text, suspected=found.suspected)  # fmt: skip
    if backend == CHECKED and mode == "run" and _has_loops(compiled.object_file):
        again = partial(_bench, checkout, lab, source, backend, seed, sandbox, mode, called, True)
        bench = replace(bench, with_threads=lambda: again()[0])
    if mode != "check":
        return bench, ""
    return replace(bench, races=races, entered=partial(objection_to, checkout, lab, compiled)), ""


def _has_loops(made: Path) -> bool:
    with suppress(BadObject, OSError):
        return any(LOOPS in symbol.name for symbol in read_object(made).asked)
    return False
