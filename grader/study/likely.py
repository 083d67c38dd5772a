"""The likely cause of a failure, or facts that may help: what the other modules here know of it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..base.verdict import RACE
from . import (
    barriers,
    block_index,
    causes,
    counts,
    device_variables,
    exchanges,
    launch_size,
    loops,
    network,
    numbers,
    own_memory,
    paths,
    phases,
    places,
    records,
    shares,
    sizes,
    slips,
)

LONGEST_LINE = 2000  # characters of a source whose causes are looked for
# What the program itself printed is a part of a message, and could look like the judge's words.
PRINTED = re.compile(r"^the program printed in this call:\n(?:  .*(?:\n|\Z))*", re.MULTILINE)


@dataclass(frozen=True)
class Failure:
    """A failed stage of a result, with the source (its name is `file`) and what else is known.

    `found` is what the checker saw, `warnings` what the compiler said. `known` are the mistakes
    that are recorded for the lab, `kit` is the folder of its shared headers.
    """

    stage: Mapping[str, Any]
    file: str
    source: str
    found: str
    warnings: str
    known: tuple[causes.Mistake, ...]
    kit: Path = Path("labs/kit")


Ask = Callable[[Failure], Sequence[str]]


def _stage(ask: Callable[[Mapping[str, Any]], Sequence[str]]) -> Ask:
    return lambda failure: ask(failure.stage)


def _found(ask: Callable[[Mapping[str, Any], str], Sequence[str]]) -> Ask:
    return lambda failure: ask(failure.stage, failure.found)


def _source(ask: Callable[[Mapping[str, Any], str, str], Sequence[str]]) -> Ask:
    return lambda failure: ask(failure.stage, failure.file, failure.source)


# The surest first: the first that says something decides. Around each is what it looks at.
ASKED: tuple[Ask, ...] = (
    _stage(slips.too_long),
    _stage(slips.on_the_host),
    _source(loops.unending),
    _stage(slips.endless),
    _source(own_memory.not_freed),
    _source(device_variables.on_the_host),
    lambda failure: own_memory.in_the_kit(failure.stage, failure.source, failure.kit),
    lambda failure: loops.one_too_far(failure.stage, failure.found, failure.source),
    lambda failure: slips.before_the_first(failure.found),
    _source(launch_size.none),
    _source(network.strides),
    _source(barriers.missing),
    _source(barriers.without_any),
    lambda failure: causes.likely(failure.known, failure.stage, failure.source),
    _source(device_variables.set_to_zero),
    _source(launch_size.too_small),
    _source(counts.bytes_as_elements),
    _source(own_memory.size_of_a_pointer),
    _source(counts.not_set_again),
    _source(counts.strings_as_bytes),
    _source(slips.places_as_they_come),
    _source(slips.equals_nan),
    _source(block_index.forgotten),
    _source(block_index.miscounted),
    _source(shares.groups_miscounted),
    _source(shares.same_in_every_block),
    _source(shares.warps_overlap),
    _source(shares.lane_of_the_block),
    lambda failure: slips.without_value(
        failure.stage, failure.file, failure.source, failure.warnings
    ),
    _stage(slips.one_for_all),
    _found(slips.overwritten_stack),
    _source(slips.update_without_atomics),
    _source(barriers.in_one_line),
    _stage(slips.read_beside_atomics),
    _found(slips.shown),
    _stage(records.cause),
    _source(records.interleaved),
    _source(phases.cause),
    _source(exchanges.overlapping),
    lambda failure: slips.loop_of_another_length(failure.stage, failure.found, failure.source),
    _found(slips.one_past_the_end),
    _stage(slips.narrowed),
    _stage(numbers.number_for_bits),
    _found(slips.counted_in_elements),
    _source(counts.same_in_every_turn),
    _source(counts.own_lane),
    _stage(slips.same_place),
    _stage(places.same_rank),
    _stage(slips.equal_keys),
    _stage(slips.kept_its_place),
    _stage(slips.ranks_for_keys),
    _source(slips.wrote_what_nobody_set),
    _source(exchanges.lost),
    _stage(exchanges.left_behind),
    _source(exchanges.order_of_bits),
    _source(exchanges.nan_lost),
    _source(numbers.padded),
    _source(numbers.padding_counted),
    _stage(places.only_key_lost),
    _source(numbers.no_infinity),
    _stage(numbers.below_zero),
    _stage(paths.cause),
    _stage(slips.byte_zero),
    _stage(slips.only_with_nan),
    lambda failure: places.list_overflows(
        failure.stage, failure.found, failure.file, failure.source
    ),
    _found(places.beyond_the_end),
)


# What a race is asked that the checker saw where something else came of it.
OF_RACES: tuple[Ask, ...] = (
    _source(barriers.missing),
    _source(barriers.without_any),
    _source(shares.same_in_every_block),
    _source(shares.warps_overlap),
)


def is_by_hand(source: str) -> bool:
    """Whether a person may have written it; patterns may take minutes on very long lines."""
    return max(map(len, source.splitlines()), default=0) <= LONGEST_LINE


def cause(failure: Failure) -> Sequence[str]:
    """The likely cause, or two; nothing if none is sure enough."""
    failure = _without_output(failure)
    raced = replace(failure, stage={**failure.stage, "verdict": RACE,
                                    "message": f"seen: {failure.found}"})  # fmt: skip
    asked = [*((ask, failure) for ask in ASKED), *((ask, raced) for ask in OF_RACES)]
    return next((said for ask, one in asked if (said := ask(one))), ())


def facts(failure: Failure, contract: str) -> list[str]:
    """What may help without being a cause: a rule, how many launches, at which size it begins."""
    failure = _without_output(failure)
    stage, file, source = failure.stage, failure.file, failure.source
    fact = records.rule(stage) or phases.fact(stage) or launch_size.told(stage, file, source)
    of_sizes = sizes.told(stage, file, source, contract)
    return [one for one in (fact, of_sizes) if one]


def _without_output(failure: Failure) -> Failure:
    message = PRINTED.sub("", failure.stage["message"])
    return replace(failure, stage={**failure.stage, "message": message})
