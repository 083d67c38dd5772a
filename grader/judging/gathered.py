"""Which loads of a PTX function follow an index that another load has read.

`dist[start[e]]` is such a load, `weight[e]` is none: the first one's address comes from a number
that was read from memory. So the reads of two arrays of one type can be told apart, whatever a
compiler made of a loop: how often an instruction is in a listing says little.
"""

import re

# op %result, ...; or op {%result, %result}, ...;
INSTRUCTION = re.compile(
    r"^\s*(?:@!?%p\d+\s+)?([a-z][\w.:]*)\s+(\{[^}]*\}|%\w+)\s*,(.*);", re.MULTILINE
)
REGISTER = re.compile(r"%(?!p\d)[a-z]+\d+")
INDEX = re.compile(r"\.[usb]32$")
PAIR = re.compile(r"\.[usb]64$")
PART_OF_PAIR = re.compile(r"^(?:cvt\.[usb]32\.[usb]64|shr\.[usb]64|and\.b64|bfe\.[us]64|mov\.b64$)")
ELSEWHERE = re.compile(r"^ld\.(?:\w+\.)*(?:param|const|shared|local)\b")


def mark(body: str, *, is_kernel: bool = True) -> str:
    """The body, with `gathering.` before each load from global memory that follows an index."""
    followed = _followed(body, is_kernel)

    def marked(match: re.Match[str]) -> str:
        op, address = match[1], match[3]
        if not op.startswith("ld.") or ELSEWHERE.match(op):
            return match[0]
        gathers = any(register in followed for register in REGISTER.findall(address))
        return match[0].replace(op, f"gathering.{op}", 1) if gathers else match[0]

    return INSTRUCTION.sub(marked, body)


def _followed(body: str, is_kernel: bool) -> set[str]:
    """The registers that hold an index which was loaded, or what was computed from one. What a
    function that is no kernel gets may be one, too."""
    sources: dict[str, set[str]] = {}
    found: set[str] = set()
    pairs: set[str] = set()  # two indices may have been loaded as one number of 64 bits
    for op, results, operands in INSTRUCTION.findall(body):
        registers = REGISTER.findall(results)
        if op.startswith("ld.") and PAIR.search(op) and not ELSEWHERE.match(op):
            pairs.update(registers)
        if not op.startswith("ld."):
            if PART_OF_PAIR.match(op) and pairs & set(REGISTER.findall(operands)):
                found.update(registers)
            for register in registers:
                sources.setdefault(register, set()).update(REGISTER.findall(operands))
        elif INDEX.search(op) and not (is_kernel and op.startswith("ld.param")):
            found.update(registers)
    while grown := {register for register, of in sources.items() if of & found} - found:
        found |= grown
    return found
