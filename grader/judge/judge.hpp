// What a lab's test.cpp is written against. A test calls an entry point as if it were a function of
// its own process:
//
//     const Reply reply = call(ENTRY(rank_sort::global), In("in", keys), Out<float>("out", n), n);
//     require_sorted(reply.buffer<float>("out"), ...);
//
// but the call happens in the worker, and only bytes come back. Every call is checked for a crash,
// a time-out, a CUDA error, writes outside the buffers and changes to an input, before the test
// looks at its output. Whatever is wrong ends the test case with a StageFailure.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "asking.hpp"
#include "counters.hpp"
#include "device_work.hpp"
#include "loan.hpp"
#include "resources.hpp"
#include "right_calls.hpp"

namespace warpwise {

/// The time of one batch of calls, as the judge's own clock and, if asked for (kEvents), as the
/// worker's CUDA events saw it.
struct BatchTimes {
  double judge_seconds = 0;
  std::vector<double> event_seconds;
  double copy_seconds = 0;  // from the reply until the first bytes of the buffers were here
};

/// The calls of a batch. They may hold hundreds of megabytes, so they are not copied.
using Calls = std::span<const PreparedCall* const>;

/// How a batch of calls is run.
struct BatchManner {
  std::uint32_t how = kWarm;  // RunBits
  std::uint64_t key = 0;      // not 0: the inputs are sealed by it until the clock runs
  std::optional<double> seconds = {};  // that the calls may take; none: what the options say
};

/// Which inputs a run tries: those of up to `largest` elements. If that is a limit, then of each
/// size above `every_kind` one kind of input only; and of each list of inputs at most `at_most`.
struct Extent {
  std::size_t largest = SIZE_MAX;
  std::size_t every_kind = 129;
  std::size_t at_most = SIZE_MAX;
};

class Judge {
 public:
  explicit Judge(WorkerOptions options, Extent extent = {}, ExpectedRaces expected_races = {},
                 HostBytes host_bytes = {})
      : asking_(std::move(options), std::move(expected_races), [this] { forget_worker(); }),
        extent_(extent),
        work_(host_bytes) {}

  /// Makes one call and checks it; restarts the worker first if the last call ended it.
  Reply call(const PreparedCall& call);
  /// The same for a call of which only a part is to run: see with_few_launches(),
  /// with_few_blocks(). A submission may do all its work in that part, so a call that takes too
  /// long proves nothing: none is returned. Nor does one with few blocks that fails after its first
  /// launch: what runs then may need what blocks of that one were to make, indices for example. A
  /// GPU leaves out nothing. A whole call may be tried, too: what fails there is its own fault,
  /// unless it takes too long.
  std::optional<Reply> call_in_part(const PreparedCall& call, double seconds = 3);
  /// Makes calls back to back and times them; every reply is checked like that of a single call.
  std::vector<Reply> call_batch(Calls calls, BatchManner manner, BatchTimes* times);
  /// Everything that a batch of sealed calls takes but the calls themselves, in seconds.
  double rehearse(Calls calls, std::uint64_t key);

  /// What the CPU backend's counter saw in the last call; nothing where none is linked.
  std::vector<KernelCounters> counters();
  /// What the kernels of the last call took on a GPU; nothing where the worker is not profiled.
  std::vector<KernelResources> resources();
  /// Takes back and lets go of all that the worker was lent: most of what a restart() takes.
  void let_go();
  /// Ends the worker and goes on with another: a spare one, or a new one, which gets ready while
  /// the judge does something else.
  void restart();
  /// Starts one more worker for a later restart().
  void start_spare() { asking_.start_spare(); }
  /// Waits until the worker and the spare ones are ready.
  void wait_for_workers() { asking_.wait_for_workers(); }
  /// Does the worker keep what calls share?
  bool shares() const {
    return std::ranges::any_of(shared_, [](const auto& each) { return each.second.lent; });
  }
  /// Lends what the call shares with others, if the worker does not have it yet.
  void send_shared(const PreparedCall& call);
  /// Takes back what calls shared, and checks it like the buffers of a single call.
  void return_shared();

  /// The name of the device, after some work on it. Asked of the control, never of a submission.
  std::string device() { return asking_.device(); }
  /// From now on the worker is the kit's own: what fails in it is the machine's fault.
  void trust() { asking_.trust(); }
  /// A failure of the last call with what else is known of it: how many launches it made, which a
  /// GPU cannot tell; and what may tell about hidden inputs: which smaller call was right, and what
  /// the program printed.
  StageFailure completed(const StageFailure& failure);
  std::size_t calls() const { return calls_; }
  double seconds_in_calls() const { return seconds_in_calls_; }
  double seconds_of_waiting() const { return seconds_of_waiting_; }
  /// What is left of the stage must not take long: it has failed.
  void hurry() { asking_.hurry(); }
  /// Did any call change anything? A stage that fails without a trace was not attempted.
  bool left_a_trace() const { return left_a_trace_ || asking_.has_findings(); }
  /// Did a worker end by a SIGKILL that was not the judge's? Out of memory, perhaps: worth a retry.
  bool was_killed() const { return asking_.was_killed(); }
  bool had_its_time() const { return asking_.had_its_time(); }
  /// What only all calls together show: device memory that was never freed, and work that one
  /// thread has done alone. For a stage whose cases have all passed. Ends with a StageFailure.
  void settle() const { work_.settle(); }
  /// Why the stage is rejected then: one thread has sorted alone.
  void note_alone(const std::string& message) { work_.note_alone(message); }
  /// Bytes on the device in which a call could leave something for the next one; 0 if not known.
  std::uint64_t room() const { return work_.room(); }
  /// The functions that a kernel's threads have entered through pointers, as the checker saw.
  const std::set<std::string>& entered() const { return asking_.entered(); }
  /// The kernels that were launched, as the launches spell them; none on a GPU, which cannot tell.
  const std::set<std::string>& launched() const { return launched_; }
  const WorkerOptions& options() const { return asking_.options(); }
  const Extent& extent() const { return extent_; }
  const ExpectedRaces& expected_races() const { return asking_.expected_races(); }

 private:
  /// What the worker keeps: an argument as it was first passed, by which call, and its memory.
  struct SharedArgument {
    Argument argument;
    std::string description;
    std::uint64_t guard_seed;
    Loan loan;
    bool lent = true;  // to this worker
  };
  using GuardSeed = std::function<std::uint64_t(std::uint32_t slot)>;

  void forget_worker();
  void take_back_shared();
  double seconds_for(Calls calls) const;
  std::uint64_t share(const Argument& argument, const std::string& description);
  void lend(Loan& loan, const std::string& what);
  void hand_over(const Loan& loan, const std::string& what);
  Loan& loan_of(const Argument& argument) {
    return argument.access == Argument::Access::host ? host_loan_ : device_loan_;
  }
  void meet_new_worker(const PreparedCall& call);
  bool defines(const PreparedCall& call);
  void stage_all(Calls calls, const GuardSeed& guard_seed, std::uint64_t key);
  void describe(MessageWriter& request, std::uint32_t slot, const PreparedCall& call,
                std::uint64_t key);
  Bytes run(Calls calls, BatchManner manner, double* seconds);
  double take_copies(bool timed);
  PreparedCall take_over(std::uint32_t slot, const PreparedCall& call, std::uint64_t guard_seed);

  Asking asking_;
  Extent extent_;
  DeviceWork work_;
  RightCalls right_;
  Loan device_loan_{kBatchOnDevice, Place::device}, host_loan_{kBatchOnHost, Place::host};
  std::map<std::uint64_t, std::uint32_t> lent_index_;  // by buffer_number: index in its loan
  std::map<std::uint64_t, SharedArgument> shared_;     // by region
  std::size_t calls_ = 0;
  bool has_met_new_worker_ = false;  // with more than a few elements in its first call
  double seconds_in_calls_ = 0;
  double seconds_of_waiting_ = 0;  // until it was a call's turn
  std::atomic<bool> left_a_trace_ = false, changed_ = false;  // any call; the last one
  std::set<std::string> launched_;
  std::map<std::string, bool> defined_;  // entry points that a worker was asked for
  std::uint64_t guard_seed_ = std::random_device()();
};

/// The judge of this process; judge_main makes it before any test runs.
Judge& judge();

template <typename Function, typename... Arguments>
Reply call(EntryPoint<Function> entry, const Arguments&... arguments) {
  return judge().call(prepare(entry, arguments...));
}

}  // namespace warpwise
