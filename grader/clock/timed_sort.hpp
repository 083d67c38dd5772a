// Timing a sort of n shuffled keys in place: what the benches of several labs share.
#pragma once

#include <memory>
#include <vector>

#include "bench.hpp"
#include "inputs.hpp"
#include "sequence_check.hpp"

namespace warpwise {

/// What a BenchRegistration calls to prepare a sort by `entry(keys, n)`.
///
/// `sorted(values)` is the right answer, `in_order(a, b)` whether a may come before b, and
/// `baseline(values)` the sort on one CPU core that the entry is compared with.
template <typename Entry, typename Sorted, typename InOrder, typename Baseline>
auto time_sort(Entry entry, Sorted sorted, InOrder in_order, Baseline baseline) {
  return [=](std::size_t n, std::uint64_t seed) -> TimedCall {
    const auto keys =
        std::make_shared<const Keys>(make_labelled(datasets::KeyShape::shuffled, n, seed));
    const auto expected = std::make_shared<const std::vector<float>>(sorted(keys->values));
    const auto verify = [keys, expected, in_order](const Reply& reply) {
      require_sequence(reply, keys->label, reply.buffer<float>("keys"), *expected, in_order);
    };
    return {prepare(entry, InOut("keys", keys->values), n), verify,
            [keys, baseline] { baseline(keys->values); }};
  };
}

}  // namespace warpwise
