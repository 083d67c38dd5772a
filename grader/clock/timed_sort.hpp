// Timing a sort of n shuffled keys in place: what the benches of several labs share.
#pragma once

#include <memory>
#include <vector>

#include "bench.hpp"
#include "sequence_check.hpp"
#include "timed_keys.hpp"

namespace warpwise {

/// What a BenchRegistration calls to prepare a sort by `entry(keys, n)`.
///
/// `sorted(values)` is the right answer, here to ascending keys, `in_order(a, b)` whether a may come before b, and
/// `baseline(values)` the sort on one CPU core that the entry is compared with.
template <typename Entry, typename Sorted, typename InOrder, typename Baseline>
auto time_sort(Entry entry, Sorted sorted, InOrder in_order, Baseline baseline) {
  return [=](std::size_t n, std::uint64_t seed) -> TimedCall {
    const auto timed = make_timed_keys<float>(n, seed);
    const auto verify = [timed, sorted, in_order](const Reply& reply) {
      require_sequence(reply, timed->keys.label, reply.buffer<float>("keys"),
                       sorted(timed->ascending), in_order);
    };
    return {prepare(entry, InOut("keys", timed->keys.values), n), verify,
            [timed, baseline] { baseline(timed->keys.values); }};
  };
}

}  // namespace warpwise
