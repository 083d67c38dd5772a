// A call as values: an entry point of the contract, typed arguments made into bytes, and the bytes
// that came back.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "message.hpp"
#include "protocol.hpp"
#include "verdict.hpp"

namespace warpwise {

#ifdef WARPWISE_GPU
inline constexpr bool kGpu = true;  // it makes all launches and runs all blocks of a call
#else
inline constexpr bool kGpu = false;
#endif

/// Ends the test case: the stage gets this verdict and this message.
[[noreturn]] inline void fail(Verdict verdict, const std::string& message) {
  throw StageFailure(verdict, message);
}

/// An entry point's name with its type, from the contract's declaration; nothing is linked.
template <typename Function>
struct EntryPoint {
  const char* name;
};
#define ENTRY(function) (::warpwise::EntryPoint<decltype(function)>{#function})

/// Values that many calls read, such as a graph that is searched from many vertices. The worker
/// gets them once, not sealed, and keeps them until Judge::return_shared, when they must be
/// unchanged.
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
  std::shared_ptr<const Bytes> shared = {};  // instead of the payload

  const Bytes& content() const { return shared ? *shared : payload; }
  bool is_buffer() const { return access != Access::value && access != Access::null; }
};

/// A call made ready: the entry point, its arguments, and how to speak of it.
struct PreparedCall {
  std::string entry;        // "global"
  std::string description;  // "rank_sort::global(in, out, 33)"
  std::vector<Argument> arguments;
  std::uint32_t how = kWarm;  // RunBits: see without_memory and the functions after it
  // The input gives threads little to share: that one does most of it says nothing about others.
  bool is_work_for_few = false;
};

/// The same call on a device that has no memory left: every cudaMalloc fails. Only the CPU backend
/// can do that without harm to others; on a GPU the call is made as always.
inline PreparedCall without_memory(PreparedCall call) {
  call.how |= kNoMemory;
  call.description += " with the device's memory full";
  return call;
}

/// The same call on a device that grants so many allocations, up to kMostGranted, and then has no
/// memory left.
inline PreparedCall with_memory_for(std::uint32_t allocations, PreparedCall call) {
  constexpr const char* kWords[] = {"", "one allocation", "two allocations", "three allocations"};
  if (allocations == 0) return without_memory(std::move(call));
  call.how |= kNoMemory | allocations * kGranted;
  call.description += std::string(" with memory for ") + kWords[allocations];
  return call;
}

/// The same call, whose buffers on the host are registered with CUDA, as those of cudaMallocHost.
/// On a GPU they are as always.
inline PreparedCall with_pinned_buffers(PreparedCall call) {
  call.how |= kPinned;
  call.description += " in pinned memory";
  return call;
}

/// The same call, but each launch runs only its first block, its last and one between them, which
/// the judge's seed chooses; one whose blocks may wait for each other does nothing. So kernels that
/// make n * n steps can be tried with a large n. A GPU runs all blocks.
inline PreparedCall with_few_blocks(PreparedCall call) {
  if (kGpu) return call;
  call.how |= kFewBlocks;
  call.description += " with three blocks of each launch";
  return call;
}

/// The same, but in a cooperative launch the three wait for each other alone. Of one in clusters
/// three clusters run. Of less than twelve, a quarter runs, or one.
inline PreparedCall with_few_blocks_together(PreparedCall call) {
  call = with_few_blocks(std::move(call));
  if (!kGpu) call.how |= kTogether;
  return call;
}

/// The same call, but only its first launches do anything, up to 31 of them, and those from number
/// `again_from` on, unless it is 0: what works on a copy brings it back at the end. So a sort in n
/// phases can be tried with a large n, if few phases are enough for the input. A GPU makes all
/// launches.
inline PreparedCall with_few_launches(PreparedCall call, std::size_t again_from = 0,
                                      std::uint32_t launches = 16) {
  if (kGpu) return call;
  call.how |= launches * kFewLaunches | static_cast<std::uint32_t>(again_from) * kAgainFrom;
  call.description += " with its first " + std::to_string(launches) + " launches";
  if (again_from > 0) call.description += " and those from number " + std::to_string(again_from);
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
    const Bytes& bytes = content(name);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  /// The same without a copy, as bytes.
  const Bytes& content(const std::string& name) const;
  /// What the entry point returned.
  template <typename T>
  T value() const {
    T result;
    std::memcpy(&result, &value_, sizeof result);
    return result;
  }
  const LaunchStatistics& statistics() const { return statistics_; }
  const std::string& description() const { return call_.description; }
  /// Whether a buffer was filled with the poison before the call. Others held their input.
  bool has_output() const {
    return std::any_of(
        call_.arguments.begin(), call_.arguments.end(),
        [](const Argument& argument) { return argument.access == Argument::Access::out; });
  }

 private:
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
  std::vector<Argument> made;  // a list in braces would copy the buffers once more
  made.reserve(sizeof...(Arguments));
  (made.push_back(make_argument<Parameters>(arguments)), ...);
  return describe_call(entry.name, std::move(made));
}

}  // namespace warpwise
