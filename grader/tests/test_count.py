"""Count mode: the counters of count/*.cu are what theory says, to the last request."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grader.cpu.compiler import driver
from grader.tests import choice
from grader.tests.built_once import built_once, runtime

ROOT = Path(__file__).resolve().parents[2]
TESTS = Path(__file__).resolve().parent / "count"
CPU = Path(__file__).resolve().parents[1] / "cpu"


pytestmark = pytest.mark.reads("cpu backend", "grader/tests/count")

PROGRAMS = sorted(path.stem for path in TESTS.glob("*.cu"))
Document = dict[str, Any]
Run = Callable[..., Document]


@pytest.fixture(scope="session")
def library() -> Path:
    return runtime("count")


@pytest.fixture(scope="session")
def programs(library: Path) -> dict[str, Path]:
    flags = ["--mode", "count", "-Wall", "-Wextra", "-Werror"]

    def build(name: str) -> Path:
        source = TESTS / f"{name}.cu"
        return built_once(
            name, [source], library, flags,
            lambda program: driver.link_program([source], program, flags, library),
        )  # fmt: skip

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(PROGRAMS, pool.map(build, PROGRAMS), strict=True))


def execute(program: Path, counters: str = "", **environment: str) -> str:
    """What the program prints on stderr."""
    env = {**os.environ, **environment, "WARPWISE_COUNT_JSON": counters}
    done = subprocess.run([str(program)], env=env, cwd=program.parent, capture_output=True,
                          text=True, timeout=20, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return done.stderr


@pytest.fixture(scope="session")
def kernels(programs: dict[str, Path]) -> dict[str, Document]:
    """The counters of every kernel of every program, by its name."""
    found: dict[str, Document] = {}
    for program in programs.values():
        execute(program, f"{program}.json")
        document = json.loads(Path(f"{program}.json").read_text())
        found |= {kernel["kernel"]: kernel for kernel in document["kernels"]}
    return found


def total(kernel: Document, space: str, access: str) -> tuple[int, int]:
    """Requests, and sectors or wavefronts, of all lines of a kernel."""
    pieces = "sectors" if space == "global" else "wavefronts"
    pieces = "turns" if access == "atomic" else pieces
    lines = [line for line in kernel["lines"] if (line["space"], line["access"]) == (space, access)]
    return sum(line["requests"] for line in lines), sum(line.get(pieces, 0) for line in lines)


# 16384 threads are 512 warps; one column of sectors or wavefronts per case of the theory.
THEORY = [
    ("copy", "global", "load", 512, 4 * 512),
    ("copy", "global", "store", 512, 4 * 512),
    ("copy_offset", "global", "load", 512, 5 * 512),
    ("copy_offset", "global", "store", 512, 4 * 512),
    ("copy_stride2", "global", "load", 512, 8 * 512),
    ("copy_stride2", "global", "store", 512, 8 * 512),
    ("copy_float4", "global", "load", 512, 16 * 512),
    ("copy_float4", "global", "store", 512, 16 * 512),
    # 31 full warps and one of 8 lanes; then a warp of 32 and one of 8.
    ("copy_partial", "global", "load", 32 + 2, 31 * 4 + 1 + 4 + 1),
    ("copy_partial", "global", "store", 32 + 2, 31 * 4 + 1 + 4 + 1),
    ("branches", "global", "load", 2 * 2, 2 * 2 * 4),
    ("histogram", "global", "load", 8, 8 * 4),
    ("histogram", "global", "atomic", 8, 8 * 32),  # all keys are in one bin
    ("naive", "global", "load", 512, 4 * 512),
    ("naive", "global", "store", 512, 32 * 512),
    ("tiled32", "global", "load", 512, 4 * 512),
    ("tiled32", "global", "store", 512, 4 * 512),
    ("tiled32", "shared", "store", 512, 512),
    ("tiled32", "shared", "load", 512, 32 * 512),
    ("tiled33", "global", "store", 512, 4 * 512),
    ("tiled33", "shared", "store", 512, 512),
    ("tiled33", "shared", "load", 512, 512),
    ("rank_global", "global", "load", 32 + 32 * 1000, 125 + 32 * 1000),
    ("rank_shared", "global", "load", 32, 125),
    ("rank_shared", "shared", "load", 32 + 32 * 1000, 32 + 32 * 1000),
    ("stride2", "shared", "load", 1, 2),
    ("stride2", "shared", "store", 1, 2),
    ("doubles", "shared", "load", 1, 2),
    ("vectors", "shared", "load", 1, 4),
    ("vectors", "shared", "store", 1, 4),
    # 16 bytes for every lane of a half warp fit one wavefront when they are the same 16 bytes.
    ("components", "shared", "load", 1, 2),
    ("components", "shared", "store", 1, 4),
    ("components", "global", "store", 1, 16),
    # A barrier of all blocks: 4 warps, before it, between the two, and after it.
    ("grid_rounds", "global", "load", 4 + 4, 2 * 4 * 4),
    ("grid_rounds", "global", "store", 3 * 4, 3 * 4 * 4),
    ("by_address<float>", "global", "store", 1, 4),
    ("zeros", "global", "store", 1, 16),
    ("two_components", "global", "store", 2, 2 * 8),
    # Lanes that synchronise by halves of a warp are still matched across the warp.
    ("rounds", "global", "load", 2 * 2 * 5, 2 * 2 * 5 * 4),
    ("shuffles", "global", "load", 2 * 5, 2 * 5 * 4),
    ("half_warps", "global", "load", 2 * 5, 2 * 5 * 4),
    # Four blocks arrive, and each looks whether all have. What it sees again and again counts once.
    ("barrier_by_hand", "global", "atomic", 4 + 4, 4 + 4),
    ("tickets", "global", "atomic", 21, 21),
]


def test_new_values_in_one_word_count(kernels: dict[str, Document]) -> None:
    assert total(kernels["one_word_for_all"], "shared", "load")[0] >= 10




def test_the_heap_of_kernels_is_global_memory(kernels: dict[str, Document]) -> None:
    warps = 2 * 4
    assert total(kernels["from_heap"], "global", "load")[0] == warps
    assert total(kernels["from_heap"], "global", "store")[0] == 2 * warps


@pytest.mark.parametrize(("kernel", "space", "access", "requests", "pieces"), THEORY)
def test_counters_are_what_theory_says(
    kernels: dict[str, Document], kernel: str, space: str, access: str, requests: int, pieces: int
) -> None:
    assert total(kernels[kernel], space, access) == (requests, pieces)


@pytest.mark.parametrize(
    ("kernel", "launches", "blocks", "threads", "barriers"),
    [
        ("copy", 1, 64, 16384, 0),
        ("copy_partial", 2, 5, 1064, 0),
        ("tiled32", 1, 16, 16384, 16),
        ("rank_shared", 1, 1, 1000, 1),
        ("rounds", 1, 2, 128, 10),
        ("shuffles", 1, 1, 64, 0),
        ("grid_rounds", 1, 2, 128, 2 * 2),
        ("by_address<float>", 1, 1, 32, 0),
    ],
)
def test_launches_threads_and_barriers(
    kernels: dict[str, Document], kernel: str, launches: int, blocks: int, threads: int,
    barriers: int,
) -> None:  # fmt: skip
    found = kernels[kernel]
    counted = [found[name] for name in ("launches", "blocks", "threads", "barriers")]
    assert counted == [launches, blocks, threads, barriers]
    assert found["barriers_per_block"] == barriers / blocks


@pytest.mark.parametrize(
    ("kernel", "branches", "uniform"),
    choice.first_of(4, [
        ("together", 8, 8),
        ("apart", 8, 0),
        ("branches", 2, 0),
        ("triangle", 2 * 32, 2 * 1),  # before the loop, after 31 rounds; the last leaves alone
        ("copy_partial", 34, 33),  # one warp has keys for 8 of its lanes
        ("straight", 0, 0),
        ("copy", 0, 0),
        ("grid_rounds", 0, 0),
    ], CPU, TESTS),
)
def test_branches_are_taken_together_or_apart(
    kernels: dict[str, Document], kernel: str, branches: int, uniform: int
) -> None:
    found = kernels[kernel]
    assert found.get("branches", 0) == branches
    if branches:
        assert found["branch_efficiency"] == pytest.approx(uniform / branches, abs=1e-4)


def test_a_branch_is_told_by_the_line_before_it(kernels: dict[str, Document]) -> None:
    source = (TESTS / "paths.cu").read_text().splitlines()
    number = next(n for n, line in enumerate(source, start=1) if line.endswith("// the loop"))
    lines = {line["line"]: line for line in kernels["triangle"]["lines"]}
    loop = lines.pop(f"paths.cu:{number}")
    assert loop["branches"] == 2 * 31
    assert loop["branch_efficiency"] == pytest.approx(1 / 31, abs=1e-4)
    assert not any("branches" in line for line in lines.values())


@pytest.mark.parametrize(
    ("kernel", "access", "comment"),
    [("naive", "store", "// the naive store"), ("tiled32", "load", "// the conflict")],
)
def test_a_line_of_the_source_is_named(
    kernels: dict[str, Document], kernel: str, access: str, comment: str
) -> None:
    source = (TESTS / "transposes.cu").read_text().splitlines()
    number = next(n for n, line in enumerate(source, start=1) if line.endswith(comment))
    worst = max(kernels[kernel]["lines"], key=lambda line: line["per_request"])
    assert (worst["line"], worst["access"]) == (f"transposes.cu:{number}", access)
    assert worst["per_request"] == 32
    assert worst["ideal"] == (4 * 512 if kernel == "naive" else 512)


def test_local_memory_and_parameters_are_not_counted(kernels: dict[str, Document]) -> None:
    assert len(kernels["copy"]["lines"]) == 2
    assert len(kernels["rank_shared"]["lines"]) == 5


# Who waits in a loop sees more values in one order than in another.
@pytest.mark.parametrize("program", [name for name in PROGRAMS if name != "waits"])
def test_same_numbers_in_every_run_and_order(programs: dict[str, Path], program: str) -> None:
    def counted(order: str) -> tuple[str, str]:
        path = Path(f"{programs[program]}.{order}.json")
        table = execute(programs[program], str(path), WARPWISE_ORDER=order)
        return table, path.read_text()

    first = counted("forward")
    assert counted("forward") == first
    assert counted("reverse") == first
    assert counted("random") == first


def test_the_table_says_it_for_people(programs: dict[str, Path]) -> None:
    said = execute(programs["transposes"])
    rows = [line.split() for line in said.splitlines()]
    assert said.startswith("warpwise counters, kernel naive: launches 1, blocks 16, threads 16384, "
                           "barriers per block 0, branch efficiency -\n")  # fmt: skip
    store = ["transposes.cu:9", "global", "store", "512", "16384", "sectors", "32.00", "2048", "-"]
    assert store in rows


STRUCTS = """
struct Loose { float x, y, z, w; };
struct alignas(16) Tight { float x, y, z, w; };
struct Pair { float key; int index; };
struct alignas(8) TightPair { float key; int index; };
struct Eight { float key[8]; };
struct alignas(16) TightEight { float key[8]; };
struct Fours { float4 four[3]; };
struct Doubles { double key[3]; };
template <class T> __global__ void copy(const T *in, T *out) { out[threadIdx.x] = in[threadIdx.x]; }
int main() {
  char *in, *out;
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  cudaMemset(in, 0, 4096);
  copy<<<1, 32>>>(reinterpret_cast<Loose *>(in), reinterpret_cast<Loose *>(out));
  copy<<<1, 32>>>(reinterpret_cast<Tight *>(in), reinterpret_cast<Tight *>(out));
  copy<<<1, 32>>>(reinterpret_cast<Pair *>(in), reinterpret_cast<Pair *>(out));
  copy<<<1, 32>>>(reinterpret_cast<TightPair *>(in), reinterpret_cast<TightPair *>(out));
  copy<<<1, 32>>>(reinterpret_cast<Eight *>(in), reinterpret_cast<Eight *>(out));
  copy<<<1, 32>>>(reinterpret_cast<TightEight *>(in), reinterpret_cast<TightEight *>(out));
  copy<<<1, 32>>>(reinterpret_cast<Fours *>(in), reinterpret_cast<Fours *>(out));
  copy<<<1, 32>>>(reinterpret_cast<Doubles *>(in), reinterpret_cast<Doubles *>(out));
  copy<<<1, 32>>>(reinterpret_cast<double4 *>(in), reinterpret_cast<double4 *>(out));
  cudaFree(in);
  cudaFree(out);
}
"""


def test_a_struct_is_copied_in_pieces_of_its_alignment(library: Path, tmp_path: Path) -> None:
    """As a GPU does: LDG.128 needs an address that the type says is a multiple of 16."""
    calls = re.findall(r"  copy.*\n", STRUCTS)
    requests = []
    for call in calls:
        (tmp_path / "copy.cu").write_text(re.sub(r"(?:  copy.*\n)+", call, STRUCTS))
        driver.link_program([tmp_path / "copy.cu"], tmp_path / "copy", ["--mode", "count"], library)
        execute(tmp_path / "copy", str(tmp_path / "json"))
        [kernel] = json.loads((tmp_path / "json").read_text())["kernels"]
        requests.append((total(kernel, "global", "load")[0], total(kernel, "global", "store")[0]))
    one_each = [4, 1, 2, 1, 8, 2, 3, 3, 2]
    assert requests == [(each, each) for each in one_each]


BY_NATURE = {"components"}  # clang takes a float4 apart; see the counter's README


@pytest.mark.exhaustive("grader/cpu", "grader/tests/count")
@pytest.mark.parametrize("compiler", ["clang++-16", "clang++-19"])
def test_other_compilers_count_the_same(
    compiler: str, library: Path, kernels: dict[str, Document], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    monkeypatch.setenv("CXX", compiler)
    found: dict[str, Document] = {}
    for name in PROGRAMS:
        program = tmp_path / name
        driver.link_program([TESTS / f"{name}.cu"], program, ["--mode", "count"], library)
        execute(program, f"{program}.json")
        document = json.loads(Path(f"{program}.json").read_text())
        found |= {kernel["kernel"]: kernel for kernel in document["kernels"]}
    assert found.keys() == kernels.keys()
    different = {name for name in kernels if found[name] != kernels[name]}
    assert different == BY_NATURE, [(found[name], kernels[name]) for name in different - BY_NATURE]


def test_a_file_that_cannot_be_written_is_one_sentence(programs: dict[str, Path]) -> None:
    said = execute(programs["warps"], "nowhere/counters.json")
    assert said.endswith("warpwise: the counters could not be written to nowhere/counters.json\n")


def test_lab_run_puts_the_counters_into_its_document() -> None:
    command = [str(ROOT / "lab"), "run", str(TESTS / "rank_sort.cu"), "--mode", "count"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    assert (done.returncode, document["mode"], document["findings"]) == (0, "count", [])
    names = [kernel["kernel"] for kernel in document["counters"]["kernels"]]
    assert names == ["rank_global", "rank_shared"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "warpwise counters, kernel rank_shared" in done.stderr
