"""dev check of every lab, one test per check: needs the built C++ parts."""

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from grader.authoring import devcheck
from grader.base.checkout import Checkout
from grader.base.errors import LabError
from grader.judging.workers import build_for_grading
from grader.lab_file import manifest

pytestmark = [pytest.mark.labs, pytest.mark.cores]
CHECKOUT = Checkout.here()
REASONS = devcheck.backends()


def _cases() -> list[object]:
    try:
        labs = manifest.discover(CHECKOUT)
    except LabError as error:
        return [pytest.param("cpu", str(error), id="labs")]
    cases: list[object] = []
    for backend in ("cpu", "gpu"):
        for lab in labs:
            for check in devcheck.lab_checks(CHECKOUT, lab, backend):
                if backend == "gpu" and not check.needs_build:
                    continue
                slow = [pytest.mark.slow] if "wrong/" in check.name else []
                cases.append(pytest.param(backend, check, id=f"{backend} {check.name}", marks=slow))
    return cases


@pytest.fixture(scope="session")
def built() -> dict[str, str]:
    """Backends built so far, with the error of those that could not be."""
    return {}


class Ahead:
    """Runs the CPU's checks on all cores: when one is waited for, the next are under way."""

    def __init__(self, checks: list[devcheck.Check]) -> None:
        self.waiting = checks
        self.pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        self.started: dict[str, Future[None]] = {}

    def run(self, backend: str, check: devcheck.Check) -> None:
        """Raises what the check raises. What a GPU does is left to it alone."""
        if backend != "cpu" or not check.needs_build:
            check.run()
            return
        for each in self.waiting:  # the first who asks has built the backend
            self.started[each.name] = self.pool.submit(each.run)
        self.waiting = []
        self.started[check.name].result()


@pytest.fixture(scope="session")
def ahead(chosen: list[dict[str, Any]]) -> Iterator[Ahead]:
    checks = [
        params["check"]
        for params in chosen
        if params.get("backend") == "cpu"
        and isinstance(params.get("check"), devcheck.Check)
        and params["check"].needs_build
    ]
    runner = Ahead(checks)
    yield runner
    runner.pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize(("backend", "check"), _cases())
def test_lab(
    backend: str, check: devcheck.Check | str, built: dict[str, str], ahead: Ahead
) -> None:
    if isinstance(check, str):
        pytest.fail(check)
    if REASONS[backend]:
        pytest.skip(REASONS[backend])
    if check.needs_build and backend not in built:
        built[backend] = _build(backend)
    if check.needs_build and built[backend]:
        pytest.fail(built[backend])
    problem = ""
    try:
        ahead.run(backend, check)
    except devcheck.CheckSkipped as reason:
        pytest.skip(str(reason))
    except devcheck.CheckFailed as error:
        problem = str(error)
    if problem:  # out here, the report does not speak of exceptions during exceptions
        pytest.fail(problem, pytrace=False)


def _build(backend: str) -> str:
    try:
        build_for_grading(CHECKOUT, backend)
    except LabError as error:
        return str(error)
    return ""
