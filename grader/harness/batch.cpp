#include "batch.hpp"

#include "parallel.hpp"

namespace warpwise {
namespace {

std::vector<PreparedCall> calls_of(std::span<const TimedCall> batch) {
  std::vector<PreparedCall> calls;
  for (const TimedCall& timed : batch) calls.push_back(timed.call);
  return calls;
}

}  // namespace

std::size_t bytes_of(const PreparedCall& call) {
  std::size_t bytes = 0;
  for (const Argument& argument : call.arguments) bytes += argument.payload.size();
  return bytes;
}

std::vector<TimedCall> make_batch(const MakeCall& make, std::size_t count, std::uint64_t seed) {
  std::vector<TimedCall> batch(count);
  in_parallel(count, [&](std::size_t i) { batch[i] = make(seed + i); });
  return batch;
}

BatchTimes run_batch(Judge& worker, std::span<const TimedCall> batch, BatchManner manner) {
  BatchTimes times;
  const std::vector<Reply> replies = worker.call_batch(calls_of(batch), manner, &times);
  in_parallel(batch.size(), [&](std::size_t i) { batch[i].verify(replies[i]); });
  return times;
}

double rehearse(Judge& worker, std::span<const TimedCall> batch, std::uint64_t key) {
  return worker.rehearse(calls_of(batch), key);
}

}  // namespace warpwise
