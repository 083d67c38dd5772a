// What a call may copy to the host: more is work that is done there.
#pragma once

#include <cstdint>

namespace warpwise {

/// Flags of a loop are few bytes, copied again after a launch; what is sorted or searched is many.
struct HostBytes {
  std::uint64_t most = UINT64_MAX;  // of different addresses, and of all copies together beyond ...
  std::uint64_t per_launch = 0;     // ... so many for every launch
};

}  // namespace warpwise
