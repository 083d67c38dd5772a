"""The other processor that students own: all modes of the CPU backend on aarch64, in qemu."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.cpu.compiler import driver, options, runtime_library
from grader.tests import test_check, test_count, test_cpu
from grader.tests.built_once import built_once

CROSS = "aarch64-linux-gnu-"
EMULATOR = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
LIBRARIES = "/usr/aarch64-linux-gnu"  # of the cross-compiler
TOOLS = ("ar", "addr2line")  # the host's own read no file of the other processor
# The suites of checker and counter as a whole.
PROGRAMS = test_check.PROGRAMS
COUNTED = sorted(path.stem for path in test_count.TESTS.glob("*.cu"))
# A division by zero is no crash on this processor; the emulator tells no address that cannot exist.
ELSEWHERE = ("divide", "whole", "wild")
CRASHES = [crash for crash in test_cpu.CRASHES if crash[0] not in ELSEWHERE]

pytestmark = [
    pytest.mark.exhaustive("grader/cpu"),
    pytest.mark.reads("cpu backend", "grader/tests/check", "grader/tests/count",
                      "grader/tests/cpu"),  # fmt: skip
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
        emulator = f"{EMULATOR} -L {LIBRARIES} ${{PAGES:+-p $PAGES}}"
        script.write_text(f'#!/bin/sh\nexec {emulator} {program} "$@"\n')
        script.chmod(0o755)
        return script

    return build_one


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_checker_sees_the_same_on_arm(build, name: str) -> None:  # type: ignore[no-untyped-def]
    program = build(test_check.TESTS / f"{name}.cu", "check")
    for case in test_check.marks(name):
        test_check.assert_bug_is_reported(program, case)
    test_check.assert_twin_is_silent(program, "all")


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


@pytest.mark.parametrize(("fault", "number", "pattern"), CRASHES)
def test_a_crash_has_its_line_on_arm(  # type: ignore[no-untyped-def]
    build, fault: str, number: int, pattern: str
) -> None:
    done = test_cpu.run(build(test_cpu.TESTS / "faults.cu", "run"), fault, "fault")
    said = done.stderr.splitlines()
    assert any(re.fullmatch(f"warpwise: {pattern}", line) for line in said), done.stderr
    assert done.returncode in (-number, 128 + number)  # its shell's word for it


def test_other_pages_of_memory_are_refused_in_one_sentence(build) -> None:  # type: ignore[no-untyped-def]
    program = build(test_cpu.TESTS / "faults.cu", "run")
    assert test_cpu.run(program, "null", "twin").returncode == 0
    done = test_cpu.run(program, "null", "twin", PAGES="16384")
    assert done.returncode == 2 and re.fullmatch(
        "warpwise: machine: this system's memory pages have 16384 bytes: .* pages of 4096\n",
        done.stderr,
    )
