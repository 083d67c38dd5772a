"""The other processor that students own: checker and counter on aarch64, in qemu."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.cpu.compiler import driver, options, runtime_library
from grader.tests import test_check, test_count
from grader.tests.built_once import built_once

CROSS = "aarch64-linux-gnu-"
EMULATOR = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
LIBRARIES = "/usr/aarch64-linux-gnu"  # of the cross-compiler
TOOLS = ("ar", "addr2line")  # the host's own read no file of the other processor
# EVERY_ARM=1 takes all programs of both suites, which is many minutes in an emulator.
EVERY = os.environ.get("EVERY_ARM") == "1"
PROGRAMS = test_check.PROGRAMS if EVERY else ["shared_races", "lanes"]
COUNTED = sorted(path.stem for path in test_count.TESTS.glob("*.cu")) if EVERY else ["transposes"]

pytestmark = [
    pytest.mark.exhaustive("grader/cpu"),
    pytest.mark.reads("cpu backend", "grader/tests/check", "grader/tests/count"),
    pytest.mark.skipif(
        not (EMULATOR and shutil.which(f"{CROSS}g++")),
        reason="no aarch64: apt install g++-aarch64-linux-gnu qemu-user",
    ),
]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """build(SOURCE, MODE) -> a script that runs the program in the emulator.

    For one test at a time: what the environment names must not reach other tests' compilations."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in TOOLS:
        (tools / tool).symlink_to(shutil.which(f"{CROSS}{tool}"))
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(Checkout.here().build("cpu")))
    monkeypatch.setenv("CXX", f"{CROSS}g++")

    def build_one(source: Path, mode: str) -> Path:
        library = runtime_library.cached_library(options.compiler(), tools, mode)
        sources = [source, *source.parent.glob("*.cuh")]
        flags = ["--mode", mode]
        program = built_once(
            source.stem, sources, library, flags,
            lambda made: driver.link_program([source], made, flags, library),
        )  # fmt: skip
        script = tools / f"{mode}-{source.stem}" / source.stem
        script.parent.mkdir()
        script.write_text(f'#!/bin/sh\nexec {EMULATOR} -L {LIBRARIES} {program} "$@"\n')
        script.chmod(0o755)
        return script

    return build_one


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_checker_sees_the_same_on_arm(build, name: str) -> None:  # type: ignore[no-untyped-def]
    program = build(test_check.TESTS / f"{name}.cu", "check")
    for case in test_check.marks(name):
        test_check.assert_bug_is_reported(program, case)
    for case in test_check.cases(name):
        test_check.assert_twin_is_silent(program, case)


@pytest.mark.parametrize("name", COUNTED)
def test_the_counter_counts_the_same_on_arm(build, name: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program = build(test_count.TESTS / f"{name}.cu", "count")
    table = tmp_path / "counters.json"
    environment = {**os.environ, "WARPWISE_COUNT_JSON": str(table)}
    done = test_check.subprocess.run([program], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    kernels = {kernel["kernel"]: kernel for kernel in json.loads(table.read_text())["kernels"]}
    theory = [row for row in test_count.THEORY if row[0] in kernels]
    assert theory
    for kernel, space, access, requests, pieces in theory:
        assert test_count.total(kernels[kernel], space, access) == (requests, pieces), kernel
