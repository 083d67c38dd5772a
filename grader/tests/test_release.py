"""What students receive: no line of a solution, every counter point, the hints that are wanted."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.base.errors import InfrastructureError, UsageError
from grader.commands.cli import main
from grader.grading import counting
from grader.lab_file import manifest, marks, recorded
from grader.lab_file.manifest import Lab
from grader.machine import hardware
from grader.release import contents, hints, leaks, prove, write
from grader.release.write import Plan
from grader.sandbox.bubblewrap import OWN_RIGHTS
from grader.tests import choice
from grader.tests.fakes import LAB
from grader.tests.test_counting import counted, kernel, line, with_rule

pytestmark = pytest.mark.reads("labs", "reference", "grader", "report", "datasets", "lab",
                               "CMakeLists.txt")  # fmt: skip
HERE = Checkout.here()
RELEASE = HERE.root / "grader" / "release"

# Lines of solutions that files of the handout also have. They give nothing away.
COMMON = """
while (low < high) {
constexpr int kTile = 1024;
__shared__ int4 tile[kTile / 4];
changed = true;
int number = 0;
#pragma unroll
__syncthreads();
} catch (const kit::CudaError& error) {
CUDA_CHECK_LAUNCH();
CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
bool changed = false;
const auto grid = cooperative_groups::this_grid();
const int e = blockIdx.x * blockDim.x + threadIdx.x;
const int end = graph.offsets[v + 1];
const int i = blockIdx.x * blockDim.x + threadIdx.x;
const int lane = threadIdx.x % kWarp;
const int threads = gridDim.x * blockDim.x;
const int u = graph.targets[i];
constexpr int kWarp = 32;
cooperative_groups::this_grid().sync();
cudaGetLastError();
cudaStream_t stream = nullptr;
cudaPointerAttributes attributes{};
double sum = 0;
for (int phase = 0; phase < n; ++phase)
if (a.level != b.level) return a.level > b.level;
if (a.order == 0 || b.order == 0) return a.order != 0 && b.order == 0;
if (e >= edges) return;
if (edges == 0) return;
if (n == 0) return;
if (threadIdx.x == 0) {
if (v >= n) return;
int dimensions;
int last_change = 0;
int order, level;
return a.value > b.value;
return false;
struct ArcList {
struct Piece {
struct Range {
struct Shared {
template <typename Body>
template <typename Function>
template <typename Launch>
template <typename T>
"""


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "handout"


@pytest.fixture
def whole(checkout: Checkout) -> Checkout:
    """The fake checkout with what a release needs, and a counter of the reference: 100."""
    with_rule(checkout)
    solved = checkout.reference / LAB / "demo.cu"
    count = counted(kernel(line(1, "global", "load", 100, 100)))
    count += count.replace("strided", "global")
    solved.write_text(solved.read_text() + count)
    (checkout.root / "lab").write_text("#!/bin/sh\n")
    (checkout.root / "lab").chmod(0o755)
    (checkout.root / "README.md").write_text("the instructors' page")
    cheat = checkout.root / "grader" / "tests" / "exploits" / "cheat.cu"
    cheat.parent.mkdir(parents=True)
    cheat.write_text("cheat")
    return checkout


def release(checkout: Checkout, target: Path, most: int | None = None) -> list[str]:
    labs = tuple(manifest.discover(checkout))
    write.write(checkout, Plan(labs, hints=most), target)
    return sorted(p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file())


def test_the_copy_has_the_kit_and_no_solution(whole: Checkout, target: Path) -> None:
    mine = whole.labs / LAB / "demo.cu"
    mine.write_text("the instructor's own solution")
    names = release(whole, target)
    assert {"lab", "README.md", f"labs/{LAB}/lab.toml", f"release/{LAB}/recorded.json"} < {*names}
    assert not [name for name in names if "reference" in name or "tests" in name or ".git" in name]
    assert (target / "lab").stat().st_mode & 0o111
    text = (whole.reference / LAB / "demo.cu").read_text()
    skeleton = marks.cut(text, "demo.cu")
    assert (target / "labs" / LAB / "demo.cu").read_text() == skeleton
    assert (target / "release" / LAB / "demo.cu").read_text() == skeleton
    assert "the instructor" not in "".join(
        path.read_text() for path in target.rglob("*") if path.is_file()
    )


def test_only_what_git_tracks_is_handed_out(whole: Checkout, target: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=whole.root, check=True, capture_output=True)

    git("init", "-q")
    lab = manifest.discover(whole)[0]
    with pytest.raises(UsageError, match="labs/01-demo: git does not track it"):
        contents.handed_out(whole, [lab])
    git("add", "lab", "labs", "grader")
    (whole.labs / LAB / "my-notes.txt").write_text("the secret seed is 7")
    names = release(whole, target)
    assert f"labs/{LAB}/my-notes.txt" not in names and f"labs/{LAB}/test.cpp" in names


def test_counter_points_are_the_same_without_the_reference(
    whole: Checkout, target: Path, lab: Lab
) -> None:
    """With the seeds that are recorded; with another one, on a recorded seed's input."""
    release(whole, target)
    lab, copy = manifest.discover(whole)[0], Checkout(target)
    shutil.copytree(whole.root / "build", target / "build")
    shutil.copytree(whole.root / "grader" / "cpu", target / "grader" / "cpu", dirs_exist_ok=True)
    mine = counted(kernel(line(7, "global", "load", 800, 800))).encode()

    def parts(where: Checkout, seed: int) -> list[object]:
        [part] = counting.count_stage(where, lab, mine, lab.stages[1], seed, OWN_RIGHTS)
        return [part.n, part.value, part.reference, part.earned, part.verdict]

    for seed in (1, 2, 3):
        assert parts(copy, seed) == parts(whole, seed)
        assert parts(copy, seed)[2:] == [100, 4, "too slow"]
    assert parts(copy, 2**62 + 5)[2:] == [100, 4, "too slow"]
    (target / "release" / LAB / "recorded.json").unlink()
    assert parts(copy, 1)[2:] == [None, None, "not measured"]


def test_where_there_is_a_gpu_the_reference_is_there_as_a_program(
    whole: Checkout, tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], lab: Lab,
) -> None:  # fmt: skip
    (tmp_path / "program").write_text("compiled")
    monkeypatch.setattr(hardware, "find_gpu", lambda: hardware.Gpu("A GPU", "1", "9.0"))
    monkeypatch.setattr(hardware, "find_nvcc", lambda: "nvcc")
    monkeypatch.setattr(write, "compile_form", lambda *_, **__: tmp_path / "program")
    assert main(["release", str(target)], whole) == 0
    assert "programs made for this GPU: 01-demo" in capsys.readouterr().out
    program = recorded.yardstick(Checkout(target), lab, "good")
    assert program and program.read_text() == "compiled" and program.stat().st_mode & 0o111


@pytest.mark.parametrize("text", choice.first_of(
    2, ['{"schema": 1, "counts": [{}]}', "\0", "", "{}", "[]"], RELEASE))  # fmt: skip
def test_damaged_counts_are_said_and_no_mark(
    whole: Checkout, target: Path, lab: Lab, text: str
) -> None:
    release(whole, target)
    (target / "release" / LAB / "recorded.json").write_text(text)
    with pytest.raises(InfrastructureError, match=r"recorded\.json: is damaged"):
        recorded.load(Checkout(target), lab)


def test_the_frame_is_still_known(whole: Checkout, target: Path, lab: Lab) -> None:
    release(whole, target)
    assert recorded.skeleton(Checkout(target), lab) == recorded.skeleton(whole, lab)
    (target / "release" / LAB / "demo.cu").unlink()
    assert recorded.skeleton(Checkout(target), lab) is None


def test_no_page_has_a_link_to_what_is_not_handed_out(whole: Checkout, target: Path) -> None:
    page = whole.labs / LAB / "README.md"
    page.write_text("[b](../../reference/x.md) shows how.\n"
                    "[a](demo.hpp), [b](../../reference/x.md), ![c](no.svg), [d](https://a.org)\n")
    release(whole, target)
    text = (target / "labs" / LAB / "README.md").read_text()
    assert text == "[a](demo.hpp), b, c, [d](https://a.org)\n"


# ---- what would give a solution away ------------------------------------------------------------


SECRET = {"out[global_thread]=5;": "there"}


@pytest.mark.parametrize(
    ("text", "public", "found"),
    [
        ("harmless\n  out[global_thread]  = 5 ;  // solved\n", set(), ["page.md: has there"]),
        ("harmless\n  out[global_thread]  = 5 ;  // solved\n", set(SECRET), []),
        ("harmless\n  out[global_thread] = 6;\n// out[global_thread] = 5;\n", set(), []),
    ],
)
def test_a_line_is_found_whatever_its_spaces(
    tmp_path: Path, text: str, public: set[str], found: list[str]
) -> None:
    (tmp_path / "page.md").write_text(text)
    assert leaks.leaks(tmp_path, SECRET, public) == found


def test_nothing_is_left_of_a_copy_that_would_give_solutions_away(
    whole: Checkout, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marks, "cut", lambda text, *_: text)  # a cut that cuts nothing
    with pytest.raises(UsageError, match="nothing was released.*\n.*labs/01-demo/demo.cu: has"):
        release(whole, target)
    assert not target.exists() and not list(target.parent.glob("warpwise-run*"))


def test_no_line_of_a_solution_is_in_what_this_checkout_hands_out() -> None:
    """Every line of every stage that no skeleton has, in every file; COMMON ones aside."""
    labs = manifest.discover(HERE)
    secret = leaks.solution_lines(HERE, labs)
    assert len(secret) > 800
    names = contents.handed_out(HERE, labs)
    assert len(names) > 300
    sources = {f"labs/{lab.name}/{lab.source}" for lab in labs}
    found = {
        f"{name}: {secret[line]}"
        for name in names if name not in sources
        for line in leaks.public_lines(HERE, [name]) & secret.keys() - leaks.bare_lines(COMMON)
    }  # fmt: skip
    assert found == set(), "if these lines give nothing away, add them to COMMON"


def test_no_wrong_file_no_exploit_no_test_and_no_note_is_handed_out() -> None:
    names = contents.handed_out(HERE, manifest.discover(HERE))
    kept = {path.read_bytes() for folder in (HERE.reference, HERE.root / "grader/tests/exploits")
            for path in folder.rglob("*") if path.is_file()}  # fmt: skip
    assert not [name for name in names if (HERE.root / name).read_bytes() in kept]
    assert not [name for name in names if re.match(r"reference/|grader/tests|report/gallery", name)]
    assert "grader/cpu/runtime/launches/launch.cpp" in names and "labs/kit/warp.hpp" in names


# ---- hints --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("most", "first", "second"),
    [(None, ["think", "think harder", "count"], ["think"]), (2, ["think", "think harder"],
     ["think"]), (0, [hints.NO_HINT], [hints.NO_HINT])],
)  # fmt: skip
def test_as_many_hints_as_the_course_wants(
    whole: Checkout, target: Path, most: int | None, first: list[str], second: list[str]
) -> None:
    release(whole, target, most)
    stages = manifest.discover(Checkout(target))[0].stages
    assert [list(stage.hints) for stage in stages] == [first, second]
    text = (target / "labs" / LAB / "lab.toml").read_text()
    assert ("harder" in text) == (most != 0)


@pytest.mark.parametrize("lab", manifest.discover(HERE), ids=lambda lab: lab.name)
def test_hints_of_every_lab_can_be_cut(lab: Lab) -> None:
    text = (HERE.labs / lab.name / "lab.toml").read_text(encoding="utf-8")
    assert hints.kept(text, None, "") == text
    for stage in tomllib.loads(hints.kept(text, 1, ""))["stage"]:
        assert len(stage["hints"]) == 1
        assert "advice" not in stage
    last = [stage.hints[-1] for stage in lab.stages if len(stage.hints) > 1]
    assert last and not [hint for hint in last if hint[:30] in hints.kept(text, 1, "")]


def test_advice_is_cut_with_the_hints_and_what_follows_stays() -> None:
    text = """[[stage]]
name = "a"
hints = [ "one", "two" ]

[stage.advice]
"launches" = "Use [one] launch."

[stage.counters."barriers"]
n = 8

[[stage]]
name = "b"
hints = ["one"]
"""
    cut = tomllib.loads(hints.kept(text, 1, ""))["stage"]
    assert cut[0] == {"name": "a", "hints": ["one"], "counters": {"barriers": {"n": 8}}}
    assert cut[1]["name"] == "b" and "launch" not in hints.kept(text, 1, "")
    with pytest.raises(UsageError, match="cannot be cut"):
        hints.kept(text.replace("[stage.advice]\n", "").replace(
            '"launches" = ', 'advice.launches = '), 1, "lab.toml")  # fmt: skip


def test_hints_in_another_form_are_refused_not_handed_out() -> None:
    with pytest.raises(UsageError, match="lab.toml: its hints cannot be cut"):
        hints.kept('stage = [{ name = "a", hints = ["one", "two"] }]\n', 1, "lab.toml")


# ---- the command --------------------------------------------------------------------------------


def test_the_command_says_what_it_wrote(
    whole: Checkout, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["release", str(target), "--hints", "1"], whole) == 0
    said = capsys.readouterr().out
    assert "labs: 01-demo; at most 1 hint for each stage" in said
    assert "recorded from the references: 3 counts" in said


@pytest.mark.parametrize(("stages", "shown"), [
    ("", "| global, strided |"),
    ('stages = ["strided"]', "| strided; without points here: global |"),
])  # fmt: skip
def test_students_are_told_which_stages_have_points_in_the_course(
    whole: Checkout, target: Path, tmp_path: Path, stages: str, shown: str
) -> None:
    course = tmp_path / "cs101"
    assert main(["class", "new", str(course)], whole) == 0
    (course / "course.toml").write_text(f'title = "cs"\n[[lab]]\nname = "01-demo"\n{stages}\n')
    assert main(["release", str(target), "--course", str(course)], whole) == 0
    assert shown in (target / "README.md").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{root}/labs/out"], "is inside this checkout; name a folder outside of it"),
        (["{full}"], "is not empty; name a new folder"),
        (["{file}"], "is not a folder; name a new one"),
        (["{new}", "--labs", "07"], "there is no lab '07'"),
        (["{new}", "--hints", "few"], "'few' is not a number of hints"),
    ],
)
def test_a_wrong_call_writes_nothing(
    whole: Checkout, tmp_path: Path, words: list[str], said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    full, file, new = tmp_path / "full", tmp_path / "file", tmp_path / "new"
    full.mkdir()
    (full / "thesis.txt").write_text("mine")
    file.write_text("mine")
    places = {"root": whole.root, "full": full, "file": file, "new": new}
    assert main(["release", *(word.format(**places) for word in words)], whole) == 2
    assert said in capsys.readouterr().err
    assert not new.exists() and (full / "thesis.txt").read_text() == file.read_text() == "mine"


def test_a_copy_cannot_be_released_again(
    whole: Checkout, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(whole.reference)
    assert main(["release", str(target)], whole) == 2
    assert "a release is made from references" in capsys.readouterr().err
    assert not target.exists()


# ---- the proof ----------------------------------------------------------------------------------


def stage(verdict: str, counters: list[dict[str, object]] | None = None) -> dict[str, object]:
    return {"name": "global", "verdict": verdict, "message": "why",
            "points": {"counters": counters or []}}  # fmt: skip


@pytest.mark.parametrize(
    ("of_skeleton", "of_reference", "holds"),
    choice.first_of(3, [
        (stage("not attempted"), stage("passed"), [True, True]),
        (stage("passed"), stage("passed"), [False, True]),
        (stage("not attempted"), stage("wrong answer"), [True, False]),
        (stage("not attempted"), stage("passed", [{"verdict": "not measured", "counter": "launches",
                                                   "reason": "no counts"}]), [True, False]),
        ("no compiler", "no compiler", [False, False]),
    ], RELEASE),
)  # fmt: skip
def test_the_proof_needs_both_halves(
    whole: Checkout, target: Path, monkeypatch: pytest.MonkeyPatch, of_skeleton: object,
    of_reference: object, holds: list[bool],
) -> None:  # fmt: skip
    release(whole, target)
    before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}

    def checked(copy: Path) -> object:
        assert copy != target
        solved = (whole.reference / LAB / "demo.cu").read_text()
        is_solved = (copy / "labs" / LAB / "demo.cu").read_text() == solved
        said = of_reference if is_solved else of_skeleton
        return said if isinstance(said, str) else {"results": [{"lab": LAB, "stages": [said]}]}

    monkeypatch.setattr(prove, "_checked", checked)
    labs = tuple(manifest.discover(whole))
    proofs = prove.prove(whole, Plan(labs), target)
    assert [proof.holds for proof in proofs] == holds
    assert all(bool(proof.message) != proof.holds for proof in proofs)
    after = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    assert after == before


# ---- a course -----------------------------------------------------------------------------------


def test_a_course_says_which_labs_and_how_many_hints(
    whole: Checkout, tmp_path: Path, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course = tmp_path / "cs101"
    assert main(["class", "new", str(course)], whole) == 0
    said = course / "course.toml"
    said.write_text(said.read_text().replace('hints = "all"', "hints = 1"))
    assert main(["release", str(target), "--course", str(course)], whole) == 0
    assert "at most 1 hint for each stage" in capsys.readouterr().out
    assert [len(s.hints) for s in manifest.discover(Checkout(target))[0].stages] == [1, 1]
    assert "# Warpwise: cs101" in (target / "README.md").read_text()
    said.write_text(said.read_text().replace("hints = 1", "hints = -1"))
    assert main(["release", str(tmp_path / "b"), "--course", str(course)], whole) == 2
    assert "visible.hints: must be" in capsys.readouterr().err


def test_a_secret_seed_is_the_owners_and_is_made_once(
    whole: Checkout, tmp_path: Path, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course = tmp_path / "cs101"
    main(["class", "new", str(course)], whole)
    assert main(["class", "seed", "new", "--course", str(course)], whole) == 0
    secret = (course / "secret-seed").read_text().strip()
    assert (course / "secret-seed").stat().st_mode & 0o777 == 0o600
    assert secret not in capsys.readouterr().out and int(secret) >= 0
    assert main(["class", "seed", "new", "--course", str(course)], whole) == 2
    assert (course / "secret-seed").read_text().strip() == secret
    main(["release", str(target), "--course", str(course)], whole)
    files = (path for path in target.rglob("*") if path.is_file())
    assert not any(secret.encode() in path.read_bytes() for path in files)
