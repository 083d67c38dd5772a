#include "judge.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "image.hpp"
#include "parallel.hpp"
#include "seal.hpp"

namespace warpwise {
namespace {

const std::string kNotDefined = "the file does not define ";

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

/// The checker of the CPU backend says what it found by one word; each stands for a verdict.
[[noreturn]] void fail_for_finding(const std::string& what, const Finding& finding) {
  const std::string& kind = finding.kind;
  const bool is_write = finding.text.find(" writes ") != std::string::npos;
  const Verdict verdict = kind == "race"                 ? Verdict::race
                          : kind == "uninitialised"      ? Verdict::wrong_answer
                          : kind == "memory" && is_write ? Verdict::wrote_outside
                                                         : Verdict::crashed;
  fail(verdict, what + ": " + finding.text);
}

}  // namespace

const Bytes& Reply::payload(const std::string& name) const {
  for (const Argument& argument : call_.arguments)
    if (argument.is_buffer() && argument.name == name) return argument.payload;
  throw std::logic_error("the test asks for a buffer it did not pass: " + name);
}

PreparedCall describe_call(const char* entry, std::vector<Argument> arguments) {
  const std::string full = entry;
  std::string description = full + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    description += (i ? ", " : "") + arguments[i].name;
    if (arguments[i].access == Argument::Access::host) description += " on the host";
  }
  const std::size_t scope = full.rfind("::");
  return {scope == std::string::npos ? full : full.substr(scope + 2), description + ")",
          std::move(arguments)};
}

WorkerProcess& Judge::worker() {
  if (timed_out_) fail(Verdict::timed_out, "not tried: an earlier call did not return");
  leaving_.reset();  // gone before its successor is asked for anything
  if (!worker_) worker_ = std::make_unique<WorkerProcess>(options_);
  return *worker_;
}

/// How long a worker may take over what is no call. A GPU's driver lets programs begin one after the
/// other; where many want to, that takes longer than a call may.
double Judge::seconds_of_others() const {
#ifdef WARPWISE_GPU
  constexpr double kBegin = 60;
  return std::max(kBegin, options_.seconds);
#else
  return options_.seconds;
#endif
}

/// One request, for as long as it may take and the budget of all requests lasts.
Bytes Judge::exchange(const MessageWriter& request, std::uint64_t largest_reply,
                      const Manner& manner) {
  const double seconds = manner.seconds.value_or(seconds_of_others());
  WorkerProcess& asked = worker();
  const double left = options_.budget - spent_seconds_;
  const auto start = std::chrono::steady_clock::now();
  const auto add_up = [&] {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    spent_seconds_ += taken.count();
  };
  try {
    Bytes reply = asked.ask(request.bytes(), largest_reply, std::min(seconds, left), manner.lent,
                            manner.awake);
    add_up();
    return reply;
  } catch (const StageFailure& failure) {
    add_up();
    was_killed_ = was_killed_ || asked.was_killed();
    if (failure.verdict() == Verdict::timed_out && left < seconds)
      fail(Verdict::timed_out, "all calls together took more than " +
                                   std::to_string(static_cast<int>(options_.budget)) + " s");
    throw;
  }
}

/// Lets the races pass that the stage is meant to have, and returns the reply behind the findings.
Bytes Judge::judge_findings(const Bytes& reply, const std::string& what) {
  MessageReader reader(reply);
  if (reader.get<Status>() != Status::finding) return reply;
  left_a_trace_ = true;  // what the checker sees was done, although the buffers are not looked at
  for (const Finding& finding : get_findings(reader))
    if (!expected_races_.cover(finding)) fail_for_finding(what, finding);
  const auto rest = reader.get_block();
  return {rest.begin(), rest.end()};
}

/// Sends a request; a reply with a bad status becomes the failure it stands for. After a failure the
/// worker is not used again: a CUDA error can stay with a process to its end. Only if an entry point
/// is missing, nothing of the submission has run. Whatever a worker says, it is the submission's
/// word, and never makes an infrastructure error.
Bytes Judge::ask(const MessageWriter& request, std::uint64_t largest_reply,
                 const std::string& what, const Manner& manner) {
  try {
    const Bytes reply =
        judge_findings(exchange(request, largest_reply + kFindingsBytes, manner), what);
    MessageReader reader(reply);
    const auto status = reader.get<Status>();
    if (status == Status::ok) return Bytes(reply.begin() + sizeof status, reply.end());
    const std::string text = reader.get_text();
    if (status == Status::missing_entry) fail(Verdict::not_attempted, kNotDefined + text);
    if (status == Status::damaged_buffer) fail(Verdict::wrote_outside, what + " " + text);
    if (status == Status::no_device) fail(Verdict::crashed, "found no GPU: " + text);
    if (status == Status::unknown_entry || status == Status::bad_arguments)
      fail(Verdict::crashed, "said that it does not fit the test: " + text);
    fail(Verdict::crashed,
         (status == Status::exception ? "threw an exception: " : "failed: ") + text);
  } catch (const MessageError&) {
    end_worker();
    fail(Verdict::crashed, what + " answered with a broken message");
  } catch (const StageFailure& failure) {
    if (failure.verdict() != Verdict::not_attempted) end_worker();
    timed_out_ = timed_out_ || failure.verdict() == Verdict::timed_out;
    const std::string said = failure.what();
    const bool is_named = said.starts_with(what);  // a finding, or a damaged buffer
    const std::string after = is_named ? said.substr(what.size()) : ": " + said;
    if (trusted_) fail(Verdict::infrastructure_error, what + " of the kit" + after);
    const Verdict verdict = failure.verdict();
    if (verdict != Verdict::crashed && verdict != Verdict::timed_out) throw;
    fail(verdict, what + after);
  }
}

void Judge::restart() {
  return_shared();
  leaving_ = std::move(worker_);
  if (leaving_) leaving_->dismiss();
  for (Loan* const loan : {&device_loan_, &host_loan_}) loan->forget_memory();
  if (spare_.empty()) start_spare();
  worker_ = std::move(spare_.front());
  spare_.pop_front();
}

void Judge::start_spare() { spare_.push_back(std::make_unique<WorkerProcess>(options_)); }

void Judge::wait_for_workers() {
  device();
  for (std::unique_ptr<WorkerProcess>& spare : spare_) {
    std::swap(worker_, spare);
    device();
    std::swap(worker_, spare);
  }
}

void Judge::end_worker() {
  if (worker_) printed_ = worker_->output();
  worker_.reset();
  shared_.clear();  // gone with it
  for (Loan* const loan : {&device_loan_, &host_loan_}) loan->forget_memory();
}

/// Fills the memory of a loan, and lends it.
void Judge::lend(Loan& loan, const std::string& what) {
  worker();  // gets ready meanwhile
  loan.write();
  ask(loan.request(), kReplyBytes, what, {.lent = loan.descriptor()});
}

/// The region in which the worker keeps what the argument shares; lent the first time.
std::uint64_t Judge::share(const Argument& argument, const std::string& description) {
  std::uint64_t region = kFirstShared;
  for (const auto& [known, kept] : shared_) {
    if (kept.argument.shared == argument.shared) return known;
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

void Judge::send_shared(const PreparedCall& call) {
  for (const Argument& argument : call.arguments)
    if (argument.shared) share(argument, call.description);
}

/// Lends the buffers of all calls, the last call's first, and names the arguments of each.
void Judge::stage_all(Calls calls, const GuardSeed& guard_seed,
                      std::uint64_t key) {
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
  for (std::uint32_t slot = 0; slot < calls.size(); ++slot) stage(slot, *calls[slot], key);
}

void Judge::stage(std::uint32_t slot, const PreparedCall& call, std::uint64_t key) {
  MessageWriter request;
  std::map<const Argument*, std::uint64_t> regions;  // first: each may be a request of its own
  for (const Argument& argument : call.arguments)
    if (argument.shared) regions[&argument] = share(argument, call.description);
  request.put(Operation::stage).put(slot).put_text(call.entry);
  request.put<std::uint32_t>(call.arguments.size());
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
        argument.shared ? LentBuffer{regions[&argument], 0, 0}
                        : LentBuffer{loan_of(argument).region(), lent_index_.at(number),
                                     is_sealed(argument)};
    request.put_block(std::as_bytes(std::span(&lent, 1)));
  }
  try {
    ask(request, kReplyBytes, call.description);
  } catch (const StageFailure& failure) {
    if (failure.verdict() == Verdict::not_attempted) missing_.insert(call.entry);
    throw;
  }
}

/// What calls may take. The time limit is for a student's patience; with a large input it must not
/// decide between two right solutions, of which one uses what the CPU backend is slow at.
double Judge::seconds_for(Calls calls) const {
  constexpr std::size_t kLarge = 200'000;  // bytes of all buffers
  constexpr double kPatience = 3;
  std::size_t bytes = 0;
  for (const PreparedCall* const call : calls)
    for (const Argument& argument : call->arguments) bytes += argument.content().size();
  return options_.seconds * (bytes > kLarge ? kPatience : 1);
}

Bytes Judge::run(Calls calls, BatchManner manner, double* seconds) {
  MessageWriter request;
  request.put(Operation::run).put(manner.how | calls.front()->how).put<std::uint32_t>(calls.size());
  for (std::uint32_t slot = 0; slot < calls.size(); ++slot) request.put(slot);
  request.put(manner.key);
  // A GPU takes 120 us to turn from one process to another. That is not this submission's time.
  if (manner.key) device();
  printed_.clear();
  worker().begin_output();
  const auto start = std::chrono::steady_clock::now();
  Bytes reply = ask(request, kReplyBytes, calls.front()->description,
                    {.seconds = manner.seconds.value_or(seconds_for(calls)),
                     .awake = manner.key ? kJudgeAwake : kAsleep});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  *seconds = elapsed.count();
  printed_ = worker().output();
  return reply;
}

/// The judge's own copy of all buffers, taken as soon as the reply is here: what is written later
/// does not count. Returns the seconds until the first bytes were here, if that is timed. On a GPU, work that still
/// goes on although the worker said that it had finished may hold them up. The seconds of the whole
/// copy would say less: they differ by half a millisecond, depending on where the judge's memory is.
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
  PreparedCall returned = call;
  for (std::uint32_t i = 0; i < returned.arguments.size(); ++i) {
    Argument& argument = returned.arguments[i];
    if (!argument.is_buffer() || argument.shared) continue;
    const auto image = loan_of(argument).image(lent_index_.at(buffer_number(slot, i)));
    const auto payload = payload_of(image);
    const Guards guards(++guard_seed);
    const bool touched = !guards.are_around(image) || !same_bytes(payload, argument.payload);
    if (touched) left_a_trace_ = true;
    check_guards(argument, guards, image, call.description);
    if (argument.access == Argument::Access::in || argument.access == Argument::Access::host)
      check_unchanged(argument, payload, call.description);
    argument.payload.assign(payload.begin(), payload.end());
  }
  return returned;
}

/// Counted on the CPU backend only: there a stage that forbids it cannot do its work on the host.
void Judge::require_work_on_the_device(Calls calls,
                                       const LaunchStatistics& statistics) {
  const auto [most, per_launch] = host_bytes_;
  if (most == UINT64_MAX) return;
  const std::size_t count = std::max<std::size_t>(calls.size(), 1);
  // Launches that are left out are not counted, but a loop may go on and copy its flag after each.
  const bool in_part = calls.front()->how >= kFewLaunches;
  if (in_part || statistics.bytes_to_host <= most * count + per_launch * statistics.launches) return;
  rejected_ = calls.front()->description + " copied " +
              std::to_string(statistics.bytes_to_host / count) +
              " bytes to the host; in this stage kernels do the work, and " + std::to_string(most) +
              " bytes are enough for flags" +
              (per_launch ? ", and " + std::to_string(per_launch) + " more for each launch" : "");
  fail(Verdict::rejected, rejected_);
}

void Judge::add_up(Calls calls, const LaunchStatistics& statistics) {
  accesses_ += statistics.accesses;
  longest_share_ += statistics.longest_share;
  if (!first_kept_.empty()) return;
  const std::string& call = calls.front()->description;
  if (statistics.kept_buffers)
    first_kept_ = call + " keeps device memory that it has allocated; free it before the end of "
                         "the call, whatever the call returns";
  else if (statistics.kept_textures)
    first_kept_ = call + " keeps a texture object that it has made; destroy it by "
                         "cudaDestroyTextureObject when the last launch has ended";
}

void Judge::settle() const {
  if (!first_kept_.empty()) fail(Verdict::wrong_answer, first_kept_);
  constexpr std::uint64_t kEnough = 20'000, kFewestHands = 4;
  if (host_bytes_.most == UINT64_MAX || longest_share_ < kEnough) return;
  if (accesses_ >= kFewestHands * longest_share_) return;
  fail(Verdict::rejected,
       "one thread alone makes " + std::to_string(100 * longest_share_ / accesses_) +
           " of 100 accesses to memory; in this stage the threads share the work: give each its "
           "part");
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
  if (!rejected_.empty()) fail(Verdict::rejected, rejected_);
  for (const PreparedCall* const call : calls)
    if (missing_.contains(call->entry)) fail(Verdict::not_attempted, kNotDefined + call->entry);
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
  require_work_on_the_device(calls, statistics);
  add_up(calls, statistics);
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
  end_worker();
  fail(Verdict::crashed, calls.front()->description + ": " + error.what());
}

void Judge::return_shared() {
  for (auto& [region, kept] : std::exchange(shared_, {})) {
    kept.loan.take_copy();
    const auto image = kept.loan.image(0);
    ask(MessageWriter().put(Operation::take_back).put(region), kReplyBytes, kept.description);
    check_guards(kept.argument, Guards(kept.guard_seed), image, kept.description);
    check_unchanged(kept.argument, payload_of(image), kept.description);
  }
}

Reply Judge::call(const PreparedCall& call) {
  const PreparedCall* const one = &call;
  return std::move(call_batch(std::span(&one, 1), {}, nullptr).front());
}

std::optional<Reply> Judge::call_in_part(const PreparedCall& call, double seconds) try {
  const PreparedCall* const one = &call;
  const BatchManner manner = {.seconds = std::min(options_.seconds, seconds)};
  return std::move(call_batch(std::span(&one, 1), manner, nullptr).front());
} catch (const StageFailure& failure) {
  const Verdict verdict = failure.verdict();
  const bool is_part = call.how >= kFewLaunches || (call.how & kFewBlocks);
  const bool may_lack = verdict == Verdict::crashed || verdict == Verdict::wrote_outside;
  if (trusted_ || (verdict != Verdict::timed_out && !(is_part && may_lack))) throw;
  timed_out_ = false;
  return std::nullopt;
}

std::vector<KernelCounters> Judge::counters() {
  const Bytes reply = ask(MessageWriter().put(Operation::count), kCountersBytes, "the counters");
  MessageReader reader(reply);
  return get_counters(reader);
}

std::vector<KernelResources> Judge::resources() {
  const Bytes reply = ask(MessageWriter().put(Operation::profile), kCountersBytes, "the profile");
  MessageReader reader(reply);
  return get_resources(reader);
}

std::string Judge::device() {
  const Bytes reply = ask(MessageWriter().put(Operation::hello), kReplyBytes, "the worker");
  MessageReader reader(reply);
  return reader.get_text();
}

}  // namespace warpwise
