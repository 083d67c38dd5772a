// Asking workers, one after the other: each request within its time, all together within the
// budget. A reply with a bad status becomes the failure it means. Whatever a worker says, it is the
// submission's word, and never makes an infrastructure error, unless the worker is the kit's own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "expected_races.hpp"
#include "protocol.hpp"
#include "worker_process.hpp"

namespace warpwise {

class Asking {
 public:
  /// How a request is sent: with a descriptor, how long it may take, and how long the judge does
  /// not sleep meanwhile.
  struct Manner {
    int lent = -1;
    std::optional<double> seconds = {};  // none: that of all requests but calls
    Awake awake = kAsleep;
  };

  /// `gone` is called when a worker has ended: what it kept is gone with it.
  Asking(WorkerOptions options, ExpectedRaces expected_races, std::function<void()> gone)
      : options_(std::move(options)),
        expected_races_(std::move(expected_races)),
        gone_(std::move(gone)) {}

  /// Sends a request about `what`. After a failure the worker is not used again: a CUDA error can
  /// stay with a process to its end.
  Bytes ask(const MessageWriter& request, std::uint64_t largest_reply, const std::string& what,
            const Manner& manner);
  Bytes ask(const MessageWriter& request, std::uint64_t largest_reply, const std::string& what) {
    return ask(request, largest_reply, what, {});
  }

  /// The worker that is asked, started if there is none.
  WorkerProcess& worker();
  /// Ends the worker and goes on with another: a spare one, or a new one.
  void restart();
  void start_spare();
  /// Waits until the worker and the spare ones are ready.
  void wait_for_workers();
  void end_worker();
  /// Whether the submission defines an entry point. A worker that does gets its device ready next.
  bool defines(const std::string& entry, const std::string& what);
  /// The name of the device, after some work on it.
  std::string device();

  /// What the program prints from now on, until end_output().
  void begin_output();
  void end_output() { printed_ = worker().output(); }
  const std::string& printed() const { return printed_; }

  /// From now on the worker is the kit's own: what fails in it is the machine's fault.
  void trust() { trusted_ = true; }
  bool trusted() const { return trusted_; }
  /// A call that took too long was of a kind that proves nothing: others may be tried.
  void forgive_time_out() { timed_out_ = false; }
  /// A case has failed, which decides: what the others say only helps to find the cause.
  void hurry();
  bool was_killed() const { return was_killed_; }
  /// Did the program get all the time of the request that timed out, before any case failed?
  bool had_its_time() const { return had_its_time_; }
  /// The launches of the last run, if its reply told them; a failing launch is one of them.
  std::optional<std::uint64_t> launches() const { return launches_; }
  void note_launches(std::uint64_t launches) { launches_ = launches; }
  /// Did the checker see anything? What it sees was done, although no buffer may show it.
  bool has_findings() const { return has_findings_; }
  /// The functions that a kernel's threads have entered through pointers:
  /// checker/pointer_calls.cpp.
  const std::set<std::string>& entered() const { return entered_; }
  const WorkerOptions& options() const { return options_; }
  const ExpectedRaces& expected_races() const { return expected_races_; }

 private:
  double seconds_of_others() const;
  Bytes exchange(const MessageWriter& request, std::uint64_t largest_reply, const Manner& manner);
  Bytes without_findings(const Bytes& reply, const std::string& what);
  Bytes require_ok(const Bytes& reply, const std::string& what);

  WorkerOptions options_;
  ExpectedRaces expected_races_;
  std::function<void()> gone_;
  std::unique_ptr<WorkerProcess> worker_, leaving_;
  std::deque<std::unique_ptr<WorkerProcess>> spare_;
  std::string printed_;
  double spent_seconds_ = 0;  // by all requests together
  bool hurries_ = false;
  bool trusted_ = false;
  bool timed_out_ = false;  // once is enough: every further call would cost the full time again
  bool was_killed_ = false;
  bool had_its_time_ = false;
  std::optional<std::uint64_t> launches_;
  bool has_findings_ = false;
  std::set<std::string> entered_;
};

}  // namespace warpwise
