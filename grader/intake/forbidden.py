"""What a submission may not name: reads its text, and the names its object file asks for.

This is no defence, the sandbox and the judge are. It says in a sentence, before anything runs, what
will not count: a library's sort where the stage asks for one's own, work on the host, and what has
no business in a kernel file. `rejected` is no zero: a person may look at the sentence and decide.

A stage's `forbids` in lab.toml names groups of RULES; "always" holds for every stage.
"""

import re
from dataclasses import dataclass

from ..lab_file.manifest import HOST_WORK, HOST_WORK_BUT_FLAGS, LIBRARY_SORT, Lab

ALWAYS = "always"


@dataclass(frozen=True)
class Rule:
    """A pattern of the source's text, without comments and strings, and why it does not count."""

    pattern: str
    reason: str


HOST_RULES = (
    # Pinned and managed memory may be used: what kernels write there counts as copied to the host.
    Rule(r"\b(__managed__|cudaLaunchHostFunc|cudaStreamAddCallback)\b",
         "a variable or work that kernels share with the host, where kernels do the work alone"),
)  # fmt: skip

RULES: dict[str, tuple[Rule, ...]] = {
    ALWAYS: (
        Rule(r"\b(__asm__|__asm|asm)\b", "assembly is not read by the checks that grade a kernel"),
        Rule(r"\b(__CUDA_ON_CPU__|__NVCC__|__CUDACC_VER_\w+|cuda_on_cpu|WARPWISE_\w+|warpwise)\b",
             "a submission must not tell the backends apart, or reach for the grader"),
        Rule(r"\b(constructor|destructor|section|ifunc|alias|weakref|init_priority)\b(?=[^;{]*\)\s*\))",
             "an attribute that runs code outside of the stages"),
        Rule(r"^[ \t]*(#|%:)[ \t]*(line\b|\d)", "lines that claim to stand in another file"),
        Rule(r"^[ \t]*(#|%:)[ \t]*include\s*[<\"](/|\.\./|.*/\.\./)", "an include by a path"),
        Rule(r"^[ \t]*(#|%:)[ \t]*include\s*[<\"](sys/|linux/|unistd|dlfcn|signal|csignal|pthread|"
             r"fcntl|spawn|sched|thread|future|fstream|filesystem|link\.h|elf|ucontext)",
             "a header of the operating system"),
    ),
    LIBRARY_SORT: (
        Rule(r"\b(thrust|cub)\s*::|include\s*<(thrust|cub|moderngpu|parallel)/",
             "a library sorts here, and the stage asks for your own kernels"),
        Rule(r"\bstd\s*::\s*(ranges\s*::\s*)?(sort|stable_sort|partial_sort\w*|nth_element|make_heap|"
             r"sort_heap|inplace_merge)\b|\bqsort\w*\b|"
             r"\busing\s+namespace\s+std\b",
             "the standard library could sort here, and the stage asks for your own kernels"),
    ),
    HOST_WORK: HOST_RULES,
    HOST_WORK_BUT_FLAGS: HOST_RULES,
}  # fmt: skip

# Names that an object file asks other libraries for, or defines in their place.
SYSTEM_CALLS = re.compile(
    r"(v?fork|clone\d?|exec[vl]\w*|posix_spawn\w*|system|popen|ptrace|process_vm_\w+|t?g?kill|killpg|"
    r"raise|signal|sigaction|sigprocmask|pthread_\w+|_ZNSt6thread\w*|setitimer|timer_create|alarm|"
    r"mmap\d*|mprotect|memfd_create|shm_open|dlopen|dlm?sym|dlvsym|dladdr|dl_iterate_phdr|syscall|"
    r"p?writev?\d*|p?readv?\d*|send\w*|recv\w*|socket\w*|connect|bind|open(at)?(64)?|creat(64)?|"
    r"f?d?open(64)?|freopen(64)?|unlink|rename|mkdir|opendir|dup[23]?|fcntl(64)?|ioctl|close|"
    r"get(env|pid|ppid)|secure_getenv|setenv|putenv|unsetenv|environ|__environ|on_exit|"
    r"at_quick_exit|_exit|_Exit|quick_exit|setrlimit(64)?|prctl|unshare|mount|"
    r"_ZNSt1[34]basic_[io]?f(stream|ilebuf)\w*|_ZNSt10filesystem\w*)"
)

# Functions in C's name space, the allocator and namespace std; nvcc adds a few names of its own.
NOT_A_STUDENTS = re.compile(r"(?!_Z|__cuda|__fatbin|__nv)|_ZN?K?St|_Zn[wa]|_Zd[la]")

COMMENTS_AND_STRINGS = re.compile(
    r'R"([^\s()\\]{0,16})\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
INCLUDE_BEFORE = r"(#|%:)\s*(include|line|\d+)\s*$"
LINE_MARKER = re.compile(r'# (\d+) "([^"]*)"')


def find_forbidden(
    lab: Lab, source: str, expanded: str, symbols: str, reserved: str
) -> dict[str, str]:
    """For each stage that is rejected the sentence why.

    `expanded` is the file behind the preprocessor, where no macro hides a name; `symbols` is what
    `nm` says about its object file, `reserved` about the worker's own parts. A
    name counts wherever it stands: a helper serves every stage.
    """
    texts = (list(enumerate(_spliced(source).split("\n"), 1)), _own_lines(expanded, lab.source))
    system = _bad_symbol(symbols, reserved)
    found: dict[str, str] = {}
    for stage in lab.stages:
        rules = [rule for group in (ALWAYS, *stage.forbids) for rule in RULES[group]]
        reasons = [_first(rules, text, lab.source) for text in texts]
        if reason := next(filter(None, [*reasons, system]), ""):
            found[stage.name] = reason
    return found


def _first(rules: list[Rule], lines: list[tuple[int, str]], file: str) -> str:
    """The first line that breaks a rule, in words; "" if none does."""
    text = "\n".join(line for _, line in lines)
    text = COMMENTS_AND_STRINGS.sub(_blank, text)
    for rule in rules:
        if found := re.search(rule.pattern, text, re.MULTILINE):
            number = lines[text.count("\n", 0, found.start())][0]
            return f"{file}:{number}: `{' '.join(found[0].split())}`: {rule.reason}"
    return ""


def _blank(found: re.Match[str]) -> str:
    """A comment or string without its content; includes keep theirs, lines keep their number."""
    text = found[0]
    if text.startswith('"') and re.search(INCLUDE_BEFORE, found.string[: found.start()][-80:]):
        return text
    return '""' + "\n" * text.count("\n") if text[0] in "R\"'" else " " + "\n" * text.count("\n")


def _spliced(source: str) -> str:
    """Lines that end with a backslash are one line to a compiler; their number is kept."""
    return re.sub(r"((?:[^\n]*\\\n)+)([^\n]*)", lambda found: found[1].replace("\\\n", "")
                  + found[2] + "\n" * found[1].count("\n"), source)  # fmt: skip


def _own_lines(expanded: str, file: str) -> list[tuple[int, str]]:
    """The lines of preprocessed text that come from `file`, with their numbers there."""
    lines: list[tuple[int, str]] = []
    number, own = 1, False
    for line in expanded.split("\n"):
        if marker := LINE_MARKER.match(line):
            number, own = int(marker[1]), marker[2] == file or marker[2].endswith(f"/{file}")
            continue
        if own:
            lines.append((number, line))
        number += 1
    return lines or [(1, "")]


def _bad_symbol(symbols: str, reserved: str) -> str:
    """What the object file must not ask for, or define in place of the worker's own parts."""
    ours, theirs = _by_kind(reserved), _by_kind(symbols)
    for name in theirs["asked"] | theirs["defined"] | theirs["weak"]:
        plain = re.sub(r"(_chk|_2)?(@.*)?$", "", name.removeprefix("__"))
        if SYSTEM_CALLS.fullmatch(name) or SYSTEM_CALLS.fullmatch(plain):
            return f"the file names `{name}` of the operating system, which no kernel needs"
    ours_alone = ours["asked"] - ours["defined"] - ours["weak"]
    # Of two weak definitions the worker's is taken, for it is linked first.
    replaced = theirs["defined"] & (ours["asked"] | ours["defined"] | ours["weak"])
    replaced |= theirs["weak"] & ours_alone
    replaced |= {name for name in theirs["defined"] if NOT_A_STUDENTS.match(name)}
    return (
        f"the file defines `{min(replaced)}`, which is the grader's to define" if replaced else ""
    )


def _by_kind(symbols: str) -> dict[str, set[str]]:
    """Names by what nm's letter says: asked for, defined, or defined weakly as templates are.

    Entry points are asked for weakly (w): those are the submission's to define.
    """
    kinds: dict[str, set[str]] = {"asked": set(), "defined": set(), "weak": set()}
    for line in symbols.splitlines():
        fields = line.split()
        if len(fields) < 2 or len(fields[-2]) != 1:
            continue
        letter, name = fields[-2], fields[-1]
        if letter == "U":
            kinds["asked"].add(name)
        elif letter in "WVu":
            kinds["weak"].add(name)
        elif letter.isupper():
            kinds["defined"].add(name)
    return kinds
