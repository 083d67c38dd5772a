"""A kernel of several blocks that never asks for its block is the likely cause; a twin is not."""

import pytest

from grader.base.checkout import Checkout
from grader.lab_file import manifest
from grader.study import block_index

pytestmark = [pytest.mark.reads("grader/study", "reference"), pytest.mark.unit]

FILE = """#include <cuda_runtime.h>
// BEGIN STAGE 1 global: idea (about 9 lines)
{before}
__global__ void __launch_bounds__(256) count(const float* in, float* out, int n) {{
  const int i = {index};  // blockIdx in a comment is none
  if (i < n) {{ out[i] = in[i]; }}
}}
// END STAGE 1
// BEGIN STAGE 2 other: idea (about 9 lines)
__global__ void other(float* out) {{ out[blockIdx.x] = 1; }}
void more(float* out) {{ other<<<7, 1>>>(out); }}
// END STAGE 2
void global(const float* in, float* out, int n) {{
  // BEGIN STAGE 1 global: idea (about 9 lines)
  {launch};
  // END STAGE 1
}}
"""
MANY = "count<<<(n + 255) / 256, 256>>>(in, out, n)"
WITHOUT, WITH = "threadIdx.x", "blockIdx.x * blockDim.x + threadIdx.x"
RACE = ("global(in, out, 512): global memory out[6]: kernel count: block (0,0,0) writes at a.cu:5; "
        "block (1,0,0) writes at a.cu:5; blocks are not ordered within a launch\nmore")  # fmt: skip


def cause(
    index: str = WITHOUT, launch: str = MANY, before: str = "", verdict: str = "wrong answer",
    message: str = "global(in, out, 512): nothing was written to index 300", name: str = "global",
) -> tuple[str, ...]:  # fmt: skip
    source = FILE.format(index=index, launch=launch, before=before)
    return block_index.forgotten({"name": name, "verdict": verdict, "message": message}, "a.cu",
                                 source)  # fmt: skip


@pytest.mark.parametrize("launch", [
    MANY, "count<<<blocks, 256>>>(in, out, n)", "count<<<dim3(blocks), 256>>>(in, out, n)",
    "count <<< kit::ceil_div(n, kBlock), kBlock >>> (in, out, n)",
])  # fmt: skip
def test_a_kernel_that_never_asks_for_its_block_is_named(launch: str) -> None:
    for verdict, message in (("wrong answer", "x"), ("race", RACE), ("not attempted", "")):
        [said] = cause(launch=launch, verdict=verdict, message=message)
        assert said.startswith("count never reads blockIdx, so every block does what the first")


@pytest.mark.parametrize("twin", [
    {"index": WITH},
    {"index": "atomicAdd(&next, 1) + threadIdx.x"},  # blocks take their work from a counter
    {"index": "0"},  # not even a thread is asked for
    {"launch": "count<<<1, 256>>>(in, out, n)"},
    {"launch": "count<<<dim3(1), 256>>>(in, out, n)"},
    {"launch": "const int blocks = 1; count<<<blocks, 256>>>(in, out, n)"},
    {"launch": "dim3 grid(1); count<<<grid, 256>>>(in, out, n)"},
    {"index": "mine()", "before": "__device__ int mine() { return blockIdx.x + threadIdx.x; }"},
    {"index": "ME + 0 * threadIdx.x", "before": "#define ME (blockIdx.x * blockDim.x)"},
    {"index": "threadIdx.x", "verdict": "crashed"},
    {"verdict": "race", "message": RACE.replace("blocks are not ordered", "no barrier")},
    {"verdict": "race", "message": RACE.replace("kernel count", "kernel counts")},
    {"name": "other"},
])  # fmt: skip
def test_who_asks_or_needs_not_ask_is_not_named(twin: dict[str, str]) -> None:
    assert cause(**twin) == ()


def test_a_file_whose_marks_are_damaged_has_no_such_cause() -> None:
    broken = FILE.format(index=WITHOUT, launch=MANY, before="").replace("// END STAGE 1\n", "")
    assert (
        block_index.forgotten(
            {"name": "global", "verdict": "wrong answer", "message": ""}, "a.cu", broken
        )
        == ()
    )


@pytest.mark.longer
def test_no_reference_and_no_wrong_file_with_another_mistake_is_blamed_for_it() -> None:
    """Whatever verdict a stage of them gets, this is not the cause."""
    for lab in manifest.discover(Checkout.here()):
        folder = Checkout.here().reference / lab.name
        for path in [*folder.glob("*.cu"), *folder.glob("*/*.cu")]:
            for stage in lab.stage_names:
                row = {"name": stage, "verdict": "wrong answer", "message": ""}
                assert block_index.forgotten(row, path.name, path.read_text()) == (), path


@pytest.mark.parametrize(("index", "named"), [
    ("blockIdx.x + threadIdx.x", True), ("threadIdx.x + blockIdx.x", True),
    ("blockIdx.x * gridDim.x + threadIdx.x", True), ("2 * (threadIdx.x + blockIdx.x) + 1", True),
    ("threadIdx.x+blockIdx.x*gridDim.x", True),
    (WITH, False), ("threadIdx.x + blockIdx.x * blockDim.x", False),
    ("blockDim.x * blockIdx.x + threadIdx.x", False), ("256*blockIdx.x+threadIdx.x", False),
    ("blockIdx.x + threadIdx.x * gridDim.x", False), ("threadIdx.x + blockIdx.x * 256", False),
    ("i; // blockIdx.x + threadIdx.x", False), ("blockIdx.x + threadIdx.y", False),
])  # fmt: skip
def test_an_index_without_the_size_of_a_block_is_named(index: str, named: bool) -> None:
    source = FILE.format(index=index, launch=MANY, before="")
    for verdict, tells in (("wrong answer", named), ("race", named), ("crashed", False)):
        stage = {"name": "global", "verdict": verdict, "message": ""}
        said = block_index.miscounted(stage, "a.cu", source)
        assert bool(said) == tells and (not said or "(line 5)" in said[0])
    assert not block_index.miscounted({**stage, "verdict": "race", "name": "other"}, "a.cu", source)


APART = """__global__ void mine(float* out) {{
  {code}
}}
__global__ void other(float* out) {{ const int i = blockIdx.x + threadIdx.x; }}
void b(float* out) {{
  // BEGIN STAGE 1 global: idea (about 9 lines)
  {launch}<<<9, 9>>>(out);
  // END STAGE 1
}}
"""


def test_a_kernel_outside_of_the_marks_belongs_to_the_stage_that_launches_it() -> None:
    stage = {"name": "global", "verdict": "wrong answer", "message": ""}
    for code, launch, line in (("out[blockIdx.x + threadIdx.x] = 1;", "mine", 2),
                               ("out[threadIdx.x] = 1;", "other", 4),
                               ("out[threadIdx.x] = 1;", "mine", 0)):  # fmt: skip
        said = block_index.miscounted(stage, "a.cu", APART.format(code=code, launch=launch))
        assert [f"(line {line})" in cause for cause in said] == [True] * (line > 0)
