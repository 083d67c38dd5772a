"""Errors that the catalogue does not show: each one's file, its words, and why it is not there."""

BY_WHY: dict[str, tuple[tuple[str, str], ...]] = {
    "a disk or a folder that fails in the middle of something else": (
        ("base/files.py", ": is not a regular file and was left alone; name another place."),
        ("base/files.py", "; name another folder."),
        ("base/scratch.py", "temporary files can be written nowhere; set TMPDIR to a folder of "
         "yours, for example: export TMPDIR=~/tmp"),
        ("course/course.py", ": cannot be written to:"),
        ("course/unpacking.py", "was unpacked there; free some space and import again."),
        ("course/importing.py", "; free some space. Nothing was imported. Import again."),
        ("course/importing.py",
         "are in. Import again for the others: nothing is imported twice."),
        ("course/index.py", ": cannot be written:"),
        ("course/ledger.py", "; free some space. Nothing was decided."),
        ("course/tasks.py", "and call again."),
        ("course/tasks.py", ": the result could not be written."),
        ("course/worker.py", ": was changed meanwhile; call again."),
        ("course/worker.py", ": what was judged is gone; call again."),
    ),
    "a lab whose points are all for speed, in a course without a GPU": (
        ("commands/course/decide.py",
         ": is worth no points in this course; there is nothing to decide."),
    ),
    "more than a test should make": (
        ("course/unpacking.py", ": is too large for a class's download ("),
        ("intake/container.py", ": holds more than"),
    ),
    "a folder or a pipe where all users of a machine have a lock file": (
        ("machine/lock_files.py", "cannot be locked with it; remove it: rm -r"),
    ),
    "the kit's own tests, which a copy for students has not": (
        ("commands/test.py", ": has no test"),
    ),
    "the code of a refusal, which is no text": (("intake/container.py", "unreadable"),),
    "a part of a GPU, a build or a package that is not there": (
        ("commands/bench.py", ": bench.cpp has no bench for it."),
        ("commands/figures.py", ": no size could be measured, so nothing is drawn."),
        ("course/downloads.py",
         ": reading it needs Python's yaml; install it with: sudo apt-get install python3-yaml."),
        ("course/loop.py", "nvidia-smi names no GPU."),
        ("commands/course/grade.py", "course.toml: backend: is gpu, and this machine cannot run "
         "kernels on one (./lab doctor says what it lacks). Grade where there is one."),
        ("intake/surface.py", "; build the kit again."),
        ("intake/surface.py", "was not found, so names cannot be checked."),
    ),
    "for those who write labs or release them": (
        ("commands/cut.py", "is missing; write it first."),
        ("commands/demo.py", "is missing."),
        ("commands/dev/exemplars.py", "the exemplars are timed on a GPU, and there is none."),
        ("commands/release.py", "--labs names no lab."),
        ("commands/release.py", "is not in the course."),
        ("release/contents.py", ": git does not track it; commit it first."),
        ("release/contents.py", "git cannot list this checkout's files:"),
        ("release/hints.py",
         ": its hints cannot be cut; write each as `hints = [ ... ]`, and advice below a line `"),
        ("release/write.py", "is missing: this copy of the kit cannot be released again."),
        ("release/write.py", "nothing was released, because it would give solutions away:"),
    ),
    "test_upgrade.py has a real git for it": (
        ("study/upgrade.py",
         ", which the new kit changes too; keep your copy elsewhere, then: git checkout"),
        ("study/upgrade.py", ": the new kit has fewer regions of stage"),
        ("study/upgrade.py",
         ": you have changed lines outside of the marks, and the new kit changes them too. Move "
         "yours between the marks of a stage, or undo them; then call again."),
        ("study/upgrade.py", "did not work:"),
        ("study/upgrade.py",
         "this copy has no remote named origin, so it is not known where a newer kit is. Say "
         'where: ./lab upgrade --from "URL BRANCH".'),
    ),
    "two students of one list with the same address": (
        ("course/roster.py", "; one of them must go."),
    ),
    "needs a second lab": (
        ("commands/check.py", "--file: name the lab whose file it is: ./lab check LAB --file FILE"),
    ),
    "what no person calls": (
        ("study/elsewhere.py", "--guest: the file ended too early."),
        ("study/elsewhere.py", "--guest: the file's size is expected on stdin."),
        ("study/told.py", "a result of a secret seed is not for students."),
    ),
}
ERRORS = tuple(error for errors in BY_WHY.values() for error in errors)
