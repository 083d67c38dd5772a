"""What a student sees: from the first start to the hand-in."""

import json
import os
import shutil

from grader.base.checkout import Checkout
from grader.machine import hardware
from grader.study import causes, launch_size, versions
from grader.tests.fakes import LAB, plan, result

from .situation import (
    Prepare,
    Situation,
    both,
    file,
    files,
    gone,
    lab,
    raises,
    renamed,
    says,
    stage,
)

FILE = """#include "demo.hpp"
// BEGIN STAGE 1 global: one thread for every key (about 2 lines)
__global__ void count(const float* in, float* out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[255 - threadIdx.x];
}
// END STAGE 1
"""
ENDLESS = "demo::global(in, out, 3): the call did not return within 2 s; it last said:\n"
RACE = (
    "demo::global(in, out, 256): shared memory tile[255]: kernel count, block (0,0,0): thread "
    "(0,0,0) writes at demo.cu:5; thread (255,0,0) reads at demo.cu:6; no __syncwarp() or "
    "__syncthreads() between"
)
WRONG = (
    "demo::global(in, out, 3) on 3 distinct keys, shuffled (seed 41): not in order; first wrong at "
    "index 1: got 5, expected 4\n  index     0  1  2\n  got       1  5  4\n  expected  1  4  5"
)

BEHIND_AN_IF = """void global(const float* in, float* out, int n) {
// BEGIN STAGE 1 global: launch
  if (n >= 256) {
    count<<<1, n>>>(in, out);
    CUDA_CHECK_LAUNCH();
  }
// END STAGE 1
}
"""
TILED = """constexpr int kTile = 1024;
void global(const float* in, float* out, int n) {
// BEGIN STAGE 1 global: launch
  sort<<<(n + kTile - 1) / kTile, kTile / 4>>>(in, out, n);
// END STAGE 1
}
"""
NETWORK = """void global(float* keys, size_t n) {
  // BEGIN STAGE 1 global: launch
  for (unsigned size = 2; size <= n; size *= 2)
    for (unsigned stride = size / 4; stride > 0; stride /= 2) step<<<1, n>>>(keys, size, stride);
  // END STAGE 1
}
"""


def judged(verdict: str, message: str = "") -> Prepare:
    return file(FILE + stage(verdict, message))


def known_mistake(checkout: Checkout) -> None:
    judged("wrong answer", WRONG)(checkout)
    one = causes.Mistake("global", "wrong answer", "",
                         causes.told("wrong answer", WRONG), {}, "Never compares the last key.",
                         "")  # fmt: skip
    text = json.dumps({"schema": causes.SCHEMA, "mistakes": [one.document()]})
    (checkout.labs / LAB / causes.FILE).write_text(text)


PASSING = file("// fine\n")
CHECKED = both(PASSING, lab("check", "--backend", "cpu"))


DEFECT = {"grader.machine.bootstrap.ensure": raises(ZeroDivisionError("division by zero"))}

SPEED = '{"verdict": "inconclusive", "ratio": 1.2, "low": 0.9, "high": 4.1, "rounds": 64}'
SLOW = '{"verdict": "decided", "ratio": 9.0, "low": 8.6, "high": 9.4, "rounds": 8}'


def on_gpu(comparison: str) -> Prepare:
    """A GPU's judges, and a file whose speed is compared so."""

    def prepared(checkout: Checkout) -> None:
        shutil.copytree(checkout.build("cpu"), checkout.build("gpu"), dirs_exist_ok=True)
        file(plan("global", "compare", comparison))(checkout)

    return prepared


def benches(text: str) -> Prepare:
    """The lab's judge lists these benches."""
    return lambda checkout: checkout.judge("cpu", LAB).with_name(f"{LAB}.judge.benches").write_text(
        f'{{"benches": {text}}}') and None


GPU = {
    "grader.machine.hardware.find_gpu": says(hardware.Gpu("A GPU", "1", "9.0")),
    # Other tests, which run beside these, wait for locks of GPU 0.
    "grader.machine.devices.name_for_locks": says(os.environ.get("PYTEST_XDIST_WORKER", "test")),
}
STUCK = {"grader.commands.check.grade": raises(KeyboardInterrupt())}


SITUATIONS = (
    Situation("first-start", ""),
    Situation("where-you-stand-after-an-edit", "", both(CHECKED, file("// fine, edited\n"))),
    Situation("where-you-stand-after-a-failure", "", both(judged("race", RACE), lab("check"))),
    Situation("next", "next"),
    Situation("next-after-the-last", "next", CHECKED),
    Situation("list", "list", CHECKED),
    Situation("hint", "hint 01.global\nhint"),
    Situation("hint-after-the-last", "hint", CHECKED),
    Situation("hint-without-a-stage", "hint 01"),
    Situation("hint-too-deep", "hint 01.global --level 9"),
    Situation("check-passed", "check 01", PASSING),
    Situation("check-by-path", "check {labs}/01-demo/demo.cu", PASSING),
    Situation("check-not-attempted", "check 01.global", lambda checkout: file(
        (checkout.labs / LAB / "demo.cu").read_text() + stage("not attempted"))(checkout)),
    Situation("check-code-that-changes-nothing", "check 01.global", file(
        FILE.replace("__shared__ ", "") + stage("not attempted"))),
    Situation("check-a-kernel-without-a-barrier", "check 01.global", judged("not attempted")),
    Situation("check-code-that-launches-nothing", "check 01.global", file(
        FILE + stage("not attempted", launch_size.NO_CALL))),
    Situation("check-a-launch-that-is-not-reached", "check 01.global", file(
        BEHIND_AN_IF + stage("wrong answer", "demo::global(in, out, 3) on 3 keys: nothing was "
        "written to index 0; first wrong at index 0: got 7, expected 1\n"
        "the call made 0 launches"))),
    Situation("check-strides-that-are-missing", "check 01.global", file(
        NETWORK + stage("wrong answer", "bitonic::global(keys, 8) on 8 keys: not in order: 2 at "
        "index 1 comes before 1; first wrong at index 0: got 2, expected 1\n"
        "the call made 3 launches"))),
    Situation("check-a-size-from-which-it-is-wrong", "check 01.global", file(
        TILED + stage("wrong answer", "demo::global(in, out, 1025) on 1025 keys: not in order: 2 "
        "at index 1023 comes before 1; first wrong at index 9: got 2, expected 1\n"
        "the call made 2 launches\nstill right: demo::global(in, out, 1024)"))),
    Situation("check-a-call-that-changes-nothing", "check 01.global", judged("wrong answer",
              "demo::global(in, out, 3) on 3 keys: not in order: 2 at index 0 comes before 1; "
              "first wrong at index 0: got 2, expected 1\nthe call made 1 launch\n"
              "the call left its buffers as they were\nstill right: demo::global(in, out, 2)")),
    Situation("check-wrong-answer", "check 01.global", judged("wrong answer", WRONG)),
    Situation("check-with-another-seed", "check 01.global --seed 7",
              judged("wrong answer", WRONG)),
    Situation("check-known-mistake", "check 01.global", known_mistake),
    Situation("check-race", "check 01.global", judged("race", RACE)),
    Situation("check-zero-blocks", "check 01.global", judged("crashed",
              "demo::global(in, out, 5): failed: cudaErrorInvalidConfiguration: invalid "
              "configuration argument: kernel count: zero blocks (demo.cu:6)")),
    Situation("check-a-block-too-large", "check 01.global", judged("crashed",
              "demo::global(in, out, 1025): failed: cudaErrorInvalidConfiguration: invalid "
              "configuration argument: kernel count: 1,025 threads per block; at most 1,024 "
              "(demo.cu:6)")),
    Situation("check-a-copy-in-another-direction", "check 01.global", judged("crashed",
              "demo::global(in, out, 5): failed: cudaErrorInvalidValue: invalid argument: "
              "cudaMemcpy: copy direction: DeviceToHost given, the target is device memory "
              "(demo.cu:6)\ncudaMemcpy: the target has fewer than the 20 bytes that are copied")),
    Situation("check-a-buffer-of-n-bytes", "check 01.global", judged("crashed",
              "demo::global(in, out, 5): failed: cudaErrorInvalidValue: invalid argument: "
              "cudaMemcpy: the target has fewer than the 20 bytes that are copied, or has been "
              "freed (demo.cu:6)")),
    Situation("check-a-thread-without-an-element", "check 01.global", judged("wrote outside",
              "global memory in[5] (20 bytes): kernel count, block (0,0,0), thread (5,0,0) reads "
              "4 bytes past its end at demo.cu:5")),
    Situation("check-without-the-block-index", "check 01.global", file(
        FILE.replace("// END STAGE 1\n", "void global(const float* in, float* out, int n) {\n"
                     "  count<<<n / 256, 256>>>(in, out);\n}\n// END STAGE 1\n")
        + stage("wrong answer", WRONG))),
    Situation("check-returned-before-a-barrier", "check 01.global", judged("crashed",
              "demo::global(in, out, 5): kernel count, block (0,0,0): __syncthreads() at demo.cu:6 "
              "is reached by 5 threads, 27 of 32 have left the kernel")),
    Situation("check-no-dynamic-shared-memory", "check 01.global", judged("wrote outside",
              "demo::global(in, out, 1): shared memory: kernel count, block (0,0,0), thread "
              "(0,0,0) writes 4 bytes although the launch asked for no dynamic shared memory at "
              "demo.cu:5")),
    Situation("check-wrote-outside", "check 01.global",
              judged("wrote outside", "demo::global(in, out, 3): out[3] is written, 1 element past "
                     "its end, at demo.cu:6")),
    Situation("check-crashed", "check 01.global",
              judged("crashed", "demo::global(in, out, 3): the program was ended by an invalid "
                     "memory access (SIGSEGV)")),
    Situation("check-timed-out", "check 01.global",
              judged("timed out", "demo::global(in, out, 3): the call did not return within 2 s")),
    Situation("check-endless-launches", "check 01.global",
              judged("timed out", ENDLESS + "the host was still launching kernels: 1078977 "
                     "launches in 10.0 s so far, the last one of relax")),
    Situation("check-heavy-launches", "check 01.global",
              judged("timed out", ENDLESS + "the host was still launching kernels: 1077 launches "
                     "in 10.0 s so far, the last one of relax")),
    Situation("check-on-a-busy-machine", "check 01.global",
              judged("infrastructure error", "demo::global(in, out, 3): the call did not return "
                     "within 2 s, but the machine is too busy: load 15.3 on 2 cores")),
    Situation("check-endless-launches-on-a-busy-machine", "check 01.global",
              judged("infrastructure error", ENDLESS + "the host was still launching kernels: "
                     "1078977 launches in 10.0 s so far, the last one of relax, but the machine is "
                     "too busy: load 15.3 on 2 cores")),
    Situation("check-endless-kernel", "check 01.global",
              judged("timed out", ENDLESS + "kernel relax was still running (block (0,0,0), thread "
                     "(7,0,0))")),
    Situation("check-endless-host", "check 01.global",
              judged("timed out", ENDLESS + "no kernel was running: the host's own code went on "
                     "after launch 3, of relax")),
    Situation("check-not-defined", "check 01.global",
              judged("not attempted", "the file does not define global")),
    Situation("check-rejected", "check 01.global",
              judged("rejected", "demo.cu:6: std::sort is a library's sort, which this stage "
                     "forbids")),
    Situation("check-did-not-compile", "check 01", file("#error\n")),
    Situation("check-a-header-that-is-not-there", "check 01",
              file("#include <cuda/std/limits>\n")),
    Situation("check-infrastructure-error", "check 01.global",
              file(plan("global", "any", '{"text": ""}'))),
    Situation("check-without-the-file", "check 01", gone),
    Situation("check-a-file-of-another-name", "check 01\nnext\nsubmit 01 --id ann", renamed),
    Situation("data-of-mistyped-words", "data make rmatt --scale 3 --out {given}/g.gr\n"
              "data make tree --scale 3 --out {given}/g.gr\ndata info {given}/nowhere.gr"),
    Situation("check-with-a-damaged-mark", "check 01.global",
              file(FILE.replace("// END STAGE", "// end stage"))),
    Situation("check-an-empty-file", "check 01", file("")),
    Situation("an-empty-file-elsewhere", "why 01.global\nsubmit 01 --id ann\nbench 01", file("")),
    Situation("check-no-such-file", "check 01/global\ncheck 01/globl\ncheck {labs}/01-demo/dmo.cu\n"
              "check {given}/demo.cu\n"
              "check {labs}/01-demo/notes.txt"),
    Situation("unknown-lab", "check 01-dmo"),
    Situation("unknown-stage", "check 01.strded"),
    Situation("unknown-command", "reztore"),
    Situation("unknown-flag", "check --jsn"),
    Situation("a-stage-apart-from-its-lab",
              "hint 01 global\nhint demo 2\nhint demo globl\n"
              "hint deno globl\nrestore 01 2\nhint 01.global 2\nhint global\nsubmit 01 global\n"
              "hint deno global\nrestore 01 other"),
    Situation("a-name-is-missing", "why\nsubmit\nclass decide ann"),
    Situation("help-for-students", "--help",
              lambda checkout: shutil.rmtree(checkout.reference)),
    Situation("a-file-of-no-lab", "check {given}/else.cu", files(else_cu="// mine")),
    Situation("why-wrong", "why 01.global",
              file(plan("global", "any", '{"verdict": "race", "message": "a race", "exit": 1}'))),
    Situation("why-without-a-stage", "why 01"),
    Situation("why-untouched", "why 01.strided"),
    Situation("check-characters-of-a-page", "check 01", file(
        "// “fine”\nconst char* name = “demo”;\nint\u00a0n = 5；\n" + stage("did not compile",
        "demo.cu:2:20: error: stray ‘\\342’ in program"))),
    Situation("save", "save 01", PASSING),
    Situation("save-without-the-file", "save 01", gone),
    Situation("restore-nothing-kept", "restore 01"),
    Situation("restore-list", "restore 01", CHECKED),
    Situation("restore-a-version", "restore 01 --version 1",
              both(CHECKED, file("// broken\n"))),
    Situation("restore-no-such-version", "restore 01 --version 9", CHECKED),
    Situation("restore-a-stage-that-never-passed", "restore 01.global",
              both(PASSING, lab("save", "01"))),
    Situation("reset", "reset 01", PASSING),
    Situation("reset-what-is-no-text", "reset 01.global", lambda checkout: (
        checkout.labs / LAB / "demo.cu").write_bytes(b"\xe9\n") and None),
    Situation("reset-a-stage", "reset 01.global", file(FILE)),
    Situation("submit", "submit 01 --id ann", PASSING),
    Situation("submit-in-the-name-that-git-knows", "submit 01", PASSING, {
        "grader.commands.submit._from_git": says("ann.ant@students.uni-somewhere.example")}),
    Situation("submit-checked", "submit 01 --id ann", CHECKED),
    Situation("submit-checked-in-part", "submit 01 --id ann", both(
        PASSING, lab("check", "01.global"))),
    Situation("submit-untouched", "reset 01\nsubmit 01 --id ann", PASSING),
    Situation("submit-does-not-compile", "submit 01 --id ann", file("#error\n")),
    Situation("submit-with-a-bad-id", "submit 01 --id a/b\nsubmit 01 --id ''", PASSING),
    Situation("report", "report 01", CHECKED),
    Situation("report-before-a-check", "report 01"),
    Situation("plot-before-a-check", "plot 01"),
    Situation("bench-of-the-reference", "bench 01", gone),
    Situation("run-no-such-file", "run nothing.cu"),
    Situation("run-another-kind-of-file", "run notes.txt"),
    Situation("run-unknown-mode", "run {labs}/01-demo/demo.cu --mode fast"),
    Situation("grade-no-such-file", "grade nothing.zip"),
    Situation("upgrade-without-git", "upgrade"),
    Situation("no-whole-number", "hint 01.global --level x"),
    Situation("a-defect-of-the-kit", "list", faked=DEFECT),
    Situation("check-inconclusive", "check 01 --backend gpu", on_gpu(SPEED), GPU),
    Situation("check-too-slow", "check 01 --backend gpu", on_gpu(SLOW), GPU),
    Situation("check-interrupted", "check 01", PASSING, STUCK),
    Situation("check-another-file", "check --file {given}/mine.cu\n"
              "check 01 --file {given}/mine.cu\ncheck 01 --file {given}/none.cu",
              files(mine_cu="// mine")),
    Situation("check-without-a-gpu", "check 01 --backend gpu", PASSING,
              {"grader.machine.hardware.find_gpu": says(None),
               "grader.machine.hardware.find_nvcc": says(None)}),
    Situation("check-nowhere-to-write", "check 01", PASSING,
              {"tempfile.TemporaryFile": raises(OSError(30, "Read-only file system"))}),
    Situation("check-a-full-disk", "check 01", PASSING,
              {"grader.base.files._write_and_rename":
               raises(OSError(28, "No space left on device"))}),
    Situation("submit-without-a-name", "submit 01", PASSING,
              {"grader.commands.submit._from_git": says("")}),
    Situation("restore-a-changed-version", "restore 01 --version 1",
              both(CHECKED, lambda checkout: versions.folder(checkout, LAB).joinpath("0001.cu")
                   .write_text("// other") and None)),
    Situation("restore-another-number-of-regions", "restore 01.global",
              both(file(FILE), lab("check", "01"), file("// no marks"))),
    Situation("reset-without-the-handout", "reset 01",
              lambda checkout: shutil.rmtree(checkout.reference)),
    Situation("why-what-has-no-bench", "why 01.global", both(PASSING, benches("[]"))),
    Situation("why-without-a-good-form", "why 01.global",
              both(PASSING, lambda checkout: shutil.rmtree(checkout.reference))),
    Situation("why-not-counted", "why 01.global", file(plan("global", "count", '{"text": "{"}'))),
    Situation("bench-refused", "bench 01 --sizes 1000,many\nbench 01.global --stage strided\n"
              "bench 01 --sizes 0", PASSING),
    Situation("bench-does-not-compile", "bench 01", file("#error\n")),
    Situation("bench-not-timed", "bench 01", both(PASSING, file(plan(
        "global", "bench", '{"points": []}') + plan("strided", "bench", '{"points": []}')))),
    Situation("bench-without-references", "bench 01 --reference",
              lambda checkout: shutil.rmtree(checkout.reference)),
    Situation("plot-refused", "plot nothing\nplot {given}\nplot 01 --out picture.jpg\n"
              "plot {given}/a.json",
              both(CHECKED, files(readme_txt="no result", a_json="{}"))),
    Situation("plot-results-that-are-not-whole", "plot {given}/whole.json\nplot {given}/none.json\n"
              "plot {given} --out one.svg",
              files(whole_json=json.dumps(result() | {"measured": [{}]}),
                    none_json=json.dumps(result() | {"measured": []}), a__result_json="{}",
                    b__result_json="{}")),
    Situation("run-refused", "run {given}/a.cpp\nrun {given}/a.cu --mode check --backend gpu\n"
              "run {given}/a.cu --order sideways\nrun {given}/a.cu --time-limit 0",
              files(a_cpp="int main() {}", a_cu="int main() {}")),
    Situation("demo", "demo", faked={"grader.commands.demo._prepare": says(None)}),
    Situation("demo-without-references", "demo",
              lambda checkout: shutil.rmtree(checkout.reference)),
    Situation("test-without-tests", "test"),
    Situation("figures-refused", "figures sort --scales 30-2\nfigures nothing\n"
              "figures sort --draw --out {given}\nfigures sort --sources 3\n"
              "figures sssp --sources 0\nfigures sort --shapes grid\n"
              "figures sssp --shapes grid,torus", files(a_b="x")),
    Situation("figures-without-references", "figures sort",
              lambda checkout: shutil.rmtree(checkout.reference)),
    Situation("new-refused", "new six\nnew 01-again\nnew 01-demo"),
    Situation("hint-of-nothing", "hint 09\nhint 01.strided --level 0"),
    Situation("completion-of-another-shell", "completion tcsh"),
)  # fmt: skip
