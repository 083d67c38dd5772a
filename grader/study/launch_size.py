"""What the call that failed launches. How many times, the judge has counted; how many blocks of how
many threads, the source says. So these are facts, whatever is wrong. Nothing is said of the threads
of a launch that depends on more than constants and the numbers of the call.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from ..base.errors import UsageError
from ..base.text import counted
from ..base.verdict import WRONG_ANSWER
from ..lab_file import marks
from . import block_index
from .causes import LAUNCHES, UNCHANGED

Size = tuple[int, ...]  # one number, or those of a dim3
CALL = re.compile(r"^(?:\w+::)*(\w+)\(([^()]*)\)")
LAUNCH = re.compile(r"\b(\w+)\s*(?:<[^<>;{}]*>\s*)?<<<([^;{}]+?)>>>")
LET = re.compile(r"\b(?:int|unsigned|auto|size_t|long)\s+(\w+\s*=[^=;][^;]*);"
                 r"|\bdim3\s+(\w+)\s*([({][^;]*);")  # fmt: skip
CHANGED = re.compile(r"\b(\w+)\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)(\w+)")
CAST = re.compile(r"\((?:int|unsigned|(?:std::)?size_t)\)|\bstatic_cast<[\w: ]+>|\b\w+::")
NUMBER = re.compile(r"\b(\d+)(?:[uUlLzZ]+)\b")
GOES_ON = re.compile(r"\bfor\s*\([^;]*;[^;]*;[^)]*[+-]=|\bwhile\b")
SECOND = re.compile(r"\b(?:threadIdx|blockIdx)\.y\b")
BY_TWOS = re.compile(r"\b2u? \*|\* 2u?\b|<< 1\b|/ 2u?\b")
NO_CALL = "no call launched a kernel"
TOO_FEW = re.compile(r" (?:made 0 launches|launched 0 threads)|: returned 0 \w+, should be [1-9]")
LAUNCHING = re.compile(r"(\w+)\s*(?:<[^<>;{}]*>\s*)?<<<|\b(launch_cooperatively|cudaLaunch\w+)\(")
CHECKED = re.compile(r"\bCUDA_CHECK_LAUNCH\(|\bcuda(?:GetLast|PeekAtLast)Error\(")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
SWAPS = re.compile(r"\bswap\s*\(")
LOOP = re.compile(r"\b(?:for|while)\s*\(|\bdo\b")
OF_VALUES = re.compile(r": (?:not in order|wrong set of values|nothing was written|index \d+ holds"
                       r"|edge \d|dist\[)")  # fmt: skip
CONDITION = re.compile(r"\bif\b(?!.*\breturn\b|\s*\(\w+ (?:>|!=) 0\))|\belse\b|\bcase\b")
HEAD = re.compile(r"\w[^;=]*?\b(\w+)\(")  # of a function
BITS = 64
NOTHING_WRITTEN = "nothing was written to "
FUNCTIONS: Mapping[str, Callable[..., int]] = {
    "ceil_div": lambda a, b: -(-a // b), "min": min, "max": max, "int": int, "unsigned": int,
    "size_t": int,
}  # fmt: skip
OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: int(a / b), ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b, ast.Mod: lambda a, b: a - int(a / b) * b,
}  # fmt: skip


@dataclass(frozen=True)
class Launch:
    """A launch in line `line` of the student's file, in a call with the `given` numbers."""

    kernel: str
    line: int
    blocks: Size
    threads: Size
    given: Mapping[str, int]

    @property
    def all_threads(self) -> int:
        return prod(self.blocks) * prod(self.threads)

    @property
    def elements(self) -> int:
        """What there is a thread for, in most solutions; of several arrays the keys of all."""
        each = self.given.get("edges", self.given.get("n", 0))
        return each * self.given.get("arrays", 1)

    def is_short(self, body: str) -> bool:
        """Whether there is less than a thread for each, and no thread goes on to another."""
        each = 2 if BY_TWOS.search(body) else 1
        return each * self.all_threads < self.elements and not GOES_ON.search(body)

    @property
    def told(self) -> str:
        return (f"line {self.line} launches {_counted(self.blocks, 'block')} of "
                f"{_counted(self.threads, 'thread')}")  # fmt: skip


def none(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause where no kernel was launched, in a call that must leave something behind."""
    first = stage["message"].partition("\n")[0]
    is_due = OF_VALUES.search(first) or TOO_FEW.search(first)
    if first != NO_CALL and (made(stage) != 0 or not is_due):
        return ()
    given = given_to(stage, source)
    numbers = f" for {_numbers(given)}" if given else ""
    code = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), source)
    inside = block_index.lines_of_stage(source, file, stage["name"])
    places = [f"line {number} ({one[1] or one[2]})" for one in LAUNCHING.finditer(code)
              if (number := code.count("\n", 0, one.start()) + 1) in inside]  # fmt: skip
    if not places:
        return (f"No kernel is launched{numbers}. Is there a <<<...>>> for this stage? If so, look "
                "at each if, loop and return before it.",)  # fmt: skip
    if not CHECKED.search(block_index.of_stage(source, file, stage["name"])):
        return (f"No kernel runs{numbers}: either the call never comes to {', '.join(places)}, or "
                "the launch fails. CUDA_CHECK_LAUNCH() after it says why.",)  # fmt: skip
    return (f"No kernel is launched{numbers}: the call never comes to {', '.join(places)}. Look at "
            "each if, loop and return before that.",)  # fmt: skip


def made(stage: Mapping[str, Any]) -> int | None:
    """How many launches the failed call made, if the judge has counted them."""
    found = next(filter(None, map(LAUNCHES.fullmatch, stage["message"].splitlines())), None)
    return int(found[1]) if found else None


def times(launches: int) -> str:
    return f"{launches} launch{'es' if launches != 1 else ''}"


def told(stage: Mapping[str, Any], file: str, source: str) -> str:
    """What the failed call launches, as far as it may help; "" otherwise, and if nobody knows. It
    need not be the cause."""
    first = stage["message"].partition("\n")[0]
    if stage["verdict"] != WRONG_ANSWER or not OF_VALUES.search(first):
        return ""
    few, unchanged = _few_threads(stage, file, source), _unchanged(stage, file, source)
    if unchanged and len(given_to(stage, source)) > 1:  # a grid may go by another one of them
        few = few or _launched(_of_call(stage, file, source))
    return " ".join(filter(None, (few, unchanged or _in_a_loop(stage, file, source))))


def _unchanged(stage: Mapping[str, Any], file: str, source: str) -> str:
    """That a call with launches changed nothing, though wrong values were there; with two arrays
    that change places the result may be in the other one."""
    launches = made(stage)
    if not launches or NOTHING_WRITTEN in stage["message"] or UNCHANGED not in stage["message"]:
        return ""
    said = f"The call made {times(launches)} and left its buffers as they were."
    if SWAPS.search(block_index.of_stage(source, file, stage["name"])):
        said += " Of two arrays that change places, the last launch must write the caller's."
    return said


def _in_a_loop(stage: Mapping[str, Any], file: str, source: str) -> str:
    """How many launches a loop makes: perhaps one round is too much, or missing."""
    launches = made(stage)
    code = block_index.on_host(source, file, stage["name"])
    loops = [found.start() for found in LOOP.finditer(code)]
    if launches is None or not any(code.find("<<<", at) > 0 for at in loops):
        return ""
    return f"The call made {times(launches)}."


def _few_threads(stage: Mapping[str, Any], file: str, source: str) -> str:
    """The launches, if they have less than a thread for each element, or for each pair where a
    kernel counts by twos."""
    launches = _of_call(stage, file, source)
    if not any(one.is_short(block_index.kernels(source).get(one.kernel, "")) for one in launches):
        return ""
    return _launched(launches)


def _launched(launches: list[Launch]) -> str:
    said = "; ".join(one.told for one in launches)
    return f"With {_numbers(launches[0].given)}, {said}." if launches else ""


def too_small(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of places without a result: fewer threads than elements, where no thread goes on to
    another element, or threads in two dimensions of which the kernel reads one."""
    launches = _of_call(stage, file, source)
    first = stage["message"].partition("\n")[0]
    if stage["verdict"] != WRONG_ANSWER or NOTHING_WRITTEN not in first or len(launches) != 1:
        return ()
    [one] = launches
    body = block_index.kernels(source).get(one.kernel, "")
    side_by_side = one.blocks[0] * one.threads[0]
    if not body or GOES_ON.search(body) or side_by_side >= one.given.get("n", 0):
        return ()
    if one.all_threads > side_by_side and not SECOND.search(body):
        return (f"{one.told[0].upper()}{one.told[1:]}, but {one.kernel} reads threadIdx.x and "
                "blockIdx.x alone: launch blocks and threads of one dimension.",)  # fmt: skip
    return (f"n is {one.given['n']}, and {one.told}: too few, if each thread has one element. "
            "Round up: kit::ceil_div(n, threads) blocks.",)  # fmt: skip


def _of_call(stage: Mapping[str, Any], file: str, source: str) -> list[Launch]:
    """The launches in the functions that the kit calls, by line; none if one of them is unknown."""
    given = given_to(stage, source)
    lines = _lines(source)
    names = names_of_call(stage, file, source)
    found = []
    for number in lines_of_call(stage, file, source) if given else ():
        for kernel, shape in LAUNCH.findall(lines[number - 1]):
            if _is_conditional(lines[:number]):
                return []
            sizes = [size(part, names) for part in split(shape)[:2]]
            if len(sizes) < 2 or not all(sizes):
                return []
            found.append(Launch(kernel, number, sizes[0], sizes[1], given))
    return found


def lines_of_call(stage: Mapping[str, Any], file: str, source: str) -> list[int]:
    """The lines of the stage that run in the failed call, from 1, as far as parameters tell."""
    call = CALL.match(stage["message"])
    return list(_inside(source, file, stage["name"], call[1])) if call else []


def names_of_call(
    stage: Mapping[str, Any], file: str, source: str, contract: str = ""
) -> dict[str, Size]:
    """What has one value all the time in the failed call, as far as it is known."""
    lines = _lines(source)
    return _names([*(line for line in _lines(contract) + lines if "constexpr" in line),
                   *(lines[number - 1] for number in lines_of_call(stage, file, source))],
                  given_to(stage, source))  # fmt: skip


def _lines(source: str) -> list[str]:
    return [line.partition("//")[0] for line in source.split("\n")]


def given_to(stage: Mapping[str, Any], source: str) -> dict[str, int]:
    """The numbers of the failed call by the names that the source has for them."""
    call = CALL.match(stage["message"])
    name, given = call.groups() if call else ("", "")
    names, values = parameters(name, source), given.split(", ")
    if len(names) != len(values):
        return {}
    return {one: int(value) for one, value in zip(names, values, strict=True) if value.isdecimal()}


def parameters(function: str, source: str) -> list[str]:
    """The names of an entry point's parameters in the source; none if it is not there."""
    head = re.search(rf"^\w[\w:]* {function}\(([^(){{}}]*)\)\s*\{{", source, re.MULTILINE)
    return [one.split()[-1].lstrip("*&") for one in head[1].split(",")] if head else []


def _numbers(given: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {number}" for name, number in given.items())


def _inside(source: str, file: str, stage: str, call: str) -> Iterator[int]:
    """The lines of the stage within the called function, or within one of the handout's that this
    one calls: their parameters are the call's."""
    try:
        regions = marks.parse(source, file)
    except UsageError:  # a mark is damaged
        return
    lines = source.split("\n")
    body = re.search(rf"^\w.* {call}\([^{{}}]*\)\s*\{{.*?^\}}", source, re.MULTILINE | re.DOTALL)
    for region in regions:
        heads = (HEAD.match(line) for line in reversed(lines[: region.begin]))
        head = next(filter(None, heads), None)
        if region.name == stage and region.indent and head and body and f"{head[1]}(" in body[0]:
            yield from range(region.code + 1, region.end + 1)


def _is_conditional(lines: list[str]) -> bool:
    """Whether a condition decides if the last line is run: on it, or at a block around it."""
    depth = 0
    for number, line in enumerate(reversed(lines)):
        code = line.strip()
        depth += (code.count("}") - code.count("{")) if number else 0
        opens = depth < 0 or (depth == 0 and code.startswith("}") and code.endswith("{"))
        goes_on = number == 1 and not code.endswith((";", "{", "}"))
        if (number == 0 or opens or goes_on) and CONDITION.search(code):
            return True
        depth = max(depth, 0)
        if HEAD.match(line):
            break
    return False


def _names(lines: list[str], given: Mapping[str, int]) -> dict[str, Size]:
    """What has one value all the time, as far as it is known."""
    code = "\n".join(lines)
    changes = [next(filter(None, found)) for found in CHANGED.findall(code)]
    known = {name: (value,) for name, value in given.items() if name not in changes}
    for simple, name, shape in LET.findall(code):
        lets = [f"{name} = dim3{shape}"] if name else split(simple)
        for name, equals, text in (let.partition("=") for let in lets):
            value = size(text, known) if equals and changes.count(name.strip()) <= 1 else ()
            known.pop(name.strip(), None)
            known |= {name.strip(): value} if value else {}
    return known


def size(text: str, names: Mapping[str, Size]) -> Size:
    """The value of an expression; () if it is not known."""
    if made := re.fullmatch(r"\s*dim3\s*[({](.*)[)}]\s*", text, re.DOTALL):
        sides = [size(part, names) for part in split(made[1])]
        return tuple(side[0] for side in sides) if all(len(one) == 1 for one in sides) else ()
    if text.strip() in names:
        return names[text.strip()]
    try:
        tree = ast.parse(NUMBER.sub(r"\1", CAST.sub("", text)).strip(), mode="eval")
        return (_value(tree.body, names),)
    except (SyntaxError, ValueError, ArithmeticError, TypeError, RecursionError, MemoryError):
        return ()


def _value(node: ast.expr, names: Mapping[str, Size]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name) if len(names.get(name, ())) == 1:
            return names[name][0]
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            return _bounded(type(sign), _value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id=name), args=args) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(one, names) for one in args))
    raise ValueError


def _bounded(sign: type[ast.operator], left: int, right: int) -> int:
    """The result, if 64 bits hold it: a source may ask for numbers that no memory holds."""
    if sign in (ast.LShift, ast.RShift) and not 0 <= right < BITS:
        raise ValueError
    result = OPERATORS[sign](left, right)
    if abs(result) >> BITS:
        raise ValueError
    return result


def split(text: str) -> list[str]:
    """What commas separate that are in no parentheses."""
    parts, depth = [""], 0
    for sign in text:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(sign, 0)
        parts, last = ([*parts, ""], "") if sign == "," and depth == 0 else (parts, sign)
        parts[-1] += last
    return parts


def _counted(size: Size, what: str) -> str:
    return counted(size[0], what) if len(size) == 1 else " x ".join(map(str, size)) + f" {what}s"
