// The shared memory of a cluster's blocks is side by side: one shadow for all. See hooks.hpp:
// runtime/threads/cluster.cpp calls the first three.
#pragma once

#include <cstddef>
#include <cstdint>

#include "access.hpp"
#include "cuda_on_cpu/shared.hpp"

namespace cuda_on_cpu::check {

void cluster_begin(const char *shared_of_first, unsigned blocks);
void cluster_synchronised();
void cluster_left(unsigned rank);

void begin_window(const char *arena);  // of a new block
void reserve_in_windows(SharedVariable variable);
void forget_cluster();

unsigned rank_at(const char *address);  // of the block whose window holds it
const char *in_first_window(const char *address);
// An access to what a block of the cluster does not have yet, or not any more. False: it is outside
// of everything.
bool report_without_block(const Access &access, std::uint32_t site);

}  // namespace cuda_on_cpu::check
