// Where the assembly of waits.hpp arrives: it gets the stack that goes on, and the result to go on
// with.
#include "threads/block.hpp"

namespace cuda_on_cpu {
#ifndef CUDA_ON_CPU_UCONTEXT
namespace {

struct Resumed {
  void *stack_pointer;
  long long result;
};

// `saved`: the stack pointer after the registers were saved.
template <class Arrive>
Resumed resume(void *saved, Arrive arrive) {
  Block &block = current_block();
  block.running()->context.stack_pointer = saved;
  const Fiber &to = arrive(block);
  return {to.context.stack_pointer, *to.result};
}

}  // namespace

extern "C" {
Resumed cuda_on_cpu_barrier(Site site, void *saved) {
  return resume(saved, [&](Block &block) -> auto & { return block.arrive_at_barrier(site); });
}
Resumed cuda_on_cpu_grid_barrier(Site site, void *saved) {
  return resume(saved, [&](Block &block) -> auto & { return block.arrive_at_grid_barrier(site); });
}
Resumed cuda_on_cpu_cluster_barrier(Site site, void *saved) {
  return resume(saved,
                [&](Block &block) -> auto & { return block.arrive_at_cluster_barrier(site); });
}
Resumed cuda_on_cpu_barrier_count(bool predicate, Site site, void *saved) {
  return resume(
      saved, [&](Block & block) -> auto & { return block.arrive_and_count(predicate, site); });
}
Resumed cuda_on_cpu_warp(const WarpRequest &request, Site site, void *saved) {
  return resume(saved, [&](Block &block) -> auto & { return block.arrive_in_warp(request, site); });
}
}
#endif

}  // namespace cuda_on_cpu
