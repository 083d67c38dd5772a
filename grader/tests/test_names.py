"""What an object file may ask for and define, and what a stage may reach; honest twins pass."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.base.checkout import Checkout
from grader.compiling.worker import AUDIT_FLAGS, KERNELS
from grader.intake import calls, surface
from grader.intake.calls import entries_of, forbidden_by_stage
from grader.intake.elf import BadObject, ObjectFile, read_archive, read_object
from grader.intake.names import refusal, spelled
from grader.intake.places import Places
from grader.intake.pointers import suspected_by_stage
from grader.intake.surface import Surface
from grader.intake.vocabulary import is_common
from grader.lab_file import manifest
from grader.lab_file.manifest import Lab, Stage
from grader.tests import choice

pytestmark = [
    pytest.mark.reads("judging", "labs"),
    pytest.mark.skipif(not shutil.which("g++"), reason="there is no g++"),
]
INTAKE = Checkout.here().root / "grader" / "intake"
ENTRY = "_ZN4demo6globalEv"
SURFACE = Surface(
    backend="cpu",
    mode="run",
    entries=frozenset({ENTRY}),
    offered=frozenset({"_Z21cudaDeviceSynchronizev"}),
    missing=frozenset({"send", "_ZN5outer5askedEv"}),
    strong=frozenset({"main", "_ZN8warpwise5ourseEv"}),
    weak=frozenset({"_ZN3kit4copyEv"}),
    system=frozenset({"send", "recv", "getpid", "_ZSt9terminatev"}),
)
Compile = Callable[..., ObjectFile]


def test_a_name_may_have_any_letters(compiled: Compile) -> None:
    """Names of functions and variables in any language; no others, as a label could make them."""
    source = "int größe; namespace demo { int höhe(int π) { return π; } void global() { höhe(1); }}"
    assert refusal(compiled(source), SURFACE) == ""
    assert spelled("_ZN4demo5höheEi") == "demo::höhe"
    assert spelled("_Z6größei".replace("6", "7")) == "größe"
    labelled = 'int seen asm("\\u2028x") = 1; namespace demo { void global() {} }'
    assert "is not a name of C++" in refusal(compiled(labelled), SURFACE)


@pytest.fixture
def compiled(tmp_path: Path) -> Compile:
    def make(source: str, *flags: str) -> ObjectFile:
        (tmp_path / "demo.cu").write_text(source)
        command = ["g++", "-std=c++20", "-w", *flags, "-x", "c++", "-c", "demo.cu", "-o", "demo.o"]
        subprocess.run(command, cwd=tmp_path, check=True)
        return read_object(tmp_path / "demo.o")

    return make


HONEST = """
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>
int counter = 0;
const char* const kText = "std::sort, asm, send";
thread_local int depth = 0;
void cudaDeviceSynchronize();
namespace {
struct Shape { virtual ~Shape() = default; virtual int size() { return 1; } };
std::vector<std::string> names = {"a", "b"};
int send(int value) { return value + 1; }
}
namespace demo {
template <typename T> struct Counted { static inline int alive = 0; Counted() { ++alive; } };
void global() {
  static const std::string kOnce(3, 'x');
  std::map<int, int> calls;
  ++calls[send(depth)];
  Counted<float> counted;
  Shape shape;
  if (calls.size() > 5) throw std::runtime_error(kOnce + names[0]);
  if (depth > 5) {
    std::ostringstream text;
    text << depth << " is too deep";
    throw std::runtime_error(text.str());
  }
  std::printf("%d %s %d\\n", shape.size(), kText, counter++);
  cudaDeviceSynchronize();
}
}
"""


@pytest.mark.parametrize("level", choice.first_of(
    1, ["-O2 -g -ffunction-sections -fdata-sections", "-O0", "-O2"], INTAKE))  # fmt: skip
def test_honest_code_is_let_through(compiled: Compile, level: str) -> None:
    assert refusal(compiled(HONEST, *level.split()), SURFACE) == ""


@pytest.mark.parametrize("mode", ["run", "check", "count"])
def test_a_function_that_may_end_without_its_value_is_no_forbidden_request(
    compiled: Compile, mode: str
) -> None:
    """g++ cannot know that `f` returns: what it asks for instead is the runtime's."""
    object_file = compiled("int f(int a) { if (a >= 0) return 1; if (a < 0) return 2; }",
                           "-fsanitize=return")  # fmt: skip
    asked = [symbol.name for symbol in object_file.asked]
    assert asked == ["__ubsan_handle_missing_return"]
    assert refusal(object_file, replace(SURFACE, mode=mode)) == ""
    assert asked[0] in refusal(object_file, replace(SURFACE, backend="gpu"))
    own = compiled('extern "C" void __ubsan_handle_missing_return(void*) {}')
    assert "a function with a name of C" in refusal(own, SURFACE)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('extern "C" int fork(); int a = fork();', "asks for `fork`"),
        ('extern "C" __attribute__((weak)) int mprotect(); int a = &mprotect != 0;', "`mprotect`"),
        ('static int f() __attribute__((weakref("close"))); int a = f();', "asks for `close`"),
        ("namespace cuda_on_cpu { void reset_statistics(); } "
         "void f() { cuda_on_cpu::reset_statistics(); }", "asks for `cuda_on_cpu::reset_stat"),
        ('void f() asm("_ZN11cuda_on_cpu5quietEv"); void g() { f(); }', "`cuda_on_cpu::quiet`"),
        ('extern "C" char** environ; char** a = environ;', "asks for `environ`"),
        ('extern "C" char __executable_start; char* a = &__executable_start;', "__executable_st"),
        ("#include <fstream>\nvoid f() { std::ofstream(\"x\") << 1; }", "basic_ofstream"),
        ("#include <thread>\nvoid f() { std::thread([] {}).join(); }", "asks for `std::thread"),
        ('extern "C" void helper() {}', "defines `helper`, a function with a name of C"),
        ('extern "C" long recv(int, void*, unsigned long, int) { return 0; }', "defines `recv`"),
        ('extern "C" __attribute__((weak)) void _exit(int) { for (;;) {} }', "as a weak symbol"),
        ("__attribute__((weak)) void own() {}", "as a weak symbol"),
        ('extern "C" inline int pause_of_mine() { return 1; } int (*a)() = &pause_of_mine;',
         "a function with a name of C"),
        ("inline int getpid = 1; int* p = &getpid;", "`getpid`, which is the grader's"),
        ("int main() {}", "defines `main`"),
        ("namespace std { void terminate() noexcept { for (;;) {} } }", "`std::terminate`"),
        ('int f() asm("_ZNKRSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv"); '
         "int f() { return 1; }", "defines `std::basic_stringbuf`"),
        ("namespace kit { void copy() {} }", "defines `kit::copy`"),
        ("namespace outer { inline void asked() {} void (*f)() = &asked; }", "`outer::asked`"),
        ("void* operator new(unsigned long) { return 0; }", "defines `operator new`"),
        ("namespace cuda_on_cpu { int count = 1; }", "defines `cuda_on_cpu::count`"),
        ('extern "C" { static int two() { return 2; } static int (*choose())() { return two; } }'
         ' int f() __attribute__((ifunc("choose")));', "an indirect function"),
        ('extern "C" { static int two() { return 2; } static int (*choose())() { return two; } }'
         ' static int f() __attribute__((ifunc("choose"))); int g() { return f(); }',
         "an indirect function"),
        ('static long quiet() { return 0; } extern "C" long send() '
         '__attribute__((alias("_ZL5quietv")));', "defines `send`"),
        ('extern "C" __attribute__((section(".text"))) const char getpid[] = {1};', "`getpid`"),
        ("volatile int a; __attribute__((constructor)) static void f() { a = 1; }", "before the"),
        ("volatile int a; __attribute__((constructor(101))) void f() { a = 1; }", ".init_array.00"),
        ("volatile int a; __attribute__((destructor)) static void f() { a = 1; }", ".fini_array"),
        ('static void f() {} __attribute__((section(".init_array"), used)) void (*a)() = f;',
         "before the"),
        ('__attribute__((section(".preinit_array"), used)) void (*a)() = 0;', ".preinit_array"),
        ('__attribute__((section(".interp"), used)) const char a[] = "/x";', "`.interp`"),
        ('__attribute__((section("mine"), used)) int a = 1;', "a section `mine`"),
        ('asm(".globl fixed\\n.set fixed, 4096");', "`fixed`, which is in none of"),
        ('asm(".section .note.GNU-stack,\\"x\\",@progbits");', ".note.GNU-stack"),
        ('asm(".globl f\\nf: ret\\n.symver f, send@VERS_1");', "the file"),
    ],
)  # fmt: skip
def test_what_is_not_its_own_is_refused(compiled: Compile, source: str, words: str) -> None:
    assert words in refusal(compiled(source, "-O1"), SURFACE)


def test_a_variable_outside_all_namespaces_is_its_own(compiled: Compile) -> None:
    source = "int changed[2]; float* scratch; inline int shared = 1; int* p = &shared;"
    assert refusal(compiled(source), SURFACE) == ""


@pytest.mark.parametrize("name", [
    "memcpy", "__memcpy_chk", "__isoc99_sscanf", "sqrtf", "__popcountdi2", "__extendhfsf2",
    "_ZSt4cout", "_ZNSolsEi", "_ZSt20__throw_length_errorPKc", "_ZNSaIcEC1Ev",
    "_ZTVN10__cxxabiv117__class_type_infoE",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm", "_ZdlPvm",
    "_ZSt11__once_call", "__once_proxy",
])  # fmt: skip
def test_the_libraries_common_names_are_known(name: str) -> None:
    assert is_common(name)


@pytest.mark.parametrize("name", [
    "send", "__send_chk", "dlsym", "_ZNSt6threadC1Ev", "pthread_create", "fopen", "syscall",
    "getenv", "_exit",
    "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode", "__libc_start_main",
    "_ZN9__gnu_cxx13stdio_filebufIcSt11char_traitsIcEEC1EiSt13_Ios_Openmodem", "dprintf",
    "_ZNSo" + 1000 * "x",
])  # fmt: skip
def test_other_names_are_not(name: str) -> None:
    assert not is_common(name)


def test_what_is_no_object_file_is_refused_in_words(compiled: Compile, tmp_path: Path) -> None:
    compiled("int a;")
    data = (tmp_path / "demo.o").read_bytes()
    broken = tmp_path / "broken.o"
    for number in range(0, len(data), 7):
        for content in (data[:number], data[:number] + b"\xff" * 8 + data[number + 8 :]):
            broken.write_bytes(content)
            try:
                read_object(broken)
            except BadObject as error:
                assert "object file" in str(error)
    broken.write_bytes(b"")
    with pytest.raises(BadObject):
        read_object(broken)
    with pytest.raises(BadObject):
        read_archive(broken)


@choice.exhaustive(INTAKE)
def test_many_names_are_read_in_time(compiled: Compile) -> None:
    names = "".join(f"int function_with_a_long_name_{i}() {{ return {i}; }}" for i in range(9000))
    file = compiled(names)
    start = time.perf_counter()
    assert refusal(file, SURFACE) == ""
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("name", [
    "f" + ".isra" * 20_000 + "$",
    "_ZNSt8_Rb_treeI" + "E15_M_insert_equal" * 10_000 + "$",
    "_ZN" + "1a" * 200_000 + "E",
], ids=["suffixes", "trees", "words"])  # fmt: skip
def test_a_long_name_is_judged_in_time(name: str) -> None:
    start = time.process_time()  # how busy the machine is does not count
    assert calls.objection(name, manifest.FORBIDDEN) in ("", calls.STANDARD)
    assert time.process_time() - start < 0.5


# ---- what a stage reaches -----------------------------------------------------------------------


@pytest.fixture
def strict() -> Lab:
    """A lab with a first stage that forbids all, and a second that forbids nothing."""
    plain = Stage(1, "free", "", (), 1.0, 0.0, ("",), None)
    stages = (replace(plain, name="global", forbids=manifest.FORBIDDEN), plain)
    return Lab("01-demo", "", "demo.cu", "demo.hpp", 1.0, stages)


ENTRIES = (ENTRY, "_ZN4demo4freeEv")
BODY = """#include <algorithm>
#include <vector>
std::vector<float> v;
%s
namespace demo { void global() { %s; } void free() { std::sort(v.begin(), v.end()); } }
"""


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("_ZN3cub14BlockRadixSortIjLi256EE4SortERA4_jii", calls.DEVICE),
        # Of its own runtime, where all else is inlined.
        ("_ZN11cuda_on_cpu16break_block_sizeEPKc4dim3NS_4SiteE", calls.DEVICE),
        ("_ZN11cuda_on_cpu13too_few_bytesEmm", calls.DEVICE),
        ("_ZN11cuda_on_cpu18break_launch_boundEj", ""),
        ("_ZN4demo3cubEv", ""),
    ],
)
def test_cub_is_known_by_its_names(name: str, reason: str) -> None:
    assert calls.objection(name, manifest.FORBIDDEN) == reason
    assert calls.objection(name, ()) == ""


def objection(compiled: Compile, lab: Lab, folder: Path, before: str, call: str) -> str:
    """Why the stage `global`, which makes the call, is rejected; "" if it is not."""
    file = compiled(BODY % (before, call), *AUDIT_FLAGS)
    places = Places(folder / "demo.ci", lab.source)
    found = forbidden_by_stage(lab, [file], ENTRIES, places, {})
    assert "free" not in found
    return found.get("global", "")


@pytest.mark.parametrize(
    ("before", "call"),
    choice.first_of(4, [
        ("", "std::sort(v.begin(), v.end())"),
        ("", "sort(v.begin(), v.end())"),
        ("namespace other = std;", "other::stable_sort(v.begin(), v.end())"),
        ("using namespace ::std;", "nth_element(v.begin(), v.begin(), v.end())"),
        ("#define JOINED(a, b) a##b", "std::JOINED(so, rt)(v.begin(), v.end())"),
        ("", "[[maybe_unused]] auto c = u8'\"'; std::so\\ \nrt(v.begin(), v.end())"),
        ("", "std::ranges::sort(v)"),
        ("auto sorter = [] { std::sort(v.begin(), v.end()); };", "sorter()"),
        ("void (*const table[])(float*, float*) = {&std::sort<float*>};", "table[0](0, 0)"),
        ("#include <functional>\nstd::function<void()> f = [] { std::make_heap(&v[0], &v[1]); };",
         "f()"),
        ("struct A { virtual void f() { std::partial_sort(&v[0], &v[1], &v[1]); } };",
         "A* a = new A; a->f()"),
        ("#include <list>\nstd::list<int> l;", "l.sort()"),
        ("#include <set>", "std::multiset<int> s(v.begin(), v.end())"),
        ("#include <map>", "std::map<float, int> m; m[1] = 2"),
        ("#include <queue>", "std::priority_queue<int> q; q.push(1)"),
        ("#include <cstdlib>", "qsort(v.data(), v.size(), 4, 0)"),
        ('static void f() __attribute__((weakref("qsort")));', "f()"),
        ("namespace thrust { template <class T> void sort(T, T) {} }", "thrust::sort(1, 2)"),
        ("namespace cub { struct DeviceRadixSort { static void SortKeys() {} }; }",
         "cub::DeviceRadixSort::SortKeys()"),
        ("int cudaMallocManaged(void**, unsigned long, unsigned);", "cudaMallocManaged(0, 1, 1)"),
    ], INTAKE),
)  # fmt: skip
def test_what_a_stage_forbids_is_found_by_whatever_name(
    compiled: Compile, strict: Lab, tmp_path: Path, before: str, call: str
) -> None:
    assert "demo.cu" in objection(compiled, strict, tmp_path, before, call)


@pytest.mark.parametrize(
    ("before", "call"),
    choice.first_of(3, [
        ("void unused() { std::sort(v.begin(), v.end()); }", "v.clear()"),
        ("namespace own { void sort() {} }", 'own::sort(); const char* s = "std::sort"'),
        ("#include <map>", "std::map<int, float> m; m[1] = 2"),
        ("", "v[0] = *std::max_element(v.begin(), v.end()); std::reverse(v.begin(), v.end())"),
        ("int cudaMallocHost(void**, unsigned long);", "cudaMallocHost(0, 4)"),
        ("int cudaMemcpyFromSymbol(void*, void*);", "cudaMemcpyFromSymbol(0, 0)"),
    ], INTAKE),
)  # fmt: skip
def test_honest_twins_keep_their_points(
    compiled: Compile, strict: Lab, tmp_path: Path, before: str, call: str
) -> None:
    assert objection(compiled, strict, tmp_path, before, call) == ""


def test_the_message_has_the_line_of_the_call(
    compiled: Compile, strict: Lab, tmp_path: Path
) -> None:
    before = "void helper() {\n  std::sort(v.begin(), v.end());\n}"
    assert objection(compiled, strict, tmp_path, before, "helper()").startswith(
        "demo.cu:5: `std::sort`"
    )


def test_a_kernels_calls_on_the_device_count_for_its_stage(
    compiled: Compile, strict: Lab, tmp_path: Path
) -> None:
    file = compiled("void kernel() {} namespace demo { void global() { kernel(); } }", *AUDIT_FLAGS)
    calls = {"_Z6kernelv": ["_Z6kernelv", "_ZN3cub14BlockRadixSortIfE4SortEv"]}
    nowhere = Places(tmp_path / "missing", strict.source)
    assert forbidden_by_stage(strict, [file], ENTRIES, nowhere, {}) == {}
    assert "a library" in forbidden_by_stage(strict, [file], ENTRIES, nowhere, calls)["global"]


RUNS = """extern "C" long strtol(const char*, char**, int); extern "C" int puts(const char*);
namespace cuda_on_cpu { template <class B> void run_threads(const void*) { %s; } }
namespace demo { void global() { cuda_on_cpu::run_threads<int>(nullptr); } void free() {} }
"""


def test_a_kernel_calls_no_function_of_the_host(
    compiled: Compile, strict: Lab, tmp_path: Path
) -> None:
    nowhere = Places(tmp_path / "missing", strict.source)
    found = [forbidden_by_stage(strict, [compiled(RUNS % call, *AUDIT_FLAGS)], ENTRIES, nowhere, {})
             for call in ('strtol("1", 0, 0)', 'puts("1")')]  # fmt: skip
    assert found[0].keys() == {"global"} and "`strtol`" in found[0]["global"]
    assert found[1] == {}


def test_a_body_for_the_host_is_none_of_a_kernels(
    compiled: Compile, strict: Lab, tmp_path: Path
) -> None:
    nowhere = Places(tmp_path / "missing", strict.source)
    both, device = (compiled(RUNS % call, *AUDIT_FLAGS) for call in ('strtol("1", 0, 0)', "1"))
    assert forbidden_by_stage(strict, [both], ENTRIES, nowhere, {}, [device, device]) == {}
    for kernels in ([device, both], [both, device]):
        found = forbidden_by_stage(strict, [both], ENTRIES, nowhere, {}, kernels)
        assert "`strtol`" in found["global"]


TWO_BODIES = """#include <cstdlib>
__host__ __device__ void require(bool holds) {
#ifdef __CUDA_ARCH__
  if (!holds) %s;
#else
  if (!holds) std::exit(1);
#endif
}
__global__ void kernel(int n) { require(n > 0); }
void launch(int n) { require(n > 0); kernel<<<1, 1>>>(n); }
"""


@pytest.mark.parametrize(("device", "asked"), choice.first_of(
    1, [("std::abort()", True), ("__trap()", False)], INTAKE))  # fmt: skip
def test_what_kernels_run_of_two_bodies_is_compiled_alone(
    tmp_path: Path, device: str, asked: bool
) -> None:
    audited(tmp_path, TWO_BODIES % device)
    names = [[symbol.name for symbol in read_object(tmp_path / file).asked]
             for file in ("audit.o", *KERNELS)]  # fmt: skip
    assert [("exit" in of_file, "abort" in of_file) for of_file in names] == [
        (True, asked), (False, asked), (False, asked)
    ]  # fmt: skip


def test_nothing_more_is_compiled_where_functions_have_one_body(tmp_path: Path) -> None:
    audited(tmp_path, TWO_BODIES.replace("__CUDA_ARCH__", "OTHER") % "__trap()")
    assert [(tmp_path / file).read_bytes() for file in KERNELS] == [b"", b""]


POINTED = """#include <cstring>
#include <cwchar>
#include <string>
%s
namespace cuda_on_cpu { template <class B> void run_threads(const void* f) { %s; } }
namespace demo { void global() { cuda_on_cpu::run_threads<int>(%s); } void free() {} }
"""
THROUGH = "((void (*)(char*))f)(0)"  # a kernel calls what it gets
COPIES = "static void copy(char* to) { stpncpy(to, to, 4); }"


@pytest.mark.parametrize(
    ("before", "kernel", "given", "words"),
    choice.first_of(3, [
        ("", "", "(void*)(wchar_t* (*)(wchar_t*, const wchar_t*, size_t))&std::wmemcpy",
         "`wmemcpy`: the address"),
        ("auto table = {&stpcpy};", "", "table.begin()", "`stpcpy`: the address"),
        ("", "", "(void*)&strlen", ""),
        ("std::string shown = std::to_string(1.5) + std::to_string(std::stoi(\"1\"));", "",
         "&shown", ""),
        (COPIES, THROUGH, "(void*)&copy", "through a pointer"),
        (COPIES, THROUGH, "(copy(0), nullptr)", ""),  # nobody hands it to a kernel
        (COPIES, "", "(void*)&copy", ""),  # the kernel calls nothing
        ("static void copy(char* to) { *to = 1; }", THROUGH, "(void*)&copy", ""),
    ], INTAKE),
)  # fmt: skip
def test_what_stores_for_its_caller_is_not_handed_to_a_kernel(
    compiled: Compile, strict: Lab, tmp_path: Path, before: str, kernel: str, given: str, words: str
) -> None:
    file = compiled(POINTED % (before, kernel, given), *AUDIT_FLAGS)
    places = Places(tmp_path / "demo.ci", strict.source)
    found = suspected_by_stage(strict, [file], ENTRIES, places)
    found |= forbidden_by_stage(strict, [file], ENTRIES, places, {})
    assert words in found["global"] if words else found == {}


def test_an_entry_point_is_its_stages_or_everybodys(strict: Lab) -> None:
    first, second = strict.stages
    lab = replace(strict, stages=(replace(first, entries=("prepare",)), second))
    entries = [f"_ZN4demo{len(name)}{name}Ev"
               for name in ("global", "global_double", "prepare", "free", "common")]  # fmt: skip
    names = [spelled(entry) for entry in entries_of(lab, second, entries)]
    assert sorted(names) == ["demo::common", "demo::free"]
    assert len(entries_of(lab, lab.stages[0], entries)) == 4


@pytest.mark.parametrize("lab", manifest.discover(Checkout.here()), ids=lambda lab: lab.name)
def test_every_entry_point_of_a_lab_has_its_stage(lab: Lab) -> None:
    contract = (Checkout.here().labs / lab.name / lab.contract).read_text()
    names = re.findall(r"\w+", contract.rpartition("WARPWISE_ENTRY_POINTS(")[2].partition(")")[0])
    entries = [f"_ZN3lab{len(name)}{name}Ev" for name in names]
    owned = [entries_of(lab, stage, entries) for stage in lab.stages]
    assert sorted(entry for found in owned for entry in found) == sorted(entries)
    assert all(owned)


ASSEMBLY = [
    'asm("nop");', "void f() { __asm__ volatile(\"nop\"); }",
    'extern "C" int f() asm("abs@PLT\\n nop\\n#"); int g() { return f() + 1; }',
    '__attribute__((section(".data\\n nop\\n .section .data"))) int a = 1;',
    '#ifdef TWICE\n#pragma GCC system_header\n#line 1 "stdio.h"\nvoid f() { asm("nop"); }\n'
    '#else\n#define TWICE\n#include __FILE__\n#endif',
    '#line 1 "/usr/include/stdio.h" 3\nvoid f() { asm("nop"); }',
]  # fmt: skip


@pytest.mark.parametrize("source", choice.first_of(1, ASSEMBLY, INTAKE))
def test_assembly_is_found_whatever_file_it_claims_to_be_in(tmp_path: Path, source: str) -> None:
    assert "demo.cu" in audited(tmp_path, source) or "stdio.h" in audited(tmp_path, source)


@choice.exhaustive(INTAKE)
def test_words_are_no_assembly(tmp_path: Path) -> None:
    source = '#include <thread>\n#include <atomic>\nconst char* asm_text = "asm(x)"; // asm("x")'
    assert audited(tmp_path, source) == ""


def audited(folder: Path, source: str) -> str:
    (folder / "demo.cu").write_text(source)
    cucc = Checkout.here().root / "grader" / "cpu" / "cucc.py"
    command = [sys.executable, cucc, "-c", "demo.cu", "-o", "demo.o", "--audit", "audit.o"]
    subprocess.run(command, cwd=folder, check=True)
    read_object(folder / "audit.o")
    return Places(folder / "audit.ci", "demo.cu").assembly


@choice.exhaustive(INTAKE)
def test_what_compiles_only_when_optimised_leaves_an_empty_audit(tmp_path: Path) -> None:
    source = ('__attribute__((error("x"))) void never();\n'
              "void f() { int n = 1; if (n != 1) never(); }")  # fmt: skip
    with pytest.raises(BadObject):
        audited(tmp_path, source)


@pytest.mark.parametrize("declared", [
    "cuda::barrier<cuda::thread_scope_block> ready[2]", "cudaTextureObject_t kept[2]",
])  # fmt: skip
def test_a_type_of_cuda_may_be_that_of_shared_memory(tmp_path: Path, declared: str) -> None:
    """Its declaration is written anew: nothing of it is left where it was."""
    kernel = f"__global__ void k() {{ __shared__ {declared}; }}\nvoid f() {{ cudaFree(nullptr); }}"
    assert audited(tmp_path, f"#include <cuda/barrier>\n{kernel}") == ""


def test_an_unknown_group_is_an_error_of_the_manifest(checkout: object) -> None:
    path = checkout.labs / "01-demo" / "lab.toml"  # type: ignore[attr-defined]
    text = path.read_text().replace("hints =", 'forbids = ["magic"]\nhints =', 1)
    path.write_text(text)
    with pytest.raises(manifest.UsageError, match="magic"):
        manifest.load(path)


def test_names_are_read_again_when_a_library_changed_and_only_then(tmp_path: Path) -> None:
    library, more, file = tmp_path / "a.a", tmp_path / "b.so", tmp_path / "kept" / "names.json"
    library.write_text("one")
    more.write_text("two")
    asked: list[int] = []

    def read() -> tuple[dict[str, list[str]], list[Path]]:
        asked.append(len(asked))
        return {"system": [str(len(asked))]}, [more]

    def kept() -> str:
        return surface._kept(file, [library], read)["system"][0]

    assert [kept(), kept()] == ["1", "1"]
    more.write_text("another")
    assert [kept(), kept()] == ["2", "2"]
    (tmp_path / "moved").mkdir()
    moved = library.rename(tmp_path / "moved" / "a.a")
    assert surface._kept(file, [moved], read)["system"] == ["3"]
    file.write_text('{"read": 3}')
    assert surface._kept(file, [moved], read)["system"] == ["4"]
