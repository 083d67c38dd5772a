// Barriers, votes, groups and pipelines in forms that look right.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

// ---- barriers that count
__global__ void until_all_done(int *data, int n, bool bug) {
  const int t = threadIdx.x;
  if (bug && t >= n) return;
  for (;;) {
    const bool more = t < n && data[t] > 0;
    if (more) --data[t];
    if (!__syncthreads_or(more)) return;  // BUG barrier or_after_return
  }
}
CASE(or_after_return) {
  Up<int> data(counting<int>(50));
  until_all_done<<<1, 64>>>(data, 50, bug);
  EXPECT(down<int>(data, 50)[49] == 0);
}
__global__ void count_if_any(const int *in, int *out, bool bug) {
  const int t = threadIdx.x;
  int count = 0;
  if (!bug || in[t] > 10) count = __syncthreads_count(in[t] > 10);  // BUG barrier count_in_branch
  __syncthreads();
  out[t] = count;
}
CASE(count_in_branch) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  count_if_any<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 64)[0] == 53);
}
__global__ void skips(const int *in, int *out, int rounds, bool bug) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    if (bug && in[t] == r) continue;
    s[t] = in[t] + r;
    __syncthreads();  // BUG barrier continue_before_barrier
    sum += s[31 - t];
    __syncthreads();
  }
  out[t] = sum;
}
CASE(continue_before_barrier) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  skips<<<1, 32>>>(in, out, 3, bug);
  EXPECT(down<int>(out, 32)[31] == 3);
}
struct Step {
  __device__ virtual void run(int *s) const { s[threadIdx.x] *= 2; }
};
struct Waiting : Step {
  __device__ void run(int *s) const override {
    const int other = s[threadIdx.x ^ 1];
    __syncthreads();  // BUG barrier virtual_step
    s[threadIdx.x] = other;
  }
};
__global__ void steps(int *out, bool bug) {
  __shared__ int s[32];
  const Step plain;
  const Waiting waiting;
  const Step *step = bug && threadIdx.x % 2 ? &plain : &waiting;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  step->run(s);
  out[threadIdx.x] = s[threadIdx.x];
}
CASE(virtual_step) {
  Buffer<int> out(32);
  steps<<<1, 32>>>(out, bug);
  EXPECT(down<int>(out, 32)[0] == 1);
}
// ---- shuffles and votes
__global__ void from_absent_lane(const int *in, int *out, bool bug) {
  const int lane = threadIdx.x;
  if (lane < 16) out[lane] = __shfl_sync(0xffff, in[lane], bug ? 16 + lane : 15 - lane);  // BUG barrier source_not_in_mask
}
CASE(source_not_in_mask) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  from_absent_lane<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 16)[0] == 15);
}
__global__ void ballot_in_loop(const int *in, unsigned *out, int n, bool bug) {
  const int lane = threadIdx.x % 32;
  for (int i = lane; bug ? i < n : i - lane < n; i += 32) {
    const unsigned votes = __ballot_sync(~0u, i < n && in[i] > 5);  // BUG barrier ballot_of_the_rest
    if (lane == 0) out[i / 32] = votes;
  }
}
CASE(ballot_of_the_rest) {
  Up<int> in(counting<int>(70));
  Buffer<unsigned> out(3);
  ballot_in_loop<<<1, 32>>>(in, out, 70, bug);
  EXPECT(down<unsigned>(out, 3)[2] == 63);
}
__global__ void match_keys(const int *keys, int *counts, int n, bool bug) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const unsigned here = __activemask();
  const unsigned same = __match_any_sync(here, keys[i]);
  const bool leads = __ffs(same) - 1 == static_cast<int>(i % 32);
  if (bug) counts[keys[i]] += leads ? __popc(same) : 0;  // BUG race leader_of_two_warps
  else if (leads) atomicAdd(counts + keys[i], __popc(same));
}
CASE(leader_of_two_warps) {
  std::vector<int> key(60);
  for (int i = 0; i < 60; ++i) key[i] = i % 7;
  Up<int> keys(key);
  Buffer<int> counts(7);
  match_keys<<<1, 64>>>(keys, counts, 60, bug);
  EXPECT(down<int>(counts, 7)[0] == 9);
}
// ---- groups
__global__ void sum_of_tiles(const int *in, int *out, bool bug) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  __shared__ int part[64];
  const int t = threadIdx.x;
  part[t] = in[t];
  if (!bug) tile.sync();
  int sum = 0;
  for (unsigned i = 0; i < tile.size(); ++i) sum += part[t / 8 * 8 + i];  // BUG race tile_reads_early
  out[t] = sum;
}
CASE(tile_reads_early) {
  Up<int> in(std::vector<int>(64, 1));
  Buffer<int> out(64);
  sum_of_tiles<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 64)[63] == 8);
}
// ---- copies that overlap
__global__ void staged(const int *in, int *out, int tiles, bool bug) {
  __shared__ int stage[2][32];
  auto pipe = cuda::make_pipeline();
  const int t = threadIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(&stage[0][t], in + t, sizeof(int), pipe);
  pipe.producer_commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[(i + 1) % 2][t], in + (i + 1) * 32 + t, sizeof(int), pipe);  // BUG race stage_refilled_early
      pipe.producer_commit();
    }
    if (i + 1 < tiles) cuda::pipeline_consumer_wait_prior<1>(pipe);
    else cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    out[i * 32 + t] = stage[i % 2][31 - t];  // BUG race stage_refilled_early
    pipe.consumer_release();
    if (!bug) __syncthreads();
  }
}
CASE(stage_refilled_early) {
  Up<int> in(counting<int>(128));
  Buffer<int> out(128);
  staged<<<1, 32>>>(in, out, 4, bug);
  EXPECT(down<int>(out, 128)[127] == 96);
}
__global__ void copied_by_a_group(const int *in, int *out, bool bug) {
  __shared__ int tile[64];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof(int) * 64);
  if (!bug) cg::wait(block);
  else block.sync();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // BUG uninitialised copy_not_awaited
}
CASE(copy_not_awaited) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  copied_by_a_group<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 64)[0] == 63);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
