"""What may not be named is found, also behind macros; its honest look-alikes are let through."""

from dataclasses import replace

import pytest

from grader.intake.forbidden import find_forbidden
from grader.lab_file import manifest
from grader.lab_file.manifest import Lab

FILE = "demo.cu"
HONEST = """
// std::sort, fork() and asm are words here.
#include "demo.hpp"
#include <algorithm>
const char* const kText = "thrust::sort(asm)";
/* __CUDA_ON_CPU__
   qsort */
__device__ float before(float a, float b) { return a < b; }
__device__ int changed_in;
__device__ volatile unsigned int rounds = 0;
__global__ void kernel(float* out) { out[0] = 1'000.0f; __syncthreads(); }
int sorted_section = 0;
"""


@pytest.fixture
def strict(checkout: object, lab: Lab) -> Lab:
    """The demo lab with a first stage that forbids all, and a second that forbids nothing."""
    first, *rest = lab.stages
    forbids = manifest.FORBIDDEN
    stages = (replace(first, forbids=forbids), *rest)
    return replace(lab, stages=stages)


def find(lab: Lab, source: str, expanded: str = "", symbols: str = "", reserved: str = "") -> str:
    """The reason why stage 1 is rejected; "" if it is not."""
    found = find_forbidden(lab, source, expanded, symbols, reserved)
    return found.get(lab.stages[0].name, "")


def test_honest_text_is_let_through(strict: Lab) -> None:
    expanded = f'# 1 "/usr/include/stdlib.h"\nasm("x"); std::sort(a, b);\n# 1 "{FILE}"\n{HONEST}'
    symbols = (
        " U cudaMalloc\n0 T _ZN9rank_sort6globalEPKfPfi\n0 W _ZNSt6vectorIfE9push_backEv\n U memcpy"
    )
    assert find(strict, HONEST, expanded, symbols, " U send\n w _ZN9rank_sort6globalEPKfPfi") == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('asm("nop");', "assembly"),
        ("__asm__ volatile (\"nop\");", "assembly"),
        ("#ifdef __CUDA_ON_CPU__", "backends apart"),
        ("cuda_on_cpu::reset_statistics();", "backends apart"),
        ("__attribute__((constructor)) void f();", "attribute"),
        ("__attribute__((used, section(\".x\"))) int x;", "attribute"),
        ('# 7 "other.cu"', "another file"),
        ('%:line 7 "other.cu"', "another file"),
        ('#li\\\nne 7 "other.cu"', "another file"),
        ('#include "../reference.cu"', "by a path"),
        ("#include </etc/passwd>", "by a path"),
        ("#include <unistd.h>", "operating system"),
        ("#  include <sys/socket.h>", "operating system"),
        ("std::sort(a, b);", "standard library"),
        ("std :: ranges :: stable_sort(a);", "standard library"),
        ("std::\n  sort(a, b);", "standard library"),
        ("using namespace std;", "standard library"),
        ("thrust::sort(a, b);", "a library sorts"),
        ("#include <cub/cub.cuh>", "a library sorts"),
        ("cudaLaunchHostFunc(s, f, p);", "share with the host"),
    ],
)  # fmt: skip
def test_each_name_is_found_in_its_line(strict: Lab, line: str, words: str) -> None:
    reason = find(strict, f"{HONEST}\n{line}\n")
    assert words in reason
    assert reason.startswith(f"{FILE}:{HONEST.count(chr(10)) + 2}:")


def test_a_macro_hides_nothing(strict: Lab) -> None:
    source = "#define N(a, b) a##b\nstd::N(so, rt)(x, y);\n"
    assert find(strict, source) == ""
    expanded = f'# 1 "{FILE}"\n\nstd::sort(x, y);\n'
    assert find(strict, source, expanded).startswith(f"{FILE}:2: `std::sort`")


@pytest.mark.parametrize(
    ("symbols", "reserved"),
    [
        (" U fork", ""),
        (" U __open64_2", ""),
        (" U pthread_create@GLIBC_2.34", ""),
        (" U _ZNSt6thread15_M_start_threadESt10unique_ptrI", ""),
        ("00 T main", ""),
        ("00 T clock_gettime", ""),
        ("00 T _Znwm", ""),
        ("00 T cudaMemcpy", " U cudaMemcpy"),
        ("00 T _ZN3kit12DeviceBufferIcE7copy_toE", "00 W _ZN3kit12DeviceBufferIcE7copy_toE"),
        ("00 W _ZN3abc1fEv", " U _ZN3abc1fEv"),
    ],
)
def test_an_object_file_must_not_ask_for_or_define_these(
    strict: Lab, symbols: str, reserved: str
) -> None:
    assert "the file" in find(strict, HONEST, symbols=symbols, reserved=reserved)


@pytest.mark.parametrize(
    ("symbols", "reserved"),
    [
        ("00 T _ZN4demo6globalEv", " w _ZN4demo6globalEv"),  # an entry point is asked for weakly
        ("00 W _ZNSt6vectorIiED2Ev", "00 W _ZNSt6vectorIiED2Ev"),  # both have the template
        ("00 t fork\n00 b open", ""),  # small letters: names of the file's own
        (" U exit\n U abort\n U printf\n U __cxa_atexit", ""),
        ("00 R __fatbinwrap_1\n00 T __cudaRegisterLinkedBinary_1", ""),  # nvcc's own
    ],
)
def test_honest_symbols_are_let_through(strict: Lab, symbols: str, reserved: str) -> None:
    assert find(strict, HONEST, symbols=symbols, reserved=reserved) == ""


def test_a_stage_that_forbids_nothing_is_held_to_the_rules_for_all(strict: Lab) -> None:
    found = find_forbidden(strict, "std::sort(a, b);", "", "", "")
    assert list(found) == [strict.stages[0].name]
    found = find_forbidden(strict, 'asm("nop");', "", "", "")
    assert list(found) == [stage.name for stage in strict.stages]


def test_an_unknown_group_is_an_error_of_the_manifest(checkout: object) -> None:
    path = checkout.labs / "01-demo" / "lab.toml"  # type: ignore[attr-defined]
    text = path.read_text().replace("hints =", 'forbids = ["magic"]\nhints =', 1)
    path.write_text(text)
    with pytest.raises(manifest.UsageError, match="magic"):
        manifest.load(path)
