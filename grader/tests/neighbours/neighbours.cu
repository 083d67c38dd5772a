// Groups of blocks hand values round in one launch. `./neighbours N`: each time they read from
// 2^bits blocks they wait for 2^(bits - N); only with N = 0 is nothing read too early.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cooperative.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"

constexpr int kBits = 3, kBlocks = 1 << kBits, kThreads = 64;

/// Each round a block takes over the values of the block behind it, among 2^bits, plus 1. Groups
/// grow from 2 blocks to all, and the groups of four do not make the same number of rounds.
__global__ void hand_round(int* values, kit::Arrivals* arrivals, int fewer) {
  __shared__ int kept;
  if (threadIdx.x == 0) kept = 100 + blockIdx.x;
  for (int bits = 1; bits <= kBits; ++bits) {
    const unsigned first = blockIdx.x >> bits << bits, behind = (blockIdx.x + 1) % (1u << bits);
    kit::Arrivals& own = arrivals[(gridDim.x >> bits) + (blockIdx.x >> bits)];
    const int rounds = bits == 2 ? 1 + 2 * (blockIdx.x / 4) : 2;
    kit::wait_for_neighbours(bits - fewer, own);  // the larger group's values stand
    for (int round = 0; round < rounds; ++round) {
      const int seen = values[(first + behind) * kThreads + threadIdx.x];  // EARLY
      kit::wait_for_neighbours(bits - fewer, own);
      values[blockIdx.x * kThreads + threadIdx.x] = seen + 1;  // EARLY
      kit::wait_for_neighbours(bits - fewer, own);
    }
  }
  if (kept != static_cast<int>(100 + blockIdx.x)) values[0] = -1;
}

/// The same with one block after the other.
std::vector<int> expected(std::vector<int> values, int calls) {
  while (calls-- > 0)
    for (int bits = 1; bits <= kBits; ++bits)
      for (int round = 0; round < 4; ++round) {
        const std::vector<int> before = values;
        for (int block = 0; block < kBlocks; ++block) {
          if (round >= (bits == 2 ? 1 + 2 * (block / 4) : 2)) continue;
          const int first = block >> bits << bits, behind = (block + 1) % (1 << bits);
          for (int t = 0; t < kThreads; ++t)
            values[block * kThreads + t] = before[(first + behind) * kThreads + t] + 1;
        }
      }
  return values;
}

int main(int, char** arguments) {
  std::vector<int> values(kBlocks * kThreads);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(1000 * i);
  const std::vector<int> wanted = expected(values, 2);
  const kit::DeviceBuffer<int> on_device(values);
  const kit::DeviceBuffer<kit::Arrivals> arrivals(
      std::vector<kit::Arrivals>(2 * kBlocks, kit::Arrivals{0}));
  for (int call = 0; call < 2; ++call)  // the second finds the counters as the first left them
    kit::launch_cooperatively(hand_round, kBlocks, kThreads, on_device.data(), arrivals.data(),
                              std::atoi(arguments[1]));
  CUDA_CHECK(cudaDeviceSynchronize());
  on_device.copy_to(values);
  std::puts(values == wanted ? "right" : "wrong");
}
