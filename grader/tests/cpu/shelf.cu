// The labs' shared helpers (labs/kit): sums, lanes, and loops inside one launch.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "ceil_div.hpp"
#include "dependent_launch.hpp"
#include "device_buffer.hpp"
#include "expect.cuh"
#include "neighbours.hpp"
#include "prefix_sum.hpp"
#include "tagged_word.hpp"
#include "warp.hpp"

using kit::DeviceBuffer;

/// 1, 2, 3, 1, 2, 3, ...: the sum before each of n elements, and the sum of all.
void check_sums(int n) {
  std::vector<int> count(n), wanted(n + 1), got(n + 1);
  for (int i = 0; i < n; ++i) count[i] = 1 + i % 3;
  std::partial_sum(count.begin(), count.end(), wanted.begin() + 1);
  const DeviceBuffer<int> counts(count);
  DeviceBuffer<int> first(n + 1);
  kit::sum_before(counts.data(), n, first.data());
  first.copy_to(got);
  EXPECT(got == wanted);
  EXPECT(kit::read_back(first.data() + n) == wanted[n]);
}

/// A length and a number of threads need not be of one type; the result is of the length's.
void check_ceil_div() {
  constexpr unsigned kThreads = 256;
  constexpr std::size_t kMany = (std::size_t{1} << 32) + 1;
  static_assert(kit::ceil_div(kMany, kThreads) == (std::size_t{1} << 24) + 1);
  EXPECT(kit::ceil_div(0, kThreads) == 0);
  EXPECT(kit::ceil_div(256, kThreads) == 1);
  EXPECT(kit::ceil_div(257u, std::size_t{256}) == 2u);
}

__global__ void sum_lanes(int *sums) {
  const int add = kit::over_lanes(1 << threadIdx.x % 8, [](int a, int b) { return a + b; });
  sums[threadIdx.x] = add;
}

void check_lanes() {
  DeviceBuffer<int> sums(64);
  sum_lanes<<<1, 64>>>(sums.data());
  CUDA_CHECK_LAUNCH();
  std::vector<int> got(64);
  sums.copy_to(got);
  EXPECT(got == std::vector<int>(64, 4 * 255));  // sums of 32 lanes, not of 64 threads
}

/// In each turn one more element is reached, from the left: n turns, and one without a change.
__global__ void spread(int *reached, int n, int *changed_in, int *turns) {
  const int threads = gridDim.x * blockDim.x;
  for (int turn = 1;; ++turn) {
    bool changed = false;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
      if (i == turn - 1) reached[i] = 1, changed = true;
    if (kit::changed_anywhere(changed, turn, changed_in)) continue;
    if (threadIdx.x == 0 && blockIdx.x == 0) *turns = turn;
    return;
  }
}

void check_loop(int n, int threads) {
  DeviceBuffer<int> reached(n), counters(3);
  CUDA_CHECK(cudaMemset(reached.data(), 0, n * sizeof(int)));
  CUDA_CHECK(cudaMemset(counters.data(), 0, 3 * sizeof(int)));
  const int blocks = kit::resident_blocks(spread, threads, kit::ceil_div(n, threads));
  EXPECT(blocks >= 1 && blocks <= kit::ceil_div(n, threads));
  kit::launch_cooperatively(spread, blocks, threads, reached.data(), n, counters.data(),
                            counters.data() + 2);
  EXPECT(kit::read_back(counters.data() + 2) == n + 1);
  EXPECT(kit::read_back(reached.data() + n - 1) == 1);
}

/// In each group of 2^bits blocks (the last may be smaller), each block takes the values of the
/// next one and adds 1: once for bits = 1, twice for bits = 2, and so on.
__global__ void hand_on(int *values, unsigned most_bits) {
  for (unsigned bits = 1; bits <= most_bits; ++bits) {
    const unsigned first = blockIdx.x >> bits << bits, size = min(1u << bits, gridDim.x - first);
    const unsigned next = first + (blockIdx.x - first + 1) % size;
    for (unsigned round = 0; round < bits; ++round) {
      const int seen = values[next * blockDim.x + threadIdx.x];
      kit::wait_for_neighbours(bits);  // all have read
      values[blockIdx.x * blockDim.x + threadIdx.x] = seen + 1;
      kit::wait_for_neighbours(bits);  // all have written
    }
  }
}

void check_neighbours(unsigned blocks, unsigned most_bits) {
  constexpr unsigned kThreads = 64;
  std::vector<int> values(blocks * kThreads), wanted, got(values.size());
  std::iota(values.begin(), values.end(), 0);
  const DeviceBuffer<int> on_device(values);
  constexpr int kCalls = 2;  // the second starts with the first one's counters
  for (int call = 0; call < kCalls; ++call)
    kit::launch_cooperatively(hand_on, static_cast<int>(blocks), kThreads, on_device.data(),
                              most_bits);
  for (unsigned call = 0; call < kCalls; ++call)
    for (unsigned bits = 1; bits <= most_bits; ++bits)
      for (unsigned round = 0; round < bits; ++round) {
        wanted = values;
        for (unsigned i = 0; i < values.size(); ++i) {
          const unsigned block = i / kThreads, first = block >> bits << bits;
          const unsigned size = std::min(1u << bits, blocks - first);
          values[i] = wanted[(first + (block - first + 1) % size) * kThreads + i % kThreads] + 1;
        }
      }
  on_device.copy_to(got);
  EXPECT(got == values);
}

/// Words move from block to block: each turn triples a word and adds its thread's number.
__global__ void triple(kit::TaggedWord *places, unsigned *words, unsigned turns, bool early) {
  const unsigned threads = gridDim.x * blockDim.x, mine = blockIdx.x * blockDim.x + threadIdx.x;
  kit::store_tagged(places[mine], words[mine], 1);
  for (unsigned turn = 1; turn <= turns; ++turn) {
    if (!early) kit::begin_turn();
    const unsigned place = (mine + turn * blockDim.x) % threads;
    unsigned word = 0;
    while (!kit::load_tagged(places[place], word, turn)) continue;
    if (turn < turns)
      kit::store_tagged(places[place], 3 * word + mine, turn + 1);
    else
      kit::store_tagged(places[place], 0, 0);
    words[place] = 3 * word + mine;
  }
}

/// The CPU backend reports a thread that reads too early. On a GPU the thread just waits.
void check_tags(unsigned blocks, unsigned turns, bool early) {
  constexpr unsigned kThreads = 64;
  const unsigned n = blocks * kThreads;
  std::vector<unsigned> words(n), wanted(n), got(n);
  for (unsigned i = 0; i < n; ++i) words[i] = wanted[i] = 1000003 * i;
  for (unsigned turn = 1; turn <= turns; ++turn)
    for (unsigned i = 0; i < n; ++i) {
      unsigned &word = wanted[(i + turn * kThreads) % n];
      word = 3 * word + i;
    }
  const DeviceBuffer<unsigned> on_device(words);
  const kit::TaggedWords places(n);
  kit::launch_cooperatively(triple, static_cast<int>(blocks), kThreads, places.data(),
                            on_device.data(), turns, early);
  on_device.copy_to(got);
  EXPECT(got == wanted);
}

__global__ void add_one(int *value) {
  kit::wait_for_kernel_before();
  *value += 1;
}

void check_row_of_launches() {
  const DeviceBuffer<int> value(std::vector<int>{40});
  kit::launch_behind(nullptr, add_one, 1, 1, 0, value.data());
  kit::launch_behind(nullptr, add_one, 1, 1, 0, value.data());
  EXPECT(kit::read_back(value.data()) == 42);
  std::string said;
  try {
    kit::launch_behind(nullptr, add_one, 1, 2048, 0, value.data());  // too large for a block
  } catch (const kit::CudaError &error) {
    said = error.what();
  }
  EXPECT(said.find(": cudaError") != std::string::npos);  // a GPU returns another error
}

void check_refusals() {
  EXPECT(kit::resident_blocks(spread, 64, 1) == 1);  // the twin
  EXPECT(kit::resident_blocks(spread, 64, 1 << 30) < 1 << 30);
  std::string said;
  try {
    kit::resident_blocks(spread, 2048, 1);  // too many threads for a block
  } catch (const std::exception &error) {
    said = error.what();
  }
  EXPECT(said.starts_with("no block of 2048 threads of this kernel fits on the device"));
  try {
    said.clear();
    const int most = kit::resident_blocks(spread, 64, 1 << 30);
    kit::launch_cooperatively(spread, most + 1, 64, nullptr, 0, nullptr, nullptr);
  } catch (const kit::CudaError &error) {
    said = error.what();
  }
  EXPECT(said.find("cudaErrorCooperativeLaunchTooLarge") != std::string::npos);
}

int main(int count, char **arguments) try {
  const std::string fault = count > 1 ? arguments[1] : "";
  if (fault == "early") check_tags(3, 2, true);
  if (fault == "many") check_neighbours(kit::kMostNeighbours + 1, 1);
  for (const int n : {1, 2, 255, 256, 257, 65536, 65537, 70000}) check_sums(n);
  check_lanes();
  check_ceil_div();
  for (const int n : {1, 2, 33, 200}) check_loop(n, 32);
  for (const unsigned blocks : {1, 2, 7, 8}) check_neighbours(blocks, 3);
  for (const unsigned blocks : {1, 2, 7}) check_tags(blocks, 5, false);
  check_row_of_launches();
  check_refusals();
  return failures();
} catch (const kit::CudaError &error) {
  std::puts(error.what());
  return 3;
}
