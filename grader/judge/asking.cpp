#include "asking.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "arguments.hpp"

namespace warpwise {
namespace {

/// As much of a worker's text as anybody reads. A submission may write a mebibyte, which takes all
/// who show it half a minute.
std::string first_words(const std::string& text) {
  constexpr std::size_t kMost = 4000;
  return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}

/// The checker of the CPU backend says what it found by one word; each stands for a verdict.
[[noreturn]] void fail_for_finding(const std::string& what, const Finding& finding) {
  const std::string& kind = finding.kind;
  const bool is_write = finding.text.find(" writes ") != std::string::npos;
  const Verdict verdict = kind == "race"                 ? Verdict::race
                          : kind == "uninitialised"      ? Verdict::wrong_answer
                          : kind == "memory" && is_write ? Verdict::wrote_outside
                                                         : Verdict::crashed;
  fail(verdict, what + ": " + first_words(finding.text));
}

}  // namespace

WorkerProcess& Asking::worker() {
  if (timed_out_) fail(Verdict::timed_out, "not tried: an earlier call did not return");
  leaving_.reset();  // gone before its successor is asked for anything
  if (!worker_) worker_ = std::make_unique<WorkerProcess>(options_);
  return *worker_;
}

/// How long a worker may take over what is no call. A GPU's driver lets programs begin one after
/// the other; where many want to, that takes longer than a call may.
double Asking::seconds_of_others() const {
#ifdef WARPWISE_GPU
  constexpr double kBegin = 60;
  return std::max(kBegin, options_.seconds);
#else
  return options_.seconds;
#endif
}

void Asking::hurry() {
#ifdef WARPWISE_GPU
  constexpr double kAfterFailure = 15;  // others may start programs on the GPU, or use it
#else
  constexpr double kAfterFailure = 5;
#endif
  options_.budget = std::min(options_.budget, spent_seconds_ + kAfterFailure);
  hurries_ = true;
}

/// One request, for as long as it may take and the budget of all requests lasts.
Bytes Asking::exchange(const MessageWriter& request, std::uint64_t largest_reply,
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
    if (!hurries_)  // what is tried after a failure decides nothing
      had_its_time_ = asked.had_its_time() && seconds <= left;
    if (failure.verdict() == Verdict::timed_out && left < seconds)
      fail(Verdict::timed_out,
           hurries_ ? "not tried to its end: an earlier case failed, which decides"
                    : "all calls together took more than " +
                          std::to_string(static_cast<int>(options_.budget)) + " s");
    throw;
  }
}

/// Lets the races pass that the stage is meant to have, and returns the reply after the findings.
Bytes Asking::without_findings(const Bytes& reply, const std::string& what) {
  MessageReader reader(reply);
  if (reader.get<Status>() != Status::finding) return reply;
  const std::vector<Finding> findings = get_findings(reader);
  launches_ = reader.get<std::uint64_t>();
  for (const Finding& finding : findings) {
    if (finding.kind == "entered") {
      entered_.insert(finding.text);
      continue;
    }
    has_findings_ = true;
    if (!expected_races_.cover(finding)) fail_for_finding(what, finding);
  }
  const auto rest = reader.get_block();
  return {rest.begin(), rest.end()};
}

/// What follows a good status; a bad one is a failure.
Bytes Asking::require_ok(const Bytes& reply, const std::string& what) {
  MessageReader reader(reply);
  const auto status = reader.get<Status>();
  if (status == Status::ok) return Bytes(reply.begin() + sizeof status, reply.end());
  const std::string text = first_words(reader.get_text());
  launches_ = reader.get<std::uint64_t>();
  if (status == Status::damaged_buffer) fail(Verdict::wrote_outside, what + " " + text);
  if (status == Status::no_device) fail(Verdict::crashed, "found no GPU: " + text);
  if (status == Status::unknown_entry || status == Status::bad_arguments)
    fail(Verdict::crashed, "said that it does not fit the test: " + text);
  fail(Verdict::crashed,
       (status == Status::exception ? "threw an exception: " : "failed: ") + text);
}

Bytes Asking::ask(const MessageWriter& request, std::uint64_t largest_reply,
                  const std::string& what, const Manner& manner) {
  launches_.reset();
  try {
    const Bytes reply = exchange(request, largest_reply + kFindingsBytes, manner);
    return require_ok(without_findings(reply, what), what);
  } catch (const MessageError&) {
    end_worker();
    fail(Verdict::crashed, what + " answered with a broken message");
  } catch (const StageFailure& failure) {
    const Verdict verdict = failure.verdict();
    end_worker();
    timed_out_ = timed_out_ || verdict == Verdict::timed_out;
    const std::string said = failure.what();
    const bool is_named = said.starts_with(what);  // a finding, or a damaged buffer
    const std::string after = is_named ? said.substr(what.size()) : ": " + said;
    if (trusted_) fail(Verdict::infrastructure_error, what + " of the kit" + after);
    if (verdict != Verdict::crashed && verdict != Verdict::timed_out) throw;
    fail(verdict, what + after);
  }
}

void Asking::restart() {
  leaving_ = std::move(worker_);
  if (leaving_) leaving_->dismiss();
  gone_();
  if (spare_.empty()) start_spare();
  worker_ = std::move(spare_.front());
  spare_.pop_front();
}

void Asking::start_spare() { spare_.push_back(std::make_unique<WorkerProcess>(options_)); }

void Asking::wait_for_workers() {
  device();
  for (std::unique_ptr<WorkerProcess>& spare : spare_) {
    std::swap(worker_, spare);
    device();
    std::swap(worker_, spare);
  }
}

void Asking::end_worker() {
  if (worker_) printed_ = worker_->output();
  worker_.reset();
  gone_();
}

void Asking::begin_output() {
  printed_.clear();
  worker().begin_output();
}

bool Asking::defines(const std::string& entry, const std::string& what) {
  const MessageWriter request = MessageWriter().put(Operation::look_up).put_text(entry);
  const Bytes reply = ask(request, kReplyBytes, what);
  return MessageReader(reply).get<std::uint32_t>() != 0;
}

std::string Asking::device() {
  const Bytes reply = ask(MessageWriter().put(Operation::hello), kReplyBytes, "the worker");
  MessageReader reader(reply);
  return reader.get_text();
}

}  // namespace warpwise
