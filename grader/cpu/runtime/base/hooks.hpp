// The interface for a checker: a table of functions that the runtime calls at certain events. Null
// in an ordinary run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/kernel_runs.hpp"
#include "cuda_on_cpu/control.hpp"
#include "cuda_on_cpu/copy_step.hpp"
#include "cuda_runtime.h"

namespace cuda_on_cpu {

// Accesses of all threads; of the one that made most, summed over launches and grid barriers; the
// same of the one that made most while it moved what it read (checker/work.hpp); all,
// each times the number of threads that made any until the next barrier of the grid or the launch's
// end; and of all, those to buffers of global memory, to variables of the device and the kernels'
// heap, to the threads' own stacks and to constants, and those that write anywhere else than there.
// Constants that were copied from device memory count as variables.
struct Work {
  std::uint64_t accesses, longest, moving, shared, in_buffers, own_memory, own_stacks, writes;
  std::uint64_t variable_bytes;
  std::uint64_t widest;  // of one thread, while it writes many places
  std::uint64_t chain;   // made one after another, summed as `longest` (checker/work.hpp)
};

// `shared`: memory that both sides may use, pinned or managed.
enum class MemoryEvent {
  allocated,
  freed,
  freed_by_reset,
  freed_wrongly,
  freed_wrongly_in_stream,
  written_by_host,
  shared_allocated,
  shared_freed,
};

struct AsynchronyHooks;  // stream_order.hpp

struct Hooks {
  // A kernel launches a grid. Returns its number, from 1, which child_begin() gets just before
  // launch_begin().
  std::size_t (*child_launched)(cudaStream_t stream) = nullptr;
  void (*child_begin)(std::size_t number) = nullptr;
  void (*launch_begin)(const char *kernel, Site site, const Configuration &configuration);
  void (*launch_end)();
  void (*block_begin)(unsigned long long block, const char *shared, std::size_t dynamic_bytes);
  void (*block_end)();
  void (*shared_reserved)(const SharedVariable &variable);
  void (*block_synchronised)();             // all waiting threads passed a barrier
  void (*warp_synchronised)(unsigned warp, unsigned lanes);
  void (*atomic)(const void *address, std::size_t bytes, AtomicStep step,
                 const void *return_address);
  void (*fence)(bool block_only);
  void (*waits)() = nullptr;  // a round of a loop that does nothing but wait
  void (*looked)(const void *address) = nullptr;  // by an atomic that has changed nothing
  void (*compared)(const void *address, std::size_t bytes);  // an atomicCAS follows
  void (*memory)(const void *address, std::size_t bytes, MemoryEvent event,
                 const void *return_address);
  // A copy is about to be made; `caller` may be unknown. Returns how many bytes fit.
  std::size_t (*copied)(void *to, const void *from, std::size_t bytes, const void *caller);
  void (*copy_leaves_array)(bool is_target, const void *array, std::size_t room,
                            std::size_t bytes, const void *caller);
  // Rows are about to be copied, on both sides `pitch` apart.
  void (*rows_copied)(const void *to, const void *from, std::size_t pitch, std::size_t width,
                      std::size_t rows, const void *caller) = nullptr;
  void (*filled_with)(int value, const void *caller) = nullptr;  // by cudaMemset and the like
  // How many bytes of the host's heap follow in the block.
  std::size_t (*room_at)(const void *host) = nullptr;
  void (*accessible)(const void *payload, std::size_t bytes, bool initialised, const char *name);
  void (*grid_synchronised)();  // all blocks have arrived at grid.sync(); each then resumes alone
  void (*block_resumed)(unsigned long long block);  // its shared memory has not changed
  // The blocks of a cluster begin. They have their shared memory side by side, kSharedWindow apart.
  void (*cluster_begin)(const char *shared_of_first, unsigned blocks) = nullptr;
  void (*cluster_synchronised)() = nullptr;  // all that are left have arrived at cluster.sync()
  void (*cluster_left)(unsigned rank) = nullptr;  // a block of it has ended
  // A block waits in a loop for other blocks: these run in between.
  void (*block_put_aside)(unsigned long long block) = nullptr;
  void (*block_taken_up)(unsigned long long block) = nullptr;
  std::vector<KernelCounters> (*counters)();        // only for a counter; null in a checker
  void (*reset_counters)();
  const char *(*line_of)(const void *instruction);  // for a fault, or null
  // Texture and surface units read this.
  void (*fetched)(const void *texel, std::size_t bytes, const void *return_address) = nullptr;
  void (*surface_written)(const void *texel, std::size_t bytes,
                          const void *return_address) = nullptr;
  // tex1Dfetch() of an element that a texture of so many elements does not have.
  void (*texel_outside)(long index, long elements, const void *return_address) = nullptr;
  // One whose address is known: of linear memory, and inside of the texture.
  void (*texel_read)(const void *texel, std::size_t bytes, const void *return_address) = nullptr;
  Work (*work)() = nullptr;  // since the last call; null in a counter
  const AsynchronyHooks *asynchrony = nullptr;
  // The host uses an atomic.
  void (*host_atomic)(const void *address, std::size_t bytes, const void *caller) = nullptr;
  void (*constant)(const void *payload, std::size_t bytes) = nullptr;  // until it is freed
  void (*symbol_address)(const void *symbol) = nullptr;  // the program asked for it
  void (*library_memory)(const void *address, std::size_t bytes) = nullptr;  // kernels may use it
  void (*copy_step)(CopyStep step, void *to, std::size_t number) = nullptr;
  // By which calls a thread came to this barrier, as a number; the line of one that another has
  // not. `frame` is that of the function to which `return_address` returns.
  unsigned (*call_path)(Site barrier, const void *return_address, const void *frame) = nullptr;
  const char *(*line_of_path)(unsigned path, unsigned other) = nullptr;
  bool judges_barriers = false;  // a barrier is an error if threads have left the kernel
};

// What name_next_buffer() was given since the last buffer; "" if nothing.
std::string take_buffer_name();

// The runtime or its checker works for a kernel that runs. What both have in common with the
// program, such as std::string's functions, is there once, in the program's watched form: such
// accesses are no kernel's.
inline bool works_for_kernel = false;  // one worker runs all blocks where there is a checker
class WorkForKernel {
 public:
  WorkForKernel() : before_(std::exchange(works_for_kernel, true)) {}
  ~WorkForKernel() { works_for_kernel = before_; }
  WorkForKernel(const WorkForKernel &) = delete;
  WorkForKernel &operator=(const WorkForKernel &) = delete;

 private:
  bool before_;
};

// The same on the host: an `operator new` of the program works for whoever asks.
extern thread_local constinit bool allocates_on_host;

// A kernel's own code runs on this thread.
inline bool kernel_code_runs() { return inside_kernel() && !works_for_kernel; }

// With hooks, one worker runs all blocks. They must be set before the first launch.
void set_hooks(const Hooks *hooks);
extern const Hooks *hooks;

// A checker shows what does not expect other threads in between. A counter counts as if there were
// none.
inline bool is_checked() { return hooks && hooks->waits && !hooks->counters; }

// The atomic that runs now is one of those that end in _block.
extern bool atomics_are_narrow;

}  // namespace cuda_on_cpu
