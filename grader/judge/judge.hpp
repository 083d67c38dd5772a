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

#include <atomic>
#include <deque>
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
#include "counters.hpp"
#include "expected_races.hpp"
#include "host_bytes.hpp"
#include "loan.hpp"
#include "resources.hpp"
#include "worker_process.hpp"

namespace warpwise {

#ifdef WARPWISE_GPU
inline constexpr bool kGpu = true;  // it makes all launches and runs all blocks of a call
#else
inline constexpr bool kGpu = false;
#endif

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

/// Which inputs a run tries: those of up to `largest` elements. If that is a limit, then of each size
/// above `every_kind` one kind of input only; and of all sizes one in `one_in`.
struct Extent {
  std::size_t largest = SIZE_MAX;
  std::size_t every_kind = 129;
  std::size_t one_in = 1;
};

class Judge {
 public:
  explicit Judge(WorkerOptions options, Extent extent = {}, ExpectedRaces expected_races = {},
                 HostBytes host_bytes = {})
      : options_(std::move(options)),
        extent_(extent),
        host_bytes_(host_bytes),
        expected_races_(std::move(expected_races)) {}

  /// Makes one call and checks it; restarts the worker first if the last call ended it.
  Reply call(const PreparedCall& call);
  /// The same for a call of which only a part is to run: see with_few_launches(), with_few_blocks(). A
  /// submission may do all its work in that part, so a call that takes too long proves nothing: none is
  /// returned. Nor does one that fails, as what runs may need what was left out, indices for example.
  /// A whole call may be tried, too: what fails there is its own fault, unless it takes too long.
  std::optional<Reply> call_in_part(const PreparedCall& call, double seconds = 3);
  /// Makes calls back to back and times them; every reply is checked like that of a single call.
  std::vector<Reply> call_batch(Calls calls, BatchManner manner, BatchTimes* times);
  /// Everything that a batch of sealed calls takes but the calls themselves, in seconds.
  double rehearse(Calls calls, std::uint64_t key);

  /// What the CPU backend's counter saw in the last call; nothing where none is linked.
  std::vector<KernelCounters> counters();
  /// What the kernels of the last call took on a GPU; nothing where the worker is not profiled.
  std::vector<KernelResources> resources();
  /// Ends the worker and goes on with another: a spare one, or a new one, which gets ready while the
  /// judge does something else.
  void restart();
  /// Starts one more worker for a later restart().
  void start_spare();
  /// Waits until the worker and the spare ones are ready.
  void wait_for_workers();
  /// Does the worker keep what calls share?
  bool shares() const { return !shared_.empty(); }
  /// Lends what the call shares with others, if the worker does not have it yet.
  void send_shared(const PreparedCall& call);
  /// Takes back what calls shared, and checks it like the buffers of a single call.
  void return_shared();

  /// The name of the device, after some work on it. Asked of the control, never of a submission.
  std::string device();
  /// From now on the worker is the kit's own: what fails in it is the machine's fault.
  void trust() { trusted_ = true; }
  /// What the program printed in its last call, indented; "" if nothing.
  const std::string& printed() const { return printed_; }
  std::size_t calls() const { return calls_; }
  /// Did any call change anything? A stage that fails without a trace was not attempted.
  bool left_a_trace() const { return left_a_trace_; }
  /// Did a worker end by a SIGKILL that was not the judge's? Out of memory, perhaps: worth a retry.
  bool was_killed() const { return was_killed_; }
  /// What only all calls together show: device memory that was never freed, and work that one
  /// thread has done alone. For a stage whose cases have all passed. Ends with a StageFailure.
  void settle() const;
  /// The kernels that were launched, as the launches spell them; none on a GPU, which cannot tell.
  const std::set<std::string>& launched() const { return launched_; }
  const WorkerOptions& options() const { return options_; }
  const Extent& extent() const { return extent_; }
  const ExpectedRaces& expected_races() const { return expected_races_; }

 private:
  /// What the worker keeps: an argument as it was first passed, by which call, and its memory.
  struct SharedArgument {
    Argument argument;
    std::string description;
    std::uint64_t guard_seed;
    Loan loan;
  };
  using GuardSeed = std::function<std::uint64_t(std::uint32_t slot)>;

  WorkerProcess& worker();
  double seconds_of_others() const;
  double seconds_for(Calls calls) const;
  /// How a request is sent: with a descriptor, how long it may take, and how long the judge does
  /// not sleep meanwhile.
  struct Manner {
    int lent = -1;
    std::optional<double> seconds = {};  // none: that of all requests but calls
    Awake awake = kAsleep;
  };
  Bytes exchange(const MessageWriter& request, std::uint64_t largest_reply, const Manner& manner);
  void end_worker();
  std::uint64_t share(const Argument& argument, const std::string& description);
  Bytes ask(const MessageWriter& request, std::uint64_t largest_reply, const std::string& what,
            const Manner& manner);
  Bytes ask(const MessageWriter& request, std::uint64_t largest_reply, const std::string& what) {
    return ask(request, largest_reply, what, {});
  }
  Bytes judge_findings(const Bytes& reply, const std::string& what);
  void lend(Loan& loan, const std::string& what);
  Loan& loan_of(const Argument& argument) {
    return argument.access == Argument::Access::host ? host_loan_ : device_loan_;
  }
  void stage_all(Calls calls, const GuardSeed& guard_seed, std::uint64_t key);
  void stage(std::uint32_t slot, const PreparedCall& call, std::uint64_t key);
  Bytes run(Calls calls, BatchManner manner, double* seconds);
  void require_work_on_the_device(Calls calls, const LaunchStatistics& statistics);
  void add_up(Calls calls, const LaunchStatistics& statistics);
  double take_copies(bool timed);
  PreparedCall take_over(std::uint32_t slot, const PreparedCall& call, std::uint64_t guard_seed);

  WorkerOptions options_;
  Extent extent_;
  HostBytes host_bytes_;
  ExpectedRaces expected_races_;
  std::unique_ptr<WorkerProcess> worker_, leaving_;
  std::deque<std::unique_ptr<WorkerProcess>> spare_;
  Loan device_loan_{kBatchOnDevice, Place::device}, host_loan_{kBatchOnHost, Place::host};
  std::map<std::uint64_t, std::uint32_t> lent_index_;  // by buffer_number: index in its loan
  std::map<std::uint64_t, SharedArgument> shared_;     // by region
  std::size_t calls_ = 0;
  std::string printed_;
  std::atomic<bool> left_a_trace_ = false;
  bool trusted_ = false;
  std::set<std::string> launched_;
  // What is certain after one call, so that no worker is asked again: entry points that are not
  // defined, and why all calls are rejected.
  std::set<std::string> missing_;
  std::string rejected_;
  std::string first_kept_;  // what the first call that did so has not given back
  std::uint64_t accesses_ = 0, longest_share_ = 0;
  bool timed_out_ = false;  // once is enough: every further call would cost the full time again
  bool was_killed_ = false;
  std::uint64_t guard_seed_ = std::random_device()();
  double spent_seconds_ = 0;  // by all requests together
};

/// The judge of this process; judge_main makes it before any test runs.
Judge& judge();

template <typename Function, typename... Arguments>
Reply call(EntryPoint<Function> entry, const Arguments&... arguments) {
  return judge().call(prepare(entry, arguments...));
}

}  // namespace warpwise
