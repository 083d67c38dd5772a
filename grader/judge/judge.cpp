// Calls of entry points: asked of the worker, limited in time, answered with a reply or a verdict.

#include "judge.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "call_turn.hpp"
#include "case_number.hpp"
#include "parallel.hpp"

namespace warpwise {

const Bytes& Reply::content(const std::string& name) const {
  for (const Argument& argument : call_.arguments)
    if (argument.is_buffer() && argument.name == name) return argument.payload;
  throw std::logic_error("the test asks for a buffer it did not pass: " + name);
}

void Judge::let_go() {
  take_back_shared();
  forget_worker();
}

void Judge::restart() {
  let_go();
  asking_.restart();
}

bool Judge::defines(const PreparedCall& call) {
  const auto known = defined_.find(call.entry);
  if (known != defined_.end()) return known->second;
  return defined_[call.entry] = asking_.defines(call.entry, call.description);
}

/// What calls may take. The time limit is for a student's patience; with a large input it must not
/// decide between two right solutions, of which one uses what the CPU backend is slow at.
double Judge::seconds_for(Calls calls) const {
  constexpr std::size_t kLarge = 200'000;  // bytes of all buffers
  constexpr double kPatience = kGpu ? 1 : 3;
  std::size_t bytes = 0;
  for (const PreparedCall* const call : calls)
    for (const Argument& argument : call->arguments) bytes += argument.content().size();
  return options().seconds * (bytes > kLarge ? kPatience : 1);
}

Bytes Judge::run(Calls calls, BatchManner manner, double* seconds) {
  MessageWriter request;
  std::uint32_t how = manner.how | calls.front()->how;
  // No program knows which block it is.
  if (how & kFewBlocks)
    how |= static_cast<std::uint32_t>(std::mt19937_64(options().seed)() * kMiddle);
  request.put(Operation::run).put(how).put<std::uint32_t>(calls.size());
  for (std::uint32_t slot = 0; slot < calls.size(); ++slot) request.put(slot);
  request.put(manner.key);
  // A GPU takes 120 us to turn from one process to another. That is not this submission's time.
  if (manner.key) device();
  asking_.begin_output();
  const Asking::Manner asked = {.seconds = manner.seconds.value_or(seconds_for(calls)),
                                .awake = manner.key ? kJudgeAwake : kAsleep};
  const auto asks = std::chrono::steady_clock::now();
  const CallTurn turn(options().turns);
  const auto start = std::chrono::steady_clock::now();
  Bytes reply = asking_.ask(request, kReplyBytes, calls.front()->description, asked);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  *seconds = elapsed.count();
  seconds_in_calls_ += elapsed.count();
  seconds_of_waiting_ += std::chrono::duration<double>(start - asks).count();
  asking_.end_output();
  return reply;
}

double Judge::rehearse(Calls calls, std::uint64_t key) {
  stage_all(calls, [](std::uint32_t) { return 0; }, key);
  double seconds = 0;
  run(calls, {kRehearse, key}, &seconds);
  return seconds;
}

std::vector<Reply> Judge::call_batch(Calls calls, BatchManner manner,
                                     BatchTimes* times) try {
  // Guards differ from call to call; 64 keeps the seeds of one call's arguments apart. They lie in
  // the submission's sight, so they must not tell anything about the seed of the inputs.
  const auto guard_seed = [this, first = calls_](std::uint32_t slot) {
    return guard_seed_ + (first + slot) * 64;
  };
  calls_ += calls.size();  // also those that fail
  right_.begin(*calls.front());
  changed_ = false;
  if (!work_.rejected().empty()) fail(Verdict::rejected, work_.rejected());
  for (const PreparedCall* const call : calls)
    if (!defines(*call))
      fail(Verdict::not_attempted, "the file does not define " + call->entry);
  stage_all(calls, guard_seed, manner.key);

  double seconds = 0;
  const Bytes ran = run(calls, manner, &seconds);
  const double copy_seconds = take_copies(manner.key != 0);
  const std::size_t copied = device_loan_.used() + host_loan_.used();
  MessageReader reader(ran);
  std::vector<std::uint64_t> values;
  std::vector<double> event_seconds;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    values.push_back(reader.get<std::uint64_t>());
    event_seconds.push_back(reader.get<float>() * 1e-3);
  }
  const auto statistics = reader.get<LaunchStatistics>();
  asking_.note_launches(statistics.launches);
  work_.add(*calls.front(), calls.size(), statistics);
  std::istringstream names(reader.get_text());
  for (std::string name; std::getline(names, name);) launched_.insert(name);
  std::vector<PreparedCall> returned(calls.size());
  in_parallel_if_large(copied, calls.size(), [&](std::size_t i) {
    const auto slot = static_cast<std::uint32_t>(calls.size() - 1 - i);
    returned[slot] = take_over(slot, *calls[slot], guard_seed(slot));
  });
  if (times) *times = {seconds, event_seconds, copy_seconds};

  std::vector<Reply> replies;
  for (std::uint32_t slot = 0; slot < calls.size(); ++slot)
    replies.emplace_back(std::move(returned[slot]), values[slot], statistics);
  return replies;
} catch (const MessageError& error) {
  asking_.end_worker();
  fail(Verdict::crashed, calls.front()->description + ": " + error.what());
}

/// What a program prepares in its first call may be missing in that call alone, and the first calls
/// have so few elements that any answer is right. One order of threads is enough to show it. On a
/// GPU a new worker takes half a second, and the run under the checker on the CPU shows it, too.
void Judge::meet_new_worker(const PreparedCall& call) {
  constexpr std::size_t kEnough = 256;  // bytes of all buffers
  std::size_t bytes = 0;
  for (const Argument& argument : call.arguments)
    if (argument.is_buffer()) bytes += argument.content().size();
  const bool is_first_run = !kGpu && options().order == "forward";
  if (!is_first_run || has_met_new_worker_ || asking_.trusted() || calls_ == 0 || bytes < kEnough)
    return;
  has_met_new_worker_ = true;
  restart();
}

Reply Judge::call(const PreparedCall& call) {
  meet_new_worker(call);
  const PreparedCall* const one = &call;
  return std::move(call_batch(std::span(&one, 1), {}, nullptr).front());
}

std::optional<Reply> Judge::call_in_part(const PreparedCall& call, double seconds) try {
  const PreparedCall* const one = &call;
  const BatchManner manner = {.seconds = std::min(options().seconds, seconds)};
  return std::move(call_batch(std::span(&one, 1), manner, nullptr).front());
} catch (const StageFailure& failure) {
  const Verdict verdict = failure.verdict();
  // The first launch needs nothing that was left out, unless its blocks wait for each other. A
  // worker that has died does not say how many launches there were.
  const bool few_blocks = !kGpu && (call.how & kFewBlocks);
  const bool together = few_blocks && (call.how & kTogether);
  const bool may_lack = together || (few_blocks && asking_.launches().value_or(2) > 1);
  // Who finds places by keys that should have been sorted may find one twice: that is no race.
  const bool has_failed = verdict == Verdict::crashed || verdict == Verdict::wrote_outside ||
                          (together && verdict == Verdict::race);
  if (asking_.trusted() || (verdict != Verdict::timed_out && !(may_lack && has_failed))) throw;
  if (verdict == Verdict::race) asking_.end_worker();  // the checker tells each race once
  asking_.forgive_time_out();
  return std::nullopt;
}

StageFailure Judge::completed(const StageFailure& failure) {
  const Verdict verdict = failure.verdict();
  if (failure.is_complete() || verdict == Verdict::infrastructure_error) return failure;
  const std::string right = right_.closest();
  right_.forget();
  std::string message = failure.what();
  const bool has_last_words = message.find("it last said") != message.npos;
  const auto launches = asking_.launches();
  if (!kGpu && verdict == Verdict::wrong_answer && launches)
    message += "\nthe call made " + std::to_string(*launches) +
               (launches == 1 ? " launch" : " launches");
  if (verdict == Verdict::wrong_answer && calls_ > 0 && !changed_)
    message += "\nthe call left its buffers as they were";
  const bool is_public = !(options().seed & kSecretSeed);
  if (is_public && verdict == Verdict::wrong_answer && !right.empty())
    message += "\nstill right: " + right;
  if (is_public && !has_last_words && !asking_.printed().empty())
    message += "\nthe program printed in this call:" + asking_.printed();
  return StageFailure(verdict, message, true);
}

std::vector<KernelCounters> Judge::counters() {
  const MessageWriter request = MessageWriter().put(Operation::count);
  const Bytes reply = asking_.ask(request, kCountersBytes, "the counters");
  MessageReader reader(reply);
  return get_counters(reader);
}

std::vector<KernelResources> Judge::resources() {
  const MessageWriter request = MessageWriter().put(Operation::profile);
  const Bytes reply = asking_.ask(request, kCountersBytes, "the profile");
  MessageReader reader(reply);
  return get_resources(reader);
}

}  // namespace warpwise
