"""Kernels whose threads run as a loop between two barriers: which they are, and that nobody sees a
difference."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.cpu.compiler import driver
from grader.cpu.compiler.loops import with_loops
from grader.cpu.compiler.rewrite import translate
from grader.intake.elf import read_object
from grader.judging.workers import make_bench
from grader.lab_file import manifest
from grader.sandbox import bubblewrap
from grader.tests.built_once import runtime
from grader.tests.test_cpu import TESTS, run

pytestmark = pytest.mark.reads("cpu backend", "grader/tests/cpu")

HERE = Checkout.here()
SOURCE = TESTS / "loops.cu"
# Words before a kernel in loops.cu, and its name.
KERNELS = re.findall(
    r"^// (loop|threads).*?__global__ void (\w+)", SOURCE.read_text(), re.MULTILINE | re.DOTALL
)
ORDERS = ("forward", "reverse", "random")
BEGINS = "__shared__ int tile[64]; const int t = threadIdx.x; "


def looped(text: str) -> str:
    """The text with loops; "" if no kernel of it can have any."""
    unit = with_loops(translate(f'# 1 "a.cu"\n{text}'))
    return unit.text if unit else ""


def kernel(body: str, parameters: str = "int *out, int n") -> str:
    return f"__global__ void k({parameters}) {{ {BEGINS}{body} }}\n"


WAIT = "__syncthreads();"
# What decides which barrier comes next: in each pair the first is the same for all threads.
PAIRS = {
    "a condition": (f"if (n > 4) {{ {WAIT} }}", f"if (t > 4) {{ {WAIT} }}"),
    "a loop's end": (f"for (int i = 0; i < n; ++i) {WAIT}", f"for (int i = 0; i < t; ++i) {WAIT}"),
    "a loop's begin": (
        f"for (int i = n; i > 0; --i) {WAIT}",
        f"for (int i = t; i > 0; --i) {WAIT}",
    ),
    "a loop's step": (
        f"for (int i = 0; i < 9; i += n) {WAIT}",
        f"for (int i = 0; i < 9; i += t + 1) {WAIT}",
    ),
    "a change": (
        f"int i = n; while (i > 0) {{ {WAIT} i /= 2; }}",
        f"int i = n; while (i > 0) {{ {WAIT} i -= t; }}",
    ),
    "a change by all": (
        f"int i = n; while (i > 0) {{ {WAIT} --i; }}",
        f"int i = n; while (i > 0) {{ {WAIT} if (t == 0) --i; }}",
    ),
    "a change elsewhere": (
        f"int i = n; while (i > 0) {{ {WAIT} const int j = min(i, 4); out[t] = (i) + j; i -= 2; }}",
        f"int i = n; while (i > 0) {{ {WAIT} const int j = i++; out[t] = j; i -= 2; }}",
    ),
    "a change by another": (
        f"int i = n; while (i > 0) {{ {WAIT} out[t] = int(i); i -= 2; }}",
        f"int i = n; while (i > 0) {{ {WAIT} out[t] = next(t, i); i -= 2; }}",
    ),
    "a change by a reference": (
        f"int i = n; while (i > 0) {{ {WAIT} int j = i; j += t; i -= 2; }}",
        f"int i = n; while (i > 0) {{ {WAIT} int &j = i; j += t; i -= 2; }}",
    ),
    "memory": (
        f"const int m = n + 1; for (int i = 0; i < m; ++i) {WAIT}",
        f"const int m = out[1]; for (int i = 0; i < m; ++i) {WAIT}",
    ),
    "shared memory": (
        f"do {{ {WAIT} }} while (n > 99);",
        f"__shared__ int more; do {{ {WAIT} }} while (more);",
    ),
    "an address in it": (
        f"int *const place = tile; {WAIT} place[t] = 1; {WAIT}",
        f"__shared__ int m; const int i = m; for (int k = 0; k < i; ++k) {WAIT}",
    ),
    "a block's variable": (
        f"const int b = blockIdx.x; if (b == 0) {WAIT}",
        f"const int b = t / 32; if (b == 0) {WAIT}",
    ),
    "who leaves": (
        f"{WAIT} if (t > n) return; out[t] = 1;",
        f"if (t > n) return; {WAIT} out[t] = 1;",
    ),
    "who leaves in a lambda": (
        f"const auto f = [](int i) {{ return i; }}; out[t] = f(t); {WAIT}",
        f"for (int i = 0; i < n; ++i) {{ {WAIT} if (t == i) return; }}",
    ),
    "one value": (
        f"int i = t; {WAIT} i = i + n; out[i] = 1;",
        f"auto i = out[t]; {WAIT} out[i] = 1;",
    ),
    "a plain barrier": (f"out[t] = 1; {WAIT}", "out[t] = __syncthreads_count(t > n);"),
    "an atomic": (
        f"for (int i = 0; i < 4; ++i) atomicAdd(&tile[i], t); {WAIT}",
        f"for (int i = 0; atomicAdd(&tile[i], t) < 4; ++i) n += i; {WAIT}",
    ),
    "an exchange": (f"atomicMax(&tile[0], t); {WAIT}", f"atomicCAS(&tile[0], t, n); {WAIT}"),
    "a warp": (f"tile[t] = t; {WAIT}", f"tile[t] = __shfl_xor_sync(~0u, t, 1); {WAIT}"),
    "a group": (
        f"const int all_of_it = n; out[t] = all_of_it; {WAIT}",
        f"const auto tile = groups::tiled_partition<32>(n); out[t] = tile.any(t); {WAIT}",
    ),
    "a library": (
        f"out[t] = Sum(t); {WAIT}",
        f"using Sum = cub::Sum; out[t] = Sum()(t, n); {WAIT}",
    ),
    "a barrier before a loop": (
        f"tile[t] = t; {WAIT} for (int i = 0; i < n; ++i) {{ tile[t] += i; {WAIT} }}",
        f"tile[t] = t; for (int i = 0; i < n; ++i) {{ tile[t] += i; {WAIT} }}",
    ),
    "a barrier at a loop's end": (
        f"for (int i = 0; i < n; ++i) {{ {WAIT} out[t] = tile[i]; {WAIT} tile[t] = i; }}",
        f"for (int i = 0; i < n; ++i) {{ out[t] = tile[i]; {WAIT} tile[t] = i; }}",
    ),
    "a barrier after a branch": (
        f"if (n > 2) {{ {WAIT} tile[t] = n; {WAIT} }} out[t] = tile[n];",
        f"if (n > 2) {{ {WAIT} tile[t] = n; }} out[t] = tile[n];",
    ),
    "a barrier before a break": (
        f"for (;;) {{ {WAIT} if (n > 2) break; out[t] = 1; {WAIT} }} out[t] = 2;",
        f"for (;;) {{ {{ {WAIT} out[t] = 1; }} if (n > 2) break; {WAIT} }} out[t] = 2;",
    ),
    "a flag": (
        f"int *flag = out; flag[t] = 1; {WAIT}",
        f"volatile int *flag = out; while (*flag == 0); {WAIT}",
    ),
    "shared memory of its own": (
        f"__shared__ int more[2]; more[0] = t; {WAIT}",
        f"if (t < 3) {{ __shared__ int more[2]; more[0] = t; }} {WAIT}",
    ),
    "a cast": (
        f"const int m = (n) * n; for (int i = 0; i < m; ++i) {WAIT}",
        f"const int m = (int)*out; for (int i = 0; i < m; ++i) {WAIT}",
    ),
    "a change by a cast": (
        f"int m = n; out[t] = n & m; for (int i = 0; i < m; ++i) {WAIT}",
        f"int m = n; *(unsigned *)&m = t; for (int i = 0; i < m; ++i) {WAIT}",
    ),
    "a part of what changes": (
        f"dim3 m = n; {WAIT} m = n + 1; out[m.x] = t; for (int i = 0; i < m.x; ++i) {WAIT}",
        f"dim3 m = n; {WAIT} m = n + 1; m.x -= t; for (int i = 0; i < m.x; ++i) {WAIT}",
    ),
    "a value in braces": (
        f"int m{{n}}; for (int i = 0; i < n; ++i) {{ tile[t] = m; {WAIT} }}",
        f"int m{{tile[n]}}; for (int i = 0; i < n; ++i) {{ tile[t] = m; {WAIT} }}",
    ),
    "a pointer": (
        f"int a[2] = {{t, n}}, *p = tile + t; {WAIT} out[t] = a[0] + *p;",
        f"int a[2] = {{t, n}}, *p = a; {WAIT} out[t] = a[0] + *p;",
    ),
    "a struct with a pointer": (
        f"int a[2] = {{t, n}}; View v{{tile, a[0]}}; {WAIT} out[t] = v.p[0];",
        f"int a[2] = {{t, n}}; View v{{a, a[0]}}; {WAIT} out[t] = v.p[0];",
    ),
    "a pointer that changes": (
        f"int m = n; View v; if (t > 4) v.p = &tile[m]; {WAIT} out[t] = v.p[m];",
        f"int m = n; View v; if (t > 4) v.p = &m; {WAIT} out[t] = v.p[m];",
    ),
    "the function's name": (f"out[t] = n; {WAIT}", f"out[t] = sizeof __func__; {WAIT}"),
    "memory of the function": (f"int *p = out; {WAIT}", f"int *p = (int *)alloca(n); {WAIT}"),
    "a name that is hidden later": (
        f"int i = t; {WAIT} if (n > 2) {{ out[i] = 1; int m = n; out[m] = 2; {WAIT} }}",
        f"int i = t; {WAIT} if (n > 2) {{ out[i] = 1; int i = n; out[i] = 2; {WAIT} }}",
    ),
    "a type of its own": (
        f"using Key = int; out[t] = Key(n); {WAIT} out[t] = n;",
        f"using Key = int; out[t] = n; {WAIT} out[t] = Key(n);",
    ),
    "a pointer to a function": (
        f"if (n > 2) {{ int (*f)(int) = g; f(n); {WAIT} out[n] = 1; }}",
        f"if (n > 2) {{ int (*tile)(int) = g; tile(n); {WAIT} out[n] = tile(1); }}",
    ),
    "an aligned variable": (
        f"if (n > 2) {{ alignas(8) int m = t; out[m] = 1; {WAIT} out[n] = n; }}",
        f"if (n > 2) {{ alignas(8) int n = t; out[n] = 1; {WAIT} out[n] = n; }}",
    ),
    "a variable that stays": (
        f"{{ {WAIT} const int i = t; out[i] = 1; }} {WAIT}",
        f"static int i; {WAIT} out[i] = 1; {WAIT}",
    ),
}


@pytest.mark.unit
@pytest.mark.parametrize("about", PAIRS)
def test_a_kernel_is_a_loop_if_all_threads_decide_alike(about: str) -> None:
    alike, differently = PAIRS[about]
    assert looped(kernel(alike)).count("run_whole_block") == 1
    assert not looped(kernel(differently))


# What a text may have before a kernel, to tell a constant from a variable.
TELLS = {
    "of": "template <class T> __device__ bool of(T &) { return std::is_const_v<T>; }",
    "anyone": "template <class T> __device__ bool anyone(T &&) { "
           "return std::is_const_v<std::remove_reference_t<T>>; }",
    "each": "template <class... T> __device__ bool each(T &&...) { "
            "return (std::is_const_v<std::remove_reference_t<T>> || ...); }",
    "to": "template <class T> __device__ bool to(T *) { return std::is_const_v<T>; }",
    "over": "__device__ bool over(const int &) { return true; } "
            "__device__ bool over(int &) { return false; }",
    "copy": "template <class T> __device__ bool copy(T) { return std::is_const_v<T>; }",
    "read": "template <class T> __device__ bool read(const T &) { return std::is_const_v<T>; }",
}  # fmt: skip
# Of each pair the first tells, the second does not.
TELLING = {
    "a reference": ("out[t] = of(n);", "out[t] = copy(n);"),
    "any reference": ("out[t] = anyone(n);", "out[t] = anyone(n + 1);"),
    "any number": ("out[t] = each(1, n);", "out[t] = each(1, -n);"),
    "an address": ("out[t] = to(&n);", "out[t] = to(out + n);"),
    "an overload": ("out[t] = over(n);", "out[t] = read(n);"),
    "in parentheses": ("out[t] = of((n));", "out[t] = copy((n));"),
    "one of two": ("out[t] = of(t > 5 ? n : m);", "out[t] = copy(t > 5 ? n : m);"),
    "another name": ("auto &also = n; out[t] = of(also);", "auto also = n; out[t] = of(also);"),
    "any other name": (
        "auto &&also = (n); out[t] = of(also);",
        "const auto &also = n; out[t] = of(also);",
    ),
    "a name made by a parenthesis": (
        "auto &also(n); out[t] = of(also);",
        "int also(n); out[t] = of(also);",
    ),
    "a generic lambda": (
        "const auto f = [](auto &i) { return of(i); }; out[t] = f(n);",
        "const auto f = [](auto i) { return of(i); }; out[t] = f(n);",
    ),
    "what it would do": (
        "const auto f = [](auto i) { return requires { ++i; }; }; out[t] = f(n);",
        "const auto f = [](auto i) { return ++i; }; out[t] = f(n);",
    ),
    "a lambda's copy": (
        "auto f = [n]() mutable { return of(n); }; out[t] = f();",
        "auto f = [n]() mutable { return copy(n); }; out[t] = f();",
    ),
    "a lambda's reference": (
        "auto f = [&i = n] { return of(i); }; out[t] = f();",
        "auto f = [i = n]() mutable { return of(i); }; out[t] = f();",
    ),
    "a part": ("out[t] = of(d.x);", "out[t] = read(d.x);"),
    "an index": ("out[t] = of(out[n]);out[t] = of(n);", "out[t] = of(out[n]);"),
    "computed again": (
        f"int i = t; tile[i] = 1; {WAIT} out[t] = of(i);",
        f"int i = t; tile[i] = 1; {WAIT} out[t] = copy(i);",
    ),
    "told where it is declared": (
        f"int i = t; out[t] = of(i); {WAIT} tile[i] = 1;",
        f"int i = t; out[t] = read(i); {WAIT} tile[i] = 1;",
    ),
    "a pointer": (
        f"int *p = tile + t; p[0] = n; {WAIT} out[t] = of(p); p[0] = 1;",
        f"int *p = tile + t; p[0] = n; {WAIT} out[t] = of(p[0]); p[0] = 1;",
    ),
    "one for the block": (
        f"int i = n * 2; for (int j = 0; j < i; ++j) {WAIT} out[t] = of(i);",
        f"int i = n * 2; for (int j = 0; j < i; ++j) {WAIT} out[t] = copy(i);",
    ),
    "a loop's own": (
        f"for (int j = 0; j < n; ++j) {{ out[t] = of(j); {WAIT} }}",
        f"for (int j = 0; j < n; ++j) {{ out[t] = copy(j); {WAIT} }}",
    ),
    "a constant array": (
        f"const int a[2] = {{t, n}}; tile[t] = 1; {WAIT} out[t] = of(a[0]);",
        f"int a[2] = {{t, n}}; tile[t] = 1; {WAIT} out[t] = of(a[0]);",
    ),
    "a method for each": ("out[t] = view.place(0);", "out[t] = view.first();"),
    "what a class keeps": (
        "Keeps it{n}; out[t] = kept(it);",
        "Keeps it{*out}; out[t] = kept(it);",
    ),
    "a function in a namespace": ("out[t] = std::get(n);", "out[t] = atomicAdd(out, n);"),
}  # fmt: skip
VIEW = """template <class T> struct Keeps { T &of; };
template <class T> __device__ bool kept(Keeps<T>) { return std::is_const_v<T>; }
struct View { int *p; __device__ int first() const { return *p; }
  __device__ int place(int i) { return p[i]; } __device__ int place(int i) const { return 0; } };
"""
TOLD = "bool *out, int n, int m, dim3 d, View view"


@pytest.mark.unit
@pytest.mark.parametrize("about", TELLING)
def test_a_kernel_that_can_tell_a_constant_from_a_variable_is_no_loop(about: str) -> None:
    tells, reads = (kernel(f"tile[t] = n; {WAIT} {body}", TOLD) for body in TELLING[about])
    before = "\n".join(TELLS.values()) + "\n" + VIEW
    assert looped(before + reads)
    assert not looped(before + tells)


# Nobody writes their names where they are called.
UNNAMED = {
    "an operator": ("bool operator+(P, T &&)", "bool operator+(P, const T &)"),
    "a constructor": ("P(T &&)", "P(const T &)"),
    "an index of each": ("int operator[](T) { return 1; } __device__ int operator[](T) const",
                         "int operator[](T) const"),
}  # fmt: skip


@pytest.mark.unit
@pytest.mark.parametrize("about", UNNAMED)
def test_nor_is_it_where_an_operator_or_a_constructor_can_tell(about: str) -> None:
    for head, can in zip(UNNAMED[about], (False, True), strict=True):
        friend = "friend " if "P," in head else ""
        text = f"struct P {{ template <class T> {friend}__device__ {head} {{ return {{}}; }} }};\n"
        assert bool(looped(text + kernel(f"tile[t] = n; {WAIT} out[t] = 1;"))) == can


@pytest.mark.unit
def test_a_function_in_a_header_keeps_a_reference_only_in_a_namespace() -> None:
    body = kernel(f"tile[t] = n; {WAIT} out[t] = __clz(n) + get(n);")
    assert looped(body)
    assert looped(f"using Key = int;\n{body}")
    assert looped(f"using kit::ceil_div;\n{body}")
    assert looped(f"using namespace std;\n{body.replace('get', '__ffs')}")
    assert not looped(f"using namespace std;\n{body}")
    assert not looped(f"__device__ int get(int &);\n{body}")


@pytest.mark.parametrize("word", ["const ", ""])
def test_no_variable_becomes_a_constant_expression(tmp_path: Path, word: str, capfd) -> None:  # type: ignore[no-untyped-def]
    source = tmp_path / "constant.cu"
    body = f"{word}int i = 4; tile[t] = i; {WAIT} out[t] = Number<i>::value + i;"
    source.write_text(f"template <int i> struct Number {{ static constexpr int value = i; }};\n"
                      f"{kernel(body)}")  # fmt: skip
    if word:
        driver.compile_object(source, tmp_path / "constant.o", [])
        return
    with pytest.raises(driver.CompileError):
        driver.compile_object(source, tmp_path / "constant.o", [])
    assert "the value of" in capfd.readouterr().err


def test_nobody_can_tell_by_constants(tmp_path: Path) -> None:
    """The same as a program: each kernel says whether it has seen a constant."""
    cases = [tells for tells, _ in TELLING.values() if "std::get" not in tells]
    kernels = "".join(
        kernel(f"tile[t] = n; {WAIT} {body}", TOLD).replace(" k(", f" k{i}(")
        for i, body in enumerate(cases)
    )
    calls = "".join(f"k{i}<<<1, 64>>>(out, 3, 4, dim3(1), View{{p}}); show();"
                    for i, _ in enumerate(cases))  # fmt: skip
    source = tmp_path / "told.cu"
    source.write_text(
        "#include <cstdio>\n#include <type_traits>\n"
        + "\n".join(TELLS.values()) + f"\n{VIEW}{kernels}"
        "int main() { bool *out, host[64]; int *p; cudaMalloc(&out, 64); cudaMalloc(&p, 64);\n"
        "  cudaMemset(p, 0, 64);\n"
        "  const auto show = [&] { cudaMemcpy(host, out, 64, cudaMemcpyDeviceToHost);\n"
        '    std::printf("%d", host[2]); };\n'
        f"  {calls} }}\n"
    )  # fmt: skip
    said = set()
    for loops in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not loops:
                patch.setattr(driver, "with_loops", lambda unit: None)
            driver.link_program([source], tmp_path / "told", ["-w"], runtime("run"))
        said.add(run(tmp_path / "told").stdout)
    assert len(said) == 1 and len(said.pop()) == len(cases)


CALLED = "__device__ void meet(int *tile, int i) { tile[threadIdx.x] = i; __syncthreads(); }\n"
ELSEWHERE = {
    "as it is": ("", True),
    "a pointer": ("__device__ void (*pointer)(int *, int) = meet;\n", False),
    "another kernel": ("__global__ void j(int *p) { if (threadIdx.x) meet(p, 1); }\n", False),
    "another that can": ("__global__ void j(int *p) { meet(p, 1); }\n", True),
}


@pytest.mark.unit
@pytest.mark.parametrize("about", ELSEWHERE)
def test_functions_that_call_each_other_are_loops_together(about: str) -> None:
    more, can = ELSEWHERE[about]
    text = looped(CALLED + more + kernel("meet(tile, n); out[t] = tile[n];"))
    assert bool(text) == can
    assert not looped(CALLED + kernel("meet(tile, t);"))
    assert not looped(CALLED + kernel("tile[t] = n; meet(tile, n); out[t] = tile[n];"))
    assert not looped(
        "__device__ void meet(int *tile, int i);\n" + kernel(f"meet(tile, n); {WAIT}")
    )
    method = f"struct Tile {{ __device__ void meet() {{ {WAIT} }} }};\n"
    assert not looped(method + kernel(f"Tile all; all.meet(); {WAIT}"))
    assert looped(method + kernel(WAIT))


# Before a kernel that calls `f(n)` and whose template's argument is `g`.
BEFORE = {
    "a function": ("constexpr int f(int i) { return min(i, 2); }", True),
    "one of memory": ("constexpr int f(View v) { return v.p[0]; }", False),
    "one that calls it": (
        "constexpr int h(View v) { return *v.p; } constexpr int f(View v) { return h(v); }",
        False,
    ),
    "another one's copy": (
        "constexpr int f(int i) { return i; } __device__ void see(int i) {}",
        True,
    ),
    "of one name, a copy and a reference": (
        "constexpr int f(int i) { return i; } "
        "__device__ void see(const int &i) {} __device__ void see(int &i) {}",
        False,
    ),
    "lanes that are told": (
        "constexpr int f(int i) { return i; } "
        "__device__ int g(int i) { return __shfl_sync(~0u, i, 1); }",
        False,
    ),
    "a destructor": (
        "constexpr int f(int i) { return i; } "
        f"struct Wait {{ __device__ ~Wait() {{ {WAIT} }} }}; using Hidden = Wait;",
        False,
    ),
    "a constructor": (
        "constexpr int f(int i) { return i; } "
        f"struct Wait {{ __device__ Wait(); }}; __device__ Wait::Wait() {{ {WAIT} }}",
        False,
    ),
}


@pytest.mark.unit
@pytest.mark.parametrize("about", BEFORE)
def test_what_a_kernel_calls_or_is_made_of(about: str) -> None:
    before, can = BEFORE[about]
    body = f"const int m = f(n); see(n); for (int i = 0; i < m; ++i) {WAIT}"
    launch = "void all(int *p) { k<g><<<1, 2>>>(p, 1); }"
    assert bool(looped(f"{before}\ntemplate <auto> {kernel(body)}{launch}")) == can


@pytest.mark.unit
def test_what_ends_with_a_part_may_not_notice_it() -> None:
    value = "is_value<std::remove_cvref_t<decltype(timer)>>"
    assert value in looped(kernel(f"Timer timer(out); {WAIT} out[t] = n;"))
    assert value not in looped(kernel(f"{WAIT} Timer timer(out); out[t] = n;"))


@pytest.mark.unit
def test_an_array_in_shared_memory_has_the_size_that_it_says() -> None:
    text = looped(kernel(f"constexpr int places = 2; __shared__ int more[places]; {WAIT}"))
    assert text.index("places = 2") < text.index("more")


@pytest.mark.unit
def test_what_calls_itself_and_loops_in_loops_are_read_once() -> None:
    itself = f"__device__ void meet(int *p, int i) {{ if (i > 0) meet(p, i - 1); {WAIT} }}\n"
    assert not looped(itself + kernel("meet(tile, n); out[t] = 1;"))
    deep = "for (int i = 0; i < n; ++i) " * 18 + f"{{ {WAIT} out[t] = 1; {WAIT} }}"
    start = time.process_time()
    assert looped(kernel(deep))
    chain = "".join(
        f"__device__ void f{i}(int n) {{ for (int m = 0; m < n; ++m) f{i + 1}(n); }}\n"
        for i in range(100)
    )
    end = f"__device__ void f100(int n) {{ {WAIT} }}\n"
    assert looped(chain + end + kernel("f0(n);"))
    assert time.process_time() - start < 20


@pytest.mark.unit
def test_a_name_may_hide_another_one() -> None:
    """`row` cannot be computed again where `n` is the loop's own."""
    body = f"const int row = n * 4; for (int m = 0; m < 4; ++m) {{ {WAIT} out[row] = m; }}"
    assert looped(kernel(body))
    assert not looped(kernel(re.sub(r"\bm\b", "n", body)))


@pytest.mark.unit
def test_what_a_pointer_to_constants_points_to_may_change() -> None:
    loop = kernel(f"for (int i = 0; rest; ++i) {WAIT}")
    assert looped(f"__device__ const int *const rest = nullptr;\n{loop}")
    assert not looped(f"__device__ const int *rest;\n{loop}")
    assert not looped(f"__device__ const int *rest = nullptr;\n{loop}")
    assert looped(f"const int more = 1, rest = 0;\n{loop}")
    assert not looped(f"__device__ int rest;\n{loop}")


@pytest.mark.unit
@pytest.mark.parametrize(("folder", "can"), [("/include/cuda_on_cpu", True), ("/library", False)])
def test_headers_of_others_may_have_barriers(folder: str, can: bool) -> None:
    header = f'# 1 "{folder}/a.hpp" 1 3\n__device__ void meet() {{ {WAIT} }}\n# 2 "a.cu" 2\n'
    assert bool(looped(f"{header}{kernel(f'meet(); {WAIT}')}")) == can


@pytest.mark.unit
def test_no_line_moves() -> None:
    body = f"\n  out[t] = n;\n  {WAIT}\n  tile[t] = out[t + 1];\n  {WAIT}\n  out[t] = tile[0];\n"
    text = looped(kernel(body))
    place = text.index("out[t] = tile[0]")
    marker = list(re.finditer(r'^# (\d+) "a\.cu"\n', text[:place], re.MULTILINE))[-1]
    assert int(marker[1]) + text.count("\n", marker.end(), place) == 6
    assert all(line.endswith('"a.cu" 3') or line.endswith('"a.cu"')
               for line in text.splitlines() if line.startswith("# "))  # fmt: skip


@pytest.fixture(scope="session")
def programs(tmp_path_factory) -> dict[bool, Path]:  # type: ignore[no-untyped-def]
    """loops.cu with and without loops."""
    folder = tmp_path_factory.mktemp("loops")
    return {loops: _built(SOURCE, folder / f"with-{loops}", loops) for loops in (True, False)}


def _built(source: Path, program: Path, loops: bool) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        if not loops:
            patch.setattr(driver, "with_loops", lambda unit: None)
        driver.link_program([source], program, ["-Wall", "-Wextra", "-Werror"], runtime("run"))
    return program


def test_nobody_sees_which_kernels_are_loops(programs) -> None:  # type: ignore[no-untyped-def]
    assert len(KERNELS) > 10
    for _, name in KERNELS:
        said = {(done.returncode, done.stdout, done.stderr)
                for program in programs.values() for order in ORDERS
                for done in [run(program, name, WARPWISE_ORDER=order)]}  # fmt: skip
        assert len(said) == 1, (name, said)
        assert said.pop()[0] == 0, name


def test_the_kernels_are_what_their_comments_say(tmp_path: Path) -> None:
    unit = driver.preprocess_and_rewrite(SOURCE, tmp_path / "loops.o", [])
    loops = with_loops(unit)
    assert loops
    for kind, name in KERNELS:
        body = loops.text[loops.text.index(f" void {name}(") :][:300]
        assert ("run_whole_block" in body.partition("\n}")[0]) == (kind == "loop"), name


CHANGED = """#include <cstdio>
struct Count { int of; __device__ void next() { ++of; } };
__global__ void k(int *out, Count n) {
  __shared__ int tile[32];
  const int t = threadIdx.x;
  n.next();
  tile[t] = n.of;
  __syncthreads();
  out[t] = tile[31 - t] + n.of;
}
int main() {
  int *out, host[32];
  unsigned same = cudaMalloc(&out, sizeof host) == cudaSuccess;
  k<<<1, 32>>>(out, {4});
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %u\\n", host[5], same);
  if (host[5] == same) return 1;
  return 0;
}
"""


def test_what_was_read_wrongly_is_compiled_as_it_is(tmp_path: Path, capfd) -> None:  # type: ignore[no-untyped-def]
    """A method changes a parameter that all threads were taken to share. What the compiler says
    is of the user's text."""
    source = tmp_path / "changed.cu"
    source.write_text(CHANGED)
    assert "run_whole_block" in looped(CHANGED.partition("int main")[0].partition("\n")[2])
    driver.link_program([source], tmp_path / "changed", ["-Wall", "-Wextra"], runtime("run"))
    done = run(tmp_path / "changed")
    assert done.stdout == "10 1\n"
    said = capfd.readouterr().err
    assert "changed.cu:17:15: warning: comparison of integer" in said
    assert said.count("warning:") == 1 and "lambda" not in said
    source.write_text(CHANGED.replace("n.next();", "int m = same(n);"))
    with pytest.raises(driver.CompileError):
        driver.link_program([source], tmp_path / "changed", [], runtime("run"))
    said = capfd.readouterr().err
    assert said.count("error:") == 1 and "changed.cu:6:" in said and "lambda" not in said


WITH_OBJECT = """#include <cuda_runtime.h>
struct Pair { int key, value; };
template <class T> struct Two { T key, value; };
__global__ void k(int *out, int n) {
  __shared__ int tile[32];
  const int t = threadIdx.x;
  TYPE kept = {t, n};
  tile[t] = n;
  __syncthreads();
  out[t] = tile[31 - t] + kept.FIRST;
}
void launch(int *out) { k<<<1, 32>>>(out, 4); }
"""


@pytest.mark.parametrize(
    ("type_and_member", "flags", "is_loop"),
    [("int2 x", [], True), ("Pair key", [], False), ("int2 x", ["--threads"], False),
     ("Two<int> key", [], False)],
)
def test_an_object_of_a_class_does_not_come_from_one_part_to_the_next(
    tmp_path: Path, type_and_member: str, flags: list[str], is_loop: bool
) -> None:
    kind, member = type_and_member.split()
    source = tmp_path / "object.cu"
    source.write_text(WITH_OBJECT.replace("TYPE", kind).replace("FIRST", member))
    driver.compile_object(source, tmp_path / "object.o", flags)
    asked = {symbol.name for symbol in read_object(tmp_path / "object.o").asked}
    assert any("run_whole_block" in name for name in asked) == is_loop


def test_a_worker_with_loops_has_a_twin_with_threads() -> None:
    """What the judge asks where the checker does not confirm a fault."""
    cases = (("02-in-place", "registers", True), ("01-rank-sort", "global", False))
    for lab, stage, has_loops in cases:
        found = manifest.find(manifest.discover(HERE), lab)
        called = [one for one in found.stages if one.name == stage]
        source = (HERE.reference / lab / found.source).read_bytes()
        made, message = make_bench(HERE, found, source, "cpu", 1, bubblewrap.find(), check=False,
                                   called=called)  # fmt: skip
        assert made, message
        assert bool(made.with_threads) == has_loops
        twin = made.with_threads() if made.with_threads else None
        assert not has_loops or (twin and twin.worker != made.worker and not twin.with_threads)
