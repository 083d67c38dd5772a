// What a test or a grader may ask of the CPU backend, beyond CUDA: thread order, statistics,
// damaged buffers, the last diagnostic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuda_on_cpu {

// The order in which the threads of a block, and the blocks of a grid, run between two barriers. A
// kernel with a missing barrier gives different results in different orders; reverse and random use
// one worker and are slower.
enum class Order { forward, reverse, random };
void set_order(Order order, std::uint64_t seed = 1);
Order order();

// While this is on, a launch runs only its first block, its last and one between them, which
// `middle` chooses. So a few blocks show what they do among as many elements as would take all
// blocks too long. Where blocks may wait for each other, in a cooperative launch or in clusters,
// none runs; or, `together`, those three blocks or clusters, which wait for each other alone. Then
// no more than a quarter of the blocks of any launch run, but at least one.
void run_few_blocks(bool few, std::uint32_t middle = 0, bool together = false);
// Unless `count` is 0, only so many launches run from now on, and those from number `again_from`
// on, counted from 0, unless that is 0. The others do nothing, and are not counted. So kernels show
// what they do among as many elements as need too many launches.
void run_few_launches(std::uint32_t count, std::uint32_t again_from = 0);
// What the device's variables contain, if they have pages of their own, and back. What a part of a
// call has left there is not the program's doing: a block that did not run may be the one that
// resets a ticket.
std::vector<char> content_of_variables();
void put_back_variables(const std::vector<char> &content);

struct Statistics {
  std::uint64_t launches, threads, blocks, barriers;
  std::uint64_t max_threads;  // in one launch
  std::uint64_t texture_fetches;
  std::uint64_t texture_bytes;  // that these have brought
  std::uint64_t bytes_to_host;  // copied from device memory
  std::uint64_t allocations;    // by host code: of device and managed memory, and of arrays
  // Counted by a checker only: accesses of kernels to memory, and those of the busiest thread of
  // each launch, summed over the launches; and all accesses, each times the number of threads that
  // shared the work then.
  std::uint64_t accesses, longest_share, shared_work;
  // Accesses that had to be made one after another, by threads that waited for each other.
  std::uint64_t longest_chain;
  // Those of the busiest thread that moves what it reads: at most 16 for each word that it writes.
  std::uint64_t moving_share;
  // The most of one thread in a launch, at most 32 for each place that it writes.
  std::uint64_t widest_share;
  std::uint64_t in_buffers;        // of these, to buffers of global memory
  std::uint64_t own_memory;        // of these, to variables of the device and to the kernels' heap
  std::uint64_t own_stacks;        // of these, to the threads' own stacks and to constants
  std::uint64_t writes;            // of these, what is written anywhere else than to these stacks
  std::uint64_t variable_bytes;    // of the device's variables that kernels have touched so far
  std::uint64_t busiest_launch;    // the accesses, without stacks, of the launch that made most
  std::uint64_t working_launches;  // launches that accessed memory or read a texture
  std::uint64_t shared_bytes;      // of a block, in the launch that had most
  std::uint64_t max_apart;         // blocks, or clusters of them, in one launch
};
Statistics launch_statistics();
// The kernels that were launched, each once, as written in the launches: "relax<float>". For a
// launch through a pointer this is the pointer's name.
std::vector<std::string> launched_kernels();
void reset_statistics();  // also clears the list of kernels

// The kernel that runs now, "" on the host. Still its name if host code has jumped out of it.
const char *current_kernel();

// The last line this runtime wrote to stderr, without its "warpwise: "; "" when there was none.
std::string last_diagnostic();

// Why the last call of CUDA that failed did so, with the line where that is known: "kernel sort:
// 2,048 threads per block; at most 1,024 (sort.cu:41)"; "" when none has failed.
std::string last_failure();

// A cudaMalloc buffer with writes to the memory around it: a live one, or one that has been freed
// since the last call.
struct DamagedBuffer {
  const void *pointer;
  std::size_t bytes;  // its size
  std::size_t bytes_before,
      bytes_behind;  // how many guard bytes were changed (of 256 on each side)
};
std::optional<DamagedBuffer> find_damaged_buffer();  // also reports it on stderr
std::size_t live_buffers();  // how many are not freed: cudaMalloc's, and arrays
std::size_t live_textures();  // texture and surface objects that are not destroyed

// While this is on, the device is full: cudaMalloc returns cudaErrorMemoryAllocation and
// cudaMemGetInfo says that nothing is free. For programs that must survive this.
// `granted` more allocations succeed all the same.
void refuse_device_memory(bool refuse, unsigned granted = 0);

// While the guard is on, host code that dereferences a device pointer dies with a message instead
// of reading the memory. The guard costs two mprotect calls per launch, so it ends after the first
// 64 launches. This function starts it again.
void guard_device_memory(int launches = 64);

// Maps a file as device memory. Each span of it becomes a live buffer that cudaFree does not free
// and that has no guards; offsets are multiples of the page size. Returns where the spans came to
// lie, or nothing when the device is full. abandon_device_memory() takes the same list, and unmaps
// them.
struct LentSpan {
  std::size_t offset, bytes;
};
std::vector<void *> adopt_device_memory(int file, const std::vector<LentSpan> &spans);
void abandon_device_memory(const std::vector<void *> &buffers);

// What a checker (cucc.py --mode check) found since the start or the last clear_findings(). Without
// a checker the list is empty. A program that ends normally with findings other than warnings and
// leaks exits with code 86, unless it has asked for them here.
struct RacingAccess {
  std::string verb;  // "read", "write" or "atomic"
  std::string line;  // "rank_sort.cu:41"
};
struct Finding {
  // "error" (a call failed unseen), "race", "memory", "uninitialised", "barrier", "warning",
  // "leak"; in a worker
  std::string kind;
                     // "entered": a function that a kernel's thread called through a pointer
  std::string text;
  // Only of a race: the name that mark_accessible() gave the memory, or "", and the two accesses.
  std::string buffer;
  RacingAccess first, second;
};
std::vector<Finding> findings();
void clear_findings();
bool checking();  // a checker is linked

// What a counter (cucc.py --mode count) has counted since the start or the last reset_counters().
// Without a counter the list is empty. A program that asks here prints no table at its end.
struct LineCounters {
  std::string line;           // "rank_sort.cu:41"
  std::string space, access;  // "global" or "shared"; "load", "store" or "atomic"
  std::uint64_t requests;     // of warps
  std::uint64_t pieces;       // sectors of global, wavefronts of shared memory; turns of atomics
  std::uint64_t ideal;        // pieces at best
  // How often lanes of a warp left the access together (0 when they always go the same way), and
  // how often all of them went the same way.
  std::uint64_t branches, uniform_branches;
};
struct KernelCounters {
  std::string kernel;
  std::uint64_t launches, blocks, threads, barriers;  // barriers: summed over the blocks
  std::uint64_t branches, uniform_branches;           // including those before the first access
  std::vector<LineCounters> lines;
};
std::vector<KernelCounters> counters();  // in the order of their first launches
void reset_counters();

// For memory from one cudaMalloc that several owners share: from now on, kernels may only access
// `payload` in that allocation. `initialised` says whether its present content counts as written;
// `name` is what findings call it. Copies by the host are never checked. Ends with cudaFree.
void mark_accessible(const void *payload, std::size_t bytes, bool initialised,
                     const char *name = nullptr);
// Nobody may write to `payload`, which begins at a page of its own, until it is freed: neither
// kernels nor copies. A value that is put back is a write as well.
void mark_constant(const void *payload, std::size_t bytes);

}  // namespace cuda_on_cpu
