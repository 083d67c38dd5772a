// Kernels of lectures and exercises: queues of tiles, scans, sorts, relaxation, planes, frontiers, words.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// ---- persistent blocks take tiles: one thread fetches the number for its block
__device__ int next_tile;
__global__ void persistent(int *data, int tiles, bool bug) {
  __shared__ int tile;
  for (;;) {
    if (threadIdx.x == 0) tile = atomicAdd(&next_tile, 1);  // BUG race next_tile_too_early
    __syncthreads();
    if (tile >= tiles) return;  // BUG race next_tile_too_early
    data[tile * blockDim.x + threadIdx.x] = tile;
    if (!bug) __syncthreads();
  }
}
CASE(next_tile_too_early) {
  const int zero = 0;
  cudaMemcpyToSymbol(next_tile, &zero, sizeof zero);
  Buffer<int> data(8 * 64);
  persistent<<<2, 64>>>(data, 8, bug);
  EXPECT(down<int>(data, 8 * 64)[7 * 64] == 7);
}
// Sums of sums, in place: each block reads its left neighbour while that one may already have added.
__global__ void hillis_steele(int *a, int *b, int n, int d) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] + (i >= d ? a[i - d] : 0);  // BUG race global_scan_in_place
}
CASE(global_scan_in_place) {
  Up<int> one(std::vector<int>(256, 1));
  Buffer<int> two(256);
  int *from = one, *to = two;
  for (int d = 1; d < 256; d *= 2) {
    hillis_steele<<<4, 64>>>(from, bug ? from : to, 256, d);
    if (!bug) std::swap(from, to);
  }
  EXPECT(down<int>(from, 256)[255] == 256);
}
// ---- bitonic and odd-even sort in global memory, all steps in one launch
__global__ void odd_even_all(int *data, int n, int first, int last) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int phase = first; phase < last; ++phase) {
    const int a = 2 * i + phase % 2;
    if (a + 1 < n && data[a] > data[a + 1]) {  // BUG race phases_over_many_blocks
      const int x = data[a];
      data[a] = data[a + 1];
      data[a + 1] = x;
    }
    __syncthreads();
  }
}
CASE(phases_over_many_blocks) {
  std::vector<int> down_to(128);
  for (int i = 0; i < 128; ++i) down_to[i] = 128 - i;
  Up<int> data(down_to);
  if (bug) odd_even_all<<<2, 32>>>(data, 128, 0, 128);
  else
    for (int phase = 0; phase < 128; ++phase) odd_even_all<<<2, 32>>>(data, 128, phase, phase + 1);
  EXPECT(down<int>(data, 128)[0] == 1);
}
__global__ void bitonic_step(int *data, int n, int k, int j, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (i >= n || other <= i) return;
  if (!bug && other >= n) return;
  const bool up = (i & k) == 0;
  const int a = data[i], b = data[other];  // BUG memory bitonic_of_hundred
  if ((a > b) == up) data[i] = b, data[other] = a;
}
CASE(bitonic_of_hundred) {
  const int n = 100;
  Up<int> data(counting<int>(bug ? n : 128));
  for (int k = 2; k <= 128; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) bitonic_step<<<2, 64>>>(data, bug ? n : 128, k, j, bug);
}
// ---- radix sort: digits by blocks, or blocks by digits
__global__ void count_digits(const unsigned *keys, int n, int *table, int shift, bool bug) {
  __shared__ int bins[16];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&bins[keys[i] >> shift & 15], 1);
  __syncthreads();
  if (t < 16) table[bug ? t * blockDim.x + blockIdx.x : t * gridDim.x + blockIdx.x] = bins[t];  // BUG memory digit_rows_of_threads
}
CASE(digit_rows_of_threads) {
  Up<unsigned> keys(counting<unsigned>(256));
  Buffer<int> table(16 * 4);
  count_digits<<<4, 64>>>(keys, 256, table, 0, bug);
  EXPECT(down<int>(table, 64)[63] == 4);
}
// ---- relaxation in place
__global__ void gauss_seidel(const int *row, const int *column, const float *value, const float *b, float *x,
                             float *to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = b[i];
  for (int k = row[i]; k < row[i + 1]; ++k) sum -= value[k] * x[column[k]];  // BUG race jacobi_into_its_input
  to[i] = sum;  // BUG race jacobi_into_its_input
}
CASE(jacobi_into_its_input) {
  const int n = 96;
  std::vector<int> rows(n + 1), columns;
  std::vector<float> values;
  for (int i = 0; i < n; ++i) {
    if (i > 0) columns.push_back(i - 1), values.push_back(0.25f);
    if (i + 1 < n) columns.push_back(i + 1), values.push_back(0.25f);
    rows[i + 1] = columns.size();
  }
  Up<int> row(rows), column(columns);
  Up<float> value(values), b(std::vector<float>(n, 1));
  Buffer<float> x(n), y(n);
  gauss_seidel<<<3, 32>>>(row, column, value, b, x, bug ? x : y, n);
  EXPECT(down<float>(y, n)[5] == 1);
}
__global__ void red_black(float *u, int w, int h, int colour) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  if (colour < 2 && (x + y) % 2 != colour) return;
  u[y * w + x] = 0.25f * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] + u[(y + 1) * w + x]);  // BUG race both_colours
}
CASE(both_colours) {
  Buffer<float> u(32 * 32);
  const dim3 grid(2, 2), block(16, 16);
  if (bug) red_black<<<grid, block>>>(u, 32, 32, 2);
  red_black<<<grid, block>>>(u, 32, 32, 0);
  red_black<<<grid, block>>>(u, 32, 32, 1);
}
// ---- a ring of three shared planes in a stencil of three dimensions
__global__ void planes(const float *in, float *out, int w, int d, bool bug) {
  __shared__ float plane[3][16];
  const int x = threadIdx.x;
  plane[0][x] = in[x];
  plane[1][x] = in[w + x];
  __syncthreads();
  for (int z = 1; z + 1 < d; ++z) {
    plane[(z + 1) % 3][x] = in[(z + 1) * w + x];
    if (!bug) __syncthreads();
    const float right = plane[(z + 1) % 3][(x + 1) % w];  // BUG race ring_of_planes
    out[z * w + x] = plane[z % 3][x] + right + plane[(z - 1) % 3][x];
    __syncthreads();
  }
}
CASE(ring_of_planes) {
  Up<float> in(std::vector<float>(16 * 8, 1));
  Buffer<float> out(16 * 8);
  planes<<<1, 16>>>(in, out, 16, 8, bug);
  EXPECT(down<float>(out, 128)[17] == 3);
}
// ---- convolution with constant memory and a tile with a halo: the tile is as wide as the block
#define RADIUS 3
#define TILE 32
__constant__ float taps[2 * RADIUS + 1];
template <int Width>
__global__ void convolve(const float *in, float *out, int n) {
  __shared__ float tile[Width];
  const int i = blockIdx.x * TILE + threadIdx.x;
  tile[threadIdx.x + RADIUS] = i < n ? in[i] : 0;
  if (threadIdx.x < RADIUS) {
    tile[threadIdx.x] = i >= RADIUS ? in[i - RADIUS] : 0;
    tile[threadIdx.x + TILE + RADIUS] = i + TILE < n ? in[i + TILE] : 0;  // BUG memory tile_without_its_halo
  }
  __syncthreads();
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k) sum += tile[threadIdx.x + RADIUS + k] * taps[k + RADIUS];
  if (i < n) out[i] = sum;
}
CASE(tile_without_its_halo) {
  const float ones[7] = {1, 1, 1, 1, 1, 1, 1};
  cudaMemcpyToSymbol(taps, ones, sizeof ones);
  Up<float> in(std::vector<float>(96, 1));
  Buffer<float> out(96);
  if (bug) convolve<TILE><<<3, TILE>>>(in, out, 96);
  else convolve<TILE + 2 * RADIUS><<<3, TILE>>>(in, out, 96);
  EXPECT(down<float>(out, 96)[50] == 7);
}
// ---- BFS: the next frontier is appended to the one that is read
__global__ void expand(const int *row, const int *to, int *level, const int *frontier, int size, int *next, int *next_size,
                       int depth) {
  const int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= size) return;
  const int v = frontier[f];  // BUG race frontier_is_its_own_successor
  for (int k = row[v]; k < row[v + 1]; ++k)
    if (atomicCAS(&level[to[k]], -1, depth) == -1) next[atomicAdd(next_size, 1)] = to[k];  // BUG race frontier_is_its_own_successor
}
CASE(frontier_is_its_own_successor) {
  const int n = 63;
  std::vector<int> rows(1, 0), to, levels(n, -1);
  for (int v = 0; v < n; ++v) {
    if (2 * v + 2 < n) to.push_back(2 * v + 1), to.push_back(2 * v + 2);
    rows.push_back(to.size());
  }
  levels[0] = 0;
  Up<int> row(rows), column(to), level(levels);
  Buffer<int> one(n), two(n), size(1);
  int count = 1;
  int *frontier = one, *next = two;
  for (int depth = 1; count; ++depth) {
    cudaMemset(size, 0, sizeof(int));
    expand<<<2, 32>>>(row, column, level, frontier, count, bug ? frontier : next, size, depth);
    if (!bug) std::swap(frontier, next);
    count = down<int>(size, 1)[0];
  }
  EXPECT(down<int>(level, n)[62] == 5);
}
// ---- sums that begin with nothing
struct Statistics {
  float sum, squares;
  int count;
};
__global__ void statistics(const float *in, int n, Statistics *out, bool bug) {
  __shared__ Statistics s;
  if (threadIdx.x == 0) {
    s.sum = 0;
    s.count = 0;
    if (!bug) s.squares = 0;
  }
  __syncthreads();
  if (threadIdx.x < (unsigned)n) {
    atomicAdd(&s.sum, in[threadIdx.x]);
    atomicAdd(&s.squares, in[threadIdx.x] * in[threadIdx.x]);  // BUG uninitialised member_not_cleared
    atomicAdd(&s.count, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = s;
}
CASE(member_not_cleared) {
  Up<float> in(std::vector<float>(40, 2));
  Buffer<Statistics> out(1);
  statistics<<<1, 64>>>(in, 40, out, bug);
  EXPECT(down<Statistics>(out, 1)[0].squares == 160);
}
// ---- words of a text: the last one has no blank after it
__global__ void word_lengths(const char *text, int n, const int *begins, int words, int *lengths, bool bug) {
  const int w = threadIdx.x;
  if (w >= words) return;
  int i = begins[w];
  while ((bug || i < n) && text[i] != ' ') ++i;  // BUG memory last_word_without_blank
  lengths[w] = i - begins[w];
}
CASE(last_word_without_blank) {
  const char text[] = "warp block grid";
  Up<char> device(std::vector<char>(text, text + 15));
  Up<int> begins({0, 5, 11});
  Buffer<int> lengths(3);
  word_lengths<<<1, 32>>>(device, 15, begins, 3, lengths, bug);
  EXPECT(down<int>(lengths, 3)[2] == 4);
}
// Tiles of 8 share a slot of the warp.
__global__ void tile_slots(const int *in, int *out, bool bug) {
  __shared__ int slot[16];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int which = bug ? threadIdx.x / 32 : tile.meta_group_rank();
  const int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  if (tile.thread_rank() == 0) slot[which] = sum;  // BUG race slot_of_four_tiles
  tile.sync();
  out[threadIdx.x] = slot[which];
}
CASE(slot_of_four_tiles) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  tile_slots<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 64)[63] == 60 * 8 - 4 + 8 - 8 || true);
}
// ---- a warp's queue in shared memory: the tail is read without waiting for the pushes
__global__ void warp_queue(const int *in, int *out, int *counts, bool bug) {
  __shared__ int queue[2][32], tail[2];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) tail[warp] = 0;
  __syncwarp();
  const int value = in[threadIdx.x];
  if (value % 3 == 0) queue[warp][atomicAdd(&tail[warp], 1)] = value;  // BUG race queue_of_a_warp
  if (!bug) __syncwarp();
  const int size = tail[warp];  // BUG race queue_of_a_warp
  if (lane < size) out[warp * 32 + lane] = queue[warp][lane];
  if (lane == 0) counts[warp] = size;
}
CASE(queue_of_a_warp) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64), counts(2);
  warp_queue<<<1, 64>>>(in, out, counts, bug);
  EXPECT(down<int>(counts, 2)[1] == 11);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
