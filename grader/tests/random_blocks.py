"""Random kernels with barriers, in many forms: with and without loops over the threads of a block
(grader/cpu/compiler/loops) they must do the same.

An `even` expression has one value for all threads of a block, so it may decide which barrier comes
next. Nothing here overflows a shift or leaves an array; the compiler is told that integers wrap.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import TypeVar

HEAD = """#include <cstdio>
#define WAIT __syncthreads()
constexpr int kSize = 64, kConst = 5;
struct Pair { int x, y; };
__device__ int times(int a) { return a * 3 + 1; }
__device__ void add_to(int &a) { a += 7; }
template <int N> __device__ int multiple(int a) { return a * N; }
template <typename A, typename B>
__device__ int greater(A a, B b) { return (int)a > (int)b ? (int)a : (int)b; }
__device__ void all_wait() { __syncthreads(); }
"""
BARRIERS = ("__syncthreads();", "__syncthreads();", "WAIT;", "all_wait();")
LAUNCHES = ((3, 64, 7), (2, 33, 4), (1, 1, 12))  # blocks, threads, n


@dataclass(frozen=True)
class Scope:
    """The names that an expression may use, or a statement change."""

    own: tuple[str, ...] = ()  # of each thread, may change
    even: tuple[str, ...] = ("n",)  # of one value in a block
    counters: tuple[str, ...] = ()  # of these, those that may change
    arrays: tuple[tuple[str, int], ...] = ()  # and how long they are


T = TypeVar("T")


@dataclass
class Writer:
    """Each has a few forms that it prefers. One with all of them would write few kernels whose
    threads can be loops: a single form may be enough to prevent it."""

    draw: random.Random
    number: int = 0
    helpers: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.taste = self.draw.random()
        self.barriers = BARRIERS[: self.draw.choice((1, 2, 3, 3, 4))]

    def preferred(self, forms: list[T], count: int) -> T:
        """One of `count` forms, which are always the same."""
        return self.draw.choice(random.Random(self.taste).sample(forms, min(count, len(forms))))

    def name(self, kind: str) -> str:
        self.number += 1
        return f"{kind}{self.number}"

    def even(self, known: Scope, depth: int = 2) -> str:
        small = ["kConst", "(int)blockIdx.x", "(int)blockDim.x", str(self.draw.randrange(1, 9)),
                 *known.even, *known.even]  # fmt: skip
        if depth == 0 or self.draw.random() < 0.4:
            return self.draw.choice(small)
        a, b = self.even(known, depth - 1), self.even(known, depth - 1)
        return self.draw.choice((
            f"({a} {self.draw.choice('+-*')} {b})", f"({a} % 5)", f"times({a})", f"int({a})",
            f"({a} > {b} ? {a} : {b})",
        ))  # fmt: skip

    def own(self, known: Scope, depth: int = 2) -> str:
        even = self.even(known, 0)
        small = ["t", "(int)threadIdx.x", f"shared[(t + {self.draw.randrange(9)}) % kSize]",
                 f"in[t + {even} & 63]", even, *known.own]  # fmt: skip
        if depth == 0 or self.draw.random() < 0.3:
            return self.draw.choice(small)
        a, b = self.own(known, depth - 1), self.own(known, depth - 1)
        forms = [f"({a} {self.draw.choice('+-*^&|')} {b})", f"({a} < {b} ? {b} : {a})",
                 f"times({a})", f"multiple<{self.draw.randrange(2, 5)}>({a})", f"greater({a}, {b})",
                 f"[&](int q) {{ return q + {self.own(known, 0)}; }}({a})",
                 f"int(float({a} & 1023) * 0.5f)"]  # fmt: skip
        forms += [f"{name}[unsigned({a}) % {length}]" for name, length in known.arrays]
        return self.draw.choice(forms)

    def declaration(self, known: Scope) -> tuple[list[str], Scope]:
        v, own, even = self.name("v"), self.own(known), self.even(known, 1)
        mine, all_even = (*known.own, v), (*known.even, v)
        forms: list[tuple[list[str], Scope]] = [
            ([f"{self.draw.choice(('int', 'auto', 'long long', 'short', 'unsigned char'))} {v} ="
              f" {own};"], replace(known, own=mine)),
            ([f"int {v};", f"{v} = {own};"], replace(known, own=mine)),
            ([f"int {v} = 0;", f"if ({own} > 3) {v} = t; else {v} -= t;"],
             replace(known, own=mine)),
            ([f"volatile int {v} = {own};"], replace(known, own=mine)),
            ([f"int *{v} = shared + t % kSize;"], replace(known, own=(*known.own, f"(*{v})"))),
            ([f"Pair {v}{{int({own}), t}};"], replace(known, own=(*known.own, f"{v}.x"))),
            ([f"auto [{v}, {v}b] = Pair{{int({own}), t}};"], replace(known, own=(*mine, f"{v}b"))),
            ([f"int {v}[4] = {{int({own}), t}};"],
             replace(known, arrays=(*known.arrays, (v, 4)))),
            ([f"const int {v}[2] = {{int({even}), 3}};"],
             replace(known, even=(*known.even, f"{v}[0]"))),
            ([f"const {self.draw.choice(('int', 'auto', 'unsigned'))} {v} = {even};"],
             replace(known, even=all_even)),
            ([f"static constexpr int {v} = 3;"], replace(known, even=all_even)),
            ([f"int {v} = {even};"],
             replace(known, even=all_even, counters=(*known.counters, v))),
        ]  # fmt: skip
        forms += [([f"auto &{v} = {name};"], replace(known, own=mine)) for name in known.own[:1]]
        forms += [([f"const auto &{v} = {name};"], replace(known, even=all_even))
                  for name in known.counters[:1]]  # fmt: skip
        return self.preferred(forms, 4)

    def change(self, known: Scope) -> list[str]:
        """A statement without barriers."""
        own, other = self.own(known), self.own(known, 1)
        place = self.draw.choice(("t", "kSize - 1 - t", "(t + 3) % kSize", "(t ^ 1)"))
        forms = [[f"shared[{place}] {self.draw.choice(('=', '+=', '^='))} {own};"],
                 [f"out[t] += {own};"],
                 [f"if ({own} < {other}) {{", f"  out[t] ^= {other};", "}"],
                 [f"for (int i = 0; i < {self.draw.choice(('3', 't % 4', '(n & 3)'))}; ++i)",
                  f"  out[t] += i * {other};"],
                 [f"{{ int x = {own}; add_to(x); out[t] ^= x; }}"]]  # fmt: skip
        forms += [[f"{name} {self.draw.choice(('=', '+=', '-=', '^='))} {own};"]
                  for name in known.own]  # fmt: skip
        forms += [[f"{name} {self.draw.choice(('=', '+='))} {self.even(known)};"]
                  for name in known.counters]  # fmt: skip
        return self.draw.choice(forms)

    def around_barriers(self, known: Scope, depth: int, in_loop: bool) -> list[str]:
        """A barrier, or what has some inside."""
        if depth == 0 or self.draw.random() < 0.4:
            return [self.draw.choice(self.barriers)]
        i, even, other = self.name("i"), self.even(known, 1), self.even(known, 1)
        inner = replace(known, even=(*known.even, i))
        loop = [f"  {line}" for line in self.statements(inner, depth - 1, 3, in_loop=True)]
        loop.append(f"  {self.draw.choice(self.barriers)}")
        block = [f"  {line}" for line in self.statements(known, depth - 1, 3, in_loop)]
        apart = [f"  {line}" for line in self.statements(known, depth - 1, 3)]  # no `break`
        forms = [
            [f"for (int {i} = 0; {i} < ({even} & 3); ++{i}) {{", *loop, "}"],
            [f"for (unsigned {i} = 1; {i} < blockDim.x; {i} *= 2) {{", *loop, "}"],
            [f"for (int {i} = 0, {i}b = 3; {i} < {i}b; ++{i}, --{i}b) {{", *loop, "}"],
            [f"int {i} = 2;", "do {", *apart, f"}} while ({i}-- > 0);"],
            [f"if ({even} < {other}) {{", *block, "}"],
            [f"if ({even} == {other}) {{", *block, "} else {", "  out[t] += 5;", "}"],
            [f"switch (int({even}) & 1) {{", "case 0: {", *apart, "}", "default: out[t] += 3;",
             "}"],
            ["{", *block, "}"],
            [f"const int {i} = __syncthreads_count({self.own(known, 1)} > {even});",
             f"out[t] += {i};"],
        ]  # fmt: skip
        if in_loop:
            forms.append([f"if ({even} == {other}) {self.draw.choice(('break', 'continue'))};"])
        forms += [[f"out[t] += {name}(shared, out, {even}, {self.own(known, 1)});"]
                  for name in self.helpers]  # fmt: skip
        return self.preferred(forms, 3)

    def statements(self, known: Scope, depth: int, count: int, in_loop: bool = False) -> list[str]:
        lines = list[str]()
        for _ in range(count):
            kind = self.draw.random()
            if kind < 0.3:
                more, known = self.declaration(known)
                lines += more
            elif kind < 0.65:
                lines += self.change(known)
            else:
                lines += self.around_barriers(known, depth, in_loop)
        return lines

    def helper(self) -> str:
        name = self.name("helper")
        body = self.statements(Scope(own=("mine",)), 1, 4)
        text = [f"__device__ int {name}(int *shared, int *out, int n, int mine) {{",
                "  const int t = threadIdx.x;", "  const int *in = shared;",
                *(f"  {line}" for line in body), "  return mine + in[t % kSize];", "}"]  # fmt: skip
        self.helpers.append(name)
        return "\n".join(text) + "\n"

    def kernel(self, name: str) -> str:
        start = self.draw.choice(("const int t = threadIdx.x;", "int t = threadIdx.x;"))
        body = self.statements(Scope(), 2, self.draw.randrange(4, 10))
        text = [f"__global__ void {name}(const int *in, int *out, int n) {{",
                "  __shared__ int shared[kSize];", f"  {start}",
                "  out += blockIdx.x * blockDim.x;", "  shared[t % kSize] = in[t];",
                "  __syncthreads();", *(f"  {line}" for line in body), "  __syncthreads();",
                "  out[t] += shared[t % kSize];", "}"]  # fmt: skip
        return "\n".join(text) + "\n"


def program(seed: int, kernels: int) -> str:
    """Prints a hash of what each kernel has written, for several sizes of blocks."""
    writer = Writer(random.Random(seed))
    text = HEAD + "".join(writer.helper() for _ in range(writer.draw.choice((0, 0, 1, 2))))
    text += "".join(writer.kernel(f"k{number}") for number in range(kernels))
    main = ["int main() {", "  static int host[256];", "  int *in, *out;",
            "  cudaMalloc(&in, sizeof host);", "  cudaMalloc(&out, sizeof host);",
            "  for (int i = 0; i < 256; ++i) host[i] = i * 37 % 101;",
            "  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);"]  # fmt: skip
    for number in range(kernels):
        for blocks, threads, n in LAUNCHES:
            main += ["  cudaMemset(out, 0, sizeof host);",
                     f"  k{number}<<<{blocks}, {threads}>>>(in, out, {n});",
                     "  std::printf(\"%s \", cudaGetErrorName(cudaDeviceSynchronize()));",
                     "  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);",
                     "  { unsigned hash = 0; for (int each : host) hash = hash * 31 + each;",
                     f"    std::printf(\"k{number} %u\\n\", hash); }}"]  # fmt: skip
    return text + "\n".join([*main, "}", ""])
