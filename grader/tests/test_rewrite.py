"""The rewriter: what it translates, what it leaves alone, what it refuses."""

from __future__ import annotations

import re
import time

import pytest

from grader.cpu.compiler import plain_rules
from grader.cpu.compiler.driver import preprocess_and_rewrite
from grader.cpu.compiler.own_columns import drawn
from grader.cpu.compiler.rewrite import rewrite, translate, with_own_memory
from grader.cpu.compiler.sides import Sides, positions
from grader.cpu.compiler.source_columns import SourceColumns
from grader.cpu.compiler.tokens import BYTES, RewriteError, tokenize

pytestmark = [pytest.mark.reads(), pytest.mark.unit]

KERNEL = "__global__ void k(float *data, int n) { }\n"


def launch_in(text: str, declarations: str = KERNEL) -> str:
    """The rewritten body of a function with this text."""
    return rewrite(f"{declarations}void f() {{ {text} }}").splitlines()[-1]


def in_kernel(text: str) -> str:
    return rewrite(f"__global__ void k() {{ {text} }}")


def test_names_have_letters_of_all_languages():
    """As g++ -E writes them. Texts stay as they are, and what is no letter is no name."""
    text = r'float h\U000000f6he = \U000003c0; f("\U000000f6", R"(\U000000f6)", LR"(x\U000000f6)");'
    tokens = tokenize(text)
    assert "höhe" in tokens and "π" in tokens
    assert "".join(tokens) == text.replace(r"h\U000000f6he", "höhe").replace(r"\U000003c0", "π")
    assert tokenize(r"a\U0000d800") == ["a", "\\", "U0000d800"]
    kernel = "__global__ void größer(float *länge) { }\n"
    assert ".run(&größer, " in launch_in("größer<<<1, 2>>>(länge);", kernel)


def test_a_source_may_be_in_any_encoding(tmp_path):
    source = tmp_path / "latin.cu"
    source.write_bytes(b'// a\xf1o\nconst char *name = "a\xf1o"; int end;\n')
    unit = preprocess_and_rewrite(source, tmp_path / "latin.o", [])
    assert b'name = "a\xf1o"; int end;' in unit.text.encode(errors=BYTES)
    column = positions(unit.tokens)[unit.tokens.index("end")][2]
    assert column == 1 + len(b'const char *name = "a\xf1o"; int ')
    shown = drawn(f"{source}:2:{column}: error: words\n", unit).splitlines()
    assert shown[1] == '    2 | const char *name = "a\N{REPLACEMENT CHARACTER}o"; int end;'


@pytest.mark.parametrize(
    ("source", "preprocessed", "rest"),
    [
        ("int  a; /* é */\tf( b );  // b", "int a; f( @b );", "b );  // b"),
        ("/* b\n*/ f(a,   b);", "\n f(a, @b);", "b);"),
        ('f("/* b",   b);', 'f("/* b", @b);', "b);"),
        ("f(1'000 /*'*/ + b);", "f(1'000 + @b);", "b);"),
        ("f(TWICE( 1 ),  b);", "f(((1) + (1)), @b);", "b);"),
        ("f(TWICE(b),  a);", "f(((b) + (b)), @a);", "a);"),
        ("f(  NONE);", "f( (@x + 1));", "NONE);"),
        ("  f(b);", "  f(@b);", "b);"),
    ],
)
def test_a_column_is_that_of_the_file(tmp_path, source, preprocessed, rest):
    """@ is before what the compiler means. Comments, blanks and macros are only in the file."""
    file = tmp_path / "a.cu"
    file.write_text(source)
    before, _, after = preprocessed.partition("@")
    tokens = tokenize(f'# 1 "{file}"\n{before}{after}')
    columns = SourceColumns(tokens, positions(tokens))
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    own = source.split("\n")[line - 1].encode()
    assert own[columns.find(str(file), line, column) - 1 :] == rest.encode()


def test_a_column_stays_where_the_file_does_not_tell():
    tokens = tokenize('# 1 "/nowhere/a.cu"\nint a;')
    columns = SourceColumns(tokens, positions(tokens))
    assert columns.find("/nowhere/a.cu", 1, 5) == 5
    assert columns.find("/nowhere/a.cu", 7, 3) == 3


def test_a_launch_is_of_type_void():
    assert "(void)::cuda_on_cpu::Launch{" in launch_in("return k<<<1, 2>>>(p, 3);")


def test_known_kernel_is_called_with_its_own_types():
    text = launch_in("k<<<grid, 256>>>(0, n);")
    assert 'Configuration(grid, 256), "k"' in text
    assert ".run(&k, [](auto... cuda_on_cpu_values) { k(cuda_on_cpu_values...); }, 0, n);" in text


@pytest.mark.parametrize(
    ("declarations", "kernel"),
    [
        ("__global__ void k(int *);\n__global__ void k(float *);\n", "k"),  # overloaded
        ("template <class T> __global__ void k(T *);\n", "k"),  # deduced
        ("template <class T, int N> __global__ void k(T *);\n", "k<int>"),  # a part is deduced
        ("template <class... T> __global__ void k(T *...);\n", "k<int>"),  # a pack
        (KERNEL + "void k(int);\n", "k"),  # a host function has the name too
        (KERNEL, "(c ? k : k)"),
        (KERNEL, "table[1]"),
        (KERNEL, "object.pointer"),
        ("", "unknown"),
    ],
)
def test_other_kernels_are_deduced(declarations, kernel):
    text = launch_in(f"{kernel}<<<1, 2>>>(a, __null);", declarations)
    assert (
        f".run_found([=](auto... cuda_on_cpu_values) {{ {' '.join(kernel_words(kernel))}(" in text
    )
    assert text.endswith(", a, nullptr); }")


def kernel_words(kernel: str) -> list[str]:
    return [token for token in tokenize(kernel) if not token.isspace()]


@pytest.mark.parametrize(
    ("declarations", "kernel"),
    [
        ("template <class T, int N> __global__ void k(T *);\n", "k<int, (3 > 2)>"),
        ("template <class T, int N = 4> __global__ void k(T *);\n", "k<Pair<int, float>>"),
        (
            "__global__ void k(float *, int);\n__global__ void k(float *x, int n) {}\n",
            "k",
        ),  # declared twice
        (
            "namespace a { __global__ void k(int); } namespace b { __global__ void k(float); }\n",
            "a::k",
        ),
        ("struct S { static __global__ void k(int); };\n", "S::k"),
        ("__global__ __attribute__((maybe)) void k(int x = f(1, 2));\n", "::k"),
    ],
)
def test_one_function_even_if_it_looks_otherwise(declarations, kernel):
    assert ".run(&" in launch_in(f"{kernel}<<<1, 2>>>(a);", declarations)


def test_launch_without_arguments_and_with_one_line_each():
    assert "k(cuda_on_cpu_values...); }); }" in launch_in("k<<<1, 1>>>();")
    text = "void f() {\n k\n <<<\n 1,\n 2>>>\n (\n a,\n b\n );\n}\n"
    assert rewrite(text).count("\n") == text.count("\n")


def test_macro_expansion_of_a_system_header_belongs_to_the_user():
    text = (
        '# 1 "user.cu"\nvoid f() { k<<<1, 1>>>(\n# 3 "user.cu" 3 4\n__null\n# 3 "user.cu"\n); }\n'
    )
    assert "nullptr" in rewrite(text)


def test_system_headers_are_left_alone():
    system = '# 1 "/usr/include/x.h" 1 3\n__noinline__ a<<<b>>>c; __shared__ int x;\n'
    text = f'# 1 "user.cu"\n{system}# 2 "user.cu" 2\nint y;\n'
    assert rewrite(text) == text


@pytest.mark.parametrize(
    ("declaration", "name", "type_id"),
    [
        ("__shared__ float s[32][33];", "s", "float[(32)][(33)]"),
        ("static __shared__ int a;", "a", "int"),
        ("volatile __shared__ int a;", "a", "volatile int"),
        ("int __shared__ volatile a;", "a", "int volatile"),
        ("__shared__ typename T::X a;", "a", "typename T::X"),
        ("__shared__ P<int, 2> a;", "a", "P<int, 2>"),
        ("__shared__ int *p, q[2];", "p", "int *"),
        ("__shared__ int *p, q[2];", "q", "int[(2)]"),
        ("__shared__ int n, (*p)[4];", "p", "int (*)[(4)]"),
        ("__shared__ int (*f)(int), (*g[2])(int);", "f", "int (*)(int)"),
        ("__shared__ int (*f)(int), (*g[2])(int);", "g", "int (*[(2)])(int)"),
    ],
)
def test_static_shared_declaration(declaration, name, type_id):
    wanted = f"auto &{name} = ::cuda_on_cpu::shared_variable<{type_id}>([]{{}});"
    assert "".join(wanted.split()) in "".join(in_kernel(declaration).split())


@pytest.mark.parametrize(
    ("declaration", "element"),
    [("float s[]", "float"), ("float s[][32]", "float[(32)]"), ("__align__ P<int> s[]", "P<int>")],
)
def test_dynamic_shared_declaration(declaration, element):
    text = in_kernel(f"extern __shared__ {declaration.replace('__align__', 'alignas(16)')};")
    wanted = f"auto *s = ::cuda_on_cpu::dynamic_shared<{element}>();"
    assert "".join(wanted.split()) in "".join(text.split())


def test_shared_with_alignment_and_struct():
    text = in_kernel("__shared__ alignas(64) char a[3]; __shared__ struct { int x; } s;")
    assert "struct alignas ( 64 ) cuda_on_cpu_alignment_1 { char byte; };" in text
    assert "alignof(cuda_on_cpu_alignment_1)" in text
    assert "struct cuda_on_cpu_shared_2 { int x ; };" in text


def test_a_cast_of_dynamic_shared_memory_at_the_top_is_one_of_a_pointer():
    text = rewrite("extern __shared__ char s[];\nvoid f() { reinterpret_cast<int *>(s); }\n")
    assert "reinterpret_cast<int *>(+s)" in text


def test_static_variables_of_device_functions_are_device_memory():
    text = rewrite("__device__ int f() { static int made = 0; return ++made; }\n")
    assert 'static __attribute__((section("warpwise_device.' in text
    text = rewrite("__global__ void f() { static __device__ int made; ++made; }\n")
    assert 'static __attribute__((section("warpwise_device.' in text


def test_templates_of_variables_of_the_device_have_it_in_their_names():
    text = rewrite("template <class T> __device__ T b{1};\nint c;\n")
    assert text.startswith("inline namespace cuda_on_cpu_device { template <class T>")
    assert "{1}; }\nint c;" in text
    for other in ("template <class T> T b;", "template <> __device__ int b<int> = 2;"):
        assert "namespace" not in rewrite(other + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "__device__ int f() { static const int made = 1; return made; }",
        "__device__ int f() { struct S { static int g() { return 1; } }; return S::g(); }",
        "int f() { static int made = 0; return ++made; }",
    ],
)
def test_other_static_things_stay_as_they_are(text):
    assert "section" not in rewrite(text + "\n")


def test_other_casts_stay_as_they_are():
    text = rewrite("extern __shared__ char s[];\nvoid f(char *t) { reinterpret_cast<int *>(t); }\n")
    assert "reinterpret_cast<int *>(t)" in text


def test_extern_shared_at_file_scope_is_asked_at_every_use():
    text = rewrite("extern __shared__ float s[];\nnamespace n { extern __shared__ int t[]; }\n")
    assert "DynamicShared<float> s{}" in text and "DynamicShared<int> t{}" in text


def test_noinline_only_outside_attributes():
    assert rewrite("__noinline__ void f();") == "__attribute__((noinline)) void f();"
    for text in ("__attribute__((__noinline__)) void f();", "[[gnu::__noinline__]] void f();"):
        assert rewrite(text) == text


@pytest.mark.parametrize(
    "text",
    [
        'const char *a = "k<<<1, 2>>>(x)";\n',
        "const char *a = R\"x(\n__shared__ int k<<<1>>>();\n)x\";\n",
        "int a = 1 << 3 >> 1; std::vector<std::vector<std::vector<int>>> b; auto c = 1'000'000;\n",
        "char q = '\"', r = '\\'';\n",
    ],
)  # fmt: skip
def test_text_that_only_looks_like_cuda_stays(text):
    assert rewrite(text) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("void f() {\n k<<<1, 1>>>;\n}", "user.cu:12: a launch needs its arguments"),
        ("void f() {\n k<<<1>>>(a);\n}", "user.cu:12: a launch needs two numbers"),
        ("void f() {\n k<<<g(1, 2)>>>(a);\n}", "user.cu:12: a launch needs two numbers"),
        ("void f() {\n k<<<>>>(a);\n}", "user.cu:12: a launch needs two numbers"),
        ("void f() {\n k<<<1, 1>>(a);\n}", "user.cu:12: this launch has no '>>>'"),
        ("void f() {\n <<<1, 1>>>(a);\n}", "there is no kernel before '<<<'"),
        ("void f() {\n k<<<1, 1>>>(a;\n", "user.cu:12: this '(' is never closed"),
        ("void f() {\n k<<<1, 1>>>(\na[1);\n", "user.cu:13: this '[' is never closed"),
        ("\n__shared__ int x = 1;", "user.cu:12: a __shared__ variable cannot have an initialiser"),
        (
            "void f() {\n __shared__ int x = 3; }",
            "user.cu:12: a __shared__ variable cannot have an initialiser",
        ),
        (
            "void f() {\n __shared__ int x{3}; }",
            "user.cu:12: a __shared__ variable cannot have an initialiser",
        ),
        (
            "void f() {\n extern __shared__ int x[3]; }",
            "user.cu:12: extern __shared__ declares an array without a size",
        ),
        ("\n__global__ int x;", "user.cu:12: __global__ is not followed by a function"),
    ],
)
def test_refusal_is_one_sentence_with_the_line(text, words):
    with pytest.raises(RewriteError) as refused:
        rewrite(f'# 11 "user.cu"\n{text}')
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("head", [
    "void k [[maybe_unused]] (int *p)", "void k [[deprecated(\"no (more)\")]] (int *p)",
    "[[maybe_unused]] void k(int *p)", "void [[]] k(int *p)",
])  # fmt: skip
def test_a_kernel_has_attributes_before_and_behind_its_name(head: str) -> None:
    text = rewrite(f"__global__ {head} {{}}\nvoid f(int *p) {{ k<<<1, 1>>>(p); }}")
    assert "<<<" not in text and "&k" in text


def test_the_word_of_shared_memory_says_nothing_of_a_parameter() -> None:
    text = rewrite("__device__ void f(int n, __shared__ float (&p)[4]) { __shared__ int s; }")
    assert "f(int n,  float (&p)[4])" in text and "shared_variable<int>" in text


OWN = '__attribute__((section("warpwise_device")))'
CONSTANT_LIMIT = (
    ' static_assert(sizeof(table) <= 65536, "table is larger than constant memory, which has '
    '65,536 bytes");'
)


@pytest.mark.parametrize(
    "declaration",
    [
        "__device__ int changed[2];",
        "__device__ const float *where;",
        "__constant__ float table[4] = {1};",
        "__device__ int (*op)(int) = nullptr;",
        "__device__ const int *(*several[2])(const int *) = {};",
        "__device__ Pair<int, 2> pair;",
        "__device__ unsigned count{5};",
        "__device__ struct { int x; } state;",
        "__device__ alignas(16) volatile bool flag, other;",
    ],
)
def test_a_variable_of_the_device_gets_a_section(declaration: str) -> None:
    word, rest = declaration.split(" ", 1)
    section = OWN.replace("device", "device.constant") if word == "__constant__" else OWN
    limit = CONSTANT_LIMIT if word == "__constant__" else ""
    assert rewrite(declaration) == f"{section} {rest}{limit}"
    assert rewrite(f"static {word} {rest}") == f"static {section} {rest}{limit}"


@pytest.mark.parametrize(
    "text",
    [
        "__device__ int plus(int x) { return x; }",
        "struct S { __device__ S operator=(S other); __device__ int sum() const; };",
        "template <class T> __device__ T twice(T x);",
        "__device__ int (*chosen(int which))(int);",
        "auto f = [] __device__ (int x) { return x; };",
        "__device__ const int limit = 3;",
        "__device__ int (*const kTable[])(int) = {plus};",
        "__constant__ constexpr float kTable[] = {1, 2};",
    ],
)
def test_functions_and_constants_get_none(text: str) -> None:
    assert "section" not in rewrite(text) and "__device__" not in rewrite(text)


def test_a_variable_with_copies_in_several_files_has_a_section_of_its_own() -> None:
    text = rewrite("inline __device__ int a;\ntemplate <class T> __device__ T b;\n")
    assert text.count('section("warpwise_device.') == 2 and OWN not in text


def test_a_managed_variable_stays_open_to_the_host() -> None:
    for text in ("__device__ __managed__ int x;", "__managed__ __device__ int x = 1;"):
        assert rewrite(text).count('section("warpwise_managed")') == 1 and OWN not in rewrite(text)


@pytest.mark.parametrize(
    "loop",
    [
        "while (flags[i] == 0) ;",
        "while (busy()) { }",
        "do { state = flags[i]; } while (state == 0);",
        "while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);",
        "while (1 > flags[i]) { wait(); }",
        "while (true) if (flags[i]) break;",
        "for (int old = 0; *(volatile int *)f == 0;) old++;",
        "for (int tries = 0; flags[i] == 0; ++tries) {}",
        "for (int seen = 0; seen == 0; seen = atomicOr(f, 0)) {}",
        "while (const bool waits = flags[i] == 0) { use(waits); }",
    ],
)
def test_a_loop_that_polls_lets_others_run(loop):
    text = rewrite(f"__global__ void k(volatile int *flags) {{ {loop} }}")
    assert text.count("::cuda_on_cpu::spin(), ") == 1


@pytest.mark.parametrize(
    "loop",
    [
        "do rank += in[j] < mine; while (++j < n);",
        "do if (in[j]) ++rank; else --rank; while (++j < n);",
        "do for (int k = 0; k < 3; ++k) rank += in[k]; while (++j < n);",
        "do { rank += in[j]; } while (++j < n); do ++j; while (j < n);",
    ],
)
def test_the_end_of_a_loop_that_works_is_no_empty_loop(loop):
    assert "spin" not in rewrite(f"__global__ void k(const int *in, int n) {{ {loop} }}")
    waits = f"{loop} while (in[9] == 0);"
    text = rewrite(f"__global__ void k(const int *in, int n) {{ {waits} }}")
    assert text.count("::cuda_on_cpu::spin(), in[9]") == 1


def test_loops_after_a_loop_that_is_marked_are_read():
    """The mark stands before a parenthesis, which is then no token of its own."""
    waits = "while ((in[8] & 1) == 0); while (int k = in[7]) ; { } while (in[9] == 0);"
    text = rewrite(f"__global__ void k(volatile int *in) {{ {waits} }}")
    assert text.count("::cuda_on_cpu::spin(), ") == 3


def test_a_checker_hears_of_loops_that_only_wait():
    def text(loop: str, watched: bool = True) -> str:
        return rewrite(f"__global__ void k(volatile int *f, int *p) {{ {loop} }}", watched, watched)

    for loop in ("while (*f == 0);", "while (*f == 0) { __nanosleep(9); }",
                 "do { s = *f; } while (s == 0);", "do s = *f; while (s == 0);",
                 "while (true) { if (*f) break; }"):  # fmt: skip
        assert "wait_round()" in text(loop) and "wait_round" not in text(loop, watched=False)
    for loop in ("while (*f == 0) { ++n; }", "while (*f == 0) { p[0] = 1; }", "while (*f) *p = 1;"):
        assert "wait_round" not in text(loop) and "::cuda_on_cpu::spin()" in text(loop)


@pytest.mark.parametrize(
    "head", ["while (true)", "while (1)", "for (;;)", "for (int i = 0; true; )"]
)
def test_a_loop_without_an_end_polls_in_its_body(head):
    """The compiler must see that the function ends by `return` alone, or it warns."""
    body = "{ if (flags[0]) return 1; }"
    text = rewrite(f"__device__ int f(volatile int *flags) {{ {head} {body} }}")
    assert f"{head} {{ ::cuda_on_cpu::spin(); if" in text


def test_a_goto_that_goes_back_lets_others_run():
    back = "again: if (*f == 0) goto again; else use(f);"
    assert "{ ::cuda_on_cpu::spin(); goto again; } else" in rewrite(f"void k(int *f) {{ {back} }}")
    ahead = "if (*f == 0) goto end; end: return;"
    assert "spin" not in rewrite(f"void k(int *f) {{ {ahead} }}")


@pytest.mark.parametrize(
    "loop",
    [
        "while (low < high) { low = middle(low, high); }",
        "for (int i = 0; i < n; ++i) sum += flags[i];",
        "for (int value : values) atomicAdd(f, value);",
        "while (int left = next()) use(left);",
    ],
)
def test_other_loops_stay_as_they_are(loop):
    assert loop in rewrite(f"__global__ void k(volatile int *flags) {{ {loop} }}")


@pytest.mark.parametrize(
    "statement",
    ["cudaMemcpy(a, b, n, kind);", "if (x) cudaMemset(a, 0, n);", "else cudaStreamCreate(&s);",
     "cudaMemAdvise(a, n, advice, 0);"],
)
def test_a_discarded_result_keeps_its_line(statement):
    text = in_kernel(statement)
    assert text.count('::cuda_on_cpu::Discarded{"cuda') == 1 and text.endswith("; }")


@pytest.mark.parametrize(
    "statement",
    [
        "(void)cudaMemcpy(a, b, n, kind);",
        "error = cudaMemset(a, 0, n);",
        "CHECK(cudaStreamCreate(&s));",
        "return cudaDeviceSynchronize();",
        "cudaMemcpy(a, b, n, kind), f();",
        "cudaFree(a);",  # the checker reports a wrong one
    ],
)
def test_a_result_that_is_used_is_left_alone(statement):
    assert statement in in_kernel(statement)


def test_loose_chevrons_are_a_launch():
    assert "Launch{" in launch_in("k << < g, b >> > (p, 1);")
    assert launch_in("a = operator<< <int>(b);").endswith("{ a = operator<< <int>(b); }")
    assert launch_in("a = pair<vector<int> >(b) << 2;").endswith("(b) << 2; }")


@pytest.mark.parametrize(("given", "made"), [
    ("#pragma unroll\nfor (;;) f();\n", "#pragma GCC unroll 16\nfor (;;) f();\n"),
    ("#pragma unroll 4\nwhile (a) f();\n", "#pragma GCC unroll 4\nwhile (a) f();\n"),
    ("#pragma unroll (1)\ndo f(); while (a);\n", "#pragma GCC unroll 1\ndo f(); while (a);\n"),
    ("#pragma unroll 1000\nfor (;;) f();\n", "#pragma GCC unroll 16\nfor (;;) f();\n"),
    ("#pragma unroll N\nfor (;;) f();\n", "\nfor (;;) f();\n"),
    ("#pragma nv_diag_suppress 177\nfor (;;) f();\n", "\nfor (;;) f();\n"),
    ("#pragma unroll\nint a;\n", "\nint a;\n"),
    ("#pragma unroll\n", "\n"),
    ("#pragma unrolled\nfor (;;) f();\n", "\nfor (;;) f();\n"),
])  # fmt: skip
def test_loops_are_unrolled_as_asked_where_nobody_watches(given: str, made: str) -> None:
    assert rewrite(given) == made
    assert "unroll" not in rewrite(given, instrumented=True)


def test_a_launch_without_its_semicolon_is_left_to_the_compiler() -> None:
    made = rewrite(f"{KERNEL}void f() {{ k<<<1, 1>>>(0, 1)\n cudaDeviceSynchronize(); }}")
    assert "\n cudaDeviceSynchronize();" in made and "Launch" in made
    assert "Discarded" in rewrite(f"{KERNEL}void f() {{ if (a) cudaDeviceSynchronize(); }}")


def fences_in(body: str, head: str = "__device__ void f(int n)") -> list[str]:
    made = translate(f"{head} {{ {body} }}\n", True, True, True).text
    return re.findall(r"FencedArray<(\w+)_array> \1_fenced", made)


@pytest.mark.parametrize(("body", "fenced"), [
    ("float best[8]; keep(best, n);", ["best"]),
    ("int s[4], *top = s;", ["s"]),
    ("float a[4], b[4], c = 1; g(b, c); a[0] = b[n];", ["b"]),
    ("float c = h<1, 2>(n), a[2] = {c, c}, *p, m[2][2]; g(a, m[1]);", ["a", "m"]),
    ("const float *a[2] = {x, y}, b; g(a);", ["a"]),
    ("dim3 b(1), a[2]; g(a);", []),  # a constructor: left out
    ("for (; n < a[0]; ++n) g(a);", []),
    ("for (; n < a[0], b[1] = n; ++n) g(a, b);", []),
    ("n < a[0]; g(a); n < a[0], b[1] = n; g(b);", []),
    ("int s[4]; int *top = s; *top++ = n;", ["s"]),
    ("const unsigned char m[2][3] = {{1}}; g(m[n]);", ["m"]),
    ("std::pair<int, int> p[4]{}; for (int i = 0; i < 4; ++i) g(&p[i]);", ["p"]),
    ("if (n) { float a[N + 1]; g(a); } float b[2]; g(b);", ["a", "b"]),
    ("float a[8]; for (int i = 0; i < 8; ++i) a[i] = n; g(a[n] & a[1]);", []),
    ("float a[8]; g(sizeof(a)); x.a = y->a;", []),
    ("int m[2][3]; m[1][n] = 2;", []),
    ("static float a[8]; g(a);", []),
    ("switch (n) { case 0: float a[8]; g(a); }", []),
    ("float a[8]; g(a); goto end; end:;", []),
    ("g(n); a[n] = 3; return b[n];", []),
    ("char word[] = \"abc\"; g(word);", []),
])  # fmt: skip
def test_a_local_array_that_goes_elsewhere_has_fences(body: str, fenced: list[str]) -> None:
    assert fences_in(body) == fenced
    assert fences_in(body, "void f(int n)") == []  # of the host


def test_the_fenced_text_is_what_the_language_wants() -> None:
    made = translate("__device__ void f() { float a[2] = {1}; g(a); }\n", True, True, True).text
    assert "void f() { typedef float a_array[2]; ::cuda_on_cpu::FencedArray" in made
    assert 'a_fenced{{},   {1}, {}}; a_fenced.name("a"); a_array &a = a_fenced.open();' in made
    text = "__device__ void f() { const int n = 2, *p = q, a[2], b[2]; g(a); }\n"
    made = translate(text, True, True, True).text
    assert "{ const int n = 2; const int  *p = q; typedef const int  a_array[2];" in made
    assert "a_array &a = a_fenced.open_new(); const int  b[2]; g(a);" in made


@pytest.mark.parametrize(("body", "named"), [
    ("float a[8]; a[n] = 1; const Room room = {}, *p = q; int k = 2;", ["a", "room", "p"]),
    ("if (n) { auto x = f(n); unsigned long long y; }", ["x"]),
    ("struct Local { float a[8]; Room b; }; Local one;", ["one"]),
    ("const auto [a, b] = f(n); auto [c] = g; auto &d = a; auto *e = &b;", ["e"]),
    ("Room<int, 2> r{n}; kit::count = 3; *p = n; x.y = 2; p->q[2] = 1; again: n = 4;", ["r"]),
    ("g([&] { Room a = {n * n, 2}, b; return Room{n * n, n}; });", ["a", "b"]),
    ("namespace short_name = long_name; using T = int; T t;", ["t"]),
    ("for (int i[2] = {}; n;) g(i); static Room room; return n;", []),
])  # fmt: skip
def test_large_variables_of_a_thread_are_named(body: str, named: list[str]) -> None:
    def made(head: str) -> list[str]:
        unit = with_own_memory(translate(f"{head} {{ {body} }}\n", True, True))
        return re.findall(r"::cuda_on_cpu::own\((\w+)\);", unit.text) if unit else []

    assert made("__device__ int f(int n)") == made("__host__ __device__ int f(int n)") == named
    assert made("int f(int n)") == []  # of the host


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__device__ int (*choose(int n))(int) { return n ? twice : thrice; }", {"choose"}),
        ("__device__ int const *(*const far(int))(int);", {"far"}),
        ("__device__ int (&row(int *p))[4] { return reinterpret_cast<int (&)[4]>(*p); }", {"row"}),
        ("__device__ int (*kept)(int) = twice;", set()),
        ("__device__ int (*table[2])(int);", set()),
        ("__device__ int *start(&first);", set()),
    ],
)
def test_functions_that_return_pointers_to_functions_are_functions(text: str, names: set[str]):
    unit = translate(text)
    assert Sides(unit.tokens, unit.scope_of).names == names


def test_four_times_the_variables_take_four_times_as_long():
    def seconds(count: int) -> float:
        text = "struct C { C() : x(0) {} int x; };\n" + "".join(
            f"__device__ float v{i}; __device__ C c{i};\n" for i in range(count)
        )
        start = time.process_time()
        unit = translate(text, instrumented=True)
        sides = Sides(unit.tokens, unit.scope_of)
        assert list(plain_rules.errors(unit.tokens, unit.scope_of, sides)) == []
        assert unit.text.count("constinit C c") == count
        return time.process_time() - start

    assert seconds(800) < 8 * min(seconds(200), seconds(200))  # 16 times, if each looks at all


@pytest.mark.longer
def test_a_row_of_four_times_the_calls_takes_four_times_as_long():
    def seconds(count: int) -> float:
        text = "".join(f"__device__ V f{i}(V v) {{ return f{i - 1}(v); }}\n" for i in range(count))
        start = time.process_time()
        made = translate(text, instrumented=True, watched=True).text
        assert made.count("__attribute__((always_inline))") == count  # none calls itself
        return time.process_time() - start

    assert seconds(8000) < 8 * min(seconds(2000), seconds(2000))


@pytest.mark.parametrize(("calls", "inlined"), [("g(v)", "gab"), ("a(v)", "g"), ("b(v)", "ga")])
def test_a_function_that_calls_itself_is_not_inlined(calls, inlined):
    """Nor one that it calls back."""
    text = (
        "__device__ V g(V v) { return v; }\n"
        "__device__ V a(V v) { return b(v); }\n"
        f"__device__ V b(V v) {{ return {calls}; }}\n"
    )
    made = translate(text, instrumented=True, watched=True).text.splitlines()
    assert "".join(line.split("(V")[0][-1] for line in made if "always_inline" in line) == inlined
