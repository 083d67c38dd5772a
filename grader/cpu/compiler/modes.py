"""What each mode of cucc.py adds: compiler flags, and a library before the runtime.

A new mode is one entry here and a folder with the sources of its library.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Mode:
    """`kernels` are flags for .cu files, together with those of `gcc` or `clang`. `all` are flags
    for .cu and .cpp files and for linking, `link` only for linking. `borrowed` are sources from
    other folders."""

    folder: str = ""
    library: str = ""
    borrowed: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    gcc: tuple[str, ...] = ()
    gcc_on_x86: tuple[str, ...] = ()
    clang: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    link: tuple[str, ...] = ()

    def flags(self, compiler: list[str], is_cuda: bool) -> list[list[str]]:
        """The compiler's flags for one source file, after the user's flags."""
        name = os.path.basename(compiler[0])
        own = self.clang if "clang" in name else self.gcc
        if own is self.gcc and (platform.machine() if name == "g++" else name)[:6] == "x86_64":
            own += self.gcc_on_x86
        return [[flag] for flag in (*self.all, *((*self.kernels, *own) if is_cuda else ()))]


# -O1, and no optimisation that joins accesses: each access in the source stays one access with its
# line. The line comes from the DWARF of cucc.py's -g or of the caller's -g1.
_WATCHED = Mode(
    kernels=(
        *"-O1 -fsanitize=thread -fno-tree-vectorize -fno-unroll-loops".split(),
        "-fno-optimize-sibling-calls",  # an atomic at a kernel's end still returns to its line
    ),
    gcc=(
        "-fno-section-anchors",  # the gap after a variable stays after it (variables.py)
        "-fno-store-merging",
        "-Wno-attributes",  # of functions that by_value.py inlines
        "-fno-tree-sra",  # a float4 is one access, as on a GPU: it may be misaligned
        "-fno-ipa-sra",
        "-fno-thread-jumps",  # would copy the code after a branch: one request on each path
        "-fno-tree-loop-distribute-patterns",
        "--param=tsan-distinguish-volatile=1",
        "--param=tsan-instrument-func-entry-exit=0",
    ),
    gcc_on_x86=tuple(  # calls through pointers go through checker/pointer_calls.cpp
        "-mindirect-branch=thunk-extern -mindirect-branch-register -fno-jump-tables".split()
    ),
    clang=(
        "-Wno-unknown-attributes",  # no_reorder: clang keeps the order anyway
        "-gdwarf-4",  # binutils' addr2line misreads the first file in clang's DWARF 5
        "-fno-slp-vectorize",
        *"-mllvm -hoist-common-insts=false -mllvm -sink-common-insts=false".split(),
        *"-mllvm -simplifycfg-merge-cond-stores=false".split(),
        "-mllvm",
        "-simplifycfg-sink-common=false",  # otherwise equal ends of two branches share one line
        "-mllvm",
        "-enable-tail-merge=false",
        "-mllvm",
        "-tsan-distinguish-volatile=1",
        "-mllvm",
        "-tsan-instrument-func-entry-exit=0",
        "-mllvm",
        "-tsan-instrument-read-before-write=1",
    ),
)

# The printf of kernels returns how many arguments it has printed: runtime/threads/device_print.cpp.
_PRINTS = ("-Wl,--wrap=printf",)

MODES = {
    "run": Mode(link=_PRINTS),
    "check": replace(
        _WATCHED,
        folder="checker",
        library="libcuda_on_cpu_check.a",
        kernels=(*_WATCHED.kernels, "-fno-omit-frame-pointer"),  # for checker/call_paths.cpp
        gcc=(*_WATCHED.gcc, "-fsanitize=bounds,shift-exponent"),  # calls checker/bounds.cpp
        link=_PRINTS,
    ),
    "count": replace(
        _WATCHED,
        folder="counter",
        library="libcuda_on_cpu_count.a",
        borrowed=(
            "checker/index_variables.cpp",
            "checker/pointer_calls.cpp",
            "checker/source_line.cpp",
            "checker/tsan_abi.cpp",
            "checker/tsan_atomics.cpp",
        ),
        link=_PRINTS,
    ),
    # Frame pointers: the report of a fault looks for the student's line among the callers. -u links
    # the library's parts, which no object file refers to.
    "asan": Mode(
        "asan",
        "libcuda_on_cpu_asan.a",
        all=tuple("-O1 -g -fsanitize=address -fno-omit-frame-pointer".split()),
        link=("-Wl,-u,cuda_on_cpu_announce_switches,-u,cuda_on_cpu_explain_faults",),
    ),
}
