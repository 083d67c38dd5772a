#include "batch.hpp"

#include <unordered_map>

#include "parallel.hpp"

namespace warpwise {
namespace {

std::vector<const PreparedCall*> calls_of(std::span<const TimedCall> batch) {
  std::vector<const PreparedCall*> calls;
  for (const TimedCall& timed : batch) calls.push_back(&timed.call);
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
  in_parallel(count, [&](std::size_t i) {
    batch[i] = make(seed + i);
    batch[i].seed = seed + i;
  });
  return batch;
}

bool BatchSeries::is_same_answer(const Answer& one, const Answer& other) {
  // kept, since the system takes longer to give the memory than we to fill it
  thread_local Bytes a, b;
  if (!one.call->answer || !other.call->answer) return false;
  one.call->answer(one.reply, a);
  other.call->answer(other.reply, b);
  return a == b;
}

BatchTimes BatchSeries::run(Judge& worker, std::span<const TimedCall> batch, BatchManner manner,
                            Whose whose) {
  BatchTimes times;
  std::vector<Reply> replies = worker.call_batch(calls_of(batch), manner, &times);
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (whose == Whose::submission)
      unknown_.push_back({&batch[i], std::move(replies[i])});
    else if (whose == Whose::kit_checked || batch[i].answer)
      known_.push_back({&batch[i], std::move(replies[i]), whose == Whose::kit_checked});
  return times;
}

void BatchSeries::check(const Turn* after) {
  const auto unknown = std::exchange(unknown_, {}), known = std::exchange(known_, {});
  const auto quiet = [after] { return after ? after->check() : Descriptor(); };
  std::unordered_map<std::uint64_t, const Answer*> by_seed;
  for (const Answer& each : known) by_seed[each.call->seed] = &each;
  in_parallel(known.size(), [&](std::size_t i) {
    if (!known[i].checked) return;
    const Descriptor turn = quiet();
    try {
      known[i].call->verify(known[i].reply);
    } catch (const StageFailure& failure) {
      fail(Verdict::infrastructure_error,
           std::string("the yardstick of the kit: ") + failure.what());
    }
  });
  in_parallel(unknown.size(), [&](std::size_t i) {
    const auto& [call, reply, _] = unknown[i];
    const Descriptor turn = quiet();
    const auto same = by_seed.find(call->seed);
    if (same == by_seed.end() || !is_same_answer(unknown[i], *same->second)) call->verify(reply);
  });
}

BatchTimes run_batch(Judge& worker, std::span<const TimedCall> batch, BatchManner manner) {
  BatchSeries series;
  const BatchTimes times = series.run(worker, batch, manner);
  series.check();
  return times;
}

double rehearse(Judge& worker, std::span<const TimedCall> batch, std::uint64_t key) {
  return worker.rehearse(calls_of(batch), key);
}

}  // namespace warpwise
