"""The command line of cucc.py, and the flags for each of its steps."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, field

from .modes import MODES

Flags = list[list[str]]  # each flag with its value, if the value is a separate word

_PREPROCESSOR = tuple(
    "-I -D -U -M -include -isystem -iquote -idirafter -imacros".split(),
)
_LINKER = tuple("-L -Wl, -Xlinker -static -shared -rdynamic -pie -no-pie -T -u -z".split())
_WITH_VALUE = set(
    "-I -D -U -MF -MT -MQ -include -isystem -iquote -idirafter -imacros "
    "-L -l -x -Xlinker -T --param -u -z -e -target -Xclang".split()
)


# Flags of nvcc, which no C++ compiler knows.
EXTENDED_LAMBDA = frozenset(
    "--extended-lambda -extended-lambda --expt-extended-lambda -expt-extended-lambda".split()
)
RELAXED_CONSTEXPR = frozenset("--expt-relaxed-constexpr -expt-relaxed-constexpr".split())
OLD_STANDARD = r"-std=(c|gnu)\+\+(98|03|11|14|17|0x|1y|1z)"  # the headers here need C++20
# They say how a GPU's code is made; with a value as a separate word, or without.
_FOR_GPUS = re.compile(
    r"(-arch|--gpu-architecture|-gencode|--generate-code|-code|-maxrregcount|--maxrregcount|-rdc"
    r"|--relocatable-device-code|-default-stream|--default-stream|-cudart|--cudart)(=.*)?"
    r"|-lineinfo|--generate-line-info|-G|--use_fast_math|-use_fast_math|-dc|-ewp|-lcudart|-lcuda"
    r"|-lcudadevrt|-lnvToolsExt|-lcurand"
    rf"|{OLD_STANDARD}"
)
_FOR_GPUS_WITH_VALUE = frozenset("-arch -gencode -code -maxrregcount -Xptxas -Xnvlink".split())
# thrust's back end for the host; and no look at a toolkit that may be installed.
CCCL_FLAGS = [
    "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
    "-DCCCL_DISABLE_CTK_COMPATIBILITY_CHECK",
    "-DCCCL_DISABLE_NVTX",  # it wants more of nvtx3 than the headers here have
    *(f"-DCCCL_DISABLE_{type}_SUPPORT" for type in "FP16 BF16 NVFP8 NVFP6 NVFP4".split()),
]
_TO_CPP = ("-Xcompiler", "--compiler-options")

# The compiler's own words, and what of a Command each sets: to true, or to the next word.
_ALONE = {"-c": "only_compile", "--prepare": "prepare", "--threads": "threads"}
_OWN = {
    "-o": "output", "--runtime": "runtime", "--audit": "audit", "--mode": "mode",
    "--rules": "rules", "--unseen": "refuses_unseen", "--cccl": "cccl", "--headers": "headers",
    "--keep-headers": "keep_headers", "--digest": "digest",
}  # fmt: skip


class UsageError(Exception):
    """An invalid command line; the text is one sentence."""


@dataclass
class Command:
    """A parsed command line."""

    inputs: list[str] = field(default_factory=list)
    flags: Flags = field(default_factory=list)
    output: str | None = None
    runtime: str | None = None
    audit: str | None = None
    digest: str = ""
    only_compile: bool = False
    threads: bool = False
    mode: str = "run"
    rules: bool = True
    refuses_unseen: bool = False
    cccl: str = ""
    prepare: bool = False
    headers: str = ""  # a folder, see kept_headers.py
    keep_headers: str = ""


def compiler() -> list[str]:
    return shlex.split(os.environ.get("CXX", "")) or ["g++"]


def parse(arguments: list[str]) -> Command:
    """What the words mean. Raises UsageError."""
    command = Command()
    queue = list(arguments)
    while queue:
        word = queue.pop(0)
        if word in _ALONE:
            setattr(command, _ALONE[word], True)
        elif word in _OWN or word in _WITH_VALUE:
            if not queue:
                raise UsageError(f"{word} needs a value after it")
            _take(command, word, queue.pop(0))
        elif word in _TO_CPP or word.startswith("-Xcompiler="):
            value = word.partition("=")[2] or (queue.pop(0) if queue else "")
            command.flags += [[flag] for flag in value.split(",") if flag]
        elif word in _FOR_GPUS_WITH_VALUE or _FOR_GPUS.fullmatch(word):
            if word in _FOR_GPUS_WITH_VALUE and queue:
                queue.pop(0)
        elif word.startswith("-"):
            command.flags.append([word])
        else:
            command.inputs.append(word)
    _refuse_what_makes_no_sense(command)
    return command


def _take(command: Command, word: str, value: str) -> None:
    if word == "--rules":
        command.rules = value != "off"
    elif word == "--unseen":
        command.refuses_unseen = value == "refuse"
    elif word in _OWN:
        setattr(command, _OWN[word], value)
    else:
        command.flags.append([word, value])
    if word == "--cccl":
        command.flags += [["-isystem", value], *([flag] for flag in CCCL_FLAGS)]


def _refuse_what_makes_no_sense(command: Command) -> None:
    if command.mode not in MODES:
        raise UsageError(f"--mode {command.mode} is unknown; use {' or '.join(MODES)}")
    if not command.inputs and not command.prepare:
        raise UsageError("no input file: give a .cu file, as in  cucc.py -c FILE.cu -o FILE.o")
    if command.only_compile and len(command.inputs) > 1:
        raise UsageError("-c takes one input file")
    if command.audit and not (command.only_compile and command.inputs[0].endswith(".cu")):
        raise UsageError("--audit needs -c and one .cu file")


def _without(flags: Flags, *prefixes: str) -> list[str]:
    return [word for flag in flags if not flag[0].startswith(prefixes) for word in flag]


def for_preprocessor(flags: Flags) -> list[str]:
    return _without(_for_cpp(flags), "-l", *_LINKER)


def for_compiler(flags: Flags) -> list[str]:
    """The flags for text that is already preprocessed."""
    return _without(_for_cpp(flags), "-l", *_LINKER, *_PREPROCESSOR)


def for_audit(flags: Flags) -> list[str]:
    """Without warnings: those that are wanted are on by default."""
    return [word for word in for_compiler(flags) if not word.startswith(("-W", "-w", "-pedantic"))]


def for_nvcc(flags: Flags) -> frozenset[str]:
    """The flags that change what nvcc accepts."""
    return frozenset(flag[0] for flag in flags if flag[0] in EXTENDED_LAMBDA | RELAXED_CONSTEXPR)


def _for_cpp(flags: Flags) -> Flags:
    return [flag for flag in flags if flag[0] not in EXTENDED_LAMBDA | RELAXED_CONSTEXPR]


def for_linker(flags: Flags) -> list[str]:
    return _without(_for_cpp(flags), "-l", *_PREPROCESSOR)


def libraries(flags: Flags) -> list[str]:
    return [word for flag in flags if flag[0].startswith("-l") for word in flag]


def dependency_flags(flags: Flags, output: str, default_file: str) -> list[str]:
    """-MD alone would name the preprocessor's output, but the rule must name the object file."""
    given = {flag[0] for flag in flags}
    if not given & {"-MD", "-MMD"}:
        return []
    target = [] if given & {"-MT", "-MQ"} else ["-MT", output]
    return target + ([] if "-MF" in given else ["-MF", default_file])


def is_watched(flags: Flags) -> bool:
    """Does the compiler announce accesses to memory?"""
    return any(flag[0] == "-fsanitize=thread" for flag in flags)


def is_checked(flags: Flags) -> bool:
    """Is it for g++ in check mode?"""
    return is_watched(flags) and any(flag[0].startswith("-fsanitize=bounds") for flag in flags)


def is_instrumented(flags: Flags) -> bool:
    """Is there a checker that needs each kernel to stay a separate function?"""
    sanitizers = [flag[0] for flag in flags if flag[0].startswith("-fsanitize=")]
    return any("thread" in names or "address" in names for names in sanitizers)
