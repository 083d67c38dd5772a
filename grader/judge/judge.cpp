#include "judge.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "call_turn.hpp"
#include "case_number.hpp"
#include "image.hpp"
#include "parallel.hpp"
#include "seal.hpp"

namespace warpwise {
namespace {

Place place_of(const Argument& argument) {
  switch (argument.access) {
    case Argument::Access::value:
      return Place::value;
    case Argument::Access::null:
      return Place::null;
    case Argument::Access::host:
      return Place::host;
    default:
      return Place::device;
  }
}

/// A timed call's inputs are; results and host memory are not.
bool is_sealed(const Argument& argument) {
  return argument.access == Argument::Access::in || argument.access == Argument::Access::in_out;
}

}  // namespace

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

/// What the worker kept is gone with it. What it had given back may be lent to the next one.
void Judge::forget_worker() {
  std::erase_if(shared_, [](const auto& each) { return each.second.lent; });
  for (Loan* const loan : {&device_loan_, &host_loan_}) loan->forget_memory();
}

/// Fills the memory of a loan, and lends it.
void Judge::lend(Loan& loan, const std::string& what) {
  asking_.worker();  // gets ready meanwhile
  loan.write();
  hand_over(loan, what);
}

void Judge::hand_over(const Loan& loan, const std::string& what) {
  asking_.ask(loan.request(), kReplyBytes, what, {.lent = loan.descriptor()});
}

/// The region in which the worker keeps what the argument shares; lent the first time.
std::uint64_t Judge::share(const Argument& argument, const std::string& description) {
  std::uint64_t region = kFirstShared;
  for (auto& [known, kept] : shared_) {
    if (kept.argument.shared == argument.shared) {
      if (!std::exchange(kept.lent, true)) {
        kept.loan.write_again();
        hand_over(kept.loan, description);
      }
      return known;
    }
    region = known + 1;
  }
  // Below the seeds of call_batch's guards, which count upwards.
  const std::uint64_t guard_seed = guard_seed_ - 1 - region;
  SharedArgument& kept =
      shared_
          .emplace(region, SharedArgument{argument, description, guard_seed,
                                          Loan(region, Place::device)})
          .first->second;
  kept.loan.add({&kept.argument, guard_seed});
  lend(kept.loan, description);
  return region;
}

bool Judge::defines(const PreparedCall& call) {
  const auto known = defined_.find(call.entry);
  if (known != defined_.end()) return known->second;
  return defined_[call.entry] = asking_.defines(call.entry, call.description);
}

void Judge::send_shared(const PreparedCall& call) {
  for (const Argument& argument : call.arguments)
    if (argument.shared) share(argument, call.description);
}

/// Lends the buffers of all calls, the last call's first, and names the arguments of each.
void Judge::stage_all(Calls calls, const GuardSeed& guard_seed, std::uint64_t key) {
  device_loan_.clear();
  host_loan_.clear();
  lent_index_.clear();
  for (auto slot = static_cast<std::uint32_t>(calls.size()); slot-- > 0;) {
    std::uint64_t seed = guard_seed(slot);
    for (std::uint32_t i = 0; i < calls[slot]->arguments.size(); ++i) {
      const Argument& argument = calls[slot]->arguments[i];
      if (!argument.is_buffer() || argument.shared) continue;
      const std::uint64_t number = buffer_number(slot, i);
      lent_index_[number] = loan_of(argument).add(
          {&argument, ++seed, is_sealed(argument) ? key : 0, number});
    }
  }
  for (Loan* const loan : {&device_loan_, &host_loan_})
    if (!loan->empty()) lend(*loan, calls.front()->description);
  // One request: a batch may have a thousand calls, and each answer takes 0.1 ms to arrive.
  MessageWriter request;
  request.put(Operation::stage).put<std::uint32_t>(calls.size());
  for (std::uint32_t slot = 0; slot < calls.size(); ++slot)
    describe(request, slot, *calls[slot], key);
  asking_.ask(request, kReplyBytes, calls.front()->description);
}

/// Puts the arguments of a call into the request. What it shares is lent first, if it is not yet.
void Judge::describe(MessageWriter& request, std::uint32_t slot, const PreparedCall& call,
                     std::uint64_t key) {
  request.put(slot).put_text(call.entry).put<std::uint32_t>(call.arguments.size());
  for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
    const Argument& argument = call.arguments[i];
    const std::uint64_t number = buffer_number(slot, i);
    request.put(place_of(argument));
    if (!argument.is_buffer()) {
      Bytes value = argument.payload;
      if (key) seal(value, key, number);
      request.put_block(value);
      continue;
    }
    const LentBuffer lent =
        argument.shared ? LentBuffer{share(argument, call.description), 0, 0}
                        : LentBuffer{loan_of(argument).region(), lent_index_.at(number),
                                     is_sealed(argument)};
    request.put_block(std::as_bytes(std::span(&lent, 1)));
  }
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
  if (how & kFewBlocks) how |= static_cast<std::uint32_t>(std::mt19937_64(options().seed)() * kMiddle);
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

/// The judge's own copy of all buffers, taken as soon as the reply is here: what is written later
/// does not count. Returns the seconds until the first bytes were here, if that is timed. On a GPU,
/// work that still goes on although the worker said that it had finished may hold them up. The
/// seconds of the whole copy would say less: they differ by half a millisecond, depending on where
/// the judge's memory is.
double Judge::take_copies(bool timed) {
  const auto start = std::chrono::steady_clock::now();
  if (timed && !device_loan_.empty()) device_loan_.touch();
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  for (Loan* const loan : {&device_loan_, &host_loan_})
    if (!loan->empty()) loan->take_copy();
  return waited.count();
}

/// Takes the buffers of a slot from the copy, and checks what no test should have to check.
PreparedCall Judge::take_over(std::uint32_t slot, const PreparedCall& call,
                              std::uint64_t guard_seed) {
  PreparedCall returned{call.entry, call.description, {}, call.how};
  for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
    const Argument& argument = call.arguments[i];
    if (!argument.is_buffer() || argument.shared) {
      returned.arguments.push_back(argument);
      continue;
    }
    const auto image = loan_of(argument).image(lent_index_.at(buffer_number(slot, i)));
    const auto payload = payload_of(image);
    const Guards guards(++guard_seed);
    const bool touched = !guards.are_around(image) || !same_bytes(payload, argument.payload);
    if (touched) left_a_trace_ = true;
    if (touched) changed_ = true;
    check_guards(argument, guards, image, call.description);
    if (argument.access == Argument::Access::in || argument.access == Argument::Access::host)
      check_unchanged(argument, payload, call.description);
    returned.arguments.push_back({argument.access, argument.name, argument.element_bytes,
                                  {payload.begin(), payload.end()}});
  }
  return returned;
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

void Judge::return_shared() {
  take_back_shared();
  shared_.clear();
}

/// What is kept of it here can be lent again: it was found to be as it was.
void Judge::take_back_shared() {
  for (auto& [region, kept] : shared_) {
    if (!kept.lent) continue;
    kept.loan.take_copy();
    const auto image = kept.loan.image(0);
    const MessageWriter request = MessageWriter().put(Operation::take_back).put(region);
    asking_.ask(request, kReplyBytes, kept.description);
    check_guards(kept.argument, Guards(kept.guard_seed), image, kept.description);
    check_unchanged(kept.argument, payload_of(image), kept.description);
    kept.loan.forget_memory();
    kept.lent = false;
  }
}

Reply Judge::call(const PreparedCall& call) {
  const PreparedCall* const one = &call;
  return std::move(call_batch(std::span(&one, 1), {}, nullptr).front());
}

std::optional<Reply> Judge::call_in_part(const PreparedCall& call, double seconds) try {
  const PreparedCall* const one = &call;
  const BatchManner manner = {.seconds = std::min(options().seconds, seconds)};
  return std::move(call_batch(std::span(&one, 1), manner, nullptr).front());
} catch (const StageFailure& failure) {
  const Verdict verdict = failure.verdict();
  // The first launch needs nothing that was left out. A worker that has died does not say how many
  // launches there were.
  const bool few_blocks = !kGpu && (call.how & kFewBlocks);
  const bool may_lack = few_blocks && asking_.launches().value_or(2) > 1;
  const bool has_failed = verdict == Verdict::crashed || verdict == Verdict::wrote_outside;
  if (asking_.trusted() || (verdict != Verdict::timed_out && !(may_lack && has_failed))) throw;
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
