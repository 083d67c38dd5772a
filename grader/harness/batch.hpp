// Batches of timed calls, as the figures (bench.cpp) and the comparison make them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench.hpp"

namespace warpwise {

/// The bytes that travel with a call; what it shares with others is not counted.
std::size_t bytes_of(const PreparedCall& call);

/// `count` calls on inputs of their own, from the seeds `seed`, `seed + 1`, ...; made on all cores.
std::vector<TimedCall> make_batch(const MakeCall& make, std::size_t count, std::uint64_t seed);

/// Runs a batch on a worker and checks every output, on all cores. Throws StageFailure.
BatchTimes run_batch(Judge& worker, std::span<const TimedCall> batch, BatchManner manner);

/// Everything that a sealed batch takes but its calls, in seconds.
double rehearse(Judge& worker, std::span<const TimedCall> batch, std::uint64_t key);

}  // namespace warpwise
