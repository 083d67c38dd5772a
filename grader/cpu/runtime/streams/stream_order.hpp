// What a checker hears of streams, events and graphs. The runtime does all work at once; a checker
// looks whether the program has ordered it as a GPU needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/hooks.hpp"
#include "streams/stream.hpp"

namespace cuda_on_cpu {

// The default streams of two devices have these numbers.
constexpr std::uint64_t kLegacyStreams[] = {1, 2}, kStreamsPerThread[] = {3, 4};
constexpr std::uint64_t kLastDefaultStream = 4;
inline bool is_legacy(std::uint64_t number) { return number <= kLegacyStreams[1]; }
std::uint64_t next_number();  // for a stream, an event, a node or an executable graph

// The stream behind a handle: the default streams have one, too, on the current device.
const CUstream_st &stream_of(cudaStream_t handle);
const CUstream_st &legacy_stream(int device);

struct AsynchronyHooks {
  void (*made_stream)();
  // What follows is the stream's, until end_work(). `caller`: the program's call, null for a
  // launch.
  void (*begin_work)(const CUstream_st &stream, const void *caller);
  void (*begin_node)(std::uint64_t node, const std::vector<std::uint64_t> &after,
                     const void *caller);
  void (*begin_graph)(std::uint64_t executable);  // within the work of a stream
  void (*end_graph)(std::uint64_t executable);
  void (*end_work)();
  void (*record)(std::uint64_t event, const CUstream_st &stream, const void *caller);
  void (*wait)(const CUstream_st &stream, std::uint64_t event);
  void (*host_waits_for_stream)(const CUstream_st &stream);
  void (*host_waits_for_event)(std::uint64_t event);
  void (*host_waits_for_device)(int device);
  void (*host_waits_for_all)();  // on all devices
  // Does the host know that all of the stream, or the event, is over?
  bool (*stream_is_over)(const CUstream_st &stream);
  bool (*event_is_over)(std::uint64_t event);
  void (*elapsed_asked)(std::uint64_t event, const void *caller);
  // The work that runs takes memory from a pool, or gives it back; or the host gives pinned memory
  // back.
  void (*changes_hands)(const void *begin, std::size_t bytes, const char *verb, const void *caller);
};

inline const AsynchronyHooks *asynchrony() { return hooks ? hooks->asynchrony : nullptr; }

class StreamWork {
 public:
  explicit StreamWork(cudaStream_t stream, const void *caller = nullptr) {
    if (asynchrony()) asynchrony()->begin_work(stream_of(stream), caller);
  }
  ~StreamWork() {
    if (asynchrony()) asynchrony()->end_work();
  }
  StreamWork(const StreamWork &) = delete;
  StreamWork &operator=(const StreamWork &) = delete;
};

}  // namespace cuda_on_cpu
