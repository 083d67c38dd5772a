"""`./lab run`: every exit code and message, each with a bad program and a correct twin."""

import json
import re
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.commands.cli import main
from grader.commands.run import from_first_error
from grader.machine import hardware, requirements
from grader.programs import lint, program
from grader.programs.program import Request
from grader.tests import choice
from grader.tests.test_cpu import line_of as line_in

pytestmark = [
    pytest.mark.reads("cpu backend", "grader/cpu/lint", "grader/tests/cpu", "grader/tests/asan",
                      "grader/tests/lint", "labs", "reference"),
]

HERE = Checkout.here()
CPU = HERE.root / "grader" / "cpu"
TESTS = HERE.root / "grader" / "tests"
OVERRUNS, MISTAKES = TESTS / "asan" / "overruns.cu", TESTS / "lint" / "mistakes.cu"
Finished = subprocess.CompletedProcess[str]
needs_clang = pytest.mark.skipif(
    not requirements.find_clang(), reason="lint needs clang++ 16 or newer"
)

# What it does is its first argument.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void spin(volatile int *flag, bool for_ever) {
  while (for_ever && *flag == 0) {}
}
__global__ void add(int *total, bool race) {
  if (race) *total += 1;
  else atomicAdd(total, 1);
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "";
  int *value;
  cudaMalloc(&value, 4);
  cudaMemset(value, 0, 4);
  spin<<<1, 1>>>(value, !std::strcmp(what, "spin"));
  add<<<2, 32>>>(value, !std::strcmp(what, "race"));
  if (!std::strcmp(what, "crash")) *(volatile int *)8 = 1;
  if (!std::strcmp(what, "cat")) {
    char line[64];
    if (std::fgets(line, sizeof line, stdin)) std::printf("read %s", line);
    std::fprintf(stderr, "%d arguments\n", count - 1);
    std::fclose(std::fopen("made-here.txt", "w"));
  }
  cudaFree(value);
  return std::atoi(what);
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.cu").write_text(PROGRAM)
    return tmp_path


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for tests that compile the same program. The first call builds the runtime."""
    made = tmp_path_factory.mktemp("run")
    (made / "p.cu").write_text(PROGRAM)
    assert lab_run(made, "p.cu").returncode == 0
    return made


# What `./lab` says while it waits, which depends on how busy the machine is.
WAITING = re.compile(r"^.*(?: \.\.\.|:) \d+ s(?:, .*)?\n", re.MULTILINE)


def lab_run(folder: Path, *arguments: str, stdin: str = "") -> Finished:
    done = subprocess.run([str(HERE.root / "lab"), "run", *arguments], cwd=folder, input=stdin,
                          capture_output=True, text=True, timeout=240, check=False)  # fmt: skip
    done.stderr = WAITING.sub("", done.stderr)
    return done


def lab_json(folder: Path, *arguments: str) -> tuple[int, Any]:
    own, separator, rest = " ".join(arguments).partition(" -- ")
    done = lab_run(folder, "--json", *own.split(), *(["--", *rest.split()] if separator else []))
    assert done.stderr.count("lab: ") <= 1
    return done.returncode, json.loads(done.stdout)


def test_the_program_has_the_callers_folder_streams_and_arguments(shared: Path) -> None:
    done = lab_run(shared, "p.cu", "--", "cat", "--json", stdin="a line\n")
    assert (done.returncode, done.stdout) == (0, "read a line\n")
    assert done.stderr.endswith("2 arguments\n")
    assert (shared / "made-here.txt").is_file()


@pytest.mark.parametrize("status", [0, 7, 86])
def test_the_exit_code_is_the_programs_own(shared: Path, status: int) -> None:
    assert lab_run(shared, "p.cu", "--", str(status)).returncode == status


def test_json_is_one_document_with_everything(shared: Path) -> None:
    code, document = lab_json(shared, "p.cu -- 7")
    assert code == 7 and document["exit_status"] == 7 and document["signal"] is None
    assert document["findings"] == [] and document["timed_out"] is False
    code, document = lab_json(shared, "p.cu -- cat")
    assert (code, document["stderr"]) == (0, "1 arguments\n")


def test_a_crash_is_named_in_one_sentence(shared: Path) -> None:
    done = lab_run(shared, "p.cu", "--", "crash")
    assert done.returncode == 128 + signal.SIGSEGV
    assert re.fullmatch(
        r"warpwise: memory: host code accesses 0x8 at p\.cu:22: the program has no memory there\n"
        r"lab: p\.cu was ended by signal 11 \(SIGSEGV\): it accessed memory .*\.\n",
        done.stderr,
    )
    code, document = lab_json(shared, "p.cu -- crash")
    assert (code, document["signal"], document["exit_status"]) == (139, "SIGSEGV", None)


def test_the_time_limit_ends_an_endless_kernel_and_names_it(shared: Path) -> None:
    done = lab_run(shared, "p.cu", "--time-limit", "0.5", "--", "spin")
    assert done.returncode == 1
    assert re.search(r"warpwise: kernel spin was still running .* at p\.cu:\d+\n", done.stderr)
    assert done.stderr.endswith("lab: p.cu did not end within 0.5 s.\n")
    assert lab_run(shared, "p.cu", "--time-limit", "20").returncode == 0


def test_check_reports_a_race_and_not_its_twin(shared: Path) -> None:
    code, document = lab_json(shared, "p.cu --mode check -- race")
    assert (code, document["exit_status"]) == (1, 86)
    assert "race" in {finding["kind"] for finding in document["findings"]}
    code, document = lab_json(shared, "p.cu --mode check")
    assert code == 0 and not document["findings"]
    assert lab_run(shared, "p.cu", "--mode", "check", "--", "7").returncode == 7


def test_a_program_that_does_not_compile_shows_its_own_line(folder: Path) -> None:
    (folder / "bad.cu").write_text("#include <cstdio>\n\nint main() {\n  return undeclared;\n}\n")
    done = lab_run(folder, "bad.cu")
    assert done.returncode == 1 and "bad.cu:4:" in done.stderr and "undeclared" in done.stderr
    code, document = lab_json(folder, "bad.cu")
    assert code == 1 and "bad.cu:4:" in document["compiler"] and document["exit_status"] is None
    (folder / "bad.cu").write_text("#include <cstdio>\n\nint main() {\n  return 0;\n}\n")
    assert lab_run(folder, "bad.cu").returncode == 0


def test_a_file_without_main_is_named_in_one_sentence(folder: Path) -> None:
    (folder / "kernels.cu").write_text("__global__ void k() {}\n")
    done = lab_run(folder, "kernels.cu")
    assert done.returncode == 1 and "kernels.cu: has no main()" in done.stderr
    assert "ld" not in done.stderr.split()
    (folder / "main.cu").write_text('#include "kernels.cu"\nint main() { k<<<1, 1>>>(); }\n')
    assert lab_run(folder, "main.cu").returncode == 0


@pytest.mark.exhaustive("grader/programs")
def test_sources_headers_and_macros_make_one_program(folder: Path) -> None:
    (folder / "include").mkdir()
    header = folder / "include" / "value.hpp"
    header.write_text("inline int value() { return OFFSET + 1; }\n")
    (folder / "main.cu").write_text("int value_of_cpp();\nint main() { return value_of_cpp(); }\n")
    (folder / "part.cpp").write_text('#include "value.hpp"\nint value_of_cpp() { return value(); }')
    arguments = ("main.cu", "part.cpp", "-I", "include", "-D", "OFFSET=4")
    assert lab_run(folder, *arguments).returncode == 5
    header.write_text("inline int value() { return OFFSET + 2; }\n")  # a header counts as content
    assert lab_run(folder, *arguments).returncode == 6


SHORT = """#include <cstdio>
__global__ void add(int *a, const int *b, int n) { if (threadIdx.x < n) a[threadIdx.x] += b[0]; }
int main() {
  int *a = nullptr;
  add<<<1, 16>>>(a, a%s);
  return cudaDeviceSynchronize();
}
"""


def test_a_launch_that_does_not_fit_is_told_in_the_users_line_alone(folder: Path) -> None:
    (folder / "bad.cu").write_text(SHORT % "")
    done = lab_run(folder, "bad.cu")
    assert done.returncode == 1 and "cuda_on_cpu" not in done.stderr
    told = done.stderr[done.stderr.index("bad.cu:5:14: error: too few arguments") :].splitlines()
    assert told[1:] == ["    5 |   add<<<1, 16>>>(a, a);", "      |              ^"]
    assert "required from here" in lab_run(folder, "bad.cu", "--verbose").stderr
    (folder / "bad.cu").write_text(SHORT % ", 0")
    assert lab_run(folder, "bad.cu").returncode == 0


PRINTS = """#include <cstdio>
__global__ void k() {
  const int none = printf("none\\n"), two = printf("%d of %5.1f%%\\n", 1, 2.5);
  const int star = printf("%*d\\n", 3, 4);
  printf("%d %d %d\\n", none, two, star);
}
int main() {
  const int host = printf("host\\n");
  k<<<1, 1>>>();
  cudaDeviceSynchronize();
  size_t room = 0;
  cudaDeviceGetLimit(&room, cudaLimitPrintfFifoSize);
  printf("%d %zu\\n", host, room);
}
"""


@pytest.mark.parametrize("mode", choice.first_of(1, ["run", "check", "count"], CPU))
def test_printf_of_a_kernel_returns_the_number_of_its_arguments(folder: Path, mode: str) -> None:
    (folder / "prints.cu").write_text(PRINTS)
    done = lab_run(folder, "prints.cu", "--mode", mode)
    shown = done.stdout.splitlines()
    assert shown[:5] == ["host", "none", "1 of   2.5%", "  4", "0 2 2"]
    assert shown[5] == "5 1048576"


@pytest.mark.exhaustive("grader/programs")
def test_openmp_is_named_with_its_flag(folder: Path) -> None:
    text = "#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n"
    (folder / "main.cu").write_text(text)
    done = lab_run(folder, "main.cu")
    assert done.returncode == 1 and done.stderr.endswith("a function of OpenMP: add -fopenmp.\n")
    assert lab_run(folder, "main.cu", "-fopenmp").returncode == 0


@pytest.mark.exhaustive("grader/programs", "grader/cpu/compiler")
def test_an_older_standard_is_told_where_it_changes_nothing(folder: Path) -> None:
    (folder / "main.cu").write_text("int main() { return __cplusplus < 202002; }\n")
    done = lab_run(folder, "main.cu", "-std=c++17")
    assert done.returncode == 0
    assert "warning: -std=c++17: the CPU backend compiles as C++20" in done.stderr
    assert "warning" not in lab_run(folder, "main.cu", "-std=c++20").stderr


def test_a_function_of_another_file_is_asked_for(folder: Path) -> None:
    (folder / "main.cu").write_text("int twice(int n);\nint main() { return twice(2); }\n")
    done = lab_run(folder, "main.cu")
    assert done.returncode == 1 and done.stderr.count("\n") <= 2
    assert "main.cu: uses twice(int), and no given file defines it" in done.stderr
    (folder / "other.cu").write_text("int twice(int n) { return 2 * n; }\n")
    assert "./lab run main.cu other.cu;" in lab_run(folder, "main.cu").stderr
    assert lab_run(folder, "main.cu", "other.cu").returncode == 4


def test_the_same_content_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    request = Request(("p.cu",), (), "cpu", "run")
    first = program.build(HERE, request).program
    assert first
    made = first.stat().st_ino
    assert program.build(HERE, request).program == first and first.stat().st_ino == made
    (folder / "p.cu").write_text(PROGRAM + "\n")
    assert program.build(HERE, request).program != first


def test_order_and_seed_reach_the_program() -> None:
    source = str(TESTS / "cpu" / "environment.cu")
    assert lab_run(HERE.root, source).stdout == "01234567\n"
    assert lab_run(HERE.root, source, "--order", "reverse").stdout == "76543210\n"
    shuffled = {seed: lab_run(HERE.root, source, "--order", "random", "--seed", seed).stdout
                for seed in ("1", "2")}  # fmt: skip
    assert shuffled["1"] != shuffled["2"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.cu"], "nowhere.cu: no such file"),
        (["notes.txt"], "notes.txt is not a CUDA source"),
        (["part.cpp"], "at least one file must be a .cu"),
        (["p.cu", "--mode", "fast"], "is unknown; use run, check, count, asan or lint"),
        (["p.cu", "--backend", "gpu", "--mode", "check"], "leave out --backend gpu"),
        (["p.cu", "--backend", "gpu", "--order", "reverse"], "leave out --backend gpu"),
        (["p.cu", "--time-limit", "0"], "'0' is not a number of seconds above 0"),
        (["p.cu", "--order", "sideways"], "there is no --order 'sideways'"),
        ([], "FILE is missing"),
    ],
)
def test_senseless_requests_are_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    arguments: list[str], words: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(folder)
    (folder / "notes.txt").touch()
    (folder / "part.cpp").touch()
    assert main(["run", *arguments], HERE) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


OVERRUN_CASES = {
    "global-write": r"thread \(31,0,0\) .*writes 4 bytes, right past the end of a cudaMalloc",
    "global-before": "reads 4 bytes, 4 bytes before the start of a cudaMalloc buffer of 400 bytes",
    "global-read": "reads 4 bytes, right past the end of a cudaMalloc buffer of 400 bytes",
    "atomic": "writes 4 bytes, right past the end of a cudaMalloc buffer of 4 bytes",
    "dynamic": "right past the end of the launch's 132 bytes of dynamic shared memory",
    "static": "right past the end of __shared__ first of 128 bytes",
    "stack": "stack-buffer-overflow",
    "free": "inside a cudaMalloc buffer of 400 bytes after cudaFree",
    "host": "the host at .*heap-buffer-overflow",
}
OTHER_OVERRUN = pytest.mark.exhaustive("grader/cpu", "grader/tests/asan", "grader/programs")
READS_GLOBAL = {"global-before": "global-read", "free": "global-read"}


@pytest.mark.skipif(not requirements.has_asan(), reason="g++ has no libasan")
@pytest.mark.parametrize("case", [
    "global-write", "static",
    *(pytest.param(case, marks=OTHER_OVERRUN) for case in OVERRUN_CASES
      if case not in ("global-write", "static")),
])  # fmt: skip
def test_asan_names_kernel_thread_line_and_buffer(case: str) -> None:
    line = line_in(f"../asan/{OVERRUNS.name}", f"LINE {READS_GLOBAL.get(case, case)}")
    code, document = lab_json(OVERRUNS.parent, f"{OVERRUNS.name} --mode asan -- {case} fault")
    (finding,) = document["findings"]
    assert code == 1 and finding["kind"] == "memory"
    assert re.search(OVERRUN_CASES[case], finding["text"]), finding["text"]
    assert f" at overruns.cu:{line}: " in finding["text"]
    assert re.search(rf"#\d .*overruns\.cu:{line}\b", document["stderr"])
    twin = lab_run(OVERRUNS.parent, OVERRUNS.name, "--mode", "asan", "--", case, "twin")
    assert (twin.returncode, twin.stdout, twin.stderr) == (0, "", "")


@OTHER_OVERRUN
@pytest.mark.skipif(not requirements.has_asan(), reason="g++ has no libasan")
@pytest.mark.parametrize("name", [
    "barriers", *(pytest.param(name, marks=OTHER_OVERRUN)
                  for name in ("shared", "launches", "vocabulary")),
])  # fmt: skip
def test_asan_is_silent_on_correct_programs(name: str) -> None:
    done = lab_run(TESTS / "cpu", f"{name}.cu", "--mode", "asan")
    assert done.returncode == 0 and "AddressSanitizer" not in done.stderr, done.stderr


FAULTS = range(1, 1 + max(int(n) for n in re.findall(r"// FAULT (\d+)", MISTAKES.read_text())))


OTHER_FAULT = pytest.mark.exhaustive("grader/cpu/lint", "grader/programs/lint.py")


@needs_clang
@pytest.mark.parametrize("fault", [
    pytest.param(fault, marks=OTHER_FAULT if fault % 8 else ()) for fault in FAULTS
])  # fmt: skip
def test_lint_finds_the_mistake_at_its_line(fault: int) -> None:
    line = line_in(f"../lint/{MISTAKES.name}", f"FAULT {fault}")
    report = lint.lint(HERE, str(MISTAKES), [f"-DFAULT={fault}"])
    assert report.findings and report.findings[0].startswith(f"{MISTAKES}:{line}:")


@needs_clang
@pytest.mark.exhaustive("grader/cpu/lint", "grader/programs/lint.py")
def test_lint_is_silent_on_every_correct_program() -> None:
    files = [MISTAKES, OVERRUNS, *(TESTS / "cpu").glob("*.cu"),
             *HERE.reference.glob("*/*.cu"), *HERE.labs.glob("*/*.cu")]  # fmt: skip

    def findings(path: Path) -> tuple[str, ...]:
        room = HERE.labs / path.parent.name
        return lint.lint(HERE, str(path), ["-I", str(HERE.labs / "kit"), "-I", str(room)]).findings

    with ThreadPoolExecutor(2) as pool:
        found = dict(zip(files, pool.map(findings, files), strict=True))
    # clang takes a kernel that launches kernels for a mistake.
    found.pop(TESTS / "cpu" / "pipelines.cu")
    assert len(files) > 10 and not {path: lines for path, lines in found.items() if lines}


@OTHER_FAULT
@needs_clang
def test_lint_has_an_exit_code_of_its_own(folder: Path) -> None:
    done = lab_run(MISTAKES.parent, MISTAKES.name, "--mode", "lint")
    assert (done.returncode, done.stderr) == (0, "")
    done = lab_run(MISTAKES.parent, MISTAKES.name, "--mode", "lint", "-DFAULT=1")
    assert (done.returncode, done.stdout) == (1, "") and "mistakes.cu:19:10: error:" in done.stderr
    code, document = lab_json(MISTAKES.parent, f"{MISTAKES.name} --mode lint -DFAULT=1")
    assert code == 1 and document["findings"][0]["kind"] == "language"


@needs_clang
def test_a_labs_file_finds_its_contract_and_the_shelf(folder: Path) -> None:
    skeleton = HERE.labs / "01-rank-sort" / "rank_sort.cu"
    done = lab_run(HERE.root, "--mode", "lint", str(skeleton.relative_to(HERE.root)))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    (folder / skeleton.name).write_text(skeleton.read_text())  # elsewhere it is any program
    done = lab_run(folder, "--mode", "lint", skeleton.name)
    assert done.returncode == 1 and "'ceil_div.hpp' file not found" in done.stderr


def test_without_clang_lint_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(requirements, "find_clang", lambda: None)
    monkeypatch.chdir(folder)
    assert main(["run", "p.cu", "--mode", "lint"], HERE) == 3
    assert "clang-16" in capsys.readouterr().err
    main(["doctor"], HERE)
    assert re.search("note.*--mode lint: .*clang-16", capsys.readouterr().out)


def test_doctor_refuses_other_pages_of_memory_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert requirements.wrong_pages() == ""
    monkeypatch.setattr(requirements.os, "sysconf", lambda name: 16384)
    assert main(["doctor"], HERE) == 3
    assert "memory pages: this system's memory pages have 16,384" in capsys.readouterr().out


def test_the_gpu_backend_is_nvccs(folder: Path, monkeypatch: pytest.MonkeyPatch,
                                  capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.chdir(folder)
    if hardware.find_gpu() and hardware.find_nvcc():
        assert lab_run(folder, "p.cu", "--backend", "gpu", "--", "7").returncode == 7
    else:
        assert main(["run", "p.cu", "--backend", "gpu"], HERE) == 2
        assert "the gpu backend needs" in capsys.readouterr().err


@pytest.mark.skipif(not hardware.find_nvcc(), reason="no nvcc")
def test_nvcc_compiles_and_its_message_has_the_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("WARPWISE_CUDA_ARCH", "sm_80")
    (folder / "bad.cu").write_text("int main() {\n  return undeclared;\n}\n")
    refused = program.build(HERE, Request(("bad.cu",), (), "gpu", "run"))
    assert refused.program is None and "bad.cu(2)" in refused.message
    (folder / "bad.cu").write_text("int main() {\n  return 0;\n}\n")
    assert program.build(HERE, Request(("bad.cu",), (), "gpu", "run")).program


@pytest.mark.unit
@pytest.mark.parametrize(("said", "first"), [
    ("a.cu: In function 'f':\na.cu:3:1: warning: shadows\n  3 | x\n"
     "a.cu: In function 'g':\na.cu:9:1: error: bad\n  9 | y", "a.cu: In function 'g':"),
    ("a.cu:3:1: warning: w\n      ^\nIn file included from b:\na.cu:4:1:   required from here\n"
     "a.cu:9:1: error: bad", "In file included from b:"),
    ("a.cu:9:1: error: bad\na.cu:3:1: warning: w", "a.cu:9:1: error: bad"),
    ("/usr/bin/ld: a.o: undefined reference", "/usr/bin/ld: a.o: undefined reference"),
])  # fmt: skip
def test_what_a_compiler_says_begins_with_the_first_error(said, first):
    assert from_first_error(said.splitlines())[0] == first
