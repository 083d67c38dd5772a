"""Libraries on the CPU: thrust and cuda::std from their package; what is left out is named."""

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from grader.base.errors import UsageError
from grader.compiling import outside
from grader.cpu.compiler import driver
from grader.machine import hardware
from grader.programs import cccl
from grader.tests import seeded
from grader.tests.built_once import runtime
from grader.tests.test_run import lab_run

pytestmark = pytest.mark.reads("cpu backend", "grader/programs")

OWN = ("atomic", "barrier", "pipeline")
HERE = Path(sysconfig.get_path("purelib"))
PROGRAM = """
#include <cuda/atomic>
#include <cuda/std/array>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <cstdio>

__global__ void add(int *values, int n, int *count) {
  const cuda::std::array<int, 2> steps{1, 2};
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  values[i] += steps[1];
  cuda::atomic_ref<int, cuda::thread_scope_device>(*count).fetch_add(1);
}
int main() {
  thrust::device_vector<int> values(1000), count(1, 0);
  thrust::sequence(values.begin(), values.end());
  add<<<4, 256>>>(thrust::raw_pointer_cast(values.data()), 1000,
                  thrust::raw_pointer_cast(count.data()));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  thrust::sort(thrust::device, values.begin(), values.end());
  thrust::sort(thrust::cuda::par.on(stream), values.begin(), values.end(), thrust::greater<int>());
  const int most = values[0], adds = count[0];
  std::printf("%d %d %d\\n", thrust::reduce(values.begin(), values.end()), most, adds);
}
"""


def headers() -> Path | None:
    """Those of the package, or of the toolkit that nvcc belongs to."""
    nvcc = Path(shutil.which("nvcc") or "nowhere").resolve()
    toolkit = [nvcc.parents[1] / "include" / "cccl"] if nvcc.is_file() else []
    found = [*(path.parent for path in HERE.glob("nvidia/*/include/cccl/thrust")), *toolkit]
    return next((folder for folder in found if (folder / "thrust").is_dir()), None)


@pytest.mark.skipif(headers() is None, reason=f"no {cccl.PACKAGE} here, and no toolkit")
def test_nvidias_own_headers_serve(tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text(PROGRAM)
    done = lab_run(tmp_path, "p.cu", "-O1")
    assert (done.returncode, done.stdout) == (0, "501500 1001 1000\n"), done.stderr


MIXED = """
#include <cstdio>
#include <cstdlib>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
struct Twice : thrust::unary_function<int, int> {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};
__global__ void square(int *p, int n) {
  if (threadIdx.x < n) p[threadIdx.x] *= p[threadIdx.x];
}
int main(int, char **arguments) {
  thrust::device_vector<int> d(100, 3);
  int *data = thrust::raw_pointer_cast(d.data()), last = 0;
  square<<<1, 128>>>(data, std::atoi(arguments[1]));
  const int sum = thrust::reduce(d.begin(), d.end());
  int *raw, first = 0;
  cudaMalloc(&raw, 100 * sizeof(int));
  thrust::fill_n(thrust::device, raw, 100, 1);
  thrust::inclusive_scan(thrust::device, raw, raw + 100, raw);
  thrust::device_ptr<int> pointer(raw);
  cudaMemcpy(&first, raw + 2, sizeof first, cudaMemcpyDeviceToHost);
  if (first != 3 || thrust::reduce(pointer, pointer + 100) != 5050) return 1;
  cudaFree(raw);
  cudaMemcpy(&last, data + 99, sizeof last, cudaMemcpyDeviceToHost);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  thrust::sort(d.begin(), d.end());
  cudaEventRecord(end);
  thrust::host_vector<int> all = d;  // a copy, which waits
  float milliseconds;
  if (cudaEventElapsedTime(&milliseconds, begin, end)) return 1;
  std::printf("%d %d %d\\n", sum, last, all[0]);
}
"""


PAST_A_VECTOR = """#include <cstdlib>
#include <thrust/device_vector.h>
#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
int main(int, char **given) {
  const int which = std::atoi(given[1]), n = std::atoi(given[2]);
  thrust::device_vector<int> a(200, 1), b(100);
  if (which == 11) thrust::fill(b.begin(), b.begin() + n, 3);
  if (which == 12) thrust::copy(a.begin(), a.begin() + n, b.begin());
  if (which == 13) thrust::transform(a.begin(), a.begin() + n, b.begin(), thrust::negate<int>());
  if (which == 14) return thrust::reduce(b.begin(), b.begin() + n) == 1;
}
"""


@pytest.mark.exhaustive("grader/cpu", "grader/programs", "grader/tests/cccl")
@pytest.mark.skipif(headers() is None, reason=f"no {cccl.PACKAGE} here, and no toolkit")
def test_an_algorithm_that_goes_past_the_end_of_a_vector_is_told(tmp_path: Path) -> None:
    (tmp_path / "past.cu").write_text(PAST_A_VECTOR)
    for line, verb in {11: "writes", 12: "writes", 13: "writes", 14: "reads"}.items():
        twin = lab_run(tmp_path, "past.cu", "-O1", "--mode", "check", "--", str(line), "100")
        assert (twin.returncode, twin.stderr) == (0, "")
        bug = lab_run(tmp_path, "past.cu", "-O1", "--mode", "check", "--", str(line), "101")
        found = [said for said in bug.stderr.splitlines() if "warpwise: memory" in said]
        assert len(found) == 1 and f"{verb} " in found[0], bug.stderr
        assert found[0].endswith(f"past its end at past.cu:{line}")


@pytest.mark.exhaustive("grader/cpu", "grader/programs", "grader/tests/cccl")
@pytest.mark.skipif(headers() is None, reason=f"no {cccl.PACKAGE} here, and no toolkit")
def test_kernels_and_copies_use_the_memory_of_a_device_vector(tmp_path: Path) -> None:
    source, program = tmp_path / "mixed.cu", tmp_path / "mixed"
    source.write_text(MIXED)
    flags = ["--mode", "check", "--cccl", str(headers()), "-g"]
    driver.link_program([source], program, flags, runtime("check", "g++"))

    def run(count: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program, count], capture_output=True, text=True, check=False)

    twin, bug = run("100"), run("101")
    assert (twin.returncode, twin.stdout, twin.stderr) == (0, "900 9 9\n", "")
    assert bug.returncode == 86
    assert re.search(r"of a vector: .* past its end at mixed\.cu:14\b", bug.stderr)


@pytest.mark.unit
@pytest.mark.parametrize("quoted", ["<thrust/sort.h>", '"thrust/sort.h"'])
def test_what_is_missing_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quoted: str
) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / "nothing"))
    toolkit = tmp_path / "cuda"
    monkeypatch.setattr(hardware, "find_nvcc", lambda: str(toolkit / "bin" / "nvcc"))
    (tmp_path / "own.cuh").write_text(f"#include {quoted}\n")
    (tmp_path / "p.cu").write_text('#include "own.cuh"\n')
    with pytest.raises(UsageError, match=f"<thrust/sort.h> comes with .*{cccl.PACKAGE}"):
        cccl.flags([str(tmp_path / "p.cu")])
    (toolkit / "include" / "cccl" / "thrust").mkdir(parents=True)
    headers = str(toolkit / "include" / "cccl")
    assert cccl.flags([str(tmp_path / "p.cu")]) == ["--cccl", headers]


@pytest.mark.unit
def test_a_program_without_these_libraries_gets_no_flags(tmp_path: Path) -> None:
    lines = ["<cuda_runtime.h>", '"missing.h"', *(f"<cuda/{own}>" for own in OWN)]
    (tmp_path / "p.cu").write_text("".join(f"#include {line}\n" for line in lines))
    assert cccl.flags([str(tmp_path / "p.cu")]) == []


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("a.cu:1:10: fatal error: cublasLt.h: No such file or directory", "(cublasLt.h)"),
        ("a.cu:1:10: fatal error: cub/grid/grid_queue.cuh: No such file or directory",
         "this part of cub (cub/grid/grid_queue.cuh)"),
        ("a.cu:9:8: error: ‘WarpLoad’ is not a member of ‘cub’; did you mean ‘BlockLoad’?",
         "this part of cub (cub::WarpLoad)"),
        ("a.cu:9:8: error: ‘cub::DeviceTransform’ has not been declared", "cub::DeviceTransform"),
        ("a.cu:1:10: fatal error: cuda/std/limits: No such file or directory",
         "have libcu++ (cuda/std/limits; C++'s own <limits> serves);"),
        ("a.cu:1:10: fatal error: cuda/std/mdspan: No such file or directory",
         "have libcu++ (cuda/std/mdspan);"),
        ("a.cu:1:10: fatal error: cuda/std/__config: No such file or directory",
         "have libcu++ (cuda/std/__config);"),
        ("a.cu:1:10: fatal error: thrust/sort.h: No such file or directory", "Thrust"),
        ("a.cu:1:10: fatal error: GL/glew.h: No such file or directory", "graphics (GL/glew.h)"),
        ("                 from /opt/include/cudaEGL.h:20,", "graphics (cudaEGL.h)"),
        ("In file included from /usr/include/cublasLt.h:6,\n from a.cu:1:", "(cublasLt.h)"),
        ("a.cu:9:3: error: ‘cuInit’ was not declared in this scope", "the driver API (cuInit)"),
        ("a.cu:9:3: error: ‘CUresult’ does not name a type", "the driver API (CUresult)"),
        ("a.cu:9:3: error: ‘cudaMipmappedArray_t’ does not name a type", "cube maps and mipmaps"),
        ("a.cu:9:3: error: ‘__fadd_ru’ was not declared in this scope; did you mean ‘__fadd_rn’?",
         "other rounding modes (__fadd_ru)"),
        ("a.cu:9:3: error: ‘__cvta_generic_to_shared’ was not declared in this scope",
         "a GPU's assembly, for which"),
        ("error: static assertion failed: cudaIpcGetMemHandle does not exist in CUDA on the CPU",
         "memory of other processes (cudaIpcGetMemHandle)"),
        ("a.cu:3: undefined reference to `cusparseCreate'", "have cuSPARSE;"),
        ("a.cu:3: undefined reference to `glutInit'", "have graphics;"),
        ("In file included from /p/include/cccl/cub/agent/a.cuh:6,\n from a.cu:1:", "of cub (cub"),
        ("a.cu:7:3: error: impossible constraint in ‘asm’", "(inline PTX at a.cu:7)"),
        ("a.cu:7:5: error: output constraint 0 must specify a single register", "at a.cu:7)"),
    ],
)
@pytest.mark.unit
def test_what_is_left_out_is_named_in_one_sentence(said: str, named: str) -> None:
    sentence = outside.sentence(f"{said}\nand 2,000 lines more\n")
    assert named in sentence and sentence.count("\n") == 0


@pytest.mark.parametrize(
    "said",
    [
        "a.cu:1:10: fatal error: own.h: No such file or directory",
        "In file included from /p/include/cccl/thrust/sort.h:6,\n from a.cu:1:\na.cu:3: error: no",
        "a.cu:9:3: error: ‘cudaMemcopy’ was not declared in this scope; did you mean ‘cudaMemcpy’?",
        "a.cu:3: undefined reference to `glance'",
        "a.cu:3:8: error: ‘DeviceRedce’ is not a member of ‘cub’; did you mean ‘DeviceReduce’?",
        "a.cu:9:3: error: ‘count’ was not declared in this scope",
        "a.cu:9:3: error: expected ‘;’ before ‘}’ token",
        "",
    ],
)
@pytest.mark.unit
def test_a_mistake_of_the_program_is_not_called_left_out(said: str) -> None:
    assert outside.sentence(said) == ""


OF_PINNED = """#include <thrust/device_vector.h>
#include <cstdio>
int main(int count, char **) {
  thrust::device_vector<int> d(256);
  int *h;
  cudaMallocHost(&h, 1024);
  for (int i = 0; i < 256; ++i) h[i] = i;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(thrust::raw_pointer_cast(d.data()), h, 1024, cudaMemcpyHostToDevice, s);
  if (count == 1) cudaStreamSynchronize(s);
  h[0] = 7;
  cudaStreamSynchronize(s);
  std::printf("%d\\n", int(d[255]));
  cudaStreamDestroy(s);
  cudaFreeHost(h);
}
"""


@pytest.mark.skipif(headers() is None, reason=f"no {cccl.PACKAGE} here, and no toolkit")
@pytest.mark.exhaustive("grader/cpu", "grader/programs", "grader/tests/cccl")
@pytest.mark.parametrize("arguments", [[], ["early"]])
def test_pinned_memory_that_a_copy_to_a_vector_reads_is_not_written(
    tmp_path: Path, arguments: list[str]
) -> None:
    (tmp_path / "p.cu").write_text(OF_PINNED)
    done = lab_run(tmp_path, "p.cu", "-O1", "--mode", "check", "--", *arguments)
    assert (done.returncode, done.stdout) == (len(arguments), "255\n"), done.stderr
    said = re.findall("warpwise: (race: .*)", done.stderr)
    assert len(said) == len(arguments) and all("p.cu:10" in s and "p.cu:12" in s for s in said)


SCOPES = Path(__file__).resolve().parent / "cccl" / "scopes.cu"
CASE_HEADER = SCOPES.parents[1] / "check" / "case.cuh"


@pytest.mark.exhaustive("grader/cpu", "grader/programs", "grader/tests/cccl")
@pytest.mark.parametrize("whose", ["our own", "NVIDIA's"])
def test_an_atomic_of_a_block_is_none_between_blocks(whose: str, tmp_path: Path) -> None:
    text = SCOPES.read_text().replace("../check/case.cuh", str(CASE_HEADER))
    if whose != "our own":
        if headers() is None:
            pytest.skip(f"no {cccl.PACKAGE} here, and no toolkit")
        text = "#include <cuda/std/array>" + text[text.index("\n") :]  # one of theirs
    (tmp_path / SCOPES.name).write_text(text)
    bugs = seeded.marks(SCOPES)
    for case in seeded.names("CASE", SCOPES):
        twin = lab_run(tmp_path, SCOPES.name, "--mode", "check", "--", case, "twin")
        assert (twin.returncode, twin.stdout) == (0, ""), twin.stderr
        assert "warpwise" not in twin.stderr
        if case in bugs:
            kind, places = bugs[case]
            bug = lab_run(tmp_path, SCOPES.name, "--mode", "check", "--", case, "bug")
            found = [line for line in bug.stderr.splitlines() if f"warpwise: {kind}" in line]
            assert bug.returncode == 1, case
            assert all(any(place in line for line in found) for place in places), bug.stderr
