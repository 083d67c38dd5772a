"""CUDA on the CPU: the programs in cpu/*.cu, built with cucc.py and run."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grader.cpu.compiler import driver
from grader.tests import choice
from grader.tests.built_once import built_once, runtime

TESTS = Path(__file__).resolve().parent / "cpu"
CPU = Path(__file__).resolve().parents[1] / "cpu"


pytestmark = pytest.mark.reads("cpu backend", "grader/tests/cpu", "grader/cpu/CMakeLists.txt")

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
SHELF = ["-I", str(CPU.parents[1] / "labs" / "kit")]  # what all labs share: shelf.cu


@pytest.fixture(scope="session")
def build():
    """build(NAME) -> the program of cpu/NAME.cu, compiled once per session."""
    library = runtime("run")
    built: dict[str, Path] = {}

    def build_one(name: str) -> Path:
        if name not in built:
            source, flags = TESTS / f"{name}.cu", [*WARNINGS, *SHELF]
            built[name] = built_once(
                name, TESTS.glob("*.cu*"), library, (name, flags),
                lambda program: driver.link_program([source], program, flags, library),
            )  # fmt: skip
        return built[name]

    build_one.library = library
    return build_one


def run(program: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(program), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def cucc_command(*arguments: object, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, str(CPU / "cucc.py"), *map(str, arguments)]
    return subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def line_of(file: str, mark: str) -> int:
    """The line of cpu/FILE that ends with a mark, such as `// LINE exit`."""
    for number, line in enumerate((TESTS / file).read_text().splitlines(), start=1):
        if line.rstrip().endswith(f"// {mark}"):
            return number
    raise AssertionError(f"{file} has no mark {mark}")


@pytest.mark.parametrize(
    "name",
    choice.first_of(6, ["vocabulary", "barriers", "shared", "errors", "control", "closed",
                        "order", "launches", "launch_arguments", "shelf", "clusters"], TESTS, CPU),
)  # fmt: skip
def test_program_finds_nothing_wrong(build, name):
    done = run(build(name))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("order", ["reverse", "random"])
@pytest.mark.parametrize("name", choice.first_of(
    3, ["vocabulary", "barriers", "shared", "launches", "shelf", "clusters"], TESTS, CPU
))  # fmt: skip
def test_correct_programs_are_right_in_every_order(build, name, order):
    done = run(build(name), WARPWISE_ORDER=order, WARPWISE_SEED="3")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("fault", "pattern"),
    [
        ("early", r"kernel triple, .*tagged_word\.hpp"),  # a word that nobody has stored
        ("many", r"kernel hand_on, .*neighbours\.hpp"),  # more blocks than counters
    ],
)
def test_the_shelf_ends_a_kernel_that_would_wait_for_ever(build, fault, pattern):
    done = run(build("shelf"), fault)
    assert done.returncode == 3 and "cudaErrorLaunchFailure" in done.stdout, done.stdout
    assert re.search(f"trap: {pattern}", done.stderr), done.stderr


ENDS_WITHOUT = """
#include <cstdio>
#include <cstring>
__device__ int later(int v) {
  if (v > 3) return v;
}
int on_host(int v) {
  if (v > 3) return v;
}
struct Owner {
  int *data = nullptr;
  Owner() { cudaMalloc(&data, 4); }
  ~Owner() { cudaFree(data); }
};
__global__ void k(int *p, int v) { p[0] = later(v); }
__global__ void owned(Owner owner) { owner.data[0] = 1; }
int main(int, char **arguments) {
  const auto asked = [&](const char *word) { return !std::strcmp(arguments[1], word); };
  int *p, h;
  cudaMalloc(&p, 4);
  k<<<1, 1>>>(p, asked("device") ? 1 : 5);
  if (asked("owned")) {
    Owner owner;
    owned<<<1, 1>>>(owner);
  }
  std::puts(cudaGetErrorName(cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost)));
  std::printf("%d\\n", on_host(asked("host") ? 2 : 5));
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);  // members of CUDA 12
  return properties.clockRate > 0 && properties.deviceOverlap ? 0 : 1;
}
"""


@pytest.mark.parametrize("mode", ["run", "check"])
def test_a_function_without_its_value_and_a_destructor_of_an_argument_are_named(tmp_path, mode):
    source, program = tmp_path / "ends.cu", tmp_path / "ends"
    source.write_text(ENDS_WITHOUT)
    driver.link_program([source], program, ["-w", "--mode", mode], runtime(mode))
    fine, device, host, owned = (run(program, word) for word in ("", "device", "host", "owned"))
    assert (fine.returncode, fine.stdout) == (0, "cudaSuccess\n5\n") and "error" not in fine.stderr
    ends = "comes to its end without a return value"
    assert f"error: kernel k: the function at ends.cu:4 {ends}" in named(device.stderr, source)
    assert "cudaErrorLaunchFailure" in device.stdout
    assert f"error: the function at ends.cu:7 {ends}" in named(host.stderr, source)
    assert host.returncode == -signal.SIGABRT
    assert "kernel owned gets an object by value whose destructor calls CUDA" in owned.stderr


def named(text: str, source: Path) -> str:
    return text.replace(str(source), source.name)


@pytest.mark.parametrize("workers", ["1", "2", "5"])
def test_any_number_of_workers_gives_the_same(build, workers):
    assert run(build("vocabulary"), WARPWISE_WORKERS=workers).returncode == 0


def test_environment_chooses_the_order(build):
    program = build("environment")
    assert run(program).stdout == "01234567\n"
    assert run(program, WARPWISE_ORDER="reverse").stdout == "76543210\n"
    shuffled = {
        seed: run(program, WARPWISE_ORDER="random", WARPWISE_SEED=seed).stdout
        for seed in ("1", "2")
    }
    assert shuffled["1"] != shuffled["2"]
    assert sorted(shuffled["1"].strip()) == list("01234567")
    assert run(program, WARPWISE_ORDER="random", WARPWISE_SEED="1").stdout == shuffled["1"]


def test_senseless_environment_is_one_sentence(build):
    done = run(build("environment"), WARPWISE_ORDER="backwards")
    assert done.returncode == 2
    assert (
        done.stderr
        == "warpwise: usage: WARPWISE_ORDER is 'backwards': set it to forward, reverse or random\n"
    )
    assert run(build("environment"), WARPWISE_WORKERS="0").returncode == 2


def test_environment_chooses_a_smaller_device(build):
    program = build("device")
    whole = ["16", "232448", "4194304", "1", "1"]
    assert run(program).stdout.split() == whole + 3 * ["cudaSuccess"]
    settings = "multiprocessors=2,shared=65536,l2=0,cooperative=0,pools=0"
    refused = ["cudaErrorInvalidValue", "cudaErrorNotSupported", "cudaErrorNotSupported"]
    small = run(program, WARPWISE_DEVICE=settings)
    assert small.stdout.split() == ["2", "65536", "0", "0", "0", *refused]
    assert run(program, WARPWISE_DEVICE="devices=2").returncode == 0
    for text in ("multiprocessors=0", "shared=9", "l2", "cores=4", "pools=two", "cooperative="):
        done = run(program, WARPWISE_DEVICE=text)
        assert done.returncode == 2 and f"WARPWISE_DEVICE is '{text}': set it to" in done.stderr


# fault, what CUDA would return, what the line on stderr says, marks whose lines it must name
REPORTED = [
    (
        "divergent",
        "cudaErrorLaunchFailure",
        "barrier: .*wait at different __syncthreads",
        ["divergent-1", "divergent-2"],
    ),
    ("deadlock", "cudaErrorLaunchFailure", "barrier: .*deadlock", ["deadlock-1", "deadlock-2"]),
    ("exit", "cudaSuccess", "barrier: warning: .*24 of 64 have left the kernel", ["exit"]),
    ("mask", "cudaErrorLaunchFailure", "warp: .*leaves out the calling lane 0", ["mask"]),
    (
        "different",
        "cudaErrorLaunchFailure",
        "warp: .*different functions or masks",
        ["different-1", "different-2"],
    ),
    ("absent", "cudaSuccess", "warp: warning: .*reads from lane 16", ["absent"]),
    (
        "static",
        "cudaErrorInvalidValue",
        r"shared: kernel static_shared<48<<10>.* 49152 bytes",
        ["static"],
    ),
]


@pytest.mark.parametrize(("fault", "error", "pattern", "marks"), REPORTED)
def test_fault_is_reported_in_one_line(build, fault, error, pattern, marks):
    done = run(build("faults"), fault, "fault")
    assert done.stdout == error + "\n"
    assert re.fullmatch(f"warpwise: {pattern}.*\n", done.stderr), done.stderr
    for mark in marks:
        assert f"faults.cu:{line_of('faults.cu', 'LINE ' + mark)}" in done.stderr


CRASHES = [
    (
        "null",
        signal.SIGSEGV,
        r"memory: kernel .*, block \(1,0,0\), thread \(5,0,0\): "
        r"invalid access at 0x24 at faults.cu:53",
    ),
    (
        "function",
        signal.SIGSEGV,
        r"memory: kernel .*, thread \(0,0,0\): calls a pointer that is no function's, \(nil\) "
        r"at faults.cu:103",
    ),
    (
        "unwritten",
        signal.SIGSEGV,
        r"memory: kernel .*: calls a pointer that is no function's, 0xf{16} at faults.cu:107",
    ),
    (
        "stack",
        signal.SIGSEGV,
        r"memory: kernel .*, block \(0,0,0\), thread \(0,0,0\): "
        r"stack overflow at faults.cu:5\d, .*",
    ),
    ("large", signal.SIGSEGV, r"memory: kernel .*: stack overflow at faults.cu:85, .*"),
    (
        "divide",
        signal.SIGFPE,
        r"arithmetic: kernel .*, block \(0,0,0\), thread \(3,0,0\): "
        r"integer division by zero at faults.cu:64",
    ),
    (
        "host",
        signal.SIGSEGV,
        r"memory: host code dereferences device pointer 0x\w+ at faults.cu:165: copy the data .*",
    ),
    # In the C library's function, and before the program has used the device.
    (
        "library",
        signal.SIGSEGV,
        r"memory: host code accesses \(nil\) at faults.cu:154: the program has no memory there",
    ),
    (
        "wild",
        signal.SIGSEGV,
        r"memory: kernel .*: invalid access at (an address that cannot exist|0x3f\w+) "
        r"at faults.cu:98",
    ),
    ("deep", signal.SIGSEGV, r"memory: the stack of the host is full at faults.cu:11\d: .*"),
    (
        "past",
        signal.SIGSEGV,
        r"memory: host code accesses 0x\w+ at faults.cu:162: the program has no memory there",
    ),
    ("whole", signal.SIGFPE, r"arithmetic: the host: integer division by zero at faults.cu:156"),
]


@pytest.mark.parametrize(("fault", "number", "pattern"), CRASHES)
def test_crash_says_where_and_dies_by_the_signal(build, fault, number, pattern):
    done = run(build("faults"), fault, "fault", WARPWISE_WORKERS="1")
    assert done.returncode == -number
    assert re.fullmatch(f"warpwise: {pattern}\n", done.stderr), done.stderr


@pytest.mark.parametrize("fault", [case[0] for case in REPORTED + CRASHES] + ["endless"])
def test_correct_twin_is_silent(build, fault):
    done = run(build("faults"), fault, "twin")
    allowed = "" if fault != "deadlock" else done.stderr
    assert (done.returncode, done.stdout, done.stderr) == (0, "cudaSuccess\n", allowed)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_terminated_kernel_says_that_it_was_running(build, workers):
    environment = {**os.environ, "WARPWISE_WORKERS": workers}
    with subprocess.Popen(
        [str(build("faults")), "endless", "fault"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        time.sleep(0.5)
        process.terminate()
        _, error = process.communicate(timeout=10)
    assert process.returncode == -signal.SIGTERM
    assert re.fullmatch(
        r"warpwise: kernel .* was still running \(block \([01],0,0\), thread \(2,0,0\)\)"
        r" at faults\.cu:\d+\n",
        error,
    ), error


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_blocks_may_wait_for_others_while_all_of_them_fit(build, order):
    few = run(build("crowds"), "2000", WARPWISE_ORDER=order)
    assert (few.stdout, few.stderr) == ("cudaSuccess 2000\n", "")
    many = run(build("crowds"), "150000", WARPWISE_ORDER=order)
    if order == "reverse":  # the block that they wait for is the first
        assert (many.stdout, many.stderr) == ("cudaSuccess 150000\n", "")
        return
    assert many.stdout.startswith("cudaErrorLaunchFailure ")
    said = r"warpwise: barrier: kernel crowd: 3\d{4} blocks of 1 threads wait for blocks that .*\n"
    assert re.fullmatch(said, many.stderr), many.stderr


def test_blocks_that_wait_for_a_slow_one_on_another_worker_are_no_deadlock(build):
    done = run(build("crowds"), "40", "slow", WARPWISE_WORKERS="2")
    assert (done.stdout, done.stderr) == ("cudaSuccess 40\n", "")


PRINTS = """#include <cstdio>
__global__ void k(int *p, int n) {
  printf("kernel %d\\n", n);
  while (n == 8) asm volatile("");
  if (n == 9) *static_cast<volatile int *>(nullptr) = 1;
}
int main(int count, char **) {
  printf("host\\n");
  k<<<1, 1>>>(nullptr, count == 1 ? 7 : count + 6);
  cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize(("words", "ended"), [
    ((), 0), (("a", "b"), -signal.SIGSEGV), (("a",), -signal.SIGTERM),
])  # fmt: skip
def test_what_was_printed_before_a_crash_arrives_through_a_pipe_once(build, tmp_path, words, ended):
    source = tmp_path / "prints.cu"
    source.write_text(PRINTS)
    driver.link_program([source], tmp_path / "p", ["-O1"], build.library)
    with subprocess.Popen([tmp_path / "p", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as process:  # fmt: skip
        if ended == -signal.SIGTERM:
            time.sleep(1)
            process.terminate()
        said, _ = process.communicate(timeout=20)
    number = len(words) + 7
    assert (process.returncode, said) == (ended, f"host\nkernel {number}\n")


@pytest.mark.parametrize(("mode", "words"), [
    ("launches", r"the host was still launching kernels: \d+ launches in \d\.\d s so far, the "
                 r"last one of short_work"),
    ("long launches", r"the host was still launching kernels: \d+ launches in \d\.\d s so far, "
                      r"the last one of long_work"),
    ("after", "no kernel was running: the host's own code went on after launch 1, of short_work,"
              r" at faults\.cu:\d+"),
])  # fmt: skip
def test_terminated_host_code_is_told_from_a_kernel(build, mode, words):
    assert run(build("faults"), mode, "twin").returncode == 0
    with subprocess.Popen(
        [str(build("faults")), mode, "fault"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.terminate()
        _, error = process.communicate(timeout=10)
    assert re.fullmatch(rf"warpwise: {words}\n", error), error


def test_stack_size_comes_from_the_environment(build):
    assert run(build("faults"), "stack", "twin", WARPWISE_STACK="1000000").returncode == 0
    overflow = run(build("faults"), "stack", "fault", WARPWISE_STACK="1000000").stderr
    assert 990_000 < int(re.search(r"has (\d+) bytes of stack", overflow)[1]) < 1_010_000


def test_shared_memory_that_no_launch_asked_for_is_named(build):
    assert run(build("unasked"), "128", "0").returncode == 0
    done = run(build("unasked"), "0", "0")
    assert done.returncode == -signal.SIGSEGV
    words = "uses shared memory although the launch asked for no dynamic shared memory"
    assert f"{words} at unasked.cu:7" in done.stderr
    far = run(build("unasked"), "128", str(1 << 22))  # past all that a block may have
    assert far.returncode == -signal.SIGSEGV
    assert words not in far.stderr
    assert re.search(r"invalid access at 0x\w+ at unasked\.cu:7", far.stderr)


def test_other_threads_come_between_a_read_and_an_exchange(build):
    assert run(build("exchanges"), WARPWISE_ORDER="forward").stdout == "1 1 1 1 1\n"
    for seed in "123":
        done = run(build("exchanges"), WARPWISE_ORDER="random", WARPWISE_SEED=seed).stdout
        exchanged, swapped, least, tested, locked = map(int, done.split())
        assert exchanged > 1 and swapped > 1 and least == 1, done
        assert tested > 1 and locked == 1, done


def test_accepted_twin_of_the_refused_programs_compiles(tmp_path):
    driver.compile_object(TESTS / "refused.cu", tmp_path / "refused.o", WARNINGS)
    assert (tmp_path / "refused.o").is_file()


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    choice.first_of(4, [
        (1, 1, "undeclared"),
        (2, 2, "cannot have an initialiser"),
        (3, 1, "atomicAdd"),
        (4, 2, "cannot have an initialiser"),
        (5, 1, "cannot convert|no matching"),
        (6, 2, "a launch needs its arguments"),
        (7, 1, "cudaGraphLaunch"),
        (8, 2, "no '>>>'"),
    ], CPU),
)
def test_refusal_names_the_students_line(tmp_path, fault, code, words):
    done = cucc_command(
        "-c", TESTS / "refused.cu", "-o", tmp_path / "refused.o", f"-DFAULT={fault}"
    )
    assert done.returncode == code, done.stderr
    assert re.search(words, done.stderr)
    assert f"refused.cu:{line_of('refused.cu', f'FAULT {fault}')}" in done.stderr
    assert not list(tmp_path.iterdir())  # neither an object nor a temporary file


@pytest.mark.exhaustive("grader/cpu/cucc.py", "grader/cpu/compiler")
def test_dependency_file_names_the_headers(tmp_path):
    done = cucc_command(
        "-c", TESTS / "launches.cu", "-o", tmp_path / "l.o", "-MD", "-MF", tmp_path / "l.d"
    )
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "l.d").read_text()
    assert text.startswith(f"{tmp_path / 'l.o'}:")
    assert "launches.cuh" in text and "launch.hpp" in text


@pytest.mark.exhaustive("grader/cpu/compiler")
def test_several_sources_make_one_program(tmp_path, build):
    (tmp_path / "kernel.cu").write_text(
        "__global__ void set(int *x) { *x = 42; }\n"
        "int on_device() { int *d, h = 0; cudaMalloc(&d, 4); set<<<1, 1>>>(d);\n"
        "  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); cudaFree(d); return h; }\n"
    )
    (tmp_path / "main.cpp").write_text(
        "#include <cuda_runtime.h>\nint on_device();\n"
        "int main() { return on_device() == 42 && cudaGetLastError() == cudaSuccess ? 0 : 1; }\n"
    )
    done = cucc_command(
        tmp_path / "kernel.cu",
        tmp_path / "main.cpp",
        "-O1",
        "-o",
        tmp_path / "p",
        "--runtime",
        build.library,
    )
    assert done.returncode == 0, done.stderr
    assert run(tmp_path / "p").returncode == 0


@pytest.mark.parametrize("flags", [(), ("--unseen", "refuse"), ("--audit", "audit.o")])
def test_a_file_whose_first_code_is_its_own_has_its_name_in_the_debugger(tmp_path, flags):
    """addr2line takes the first file of the list where a program's text came from a pipe."""
    source = tmp_path / "mine.cu"
    source.write_text("__global__ void k(int *p) {\n  p[0] = 1;\n}\n")
    made = tmp_path / "mine.o"
    own = (tmp_path / one if one.endswith(".o") else one for one in flags)
    done = cucc_command("--mode", "check", "-g", "-c", source, "-o", made, *own)
    assert done.returncode == 0, done.stderr
    assert b"mine.cu" in made.read_bytes() and b"<stdin>" not in made.read_bytes()


@pytest.mark.parametrize(("name", "is_refused"), [(r'a]\"b.cu', True), ("a]'b.cu", False)])
def test_a_line_that_names_a_file_with_a_quotation_mark_is_refused(tmp_path, name, is_refused):
    """It would hide what follows in a listing, as a text does."""
    source = tmp_path / "mine.cu"
    source.write_text(f'#line 7 "{name}"\n__global__ void k(int *p) {{ p[0] = 1; }}\n')
    flags = ("--mode", "check", "--unseen", "refuse")
    done = cucc_command(*flags, "-c", source, "-o", tmp_path / "mine.o")
    assert (done.returncode != 0, "a #line names a file" in done.stderr) == (is_refused, is_refused)


@pytest.mark.parametrize("name", ["../" * 3000, "/dev/zero", "mine.cu"])
def test_a_line_may_name_any_file(tmp_path, name):
    """It is looked into for what is shown of a mistake, if it can be."""
    source = tmp_path / "mine.cu"
    source.write_text(f'#line 1 "{name}"\nint a = b;\n')
    done = cucc_command("-c", source, "-o", tmp_path / "mine.o")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert f"{name}:1:9: error: ‘b’ was not declared" in done.stderr


@pytest.mark.parametrize("side", ["__device__", ""])
def test_a_forced_inline_function_of_the_device_may_call_itself_as_for_nvcc(tmp_path, side):
    source = tmp_path / "mine.cu"
    source.write_text(
        f"__forceinline__ {side} int sum(int n) {{ return n < 2 ? n : sum(n - 1) + sum(n - 2); }}\n"
        + ("__global__ void k(int *p) { p[0] = sum(9); }" if side else "int k() { return sum(9); }")
    )
    done = cucc_command("-c", source, "-o", tmp_path / "mine.o")
    assert (done.returncode == 0, "recursive inlining" in done.stderr) == (bool(side), not side)


def test_an_operator_of_structs_in_memory_is_inlined_where_accesses_are_watched(tmp_path):
    """Also where nothing is refused. Its sign is in its body: so it might call itself."""
    source = tmp_path / "mine.cu"
    source.write_text(
        "struct V { float x, y, z; };\n__device__ V operator+(V a, V b) {\n"
        "  return {a.x + b.x, a.y + b.y / a.x, a.z + b.z}; }\n"
        "__global__ void k(V *p) { p[0] = p[1] + p[2]; p[3] = p[4] + p[5]; }\n"
        "void launch(V *p) { k<<<1, 1>>>(p); }\n"
    )
    made = tmp_path / "mine.o"
    done = cucc_command("--mode", "count", "-c", source, "-o", made)
    assert done.returncode == 0, done.stderr
    names = subprocess.run(["nm", "-C", made], capture_output=True, text=True, check=True).stdout
    assert "k(V*)" in names
    called = subprocess.run(["objdump", "-drC", made], capture_output=True, text=True, check=True)
    assert "R_X86_64_PLT32\toperator+(V, V)" not in called.stdout


_CALLS_ITSELF = """struct Pair { float key; int n; };
__device__ float operator-(Pair a, Pair b) {
  const Pair next{b.key, b.n - 1};
  return b.n > 0 ? (a - next) * 2 : a.key - b.key;
}
__device__ float key(Pair a) { return a.key * a.key + a.n * (a.key - 3) / (a.n + 2); }
__device__ float key(Pair a, float b) { return key(a) + b; }
__global__ void k(Pair *p, float *out) {
  const auto sum = [](auto self, Pair a) -> float {
    const Pair next{a.key, a.n - 1};
    return a.n > 0 ? self(self, next) - 2 * self(self, next) : a.key;
  };
  const Pair a = p[1], b = p[2];
  out[0] = USE;
}
void launch(Pair *p, float *out) { k<<<1, 1>>>(p, out); }
"""


@pytest.mark.parametrize("use", ["a - b", "p[1] - b", "sum(sum, a)", "key(p[1], key(p[2]))"])
def test_only_what_calls_itself_may_not_take_structs_from_memory(tmp_path, use):
    """Where accesses are watched, functions are inlined: an operator or a lambda that calls itself
    cannot be, but an overload that calls another one can."""
    source = tmp_path / "mine.cu"
    source.write_text(_CALLS_ITSELF.replace("USE", use))
    flags = ("--mode", "check", "--unseen", "refuse")
    done = cucc_command(*flags, "-c", source, "-o", tmp_path / "mine.o")
    told = "mine.cu:14: error: a function that is called through a pointer, or that calls itself"
    is_refused = use == "p[1] - b"
    assert (done.returncode != 0, told in done.stderr) == (is_refused, is_refused)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-c", "no-such-file.cu", "-o", "x.o"], "no such file"),
        (["-o"], "needs a value"),
        (["-O2"], "no input file"),
        (["a.cu", "-o", "a", "--runtime", "no-such-library.a"], "no-such-library.a"),
    ],
)
def test_senseless_command_is_one_sentence(arguments, words):
    done = cucc_command(*arguments)
    assert done.returncode == 2
    assert (
        words in done.stderr and done.stderr.startswith("cucc: ") and done.stderr.count("\n") == 1
    )


def test_instrumented_object_keeps_kernels_visible(tmp_path):
    """The seam for a checker: with -fsanitize=thread a kernel stays a function that reports."""
    source = tmp_path / "k.cu"
    source.write_text(
        "__global__ void add_one(int *x) { x[threadIdx.x] += 1; }\n"
        "void go(int *x) { add_one<<<1, 32>>>(x); }\n"
    )
    driver.compile_object(source, tmp_path / "k.o", ["-fsanitize=thread", "-O1"])
    symbols = subprocess.run(
        ["nm", "-C", str(tmp_path / "k.o")], capture_output=True, text=True, check=True
    ).stdout
    assert re.search(r" T add_one\(int\*\)", symbols) and "__tsan_read4" in symbols


@pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc is not on PATH")
@pytest.mark.parametrize(
    "name", ["vocabulary", "launches"]
)  # the whole set takes a minute; these two hold the most
@pytest.mark.exhaustive("grader/tests/cpu", "grader/cpu/include")
def test_nvcc_accepts_the_same_file(tmp_path, name):
    command = [
        "nvcc",
        "-std=c++20",
        "-arch=sm_90",
        "-c",
        str(TESTS / f"{name}.cu"),
        "-o",
        str(tmp_path / "x.o"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is not on PATH")
@pytest.mark.exhaustive("grader/cpu/compiler")  # else the runtime is that of the kit's own build
def test_a_runtime_is_built_once_for_all_who_want_it_at_the_same_time(tmp_path):
    command = [sys.executable, str(CPU / "cucc.py"), "--mode", "check", "--prepare"]
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    both = [subprocess.Popen(command, env=env, stderr=subprocess.PIPE) for _ in range(2)]
    assert [one.communicate(timeout=200)[1] for one in both] == [b"", b""]
    [folder] = (tmp_path / "warpwise").iterdir()
    made = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.a")}
    assert sorted(made) == ["libcuda_on_cpu.a", "libcuda_on_cpu_check.a"]
    driver.link_program([TESTS / "barriers.cu"], tmp_path / "p", SHELF,
                        folder / "libcuda_on_cpu.a")  # fmt: skip
    assert run(tmp_path / "p").returncode == 0
    assert cucc_command("--prepare", XDG_CACHE_HOME=str(tmp_path)).returncode == 0
    assert {path.name: path.stat().st_mtime_ns for path in folder.glob("*.a")} == made


PLAIN = """#include <cstdio>
__global__ void hello(int* out) { printf("thread %d\\n", threadIdx.x); atomicAdd(out, 1); }
int main() {
  int *sum, host = 0;
  cudaMalloc(&sum, 4);
  cudaMemset(sum, 0, 4);
  hello<<<1, 4>>>(sum);
  cudaMemcpy(&host, sum, 4, cudaMemcpyDeviceToHost);
  return cudaFree(sum) != cudaSuccess || host != 4 || cudaDeviceSynchronize() != cudaSuccess;
}
"""


@pytest.mark.exhaustive("grader/cpu/compiler", "grader/cpu/runtime")
def test_only_a_program_that_needs_the_rest_of_the_runtime_waits_for_it(tmp_path):
    (tmp_path / "plain.cu").write_text(PLAIN)
    (tmp_path / "unknown.cu").write_text(PLAIN.replace("int main", "void gone();\nint main")
                                         .replace("int *sum", "gone(); int *sum"))  # fmt: skip

    def libraries(source):
        done = cucc_command(str(source), "-o", str(tmp_path / "p"), XDG_CACHE_HOME=str(tmp_path))
        found = [path.name for path in tmp_path.glob("warpwise/*/*.a")]
        return done, sorted(found)

    done, found = libraries(tmp_path / "plain.cu")
    assert (done.returncode, done.stderr) == (0, "")
    assert found == ["libcuda_on_cpu.a"]
    assert run(tmp_path / "p").returncode == 0
    done, found = libraries(tmp_path / "unknown.cu")
    assert done.returncode != 0 and done.stderr.count("undefined reference to `gone()'") == 1
    assert found == ["libcuda_on_cpu.a", "libcuda_on_cpu_rest.a"]
    done, _ = libraries(TESTS / "textures.cu")
    assert (done.returncode, done.stderr) == (0, "")
    assert run(tmp_path / "p").returncode == 0


# The kit's own build uses the same functions.
@pytest.mark.exhaustive("grader/cpu/CMakeLists.txt", "grader/cpu/cucc.py")
def test_cmake_target_with_a_cu_file(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(try LANGUAGES CXX)\n"
        f"add_subdirectory({CPU} cpu)\n"
        f"add_cuda_on_cpu_object(object {TESTS / 'barriers.cu'} -Wall)\n"
        "add_executable(barriers ${object})\n"
        "set_target_properties(barriers PROPERTIES LINKER_LANGUAGE CXX)\n"
        "target_link_libraries(barriers PRIVATE cuda_on_cpu)\n"
    )
    for command in (
        ["cmake", "-S", tmp_path, "-B", tmp_path / "b"],
        ["cmake", "--build", tmp_path / "b", "--target", "barriers", "-j2"],
    ):
        done = subprocess.run(
            [*map(str, command)], capture_output=True, text=True, timeout=400, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert run(tmp_path / "b" / "barriers").returncode == 0


def test_min_and_max_are_cuda_s_only_in_cuda_files(tmp_path):
    text = "#include <cuda_runtime.h>\ninline int max(int a, int b) { return a > b ? a : b; }\n"
    for name, code in (("own.cpp", 0), ("own.cu", 1)):
        (tmp_path / name).write_text(f"{text}int own() {{ return max(1, 2); }}\n")
        done = cucc_command("-c", tmp_path / name, "-o", tmp_path / "own.o")
        assert done.returncode == code, done.stderr
    assert "redefinition of" in done.stderr


def compiles_alone(source: Path) -> str:
    """"" or what the compiler misses."""
    command = ["g++", "-std=c++20", "-fsyntax-only", f"-I{CPU / 'include'}", f"-I{CPU / 'runtime'}",
               f"-I{CPU / 'checker'}", str(source)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.stderr if done.returncode else ""


# Files are compiled many as one, so one may use what another has included.
@pytest.mark.exhaustive("grader/cpu/runtime", "grader/cpu/checker", "grader/cpu/counter")
def test_every_source_includes_what_it_uses(tmp_path):
    (tmp_path / "bad.cpp").write_text("std::string text;\n")
    sources = [path for room in ("runtime", "checker", "counter", "asan")
               for path in sorted((CPU / room).rglob("*.cpp"))]  # fmt: skip
    with ThreadPoolExecutor(2) as pool:
        wrong, *found = pool.map(compiles_alone, [tmp_path / "bad.cpp", *sources])
    assert "std" in wrong
    assert "".join(found) == ""
