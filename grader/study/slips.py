"""The likely cause of a failure that its own message shows: no other program is needed for it.

What ran without an end, what was launched or copied with a wrong number, which thread has no
element. causes.py knows mistakes by how other files failed.
"""

import re
from collections.abc import Mapping
from typing import Any

from ..base.text import counted
from ..base.verdict import CRASHED, RACE, TIMED_OUT, WRONG_ANSWER, WROTE_OUTSIDE
from . import block_index, causes, compiler_words

UPDATE = re.compile(r"[^+\-*/|&^=<>!][+\-*/|&^]=|\+\+|--")
NO_UPDATE = re.compile(r"//.*|\bfor\s*\([^;]*;[^;]*;(?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\]")
BEFORE_THE_FIRST = re.compile(
    r"(?:\[-1\] |, element -1:).* before its beginning|uses index -1 at .*, outside of the array"
)
INDEX_BELOW_0 = (
    "The index is -1. Either 1 was subtracted from 0, or the index comes from memory that nobody "
    "has set: memory of cudaMalloc and __shared__ memory are not 0 at the beginning, and read as "
    "-1 here."
)
SHOWN = (
    (re.compile(r" launches, but only the .* changes? something: at most "),
     "The loop goes on after an even and an odd phase without a change. Is the flag 0 before each "
     "launch, and is it understood the right way round?"),
    (re.compile(r"^(?:\w+::)*\w+\((?:[^()]*, )?0(?:, [^()]*)?\): .*: zero threads per block\b"),
     "A block of as many threads as there are elements has none if there are none. Where there is "
     "nothing to do, launch nothing."),
    (re.compile(r": zero threads per block\b"),
     "The number of threads in a block is 0. It is a fixed number, such as 256; n / 32 * 32 rounds "
     "down, and is 0 for a small n."),
    (re.compile(r": zero blocks\b"),
     "The number of blocks is 0. Where there is nothing to do, launch nothing. Where there is "
     "something, round up: n / threads rounds down, kit::ceil_div(n, threads) rounds up."),
    (re.compile(r" threads per block; at most "),
     "A block has 1,024 threads at most. If many blocks share the work, each has a fixed number, "
     "such as 256, and n decides how many blocks there are. If one block does it all, each of its "
     "threads takes several elements."),
    (re.compile(r": invalid access at \(nil\)"),
     "The pointer is null: nothing was assigned to it, or it is that of a buffer that was made for "
     "0 elements."),
    (re.compile(r"^(?!.*\bwarning: ).*__syncthreads\(\) at .* is reached by \d+ threads?, "
                r"\d+ of \d+ ha(?:s|ve) left the kernel"),
     "Some threads of the block returned before this barrier. Every thread must come to it: let "
     "those that have no element skip the work instead of leaving."),
    (re.compile(r"threads of one block wait at different __syncthreads\(\)"),
     "A __syncthreads() is inside an if or a loop that only some threads of the block go through. "
     "Every thread must come to the same one: close the if before it, and open it again after it."),
    (re.compile(r"dynamic shared memory \([\d,]+ bytes?\), element .* (?:past|across) its end"),
     "An array that is extern __shared__ is as large as the third number in <<<...>>> says, in "
     "bytes: n * sizeof(float) for n floats. If that number is right, the index is too large."),
    (re.compile(r"shared memory (?P<name>\w+)\[(?P<at>\d+)\]: .* reads what was never written in "
                r"this block"),
     "No thread of the block has stored {name}[{at}], and shared memory is not 0 at the beginning. "
     "Either the index is beyond what was loaded, or the store to it is missing."),
    (BEFORE_THE_FIRST, INDEX_BELOW_0),
    (re.compile(r"\bglobal memory.*(?:\w\[-\d+\]|, element -\d+).* before its beginning"),
     "The index is negative. If your formula can give that, compare the index with 0, not only "
     "with n. If it cannot, look where its numbers come from."),
    (re.compile(r"an array of type '[^']*\[(?P<size>\d+)\]': .*, thread \((?P<at>\d+),0,0\) uses "
                r"index (?P=at) at .*, outside of the array"),
     "The array has {size} elements, but thread {at} uses one of its own number: it needs one for "
     "every thread of the block."),
    (re.compile(r"an array of type '[^']*\[(?P<size>\d+)\]': .* uses index (?P=size) at .*, out"
                r"side of the array"),
     "The array has {size} elements, and its last index is one less. Either it is too small, or a "
     "loop or an index goes one too far."),
    (re.compile(r"\bshared memory (?P<name>\w+)\[(?P<at>\d+)\]: .* (?:reads|writes) \d+ bytes? pas"
                r"t its end"),
     "{name} ends before {name}[{at}]. Either it is too small, or the index is too large, or there "
     "are more threads than it has work for."),
    (re.compile(r"; blocks are not ordered within a launch$"),
     "Within a launch no block waits for another. Either two blocks get one element by a wrong "
     "index, or one step must be a launch of its own, or its result belongs in another array."),
    (re.compile(r"although the launch asked for no dynamic shared memory"),
     "An array that is extern __shared__ is as large as the launch says, in bytes: "
     "kernel<<<blocks, threads, bytes>>>(...)."),
    (re.compile(r"copy direction: \w+ given, the (?P<role>source|target) is device memory"),
     "The {role} is in device memory, as all that an entry point gets. From one buffer of the "
     "device to another: cudaMemcpyDeviceToDevice."),
    (re.compile(r"copy direction: HostToDevice given, the target is host memory"),
     "The target is a variable of the host. From the device to it: cudaMemcpyDeviceToHost."),
    (re.compile(r"copy direction: DeviceToHost given, the source is host memory"),
     "The source is a variable of the host. From it to the device: cudaMemcpyHostToDevice."),
    (re.compile(r"has fewer than the [\d,]+ bytes that are copied"),
     "cudaMalloc and cudaMemcpy count bytes: n * sizeof(float) for n floats. If the number is "
     "right, the memory was freed too early."),
    (re.compile(r"with the device's memory full: failed: .*cudaErrorMemoryAllocation"),
     "In this test the device has no memory left, and CUDA_CHECK gives the call up. Look at what "
     "cudaMalloc returns instead: the contract says what your function returns then."),
    (re.compile(r"with the device's memory full: .*: the pointer is null$"),
     "In this test the device has no memory left: cudaMalloc returns an error, and leaves the "
     "pointer as it was. Look at what it returns: the contract says what your function returns "
     "then."),
    (re.compile(r"which sizeInBytes tells, is smaller than one element"),
     "sizeInBytes counts bytes: n * sizeof(float) for n floats."),
    (re.compile(r"reads what was never written since cudaMalloc"),
     "Memory of cudaMalloc, DeviceBuffer and PoolBuffer is not 0 at the beginning. Either it must "
     "be set first, for example by cudaMemset, or this index is one that nobody has stored."),
    (re.compile(r"host memory: kernel (?P<kernel>\w+).*; a kernel can only use memory of the dev"),
     "{kernel} got an address in the host's memory: from new, malloc, a vector, or a variable "
     "there. Memory for kernels comes from cudaMalloc, or is a kit::DeviceBuffer. A kernel's "
     "parameter with & is such an address as well: leave the & out."),
    (re.compile(r"global memory (?P<name>\w+)\[(?P<at>[1-9]\d*)\] .*, block \(0,0,0\), thread "
                r"\((?P=at),0,0\) (?:reads|writes) \d+ bytes? past its end"),
     "Thread {at} has no element of {name}: the last block is seldom full. Compare a thread's "
     "index with the number of elements: if there is none for it, it has nothing to do."),
)  # fmt: skip
PAST_THE_LAST = re.compile(
    r"(?<!shared )memory (?P<name>\w+)\[(?P<at>\d+)\] \((?P<bytes>\d+) bytes?\): .* "
    r"(?P<does>reads|writes) (?P<width>\d+) bytes? past its end"
)
READ_PAST = (
    "{name}[{at}] is one after the last element. Either a loop goes on to n (< n is right, <= n is "
    "not), or an index such as i + 1 is not compared with n, or there is nothing for this thread, "
    "or another index is meant."
)
WRITTEN_PAST = (
    "{name}[{at}] is one after the last place. Either a count is one too large (it begins with 1, "
    "or it counts with <= instead of <), or n - i is written for n - 1 - i, or the index is "
    "another one than is meant."
)
PLACE_AFTER = re.compile(r" at [\w.-]+:(?P<line>\d+)")
LOOP_TO_A_SIZE = re.compile(
    r"\bfor\s*\([^;]*;(?P<test>\s*(?P<index>\w+)\s*<=?\s*(?:blockDim|gridDim|warpSize|sizeof)\b"
    r"[^;]*);"
)
LOOP_IS_NEAR = 4  # lines before the read
OF_DOUBLES = re.compile(r"^[\w:]*doubles?\(")
# "dist[0] = X, should be Y", "of weight X, should be {0, 1} of weight Y"
WRONG_NUMBER = re.compile(
    r"(?:= |of weight )(?P<got>[\d.]+(?:e[+-]?\d+)?), should be (?:\{.*?\} of weight )?"
    r"(?P<due>[\d.]+(?:e[+-]?\d+)?)"
)
SEVEN_DIGITS = 2.0**-21  # what is lost if some numbers of a sum go through floats
ACROSS = re.compile(
    r"global memory.*?\((?P<bytes>\d+) bytes?\).* (?:reads|writes) (?P<width>\d+) bytes? across "
    r"its end"
)
BOTH_WRITE = re.compile(r"; both write this element, and chance decides which value stays$")
GIVEN_KEYS = re.compile(r" on the (?:article's )?keys (?P<keys>[^:]+): ")
EQUAL_KEYS = re.compile(r"^[^\n]*: equal keys changed places; ")
WITH_NAN = re.compile(r"\bon (\d+) keys with NaN\b")
A_LIST = re.compile(r"-?[\d.]+(?:, -?[\d.]+)*")  # of numbers, and no words after it
FEWEST_RANKS = 3  # that are no chance
FEW = 64  # keys: an order that is wrong for NaN is wrong for few keys
UNSET_VALUE = "nan(0xffffffff)"  # what memory holds that nobody has written
WRITTEN_UNSET = f"so the call wrote {UNSET_VALUE}"
NAN_CHANGED = re.compile(r"wrong set of values: nan\(0x\w+\).* occurs once in the input and not at "
                         r"all in the output; .*: got nan\(0x")  # fmt: skip
TWO_NANS = re.compile(r"^bitonic::.*: not in order: nan\((0x\w{8})\) at index \d+ comes before "
                      r"nan\((0x\w{8})\);")  # fmt: skip
SIGN = 1 << 31
# The bits of a padding.
OWN_ONES = re.compile(r"0[xX][fF]{2}(?:[fF]{6})?\b|~0u?\b|\bUINT_MAX\b|\b-1\s*,")
ZERO_BYTE = re.compile(r'not in order: "(.*)" at index \d+ comes before "(.*)"; ')
MOST = 1 << 30  # elements, by every contract
ON_THE_HOST = re.compile(r"[(,]\s*(\w+) on the host\b")
EARLY_NAN = re.compile(r"^bitonic::.*: not in order: nan\(0x[89a-f]\w{7}\) at index \d+ comes "
                       r"before (?!nan)")  # fmt: skip
READ_BESIDE_ATOMICS = re.compile(
    r": global memory (?P<element>\w+\[\d+\]) (?=.* updates atomically at )(?=.* reads at )"
)
WITHOUT_LINE = re.compile(
    r"kernel .*: invalid access at (?:0x\w+|\(nil\)|an address that cannot exist)$", re.MULTILINE
)
ONE_FOR_ALL = re.compile(r"\bshared memory (?P<name>\w+): kernel ")
UNSET = re.compile(r"‘(?P<name>\w+(?:\.\w+)?)’ (?:may be|is) used uninitialized")
EQUALS_NAN = re.compile(r"[=!]=\s*(?:NAN|CUDART_NAN_F?)\b|\b(?:NAN|CUDART_NAN_F?)\s*[=!]=")
LAUNCHING = re.compile(
    r"the host was still launching kernels: (?P<launches>\d+) launches in (?P<seconds>[\d.]+) s so "
    r"far, the last one of (?P<kernel>.+)$", re.MULTILINE
)  # fmt: skip
BY_ORDER = "the answer depends on the order in which the threads run"
# An edge of another vertex than is due there; in a small graph threads come in order.
OTHER_EDGE = re.compile(r"edges\w*\(.*?, \d+, (?P<arcs>\d+), .*: edge \d+ is \{(?P<got>\d+), \d+\} "
                        r"of .*, should be \{(?P<due>\d+), ")  # fmt: skip
ARCS_OF_A_BLOCK = 1024
TAKES_A_PLACE = re.compile(r"(?:[^=!<>]=|[\[(,]|\breturn\b)\s*atomicAdd\s*\(")
LONG_LAUNCH = 2e-3  # seconds; the launch of a step or a phase takes less
ENDLESS = (
    (re.compile(r"kernel (?P<kernel>.+) was still running \("),
     "A loop in {kernel} never ends, or a thread waits for another one that cannot go on. Look at "
     "what each of its loops counts, and at what the loop compares that with."),
    (re.compile(r"no kernel was running: .* after launch \d+, of (?P<kernel>.+)$"),
     "A loop on the host never ends; the last kernel before it was {kernel}."),
)  # fmt: skip
Table = tuple[tuple[re.Pattern[str], str], ...]


def endless(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """What did not end, if the program said so when it was stopped. That it knows, where a record
    of another program that took too long would be a guess."""
    if stage["verdict"] != TIMED_OUT:
        return ()
    if launching := LAUNCHING.search(stage["message"]):
        return (_many_launches(**launching.groupdict()),)
    return _first(ENDLESS, stage["message"])


def _many_launches(launches: str, seconds: str, kernel: str) -> str:
    of_each = float(seconds) / max(int(launches), 1)
    if of_each < LONG_LAUNCH:
        return (f"A loop on the host launches {kernel} without end. Look at what ends it: each "
                "launch changes something again, or a flag says \"changed\" although nothing did, "
                "is not reset, or is compared with the wrong number.")  # fmt: skip
    return (f"Each of the {launches} launches took {1000 * of_each:.3g} ms, long for one step of "
            f"many. Does {kernel} do in one launch what all together should do, such as a loop "
            "over all steps? If not, look at what ends the loop on the host.")  # fmt: skip


def shown(stage: Mapping[str, Any], found: str) -> tuple[str, ...]:
    """What the message says of a launch, a copy or a thread; `found` is what the checker saw."""
    return _first(SHOWN, f"{stage['message']}\n{found}")


def _first(table: Table, message: str) -> tuple[str, ...]:
    for pattern, cause in table:
        for line in message.splitlines():
            if match := pattern.search(line):
                return (cause.format(**match.groupdict()),)
    return ()


def loop_of_another_length(
    stage: Mapping[str, Any], found: str, source: str
) -> tuple[str, ...]:  # fmt: skip
    """The cause of a read past the end in a loop to the size of a block, a grid or a type."""
    past = PAST_THE_LAST.search(f"{found}\n{stage['message']}")
    if not past or not (place := PLACE_AFTER.match(past.string, past.end())):
        return ()
    lines = [line.partition("//")[0] for line in source.split("\n")[: int(place["line"])]]
    used = "\n".join(lines[-1:])
    for number in range(len(lines), max(len(lines) - LOOP_IS_NEAR, 0), -1):
        loop = LOOP_TO_A_SIZE.search(lines[number - 1])
        if loop and re.search(rf"\b{past['name']}\[{loop['index']}\]", used):
            address = " (sizeof of a pointer is the size of an address)"
            return (f"The loop in line {number} goes on while {loop['test'].strip()}. That is not "
                    f"how many elements {past['name']} has"
                    f"{address if 'sizeof' in loop['test'] else ''}.",)  # fmt: skip
    return ()


def one_past_the_end(stage: Mapping[str, Any], found: str) -> tuple[str, ...]:
    """The cause of an access to the place after the last one of a buffer."""
    past = PAST_THE_LAST.search(f"{stage['message']}\n{found}")
    if not past or int(past["at"]) * int(past["width"]) != int(past["bytes"]):
        return ()
    cause = READ_PAST if past["does"] == "reads" else WRITTEN_PAST
    return (cause.format(name=past["name"], at=past["at"]),)


def counted_in_elements(stage: Mapping[str, Any], found: str) -> tuple[str, ...]:
    """The cause of an element that is only partly in its buffer."""
    across = ACROSS.search(f"{stage['message']}\n{found}")
    if not across or int(across["bytes"]) % int(across["width"]) == 0:
        return ()
    size = counted(int(across["bytes"]), "byte")
    return (f"The buffer has {size}, and an element has {across['width']}: "
            "cudaMalloc counts bytes, n * sizeof(float) for n floats.",)  # fmt: skip


def same_place(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of two threads that store to one place, if keys that differ are right."""
    first, *others = stage["message"].splitlines() or [""]
    if stage["verdict"] != RACE or not BOTH_WRITE.search(first):
        return ()
    if not any(re.search(r" on [\d,]+ equal keys\b", line) for line in others):
        return ()
    return ("It is wrong where keys are equal: two of them get one place. Of two equal keys one "
            "counts the other, and the other does not: by their indices, or by < on one side and "
            "<= on the other.",)  # fmt: skip


def before_the_first(found: str) -> tuple[str, ...]:
    """The cause where the checker saw an index of -1: a record of another file's message does not
    know what the checker saw there."""
    return (INDEX_BELOW_0,) if BEFORE_THE_FIRST.search(found) else ()


def kept_its_place(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of an output in which each key is where it was in the input, if the message tells
    the whole input."""
    first, *rows = stage["message"].splitlines() or [""]
    given = GIVEN_KEYS.search(first)
    if stage["verdict"] != WRONG_ANSWER or not given or causes.UNCHANGED in rows:
        return ()
    if given["keys"].split(", ") not in [row.split()[1:] for row in rows[1:2]]:
        return ()
    return ("Each key came out at the index where it came in. Is the place that was found also the "
            "index of the store?",)  # fmt: skip


def ranks_for_keys(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of an output that holds the ranks, if the message tells the whole input."""
    first, *rows = stage["message"].splitlines() or [""]
    given = GIVEN_KEYS.search(first)
    if stage["verdict"] != WRONG_ANSWER or not given or not A_LIST.fullmatch(given["keys"]):
        return ()
    keys = [float(key) for key in given["keys"].split(", ")]
    ranks = [str(sum(other < key for other in keys)) for key in keys]
    got, due = ([row.split()[1:] for row in rows[1:3]] + [[], []])[:2]
    if len(got) < FEWEST_RANKS or got != ranks[: len(got)] or got == due:
        return ()
    return ("The output holds ranks: at each index the rank of the key that came in there. A rank "
            "is the place of its key: out[rank] = key.",)  # fmt: skip


def equal_keys(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of an order that is wrong among equal keys alone."""
    if stage["verdict"] != WRONG_ANSWER or not EQUAL_KEYS.search(stage["message"]):
        return ()
    return ("Equal keys must keep their order, and 0 equals -0: the one with the smaller index "
            "comes first. Neighbours that are equal do not change places.",)  # fmt: skip


def only_with_nan(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of a failure whose first input has NaN: without NaN, that size was right."""
    message = stage["message"]
    found = WITH_NAN.search(message)
    if stage["verdict"] not in (WRONG_ANSWER, RACE) or not found:
        return ()
    if WRITTEN_UNSET in message:  # this NaN is no key
        return ()
    if NAN_CHANGED.search(message.partition("\n")[0]):
        return ("A NaN came out with other bits. Store each key as it was read: NAN, arithmetic "
                "and conversions make another NaN.",)  # fmt: skip
    if int(found[1]) > FEW:
        return ()
    if EARLY_NAN.search(message):
        return ("A NaN with a sign bit comes too early: here it is the last of all keys. By its "
                "bits, as an integer, it comes before -inf.",)  # fmt: skip
    if both := TWO_NANS.search(message):
        return _order_of_nans(int(both[1], 16), int(both[2], 16))
    return ("The first input that fails has NaN. What does your order say if one of two keys is "
            "NaN, and if both are?",)  # fmt: skip


def _order_of_nans(before: int, after: int) -> tuple[str, ...]:
    """The rule that two NaN in the wrong order break, in the total order of floats."""
    if (before ^ after) & SIGN:
        return ("Both keys are NaN, and they differ in their sign bits: the one with a sign bit "
                "(0x8... to 0xf...) comes after the one without.",)  # fmt: skip
    if before & SIGN:
        return ("Both keys are NaN with a sign bit: of these, as of all negative keys, the one "
                "with the larger bits comes first.",)  # fmt: skip
    return ("Both keys are NaN without a sign bit: of these, as of all positive keys, the one "
            "with the smaller bits comes first.",)  # fmt: skip


def too_long(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of whatever happens in a call that had to be refused."""
    call = re.match(r"[\w:]+\((.*?)\)", stage["message"])
    numbers = [int(one) for one in re.findall(r"\b\d{10,}\b", call[1])] if call else []
    most = max(numbers, default=0)
    if stage["verdict"] not in (CRASHED, TIMED_OUT, WROTE_OUTSIDE) or most <= MOST:
        return ()
    return (f"{most} elements are more than the contract allows: such a call must be refused "
            "before anything is launched.",)  # fmt: skip


def on_the_host(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of whatever happens in a call with a pointer that had to be refused."""
    call = re.match(r"[\w:]+(\(.*?\))", stage["message"])
    found = ON_THE_HOST.search(call[1]) if call else None
    if stage["verdict"] not in (CRASHED, RACE, WROTE_OUTSIDE) or not found:
        return ()
    return (f"In this test {found[1]} is a pointer into the host's memory. Such a call must be "
            "refused before anything is launched: ask cudaPointerGetAttributes for each "
            "pointer.",)  # fmt: skip


def read_beside_atomics(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of a race of a plain read with other threads' atomics."""
    found = READ_BESIDE_ATOMICS.search(stage["message"].partition("\n")[0])
    if stage["verdict"] != RACE or not found:
        return ()
    return (f"{found['element']} is read while other threads change it by atomics. If each value "
            "that it has had will do, read it through a pointer to const volatile. If it must be "
            "the last one, something has to wait first: a barrier, or a launch of its own.",)


def narrowed(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of a double that is right in its first seven digits."""
    first = stage["message"].partition("\n")[0]
    found = WRONG_NUMBER.search(first)
    if stage["verdict"] != WRONG_ANSWER or not OF_DOUBLES.match(first) or not found:
        return ()
    got, due = float(found["got"]), float(found["due"])
    if got == due or abs(got - due) > SEVEN_DIGITS * abs(due):
        return ()
    return (f"{found['got']} and {found['due']} differ after the seventh digit alone: so much a "
            "float holds. Between the input and the result some variable, parameter or literal is "
            "a float.",)  # fmt: skip


def byte_zero(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of a wrong order of two strings that differ only after a byte 0."""
    found = ZERO_BYTE.search(stage["message"].partition("\n")[0])
    if stage["verdict"] != WRONG_ANSWER or not found:
        return ()
    one, other = (text.partition("\\x00") for text in found.groups())
    if one[:2] != other[:2] or not one[1] or "..." in found[1] + found[2]:
        return ()
    return ("The two strings are alike up to a byte 0. Here it is a byte like others, and ends no "
            "string.",)  # fmt: skip


def wrote_what_nobody_set(
    stage: Mapping[str, Any], file: str = "", source: str = ""
) -> tuple[str, ...]:
    """The cause of a result that holds what memory holds at the beginning; none if the stage's own
    code may have written the same bits, as a padding."""
    if stage["verdict"] != WRONG_ANSWER or WRITTEN_UNSET not in stage["message"].partition("\n")[0]:
        return ()
    if OWN_ONES.search(block_index.of_stage(source, file, stage["name"])):
        return ()
    return (f"{UNSET_VALUE} is what memory of cudaMalloc and __shared__ memory hold until somebody "
            "writes there. A thread reads an element that nobody has stored: there are too few "
            "threads to store all, or the index of the read, or of the store, is another one than "
            "is meant.",)  # fmt: skip


def overwritten_stack(stage: Mapping[str, Any], found: str) -> tuple[str, ...]:
    """The cause of a crash whose line nobody knows: the walk up the stack found none."""
    if stage["verdict"] != CRASHED or found or not WITHOUT_LINE.search(stage["message"]):
        return ()
    return ("No line is known: mostly, such a kernel has overwritten its own stack. Look whether "
            "an index of a local array can be too large, or less than 0.",)  # fmt: skip


def one_for_all(stage: Mapping[str, Any]) -> tuple[str, ...]:
    """The cause of a race about a shared variable that is no array."""
    race = ONE_FOR_ALL.search(stage["message"].partition("\n")[0])
    if stage["verdict"] != RACE or not race:
        return ()
    return (f"{race['name']} is one variable for all threads of the block. If each thread needs "
            "its own, leave out __shared__. If not, a barrier is missing.",)  # fmt: skip


def equals_nan(stage: Mapping[str, Any], where: str, source: str) -> tuple[str, ...]:
    """The cause of wrong places, if the stage's own code asks whether something equals NAN."""
    code = block_index.of_stage(source, where, stage["name"])
    if stage["verdict"] not in (WRONG_ANSWER, RACE, WROTE_OUTSIDE) or not EQUALS_NAN.search(code):
        return ()
    return ("Nothing equals NAN, not even another NAN: x == NAN is always false. isnan(x) asks "
            "whether x is one.",)  # fmt: skip


def places_as_they_come(stage: Mapping[str, Any], where: str, source: str) -> tuple[str, ...]:
    """The cause of another order than is due, if the stage takes places from an atomicAdd."""
    first = stage["message"].partition("\n")[0]
    edge = OTHER_EDGE.search(first)
    is_late = edge and edge["got"] != edge["due"] and int(edge["arcs"]) > ARCS_OF_A_BLOCK
    by_order = stage["verdict"] == RACE and BY_ORDER in first
    if not (by_order or (stage["verdict"] == WRONG_ANSWER and is_late)):
        return ()
    for number, text in block_index.numbered_code(stage, where, source).items():
        if TAKES_A_PLACE.search(text):
            return (f"atomicAdd in line {number} gives places in the order in which threads come, "
                    "and that is another one in every run. A place in a fixed order is a sum: of "
                    "how many come before.",)  # fmt: skip
    return ()


def without_value(stage: Mapping[str, Any], file: str, source: str, said: str) -> tuple[str, ...]:
    """The cause of a failure, if the compiler warned that the stage uses a variable too early."""
    lines = block_index.lines_of_stage(source, file, stage["name"])
    for warning in compiler_words.parse(said):
        found = UNSET.search(warning.text)
        if found and warning.file == file and warning.line in lines:
            return (f"{found['name']} may be used before it has a value (line {warning.line}). "
                    "Give it one where it is declared, such as = 0.",)  # fmt: skip
    return ()


def update_without_atomics(stage: Mapping[str, Any], file: str, source: str) -> tuple[str, ...]:
    """The cause of a race of one line with itself, if that line of `source`, which is called
    `file`, reads what it writes."""
    first = stage["message"].partition("\n")[0]
    numbers = re.findall(rf"\b{re.escape(file)}:(\d+)", first)
    lines = source.splitlines()
    if stage["verdict"] != RACE or len(numbers) != 2 or len(set(numbers)) != 1:
        return ()
    at = int(numbers[0])
    if not (1 <= at <= len(lines) and UPDATE.search(NO_UPDATE.sub("", lines[at - 1]))):
        return ()
    return ("Several threads change one element here, and updates get lost: atomics, such as "
            "atomicAdd, lose none.",)  # fmt: skip
