"""Checks CUDA's language rules with clang's CUDA front end, without a CUDA toolkit."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..base import process
from ..base.checkout import Checkout
from ..base.errors import InfrastructureError
from ..base.scratch import scratch_folder
from ..cpu.compiler import variable_arrays
from ..cpu.compiler.scopes import scopes
from ..cpu.compiler.sides import Sides, positions
from ..cpu.compiler.tokens import RewriteError, tokenize
from ..machine import requirements

LINT_SECONDS = 60.0
# clang's CUDA front end without a toolkit. A constexpr function without __device__ is a host
# function, as for nvcc without flags.
FLAGS = """-x cuda -std=c++20 -fsyntax-only --cuda-host-only -nocudainc -nocudalib -D__CUDACC__=1
    -Xclang -fno-cuda-host-device-constexpr -Xclang -fcuda-allow-variadic-functions""".split()
# Only errors, and what other CUDA compilers would refuse. They take arrays of variable length in
# host code, so clang only says where there are any.
WARNINGS = ("-Wno-everything", "-Werror=cuda-compat", "-Wvla")
VARIABLE_ARRAY = re.compile(
    r"^(\S.*?):(\d+):(\d+): warning: variable length array", re.MULTILINE
)
COMMENT = re.compile(  # or a text, or a line of the preprocessor
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#[^\n]*', re.MULTILINE | re.DOTALL
)
# First the code is checked as the device compiler sees it, then as the host compiler sees it.
SIDES = (("-Xclang", "-fcuda-is-device"), ())
ERROR = re.compile(r"^(\S.*?:\d+:\d+): (?:fatal )?error: (.*)$")
REASON = re.compile(r" note: .*not viable: (.*)$")
LAUNCH = re.compile(r"<<<.*?>>>", re.DOTALL)


@dataclass(frozen=True)
class Report:
    """`findings` are single lines, `message` is all that clang said."""

    findings: tuple[str, ...]
    message: str


def lint(checkout: Checkout, name: str, flags: list[str]) -> Report:
    """Check one .cu file. Raises InfrastructureError if no clang++ is new enough."""
    clang = requirements.find_clang()
    if not clang:
        line = requirements.install_line([requirements.CLANG_PACKAGE])
        raise InfrastructureError(f"lint needs clang++ 16 or newer; install it with: {line}")
    kit = str(checkout.root / "grader" / "cpu")
    command = [clang, *FLAGS, *WARNINGS, *_own_headers(clang), *kit_headers(checkout), *flags]
    with scratch_folder() as folder:
        source = _readable(Path(name), folder)
        for side in SIDES:
            finished = process.run([*command, *side, *source], limit=LINT_SECONDS)
            findings = _findings(finished.output, kit)
            if not findings and (arrays := _variable_arrays(Path(name), finished.output)):
                return Report(arrays, "".join(f"{line}\n" for line in arrays))
            if findings:
                lines = finished.output.splitlines(keepends=True)
                return Report(findings, "".join(line for line in lines if " generated" not in line))
            if not finished.ok and "reference to __host__" not in finished.output:
                raise InfrastructureError(f"{clang} failed: {finished.last_line}.")
    return Report((), "")


def kit_headers(checkout: Checkout) -> list[str]:
    """What clang needs to find CUDA in the kit's headers."""
    kit = checkout.root / "grader" / "cpu"
    return ["-isystem", str(kit / "include"), "-include", str(kit / "lint" / "cuda_lint.h")]


@cache
def _own_headers(clang: str) -> list[str]:
    """clang's headers without its wrappers, which make std::max a device function."""
    folder = process.run([clang, "-print-resource-dir"], limit=LINT_SECONDS).last_line
    return ["-nobuiltininc", "-isystem", f"{folder}/include"]


def _readable(source: Path, folder: Path) -> list[str | Path]:
    """The file, or a copy with <<<dim3{2, 2}, 8>>> for <<<{2, 2}, 8>>>, which clang refuses."""
    text = source.read_text(encoding="utf-8", errors="surrogateescape")
    changed = LAUNCH.sub(lambda found: re.sub(r"(<<<|,)(\s*)\{", r"\1\2dim3{", found[0]), text)
    if changed == text:
        return [source]
    copy = folder / source.name
    copy.write_text(f'#line 1 "{source}"\n{changed}', encoding="utf-8", errors="surrogateescape")
    return ["-iquote", source.parent, copy]


def _findings(output: str, kit: str) -> tuple[str, ...]:
    """One line for each error, with clang's reason for refusing a call.

    Here the headers of the kit and of the C++ library count as code for both sides, so they may use
    host functions. That is not the user's mistake.
    """
    found: list[str] = []
    for line in output.splitlines():
        error = ERROR.match(line)
        foreign = error and (error[1].startswith(kit) or "/c++/" in error[1])
        if error and not (foreign and error[2].startswith("reference to __host__")):
            found.append(f"{error[1]}: {error[2]}")
        elif not error and (reason := REASON.search(line)) and found and " (" not in found[-1]:
            found[-1] += f" ({reason[1]})"
    return tuple(found)


def _variable_arrays(source: Path, output: str) -> tuple[str, ...]:
    """Arrays of device code whose size is known only when it runs."""
    places = [(int(line), int(column)) for file, line, column in VARIABLE_ARRAY.findall(output)
              if file == str(source)]  # fmt: skip
    if not places:
        return ()
    text = source.read_text(encoding="utf-8", errors="replace")
    lines, of_device = text.splitlines(), _lines_of_device(text)
    found = []
    for line, column in places:
        names = re.findall(r"(\w+)\s*\[", lines[line - 1][:column])
        if line in of_device and names:
            sentence = variable_arrays.sentence(names[-1])
            found.append(f"{source}:{line}:{column}: {sentence}")
    return tuple(found)


def _lines_of_device(text: str) -> set[int]:
    """The lines of all functions with __device__ or __global__."""
    tokens = tokenize(COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text))
    try:
        bodies = [one.body for one in Sides(tokens, scopes(tokens)).with_body if one.body]
    except RewriteError:  # clang has said what it thinks of such a file
        return set()
    at = [line for _, line, _ in positions(tokens)]
    return {line for first, last in bodies for line in range(at[first], at[last] + 1)}
