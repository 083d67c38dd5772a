#include "atomic_steps.hpp"

#include "access.hpp"
#include "compare_and_swap.hpp"
#include "report.hpp"
#include "source_line.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {
namespace {

void learn_from_flag_at(const void *address) {
  if (work_tells) learn_from_work(address, 1);
}

}  // namespace

void note_waiting() { state().promises.waits(); }

void note_fence(bool block_only) { state().timeline.fence(current_thread(), block_only); }

void note_fruitless(const void *address) {
  learn_from_flag_at(address);
  if (state().locks.has_failed_for_long(static_cast<const char *>(address))) report_deadlock();
}

void note_comparison(const void *address, std::size_t bytes) {
  note_compared(static_cast<const char *>(address), bytes);
}

void note_step(const void *address, std::size_t bytes, AtomicStep step,
               const void *return_address) {
  Timeline &timeline = state().timeline;
  if (step.acquires) timeline.acquire(current_thread(), address);
  else if (step.reads) timeline.look(current_thread(), address);
  if (step.reads) state().work.see(current_thread(), address);
  if (step.swaps && step.acquires) learn_from_flag_at(address);
  const Strength strength = atomics_are_narrow ? Strength::atomic_in_block : Strength::atomic;
  if (timeline.release(current_thread(), address, bytes, strength))
    state().work.publish(current_thread(), address);
  check_access({static_cast<const char *>(address), bytes, step.reads, true, strength},
               return_address);
  Locks &locks = state().locks;
  if (step.loads) return locks.loads();
  locks.acts(static_cast<const char *>(address), bytes, site_of(return_address), step.swaps);
}

}  // namespace cuda_on_cpu::check
