// What one request of a warp costs the memory system of a GPU.
#pragma once

#include <array>
#include <cstdint>

namespace cuda_on_cpu::count {

inline constexpr unsigned kLanes = 32;

// The lanes of a warp that executed one load or store together.
struct Request {
  Request() {}  // NOLINT: does not initialise the addresses, because there are many requests
  std::array<std::uint64_t, kLanes> address;
  std::uint32_t lanes = 0;  // which of them have an address
};

struct Cost {
  unsigned pieces;  // sectors of global memory, or wavefronts of shared memory
  unsigned ideal;   // what the same bytes would need at best
};

// Each lane accesses `bytes`, at most 16.
Cost global_cost(const Request &request, unsigned bytes);
Cost atomic_cost(const Request &request);
Cost shared_cost(const Request &request, unsigned bytes);

}  // namespace cuda_on_cpu::count
