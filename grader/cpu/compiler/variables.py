"""__device__ and __constant__ variables: they get a section of their own, functions do not.

The linker script of a worker collects the sections on pages of their own, which the runtime closes
while host code runs. g++ gives instances of templates no section; there the script goes by names.
"""

from __future__ import annotations

from collections.abc import Iterator

from .classes import Constructors
from .constructed import ALL_KEYS, WITH_PARENTHESES, is_constructed
from .scopes import FUNCTION, Braces, Scope, declaration_start
from .tokens import (
    Tokens,
    closing,
    is_blank,
    is_name,
    next_significant,
    previous_significant,
    significant,
)

SECTION = "warpwise_device"
CONSTANT = "__constant__"
CONSTANT_SECTION = "warpwise_device.constant"  # no kernel may write there
MANAGED = "__managed__"
MANAGED_SECTION = "warpwise_managed"  # open to both sides, and what kernels write there is counted
IN_NAMES = f'abi_tag("{SECTION}")'  # of a function's static variable, and so of its instances
NAMESPACE = "cuda_on_cpu_device"  # around templates of variables; a tag would not be in their names
CONSTANT_BYTES = 64 << 10  # of all constant memory
GAP_BYTES = 64  # after a variable, in check mode
_SECTIONS = {"__device__": SECTION, CONSTANT: CONSTANT_SECTION, MANAGED: MANAGED_SECTION}
WORDS = tuple(_SECTIONS)
_WITH_PARENTHESES = (*WITH_PARENTHESES, "__declspec")
_NO_VARIABLE = ("operator", "using", "friend", "typedef", "__global__", "concept", "requires")


class Known:
    """What is asked about a file again and again, and found out once. With `gaps` after them the
    variables stay where the text has them."""

    def __init__(self, tokens: Tokens, gaps: bool = False) -> None:
        self.kept_in_order = ", no_reorder" if gaps else ""
        self.braces = Braces(tokens)
        self.constructors = Constructors(tokens)


def attribute(tokens: Tokens, index: int, scope: Scope, known: Known) -> str:
    """What stands in the place of the word at `index`: a section for a variable, else nothing."""
    if FUNCTION in scope:
        return ""
    words = _variable_words(tokens, index)
    is_member = known.braces.are_of_class(index)
    if not words or (is_member and "static" not in _declaration(tokens, index)):
        return ""  # of a member that is not static nvcc says that the word does not apply
    checked = " constinit" if _is_computed(tokens, index, known) else ""
    if _is_constant(words):
        return "" if "constexpr" in words else checked
    stronger = {"__device__": {CONSTANT, MANAGED}, CONSTANT: {MANAGED}, MANAGED: set()}
    if stronger[tokens[index]] & set(_declaration(tokens, index)):
        return ""
    section = _SECTIONS[tokens[index]]
    # Of a variable with vague linkage there may be several copies: its section is not the others'.
    is_vague = bool({"inline", "template", "::"} & set(words)) or any(scope)
    name = f"{section}.{index}" if is_vague else section
    return f'__attribute__((section("{name}"){known.kept_in_order})){checked}'


def _is_computed(tokens: Tokens, index: int, known: Known) -> bool:
    """`__device__ int n = atoi("3");`: a device has what is known while the program is compiled."""
    end = _semicolon(tokens, index)
    if is_constructed(tokens, index, end, known.constructors):
        return True
    begin = next((i for i in range(index, end) if tokens[i] == "="), end)
    is_of_function = "*" in "".join(tokens[index:begin]).partition("(")[2]  # g++ would refuse it
    return not is_of_function and any(is_name(tokens[i]) for i in range(begin, end))


def local_statics(tokens: Tokens, bodies: list[tuple[int, int]], known: Known) -> dict[int, str]:
    """What comes after each `static` of a variable in one of these bodies of device functions."""
    found = {}
    for index in sorted({i for first, last in bodies for i in range(first, last)
                         if tokens[i] == "static"}):  # fmt: skip
        end = next((i for i in range(index, len(tokens)) if tokens[i] in (";", "=", "{", "[", "(")),
                   index)  # fmt: skip
        words = significant(tokens, declaration_start(tokens, index), end)
        is_function = tokens[end] == "(" and known.braces.are_of_class(index)
        if not is_function and not {"__shared__", MANAGED} & set(words) and not _is_constant(words):
            is_checked = tokens[end] == "=" or is_constructed(
                tokens, index, _semicolon(tokens, index), known.constructors, in_function=True
            )
            checked = " constinit" if is_checked else ""
            found[index] = f' __attribute__((section("{SECTION}.{index}"), {IN_NAMES})){checked}'
    return found


def around_templates(
    tokens: Tokens, places: list[int], sections: list[str], known: Known
) -> tuple[dict[int, str], dict[int, str]]:
    """What comes before and after each template of a variable: a namespace that names it."""
    before, behind = {}, {}
    for index, section in zip(places, sections, strict=True):
        first = declaration_start(tokens, index)
        words = significant(tokens, first, index)
        if not section or "template" not in words or words[:3] == ["template", "<", ">"]:
            continue
        end = _semicolon(tokens, index)
        if end < len(tokens) and not known.braces.are_of_class(first):
            before[first], behind[end] = f"inline namespace {NAMESPACE} {{ ", " }"
    return before, behind


def gaps(tokens: Tokens, places: list[int], sections: list[str], known: Known) -> dict[int, str]:
    """After a variable some bytes that no kernel may use: an index past its end hits them.

    By the index of the declaration's semicolon. Variables of classes and templates have none.
    """
    return {
        end: f" [[gnu::used]] {section} static char cuda_on_cpu_gap_{index}[{GAP_BYTES}];"
        for index, section, end in _plain(tokens, places, sections, known)
    }


def limits(tokens: Tokens, places: list[int], sections: list[str], known: Known) -> dict[int, str]:
    """After a __constant__ array: it fits into constant memory. By the index of its semicolon."""
    return {
        end: f' static_assert(sizeof({name}) <= {CONSTANT_BYTES}, "{name} is larger than constant '
        'memory, which has 65,536 bytes");'
        for index, section, end in _plain(tokens, places, sections, known)
        if CONSTANT_SECTION in section and (name := _last_name(tokens, index, end))
    }


def _plain(
    tokens: Tokens, places: list[int], sections: list[str], known: Known
) -> Iterator[tuple[int, str, int]]:
    """The variables that are of no class and no template, each with the index of its semicolon."""
    for index, section in zip(places, sections, strict=True):
        words = significant(tokens, declaration_start(tokens, index), index) if section else []
        if not section or {"template", "extern"} & set(words):
            continue
        end = _semicolon(tokens, index)
        if end < len(tokens) and not known.braces.are_of_class(index):
            yield index, section, end


def _last_name(tokens: Tokens, index: int, end: int) -> str:
    """The name before the bounds or the initialiser of an array; "" if there is none."""
    bracket = next((i for i in range(index, end) if tokens[i] in ("[", "=", "{", "(", ",")), end)
    name = previous_significant(tokens, bracket - 1)
    is_array = bracket < end and tokens[bracket] == "["
    return tokens[name] if is_array and is_name(tokens[name]) else ""


def _semicolon(tokens: Tokens, index: int) -> int:
    """The end of the declaration, or of the file."""
    while index < len(tokens) and tokens[index] != ";":
        index = closing(tokens, index) if tokens[index] in ("(", "[", "{") else index
        index += 1
    return index


def _variable_words(tokens: Tokens, index: int) -> Tokens:
    """The declaration up to its bounds or initialiser; nothing if it declares no variable."""
    words = significant(tokens, declaration_start(tokens, index), index)
    i, names, angle = index + 1, 0, 0
    while i < len(tokens):
        token = tokens[i]
        if token in _NO_VARIABLE:
            return []
        if token in _WITH_PARENTHESES:
            i = closing(tokens, next_significant(tokens, i + 1))
        elif token in ALL_KEYS:
            i, names = _after_class(tokens, i), names + 1
        elif token == "<":
            angle += 1
        elif token in (">", ">>>"):
            angle -= len(token)
        elif angle == 0 and token == "(" and _is_value(tokens[next_significant(tokens, i + 1)]):
            return words
        elif angle == 0 and token == "(":
            inner = significant(tokens, i + 1, closing(tokens, i))  # `*name`, `*const name[4]`
            is_pointer = inner[:1] == ["*"] and _is_function_pointer(tokens, i)
            return [*words, *inner] if is_pointer else []
        elif angle == 0 and token in (";", "=", "[", "{", ","):
            if token == "[" and tokens[next_significant(tokens, i + 1)] == "[":
                i = closing(tokens, i)  # an attribute
            else:
                before = any(is_name(word) for word in words)
                return words if names >= 2 or (names == 1 and before) else []
        elif token in (")", "}"):
            return []
        elif angle == 0 and not is_blank(token):
            names += is_name(token) and token not in WORDS
            words.append(token)
        i += 1
    return []


def _declaration(tokens: Tokens, index: int) -> Tokens:
    end = next((i for i in range(index, len(tokens)) if tokens[i] in (";", "=", "{")), index)
    return tokens[declaration_start(tokens, index) : end]


def _after_class(tokens: Tokens, index: int) -> int:
    """The last token of `struct Name` or of `struct Name { ... }`."""
    i = next_significant(tokens, index + 1)
    if is_name(tokens[i]):
        brace = next_significant(tokens, i + 1)
        return closing(tokens, brace) if tokens[brace] == "{" else i
    return closing(tokens, i) if tokens[i] == "{" else index


def _is_function_pointer(tokens: Tokens, parenthesis: int) -> bool:
    """`int (*name)(int)` or `int (*name[4])(int)`, and no function that returns one."""
    return "(" not in tokens[parenthesis + 1 : closing(tokens, parenthesis)]


def _is_value(token: str) -> bool:
    """After a parenthesis: `C c(1)` declares a variable, `C c(int)` a function."""
    return token[:1].isdigit() or token[:1] in ("-", "+", ".", "'", '"', "!")


def _is_constant(words: Tokens) -> bool:
    """A constant is known to the host anyway, and is in read-only memory."""
    if "constexpr" in words:
        return True
    stars = [i for i, word in enumerate(words) if word == "*"]
    return "const" in (words[stars[-1] :] if stars else words)
