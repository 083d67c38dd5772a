// Cooperative groups: ranks, exchanges, reductions, scans, and grid.sync().
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <vector>

#include "expect.cuh"

namespace cg = cooperative_groups;

template <unsigned Size>
__device__ bool tile_is_right(const cg::thread_block &block) {
  const auto tile = cg::tiled_partition<Size>(block);
  const int rank = tile.thread_rank(), size = Size, me = block.thread_rank();
  bool good = rank == me % size && tile.size() == Size && tile.num_threads() == Size;
  good &= tile.meta_group_rank() == block.thread_rank() / Size;
  good &= tile.meta_group_size() == (block.size() + Size - 1) / Size;
  good &= tile.shfl(me, 0) == me - rank;
  good &= tile.shfl_down(me, 1) == (rank + 1 < size ? me + 1 : me);
  good &= tile.shfl_up(me, 1) == (rank > 0 ? me - 1 : me);
  good &= tile.any(rank == size - 1) && tile.all(rank < size) && !tile.any(rank == size);
  good &= cg::reduce(tile, rank, cg::plus<int>()) == size * (size - 1) / 2;
  good &= cg::reduce(tile, rank, cg::greater<int>()) == size - 1;
  good &= cg::reduce(tile, rank + 5, cg::less<int>()) == 5;
  tile.sync();
  return good;
}

__global__ void tiles(int *ok) {
  const cg::thread_block block = cg::this_thread_block();
  bool good = tile_is_right<1>(block) & tile_is_right<2>(block) & tile_is_right<8>(block);
  good &= tile_is_right<16>(block) & tile_is_right<32>(block);
  const auto warp = cg::tiled_partition<32>(block);
  const unsigned rank = warp.thread_rank();
  const auto quarter = cg::tiled_partition<8>(warp);
  good &= quarter.meta_group_rank() == rank / 8 && quarter.meta_group_size() == 4;
  good &= quarter.shfl_xor(rank, 1) == (rank ^ 1) && quarter.ballot(rank % 2) == 0xaau;
  good &=
      warp.ballot(rank < 3) == 7u && warp.match_any(rank / 16) == (rank < 16 ? 0xffffu : ~0xffffu);
  int equal = 7;
  good &= warp.match_all(4, equal) == ~0u && equal;
  good &= warp.match_all(rank, equal) == 0 && !equal;
  good &= cg::reduce(quarter, 1u << rank % 8, cg::bit_or<unsigned>()) == 0xffu;
  good &= cg::reduce(quarter, ~(1u << rank % 8), cg::bit_and<unsigned>()) == ~0xffu;
  good &= cg::reduce(quarter, 3u, cg::bit_xor<unsigned>()) == 0u;
  good &= cg::inclusive_scan(quarter, 2) == 2 * (static_cast<int>(rank) % 8 + 1);
  good &= cg::exclusive_scan(quarter, 2) == 2 * (static_cast<int>(rank) % 8);
  good &= cg::inclusive_scan(warp, rank % 4, cg::greater<unsigned>()) == (rank < 3 ? rank : 3u);
  const double4 wide = warp.shfl(make_double4(rank, 1, 2, 3), 9);
  good &= wide.x == 9 && wide.w == 3;
  const cg::thread_group dynamic = cg::tiled_partition(block, 4);
  good &= dynamic.size() == 4 && dynamic.thread_rank() == rank % 4;
  dynamic.sync();
  cg::sync(block);
  ok[block.thread_rank()] = good;
}

__global__ void coalesced(int *ok) {
  const unsigned lane = threadIdx.x % 32;
  bool good = true;
  if (lane % 3 == 1) {
    const cg::coalesced_group active = cg::coalesced_threads();
    good &= active.size() == 11 && active.thread_rank() == lane / 3;
    good &= active.shfl(lane, 2) == 7 && active.ballot(lane < 8) == 7u;
    good &= cg::reduce(active, 1, cg::plus<int>()) == 11;
    good &= cg::exclusive_scan(active, 1u) == active.thread_rank();
    active.sync();
  }
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto part = cg::labeled_partition(warp, lane % 5);
  good &= part.size() == (lane % 5 < 2 ? 7u : 6u) && part.thread_rank() == lane / 5;
  const auto half = cg::binary_partition(warp, lane < 10);
  good &= half.size() == (lane < 10 ? 10u : 22u);
  int called = 0;
  cg::invoke_one(half, [&](int by) { called += by; }, 1);
  good &= cg::reduce(half, called, cg::plus<int>()) == 1;
  good &= cg::invoke_one_broadcast(half, [&] { return 2 * half.size(); }) == 2 * half.size();
  ok[threadIdx.x] = good;
}

__global__ void block_functions(int *ok, const int *in) {
  extern __shared__ int staged[];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, staged, in, sizeof(int) * block.size());
  cg::wait(block);
  const unsigned rank = block.thread_rank();
  bool good = staged[block.size() - 1 - rank] == static_cast<int>(block.size() - 1 - rank);
  good &= block.thread_index().y == threadIdx.y && block.group_index().x == blockIdx.x;
  good &= block.dim_threads().y == blockDim.y && rank == threadIdx.x + blockDim.x * threadIdx.y;
  ok[rank] = good;
}

// Each block adds what its right neighbour wrote before grid.sync().
__global__ void grid_rounds(int *values, int *ok, int rounds) {
  __shared__ int kept;
  const cg::grid_group grid = cg::this_grid();
  bool good = grid.is_valid() && grid.size() == gridDim.x * blockDim.x;
  good &= grid.thread_rank() == blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) kept = 100 + blockIdx.x;
  for (int round = 0; round < rounds; ++round) {
    const int seen = values[(grid.thread_rank() + blockDim.x) % grid.size()];
    grid.sync();
    values[grid.thread_rank()] = seen + 1;
    grid.barrier_wait(grid.barrier_arrive());
  }
  ok[grid.thread_rank()] = good && kept == static_cast<int>(100 + blockIdx.x);
}

void expect_all(const int *device, int count, const char *what) {
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  std::vector<int> host(count);
  cudaMemcpy(host.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; ++i)
    if (host[i] != 1) {
      std::printf("%s: thread %d differs\n", what, i);
      ++failures();
      return;
    }
}

void check_grid_sync(int *ok) {
  int blocks = 6, threads = 64, rounds = 4, *values;
  const int count = blocks * threads;
  std::vector<int> host(count);
  for (int i = 0; i < count; ++i) host[i] = i;
  cudaMalloc(&values, count * sizeof(int));
  cudaMemcpy(values, host.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  void *arguments[] = {&values, &ok, &rounds};
  EXPECT(cudaLaunchCooperativeKernel(grid_rounds, dim3(blocks), dim3(threads), arguments, 0,
                                     nullptr) == cudaSuccess);
  expect_all(ok, count, "grid.sync()");
  cudaMemcpy(host.data(), values, count * sizeof(int), cudaMemcpyDeviceToHost);
  bool right = true;
  for (int i = 0; i < count; ++i) right &= host[i] == (i + rounds * threads) % count + rounds;
  EXPECT(right);
  EXPECT(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(grid_rounds), dim3(1 << 20),
                                     dim3(threads), arguments, 0,
                                     nullptr) == cudaErrorCooperativeLaunchTooLarge);
  EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
  cudaFree(values);
}

// A loop that reads a volatile word may wait for another block, so blocks take turns in it. Meanwhile other
// lanes are in a shuffle, or other threads in grid.sync().
__global__ void long_ways(const volatile int *way, int steps, int *found, int *ok) {
  const cg::grid_group grid = cg::this_grid();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = warp.thread_rank(), me = grid.thread_rank();
  bool good = true;
  for (int round = 0; round < 3; ++round) {
    int place = 0;
    if ((lane + round) % 4 == 1)
      while (place < steps + lane) place = way[place];
    const int sum = cg::reduce(warp, place + me, cg::plus<int>());
    if ((lane + round) % 4 == 2)
      while (place < steps) place = way[place];
    found[me] = sum;
    grid.sync();
    int expected = 0;
    for (int other = me - lane; other < me - lane + 32; ++other)
      expected += other + ((other % 32 + round) % 4 == 1 ? steps + other % 32 : 0);
    good &= sum == expected && found[(me + blockDim.x) % grid.size() / 32 * 32] != 0;
    grid.sync();
    found[me] = 0;
    grid.sync();
  }
  ok[me] = good;
}

void check_long_ways(int *ok) {
  int steps = 1000, *found, *way;
  std::vector<int> next(steps + 32);
  for (int i = 0; i < steps + 32; ++i) next[i] = i + 1;
  cudaMalloc(&way, next.size() * sizeof(int));
  cudaMalloc(&found, 512 * sizeof(int));
  cudaMemcpy(way, next.data(), next.size() * sizeof(int), cudaMemcpyHostToDevice);
  void *arguments[] = {&way, &steps, &found, &ok};
  EXPECT(cudaLaunchCooperativeKernel(long_ways, dim3(8), dim3(64), arguments, 0, nullptr) ==
         cudaSuccess);
  expect_all(ok, 512, "threads that take long, beside others in a shuffle and in grid.sync()");
  cudaFree(way);
  cudaFree(found);
}

__device__ unsigned who_is_here() { return __activemask(); }
__device__ __noinline__ unsigned who_is_in_my_group() {
  const cg::coalesced_group here = cg::coalesced_threads();
  return here.ballot(1) << 8 | here.size();
}
__device__ __forceinline__ unsigned who_is_inlined() {
  return cg::coalesced_threads().size();
}
/// The same function in two branches: who calls it in one is not active in the other.
__global__ void two_branches(int *ok) {
  const unsigned lane = threadIdx.x % 32;
  unsigned mask, group, inlined;
  if (lane % 4 == 0) {
    mask = who_is_here();
    group = who_is_in_my_group();
    inlined = who_is_inlined();
    ok[threadIdx.x] = mask == 0x11111111u && group == (0xffu << 8 | 8) && inlined == 8;
  } else {
    mask = who_is_here();
    group = who_is_in_my_group();
    inlined = who_is_inlined();
    ok[threadIdx.x] = mask == 0xeeeeeeeeu && group == (0xffffffu << 8 | 24) && inlined == 24;
  }
}
/// One place where two branches meet, though an optimiser may join the branches before and after.
__global__ void where_branches_meet(int *ok) {
  const int lane = threadIdx.x % 32;
  const bool is_odd = lane % 2 == 1;
  if (is_odd) ok[threadIdx.x] = 5;
  const unsigned mask = __activemask();
  if (is_odd)
    ok[threadIdx.x] = mask == 0xffffffffu && ok[threadIdx.x] == 5;
  else
    ok[threadIdx.x] = mask == 0xffffffffu;
}

int main() {
  constexpr int kThreads = 512;
  int *ok, *in;
  cudaMalloc(&ok, kThreads * sizeof(int));
  cudaMalloc(&in, kThreads * sizeof(int));
  std::vector<int> numbers(kThreads);
  for (int i = 0; i < kThreads; ++i) numbers[i] = i;
  cudaMemcpy(in, numbers.data(), kThreads * sizeof(int), cudaMemcpyHostToDevice);
  tiles<<<1, 64>>>(ok);
  expect_all(ok, 64, "tiles");
  coalesced<<<1, 64>>>(ok);
  expect_all(ok, 64, "coalesced groups");
  two_branches<<<1, 64>>>(ok);
  expect_all(ok, 64, "a function that two branches call");
  where_branches_meet<<<1, 64>>>(ok);
  expect_all(ok, 64, "a place that two branches lead to");
  block_functions<<<1, dim3(16, 8), 128 * sizeof(int)>>>(ok, in);
  expect_all(ok, 128, "block");
  check_grid_sync(ok);
  check_long_ways(ok);
  cudaFree(ok);
  cudaFree(in);
  return failures() != 0;
}
