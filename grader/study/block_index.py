"""A kernel of several blocks in which nobody asks for the block: every block does the first one's
work. The source shows it, whatever came of it."""

import re
from collections.abc import Mapping
from typing import Any

from ..base.errors import UsageError
from ..base.verdict import NOT_ATTEMPTED, RACE, WRONG_ANSWER, WROTE_OUTSIDE
from ..lab_file import marks

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
LAUNCH = re.compile(r"\b(\w+)\s*(?:<[^<>;{}]*>\s*)?<<<\s*([^,;{}]+),")
KERNEL = re.compile(r"__global__[^;{}]*?\b(\w+)\s*\([^;{}()]*\)\s*\{")
ON_DEVICE = re.compile(r"__(?:global|device)__\b[^;{}=]*\{")
ASKS = re.compile(r"blockIdx|grid_group|this_grid|thread_rank|group_index|\basm\b|atomic")
# What is nearly a thread's index in the grid: the factor is missing, or is the number of blocks.
NEARLY = re.compile(
    r"(?<![*\w.])(?<!\* )blockIdx\.x\s*(?:\*\s*gridDim\.x\s*)?\+\s*threadIdx\.x(?!\s*[*/%\w.])"
    r"|(?<![*\w.])(?<!\* )threadIdx\.x\s*\+\s*blockIdx\.x(?:\s*\*\s*gridDim\.x)?(?!\s*[*/%\w.])"
)
BETWEEN_BLOCKS = "blocks are not ordered within a launch"


def forgotten(stage: Mapping[str, Any], where: str, source: str) -> tuple[str, ...]:
    """The likely cause of a failed stage; none if its kernels ask for their block, have one block
    alone, or failed in another way."""
    message = stage["message"]
    is_race = stage["verdict"] == RACE and BETWEEN_BLOCKS in message.partition("\n")[0]
    if stage["verdict"] not in (WRONG_ANSWER, NOT_ATTEMPTED) and not is_race:
        return ()
    bodies, rest = _kernels(_plain(source))
    if ASKS.search(rest):  # a helper, a macro, a class: who knows who uses it
        return ()
    for kernel in _of_several_blocks(of_stage(source, where, stage["name"])):
        body = bodies.get(kernel, "")
        is_meant = not is_race or re.search(rf"kernel {kernel}\b", message)
        if is_meant and "threadIdx" in body and not ASKS.search(body):
            return (f"{kernel} never reads blockIdx, so every block does what the first one does. "
                    "A thread's index in the grid is blockIdx.x * blockDim.x + "
                    "threadIdx.x. A stage of one block is launched with one.",)  # fmt: skip
    return ()


def miscounted(stage: Mapping[str, Any], where: str, source: str) -> tuple[str, ...]:
    """The likely cause of a failed stage whose own code counts threads of several blocks alike."""
    if stage["verdict"] not in (WRONG_ANSWER, RACE, WROTE_OUTSIDE):
        return ()
    lines = source.split("\n")
    for number in lines_that_run(source, where, stage["name"]):
        if match := NEARLY.search(_plain(lines[number - 1])):
            return (f"{match[0]} (line {number}) is no thread's index in the grid: threads of "
                    "different blocks get the same number. It is blockIdx.x * blockDim.x + "
                    "threadIdx.x.",)  # fmt: skip
    return ()


def of_stage(source: str, where: str, name: str) -> str:
    """What lies between the stage's marks, as code alone."""
    lines = source.split("\n")
    return _plain("\n".join(lines[number - 1] for number in lines_of_stage(source, where, name)))


def on_host(source: str, where: str, name: str) -> str:
    """The same without what threads of the device do, which may begin before the mark."""
    code = _same_lines(source)
    while match := ON_DEVICE.search(code):
        end = _closed(code, match.end())
        code = code[: match.start()] + "\n" * code.count("\n", match.start(), end) + code[end:]
    lines = code.split("\n")
    return "\n".join(lines[number - 1] for number in lines_of_stage(source, where, name))


def function_around(source: str, line: int) -> str:
    """The body of the device's function, or kernel, that a line belongs to; "" if there is none."""
    code = _same_lines(source)
    for match in ON_DEVICE.finditer(code):
        end = _closed(code, match.end())
        if code.count("\n", 0, match.start()) < line <= code.count("\n", 0, end) + 1:
            return code[match.end() : end]
    return ""


def lines_of_stage(source: str, where: str, name: str) -> list[int]:
    """The numbers of the lines, from 1, between the stage's marks; none if a mark is damaged."""
    try:
        regions = marks.parse(source, where)
    except UsageError:
        return []
    return [number for one in regions if one.name == name
            for number in range(one.code + 1, one.end + 1)]  # fmt: skip


def lines_that_run(source: str, where: str, name: str) -> list[int]:
    """The lines between the stage's marks, and those of the kernels that it launches, which may be
    anywhere in the file."""
    lines = source.split("\n")
    own = lines_of_stage(source, where, name)
    launched = {kernel for kernel, _ in LAUNCH.findall(of_stage(source, where, name))}
    found = set(own)
    for match in KERNEL.finditer(source):
        if match[1] in launched:
            first = source.count("\n", 0, match.end())
            depth = 0
            for number in range(first, len(lines)):
                depth += lines[number].count("{") - lines[number].count("}")
                found.add(number + 1)
                if depth <= 0:
                    break
    return sorted(found)


def code_that_runs(stage: Mapping[str, Any], file: str, source: str) -> str:
    """The lines that the stage may run, without their comments."""
    return "\n".join(numbered_code(stage, file, source).values())


def numbered_code(stage: Mapping[str, Any], file: str, source: str) -> dict[int, str]:
    """The same lines, by their number."""
    lines = source.split("\n")
    return {number: lines[number - 1].partition("//")[0]
            for number in lines_that_run(source, file, stage["name"])}  # fmt: skip


def kernels(source: str) -> dict[str, str]:
    """The body of each kernel, as code alone."""
    return _kernels(_plain(source))[0]


def _same_lines(text: str) -> str:
    """Code alone, in the lines where it was."""
    return NOT_CODE.sub(lambda other: "\n" * other[0].count("\n"), text)


def _plain(text: str) -> str:
    return NOT_CODE.sub(" ", text)


def _of_several_blocks(code: str) -> list[str]:
    """The kernels that the code launches, but with a number of blocks that reads 1."""
    found = []
    for kernel, blocks in LAUNCH.findall(code):
        is_one = blocks.strip() in ("1", "1u") or re.search(r"\bdim3\s*[({]\s*1\s*[)}]", blocks)
        is_name = re.fullmatch(r"\w+", blocks.strip())
        if is_name and re.search(rf"\b{blocks.strip()}\s*[=({{]\s*1u?\s*[;)}},]", code):
            is_one = True
        found += [] if is_one else [kernel]
    return found


def _closed(code: str, begin: int) -> int:
    """The place after the brace that closes what is open at `begin`."""
    depth, end = 1, begin
    while depth and end < len(code):
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        end += 1
    return end


def _kernels(code: str) -> tuple[dict[str, str], str]:
    """What is in the braces of every kernel (of one name all), and the code around them."""
    bodies: dict[str, str] = {}
    rest, last = "", 0
    for match in KERNEL.finditer(code):
        end = _closed(code, match.end())
        bodies[match[1]] = bodies.get(match[1], "") + code[match.end() : end]
        rest += code[last : match.end()]
        last = end
    return bodies, rest + code[last:]
