// What judge and worker say to each other. The judge asks, the worker answers, one frame each:
//
//   hello                                          -> device name
//   stage  slot, entry, arguments                  -> status
//   run    how, slots, key                         -> status, return values, times, statistics,
//                                                     names of the kernels launched
//   fetch  slot                                    -> status, the image of every buffer
//   share  number, name, image                     -> status
//   unshare  number                                -> status, the image
//   count                                          -> status, what was counted in the last run
//   profile                                        -> status, what the kernels of the last run took
//
// `stage` puts the arguments of one call into device memory (sealed, if the call will be timed: see
// seal.hpp), `run` makes the staged calls back to
// back (nothing but the submission's work lies between the request and the answer, so the judge can
// time it with a clock of its own), `fetch` brings the buffers back and frees the slot. `share` puts
// a buffer there that many calls name by its number, until `unshare` brings it back and frees it.
//
// A buffer travels with its name, whether its content counts as written, and an image: guard bytes,
// payload, guard bytes. The worker copies images and
// hands out pointers to their payloads; it knows neither what the guards should be nor what the
// answer is. All judging happens on the judge's side, from the images that come back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwise {

inline constexpr int kWorkerChannel = 3;  // the worker's end of the socket; 0, 1, 2 are the usual

// Guard bytes on each side of a payload. A page, so that a kernel that runs past the end by a few
// blocks of threads still writes where it is seen. A multiple of 256 keeps cudaMalloc's alignment.
inline constexpr std::size_t kGuardBytes = 4096;

// Only images and counters can be long; a longer reply is a worker that does not keep to the
// protocol.
inline constexpr std::uint64_t kReplyBytes = 1 << 16;
inline constexpr std::uint64_t kCountersBytes = 4 << 20;
inline constexpr std::size_t kNameBytes = 1 << 14;  // of all kernels' names together

// What a checker's findings may add to any reply: at most 1000 of 1 KiB each.
inline constexpr std::uint64_t kFindingsBytes = 2 << 20;

enum class Operation : std::uint32_t {
  hello, stage, run, fetch, share, unshare, count, profile
};

enum class Status : std::uint32_t {
  ok,
  missing_entry,   // the submission does not define this entry point
  unknown_entry,   // the lab's contract does not: judge and worker are of different builds
  bad_arguments,   // the arguments do not fit the entry point's parameters
  no_device,       // there is no GPU, or its driver does not answer
  cuda_error,      // a CUDA call or kernel failed; the text says which
  damaged_buffer,  // a write beyond a buffer's end, seen by the CPU backend
  finding,         // the CPU backend's checker saw something: findings, then the whole reply
  exception,       // the entry point threw; the text is what()
};

/// How calls are run: bits of one number.
enum RunBits : std::uint32_t {
  kWarm = 0,
  kCold = 1,      // the L2 cache is flushed before each call
  kRehearse = 2,  // everything but the calls themselves: what the request alone costs
  kEvents = 4,    // a pair of CUDA events around each call, which also takes time
  kNoMemory = 8,  // the device grants no memory during the calls (the CPU backend alone can)
};

/// Where an argument stands. A buffer on the host has an image too: a submission that takes it for
/// device memory must not have changed it.
enum class Place : std::uint32_t { value, device, host, null, shared };

/// What the CPU backend counts during one `run`; zeros on a GPU.
struct LaunchStatistics {
  std::uint64_t launches = 0;
  std::uint64_t threads = 0;
  std::uint64_t largest_launch = 0;  // threads of the largest launch
  std::uint64_t texture_fetches = 0;
  std::uint64_t bytes_to_host = 0;   // copied out of device memory
  std::uint64_t different_bytes_to_host = 0;  // of these, each address once
};

}  // namespace warpwise
