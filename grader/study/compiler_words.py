"""What the compiler said, for a student: the first error first, at the column of their own text."""

import re
from dataclasses import dataclass, replace

from ..base import columns
from ..base.text import counted, piece
from ..compiling.room import MESSAGE_LINES
from . import braces, smart, unsaid

SAID = re.compile(r"^([^\s:]+):(\d+):(?:(\d+):)? (fatal error|error|warning): (.*)$", re.MULTILINE)
# Of what g++ adds to an error, the notes that say what to do.
NOTES = re.compile(
    r": note: +(.*(?:did you forget to|couldn’t deduce|candidate expects|no known conversion|"
    r"deduced conflicting types).*)$",
    re.MULTILINE,
)
QUOTED = re.compile(r"‘([A-Za-z_]\w*)’")
OF_A_PART = re.compile(r"(?<=\w)\$(\w*)(?=’)")  # rank$ and pair$first: what g++ keeps apart
TWICE_MAIN = re.compile(r"^(?P<place>[\w.-]+:\d+): multiple definition of `main'", re.MULTILINE)
TAB = 8  # of g++
NEAR = 3  # lines of one statement
FLAG = re.compile(r" \[-W([a-z0-9+=-]+)\]$")
MOST_WARNINGS = 5
# "no matching function for call to ‘Launch::run(void (*)(int), f()::<lambda(auto:5 ...)>, float)’"
LAUNCH = re.compile(
    r"Launch::run\((?:void \(\*\)\((?P<takes>[^()]*)\)|<[^<>]*>), .*?<lambda\([^()]*\)>"
    r"(?P<given>.*)\)’"
)
# What a launch gives to its kernel begins with the third argument of run().
OTHER_TYPE = re.compile(
    r"argument (\d+) from ‘(.*?)’ to ‘std::type_identity_t<.*?>’ \{aka ‘(.*)’\}"
)
CONFIGURATION = re.compile(r"call to ‘cuda_on_cpu::Configuration::Configuration\((.*)\)’")
COUNT = re.compile("too (?:few|many) arguments to function")
READ_ONLY = re.compile(r"of read-only location ‘\*?\(?([a-z]\w*)")
LAUNCHED = re.compile(r"([\w:]+(?:<[^<>]*>)?)\s*<<<")
# First what is nearly always a mistake; then what often is one.
INDEX = re.compile(r"\b(?:blockIdx|blockDim|threadIdx|gridDim)\b(?!\s*\.)")
UNADDRESSED = re.compile(r"no matching function for call to ‘(cudaMalloc(?:Async)?)\(\w+\*&?,")
STREAM_AS_BYTES = re.compile(r"invalid conversion from ‘cudaStream_t’.* to ‘(?:std::)?size_t’")
NO_INDEX = re.compile(r"invalid types ‘[^’]*\[(?:float|double)\]’ for array subscript")
BARE_NAME = re.compile(r"^‘\w+’ does not name a type")  # not `string` in namespace `std`
OUTSIDE = re.compile(rf"{BARE_NAME.pattern}|expected declaration before ‘}}’|"
                     "expected unqualified-id before ‘(?:for|if|else|while|do|switch|return|void)’")
INSIDE = re.compile("function-definition is not allowed here|cannot appear at block scope|"
                    "‘namespace’ definition is not allowed here")
UNKNOWN = re.compile("^(‘[^’]*’) was not declared in this scope")
SHARED = re.compile(r"no matching function for call to ‘shared_variable<(?P<type>.*?) \[")
UNROLLED = "ignoring loop annotation"  # g++ of a #pragma unroll that nvcc takes
CONVERSION = "float-conversion"
WHOLE_VALUE = re.compile(r"\]|[A-Za-z_]\w*\s*[;,)}]")  # in[i], or a variable and nothing else
NARROWED = re.compile("conversion from ‘(?:float|double)’ to ‘[^’]*(?:int|long|short|char)’")
GRAVE = ("uninitialized", "maybe-uninitialized", "unused-result", "return-type", "array-bounds",
         CONVERSION, "sign-compare", "shadow", "unused-value", "parentheses", "sequence-point")


@dataclass(frozen=True)
class Said:
    """One error or warning; `line` and `column` count from 1, and column 0 is unknown."""

    file: str
    line: int
    column: int
    kind: str
    text: str
    is_own_column: bool = False  # a number of characters, not of places on a screen

    @property
    def flag(self) -> str:
        """`shadow` of a text that ends with [-Wshadow]."""
        found = FLAG.search(self.text)
        return found[1] if found else ""


def parse(output: str) -> list[Said]:
    """Every error and warning, in the compiler's order, each once."""
    found = (Said(file, int(line), int(column or 0), kind, OF_A_PART.sub(_part, text))
             for file, line, column, kind, text in SAID.findall(output))  # fmt: skip
    return list(dict.fromkeys(found))


def _part(found: re.Match[str]) -> str:
    """A member as students write it; which element of an array it is, is left out."""
    return f".{found[1]}" if found[1] and not found[1].isdecimal() else ""


def errors(output: str, file: str, text: str) -> list[str]:
    """The first error with the student's line, and how many more there are; [] if g++ said none."""
    said = [one for one in parse(output) if one.kind != "warning"]
    strange = smart.find(text)
    if {one.line for one in strange} & {one.line for one in said}:  # a raw string may hold them
        return _of_strange(strange, file, text)
    if not said:
        return _linked(output)
    if merge := unsaid.merge(text):
        return _shown(Said(file, merge, 1, "error", unsaid.UNDONE), file, text)
    # Where an argument of a launch is missing, g++ complains first of the type of another one.
    said.sort(key=lambda one, line=said[0].line: one.line != line or not COUNT.match(one.text))
    first, *more = (_moved(one, file, text) for one in said)
    lines = [*_shown(plainer(first, text), file, text), *_note(output, said[:2]),
             *_advice(first, text)]  # fmt: skip
    if more:
        others = "1 more error follows" if len(more) == 1 else f"{len(more)} more errors follow"
        if len(output.splitlines()) >= MESSAGE_LINES:  # cut there: nobody knows how many
            others = "More errors follow"
        lines.append(f"{others}; begin with the first, which often causes the others.")
    return lines


def _of_strange(strange: list[smart.Smart], file: str, text: str) -> list[str]:
    """What g++ says of such a character is three errors, none of which names it."""
    first = strange[0]
    one = Said(file, first.line, first.column, "error", first.said, is_own_column=True)
    more = f"{counted(len(strange) - 1, 'more such character')} in this file."
    return _shown(one, file, text) + ([more] if len(strange) > 1 else [])


def _linked(output: str) -> list[str]:
    """What the linker said, where it is a slip that it names in its own words only."""
    if found := TWICE_MAIN.search(output):
        return [f"{found['place']}: error: a second main(): the kit's own calls your functions. "
                "Leave yours out; ./lab run tries a program of your own."]  # fmt: skip
    return []


def _note(output: str, first_two: list[Said]) -> list[str]:
    """The first note to the first error that says what to do."""
    begin = output.find(first_two[0].text)
    end = output.find(first_two[1].text, begin + 1) if len(first_two) > 1 else -1
    found = NOTES.search(output, begin, end if end > begin else len(output))
    if not found:
        return []
    if not LAUNCH.search(first_two[0].text):
        return [found[1]]
    type_ = OTHER_TYPE.search(found[1])
    return [f"argument {int(type_[1]) - 2} is {type_[2]}, and the kernel wants {type_[3]}"
            ] if type_ else []  # fmt: skip


def _moved(one: Said, file: str, text: str) -> Said:
    """A launch over several lines is one line to the compiler. The line with the name is meant."""
    found = QUOTED.match(one.text)
    if one.file != file or not found:
        return one
    name = re.compile(rf"\b{found[1]}\b")
    for number in range(one.line, max(0, one.line - NEAR), -1):
        if at := name.search(_code(_line(text, number))):
            if number == one.line:
                return one
            indent = len(_line(text, number)) - len(_line(text, number).lstrip())
            return replace(one, line=number, column=indent + at.start() + 1,
                           is_own_column=True)  # fmt: skip
    return one


def warnings(output: str, file: str, text: str) -> list[str]:
    """The warnings about the student's own file, the grave ones first."""
    said = [one for one in parse(output) if one.kind == "warning" and one.file == file
            and one.text != UNROLLED
            and (one.flag != CONVERSION or _narrows_unsaid(one, text))]  # fmt: skip
    said.sort(key=lambda one: (_rank(one.flag), one.line))
    shown = [f"{file}:{one.line}:{column(text, one)}: {one.text}" for one in said[:MOST_WARNINGS]]
    return shown + ([f"and {len(said) - MOST_WARNINGS} more"] if len(said) > MOST_WARNINGS else [])


def _narrows_unsaid(one: Said, text: str) -> bool:
    """Whether an element of an array or a variable becomes an integer. Whoever rounds the result of
    ceil() or log2() means it."""
    code = _line(text, one.line)[max(column(text, one) - 1, 0) :]
    return bool(NARROWED.match(one.text) and WHOLE_VALUE.match(code))


def plainer(one: Said, text: str) -> Said:
    """A launch that does not fit its kernel, or a shared array without a constant size: without
    the names of the runtime that runs it."""
    if SHARED.search(one.text):
        said = ("the size of a __shared__ array must be a constant. If only the launch knows it: "
                "extern __shared__ float name[]; and kernel<<<blocks, threads, bytes>>>(...)")
        return replace(one, text=said)
    if found := CONFIGURATION.search(one.text):
        given = found[1].replace("&", "")
        return replace(one, text=f"<<<{given}>>>: a launch wants blocks and threads, each a number "
                       "or a dim3, then bytes and a stream")  # fmt: skip
    found = LAUNCH.search(one.text)
    if not found:
        return one
    launched = LAUNCHED.search(_line(text, one.line))
    name = launched[1] if launched else "the kernel"
    given = re.sub(r"[&]", "", found["given"]).strip(", ")
    takes = f"takes ({found['takes']})" if found["takes"] else "does not take them"
    return replace(one, text=f"{name} is launched with ({given}), but {takes}")


def _advice(one: Said, text: str) -> list[str]:
    """What a beginner needs to hear about the commonest slips."""
    at_column = _line(text, one.line)[max(0, column(text, one) - 1) :]
    if found := unsaid.advice(one.text, at_column, text, one.line):
        return [found]
    if re.search(r"expected .*‘;’.* before", one.text):
        code_here = _line(text, one.line)[: max(0, column(text, one) - 1)].strip()
        lines = range(one.line if code_here else one.line - 1, 0, -1)
        at = next((number for number in lines if _code(_line(text, number))), one.line)
        return [f"A ; may be missing at the end of line {at}: {_code(_line(text, at))}"]
    if found := READ_ONLY.search(one.text):
        return [f"{found[1]} is const: what it points to may be read, not written."]
    if re.search(r"no match for ‘operator.* types are .*‘(?:u?int3|dim3)’", one.text):
        if found := INDEX.search(_line(text, one.line)):
            return [f"{found[0]} has three parts: {found[0]}.x, and .y and .z for grids of 2 and 3 "
                    "dimensions."]  # fmt: skip
    if found := UNADDRESSED.search(one.text):
        return [f"{found[1]} writes an address into your pointer, so give it the pointer's own "
                f"address: {found[1]}(&p, n * sizeof(float))"]  # fmt: skip
    if "CUDA_CHECK" in one.text and "<<<" in _line(text, one.line):
        return ["A launch has no value to check. Write CUDA_CHECK_LAUNCH(); in the line after it."]
    if STREAM_AS_BYTES.search(one.text) and "<<<" in _line(text, one.line):
        return ["The third part of a launch is bytes of shared memory, the fourth the stream: "
                "<<<blocks, threads, 0, stream>>>"]  # fmt: skip
    if "lvalue required as left operand of assignment" in one.text:
        return ["= gives a value to what is left of it. To compare, write =="]
    if NO_INDEX.search(one.text):
        return ["An index must be an integer, such as int: declare it so."]
    if "operator<<" in one.text and "<<<" not in _line(text, one.line):
        if re.search(r"<<.*>>\s*\(", _line(text, one.line)):
            return ["A launch has three of each: kernel<<<blocks, threads>>>(arguments)"]
    is_last = text.rstrip().count("\n") < one.line and not text.rstrip().endswith((";", "{", "}"))
    if BARE_NAME.search(one.text) and is_last:
        return ["The file ends here, in the middle of a word or a line. Is all of it saved?"]
    if OUTSIDE.search(one.text):
        return ["If this is code of a function, a } above it is one too many"
                + _odd_brace(one, text) + "."]  # fmt: skip
    if "at end of input" in one.text:
        return ["The file ends here. A } may be missing above, or the rest of the file"
                + _odd_brace(one, text) + "."]  # fmt: skip
    if (found := UNKNOWN.search(one.text)) and (place := _odd_brace(one, text)):
        return [f"If {found[1]} is declared above, a }} may be one too many{place}."]
    if INSIDE.search(one.text):
        return [f"A }} may be missing above this line{_odd_brace(one, text)}."]
    return []


def _odd_brace(one: Said, text: str) -> str:
    """Where it may be, as the indentation tells, to go on with; "" if it does not."""
    pair = braces.odd(text)
    if not pair or pair.closes > one.line:
        return ""
    return (f": look at the }} in line {pair.closes}. It ends what line {pair.begin} begins, and "
            "is indented otherwise")  # fmt: skip


def _code(line: str) -> str:
    """A line without its comment."""
    return line.partition("//")[0].strip()


def _rank(flag: str) -> int:
    return GRAVE.index(flag) if flag in GRAVE else len(GRAVE)


def _shown(one: Said, file: str, text: str) -> list[str]:
    lines = text.split("\n")
    if one.file != file or not 1 <= one.line <= len(lines):
        return [f"{one.file}:{one.line}: {one.kind}: {one.text}"]
    at = column(text, one)
    code = lines[one.line - 1].rstrip()
    place = f"{file}:{one.line}:{at}" if at else f"{file}:{one.line}"
    code, at = piece(code, at)
    shown = [f"{place}: {one.kind}: {one.text}", f"{one.line:>5} | {code}"]
    if at:
        # Tabs stay tabs, so that the caret is below its column in any terminal.
        before = "".join("\t" if sign == "\t" else " " * columns.width(sign)
                         for sign in code[: at - 1])  # fmt: skip
        shown.append(f"      | {before}^")
    return shown


def column(text: str, said: Said) -> int:
    """The character of the student's own line; 0 if it is not known."""
    return said.column if said.is_own_column else _counted(_line(text, said.line), said.column)


def _counted(line: str, shown: int) -> int:
    """The character of `line` in g++'s column: it counts columns of a screen, with tabs of 8."""
    column = 0
    for number, sign in enumerate(line, 1):
        column += TAB - column % TAB if sign == "\t" else columns.width(sign)
        if column >= shown:
            return number if shown else 0
    return min(shown, len(line) + 1)


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number - 1] if 1 <= number <= len(lines) else ""
