// The lanes of a warp that wait in a warp function, what each of them asked, and the answers.
#pragma once

#include "cuda_on_cpu/virtual_device.hpp"
#include "cuda_runtime.h"

namespace cuda_on_cpu {

// Which lanes' values include one that no lane gave. A lane may throw such a value away: only if
// what it passes on next differs from what it passed on before has it used the value.
struct SpoiledLanes {
  unsigned sure = 0, in_doubt = 0;  // lanes
  long long given[kWarpSize];       // by the lanes in doubt
  WarpFunction function = WarpFunction::sync;  // of the shuffles that make one reduction, and
  unsigned arguments = 0;                      // which arguments they had: none comes twice

  // All shuffles of a warp, in turn. True if the value of the first lane is spoiled for sure.
  bool follow(const WarpRequest (&request)[kWarpSize], unsigned lanes);
};

// What a lane gets that asks an absent lane. In check mode it is no value that goes unnoticed.
inline constexpr long long kAbsentValue = 0x7ead7ead7ead7ead;

struct WarpState {
  unsigned live = 0;     // lanes that have not left the kernel
  unsigned waiting = 0;  // lanes that wait in a warp function
  unsigned at_tile_barrier = 0;  // lanes that wait in the sync() of a tile of several warps
  WarpRequest request[kWarpSize];
  long long result[kWarpSize];
  Site site[kWarpSize];  // of lanes that wait in a warp function or a tile
  SpoiledLanes spoiled;  // in check mode
};

template <class Visit>
void for_each_lane(unsigned lanes, Visit visit) {
  if (lanes == ~0u) {  // as nearly always
    for (unsigned lane = 0; lane < kWarpSize; ++lane) visit(lane);
    return;
  }
  for (; lanes; lanes &= lanes - 1) visit(static_cast<unsigned>(__builtin_ctz(lanes)));
}

inline bool asks_for_the_same(const WarpRequest &one, const WarpRequest &other) {
  return one.function == other.function && one.mask == other.mask;
}

const char *name_of(WarpFunction function);
bool is_shuffle(WarpFunction function);
unsigned source_lane(const WarpRequest &request, unsigned lane);
bool ask_for_the_same(const WarpState &warp, unsigned lanes);
// Gives each of these lanes its result. False if one of them reads a lane that is not among them.
bool shuffle(WarpState &warp, WarpFunction function, unsigned lanes);
long long common_result(const WarpState &warp, WarpFunction function, unsigned lanes);
unsigned lanes_with_value(const WarpState &warp, unsigned lanes, long long value);
unsigned lanes_asking_who_is_here(const WarpState &warp, unsigned lanes);

}  // namespace cuda_on_cpu
