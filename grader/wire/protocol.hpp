// What judge and worker say to each other. The judge asks, the worker answers, one frame each:
//
//   hello                                          -> device name
//   look_up  entry                                 -> status, whether the submission defines it
//   lend   region, place, buffers  + descriptor    -> status
//   stage  calls: slot, entry, arguments           -> status
//   run    how, slots, key                         -> status, return values, times, statistics,
//                                                     names of the kernels launched
//   take_back  region                              -> status
//   count                                          -> status, what was counted in the last run
//   profile                                        -> status, what the kernels of the last run took
//
// The buffers of a call are the judge's own memory. `lend` hands a region of it to the worker,
// which maps it by the descriptor that comes with the request, as device memory or as host memory.
// A region holds images: guard bytes, payload, guard bytes. The worker hands out pointers to the
// payloads; it knows neither what the guards should be nor what the answer is. When the reply to
// `run` is here, the judge copies every region at once. No buffer travels through the worker's
// code, and what is written after the copy does not count. A region that is lent under a known
// number takes the place of the earlier one; the region of a batch takes the staged calls with it.
//
// `stage` names the arguments of calls (sealed, if they will be timed: see seal.hpp), `run`
// makes the staged calls back to back: nothing but the submission's work lies between the request
// and the answer, so the judge can time it with a clock of its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwise {

inline constexpr int kWorkerChannel = 3;  // the worker's end of the socket; 0, 1, 2 are the usual

// Guard bytes on each side of a payload. A page, so that a kernel that runs past the end by a few
// blocks of threads still writes where it is seen. A multiple of 256 keeps cudaMalloc's alignment.
inline constexpr std::size_t kGuardBytes = 4096;

// Images begin at multiples of this in a region, so that each can be mapped alone.
inline constexpr std::size_t kImageAlignment = 4096;

// Regions with the buffers of a batch; shared buffers have the numbers after them.
inline constexpr std::uint64_t kBatchOnDevice = 0, kBatchOnHost = 1, kFirstShared = 2;

// Only counters can be long; a longer reply is a worker that does not keep to the protocol.
inline constexpr std::uint64_t kReplyBytes = 1 << 16;
inline constexpr std::uint64_t kCountersBytes = 4 << 20;
inline constexpr std::size_t kNameBytes = 1 << 14;  // of all kernels' names together

// What a checker's findings may add to any reply: at most 1000 of 1 KiB each.
inline constexpr std::uint64_t kFindingsBytes = 2 << 20;

enum class Operation : std::uint32_t {
  hello, look_up, lend, stage, run, take_back, count, profile
};

/// How a reply begins. After all but `ok` and `finding`: the text, and the launches until then.
enum class Status : std::uint32_t {
  ok,
  unknown_entry,   // no entry point of the lab: judge and worker are of different builds
  bad_arguments,   // the arguments do not fit the entry point's parameters
  no_device,       // there is no GPU, or its driver does not answer
  cuda_error,      // a CUDA call or kernel failed; the text says which
  damaged_buffer,  // a write beyond a buffer's end, seen by the CPU backend
  finding,         // the CPU backend's checker saw something: findings, launches, the whole reply
  exception,       // the entry point threw; the text is what()
};

/// How calls are run: bits of one number.
enum RunBits : std::uint32_t {
  kWarm = 0,
  kCold = 1,      // the L2 cache is flushed before each call
  kRehearse = 2,  // everything but the calls themselves: what the request alone costs
  kEvents = 4,    // a pair of CUDA events around each call, which also takes time
  kNoMemory = 8,  // the device grants no memory during the calls, or little; a GPU does
  // The CPU backend alone can:
  // of each launch only three blocks run; one is chosen by the bits from kMiddle on
  kFewBlocks = 16,
  // A number of 2 bits from here: with kNoMemory, so many allocations in each call are granted.
  kGranted = 32,
  kPinned = 128,  // buffers on the host are registered with CUDA
  // A number of 5 bits from here: only so many launches run, and those from kAgainFrom on; 0: all.
  kFewLaunches = 256,
  // The number of a launch is in the bits from here; 0: none. Not with kFewBlocks.
  kAgainFrom = 32 * kFewLaunches,
  kTogether = kAgainFrom,  // with kFewBlocks: also where blocks may wait for each other
  kMiddle = 2 * kTogether,
};

constexpr std::uint32_t kMostGranted = 3;  // see kGranted

/// Where an argument is. A buffer on the host has an image too: a submission that takes it for
/// device memory must not have changed it.
enum class Place : std::uint32_t { value, device, host, null };

/// What a lent buffer holds, and whether the contract makes it const.
enum class LentAs : std::uint32_t { unwritten, written, constant };

/// Names a buffer that was lent: the region, and the buffer's index in it.
struct LentBuffer {
  std::uint64_t region = 0;
  std::uint32_t index = 0;
  std::uint32_t sealed = 0;  // 1: its content is opened when the clock runs
};

/// What the CPU backend counts during one `run`. A GPU knows what was kept, and `room`; the rest is
/// 0.
struct LaunchStatistics {
  std::uint64_t launches = 0;
  std::uint64_t threads = 0;
  std::uint64_t largest_launch = 0;  // threads of the largest launch
  std::uint64_t texture_fetches = 0;
  std::uint64_t texture_bytes = 0;   // that these have brought
  std::uint64_t bytes_to_host = 0;   // copied out of device memory
  std::uint64_t kept_buffers = 0;    // device memory that the calls have not freed ...
  std::uint64_t kept_textures = 0;   // ... and texture objects, not destroyed
  std::uint64_t allocations = 0;     // of device memory, also of what was freed again
  // Under the checker: accesses of all threads to memory, and those of the busiest of each launch.
  std::uint64_t accesses = 0;
  std::uint64_t longest_share = 0;
  // Those that had to be made one after another: by one thread, or by some that waited in turn.
  std::uint64_t longest_chain = 0;
  // Accesses of the busiest thread that moves what it reads, at most 16 for each word it writes.
  std::uint64_t moving_share = 0;
  // The most accesses of one thread in a launch, at most 32 for each place that it writes.
  std::uint64_t widest_share = 0;
  std::uint64_t shared_work = 0;       // all accesses, each times the threads that shared the work
  std::uint64_t in_buffers = 0;        // accesses to buffers of global memory
  std::uint64_t own_memory = 0;        // accesses to device variables and the kernels' heap
  std::uint64_t own_stacks = 0;        // accesses to the threads' own stacks and to constants
  std::uint64_t writes = 0;            // writes to anything but these
  std::uint64_t variable_bytes = 0;  // of the device variables that kernels have touched so far
  std::uint64_t busiest_launch = 0;    // accesses, without stacks, of the launch that made most
  std::uint64_t working_launches = 0;  // launches that touched memory
  // of all launches, also those that were asked for and did not run
  std::uint64_t blocks = 0;
  std::uint64_t shared_bytes = 0;      // of shared memory, of a block of the launch that had most
  std::uint64_t largest_grid = 0;      // blocks, or clusters, of the launch that had most
  // On a GPU: bytes that no call has to allocate, but in which one could leave something for the
  // next.
  std::uint64_t room = 0;
};

}  // namespace warpwise
