"""The state that the compiler keeps after CUDA's headers stands for those headers and no others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.compiling import worker
from grader.cpu.compiler.kept_headers import shortened
from grader.sandbox.bubblewrap import Sandbox

CUCC = Path(__file__).resolve().parents[1] / "cpu" / "cucc.py"
HEAD, HEADERS = '# 0 "a.cu"\n', '# 0 "<command-line>"\nint f();\n# 0 "<command-line>" 2\n'
REST = '# 1 "a.cu"\nint g() { return f(); }\n'
SOURCE = """#include <vector>
__device__ int twice(int x) { return 2 * x; }
__global__ void k(int *a) { a[threadIdx.x] = twice(a[threadIdx.x]); }
void run(int *a, std::vector<int> &b) {
  k<<<1, 32>>>(a);
  cudaMemcpy(b.data(), a, 4, cudaMemcpyDeviceToHost);
}
"""

pytestmark = pytest.mark.reads("cpu backend")


@pytest.fixture
def kept(tmp_path: Path) -> str:
    (tmp_path / "run.hpp").write_text(HEADERS)
    (tmp_path / "run.gch").touch()
    return str(tmp_path)


def test_it_stands_for_the_headers_that_it_was_made_of(kept: str) -> None:
    pragma = f'#pragma GCC pch_preprocess "{kept}/run.gch"\n'
    assert shortened(HEAD + HEADERS + REST, kept, "run") == HEAD + pragma + REST


@pytest.mark.parametrize(
    "text",
    [
        HEAD + HEADERS.replace("f()", "h()") + REST,
        HEAD + HEADERS.replace(" 2\n", "\n") + REST,
        "int before;\n" + HEAD + HEADERS + REST,
        REST,
    ],
)
def test_other_text_is_compiled_as_it_is(kept: str, text: str) -> None:
    assert shortened(text, kept, "run") == text
    assert shortened(HEAD + HEADERS + REST, kept, "check") == HEAD + HEADERS + REST


def test_the_first_file_of_a_checkout_does_not_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout, box = Checkout(tmp_path), Sandbox("bubblewrap", "bwrap")
    made = checkout.build("cpu") / "submissions"
    for name in ("one/worker", "headers/run.hpp", "headers/run.gch"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).touch()
    monkeypatch.setattr(worker, "_made_once", lambda *_: (made / "headers", ""))
    kept = worker.kept_headers(checkout, "run", box)
    assert [file.name for file in kept] == ["run.hpp", "run.gch"]
    assert not worker.kept_headers(checkout, "run", None)
    (made / "one" / "worker").unlink()
    assert not worker.kept_headers(checkout, "run", box)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "mode", [("run", "--audit", "audit.o"), ("check", "--rules", "off", "--unseen", "refuse")]
)
def test_the_object_is_the_same(tmp_path: Path, mode: tuple[str, ...]) -> None:
    (tmp_path / "empty.cu").touch()
    (tmp_path / "a.cu").write_text(SOURCE)
    (tmp_path / "kept").mkdir()

    def made(source: str, *words: str) -> list[bytes]:
        command = [sys.executable, str(CUCC), "--mode", *mode, *words, "-Wall", "-c", source]
        subprocess.run([*command, "-o", "a.o"], cwd=tmp_path, check=True)
        return [file.read_bytes() for file in sorted(tmp_path.glob("a*.[oc]*"))]

    plain = made("a.cu")
    made("empty.cu", "--keep-headers", "kept")
    assert len(list((tmp_path / "kept").glob("*.gch"))) == 1 + ("--audit" in mode)
    assert made("a.cu", "--headers", "kept") == plain
