"""Whether a stage uses the technique that its lab asks for.

A right answer does not tell how it was reached. If a stage is about one instruction (a fetch
through a texture, a load through the read-only path), lab.toml describes it as a regular expression
on PTX. nvcc translates the source to PTX; it needs no GPU for that. Loads that follow an index
which was loaded are marked in the text: `gathering.ld.global.f32` (see gathered.py).

A submission contains the kernels of all stages. The kernels of one stage are those that its entry
point launched: the CPU backend recorded their names while it judged. One of them, or a function
that it calls, must contain the instruction.

Where a stage also says what none of its kernels may contain, each launched kernel is asked.

This check sees only that the instruction is there. It does not see whether or how often the
instruction is executed, or what ptxas makes of it. It cannot tell overloads, or instances of one
template, apart. A launch through a pointer does not name its kernel: then any kernel of the file
may contain the instruction.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from ..base.checkout import Checkout
from ..base.verdict import NOT_MEASURED, PASSED, REJECTED, Run
from ..compiling.worker import compile_ptx
from ..lab_file.manifest import Lab, Stage
from ..lab_file.rules import Requirement
from ..sandbox.bubblewrap import Sandbox
from . import gathered

TECHNIQUE = "technique"  # the name of this check among a stage's runs

# nvcc writes a function's braces at the beginning of a line, inner ones after a tab.
FUNCTION = re.compile(
    r"^(?:\.\w+ )*\.(entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)[^{;]*^\{$(.*?)^\}$",
    re.MULTILINE | re.DOTALL,
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Function:
    """One function of a PTX listing; `name` is its name in the source, without scope and
    arguments."""

    name: str
    is_kernel: bool
    body: str


def examine(
    checkout: Checkout, lab: Lab, stage: Stage, source: bytes, run: Run, box: Sandbox
) -> Run:
    """The verdict on the stage's technique alone, as one more run. Only for a stage that passed."""
    assert stage.requires is not None
    listing, message = compile_ptx(checkout, lab, source, box)
    if listing is None:
        return Run(TECHNIQUE, NOT_MEASURED, f"technique not measured: {message}")
    reason = missing(listing, run.launched, stage.requires)
    return Run(TECHNIQUE, REJECTED if reason else PASSED, reason)


def missing(listing: str, launched: Collection[str], requirement: Requirement) -> str:
    """Why no launched kernel meets the requirement; "" if one does."""
    functions = parse(listing)
    kernels = {symbol for symbol, function in functions.items() if function.is_kernel}
    names = {spelled_name(launch) for launch in launched}
    known = {functions[symbol].name for symbol in kernels}
    if names and names <= known:
        kernels = {symbol for symbol in kernels if functions[symbol].name in names}
    otherwise = against(kernels, functions, requirement) if names and names <= known else ""
    if otherwise:
        return (
            f"right answers, but not by this stage's technique: {requirement.because} "
            f"(nvcc's PTX of {otherwise} reads memory in another way)"
        )
    for symbol in kernels:
        if any(re.search(requirement.ptx, body) for body in reached(symbol, functions)):
            return ""
    shown = ", ".join(sorted({functions[symbol].name for symbol in kernels})) or "no kernel"
    return (
        f"right answers, but not by this stage's technique: {requirement.because} "
        f"(nvcc's PTX of {shown} contains no {looked_for(requirement.ptx)})"
    )


def against(
    kernels: Collection[str], functions: dict[str, Function], requirement: Requirement
) -> str:
    """The first of these kernels that contains what none may; "" if none does.

    Of the instances of a template, which have one name, one without it is enough: another stage may
    use the others.
    """
    if not requirement.never:
        return ""
    clean: dict[str, bool] = {}
    for symbol in sorted(kernels):
        contains = any(re.search(requirement.never, body) for body in reached(symbol, functions))
        name = functions[symbol].name
        clean[name] = clean.get(name, False) or not contains
    return next((name for name, is_clean in clean.items() if not is_clean), "")


def looked_for(ptx: str) -> str:
    """What a student reads of a regular expression: the instruction's name, if it is no more."""
    plain = ptx.replace("\\", "")
    return plain if re.fullmatch(r"[\w.]+", plain) else "such instructions"


def parse(listing: str) -> dict[str, Function]:
    """Every function of a PTX listing that has a body, by its symbol."""
    text = COMMENT.sub("", listing)
    return {
        symbol: Function(source_name(symbol), kind == "entry",
                         gathered.mark(body, is_kernel=kind == "entry"))
        for kind, symbol, body in FUNCTION.findall(re.sub(r"[ \t]+$", "", text, flags=re.M))
    }


def reached(symbol: str, functions: dict[str, Function]) -> list[str]:
    """The bodies of a function and of all functions that it calls, directly or not."""
    return [functions[name].body for name in reached_names(symbol, functions)]


def reached_names(symbol: str, functions: dict[str, Function]) -> list[str]:
    """A function and all that it calls, however deep, by their symbols."""
    seen: dict[str, None] = {}
    waiting = [symbol]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in seen:
            seen[name] = None
            waiting += [word for word in WORD.findall(functions[name].body) if word in functions]
    return list(seen)


def spelled_name(launch: str) -> str:
    """`relax` for the launch `sssp::relax<float, 4>`; anything but a plain name is unchanged."""
    name = launch.partition("<")[0].rpartition("::")[2].strip()
    return name if WORD.fullmatch(name) else launch


def source_name(symbol: str) -> str:
    """The last name in a mangled symbol: `relax` in `_ZN4sssp5relaxIfEEvPKT_i`.

    A name is written as its length and its letters; scopes come first.
    """
    match = re.match(r"_ZL?(?=\d)|_ZN[rVK]*(?=L?\d)", symbol)
    if not match:
        return symbol  # extern "C"
    at, name = match.end(), symbol
    while length := re.compile(r"L?(\d+)").match(symbol, at):
        at = length.end() + int(length[1])
        name = symbol[length.end() : at]
        if not symbol.startswith("_ZN"):
            break  # the rest are parameters
    return name
