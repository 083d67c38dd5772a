#include "batch.hpp"

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
  in_parallel(count, [&](std::size_t i) { batch[i] = make(seed + i); });
  return batch;
}

BatchTimes BatchSeries::run(Judge& worker, std::span<const TimedCall> batch, BatchManner manner,
                            bool checked) {
  BatchTimes times;
  std::vector<Reply> replies = worker.call_batch(calls_of(batch), manner, &times);
  for (std::size_t i = 0; checked && i < batch.size(); ++i)
    answers_.emplace_back(&batch[i], std::move(replies[i]));
  return times;
}

void BatchSeries::check(const Turn* after) {
  const auto answers = std::exchange(answers_, {});
  in_parallel(answers.size(), [&](std::size_t i) {
    const auto& [timed, reply] = answers[i];
    const Descriptor quiet = after ? after->check() : Descriptor();
    timed->verify(reply);
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
