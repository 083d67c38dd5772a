"""Check mode: the seeded bugs of check/*.cu are reported with kind and lines, twins are silent."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grader.cpu.compiler import driver
from grader.machine.requirements import find_clang
from grader.tests import choice, seeded
from grader.tests.built_once import built_once, runtime

TESTS = Path(__file__).resolve().parent / "check"
CPU = Path(__file__).resolve().parents[1] / "cpu"


pytestmark = pytest.mark.reads("cpu backend", "grader/tests/check")

DEFAULT_COMPILER = os.environ.get("CXX", "g++")
EXIT_WITH_FINDINGS = 86
FAILING = {"error", "race", "memory", "uninitialised", "barrier", "assert", "trap"}
PROGRAMS = sorted(path.stem for path in TESTS.glob("*.cu") if path.stem != "interface")


def marks(program: str) -> dict[str, tuple[str, list[str]]]:
    return seeded.marks(TESTS / f"{program}.cu")


def cases(program: str) -> list[str]:
    return seeded.names("CASE", TESTS / f"{program}.cu")


# The kinds of findings, at least one of each. The others are more of the same, as outsiders write
# them, for changes of the checker: to compile one takes two seconds.
EVERY_DAY = {"asynchrony", "barriers", "copies", "flags", "global_races", "heap", "lanes",
             "local_arrays", "outside", "shared_races", "uninitialised", "warp_races"}  # fmt: skip
IN_EACH_ORDER = {"shared_races", "global_races"}
WHEN_IT_CHANGES = pytest.mark.exhaustive("grader/cpu", "grader/tests/check")


def each(found: list[tuple[str, ...]]) -> list[Any]:
    return [pytest.param(*one, marks=() if one[0] in EVERY_DAY else WHEN_IT_CHANGES)
            for one in found]  # fmt: skip


def each_order(order: str) -> list[Any]:
    often = EVERY_DAY if order == "reverse" else IN_EACH_ORDER
    return [pytest.param(program, order, marks=() if program in often else WHEN_IT_CHANGES)
            for program in PROGRAMS]  # fmt: skip


BUGS = [(program, case) for program in PROGRAMS for case in marks(program)]
TWINS = [(program, case) for program in PROGRAMS for case in cases(program)]


def build(names: list[str], compiler: str, mode: str = "check") -> dict[str, Path]:
    """Each program once."""
    flags = ["--mode", mode, "-Wall", "-Wextra"]
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(2) as pool:
        patch.setenv("CXX", compiler)
        library = runtime(mode, compiler)

        def build_one(name: str) -> Path:
            source = TESTS / f"{name}.cu"
            return built_once(
                name, [source, TESTS / "case.cuh"], library, (flags, compiler),
                lambda program: driver.link_program([source], program, flags, library),
            )  # fmt: skip

        return dict(zip(names, pool.map(build_one, names), strict=True))


@pytest.fixture(scope="session")
def programs(request: pytest.FixtureRequest) -> dict[str, Path]:
    items = (getattr(item, "callspec", None) for item in request.session.items)
    wanted = {item.params.get("program") for item in items if item}
    often = [name for name in PROGRAMS if name in wanted or name in EVERY_DAY]
    return build([*often, "interface"], DEFAULT_COMPILER)


# The newest that is here; EVERY_CLANG=1 takes the oldest, too, whose build is another minute.
CLANGS = ["clang++-16", "clang++-19"]
# clang copies a float4 in smaller parts, each of which is aligned, and does not say in time how
# large a local array is. Of the host's reads of a local variable it says nothing.
UNSEEN_WITH_CLANG = {"misaligned_float4", "local_array_too_short", "unwritten_in_an_array",
                     "local_past_end", "stack_target", "stream_past_local",
                     "one_row_more_in_a_stream", "one_row_more_into_an_array",
                     "one_row_more_from_an_array", "one_slice_more",
                     "rows_past_array", "shift_too_far", "one_neighbour_too_many",
                     "by_one_line",
                     "row_past_matrix", "tap_too_many", "sixth_of_five_taps",
                     "pixel_misaligned",
                     "sum_read_early", "result_without_the_flag",
                     "only_the_last_synchronised",
                     "read_by_many_swapped_by_one",
                     "row_of_ten_as_fours", "result_copied_to_the_pointer"}  # fmt: skip
if os.environ.get("EVERY_CLANG") != "1":
    CLANGS = [find_clang() or CLANGS[0]]


@pytest.fixture(scope="session", params=CLANGS, ids=lambda path: Path(path).name)
def programs_of_clang(request: pytest.FixtureRequest) -> dict[str, Path]:
    if not shutil.which(request.param):
        pytest.skip(f"no {request.param}")
    return build([*PROGRAMS, "interface"], request.param)


def run(program: Path, *words: str, order: str = "forward") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WARPWISE_ORDER": order, "WARPWISE_SEED": "5"}
    if program.name == "two_devices":
        environment["WARPWISE_DEVICE"] = "devices=2"
    return subprocess.run(
        [str(program), *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


def findings(output: str) -> dict[str, list[str]]:
    """Kind -> texts. The runtime's own kind "warp" is a barrier, and its warnings are warnings."""
    found = defaultdict(list)
    for kind, text in re.findall(r"^warpwise: (\w+): (.*)$", output, re.MULTILINE):
        kind = "warning" if text.startswith("warning: ") else kind.replace("warp", "barrier")
        found[kind.replace("barriering", "warning")].append(text)
    return found


def test_program_can_ask_for_the_findings(programs):
    done = run(programs["interface"])
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@WHEN_IT_CHANGES
def test_without_the_checker_nothing_is_found():
    programs = build(["interface"], DEFAULT_COMPILER, mode="run")
    assert run(programs["interface"]).returncode == 0


def test_there_are_bugs_enough():
    assert len(BUGS) >= 40


def assert_bug_is_reported(program: Path, case: str) -> None:
    kind, places = marks(program.name)[case]
    done = run(program, case, "bug")
    texts = findings(done.stderr)[kind]
    named = [text for text in texts if all(re.search(rf"{p}\b", text) for p in places)]
    assert named, f"{case}: {kind} at {places} expected:\n{done.stderr}"
    failed = FAILING & findings(done.stderr).keys()
    assert done.returncode == (EXIT_WITH_FINDINGS if failed else 0), done.stderr
    assert (kind in FAILING) == bool(failed)


def assert_twin_is_silent(program: Path, case: str, order: str = "forward") -> None:
    done = run(program, case, "twin", order=order)
    assert (done.returncode, done.stderr) == (0, ""), case


@pytest.mark.parametrize(("program", "case"), each(BUGS))
def test_bug_is_reported_with_kind_and_lines(programs, program, case):
    assert_bug_is_reported(programs[program], case)


@pytest.mark.parametrize(("program", "case"), each(TWINS))
def test_twin_is_silent(programs, program, case):
    assert_twin_is_silent(programs[program], case)


@WHEN_IT_CHANGES
@pytest.mark.parametrize(("program", "case", "why"), [
    ("clusters", "right_before_it_begins", "may not have begun: call cluster.sync() before"),
    ("clusters", "right_after_it_left", "may have left the kernel: call cluster.sync() at its end"),
])  # fmt: skip
def test_who_uses_what_a_block_does_not_have_hears_why(programs, program, case, why):
    assert f"of the cluster {why}" in run(programs[program], case, "bug").stderr


@pytest.mark.exhaustive("grader/cpu", "grader/tests/check")
@pytest.mark.parametrize("program", PROGRAMS)
def test_clang_finds_what_gcc_finds(programs_of_clang, program):
    for case in marks(program):
        if case not in UNSEEN_WITH_CLANG:
            assert_bug_is_reported(programs_of_clang[program], case)
    for case in cases(program):
        assert_twin_is_silent(programs_of_clang[program], case)


IN_LIBRARY = """#include <algorithm>
__global__ void k(const int *a, int *out, int i) {
  int best = 0;
  best =
      std::max(best,
               a[i]);
  out[0] = best;
}
int main(int count, char **) {
  int *p, *q;
  cudaMalloc(&p, 8);
  cudaMalloc(&q, 4);
  cudaMemset(p, 0, 8);
  k<<<1, 1>>>(p, q, count);
  cudaDeviceSynchronize();
  cudaFree(p);
  cudaFree(q);
}
"""


@pytest.mark.parametrize(
    "compiler", ["g++", pytest.param("clang++-16", marks=pytest.mark.exhaustive("grader/cpu"))]
)
def test_a_read_in_a_function_of_the_library_has_the_line_of_the_call(tmp_path, compiler):
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    source = tmp_path / "reads.cu"
    source.write_text(IN_LIBRARY)
    flags = ["--mode", "check", "--expt-relaxed-constexpr"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CXX", compiler)
        driver.link_program([source], tmp_path / "p", flags, runtime("check", compiler))
    twin = subprocess.run([tmp_path / "p"], capture_output=True, text=True, check=False)
    assert (twin.returncode, twin.stderr) == (0, "")
    bug = subprocess.run([tmp_path / "p", "x"], capture_output=True, text=True, check=False)
    assert re.search(r"reads 4 bytes past its end at reads\.cu:[456]$", bug.stderr, re.MULTILINE)


OF_CUBLAS = """#include <cublas_v2.h>
__global__ void fill(float *a) { a[threadIdx.x] = 1; }
int main(int count, char **) {
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  float *a, *c;
  cudaMalloc(&a, 256);
  cudaMalloc(&c, 256);
  cudaMemset(a, 0, 256);
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1, zero = 0;
  cudaDeviceSynchronize();
  fill<<<1, 64, 0, other>>>(a);
  if (count < 3) cudaStreamSynchronize(other);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a,
              count > 1 ? 12 : 8, a, 8, &zero, c, 8);
  cudaDeviceSynchronize();
  cublasDestroy(handle);
  cudaStreamDestroy(other);
  cudaFree(a);
  cudaFree(c);
}
"""


@WHEN_IT_CHANGES
def test_a_kernel_of_cublas_has_the_line_of_the_call(tmp_path):
    source = tmp_path / "blas.cu"
    source.write_text(OF_CUBLAS)
    driver.link_program([source], tmp_path / "p", ["--mode", "check"], runtime("check", "g++"))
    twin = run(tmp_path / "p")
    assert (twin.returncode, twin.stderr) == (0, "")
    bug = run(tmp_path / "p", "bug")
    assert bug.returncode == EXIT_WITH_FINDINGS
    assert re.search(r"kernel cublasSgemm.* past its end at blas\.cu:1[67]$", bug.stderr, re.M)
    early = run(tmp_path / "p", "bug", "early")
    assert re.search(r"blas\.cu:2; kernel cublasSgemm launched at blas\.cu:1[67] in .* reads at "
                     r"blas\.cu:1[67];", early.stderr), early.stderr  # fmt: skip


OF_OWN_NEW = """#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>
static long live;
void *operator new(std::size_t bytes) { ++live; return std::malloc(bytes + 64); }
void operator delete(void *block) noexcept { if (block) --live; std::free(block); }
void operator delete(void *block, std::size_t) noexcept { if (block) --live; std::free(block); }
__global__ void twice(int *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) p[i] *= 2;
}
int main(int count, char **) {
  std::vector<int> values(1000, 21);
  int *p;
  cudaMalloc(&p, 4000);
  cudaMemcpy(p, values.data(), 4000, cudaMemcpyHostToDevice);
  twice<<<4, 256>>>(p, count > 1 ? 1000 : 999);
  cudaMemcpy(values.data(), p, 4000, cudaMemcpyDeviceToHost);
  cudaFree(p);
  std::printf("%d %s\\n", values[999], live > 0 ? "live" : "none");
}
"""


def test_a_program_that_replaces_new_allocates_for_the_checker_as_well(tmp_path):
    source = tmp_path / "own.cu"
    source.write_text(OF_OWN_NEW)
    driver.link_program([source], tmp_path / "p", ["--mode", "check"], runtime("check", "g++"))
    twin = run(tmp_path / "p")
    assert (twin.returncode, twin.stdout, twin.stderr) == (0, "42 live\n", "")
    bug = run(tmp_path / "p", "bug")
    assert re.search(r"4 bytes past its end at own\.cu:11$", bug.stderr, re.M), bug.stderr


# Beside that: a helper with a header before each block, which a lock and an atomic guard.
OF_NEW_WITH_HELPERS = """#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>
struct Header { std::size_t bytes; long number; };
static std::atomic<long> live{0};
static volatile long most;
static std::mutex lock;
static void *with_header(std::size_t bytes) {
  const std::lock_guard<std::mutex> hold(lock);
  auto *head = static_cast<Header *>(std::malloc(sizeof(Header) + bytes));
  head->bytes = bytes;
  head->number = ++live;
  if (head->number > most) most = head->number;
  return head + 1;
}
static void give_back(void *p) {
  if (!p) return;
  Header *head = static_cast<Header *>(p) - 1;
  if (head->number > most) std::puts("odd");
  --live;
  std::free(head);
}
void *operator new(std::size_t bytes) { return with_header(bytes); }
void *operator new[](std::size_t bytes) { return with_header(bytes); }
void operator delete(void *p) noexcept { give_back(p); }
void operator delete(void *p, std::size_t) noexcept { give_back(p); }
void operator delete[](void *p) noexcept { give_back(p); }
void operator delete[](void *p, std::size_t) noexcept { give_back(p); }
__global__ void sum(const int *in, int *out, int n) {
  __shared__ int s[128];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) s[t] += s[t + half];
  }
  if (t == 0) atomicAdd(out, s[0] + __shfl_sync(1, 0, 0));
  if (i == 0) {
    int *own = new int(n);
    if (*own != n) printf("odd");
    delete own;
  }
}
int main(int count, char **) {
  std::vector<int> host(1000, 2);
  int *in, *out, result = 0;
  cudaMalloc(&in, 4000);
  cudaMalloc(&out, 4);
  cudaMemset(out, 0, 4);
  cudaMemcpy(in, host.data(), 4000, cudaMemcpyHostToDevice);
  cudaStream_t s;
  cudaStreamCreate(&s);
  sum<<<8, 128, 0, s>>>(in, out, count > 1 ? 1001 : 1000);
  cudaStreamSynchronize(s);
  cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost);
  cudaStreamDestroy(s);
  cudaFree(in);
  cudaFree(out);
  std::printf("%d %s\\n", result, live > 0 ? "live" : "none");
}
"""


@pytest.mark.parametrize("mode", choice.first_of(1, ["check", "count", "run"], CPU))
def test_what_an_own_new_does_for_the_runtime_is_no_access_of_a_kernel(tmp_path, mode):
    source = tmp_path / "helped.cu"
    source.write_text(OF_NEW_WITH_HELPERS)
    driver.link_program([source], tmp_path / "p", ["--mode", mode], runtime(mode, "g++"))
    twin = run(tmp_path / "p")
    assert (twin.returncode, twin.stdout) == (0, "2000 live\n"), twin.stderr
    lines = [int(line) for line in re.findall(r"helped\.cu:(\d+)", twin.stderr)]
    assert bool(lines) == (mode == "count") and min(lines, default=99) >= 32, twin.stderr
    if mode == "check":
        bug = run(tmp_path / "p", "bug")
        assert re.search(r"4 bytes past its end at helped\.cu:35$", bug.stderr, re.M), bug.stderr


OF_STATIC = """#include <cstdio>
#include <stdexcept>
#include <thread>
int tries, value = 0;
int once(int n) {
  static const int first = [n] {
    if (++tries == 1) throw std::runtime_error("not yet");
    value = n;
    return n;
  }();
  return first;
}
int main() {
  try { once(1); } catch (const std::exception &) {}
  int seen[3];
  std::thread a([&] { seen[0] = once(2) == value; }), b([&] { seen[1] = once(3) == value; });
  seen[2] = once(4) == value;
  a.join();
  b.join();
  std::printf("%d %d\\n", tries, seen[0] + seen[1] + seen[2]);
}
"""


@pytest.mark.parametrize("flags", choice.first_of(1, [[], ["-static-libstdc++"]], CPU))
def test_a_static_variable_is_made_once_with_every_libstdcpp(tmp_path, flags):
    source = tmp_path / "once.cu"
    source.write_text(OF_STATIC)
    flags = ["--mode", "check", *flags]
    driver.link_program([source], tmp_path / "p", flags, runtime("check", "g++"))
    done = run(tmp_path / "p")
    assert (done.returncode, done.stdout, done.stderr) == (0, "2 3\n", "")


OF_ONCE = """#include <mutex>
#include <thread>
int main(int count, char **) {
  int *x, *host;
  cudaMalloc(&x, 128);
  cudaMemset(x, 1, 128);
  cudaDeviceSynchronize();
  cudaMallocHost(&host, 128);
  std::once_flag once;
  const auto use = [&] {
    std::call_once(once, [&] {
      cudaStream_t s;
      cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
      cudaMemcpyAsync(host, x, 128, cudaMemcpyDeviceToHost, s);
      if (count == 1) cudaStreamSynchronize(s);
      cudaStreamDestroy(s);
    });
    return host[3];
  };
  int got[2];
  std::thread one([&] { got[0] = use(); }), two([&] { got[1] = use(); });
  one.join();
  two.join();
  if (got[0] != got[1]) return 1;
  cudaFree(x);
  cudaFreeHost(host);
}
"""
LATE = """#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>
extern "C" int pthread_once(pthread_once_t *once, void (*run)()) {
  static auto real = reinterpret_cast<int (*)(pthread_once_t *, void (*)())>(
      dlsym(RTLD_NEXT, "pthread_once"));
  const int result = real(once, run);
  usleep(50'000);
  return result;
}
"""


def test_what_was_done_once_is_told_before_the_others_wake(tmp_path):
    """The thread that did it may lose its processor as soon as they are awake."""
    source, late = tmp_path / "once.cu", tmp_path / "late.cpp"
    source.write_text(OF_ONCE)
    late.write_text(LATE)
    subprocess.run(["g++", "-shared", "-fPIC", late, "-o", tmp_path / "late.so"], check=True)
    driver.link_program([source], tmp_path / "p", ["--mode", "check"], runtime("check", "g++"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LD_PRELOAD", str(tmp_path / "late.so"))
        twin, bug = run(tmp_path / "p"), run(tmp_path / "p", "bug")
    assert (twin.returncode, twin.stderr) == (0, "")
    assert re.search(r"stream 1 .*writes at once\.cu:14; the host reads at once\.cu:18", bug.stderr)


# What a program may ask of its own functions while it is compiled.
OF_ITSELF = """#include <cstdio>
#include <cstdlib>
#include <cstring>
template <int> struct Number {};
template <class T>
constexpr bool folds = requires { typename Number<__builtin_memcmp("a", "a", sizeof(T))>; };
constexpr bool same = __builtin_memcmp("one", "one", 3) == 0 && std::memcmp("one", "two", 3) < 0;
__device__ int twice(int x) { return 2 * x; }
int main() {
  char a[4] = "abc", b[4];
  std::printf("%d%d%d%d%d%d%d%d%d%d", noexcept(memcpy(b, a, 1)), noexcept(std::memcpy(b, a, 1)),
              noexcept(memset(b, 0, 1)), noexcept(memmove(b, a, 1)), noexcept(memcmp(b, a, 1)),
              noexcept(std::memcmp(b, a, 1)), noexcept(__builtin_memcmp(b, a, 1)), folds<char>,
              same, noexcept(twice(1)));
  std::memcpy(b, a, 4);
  return memcmp(a, b, 4);
}
"""


def test_a_program_hears_the_same_of_its_functions_in_each_mode(tmp_path):
    source = tmp_path / "own.cu"
    source.write_text(OF_ITSELF)
    for mode in ("run", "check"):
        driver.link_program([source], tmp_path / mode, ["--mode", mode], runtime(mode, "g++"))
    plain, checked = (run(tmp_path / mode) for mode in ("run", "check"))
    assert (plain.returncode, plain.stdout) == (0, "1111111110")
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, plain.stdout, "")


# cuda::atomic becomes these functions of the compiler. Only a release publishes what came before.
IN_ORDER = """__device__ int data, flag;
__global__ void hand_over(int *turn, int *out, bool bug) {
  const bool first = atomicAdd(turn, 1) == 0;
  if (first) {
    data = 7;
    if (bug) __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
    else __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  } else {
    while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0) {}
    *out = data;
  }
}
int main(int count, char **) {
  int *turn, *out;
  cudaMalloc(&turn, 4);
  cudaMalloc(&out, 4);
  cudaMemset(turn, 0, 4);
  hand_over<<<2, 1>>>(turn, out, count > 1);
  cudaDeviceSynchronize();
  cudaFree(turn);
  cudaFree(out);
}
"""


def test_an_atomic_with_release_publishes_and_a_relaxed_one_does_not(tmp_path):
    source = tmp_path / "order.cu"
    source.write_text(IN_ORDER)
    driver.link_program([source], tmp_path / "p", ["--mode", "check"], runtime("check", "g++"))
    for order in ("forward", "reverse", "random"):
        twin = run(tmp_path / "p", order=order)
        assert (twin.returncode, twin.stderr) == (0, "")
        bug = run(tmp_path / "p", "bug", order=order)
        both = r"race: variable data .*order\.cu:5;.*order\.cu:10;"
        assert re.search(both, bug.stderr), bug.stderr


# No seeded bugs: the first ends by a signal, the second nvcc refuses, of the third the words count.
OF_FLOATS = """__device__ int twice(int x) { return 2 * x; }
struct Job { int (*step)(int); int more; };
struct Weights { float values[9000]; };
__global__ void make(Job *job, bool bug) {
  *job = {twice, 1};
  if (bug) reinterpret_cast<float *>(job)[0] = reinterpret_cast<float *>(job)[1] = 1.5f;
}
__global__ void work(const Job *job, int *out) {
  *out = job->step(3) + job->more;
}
__global__ void weigh(Weights weights, int *out) { *out = weights.values[0]; }
int main(int count, char **) {
  static Weights weights;
  Job *job;
  int *out;
  cudaMalloc(&job, sizeof *job);
  cudaMalloc(&out, 4);
  if (count == 3) weigh<<<1, 1>>>(weights, out);
  if (count == 4) cudaMemset2D(job, 16, 0, 16, 5);
  make<<<1, 1>>>(job, count == 2);
  work<<<1, 1>>>(job, out);
  cudaDeviceSynchronize();
  cudaFree(job);
  cudaFree(out);
}
"""


@pytest.mark.exhaustive("grader/cpu")
def test_a_call_at_no_address_too_many_arguments_and_rows_have_their_lines(tmp_path):
    source = tmp_path / "floats.cu"
    source.write_text(OF_FLOATS)
    driver.link_program([source], tmp_path / "p", ["--mode", "check"], runtime("check", "g++"))
    twin = run(tmp_path / "p")
    assert (twin.returncode, twin.stderr) == (0, "")
    bug = run(tmp_path / "p", "bug")
    assert bug.returncode == -signal.SIGSEGV
    assert "calls a function at an address that cannot exist at floats.cu:9\n" in bug.stderr
    large = run(tmp_path / "p", "large", "arguments").stderr
    rows = run(tmp_path / "p", "more", "rows", "set").stderr
    assert "floats.cu:19: 5 rows are set, and the memory ends after 1;" in rows
    assert "kernel weigh at floats.cu:18: more than 32,764 bytes of arguments: put" in large


# The words count: what the runtime allocates while a kernel runs may lie just before a block of the
# host, which is no reason to speak of an index past its end.
OF_THE_HOST = """#include <cstdlib>
struct Mesh { int n; float *x; };
__global__ void shift(const Mesh *mesh) {
  if (threadIdx.x < mesh->n) mesh->x[threadIdx.x] += 1;
}
int main(int count, char **) {
  void *holes[600];
  for (int i = 0; i < 600; ++i) holes[i] = std::malloc(600 - i);
  float *of_host = static_cast<float *>(std::malloc(128)), *of_device;
  void *after = std::malloc(2000);
  for (void *hole : holes) std::free(hole);
  Mesh *mesh;
  cudaMalloc(&mesh, sizeof *mesh);
  cudaMalloc(&of_device, 132);
  cudaMemset(of_device, 0, 132);
  cudaMemcpy(of_host, of_device, 128 + 4 * (count > 2), cudaMemcpyDeviceToHost);
  const Mesh made{32, count == 2 ? of_host : of_device};
  cudaMemcpy(mesh, &made, sizeof made, cudaMemcpyHostToDevice);
  shift<<<1, 32>>>(mesh);
  cudaDeviceSynchronize();
  cudaFree(mesh);
  cudaFree(of_device);
  std::free(of_host);
  std::free(after);
}
"""


@pytest.mark.exhaustive("grader/cpu")
def test_a_block_of_the_host_has_its_size_and_line_whatever_lies_before_it(tmp_path):
    source = tmp_path / "mesh.cu"
    source.write_text(OF_THE_HOST)
    driver.link_program([source], tmp_path / "p", ["--mode", "check"], runtime("check", "g++"))
    twin = run(tmp_path / "p")
    assert (twin.returncode, twin.stderr) == (0, "")
    block = "in a heap block of 128 bytes allocated at mesh.cu:9"
    bug = run(tmp_path / "p", "used").stderr
    assert "warpwise: memory: host memory: kernel shift, " in bug and f"mesh.cu:4, {block};" in bug
    long = run(tmp_path / "p", "copied", "further").stderr
    assert f"uses 132 bytes of the host's target, which has 128, {block}\n" in long


@pytest.mark.exhaustive("grader/cpu", "grader/tests/check")
def test_programs_of_clang_can_ask_for_the_findings(programs_of_clang):
    done = run(programs_of_clang["interface"])
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize(("program", "order"), [*each_order("reverse"), *each_order("random")])
def test_verdict_does_not_depend_on_the_order_of_threads(programs, program, order):
    for case, (kind, _) in marks(program).items():
        assert findings(run(programs[program], case, "bug", order=order).stderr)[kind], case
    for case in cases(program):
        assert_twin_is_silent(programs[program], case, order)


def test_same_report_every_time(programs):
    first = run(programs["shared_races"], "reduce_256", "bug").stderr
    assert first == run(programs["shared_races"], "reduce_256", "bug").stderr
