"""The caret is under the word that is meant, in every mode: a compiler reads another text."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from grader.tests import choice
from grader.tests.built_once import runtime

COMPILER = choice.inputs.ROOT / "grader" / "cpu" / "compiler"
CUCC = Path(__file__).resolve().parents[1] / "cpu" / "cucc.py"

pytestmark = pytest.mark.reads("cpu backend")

# Before each wrong word is something that is rewritten, or wider than one byte.
WRONG = """#include <cstdio>
__global__ void k(int *a, int n) {
\t__shared__ int t[4]; int q = wrong1;
\ta[threadIdx.x] = t[0] + wrong2;  }
template <class T> __global__ void g(T *a) { a[0] = wrong3; }
int main() {
  int *d; cudaMalloc(&d, 128); int x = wrong4;
  /* é日 */ k<<<dim3(1), wrong5>>>(d, 3); g<<<1, 32>>>(d); int z = wrong6;
  cudaMemcpy(d, wrong7, 4, cudaMemcpyHostToDevice);
  for (int i = 0; i < wrong8; ++i) k<<<1, 1, 0, wrong9>>>(d, wrong10);
  if (x) cudaMemset(d, 0, 4), wrong11;
}
"""
OF_THE_HOST = """int table[4];
__global__ void k(int *a) {
\t__shared__ int t[4]; if (a) {
\t\ta[threadIdx.x] = t[0] + table[3];
\t}
}
int main() {}
"""


def said(folder: Path, text: str, *flags: str) -> str:
    (folder / "a.cu").write_text(text)
    command = [sys.executable, str(CUCC), "-c", *flags, "a.cu", "-o", "a.o"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    ).stderr  # fmt: skip


def marked(output: str) -> list[str]:
    """The word above each caret."""
    pictures = re.findall(r"^ *\d+ \| (.*)\n +\| (\s*)\^$", output, re.MULTILINE)
    return [re.match(r"\w*", code.expandtabs()[_cells(before) - _wide(code) :])[0]
            for code, before in pictures]  # fmt: skip


def _cells(blanks: str) -> int:
    return len(blanks.expandtabs())


def _wide(code: str) -> int:
    return code.count("日")  # one sign, two places


@pytest.mark.parametrize("mode", choice.first_of(1, ["check", "run", "count"], COMPILER))
def test_the_caret_is_under_the_wrong_word(tmp_path: Path, mode: str) -> None:
    output = said(tmp_path, WRONG, "--mode", mode)
    assert marked(output) == [f"wrong{number}" for number in range(1, 12)], output


@pytest.mark.exhaustive("grader/cpu/compiler")
@pytest.mark.parametrize("mode", ["run", "check"])
def test_a_rule_knows_its_place_between_tabs(tmp_path: Path, mode: str) -> None:
    """The compiler's columns are bytes: counted as places, no variable was found after tabs."""
    output = said(tmp_path, OF_THE_HOST, "--mode", mode)
    assert "a.cu:4:41: error: kernel `k` uses `table`, a variable of the host" in output
    assert marked(output) == ["table"]
    assert said(tmp_path, OF_THE_HOST.replace("int table", "__device__ int table")) == ""


PLACES = """#include <source_location>
#include <cstdio>
__global__ void k(int* a) { *a = 1; }
void show(std::source_location at = std::source_location::current()) {
  std::printf("%u:%u %s;", at.line(), at.column(), at.function_name());
}
int main() { int* a; cudaMalloc(&a, 4); k<<<1, 1>>>(a); show();
  k<<<1, 1>>>(a), show(); show({}); cudaFree(a); }
"""


@pytest.mark.parametrize("mode", ["run", "check"])
def test_a_place_has_no_column_whatever_watches(mode: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(PLACES)
    compile_it = [sys.executable, CUCC, "a.cu", "-o", "a", "--mode", mode]
    compile_it += ["--runtime", str(runtime(mode))]
    subprocess.run(compile_it, cwd=tmp_path, check=True)
    done = subprocess.run(["./a"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == "7:0 int main();8:0 int main();0:0 ;"


OTHER_PLACES = (
    "namespace std { struct source_location { struct __impl {}; }; }\n"
    "auto a = __builtin_source_location();\n"
)


@pytest.mark.parametrize("text", [
    OTHER_PLACES, "\n#include <bits/../source_location>\n", "\nint a = __builtin_COLUMN();\n",
])  # fmt: skip
def test_nothing_else_asks_for_a_column(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(text)
    compile_it = [sys.executable, CUCC, "-c", "a.cu", "-o", "a.o"]
    done = subprocess.run(compile_it, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("a.cu:2: error: `__builtin_") and "current()" in done.stderr


def test_a_text_may_name_what_asks_for_a_column(tmp_path: Path) -> None:
    word = "__builtin_source_location"
    (tmp_path / "a.cu").write_text(f'const char* a = "{word}";  // {word}\nint {word}s;\n')
    subprocess.run([sys.executable, CUCC, "-c", "a.cu", "-o", "a.o"], cwd=tmp_path, check=True)
