// Votes, matches, reductions of a warp, and groups of all sizes.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// ---- votes of a block
__global__ void any_negative(const int *in, int *out, bool bug) {
  __shared__ int found;
  const int t = threadIdx.x;
  const int any = __syncthreads_or(in[t] < 0);
  if (t == 0) found = any + 1;  // BUG race vote_told_without_barrier
  if (!bug) __syncthreads();
  out[t] = found;  // BUG race vote_told_without_barrier
}
CASE(vote_told_without_barrier) {
  Up<int> in(counting<int>(128));
  Buffer<int> out(128);
  any_negative<<<1, 128>>>(in, out, bug);
  EXPECT(down<int>(out, 128)[127] == 1);
}
__global__ void count_kept(const int *in, int *out, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (bug && i >= n) return;
  const bool keep = i < n && in[i] % 3 == 0;
  const int kept = __syncthreads_count(keep);  // BUG barrier count_after_guard
  if (threadIdx.x == 0) out[blockIdx.x] = kept;
}
CASE(count_after_guard) {
  Up<int> in(counting<int>(100));
  Buffer<int> out(2);
  count_kept<<<2, 64>>>(in, out, 100, bug);
  EXPECT(down<int>(out, 2)[1] == 12);
}
__global__ void until_sorted(int *data, int n, bool bug) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  int phase = 0, changed = 1;
  while (changed) {
    changed = 0;
    for (int parity = 0; parity < 2; ++parity) {
      const int i = 2 * t + parity;
      if (i + 1 < n && s[i] > s[i + 1]) {  // BUG race sorted_by_votes
        const int high = s[i];
        s[i] = s[i + 1];  // BUG race sorted_by_votes
        s[i + 1] = high;
        changed = 1;
      }
      if (!bug) __syncthreads();
    }
    changed = __syncthreads_or(changed);
    ++phase;
  }
  data[t] = s[t];
}
CASE(sorted_by_votes) {
  std::vector<int> host = counting<int>(64);
  for (int &value : host) value = 63 - value;
  Up<int> data(host);
  until_sorted<<<1, 64>>>(data, 64, bug);
  EXPECT(down<int>(data, 64)[5] == 5);
}

// ---- matches and reductions of a warp
__global__ void by_leaders(const int *keys, int *bins, bool bug) {
  const int key = keys[blockIdx.x * blockDim.x + threadIdx.x];
  const unsigned equal = __match_any_sync(0xffffffff, key);
  const int leader = __ffs(equal) - 1;
  if (static_cast<int>(threadIdx.x % 32) != leader) return;
  if (bug) bins[key] += __popc(equal);  // BUG race leaders_add_plainly
  else atomicAdd(&bins[key], __popc(equal));
}
CASE(leaders_add_plainly) {
  std::vector<int> host = counting<int>(128);
  for (int &value : host) value %= 7;
  Up<int> keys(host);
  Buffer<int> bins(7);
  by_leaders<<<2, 64>>>(keys, bins, bug);
  EXPECT(down<int>(bins, 7)[0] == 19);
}
// Lanes that have left the kernel are not waited for.
__global__ void warp_maximum(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int most = __reduce_max_sync(0xffffffff, in[i]);
  if (threadIdx.x % 32 == 0) atomicMax(out, most);
}
CASE(quiet_maximum_of_those_left) {
  Up<int> in(counting<int>(50));
  Buffer<int> out(1);
  warp_maximum<<<1, 64>>>(in, out, 50);
  EXPECT(down<int>(out, 1)[0] == 49);
}
__global__ void bits_of_odd(const unsigned *in, unsigned *out, bool bug) {
  const int t = threadIdx.x;
  if (t % 2) {
    const unsigned mask = bug ? 0xffffffffu : 0xaaaaaaaau;
    out[t] = __reduce_or_sync(mask, in[t]);  // BUG barrier bits_of_odd_lanes
  }
}
CASE(bits_of_odd_lanes) {
  Up<unsigned> in(std::vector<unsigned>(32, 4u));
  Buffer<unsigned> out(32);
  bits_of_odd<<<1, 32>>>(in, out, bug);
  EXPECT(down<unsigned>(out, 32)[31] == 4u);
}
__global__ void aggregated(const int *in, int *out, int *count, bool bug) {
  const int t = threadIdx.x;
  if (in[t] % 2) return;
  const unsigned active = __activemask();
  const int lane = t % 32, leader = __ffs(active) - 1;
  int base = 0;
  if (lane == leader) base = atomicAdd(count, __popc(active));
  base = __shfl_sync(active, base, leader);
  const int rank = bug ? lane : __popc(active & ((1u << lane) - 1));
  out[base + rank] = in[t];  // BUG memory aggregate_by_lane
}
CASE(aggregate_by_lane) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(32), count(1);
  aggregated<<<1, 64>>>(in, out, count, bug);
  EXPECT(down<int>(count, 1)[0] == 32);
}

// ---- groups
__global__ void by_label(const int *labels, int *sums, bool bug) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int label = labels[threadIdx.x];
  const auto equal = cg::labeled_partition(warp, label);
  const int size = cg::reduce(equal, 1, cg::plus<int>());
  if (equal.thread_rank() != 0) return;
  if (bug) sums[label] += size;  // BUG race labels_of_two_warps
  else atomicAdd(&sums[label], size);
}
CASE(labels_of_two_warps) {
  std::vector<int> host = counting<int>(64);
  for (int &value : host) value %= 5;
  Up<int> labels(host);
  Buffer<int> sums(5);
  by_label<<<1, 64>>>(labels, sums, bug);
  EXPECT(down<int>(sums, 5)[4] == 12);
}
__global__ void tiles_exchange(const int *in, int *out, bool bug) {
  __shared__ int s[128];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const int t = threadIdx.x;
  s[t] = in[t];  // BUG race tiles_exchange_by_tile_sync
  if (bug) tile.sync();
  else block.sync();
  out[t] = s[(t + 16) % 128];  // BUG race tiles_exchange_by_tile_sync
}
CASE(tiles_exchange_by_tile_sync) {
  Up<int> in(counting<int>(128));
  Buffer<int> out(128);
  tiles_exchange<<<1, 128>>>(in, out, bug);
  EXPECT(down<int>(out, 128)[0] == 16);
}
__global__ void scan_of_tiles(const int *in, int *out, bool bug) {
  __shared__ int totals[4];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int t = threadIdx.x;
  const int sum = cg::inclusive_scan(warp, in[t]);
  if (warp.thread_rank() == 31) totals[warp.meta_group_rank()] = sum;  // BUG race totals_of_tiles
  if (!bug) block.sync();
  int before = 0;
  for (unsigned w = 0; w < warp.meta_group_rank(); ++w) before += totals[w];  // BUG race totals_of_tiles
  out[t] = before + sum;
}
CASE(totals_of_tiles) {
  Up<int> in(std::vector<int>(128, 1));
  Buffer<int> out(128);
  scan_of_tiles<<<1, 128>>>(in, out, bug);
  EXPECT(down<int>(out, 128)[127] == 128);
}
__global__ void coalesced_slots(const int *in, int *out, bool bug) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = -1;
  __syncwarp();
  if (in[t] > 15) {
    const auto group = cg::coalesced_threads();
    s[group.thread_rank()] = in[t];  // BUG race coalesced_without_sync
    if (!bug) group.sync();
    out[t] = s[group.num_threads() - 1 - group.thread_rank()];  // BUG race coalesced_without_sync
  }
}
CASE(coalesced_without_sync) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  coalesced_slots<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[16] == 31);
}
__global__ void halves(int *out, bool bug) {
  __shared__ int turn[2];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  const auto half = cg::binary_partition(tile, threadIdx.x % 2 == 0);
  const int side = threadIdx.x % 2;
  if (half.thread_rank() == 0) turn[side] = threadIdx.x;  // BUG race halves_of_two_warps
  half.sync();
  if (!bug && blockDim.x > 32) block.sync();
  out[threadIdx.x] = turn[side];
}
CASE(halves_of_two_warps) {
  Buffer<int> out(64);
  halves<<<1, bug ? 64 : 32>>>(out, bug);
}
__global__ void both_phases(int *a, int *b, int n, bool bug) {
  const auto grid = cg::this_grid();
  const int i = static_cast<int>(grid.thread_rank());
  if (i < n) b[i] = a[i] + 1;  // BUG race grid_phases_not_joined
  if (!bug) grid.sync();
  if (i < n) a[i] = b[n - 1 - i];  // BUG race grid_phases_not_joined
}
CASE(grid_phases_not_joined) {
  int n = 256;
  Up<int> a(counting<int>(n));
  Buffer<int> b(n);
  int *pa = a, *pb = b;
  void *arguments[] = {&pa, &pb, &n, &bug};
  cudaLaunchCooperativeKernel(reinterpret_cast<void *>(both_phases), dim3(4), dim3(64), arguments, 0, nullptr);
  EXPECT(down<int>(a, n)[0] == 256);
}
__global__ void large_tile(const int *in, int *out, bool bug) {
  __shared__ int s[128];
  __shared__ cg::block_tile_memory<128> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const int t = threadIdx.x;
  s[t] = in[t];  // BUG race tile_of_two_warps
  if (bug) __syncwarp();
  else tile.sync();
  out[t] = s[t ^ 32];  // BUG race tile_of_two_warps
}
CASE(tile_of_two_warps) {
  Up<int> in(counting<int>(128));
  Buffer<int> out(128);
  large_tile<<<1, 128>>>(in, out, bug);
  EXPECT(down<int>(out, 128)[127] == 95);
}

// A tile takes a rank modulo its size. A group of those with one label has no such rule.
__global__ void last_of_its_label(const int *labels, int *out, bool bug) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto group = cg::labeled_partition(warp, labels[threadIdx.x]);
  out[threadIdx.x] = group.shfl(int(threadIdx.x), bug ? 31 : group.size() - 1);  // BUG barrier rank_of_the_whole_warp
}
CASE(rank_of_the_whole_warp) {
  std::vector<int> labels(32);
  for (int i = 0; i < 32; ++i) labels[i] = i % 3;
  Up<int> device(labels);
  Buffer<int> out(32);
  last_of_its_label<<<1, 32>>>(device, out, bug);
  EXPECT(down<int>(out, 32)[0] == 30);
}
__global__ void rank_beyond_a_tile(int *out) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  out[threadIdx.x] = tile.shfl(int(threadIdx.x), 9);
}
CASE(quiet_rank_beyond_a_tile) {
  (void)bug;
  Buffer<int> out(32);
  rank_beyond_a_tile<<<1, 32>>>(out);
  EXPECT(down<int>(out, 32)[8] == 9);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
