"""Rules of CUDA that the text alone proves: beside those of language.py, which ask the compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .scopes import FUNCTION, Braces, Scope, declaration_start
from .sides import KERNEL, Sides
from .suspects import declares
from .tokens import (
    Tokens,
    closing,
    is_name,
    next_significant,
    previous_significant,
    significant,
)

_INDICES = frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim"))
_STREAMS = frozenset(("cout", "cerr", "clog", "cin"))
_MEMORIES = frozenset(("__device__", "__constant__", "__managed__"))
_ASSIGNMENT = re.compile(r"=(?!=)|([-+*/%|&^]|<<|>>)=|\+\+|--")


def errors(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> Iterator[tuple[int, str]]:
    """The index of a token, and a sentence."""
    for i, name in _names_of_the_device(tokens, sides):
        if not name.isascii():
            yield i, (f"`{name}` is a function or a variable of the device, whose name nvcc takes "
                      "with ASCII letters only; other names may have any")  # fmt: skip
    braces = Braces(tokens)
    for i, token in enumerate(tokens):
        is_member = token in _MEMORIES and braces.are_of_class(i)
        if is_member and (name := _variable(tokens, i)):
            if "static" in tokens[declaration_start(tokens, i) : tokens.index(name, i)]:
                yield i, (f"`{name}` is a member of a class, which cannot be {token}: put it "
                          "outside")  # fmt: skip
        is_local = token in _MEMORIES and FUNCTION in scope_of[i] and not is_member
        if is_local and (name := _local(tokens, i)):
            yield i, (f"`{name}` is a variable of a function, which cannot be {token}: put it "
                      "outside, or leave the word out")  # fmt: skip
    yield from _sizes_of_dynamic(tokens, scope_of, sides)
    is_open = "using" in tokens and "std" in tokens
    for one in sides.device_bodies():
        for i in range(*(one.body or (0, 0))):
            if tokens[i] in _INDICES and _is_written(tokens, i, False) and not declares(tokens, i):
                yield i, f"device code changes `{tokens[i]}`, which it only reads"
            if tokens[i] in _STREAMS and _is_stream(tokens, i, is_open):
                user = "kernel" if one.side == KERNEL else "device function"
                yield i, (f"{user} `{tokens[one.name]}` uses `std::{tokens[i]}`, a stream of the "
                          "host: printf() works on a device")  # fmt: skip


def _names_of_the_device(tokens: Tokens, sides: Sides) -> Iterator[tuple[int, str]]:
    yield from ((name, tokens[name]) for name in sorted(sides.functions) if is_name(tokens[name]))
    for i, token in enumerate(tokens):
        if token in _MEMORIES:
            name = _variable(tokens, i)
            if name not in sides.names:
                yield i, name


def _local(tokens: Tokens, index: int) -> str:
    """The name of a variable that is not static."""
    words = tokens[declaration_start(tokens, index) : index + 6]
    return _variable(tokens, index) if {"static", "extern"}.isdisjoint(words) else ""


def _sizes_of_dynamic(
    tokens: Tokens, scope_of: list[Scope], sides: Sides
) -> Iterator[tuple[int, str]]:
    """`sizeof(array)` of dynamic shared memory, which has no size for the compiler."""
    for i in (i for i, token in enumerate(tokens) if token == "__shared__"):
        around = sides.around(i) if FUNCTION in scope_of[i] else None
        if "extern" not in tokens[declaration_start(tokens, i) : i + 3]:
            continue
        name, end = _variable(tokens, i), around.body[1] if around and around.body else len(tokens)
        for j in range(i, end):
            if tokens[j] == "sizeof" and significant(tokens, j + 1, j + 6)[:3] == ["(", name, ")"]:
                yield j, (f"`sizeof({name})`: dynamic shared memory has no size that a compiler "
                          "knows: pass it as an argument")  # fmt: skip


def shared_of_the_host(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> Iterator[int]:
    """`__shared__ int a[4];` in a function of the host."""
    for i, token in enumerate(tokens):
        if token == "__shared__" and FUNCTION in scope_of[i] and not sides.around(i):
            if "extern" not in tokens[declaration_start(tokens, i) : i + 3]:
                outside = next(j for j in range(i, -1, -1) if FUNCTION not in scope_of[j])
                head = tokens[declaration_start(tokens, outside) : outside]
                if sides.names.isdisjoint(head):  # declared with __device__ before, perhaps
                    yield i


def host_code_with_index(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> Iterator[int]:
    """Where host code of the program uses the number of a thread or of a block."""
    is_ours = False  # a header of CUDA on the CPU
    for i, token in enumerate(tokens):
        if token.startswith("# "):
            is_ours = "/cpu/include/" in token
        elif token in ("threadIdx", "blockIdx") and FUNCTION in scope_of[i] and not is_ours:
            before = tokens[previous_significant(tokens, i - 1)]
            is_another = before in (".", "->", "::") or declares(tokens, i)
            if not is_another and not sides.around(i):
                outside = next(j for j in range(i, -1, -1) if FUNCTION not in scope_of[j])
                head = tokens[declaration_start(tokens, outside) : outside]
                if sides.names.isdisjoint(head):  # declared with __device__ before, perhaps
                    yield i


def _is_stream(tokens: Tokens, index: int, is_open: bool) -> bool:
    before = previous_significant(tokens, index - 1)
    if tokens[before] == "::":
        return tokens[previous_significant(tokens, before - 1)] == "std"
    after = tokens[next_significant(tokens, index + 1)]
    return is_open and after in ("<<", ">>", "<", ">") and tokens[before] in (";", "{", "}", ")")


def warnings(tokens: Tokens, scope_of: list[Scope], sides: Sides) -> Iterator[tuple[int, str]]:
    """As nvcc, which lets host code use its own copy of a variable of the device, and a kernel
    write to constant memory."""
    names: set[str] = set()
    constants: set[str] = set()
    pointers: set[str] = set()  # what they point to is elsewhere
    for i, token in enumerate(tokens):
        if token not in ("__device__", "__constant__") or FUNCTION in scope_of[i]:
            continue
        head = significant(tokens, declaration_start(tokens, i), min(i + 4, len(tokens)))
        if not {"template", "__managed__"} & set(head):
            names.add(name := _variable(tokens, i))
            constants.update([name] if token == "__constant__" else [])
            pointers.update([name] if _is_pointer(tokens, i) else [])
    for one in sides.device_bodies():
        inside = range(*(one.body or (0, 0)))
        own = {tokens[i] for i in inside if tokens[i] in constants and declares(tokens, i)}
        for i in inside:
            if tokens[i] in constants - own and _is_written(tokens, i, tokens[i] in pointers):
                yield i, (f"device code writes `{tokens[i]}`, a __constant__ variable, which it "
                          "only reads: the host writes it, with cudaMemcpyToSymbol()")  # fmt: skip
    host = [i for i, token in enumerate(tokens)
            if token in names and FUNCTION in scope_of[i] and not sides.around(i)]  # fmt: skip
    own = {tokens[i] for i in host if declares(tokens, i)}
    for i in host:
        token = tokens[i]
        if token in own or _is_parameter(tokens, scope_of, i):
            continue
        last = previous_significant(tokens, i - 1)
        before, after = tokens[last], tokens[next_significant(tokens, i + 1)]
        if before in (".", "->", "::", "&") or is_name(before) and before != "return":
            continue
        if before == "=" and "&" in significant(tokens, declaration_start(tokens, last), last):
            continue  # auto &other = name
        if _is_written(tokens, i, False):
            yield i, (f"host code writes `{token}`, a variable of the device, and changes only the "
                      "host's copy: use cudaMemcpyToSymbol()")  # fmt: skip
        elif before in ("=", "return", "+", "-", "<<") or after in ("+", "-", "=", "<", ">", "<<"):
            yield i, (f"host code reads `{token}`, a variable of the device, and gets only the "
                      "host's copy: use cudaMemcpyFromSymbol()")  # fmt: skip


def _is_parameter(tokens: Tokens, scope_of: list[Scope], index: int) -> bool:
    """Whether the function around a token has a parameter of that name."""
    body = next(j for j in range(index, -1, -1) if FUNCTION not in scope_of[j])
    return any(tokens[j] == tokens[index] and declares(tokens, j)
               for j in range(declaration_start(tokens, body), body))  # fmt: skip


def launches_by_kernels(tokens: Tokens, sides: Sides) -> Iterator[tuple[int, str]]:
    """What nvcc refuses without a flag that submissions do not get."""
    for one in sides.device_bodies():
        for i in range(*(one.body or (0, 0))):
            if tokens[i] == "<<<":
                yield i, (f"`{tokens[one.name]}` launches a kernel from a kernel: nvcc takes that "
                          "with -rdc=true alone, and a submission is compiled without it, so it "
                          "runs on no GPU")  # fmt: skip


def variables_of_several_files(tokens: Tokens, scope_of: list[Scope]) -> Iterator[tuple[int, str]]:
    """`inline __device__ int n;` in a namespace with a name: nvcc refuses it without that flag."""
    braces = Braces(tokens)
    for i, token in enumerate(tokens):
        if token in _MEMORIES and not braces.are_of_class(i) and (name := _variable(tokens, i)):
            words = tokens[declaration_start(tokens, i) : tokens.index(name, i)]
            is_of_file = "static" in words or "" in scope_of[i]
            if "inline" in words and not is_of_file:
                yield i, (f"`{name}` is an inline variable of the device: nvcc takes that with "
                          "-rdc=true alone, and a submission is compiled without it: write "
                          "static before it")  # fmt: skip


def _is_written(tokens: Tokens, index: int, is_pointer: bool) -> bool:
    """`name = 1`, `++name`, `name[i].x += 1`; not where a pointer leads elsewhere."""
    before, after = previous_significant(tokens, index - 1), next_significant(tokens, index + 1)
    if tokens[before] in (".", "->"):
        return False
    while tokens[after] in ("[", "."):
        is_index = tokens[after] == "["
        if is_pointer:
            return False
        end = closing(tokens, after) if is_index else next_significant(tokens, after + 1)
        is_pointer = not is_index and _is_member_pointer(tokens, tokens[end])
        after = next_significant(tokens, end + 1)
    written = _ASSIGNMENT.match("".join(tokens[after : after + 3]))
    return bool(written) or "".join(tokens[before - 1 : before + 1]) in ("++", "--")


def _is_member_pointer(tokens: Tokens, name: str) -> bool:
    """Whether some class may have a member `float *name;`."""
    return any(token == name and tokens[previous_significant(tokens, i - 1)] == "*"
               and tokens[next_significant(tokens, i + 1)] in (";", ",", "=", "[")
               for i, token in enumerate(tokens))  # fmt: skip


def _is_pointer(tokens: Tokens, index: int) -> bool:
    """Whether `__constant__ float *name;` or `__constant__ float *rows[4];` begins there."""
    end = next(i for i in range(index, len(tokens)) if tokens[i] in (";", "=", "[", "{", "("))
    return "*" in tokens[index:end]


def _variable(tokens: Tokens, index: int) -> str:
    """The name that `__device__ int name = 3;` declares; "" for a function."""
    name, i = "", index + 1
    while i < len(tokens) and tokens[i] not in (";", "=", "[", "{", "("):
        name = tokens[i] if is_name(tokens[i]) else name
        i += 1
    return name if i < len(tokens) and tokens[i] in (";", "=", "[") else ""
