"""Which stage reaches what it forbids: a library's sort, or memory and work shared with the host.

The file is compiled once more without inlining, so that every function and every instance of a
template is a section of its own. Which of them a stage reaches is read from the object file: from
its entry point along every reference to a function or a variable. By then the compiler has resolved
aliases, macros and overloads. A function that no stage reaches costs no stage anything.

In the optimised file some functions have been inlined. It is searched as well, because a program
may differ where it is not optimised.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from ..lab_file.entry_points import owner
from ..lab_file.manifest import HOST_WORK, HOST_WORK_BUT_FLAGS, LIBRARY_SORT, Lab, Stage
from .elf import FIRST_RESERVED, FUNCTION, INIT_ARRAY, LOCAL, UNDEFINED, ObjectFile
from .names import REMEMBERED, spelled
from .places import Places
from .vocabulary import is_common, is_for_kernels, is_for_pointers, is_of_strings

# std's functions for sorting, and the parts that they are made of.
_SORTS = (
    "sort|stable_sort|partial_sort|partial_sort_copy|nth_element|make_heap|push_heap|pop_heap|"
    "sort_heap|merge|inplace_merge"
)
_PARTS = (
    "__sort|__stable_sort|__introsort_loop|__introselect|__final_insertion_sort|__insertion_sort|"
    "__unguarded_insertion_sort|__unguarded_linear_insert|__partial_sort|__partial_sort_copy|"
    "__heap_select|__make_heap|__adjust_heap|__push_heap|__pop_heap|__sort_heap|__merge|"
    "__merge_adaptive|__merge_adaptive_resize|__merge_without_buffer|__merge_sort_with_buffer|"
    "__merge_sort_loop|__chunk_insertion_sort|__move_merge|__move_merge_adaptive|"
    "__move_merge_adaptive_backward|__inplace_merge|__inplace_stable_sort|__stable_sort_adaptive|"
    "__stable_sort_adaptive_resize|__nth_element"
)
_FUNCTION_OF_STD = re.compile(r"_ZSt(\d{1,3})(\w+)")
_STD_NAMES = frozenset((*_SORTS.split("|"), *_PARTS.split("|")))
# How names begin. Theirs may be a mebibyte long: at no place more than one way to go on is tried.
_OTHER_SORTS = re.compile(
    rf"_ZNK?St6ranges\d+__(?:{_SORTS})_fn|_ZNK?St8__detail\d+__(?:{_SORTS})|"
    r"_ZNSt(?:7__cxx11)?(?:4list|12forward_list)I.+E(?:4sort|5merge)|"
    # trees that keep floats, or equal keys, in order
    r"_ZNSt8_Rb_treeI(?:[fde]|K[fde])|_ZNSt8_Rb_treeI.+E(?:15_M_insert_equal|"
    r"16_M_emplace_equal|\d{1,3}_M_emplace_hint_equal|\d{1,3}_M_insert_equal_)|"
    r"_ZNK?14__gnu_parallel|_ZNK?5__pstl|_ZNK?St10__parallel|_ZNK?3tbb",
    re.DOTALL,
)
# The CPU backend's own cub asks its runtime for two functions, also where the rest is inlined.
_DEVICE_LIBRARY = re.compile(
    r"_ZNK?[VK]*(?:6thrust|3cub|10moderngpu|4mgpu)|"
    r"_ZN11cuda_on_cpu(?:16break_block_size|13too_few_bytes)"
)
_C_SORTS = frozenset(("qsort", "qsort_r"))
_SHARED_WITH_HOST = frozenset(
    ("cudaMallocManaged", "cudaHostRegister", "cudaLaunchHostFunc", "cudaStreamAddCallback",
     "cudaGraphAddHostNode", "__cudaRegisterManagedVar", "cuda_on_cpu::allocate_for_library")
)  # fmt: skip

STANDARD = "the standard library sorts here, and the stage asks for your own kernels"
DEVICE = (
    "a library of kernels works here, and the stage asks for your own: nothing of thrust or CUB, "
    "scans and sums included"
)
HOST = (
    "memory or work that kernels share with the host, where kernels do the work alone; copy what "
    "the host needs, at most a flag, with cudaMemcpy"
)
KERNEL = (
    "a kernel calls this function of the host, or can do so through a pointer, which nvcc does not "
    "compile: write what it does as a `__device__` function, or let the host call it"
)
CHILD = (
    "a kernel launches a kernel, which nvcc takes with -rdc=true alone; a submission is compiled "
    "without it: let the host launch it"
)
POINTER = (
    "the address of a function of the library that stores where its caller wants, so that a kernel "
    "can call it unseen: call it by its name, or write a function of your own"
)
# The loop over a kernel's threads on the CPU backend; each kernel is called from one of these.
_RUNS_KERNEL = re.compile(r"_ZN11cuda_on_cpu11run_threadsI\w+")
_LAUNCHES = re.compile(r"_ZN11cuda_on_cpu8run_gridE\w+")


@lru_cache(REMEMBERED)
def objection(symbol: str, groups: tuple[str, ...]) -> str:
    """Why a stage that forbids `groups` may not reach `symbol`; "" if it may."""
    base = symbol.partition(".")[0]  # what follows says what the compiler has made of it
    if LIBRARY_SORT in groups:
        if base in _C_SORTS or _is_of_std(base) or _OTHER_SORTS.match(base):
            return STANDARD
        if _DEVICE_LIBRARY.match(base):
            return DEVICE
    return HOST if _shares(groups) and spelled(base) in _SHARED_WITH_HOST else ""


def _shares(groups: tuple[str, ...]) -> bool:
    """Whether kernels do the work alone, so that it matters what they share with the host."""
    return HOST_WORK in groups or HOST_WORK_BUT_FLAGS in groups


def _not_in_a_kernel(symbol: str) -> str:
    """Why a kernel does not call it; "" if it may."""
    if _LAUNCHES.fullmatch(symbol):
        return CHILD
    return KERNEL if is_common(symbol) and not is_for_kernels(symbol) else ""


def _not_pointed_to(symbol: str) -> str:
    """Why a function that a kernel could reach through a pointer, but is likely the host's, does
    not call it. Of one that a kernel was seen to enter as little is allowed as of a kernel."""
    allowed = is_for_kernels(symbol) or is_for_pointers(symbol) or is_of_strings(symbol)
    return KERNEL if is_common(symbol) and not allowed else ""


def _pointed_at(symbol: str) -> str:
    """Why the address of a library's function is not to be taken; "" if it may be."""
    return POINTER if is_common(symbol) and not is_for_pointers(symbol) else ""


def _is_of_std(symbol: str) -> bool:
    match = _FUNCTION_OF_STD.fullmatch(symbol)
    return match is not None and match[2][: int(match[1])] in _STD_NAMES


@dataclass(frozen=True)
class Find:
    """A forbidden name, and the functions from the entry point to it."""

    symbol: str
    reason: str
    path: tuple[str, ...]


class CallGraph:
    """Sections of an object file, by what they refer to. Each function has its own section."""

    def __init__(self, file: ObjectFile, device: Mapping[str, Iterable[str]] | None = None) -> None:
        """`device` has the functions that a kernel calls on a GPU."""
        self._file = file
        self._device = device or {}
        self._names: dict[int, list[str]] = {}
        self._at: dict[str, int] = {}
        for symbol in file.symbols:
            if UNDEFINED < symbol.section < FIRST_RESERVED and symbol.kind == FUNCTION:
                self._names.setdefault(symbol.section, []).append(symbol.name)
                if symbol.binding != LOCAL:
                    self._at[symbol.name] = symbol.section

    def find(self, entries: Iterable[str], groups: tuple[str, ...]) -> Find | None:
        """The first thing that `groups` forbid on the way from the entry points.

        What gives variables their first value runs for every stage, and counts for each.
        """
        initialisers = [i for i, section in enumerate(self._file.sections)
                        if section.kind == INIT_ARRAY]  # fmt: skip
        came_from = self._reached(entries, initialisers)
        for section in came_from:
            for name in self._names.get(section, []):
                for used in (name, *self._device.get(name, ())):
                    if reason := objection(used, groups):
                        return Find(used, reason, self._path(came_from[section], came_from))
            for reference in self._file.relocations.get(section, []):
                symbol = self._file.symbols[reference.symbol]
                if symbol.section != UNDEFINED:
                    continue
                reason = objection(symbol.name, groups)
                if not reason and not reference.is_call and _shares(groups):
                    reason = _pointed_at(symbol.name)
                if reason:
                    return Find(symbol.name, reason, self._path(section, came_from))
        return None

    def _reached(self, entries: Iterable[str], sections: Iterable[int] = ()) -> dict[int, int]:
        """Every section on the way from the entry points and from `sections`, by what led there."""
        starts = [self._at[entry] for entry in entries if entry in self._at]
        came_from = dict.fromkeys((*starts, *sections), -1)
        waiting = list(came_from)
        for section in waiting:  # grows while it is read
            for reference in self._file.relocations.get(section, []):
                used = self._file.symbols[reference.symbol].section
                if UNDEFINED < used < FIRST_RESERVED and used not in came_from:
                    came_from[used] = section
                    waiting.append(used)
        return came_from

    def find_in_kernels(self, entries: Iterable[str]) -> Find | None:
        """The first function of the host, or launch, that a kernel of these entry points calls."""
        return self._first_of_host(self._from_kernels(entries), _not_in_a_kernel)

    def find_through_pointers(
        self, entries: Iterable[str], callers: Collection[str]
    ) -> Find | None:
        """The first function of the host that a kernel of these entry points could call, if one of
        `callers` is of a kernel: they call others through pointers."""
        of_kernels = self._from_kernels(entries)
        if not any(name in callers for at in of_kernels for name in self._names.get(at, [])):
            return None
        return self._first_of_host(self._reached((), self._pointed_at(entries)), _not_pointed_to)

    def find_in(self, functions: Collection[str]) -> Find | None:
        """The first function of the host that these call, which a kernel calls through pointers."""
        sections = [at for at, names in self._names.items() if not set(names).isdisjoint(functions)]
        return self._first_of_host(self._reached((), sections), _not_in_a_kernel)

    def knows(self, functions: Iterable[str]) -> bool:
        """Whether one of these names is of the file."""
        return any(name in functions for names in self._names.values() for name in names)

    def asks_for(self, prefix: str) -> bool:
        return any(symbol.name.startswith(prefix) for symbol in self._file.asked)

    def _from_kernels(self, entries: Iterable[str]) -> dict[int, int]:
        return self._reached((), [i for i in self._reached(entries) if self._runs_kernel(i)])

    def _first_of_host(
        self, came_from: Mapping[int, int], against: Callable[[str], str]
    ) -> Find | None:
        for section in came_from:
            for reference in self._file.relocations.get(section, []):
                symbol = self._file.symbols[reference.symbol]
                if symbol.section == UNDEFINED and (reason := against(symbol.name)):
                    return Find(symbol.name, reason, self._path(section, came_from))
        return None

    def _pointed_at(self, entries: Iterable[str]) -> Iterator[int]:
        """The functions whose addresses are taken on the way from the entry points."""
        for section in self._reached(entries):
            for reference in self._file.relocations.get(section, []):
                used = self._file.symbols[reference.symbol].section
                if not reference.is_call and used in self._names:
                    yield used

    def _runs_kernel(self, section: int) -> bool:
        """By its function's name, or by its own, which an attribute may have given it."""
        name = self._file.sections[section].name.removeprefix(".text.")
        return any(_RUNS_KERNEL.match(one) for one in (name, *self._names.get(section, [])))

    def _path(self, section: int, came_from: dict[int, int]) -> tuple[str, ...]:
        path: list[str] = []
        while section >= 0:
            path += self._names.get(section, [])[:1]
            section = came_from[section]
        return tuple(reversed(path))


def forbidden_by_stage(
    lab: Lab,
    files: Iterable[ObjectFile],
    entries: Iterable[str],
    places: Places,
    device: Mapping[str, Iterable[str]],
    kernels: Iterable[ObjectFile] = (),
) -> dict[str, str]:
    """For each stage that reaches what it forbids the sentence why. `kernels` are the files that
    show what kernels call, if they are others: if functions have a body for each side."""
    graphs = [CallGraph(file, device) for file in files]
    of_kernels = [CallGraph(file) for file in kernels] or graphs
    found: dict[str, str] = {}
    for stage in lab.stages:
        of_stage = entries_of(lab, stage, entries)
        finds = chain((graph.find(of_stage, stage.forbids) for graph in graphs),
                      (graph.find_in_kernels(of_stage) for graph in of_kernels))  # fmt: skip
        if find := next((find for find in finds if find), None):
            found[stage.name] = sentence(lab, find, places)
    return found


def sentence(lab: Lab, find: Find, places: Places) -> str:
    """Where a function is used without being called, its user tells more than the file."""
    user = f"{lab.source}: in `{spelled(find.path[-1])}`" if find.path else lab.source
    return f"{places.of(find.path, find.symbol) or user}: `{known_as(find.symbol)}`: {find.reason}"


def known_as(symbol: str) -> str:
    """The name by which the submission may have used it: a map is a tree inside the library."""
    if _LAUNCHES.fullmatch(symbol):
        return "<<<...>>>"
    name = re.sub(r"::__(\w+)_fn$", r"::\1", spelled(symbol))
    if name in ("std::list", "std::forward_list"):
        return f"{name}::sort"
    return "std::set, std::map" if name == "std::_Rb_tree" else name


def entries_of(lab: Lab, stage: Stage, entries: Iterable[str]) -> list[str]:
    """The stage's entry points among the contract's, by symbol. What no stage has is called for all
    of them."""
    owners = {entry: owner(lab, spelled(entry).rpartition("::")[2]) for entry in entries}
    return sorted(entry for entry, of in owners.items() if of in (stage.name, ""))
