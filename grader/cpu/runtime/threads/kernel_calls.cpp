// The functions that the headers call inside a kernel. Each passes the call to the block that runs
// on this thread.
#include <cstdint>

#include "base/hooks.hpp"
#include "cuda_on_cpu/groups.hpp"
#include "cuda_on_cpu/heap.hpp"
#include "cuda_on_cpu/launch.hpp"
#include "cuda_on_cpu/whole_block.hpp"
#include "messages/diagnostics.hpp"
#include "messages/text.hpp"
#include "threads/block.hpp"

thread_local constinit uint3 threadIdx{}, blockIdx{};
thread_local constinit dim3 blockDim{}, gridDim{};

namespace cuda_on_cpu {

thread_local constinit BlockProgress *block_progress = nullptr;
thread_local constinit bool kernel_runs = false;
thread_local constinit bool allocates_on_host = false;
thread_local constinit char *shared_arena = nullptr;
thread_local constinit unsigned long long current_launch = 0;

void trap(Site caller) {
  Block &block = current_block();
  if (block.first_failure())
    report("trap", "kernel %s, block %s, thread %s: __trap() at %s", block.grid()->name,
           text_of(blockIdx).c_str(), text_of(threadIdx).c_str(), text_of(caller).c_str());
  block.fail(cudaErrorLaunchFailure);
}

bool start_next_thread() { return current_block().start_next_thread(); }
bool end_thread() { return current_block().end_thread(); }
void run_whole_block() { current_block().run_whole(); }
void pass_barrier() { current_block().pass_barrier(); }
void set_turn(unsigned position) { current_block().set_turn(position); }
char *take_kept(std::size_t bytes) { return current_block().take_kept(bytes); }
void give_back_kept() { current_block().give_back_kept(); }
unsigned call_path(Site caller) {
  if (!hooks || !hooks->call_path) return 0;
  void *const *frame = static_cast<void **>(__builtin_frame_address(0));
  return hooks->call_path(caller, __builtin_return_address(0), frame[0]);
}
unsigned place_of_call(const void *outer_call) {
  constexpr std::uintptr_t kSpread = 0x9e3779b1;  // so that two distances do not cancel out
  const auto call = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  return static_cast<unsigned>(call + kSpread * reinterpret_cast<std::uintptr_t>(outer_call));
}
void spin() {
  if (kernel_code_runs()) current_block().spin();
}
void wait_round() {
  spin();
  if (!hooks || !hooks->waits || !kernel_code_runs()) return;
  current_block().note_wait();
  hooks->waits();
}
void give_way(const void *address) {
  if (kernel_code_runs()) current_block().give_way(address);
}
void await_arrivals(Site caller) {
  if (inside_kernel()) current_block().await_arrivals(caller);
}
void note_arrival() {
  if (inside_kernel()) current_block().note_arrival();
}
AllocatesForAll::AllocatesForAll()
    : flag_(inside_kernel() ? works_for_kernel : allocates_on_host),
      before_(std::exchange(flag_, true)) {}
AllocatesForAll::~AllocatesForAll() { flag_ = before_; }

bool runs_on_device() { return inside_kernel(); }
bool is_cooperative_launch() { return current_block().grid()->configuration.cooperative; }
char *reserve_shared(SharedVariable variable, std::size_t alignment, const void *occurrence,
                     Site declaration) {
  return current_block().reserve_shared(variable, alignment, occurrence, declaration);
}

void note_atomic(const void *address, unsigned bytes, AtomicStep step, const void *return_address) {
  if (!hooks || works_for_kernel) return;
  if (inside_kernel()) {
    if (is_checked() && !step.loads) current_block().note_change(Block::Look::by_atomic, address);
    hooks->atomic(address, bytes, step, return_address);
  } else if (hooks->host_atomic && !allocates_on_host) {
    hooks->host_atomic(address, bytes, return_address);
  }
}

bool atomics_are_narrow = false;
void narrow_atomics(bool narrow) { atomics_are_narrow = narrow; }

void note_look(const void *address) {
  if (!is_checked() || !kernel_code_runs()) return;
  if (hooks->looked) hooks->looked(address);
  current_block().note_look(Block::Look::by_atomic, address);
}

void note_compare(const void *address, unsigned bytes) {
  if (hooks && hooks->compared && kernel_code_runs()) hooks->compared(address, bytes);
}

void note_copy_step(CopyStep step, void *to, std::size_t number) {
  if (hooks && hooks->copy_step && inside_kernel()) hooks->copy_step(step, to, number);
}

// nvcc does not compile a kernel that calls a host function. Here it would run, and with the rights
// of the host.
void refuse_in_kernel() {
  Block &block = current_block();
  if (block.first_failure())
    report(
        "launch",
        block.grid()->has_destructor
            ? "kernel %s gets an object by value whose destructor calls CUDA: the copy that a "
              "launch "
              "makes is destroyed with the launch; pass a pointer, or a struct without a destructor"
            : "kernel %s calls a function of CUDA that only host code may call",
        current_kernel());
  block.fail(cudaErrorLaunchFailure);
}

void refuse_local(const void *pointer, const char *child, Site site) {
  if (!inside_kernel()) return;
  Block &block = current_block();
  if (!block.owns_stack(static_cast<const char *>(pointer))) return;
  if (block.first_failure())
    report("memory",
           "kernel %s, block %s, thread %s gives kernel %s at %s a pointer to a local variable, "
           "which is no memory of a child grid: put the value into global memory",
           block.grid()->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(), child,
           text_of(site).c_str());
  block.fail(cudaErrorIllegalAddress);
}

void refuse_copy(std::size_t unit, bool is_target, Site caller) {
  Block &block = current_block();
  if (block.first_failure())
    report("memory",
           "kernel %s, block %s, thread %s: the copy at %s moves %zu bytes at once %s an address "
           "that is no multiple of %zu",
           block.grid()->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(),
           text_of(caller).c_str(), unit, is_target ? "to" : "from", unit);
  block.fail(cudaErrorMisalignedAddress);
}

void refuse_size(std::size_t bytes, Site caller) {
  Block &block = current_block();
  if (block.first_failure())
    report("memory",
           "kernel %s, block %s, thread %s: the copy at %s moves %zu bytes at once: 4, 8 or 16 can "
           "be",
           block.grid()->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(),
           text_of(caller).c_str(), bytes);
  block.fail(cudaErrorLaunchFailure);
}

void let_out(const volatile void *) {}

void fence(bool block_only) {
  if (hooks && kernel_code_runs()) hooks->fence(block_only);
}

}  // namespace cuda_on_cpu
