// Timing a sort of n shuffled keys in place: what the benches of several labs share.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bench.hpp"
#include "sequence_check.hpp"
#include "timed_keys.hpp"

namespace warpwise {

/// What a BenchRegistration calls to prepare a sort by `entry(keys, n)`.
///
/// Timed keys are finite and different, so that ascending is their only order. `baseline(values)`
/// is the sort on one CPU core that the entry is compared with.
template <typename Entry, typename Baseline>
auto time_sort(Entry entry, Baseline baseline) {
  return [=](std::size_t n, std::uint64_t seed) -> TimedCall {
    const auto timed = make_timed_keys<float>(n, seed);
    const auto verify = [timed](const Reply& reply) {
      require_sequence(reply, timed->keys.label, reply.buffer<float>("keys"), timed->ascending,
                       std::less_equal<>());
    };
    return {prepare(entry, InOut("keys", timed->keys.values), n), verify,
            [timed, baseline] { baseline(timed->keys.values); }};
  };
}

}  // namespace warpwise
