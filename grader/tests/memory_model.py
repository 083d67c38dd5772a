"""Random kernels, and what is wrong with each, by a model that knows threads, barriers and words.

A kernel is a list of steps: accesses by some of its threads, or a barrier. The model lists every
access, and compares each with every other one. So it is slow, and too simple to be wrong in the
same way as the checker, which keeps a few records for each word.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

THREADS, LANES = 64, 32  # of a block, of a warp

# Which element a thread accesses, and which threads do: the same text for C++ and for Python, where
# t is the thread.
INDICES = ("t", "t", "(t + {c}) % 64", "t // 2", "(t ^ {power})", "{c}", "63 - t",
           "t * {m} % 64", "(t & ~3)")  # fmt: skip
CHOICES = ("True", "True", "True", "t < {c}", "t >= {c}", "t % 2 == 1", "t == {c}",
           "t // 32 == 1")  # fmt: skip
SHARED, GLOBAL, OWN = "shared", "global", "own"  # own: a part of global memory for each block


@dataclass(frozen=True)
class Step:
    """`kind`: read, write, atomic, add (a read and a write), block or warp (barriers)."""

    kind: str
    memory: str = ""
    index: str = ""
    choice: str = "True"


@dataclass(frozen=True)
class Access:
    word: tuple[str, int, int]  # the memory, the block that it belongs to, the element
    thread: tuple[int, int]  # its block, its number there
    kind: str
    step: int
    phase: int  # barriers of the block before it
    turn: int  # barriers of the warp before it

    @property
    def warp(self) -> tuple[int, int]:
        return self.thread[0], self.thread[1] // LANES

    def races_with(self, other: Access) -> bool:
        if self.thread == other.thread or self.kind == other.kind != "write":
            return False
        if self.thread[0] != other.thread[0]:
            return True
        same_turn = self.warp != other.warp or self.turn == other.turn
        return self.phase == other.phase and same_turn

    def is_after(self, other: Access) -> bool:
        if self.thread == other.thread:
            return self.step > other.step
        if self.thread[0] != other.thread[0]:
            return False
        if self.phase != other.phase:
            return self.phase > other.phase
        return self.warp == other.warp and self.turn > other.turn


@dataclass(frozen=True)
class Kernel:
    name: str
    blocks: int
    size: int  # elements of shared memory
    written: str  # which threads write their element of shared memory at the beginning
    steps: tuple[Step, ...]

    def text(self) -> str:
        lines = [
            f"__global__ void {self.name}(int *g, int *out) {{",
            f"  __shared__ int shared[{self.size}];",
            "  const int t = threadIdx.x;",
            "  int sum = 0;",
            f"  if ({_cpp(self.written)}) shared[t] = t;",
            "  __syncthreads();",
            *(f"  {_line(number, step)}" for number, step in enumerate(self.steps)),
            "  out[t + 64 * blockIdx.x] = sum;",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def wrong(self) -> set[str]:
        """`outside`, `race` and `uninitialised`, as the model sees it."""
        accesses = self._accesses()
        inside = [each for each in accesses
                  if each.word[0] != SHARED or each.word[2] < self.size]  # fmt: skip
        wrong = {"outside"} if len(inside) < len(accesses) else set[str]()
        words = defaultdict(list)
        for access in inside:
            words[access.word].append(access)
        if any(one.races_with(other) for of_word in words.values()
               for one, other in combinations(of_word, 2)):  # fmt: skip
            wrong.add("race")
        for word, of_word in words.items():
            writes = [each for each in of_word if each.kind == "write"]
            if word[0] == SHARED and not all(
                access.kind == "write" or any(access.is_after(write) for write in writes)
                for access in of_word
            ):
                wrong.add("uninitialised")
        return wrong

    def _accesses(self) -> list[Access]:
        first = Step("write", SHARED, "t", self.written)
        accesses, phase, turn = list[Access](), 0, 0
        for number, step in enumerate((first, Step("block"), *self.steps)):
            if step.kind in ("block", "warp"):
                phase += step.kind == "block"
                turn += step.kind == "warp"
                continue
            chosen, index = _function(step.choice), _function(step.index)
            for block in range(self.blocks):
                for t in filter(chosen, range(THREADS)):
                    element = index(t) + (THREADS * block if step.memory == OWN else 0)
                    shared = step.memory == SHARED
                    word = (SHARED, block, element) if shared else (GLOBAL, 0, element)
                    for kind in ("read", "write") if step.kind == "add" else (step.kind,):
                        accesses.append(Access(word, (block, t), kind, number, phase, turn))
        return accesses


def random_kernel(draw: random.Random, name: str) -> Kernel:
    def one_of(texts: tuple[str, ...]) -> str:
        return draw.choice(texts).format(c=draw.randrange(1, 64), m=draw.randrange(1, 4),
                                         power=1 << draw.randrange(6))  # fmt: skip

    steps = list[Step]()
    for number in range(draw.randrange(2, 8)):
        kind = draw.choice(("block", "block", "block", "warp", "read", "read", "write", "write",
                            "atomic", "add"))  # fmt: skip
        if kind in ("block", "warp"):
            steps += [Step(kind)] if number else []
            continue
        memory = draw.choice((SHARED, SHARED, SHARED, GLOBAL, OWN))
        steps.append(Step(kind, memory, one_of(INDICES), one_of(CHOICES)))
    size = draw.choice((64, 64, 64, 60, 33))
    written = draw.choice(("True", "True", "True", "t < 40", "t % 2 == 1"))
    return Kernel(name, draw.choice((1, 1, 2)), size, written, tuple(steps))


def program(kernels: list[Kernel]) -> str:
    """Launches each of them, after a line `@NAME` on stderr."""
    launches = "".join(
        f'  fprintf(stderr, "@{each.name}\\n");\n'
        f"  {each.name}<<<{each.blocks}, {THREADS}>>>(g, out);\n"
        "  cudaDeviceSynchronize();\n"
        for each in kernels
    )
    return (
        "#include <cstdio>\n"
        + "".join(each.text() for each in kernels)
        + "int main() {\n  int *g, *out;\n"
        "  cudaMalloc(&g, 1024);\n  cudaMalloc(&out, 1024);\n  cudaMemset(g, 0, 1024);\n"
        + launches
        + '  fprintf(stderr, "@end\\n");\n  cudaFree(g);\n  cudaFree(out);\n  return 0;\n}\n'
    )


def _line(number: int, step: Step) -> str:
    if step.kind in ("block", "warp"):
        return "__syncthreads();" if step.kind == "block" else "__syncwarp();"
    element = _cpp(step.index) + (" + 64 * blockIdx.x" if step.memory == OWN else "")
    place = f"{'shared' if step.memory == SHARED else 'g'}[{element}]"
    # Each thread of each block writes another value: equal ones would not be told as a race.
    statement = {
        "read": f"sum += {place};",
        "write": f"{place} = t * {number + 3} + 1000 * blockIdx.x + 1;",
        "atomic": f"atomicAdd(&{place}, 1);",
        "add": f"{place} += t + 1;",
    }[step.kind]
    return f"if ({_cpp(step.choice)}) {statement}"


def _cpp(text: str) -> str:
    return text.replace("//", "/").replace("True", "true")


def _function(text: str) -> Callable[[int], int]:
    return eval(f"lambda t: {text}")  # only texts of this file
