"""No text of a program passes for a system header's, and none depends on how it is compiled."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.cpu.compiler import options, tokens
from grader.cpu.compiler.driver import preprocess_and_rewrite
from grader.cpu.compiler.includes import own_marker
from grader.cpu.compiler.modes import MODES
from grader.cpu.compiler.tokens import digest, place_of_own_name, tokenize

pytestmark = pytest.mark.reads("cpu backend")

MARKERS = [
    '# 1 "x.h" 1 3',
    'int a;\n  #  7 "x.h" 3',
    '%: 1 "x.h" 1 3',
    '/* one\n*/ # 1 "x.h" 1',
    '# /* one\ntwo */ 1 /**/ "x.h" /**/ 1 3',
    '# 1 "x.h" \\\n 1 3',
    '#\\ \n1 "x.h" 1 3',
    '# 1 "a\\"b.h" 2',
    '\ufeff# 1 "x.h" 1 3',
    '# 1 "x.h" 1 3\r\nint a;\r\n',
    '#\f1\v"x.h"\t1',
    '/* /* */# 1 "x.h" 1 3',
    '# /*/ */ 1 "x.h" 3',
    '#/*\n#/*\n*/ 1 "x.h"/**//**/1 3',
]


@pytest.mark.parametrize("text", MARKERS)
def test_a_source_has_no_markers_of_its_own(text: str) -> None:
    assert own_marker(text.encode()) > 0


@pytest.mark.parametrize("text", [
    "", '#line 7 "x.h"', '# 33 "grammar.y"', '# 33 "grammar.y"\nint a = 1;', "#1", '#include "1"',
    'const char* a = "\\n# 1 \\"x.h\\" 1";', '// # 1 "x.h" 1', "// see issue # 15",
    'int a = 3; # 1 "x.h" 1', '# /* 1 "x.h" 1', '# 1 "x.h" /* 1', '# /*/ 1 "x.h" 1',
])  # fmt: skip
def test_other_lines_are_no_markers(text: str) -> None:
    assert own_marker(text.encode()) == 0


@pytest.mark.parametrize("source", [
    b"/* a comment */ int a; // and more\n" * 20_000,
    b'"' + b"\n/*" * 200_000,
    b'"' + b"\n#/*" * 200_000,
    b'"' + b"\n#/*" * 200_000 + b"*/",
    b'"' + b"\n#1/*" * 100_000 + b"*/ 1 /*" + b"*/ /*" * 20_000,
    b'"' + b"\n/*\n#/**/" * 60_000,
    b"\n#" + b" " * 300_000 + b'"' + b"\\ " * 100_000,
], ids=["closed", "unclosed", "after signs", "one end", "digits", "in gaps", "blanks"])  # fmt: skip
def test_a_long_source_is_read_in_time(source: bytes) -> None:
    begin = time.process_time()
    assert own_marker(source) == 0
    assert time.process_time() - begin < 1


def test_the_line_of_a_marker_is_told() -> None:
    assert own_marker(b'int a;\n\n# 1 "x.h" 1 3\n') == 3


ENTERED = (
    '# 0 "a.cu"\n# 1 "{0}" 1 3\nsystem\n# 1 "{1}" 1 3\ninner\n# 3 "{0}" 2 3\n# 4 "a.cu" 2\nown\n'
)


def test_a_system_header_is_one_token_up_to_where_it_is_left() -> None:
    tokens = tokenize(ENTERED.format("/usr/include/outer.h", "/usr/include/inner.h"))
    assert [token for token in tokens if "system" in token or "inner" in token] == [
        '# 1 "/usr/include/outer.h" 1 3\nsystem\n# 1 "/usr/include/inner.h" 1 3\ninner\n'
        '# 3 "/usr/include/outer.h" 2 3\n'
    ]
    assert "own" in tokens


@pytest.mark.parametrize("name", ["a.cu", "./a.cu", "../{}/a.cu", "/proc/self/fd/3", "/dev/stdin"])
def test_a_source_that_includes_itself_stays_the_users(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cu").write_text("")
    assert "system" in tokenize(ENTERED.format(name.format(tmp_path.name), "/usr/include/inner.h"))


@pytest.mark.parametrize("text", [
    '# 0 "a.cu"\nauto a = R"(\n# 1 "x.h" 1 3\n)"; own\n',
    '# 0 "a.cu"\n# 7 "x.h" 3\nown\n',
    '# 0 "a.cu"\nauto a = "\u2028# 1 \\"x.h\\" 1 3"; own\n',
    '# 0 "a.cu"\nauto a = u8R"x(\n# 1 "x.h" 1 3\n)" )x"; own\n',
])  # fmt: skip
def test_what_only_looks_like_a_marker_begins_no_header(text: str) -> None:
    assert "own" in tokenize(text)


def digests(folder: Path, text: str) -> list[str]:
    """Of a source for the run and for the checker, which has a file of its own beside it."""
    source = folder / "a.cu"
    source.write_text(text)
    found = []
    for mode in ("run", "check"):
        file = folder / f"{mode}.hpp"
        file.write_text("")
        flags = MODES[mode].flags(options.compiler(), True)
        found.append(digest(preprocess_and_rewrite(source, folder / "a.o", flags).tokens))
        file.unlink()
    return found


@pytest.mark.parametrize("text", [
    '#if __has_include("check.hpp")\nint watched;\n#endif\n',
    '#if __has_include("check.hpp")\n#include "check.hpp"\n#endif\n',
    "#define TEXT(x) #x\n#define MORE(x) TEXT(x)\nauto a = MORE(CUDA_ON_CPU_UNINSTRUMENTED);\n",
])  # fmt: skip
def test_what_depends_on_the_checker_is_another_text(tmp_path: Path, text: str) -> None:
    first, second = digests(tmp_path, text)
    assert first != second


@pytest.mark.parametrize("text", [
    "#include <memory>\n#include <iostream>\n#include <cooperative_groups.h>\n"
    "#include <cuda/barrier>\n__global__ void f(int* a) { __shared__ int b; *a = b; }\n"
    "void g(int* a) { f<<<1, 1>>>(a); }\n",
    "#ifdef _GLIBCXX_TSAN\nint watched;\n#endif\n#ifdef __SANITIZE_THREAD__\nint also;\n#endif\n",
    "#ifdef __CUDA_ARCH__\nint device;\n#else\nint host;\n#endif\n",
])  # fmt: skip
def test_other_programs_have_one_text(tmp_path: Path, text: str) -> None:
    first, second = digests(tmp_path, text)
    assert first == second


def test_where_the_kit_is_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    found = set()
    for kit in ("/room", "/tmp/room-1"):
        monkeypatch.setattr(tokens, "_KIT", Path(kit))
        text = ENTERED.format(f"{kit}/cpu/include/cuda_runtime.h", "/usr/include/inner.h")
        found.add(digest(tokenize(text)))
    other = ENTERED.format("/elsewhere/cuda_runtime.h", "/usr/include/inner.h")
    assert len(found) == 1 and digest(tokenize(other)) not in found


def test_the_compiler_writes_the_digest(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("int a;\n")
    cucc = Checkout.here().root / "grader" / "cpu" / "cucc.py"
    command = [sys.executable, cucc, "-c", "a.cu", "-o", "a.o", "--digest", "a.sha256"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert len((tmp_path / "a.sha256").read_text()) == 64


@pytest.mark.unit
@pytest.mark.parametrize(("text", "line"), [
    ("using Seen = cuda_on_cpu::BlockScope;", 1),
    ("\nusing namespace cuda_on_cpu;", 2),
    ("int a = CUDA_ON_CPU_MORE;", 1),
    ("extern int cuda_on_cpu_switch;", 1),
    ("namespace own = ::cuda_on_cpu;", 1),
])  # fmt: skip
def test_a_name_of_the_cpu_backend_is_found(text: str, line: int) -> None:
    assert place_of_own_name(tokenize(f'# 1 "a.cu"\n{text}\n')) == f"a.cu:{line}"


@pytest.mark.unit
@pytest.mark.parametrize("text", [
    'const char* a = "cuda_on_cpu";', "int own_cuda_on_cpu;",
    "int cuda_on_gpu;", '# 1 "/kit/cuda_runtime.h" 1 3\nusing cuda_on_cpu::a;\n# 1 "a.cu" 2',
])  # fmt: skip
def test_other_names_and_those_of_headers_are_not(text: str) -> None:
    assert place_of_own_name(tokenize(f'# 1 "a.cu"\n{text}\n')) == ""


@pytest.mark.parametrize(("body", "line"), [("", ""), ("cuda_on_cpu::Block b;", ":5")])
def test_a_body_for_each_side_names_nothing_of_the_backend(
    tmp_path: Path, body: str, line: str
) -> None:
    source = tmp_path / "a.cu"
    source.write_text(f"__host__ __device__ int f() {{\n#ifndef __CUDA_ARCH__\n  return 1;\n"
                      f"#else\n  {body}\n  return 2;\n#endif\n}}\n")  # fmt: skip
    unit = preprocess_and_rewrite(source, tmp_path / "a.o", [])
    assert unit.own_name == (f"{source}{line}" if line else "")
