// How a thread waits, without assembly: for other processors, and for asan/announced_context.cpp.
#pragma once

#include <type_traits>

#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

template <class... Parameter>
long long wait(Fiber &(Block::*arrive)(Parameter...),
               const std::type_identity_t<Parameter> &...argument) {
  Block &block = current_block();
  Fiber &self = *block.running();
  if (Fiber &to = (block.*arrive)(argument...); &to != &self)
    switch_context(self.context, to.context);
  return *self.result;
}

}  // namespace

void barrier(Site site) { wait(&Block::arrive_at_barrier, site); }
void grid_barrier(Site site) { wait(&Block::arrive_at_grid_barrier, site); }
void cluster_barrier(Site site) { wait(&Block::arrive_at_cluster_barrier, site); }
int barrier_count(bool predicate, Site site) {
  return static_cast<int>(wait(&Block::arrive_and_count, predicate, site));
}
long long warp_rendezvous(const WarpRequest &request, Site site) {
  return wait(&Block::arrive_in_warp, request, site);
}

}  // namespace cuda_on_cpu
