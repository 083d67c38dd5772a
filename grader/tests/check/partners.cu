// Lanes of a warp and of parts of it: masks, votes, groups, slots in shared memory.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;
constexpr unsigned kAll = ~0u;

// ---- masks
__global__ void matches(const int *in, unsigned *out, bool bug) {
  const int lane = threadIdx.x;
  out[lane] = __match_any_sync(bug ? 0xffffu : kAll, in[lane]);  // BUG barrier match_half_mask
}
CASE(match_half_mask) {
  Up<int> in(std::vector<int>(32, 3));
  Buffer<unsigned> out(32);
  matches<<<1, 32>>>(in, out, bug);
  EXPECT(down<unsigned>(out, 32)[5] == kAll);
}
__global__ void summed(const int *in, int *out, int n, bool bug) {
  const int i = threadIdx.x;
  int sum = 0;
  if (!bug || i < n) sum = __reduce_add_sync(kAll, i < n ? in[i] : 0);  // BUG barrier reduce_in_branch
  __syncwarp();
  if (i == 0) *out = sum;
}
CASE(reduce_in_branch) {
  Up<int> in(counting<int>(20));
  Buffer<int> out(1);
  summed<<<1, 32>>>(in, out, 20, bug);
  EXPECT(down<int>(out, 1)[0] == 190);
}
__global__ void mask_kept(const int *in, int *out, bool bug) {
  const int lane = threadIdx.x;
  const unsigned before = __activemask();
  int value = in[lane];
  if (lane < 16) {
    const unsigned mask = bug ? before : 0xffffu;
    value = __shfl_sync(mask, value, 0);  // BUG barrier mask_from_before
  }
  __syncwarp();
  out[lane] = value;
}
CASE(mask_from_before) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  mask_kept<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[31] == 31);
}
__global__ void any_of_four(const int *in, int *out, int n, bool bug) {
  const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  const int i = threadIdx.x;
  bool found = false;
  if (!bug || i < n) found = tile.any(i < n && in[i] == 29);  // BUG barrier tile_of_four_in_branch
  tile.sync();
  if (i < n) out[i] = found;
}
CASE(tile_of_four_in_branch) {
  Up<int> in(counting<int>(30));
  Buffer<int> out(30);
  any_of_four<<<1, 32>>>(in, out, 30, bug);
  EXPECT(down<int>(out, 30)[28] == 1);
}
__global__ void group_shrinks(const int *in, int *out, bool bug) {
  const int lane = threadIdx.x;
  const auto group = cg::coalesced_threads();
  int left = in[lane], rounds = 0;
  while (bug ? left > 0 : group.any(left > 0)) {
    left -= left > 0;
    ++rounds;
    group.sync();  // BUG barrier group_shrinks_in_loop
  }
  out[lane] = rounds;
}
CASE(group_shrinks_in_loop) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  group_shrinks<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[3] == 31);
}
__global__ void reduced_in_branch(const int *in, int *out, bool bug) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int i = threadIdx.x;
  int sum = 0;
  if (!bug || in[i] % 3) sum = cg::reduce(tile, in[i], cg::plus<int>());  // BUG barrier cg_reduce_in_branch
  out[i] = sum;
}
CASE(cg_reduce_in_branch) {
  Up<int> in(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  Buffer<int> out(32);
  reduced_in_branch<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[17] == 136);
}
__global__ void scanned(const int *in, int *out, int n, bool bug) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  for (int i = threadIdx.x; bug ? i < n : i - static_cast<int>(threadIdx.x) < n; i += 32) {
    const int sum = cg::inclusive_scan(tile, i < n ? in[i] : 0);  // BUG barrier cg_scan_of_the_rest
    if (i < n) out[i] = sum;
  }
}
CASE(cg_scan_of_the_rest) {
  Up<int> in(std::vector<int>(40, 1));
  Buffer<int> out(40);
  scanned<<<1, 32>>>(in, out, 40, bug);
  EXPECT(down<int>(out, 40)[39] == 8);
}
__global__ void both_parts(const int *in, int *out, bool bug) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const bool odd = in[threadIdx.x] % 2;
  const auto part = cg::binary_partition(tile, odd);
  int sum = 0;
  if (odd) sum = cg::reduce(bug ? cg::coalesced_group(cg::coalesced_threads()) : part, 1, cg::plus<int>());
  if (bug && odd) sum += tile.shfl(sum, 0);  // BUG barrier whole_tile_for_a_part
  out[threadIdx.x] = sum;
}
CASE(whole_tile_for_a_part) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  both_parts<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[1] == 16);
}
// ---- lanes and shared memory
__global__ void transposed(const int *in, int *out, bool bug) {
  __shared__ int s[2][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  s[warp][lane] = in[threadIdx.x];  // BUG race warp_transpose
  if (!bug) __syncwarp();
  out[threadIdx.x] = s[warp][lane % 4 * 8 + lane / 4];  // BUG race warp_transpose
}
CASE(warp_transpose) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  transposed<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 64)[33] == 40);
}
__global__ void rotated(int *data, int rounds, bool bug) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  int value = data[lane];
  for (int r = 0; r < rounds; ++r) {
    s[lane] = value;  // BUG race warp_slot_again
    __syncwarp();
    value = s[(lane + 1) % 32];  // BUG race warp_slot_again
    if (!bug) __syncwarp();
  }
  data[lane] = value;
}
CASE(warp_slot_again) {
  Up<int> data(counting<int>(32));
  rotated<<<1, 32>>>(data, 4, bug);
  EXPECT(down<int>(data, 32)[0] == 4);
}
__global__ void stepped(const int *in, int *out, bool bug) {
  __shared__ int s[64];
  const int lane = threadIdx.x, at = 32 + lane;
  s[lane] = 0;
  s[at] = in[lane];
  __syncwarp();
  for (int d = 1; d < 32; d *= 2) {
    const int other = s[at - d];  // BUG race scan_in_step
    if (!bug) __syncwarp();
    s[at] += other;  // BUG race scan_in_step
    __syncwarp();
  }
  out[lane] = s[at];
}
CASE(scan_in_step) {
  Up<int> in(std::vector<int>(32, 2));
  Buffer<int> out(32);
  stepped<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[31] == 64);
}
__global__ void reserved(const int *in, int *out, int *count, bool bug) {
  __shared__ int base[2];
  const int lane = threadIdx.x % 32, warp = bug ? 0 : threadIdx.x / 32;
  const bool keep = in[threadIdx.x] % 2;
  const unsigned votes = __ballot_sync(kAll, keep);
  if (lane == 0) base[warp] = atomicAdd(count, __popc(votes));  // BUG race base_of_two_warps
  __syncwarp();
  if (keep) out[base[warp] + __popc(votes & ((1u << lane) - 1))] = in[threadIdx.x];
}
CASE(base_of_two_warps) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64), count(1);
  reserved<<<1, 64>>>(in, out, count, bug);
  EXPECT(down<int>(count, 1)[0] == 32);
}
__global__ void compacted(const int *in, int *out, bool bug) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool keep = in[threadIdx.x] % 2;
  const unsigned votes = __ballot_sync(kAll, keep);
  const int place = __popc(votes & ((1u << lane) - 1)) + (bug ? 0 : warp * 16);
  if (keep) out[place] = in[threadIdx.x];  // BUG race warps_compact_to_one_place
}
CASE(warps_compact_to_one_place) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(32);
  compacted<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[31] == 63);
}
__global__ void lowest_bit(const unsigned *masks, int *counts, int n, bool bug) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const int bit = __ffs(masks[i]) - 1;
  if (bug || bit >= 0) atomicAdd(counts + bit, 1);  // BUG memory no_bit_is_set
}
CASE(no_bit_is_set) {
  Up<unsigned> masks(std::vector<unsigned>{4, 0, 8, 4});
  Buffer<int> counts(32);
  lowest_bit<<<1, 32>>>(masks, counts, 4, bug);
  EXPECT(down<int>(counts, 32)[2] == 2);
}
__global__ void highest_bit(const unsigned *values, int *counts, bool bug) {
  const unsigned value = values[threadIdx.x];
  const int size = 31 - __clz(bug ? value : value | 1);
  atomicAdd(&counts[size], 1);  // BUG memory logarithm_of_zero
}
CASE(logarithm_of_zero) {
  Up<unsigned> values(std::vector<unsigned>{0, 1, 7, 300});
  Buffer<int> counts(32);
  highest_bit<<<1, 4>>>(values, counts, bug);
  EXPECT(down<int>(counts, 32)[8] == 1);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
