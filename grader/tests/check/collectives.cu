// Reductions, scans, histograms, queues and the functions of a warp, as they are handed in.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// ---- reductions
__global__ void sum_block(const int *in, int *sums, int n) {
  __shared__ int part[128];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
CASE(second_pass_of_all_blocks) {
  const int n = 1300;
  Up<int> in(std::vector<int>(n, 1));
  Buffer<int> sums(n), total(1);
  sum_block<<<n, 1>>>(in, sums, n);
  if (bug) sum_block<<<1, n>>>(sums, total, n);  // BUG error second_pass_of_all_blocks
  else {
    Buffer<int> few(11);
    sum_block<<<11, 128>>>(sums, few, n);
    sum_block<<<1, 128>>>(few, total, 11);
  }
  EXPECT(down<int>(total, 1)[0] == n);
}
__global__ void first_add(const int *in, int *sums, int n, bool bug) {
  __shared__ int part[64];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  const bool has_both = bug ? i < n : i + 64 < n;
  part[t] = has_both ? in[i] + in[i + 64] : i < n ? in[i] : 0;  // BUG memory second_half_not_guarded
  __syncthreads();
  for (int s = 32; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
CASE(second_half_not_guarded) {
  Up<int> in(std::vector<int>(200, 1));
  Buffer<int> sums(2);
  first_add<<<2, 64>>>(in, sums, 200, bug);
  EXPECT(down<int>(sums, 2)[1] == 72);
}
__global__ void interleaved(int *data, bool bug) {
  const int t = threadIdx.x;
  for (int s = 1; s < 64; s *= 2) {
    if (t % (2 * s) == 0) data[t] += data[t + s];  // BUG race levels_in_global_memory
    if (!bug) __syncthreads();
  }
}
CASE(levels_in_global_memory) {
  Up<int> data(std::vector<int>(64, 1));
  interleaved<<<1, 64>>>(data, bug);
  EXPECT(down<int>(data, 64)[0] == 64);
}
__global__ void sum_of_warps(const int *in, int *out, bool bug) {
  __shared__ int sums[32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int x = in[t];
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
  if (lane == 0) sums[warp] = x;
  __syncthreads();
  if (warp == 0) {
    x = bug || lane < int(blockDim.x) / 32 ? sums[lane] : 0;  // BUG uninitialised sums_of_missing_warps
    for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
    if (lane == 0) *out = x;
  }
}
CASE(sums_of_missing_warps) {
  Up<int> in(std::vector<int>(256, 1));
  Buffer<int> out(1);
  sum_of_warps<<<1, 256>>>(in, out, bug);
  EXPECT(down<int>(out, 1)[0] == 256);
}
__device__ int block_sum(int x, bool bug) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, x);
  __syncthreads();
  const int result = total;   // BUG race helper_cleared_for_the_next_call
  if (!bug) __syncthreads();
  return result;
}
__global__ void mean_and_spread(const int *in, int *out, bool bug) {
  const int x = in[threadIdx.x], mean = block_sum(x, bug) / int(blockDim.x);
  const int spread = block_sum((x - mean) * (x - mean), bug);
  if (threadIdx.x == 0) out[0] = mean, out[1] = spread;
}
CASE(helper_cleared_for_the_next_call) {
  Up<int> in(std::vector<int>(64, 3));
  Buffer<int> out(2);
  mean_and_spread<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 2)[0] == 3);
}
struct Best {
  float value;
  int place;
};
__global__ void arg_max(const float *in, Best *best, int n, bool bug) {
  __shared__ float value[64];
  __shared__ int place[64];
  const int t = threadIdx.x;
  value[t] = in[t], place[t] = t;
  __syncthreads();
  for (int s = n / 2; s > 0; s /= 2) {
    if (t < s && value[t + s] > value[t]) value[t] = value[t + s], place[t] = place[t + s];
    __syncthreads();
  }
  if (bug ? value[0] == in[t] : place[0] == t) best->place = t;  // BUG race all_of_the_largest_answer
  if (t == 0) best->value = value[0];
}
CASE(all_of_the_largest_answer) {
  Up<float> in(std::vector<float>(64, 1));
  Buffer<Best> best(1);
  arg_max<<<1, 64>>>(in, best, 64, bug);
  EXPECT(down<Best>(best, 1)[0].place == 0);
}
// ---- scans
__global__ void scan_two_buffers(const int *in, int *out, int n, bool bug) {
  __shared__ int rows[2][64];
  const int t = threadIdx.x;
  int now = 0;
  rows[0][t] = t > 0 ? in[t - 1] : 0;
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    const int next = bug ? now : 1 - now;
    rows[next][t] = rows[now][t] + (t >= d ? rows[now][t - d] : 0);  // BUG race second_buffer_not_used
    now = next;
    __syncthreads();
  }
  out[t] = rows[now][t];
}
CASE(second_buffer_not_used) {
  Up<int> in(std::vector<int>(64, 1));
  Buffer<int> out(64);
  scan_two_buffers<<<1, 64>>>(in, out, 64, bug);
  EXPECT(down<int>(out, 64)[63] == 63);
}
__global__ void total_of_a_scan(const int *in, int *out, int *sums, bool bug) {
  __shared__ int last;
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  const int t = threadIdx.x;
  const int x = cg::inclusive_scan(warp, in[t]);
  if (warp.meta_group_rank() == 0 && warp.thread_rank() == 31) last = x;  // BUG race carry_of_the_first_warp
  if (!bug) block.sync();
  out[t] = x + (warp.meta_group_rank() == 1 ? last : 0);  // BUG race carry_of_the_first_warp
  if (t == 63) *sums = out[t];
}
CASE(carry_of_the_first_warp) {
  Up<int> in(std::vector<int>(64, 1));
  Buffer<int> out(64), sums(1);
  total_of_a_scan<<<1, 64>>>(in, out, sums, bug);
  EXPECT(down<int>(sums, 1)[0] == 64);
}
__global__ void keep_positive(const int *in, const int *place, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) out[place[i]] = in[i];  // BUG memory inclusive_places_kept
}
CASE(inclusive_places_kept) {
  const int n = 64;
  std::vector<int> in(n), place(n);
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = i % 3 == 0 ? -1 : i;
    const int before = kept;
    kept += in[i] > 0;
    place[i] = bug ? kept : before;
  }
  Up<int> values(in), places(place);
  Buffer<int> out(kept);
  keep_positive<<<1, 64>>>(values, places, out, n);
}
__global__ void sweep_up(int *data, int n, int stride) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x + 1) * stride * 2 - 1;
  if (i < n) data[i] += data[i - stride];
}
__global__ void sweep_down(int *data, int n, int stride, bool bug) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x + 1) * stride * 2 - 1;
  if (bug ? i <= n + stride : i + stride < n) data[i + stride] += data[i];  // BUG memory sweep_past_the_end
}
CASE(sweep_past_the_end) {
  const int n = 100;
  Up<int> data(std::vector<int>(n, 1));
  for (int s = 1; s < n; s *= 2) sweep_up<<<1, 64>>>(data, n, s);
  for (int s = 32; s > 0; s /= 2) sweep_down<<<1, 64>>>(data, n, s, bug);
  EXPECT(down<int>(data, n)[99] == n);
}
__global__ void running_maximum(const int *in, int *out, int n, bool bug) {
  const int lane = threadIdx.x;
  int x = lane < n ? in[lane] : 0;
  for (int d = 1; d < 32; d *= 2) {
    if (bug && lane < d) continue;
    const int left = __shfl_up_sync(~0u, x, d);  // BUG barrier lanes_without_a_left_one
    if (lane >= d) x = max(x, left);
  }
  if (lane < n) out[lane] = x;
}
CASE(lanes_without_a_left_one) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  running_maximum<<<1, 32>>>(in, out, 32, bug);
  EXPECT(down<int>(out, 32)[31] == 31);
}
// ---- histograms
__global__ void bins_of_threads(const unsigned char *in, int *bins, int n, bool bug) {
  __shared__ unsigned char mine[32 * 16];
  const int t = threadIdx.x;
  for (int b = 0; b < 16; ++b) mine[t * 16 + b] = 0;
  for (int i = t; i < n; i += 32) ++mine[t * 16 + in[i] % 16];  // BUG race columns_of_other_threads
  if (!bug) __syncthreads();
  if (t < 16) {
    int sum = 0;
    for (int k = 0; k < 32; ++k) sum += mine[k * 16 + t];  // BUG race columns_of_other_threads
    bins[t] = sum;
  }
}
CASE(columns_of_other_threads) {
  Up<unsigned char> in(counting<unsigned char>(128));
  Buffer<int> bins(16);
  bins_of_threads<<<1, 32>>>(in, bins, 128, bug);
  EXPECT(down<int>(bins, 16)[3] == 8);
}
__global__ void two_counters_in_a_word(const int *in, unsigned *bins, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int key = in[i] % 8;
  if (bug) ++reinterpret_cast<unsigned short *>(bins)[key];  // BUG race half_a_word_counted_plainly
  else atomicAdd(&bins[key / 2], key % 2 ? 1u << 16 : 1u);
}
CASE(half_a_word_counted_plainly) {
  Up<int> in(counting<int>(64));
  Buffer<unsigned> bins(4);
  two_counters_in_a_word<<<2, 32>>>(in, bins, 64, bug);
  EXPECT(down<unsigned>(bins, 4)[0] == (8u << 16) + 8);
}
__global__ void floats_to_bins(const float *in, int *bins, int n, float low, float high, int count, bool bug) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const int bin = static_cast<int>((in[i] - low) / (high - low) * count);
  atomicAdd(&bins[bug ? bin : min(bin, count - 1)], 1);  // BUG memory largest_value_has_no_bin
}
CASE(largest_value_has_no_bin) {
  Up<float> in(counting<float>(33));
  Buffer<int> bins(8);
  floats_to_bins<<<1, 64>>>(in, bins, 33, 0, 32, 8, bug);
  EXPECT(down<int>(bins, 8)[7] == 5);
}
__global__ void merge_copies(const int *copies, int *bins, int number, bool bug) {
  const int b = threadIdx.x;
  for (int c = blockIdx.x; c < number; c += gridDim.x) {
    if (bug) bins[b] = bins[b] + copies[c * 16 + b];  // BUG race copies_joined_by_two_blocks
    else atomicAdd(&bins[b], copies[c * 16 + b]);
  }
}
CASE(copies_joined_by_two_blocks) {
  Up<int> copies(std::vector<int>(16 * 8, 1));
  Buffer<int> bins(16);
  merge_copies<<<2, 16>>>(copies, bins, 8, bug);
  EXPECT(down<int>(bins, 16)[15] == 8);
}
// ---- atomics
__global__ void add_to_shorts(unsigned short *data, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (!bug && i == n - 1) {
    data[i] = 1;
    return;
  }
  unsigned *word = reinterpret_cast<unsigned *>(data) + i / 2;
  const unsigned shift = i % 2 * 16;
  unsigned seen = *word, before;  // BUG memory word_around_the_last_short
  do {
    before = seen;
    seen = atomicCAS(word, before, before + (1u << shift));
  } while (seen != before);
}
CASE(word_around_the_last_short) {
  Buffer<unsigned short> data(31);
  add_to_shorts<<<1, 32>>>(data, 31, bug);
  EXPECT(down<unsigned short>(data, 31)[30] == 1);
}
__global__ void both_widths(unsigned long long *pair, bool bug) {
  if (threadIdx.x == 0) atomicAdd(pair, 1ull);  // BUG race atomics_of_two_widths
  else if (bug) atomicAdd(reinterpret_cast<unsigned *>(pair), 1u);  // BUG race atomics_of_two_widths
  else atomicAdd(pair, 1ull);
}
CASE(atomics_of_two_widths) {
  Buffer<unsigned long long> pair(1);
  both_widths<<<1, 64>>>(pair, bug);
  EXPECT(down<unsigned long long>(pair, 1)[0] == 64);
}
__global__ void high_word(unsigned long long *pair, bool bug) {
  unsigned *words = reinterpret_cast<unsigned *>(pair);
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) atomicExch(pair, 7ull << 32);  // BUG race upper_half_of_an_exchange
  } else if (threadIdx.x == 0) {
    if (bug) atomicMax(&words[1], 3u);  // BUG race upper_half_of_an_exchange
    else atomicMax(&words[3], 3u);
  }
}
CASE(upper_half_of_an_exchange) {
  Buffer<unsigned long long> pair(2);
  high_word<<<2, 32>>>(pair, bug);
  EXPECT(down<unsigned long long>(pair, 2)[1] == 3ull << 32);
}
__global__ void nearest(const float *distance, unsigned *least, int *who, bool bug) {
  const int i = threadIdx.x;
  const unsigned mine = __float_as_uint(distance[i]);
  atomicMin(least, mine);
  __syncthreads();
  if (*least != mine) return;
  if (bug) *who = i;  // BUG race equally_near
  else atomicMin(who, i);
}
CASE(equally_near) {
  Up<float> distance(std::vector<float>(64, 2));
  Up<unsigned> least({~0u});
  Up<int> who({1000});
  nearest<<<1, 64>>>(distance, least, who, bug);
  EXPECT(down<int>(who, 1)[0] == 0);
}
__global__ void until_it_fits(int *room, int *taken, int most, bool bug) {
  if (bug) {
    if (*room < most) taken[atomicAdd(room, 1)] = 1;  // BUG race asked_before_it_takes
  } else {
    const int place = atomicAdd(room, 1);
    if (place < most) taken[place] = 1;
  }
}
CASE(asked_before_it_takes) {
  Buffer<int> room(1), taken(10);
  until_it_fits<<<1, 64>>>(room, taken, 10, bug);
}
// ---- functions of a warp
__global__ void leader_tells(const int *keys, int *counts, int *place, bool bug) {
  __shared__ int base[32];
  const int lane = threadIdx.x, key = keys[lane];
  const unsigned peers = __match_any_sync(~0u, key);
  const int leader = __ffs(peers) - 1;
  if (lane == leader) base[key] = atomicAdd(&counts[key], __popc(peers));  // BUG race leader_tells_in_memory
  if (!bug) __syncwarp();
  place[lane] = base[key] + __popc(peers & ((1u << lane) - 1));  // BUG race leader_tells_in_memory
}
CASE(leader_tells_in_memory) {
  std::vector<int> keys(32);
  for (int i = 0; i < 32; ++i) keys[i] = i % 4;
  Up<int> in(keys);
  Buffer<int> counts(4), place(32);
  leader_tells<<<1, 32>>>(in, counts, place, bug);
  EXPECT(down<int>(place, 32)[31] == 7);
}
__global__ void rows_of_half_warps(const int *in, int *out, int rows, bool bug) {
  const int half = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
  if (half < rows) {
    int x = in[half * 16 + lane];
    const unsigned mask = bug ? ~0u : 0xffffu << (threadIdx.x & 16);
    for (int d = 8; d > 0; d /= 2) x += __shfl_down_sync(mask, x, d, 16);  // BUG barrier half_of_the_warp_is_elsewhere
    if (lane == 0) out[half] = x;
  }
  __syncthreads();
  if (threadIdx.x == 0) out[rows + blockIdx.x] = 1;
}
CASE(half_of_the_warp_is_elsewhere) {
  Up<int> in(std::vector<int>(16 * 5, 1));
  Buffer<int> out(8);
  rows_of_half_warps<<<3, 32>>>(in, out, 5, bug);
  EXPECT(down<int>(out, 5)[4] == 16);
}
__global__ void search(const int *in, int *found, int n, int wanted, bool bug) {
  for (int i = threadIdx.x; bug ? i < n : i - int(threadIdx.x % 32) < n; i += blockDim.x) {
    const bool here = i < n && in[i] == wanted;
    if (__any_sync(~0u, here)) {  // BUG barrier last_round_of_a_search
      if (here) *found = i;
      return;
    }
  }
}
CASE(last_round_of_a_search) {
  Up<int> in(counting<int>(40));
  Buffer<int> found(1);
  search<<<1, 32>>>(in, found, 40, 39, bug);
  EXPECT(down<int>(found, 1)[0] == 39);
}
__global__ void tile_sums(const int *in, int *out) {
  __shared__ int sums[2];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;  // BUG memory more_tiles_than_sums
  __syncthreads();
  if (threadIdx.x < 2) out[threadIdx.x] = sums[threadIdx.x];
}
CASE(more_tiles_than_sums) {
  Up<int> in(std::vector<int>(64, 1));
  Buffer<int> out(2);
  tile_sums<<<1, bug ? 64 : 32>>>(in, out);
}
__global__ void until_all_agree(float *x, int *rounds, int n, bool bug) {
  cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank();
  for (int r = 0; r < 8; ++r) {
    const bool is_large = i < n && x[i] > 1;
    if (is_large) x[i] /= 2;
    if (__syncthreads_and(!is_large) && bug) break;
    grid.sync();  // BUG barrier blocks_that_are_done
  }
  if (i == 0) *rounds = 8;
}
CASE(blocks_that_are_done) {
  std::vector<float> start(64, 1);
  for (int i = 0; i < 32; ++i) start[i] = 64;
  Up<float> x(start);
  Buffer<int> rounds(1);
  float *data = x;
  int *out = rounds, n = 64;
  void *arguments[] = {&data, &out, &n, &bug};
  cudaLaunchCooperativeKernel((void *)until_all_agree, 2, 32, arguments);
  cudaDeviceSynchronize();
  cudaGetLastError();
}
// ---- queues
struct Task {
  int first, last;
};
__global__ void split_tasks(Task *queue, int *tail, int limit, bool bug) {
  __shared__ Task mine;
  __shared__ int place;
  if (threadIdx.x == 0) mine = queue[blockIdx.x];
  __syncthreads();
  if (threadIdx.x == 0 && mine.last - mine.first > 4) {
    place = atomicAdd(tail, 2);
    const int middle = (mine.first + mine.last) / 2;
    if (bug || place + 1 < limit) {
      queue[place] = {mine.first, middle};
      queue[place + 1] = {middle, mine.last};  // BUG memory tasks_beyond_the_queue
    }
  }
}
CASE(tasks_beyond_the_queue) {
  std::vector<Task> tasks(9);
  for (int i = 0; i < 4; ++i) tasks[i] = {0, 16};
  Up<Task> queue(tasks);
  Up<int> tail({4});
  split_tasks<<<4, 32>>>(queue, tail, 9, bug);
}
__global__ void steal(int *top, const int *bottom, int *items, int *sum, bool bug) {
  if (threadIdx.x != 0) return;
  for (;;) {
    const int place = bug ? (*top)++ : atomicAdd(top, 1);  // BUG race thieves_without_atomics
    if (place >= *bottom) return;
    atomicAdd(sum, items[place]);
  }
}
CASE(thieves_without_atomics) {
  Buffer<int> top(1), sum(1);
  Up<int> bottom({20}), items(std::vector<int>(20, 1));
  steal<<<4, 32>>>(top, bottom, items, sum, bug);
  EXPECT(down<int>(sum, 1)[0] == 20);
}
__device__ unsigned arrivals;
__global__ void hand_on(int *mail, int *out, bool bug) {
  if (threadIdx.x != 0) return;
  mail[blockIdx.x] = blockIdx.x + 1;  // BUG race mail_without_a_fence
  if (!bug) __threadfence();
  if (atomicInc(&arrivals, gridDim.x - 1) == gridDim.x - 1) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += mail[b];  // BUG race mail_without_a_fence
    *out = sum;
  }
}
CASE(mail_without_a_fence) {
  Buffer<int> mail(4), out(1);
  hand_on<<<4, 32>>>(mail, out, bug);
  EXPECT(down<int>(out, 1)[0] == 10);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
