// What a call may copy to the host: more is work that is done there.
#pragma once

#include <cstdint>

namespace warpwise {

/// Flags of a loop are few bytes after each launch; what is sorted or searched is many.
struct HostBytes {
  std::uint64_t most = UINT64_MAX;  // of all copies together, and beyond that ...
  std::uint64_t per_launch = 0;     // ... so many for every launch
};

}  // namespace warpwise
