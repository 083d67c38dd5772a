// Kernels of neural networks and statistics: rows that a block sums, scratch that is used again, accumulators.
#include "case.cuh"

#include <cfloat>

// ---- sums of a block, in a function that is called more than once
__device__ float block_sum(float value, bool bug) {
  __shared__ float part[8];
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;  // BUG race scratch_used_again
  __syncthreads();
  float sum = 0;
  for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += part[w];  // BUG race scratch_used_again
  if (!bug) __syncthreads();
  return sum;
}
__global__ void layer_norm(const float *in, float *out, int width, bool bug) {
  const float *row = in + blockIdx.x * width;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) sum += row[i];
  const float mean = block_sum(sum, bug) / width;
  for (int i = threadIdx.x; i < width; i += blockDim.x) squares += (row[i] - mean) * (row[i] - mean);
  const float deviation = rsqrtf(block_sum(squares, bug) / width + 1e-5f);
  for (int i = threadIdx.x; i < width; i += blockDim.x) out[blockIdx.x * width + i] = (row[i] - mean) * deviation;
}
CASE(scratch_used_again) {
  Up<float> in(counting<float>(3 * 200));
  Buffer<float> out(600);
  layer_norm<<<3, 128>>>(in, out, 200, bug);
  const float first = down<float>(out, 600)[0];
  EXPECT(fabsf(first + 1.7234f) < 1e-3f);
}
// ---- softmax: the maximum and the sum share one variable
__global__ void softmax(const float *in, float *out, int width, bool bug) {
  __shared__ float row[64], best;
  const int t = threadIdx.x;
  row[t] = in[blockIdx.x * width + t];
  __syncthreads();
  if (t == 0) {
    best = -FLT_MAX;
    for (int i = 0; i < width; ++i) best = fmaxf(best, row[i]);
  }
  __syncthreads();
  const float mine = expf(row[t] - best);  // BUG race maximum_becomes_sum
  if (!bug) __syncthreads();
  row[t] = mine;
  if (t == 0) best = 0;  // BUG race maximum_becomes_sum
  __syncthreads();
  atomicAdd(&best, row[t]);
  __syncthreads();
  out[blockIdx.x * width + t] = row[t] / best;
}
CASE(maximum_becomes_sum) {
  Up<float> in(std::vector<float>(128, 3));
  Buffer<float> out(128);
  softmax<<<2, 64>>>(in, out, 64, bug);
  EXPECT(fabsf(down<float>(out, 128)[100] - 1 / 64.f) < 1e-6f);
}
// ---- online softmax by warps: the last row's warp has no row
__global__ void softmax_warps(const float *in, float *out, int rows, int width, bool bug) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (!bug && row >= rows) return;
  float best = -FLT_MAX, sum = 0;
  for (int i = lane; i < width; i += 32) {
    const float x = in[row * width + i];  // BUG memory row_without_guard
    const float larger = fmaxf(best, x);
    sum = sum * expf(best - larger) + expf(x - larger);
    best = larger;
  }
  for (int d = 16; d > 0; d /= 2) {
    const float other = __shfl_xor_sync(~0u, best, d), part = __shfl_xor_sync(~0u, sum, d);
    const float larger = fmaxf(best, other);
    sum = sum * expf(best - larger) + part * expf(other - larger);
    best = larger;
  }
  for (int i = lane; i < width; i += 32) out[row * width + i] = expf(in[row * width + i] - best) / sum;
}
CASE(row_without_guard) {
  Up<float> in(std::vector<float>(5 * 40, 2));
  Buffer<float> out(5 * 40);
  softmax_warps<<<2, dim3(32, 4)>>>(in, out, 5, 40, bug);
  EXPECT(fabsf(down<float>(out, 200)[199] - 1 / 40.f) < 1e-6f);
}
// ---- the largest value and its place
__global__ void arg_max(const int *in, int n, int *best, int *place, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (atomicMax(best, in[i]) < in[i]) {
    if (bug) *place = i;  // BUG race place_beside_maximum
  }
}
__global__ void place_of(const int *in, int n, const int *best, int *place) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] == *best) atomicMin(place, i);
}
CASE(place_beside_maximum) {
  std::vector<int> values(100);
  for (int i = 0; i < 100; ++i) values[i] = i * 37 % 101;
  Up<int> in(values), place(std::vector<int>(1, 1000));
  Buffer<int> best(1);
  arg_max<<<4, 32>>>(in, 100, best, place, bug);
  if (!bug) place_of<<<4, 32>>>(in, 100, best, place);
  EXPECT(down<int>(place, 1)[0] == 30);
}
// ---- a matrix product whose next tile is fetched while the last one is used
__global__ void product(const float *a, const float *b, float *c, int n, bool bug) {
  __shared__ float ta[8][8], tb[8][8];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
  float next_a = a[row * n + x], next_b = b[y * n + column], sum = 0;
  for (int tile = 0; tile < n / 8; ++tile) {
    ta[y][x] = next_a;  // BUG race tile_stored_early
    tb[y][x] = next_b;
    __syncthreads();
    if (tile + 1 < n / 8) {
      next_a = a[row * n + (tile + 1) * 8 + x];
      next_b = b[((tile + 1) * 8 + y) * n + column];
    }
    for (int k = 0; k < 8; ++k) sum += ta[y][k] * tb[k][x];  // BUG race tile_stored_early
    if (!bug) __syncthreads();
  }
  c[row * n + column] = sum;
}
CASE(tile_stored_early) {
  Up<float> a(std::vector<float>(24 * 24, 1)), b(std::vector<float>(24 * 24, 2));
  Buffer<float> c(24 * 24);
  product<<<dim3(3, 3), dim3(8, 8)>>>(a, b, c, 24, bug);
  EXPECT(down<float>(c, 576)[575] == 48);
}
// ---- gradients of a bias: each row adds to the same elements
__global__ void bias_gradient(const float *gradient, float *bias, int rows, int width, bool bug) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int j = 0; j < width; ++j)
    if (bug) bias[j] += gradient[row * width + j];  // BUG race gradient_plain_add
    else atomicAdd(bias + j, gradient[row * width + j]);
}
CASE(gradient_plain_add) {
  Up<float> gradient(std::vector<float>(50 * 6, 1));
  Buffer<float> bias(6);
  bias_gradient<<<2, 32>>>(gradient, bias, 50, 6, bug);
  EXPECT(down<float>(bias, 6)[5] == 50);
}
// ---- pooling that runs over the picture's last column
__global__ void max_pool(const float *in, float *out, int width, int height, bool bug) {
  const int x = threadIdx.x, y = threadIdx.y, w = (width + 1) / 2;
  float best = -FLT_MAX;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i)
      if (bug || (2 * x + i < width && 2 * y + j < height))
        best = fmaxf(best, in[(2 * y + j) * width + 2 * x + i]);  // BUG memory pool_over_the_edge
  out[y * w + x] = best;
}
CASE(pool_over_the_edge) {
  Up<float> in(counting<float>(7 * 7));
  Buffer<float> out(16);
  max_pool<<<1, dim3(4, 4)>>>(in, out, 7, 7, bug);
  EXPECT(down<float>(out, 16)[15] == 48);
}
// ---- dropout: one generator for all threads
__global__ void dropout(float *values, unsigned *state, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned *mine = bug ? state : state + i;
  *mine = *mine * 1664525u + 1013904223u;  // BUG race one_generator
  if (*mine >> 31) values[i] = 0;
}
CASE(one_generator) {
  Up<unsigned> state(counting<unsigned>(64));
  Up<float> values(std::vector<float>(64, 1));
  dropout<<<2, 32>>>(values, state, 64, bug);
  EXPECT(down<unsigned>(state, 1)[0] == 1013904223u);
}
// ---- an embedding whose token is as large as the vocabulary
__global__ void embed(const int *tokens, const float *table, float *out, int width) {
  const int token = tokens[blockIdx.x];
  out[blockIdx.x * width + threadIdx.x] = table[token * width + threadIdx.x];  // BUG memory token_too_large
}
CASE(token_too_large) {
  std::vector<int> words = {3, 0, 9, 7};
  if (bug) words[2] = 10;
  Up<int> tokens(words);
  Up<float> table(counting<float>(10 * 16));
  Buffer<float> out(64);
  embed<<<4, 16>>>(tokens, table, out, 16);
  EXPECT(down<float>(out, 64)[32] == 144);
}
// ---- attention: the sum of the last row is never set
__global__ void scores(const float *q, const float *k, float *out, int n, int width, bool bug) {
  const int i = blockIdx.x, j = threadIdx.x;
  if (bug ? j < i : j <= i) {
    float sum = 0;
    for (int d = 0; d < width; ++d) sum += q[i * width + d] * k[j * width + d];
    out[i * n + j] = sum;
  }
}
__global__ void sum_scores(const float *scores, float *sums, int n) {
  const int i = threadIdx.x;
  float sum = 0;
  for (int j = 0; j <= i; ++j) sum += scores[i * n + j];  // BUG uninitialised diagonal_never_written
  sums[i] = sum;
}
CASE(diagonal_never_written) {
  Up<float> q(std::vector<float>(16 * 4, 1)), k(std::vector<float>(16 * 4, 1));
  Buffer<float> out(256, Content::nothing), sums(16);
  scores<<<16, 16>>>(q, k, out, 16, 4, bug);
  sum_scores<<<1, 16>>>(out, sums, 16);
  EXPECT(down<float>(sums, 16)[15] == 64);
}
// ---- variance by Welford, merged by one warp
__global__ void merge_counts(const int *in, int *out, bool bug) {
  __shared__ int counts[64];
  const int t = threadIdx.x;
  counts[t] = in[t];
  __syncthreads();
  if (t < 32) {
    counts[t] += counts[t + 32];
    for (int d = 16; d > 0; d /= 2) {
      if (!bug) __syncwarp();
      const int other = t + d < 32 ? counts[t + d] : 0;  // BUG race lanes_in_step
      if (!bug) __syncwarp();
      counts[t] += other;  // BUG race lanes_in_step
    }
    if (t == 0) *out = counts[0];
  }
}
CASE(lanes_in_step) {
  Up<int> in(std::vector<int>(64, 1));
  Buffer<int> out(1);
  merge_counts<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 1)[0] == 64);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
