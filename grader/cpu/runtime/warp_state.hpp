// The lanes of a warp that wait in a warp function, what each of them asked, and the answers.
#pragma once

#include "cuda_on_cpu/virtual_device.hpp"
#include "cuda_runtime.h"

namespace cuda_on_cpu {

struct WarpState {
  unsigned live = 0;     // lanes that have not left the kernel
  unsigned waiting = 0;  // lanes that wait in a warp function
  WarpRequest request[kWarpSize];
  long long result[kWarpSize];
};

template <class Visit>
void for_each_lane(unsigned lanes, Visit visit) {
  for (; lanes; lanes &= lanes - 1) visit(static_cast<unsigned>(__builtin_ctz(lanes)));
}

const char *name_of(WarpFunction function);
bool is_shuffle(WarpFunction function);
unsigned source_lane(const WarpRequest &request, unsigned lane);
long long common_result(const WarpState &warp, WarpFunction function, unsigned lanes);
unsigned lanes_with_value(const WarpState &warp, unsigned lanes, long long value);
unsigned lanes_asking_who_is_here(const WarpState &warp, unsigned lanes);

}  // namespace cuda_on_cpu
