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

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "counters.hpp"
#include "expected_races.hpp"
#include "message.hpp"
#include "protocol.hpp"
#include "resources.hpp"
#include "verdict.hpp"
#include "worker_process.hpp"

namespace warpwise {

/// An entry point's name with its type, from the contract's declaration; nothing is linked.
template <typename Function>
struct EntryPoint {
  const char* name;
};
#define ENTRY(function) (::warpwise::EntryPoint<decltype(function)>{#function})

/// Values that many calls read, such as a graph that is searched from many vertices. The worker gets
/// them once, not sealed, and keeps them until Judge::return_shared, when they must be unchanged.
template <typename T>
class Shared {
 public:
  explicit Shared(std::span<const T> values)
      : content_(std::make_shared<const Bytes>(std::as_bytes(values).begin(),
                                               std::as_bytes(values).end())) {}
  explicit Shared(const std::vector<T>& values) : Shared(std::span<const T>(values)) {}
  const std::shared_ptr<const Bytes>& content() const { return content_; }

 private:
  std::shared_ptr<const Bytes> content_;
};

/// Device memory that holds `values`, and must hold them unchanged after the call.
template <typename T>
struct In {
  In(const char* buffer_name, std::span<const T> content) : name(buffer_name), values(content) {}
  In(const char* buffer_name, const std::vector<T>& content)
      : In(buffer_name, std::span<const T>(content)) {}
  In(const char* buffer_name, const Shared<T>& content)
      : name(buffer_name), shared(content.content()) {}
  const char* name;
  std::span<const T> values;
  std::shared_ptr<const Bytes> shared;
};

/// Device memory that holds `values` before the call and a result after it.
template <typename T>
struct InOut {
  InOut(const char* buffer_name, const std::vector<T>& content)
      : name(buffer_name), values(content) {}
  const char* name;
  std::span<const T> values;
};

/// Host memory that holds `values`, where a contract asks for device memory: whatever the entry
/// point does about it, it must leave the values alone.
template <typename T>
struct Host {
  Host(const char* buffer_name, const std::vector<T>& content)
      : name(buffer_name), values(content) {}
  const char* name;
  std::span<const T> values;
};

/// A null pointer, of any type.
struct Null {};

/// Device memory for `count` results, filled with poison (0xFF: a float NaN, an int -1).
template <typename T>
struct Out {
  Out(const char* buffer_name, std::size_t element_count)
      : name(buffer_name), count(element_count) {}
  const char* name;
  std::size_t count;
};

inline constexpr std::byte kPoison{0xFF};

/// One argument as the judge sends it: the payload, and what may have become of it afterwards.
struct Argument {
  enum class Access { value, null, host, in, in_out, out };
  Access access = Access::value;
  std::string name;
  std::size_t element_bytes = 1;
  Bytes payload;
  std::shared_ptr<const Bytes> shared = {};  // stands in the payload's place

  const Bytes& content() const { return shared ? *shared : payload; }
  bool is_buffer() const { return access != Access::value && access != Access::null; }
};

/// A call made ready: the entry point, its arguments, and how to speak of it.
struct PreparedCall {
  std::string entry;        // "global"
  std::string description;  // "rank_sort::global(in, out, 33)"
  std::vector<Argument> arguments;
  bool memory_refused = false;  // see without_memory
};

/// The same call on a device that has no memory left: every cudaMalloc fails. Only the CPU backend
/// can do that without harm to others; on a GPU the call is made as always.
inline PreparedCall without_memory(PreparedCall call) {
  call.memory_refused = true;
  call.description += " with the device's memory full";
  return call;
}

/// What came back from a call. buffer<T>(name) copies a buffer out, by the name it was passed
/// under.
class Reply {
 public:
  Reply(PreparedCall call, std::uint64_t value, LaunchStatistics statistics)
      : call_(std::move(call)), value_(value), statistics_(statistics) {}

  template <typename T>
  std::vector<T> buffer(const std::string& name) const {
    const Bytes& bytes = payload(name);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  /// What the entry point returned.
  template <typename T>
  T value() const {
    T result;
    std::memcpy(&result, &value_, sizeof result);
    return result;
  }
  const LaunchStatistics& statistics() const { return statistics_; }
  const std::string& description() const { return call_.description; }

 private:
  const Bytes& payload(const std::string& name) const;
  PreparedCall call_;
  std::uint64_t value_;
  LaunchStatistics statistics_;
};

// ---- from typed arguments to bytes --------------------------------------------------------------

template <typename T>
Argument buffer_argument(Argument::Access access, const char* name, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {access, name, sizeof(T), Bytes(bytes.begin(), bytes.end())};
}

template <typename Parameter, typename T>
Argument make_argument(const In<T>& in) {
  static_assert(std::is_same_v<Parameter, const T*>, "In fits a pointer to const of its type");
  if (in.shared) return {Argument::Access::in, in.name, sizeof(T), {}, in.shared};
  return buffer_argument(Argument::Access::in, in.name, in.values);
}
template <typename Parameter, typename T>
Argument make_argument(const InOut<T>& in_out) {
  static_assert(std::is_same_v<Parameter, T*>, "InOut fits a pointer of its type");
  return buffer_argument(Argument::Access::in_out, in_out.name, in_out.values);
}
template <typename Parameter, typename T>
Argument make_argument(const Host<T>& host) {
  static_assert(std::is_same_v<Parameter, T*> || std::is_same_v<Parameter, const T*>,
                "Host fits a pointer of its type");
  return buffer_argument(Argument::Access::host, host.name, host.values);
}
template <typename Parameter>
Argument make_argument(const Null&) {
  static_assert(std::is_pointer_v<Parameter>, "Null fits a pointer");
  return {Argument::Access::null, "nullptr", 1, {}};
}
template <typename Parameter, typename T>
Argument make_argument(const Out<T>& out) {
  static_assert(std::is_same_v<Parameter, T*>, "Out fits a pointer of its type");
  return {Argument::Access::out, out.name, sizeof(T), Bytes(out.count * sizeof(T), kPoison)};
}
template <typename Parameter, typename Value>
requires std::is_arithmetic_v<Value> Argument make_argument(const Value& value) {
  static_assert(std::is_arithmetic_v<Parameter>, "a number fits a parameter passed by value");
  const auto converted = static_cast<Parameter>(value);
  const auto bytes = std::as_bytes(std::span(&converted, 1));
  std::ostringstream text;
  text << value;
  return {Argument::Access::value, text.str(), sizeof converted, Bytes(bytes.begin(), bytes.end())};
}

PreparedCall describe_call(const char* entry, std::vector<Argument> arguments);

template <typename Result, typename... Parameters, typename... Arguments>
PreparedCall prepare(EntryPoint<Result(Parameters...)> entry, const Arguments&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument per parameter");
  return describe_call(entry.name, {make_argument<Parameters>(arguments)...});
}

// ---- the judge ----------------------------------------------------------------------------------

/// The time of one batch of calls, as the judge's own clock and, if asked for (kEvents), as the
/// worker's CUDA events saw it.
struct BatchTimes {
  double judge_seconds = 0;
  std::vector<double> event_seconds;
  double first_fetch_seconds = 0;  // until the last call's output was here
};

/// How a batch of calls is run.
struct BatchManner {
  std::uint32_t how = kWarm;  // RunBits
  std::uint64_t key = 0;      // not 0: the inputs are sealed by it until the clock runs
};

class Judge {
 public:
  explicit Judge(WorkerOptions options, std::size_t largest_input = SIZE_MAX,
                 ExpectedRaces expected_races = {}, std::uint64_t host_bytes = UINT64_MAX)
      : options_(std::move(options)),
        largest_input_(largest_input),
        host_bytes_(host_bytes),
        expected_races_(std::move(expected_races)) {}

  /// Makes one call and checks it; restarts the worker first if the last call ended it.
  Reply call(const PreparedCall& call);
  /// Makes calls back to back and times them; every reply is checked like that of a single call.
  std::vector<Reply> call_batch(std::span<const PreparedCall> calls, BatchManner manner,
                                BatchTimes* times);
  /// Everything that a batch of sealed calls takes but the calls themselves, in seconds.
  double rehearse(std::span<const PreparedCall> calls, std::uint64_t key);

  /// What the CPU backend's counter saw in the last call; nothing where none is linked.
  std::vector<KernelCounters> counters();
  /// What the kernels of the last call took on a GPU; nothing where the worker is not profiled.
  std::vector<KernelResources> resources();
  /// Brings back what calls shared, and checks it like what a single call brings back.
  void return_shared();

  /// The name of the device, after some work on it. Asked of the control, never of a submission.
  std::string device();
  /// From now on the worker is the kit's own: what fails in it is the machine's fault.
  void trust() { trusted_ = true; }
  /// Bytes read and written per second by the device's own copy, as the worker measures it: to be
  /// asked of a worker that is trusted.
  double copy_rate();
  std::size_t calls() const { return calls_; }
  /// Did any call change anything? A stage that fails without a trace was not attempted.
  bool left_a_trace() const { return left_a_trace_; }
  /// Did a worker end by a SIGKILL that was not the judge's? Out of memory, perhaps: worth a retry.
  bool was_killed() const { return was_killed_; }
  /// The kernels that were launched, as the launches spell them; none on a GPU, which cannot tell.
  const std::set<std::string>& launched() const { return launched_; }
  const WorkerOptions& options() const { return options_; }
  /// Inputs of more elements are left out: under a checker they would take too long.
  std::size_t largest_input() const { return largest_input_; }
  const ExpectedRaces& expected_races() const { return expected_races_; }

 private:
  /// What the worker keeps: an argument as it was first passed, and by which call.
  struct SharedArgument {
    Argument argument;
    std::string description;
    std::uint64_t guard_seed;
  };

  WorkerProcess& worker();
  Bytes exchange(const MessageWriter& request, std::uint64_t largest_reply);
  void end_worker();
  std::uint64_t share(const Argument& argument, const std::string& description);
  Bytes ask(const MessageWriter& request, std::uint64_t largest_reply, const std::string& what);
  Bytes judge_findings(const Bytes& reply, const std::string& what);
  void stage(std::uint32_t slot, const PreparedCall& call, std::uint64_t guard_seed,
             std::uint64_t key);
  Bytes run(std::span<const PreparedCall> calls, BatchManner manner, double* seconds);
  void require_work_on_the_device(std::span<const PreparedCall> calls,
                                  const LaunchStatistics& statistics) const;
  PreparedCall fetch(std::uint32_t slot, const PreparedCall& call, std::uint64_t guard_seed);

  WorkerOptions options_;
  std::size_t largest_input_;
  std::uint64_t host_bytes_;  // that a call may copy to the host; more is sorting there
  ExpectedRaces expected_races_;
  std::unique_ptr<WorkerProcess> worker_;
  std::map<std::uint64_t, SharedArgument> shared_;  // by number
  std::size_t calls_ = 0;
  bool left_a_trace_ = false;
  bool trusted_ = false;
  std::set<std::string> launched_;
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

/// Ends the test case: the stage gets this verdict and this message.
[[noreturn]] inline void fail(Verdict verdict, const std::string& message) {
  throw StageFailure(verdict, message);
}

}  // namespace warpwise
