#include "judge.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "image.hpp"
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

/// One request, for as long as a call may take and the budget of all calls lasts.
Bytes Judge::exchange(const MessageWriter& request, std::uint64_t largest_reply) {
  WorkerProcess& asked = worker();
  const double left = options_.budget - spent_seconds_;
  const auto start = std::chrono::steady_clock::now();
  const auto add_up = [&] {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    spent_seconds_ += taken.count();
  };
  try {
    Bytes reply = asked.ask(request.bytes(), largest_reply, std::min(options_.seconds, left));
    add_up();
    return reply;
  } catch (const StageFailure& failure) {
    add_up();
    was_killed_ = was_killed_ || asked.was_killed();
    if (failure.verdict() == Verdict::timed_out && left < options_.seconds)
      fail(Verdict::timed_out, "all calls together took more than " +
                                   std::to_string(static_cast<int>(options_.budget)) + " s");
    throw;
  }
}

/// Lets the races pass that the stage is meant to have, and returns the reply behind the findings.
Bytes Judge::judge_findings(const Bytes& reply, const std::string& what) {
  MessageReader reader(reply);
  if (reader.get<Status>() != Status::finding) return reply;
  for (const Finding& finding : get_findings(reader))
    if (!expected_races_.cover(finding)) fail_for_finding(what, finding);
  const auto rest = reader.get_block();
  return {rest.begin(), rest.end()};
}

/// Sends a request; a reply with a bad status becomes the failure it stands for. After any failure
/// the worker is not used again: a CUDA error can stay with a process to its end. Whatever a worker
/// says, it is the submission's word, and never makes an infrastructure error.
Bytes Judge::ask(const MessageWriter& request, std::uint64_t largest_reply,
                 const std::string& what) {
  try {
    const Bytes reply = judge_findings(exchange(request, largest_reply + kFindingsBytes), what);
    MessageReader reader(reply);
    const auto status = reader.get<Status>();
    if (status == Status::ok) return Bytes(reply.begin() + sizeof status, reply.end());
    const std::string text = reader.get_text();
    if (status == Status::missing_entry)
      fail(Verdict::not_attempted, "the file does not define " + text);
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
    end_worker();
    timed_out_ = timed_out_ || failure.verdict() == Verdict::timed_out;
    if (trusted_) fail(Verdict::infrastructure_error, what + " of the kit: " + failure.what());
    if (failure.verdict() != Verdict::crashed && failure.verdict() != Verdict::timed_out) throw;
    fail(failure.verdict(), what + ": " + failure.what());
  }
}

void Judge::restart() {
  return_shared();
  leaving_ = std::move(worker_);
  if (leaving_) leaving_->dismiss();
  worker_ = std::make_unique<WorkerProcess>(options_);
}

void Judge::end_worker() {
  worker_.reset();
  shared_.clear();  // gone with it
}

/// The number under which the worker keeps what the argument shares; sends it the first time.
std::uint64_t Judge::share(const Argument& argument, const std::string& description) {
  std::uint64_t number = 0;
  for (const auto& [known, kept] : shared_) {
    if (kept.argument.shared == argument.shared) return known;
    number = known + 1;
  }
  // Below the seeds of call_batch's guards, which count upwards.
  const std::uint64_t guard_seed = guard_seed_ - 1 - number;
  MessageWriter request;
  request.put(Operation::share).put(number).put_text(argument.name);
  request.put_block(make_image(*argument.shared, guard_seed));
  ask(request, kReplyBytes, description);
  shared_.emplace(number, SharedArgument{argument, description, guard_seed});
  return number;
}

void Judge::send_shared(const PreparedCall& call) {
  for (const Argument& argument : call.arguments)
    if (argument.shared) share(argument, call.description);
}

void Judge::stage(std::uint32_t slot, const PreparedCall& call, std::uint64_t guard_seed,
                  std::uint64_t key) {
  std::map<const Argument*, std::uint64_t> numbers;  // first: each may be a request of its own
  for (const Argument& argument : call.arguments)
    if (argument.shared) numbers[&argument] = share(argument, call.description);
  MessageWriter request;
  request.put(Operation::stage).put(slot).put_text(call.entry);
  request.put<std::uint32_t>(call.arguments.size());
  for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
    const Argument& argument = call.arguments[i];
    if (argument.shared) {
      request.put(Place::shared).put<std::uint32_t>(true).put_text(argument.name);
      request.put_block(std::as_bytes(std::span(&numbers[&argument], 1)));
      continue;
    }
    const bool initialised = argument.access != Argument::Access::out;
    request.put(place_of(argument)).put<std::uint32_t>(initialised);
    request.put_text(argument.name);
    Bytes content =
        argument.is_buffer() ? make_image(argument.payload, ++guard_seed) : argument.payload;
    const std::size_t guard = argument.is_buffer() ? kGuardBytes : 0;
    if (key && initialised && argument.access != Argument::Access::host)
      seal(std::span(content).subspan(guard, argument.payload.size()), key,
           buffer_number(slot, i));
    request.put_block(content);
  }
  ask(request, kReplyBytes, call.description);
}

Bytes Judge::run(std::span<const PreparedCall> calls, BatchManner manner, double* seconds) {
  MessageWriter request;
  const std::uint32_t memory = calls.front().memory_refused ? kNoMemory : kWarm;
  request.put(Operation::run).put(manner.how | memory).put<std::uint32_t>(calls.size());
  for (std::uint32_t slot = 0; slot < calls.size(); ++slot) request.put(slot);
  request.put(manner.key);
  // A GPU takes 120 us to turn from one process to another. That is not this submission's time.
  if (manner.key) device();
  const auto start = std::chrono::steady_clock::now();
  Bytes reply = ask(request, kReplyBytes, calls.front().description);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  *seconds = elapsed.count();
  return reply;
}

/// Brings the buffers of a slot back and checks what no test should have to check.
PreparedCall Judge::fetch(std::uint32_t slot, const PreparedCall& call, std::uint64_t guard_seed) {
  std::uint64_t expected_size = kReplyBytes;
  for (const Argument& argument : call.arguments)
    expected_size += argument.payload.size() + 2 * kGuardBytes + sizeof(std::uint64_t);
  const Bytes reply =
      ask(MessageWriter().put(Operation::fetch).put(slot), expected_size, call.description);
  MessageReader reader(reply);
  reader.get<std::uint32_t>();  // how many buffers; the call knows

  PreparedCall returned = call;
  for (Argument& argument : returned.arguments) {
    if (!argument.is_buffer() || argument.shared) continue;
    const auto image = reader.get_block();
    const Bytes sent = make_image(argument.payload, ++guard_seed);
    if (image.size() != sent.size()) throw MessageError("an image of another size came back");
    if (!std::equal(image.begin(), image.end(), sent.begin())) left_a_trace_ = true;
    check_guards(argument, sent, image, call.description);
    const auto payload = image.subspan(kGuardBytes, argument.payload.size());
    if (argument.access == Argument::Access::in || argument.access == Argument::Access::host)
      check_unchanged(argument, payload, call.description);
    argument.payload.assign(payload.begin(), payload.end());
  }
  return returned;
}

/// Counted on the CPU backend only: there a stage that forbids it cannot do its work on the host.
void Judge::require_work_on_the_device(std::span<const PreparedCall> calls,
                                       const LaunchStatistics& statistics) const {
  const auto [most, per_launch] = host_bytes_;
  if (most == UINT64_MAX) return;
  const std::size_t count = std::max<std::size_t>(calls.size(), 1);
  const bool few = statistics.different_bytes_to_host <= most * count;
  const bool rarely =
      statistics.bytes_to_host <= most * count + per_launch * statistics.launches;
  if (few && rarely) return;
  fail(Verdict::rejected,
       calls.front().description + " copied " + std::to_string(statistics.bytes_to_host / count) +
           " bytes to the host; in this stage kernels do the work, and " + std::to_string(most) +
           " bytes are enough for flags" +
           (per_launch ? ", copied again at most once per launch" : ""));
}

double Judge::rehearse(std::span<const PreparedCall> calls, std::uint64_t key) {
  for (std::uint32_t slot = 0; slot < calls.size(); ++slot) stage(slot, calls[slot], 0, key);
  double seconds = 0;
  run(calls, {kRehearse, key}, &seconds);
  return seconds;
}

std::vector<Reply> Judge::call_batch(std::span<const PreparedCall> calls, BatchManner manner,
                                     BatchTimes* times) try {
  // Guards differ from call to call; 64 keeps the seeds of one call's arguments apart. They lie in
  // the submission's sight, so they must not tell anything about the seed of the inputs.
  const auto guard_seed = [this, first = calls_](std::uint32_t slot) {
    return guard_seed_ + (first + slot) * 64;
  };
  calls_ += calls.size();  // also those that fail
  for (std::uint32_t slot = 0; slot < calls.size(); ++slot)
    stage(slot, calls[slot], guard_seed(slot), manner.key);

  double seconds = 0;
  const Bytes ran = run(calls, manner, &seconds);
  MessageReader reader(ran);
  std::vector<std::uint64_t> values;
  std::vector<double> event_seconds;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    values.push_back(reader.get<std::uint64_t>());
    event_seconds.push_back(reader.get<float>() * 1e-3);
  }
  const auto statistics = reader.get<LaunchStatistics>();
  require_work_on_the_device(calls, statistics);
  std::istringstream names(reader.get_text());
  for (std::string name; std::getline(names, name);) launched_.insert(name);
  // The last call comes back first: work that was still going on when the worker said that it had
  // finished shows in the time that this takes.
  std::vector<PreparedCall> returned(calls.size());
  double first_fetch_seconds = 0;
  for (auto slot = static_cast<std::uint32_t>(calls.size()); slot-- > 0;) {
    const auto start = std::chrono::steady_clock::now();
    returned[slot] = fetch(slot, calls[slot], guard_seed(slot));
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (slot + 1 == calls.size()) first_fetch_seconds = elapsed.count();
  }
  if (times) *times = {seconds, event_seconds, first_fetch_seconds};

  std::vector<Reply> replies;
  for (std::uint32_t slot = 0; slot < calls.size(); ++slot)
    replies.emplace_back(std::move(returned[slot]), values[slot], statistics);
  return replies;
} catch (const MessageError& error) {
  end_worker();
  fail(Verdict::crashed, calls.front().description + ": " + error.what());
}

void Judge::return_shared() {
  for (const auto& [number, kept] : std::exchange(shared_, {})) {
    const auto& [argument, description, guard_seed] = kept;
    const Bytes sent = make_image(*argument.shared, guard_seed);
    const Bytes reply = ask(MessageWriter().put(Operation::unshare).put(number),
                            sent.size() + kReplyBytes, description);
    MessageReader reader(reply);
    const auto image = reader.get_block();
    if (image.size() != sent.size())
      fail(Verdict::crashed, description + ": an image of another size came back");
    check_guards(argument, sent, image, description);
    check_unchanged(argument, image.subspan(kGuardBytes, argument.shared->size()), description);
  }
}

Reply Judge::call(const PreparedCall& call) {
  return std::move(call_batch(std::span(&call, 1), {}, nullptr).front());
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
