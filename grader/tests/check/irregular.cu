// Kernels of courses whose work depends on data: compaction, k-means, sparse matrices, searches, sorts.
#include "case.cuh"

#include <algorithm>

// ---- compaction
__global__ void compact(const int *in, int *out, int n, int *count, bool bug) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  const int keep = t < n && in[t] % 2 == 0;
  s[t] = keep;
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    const int before = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += before;
    __syncthreads();
  }
  if (keep) out[bug ? s[t] : s[t] - 1] = in[t];  // BUG memory compact_inclusive
  if (t == 63) *count = s[63];
}
CASE(compact_inclusive) {
  Up<int> in(counting<int>(60));
  Buffer<int> out(30), count(1);
  compact<<<1, 64>>>(in, out, 60, count, bug);
  EXPECT(down<int>(count, 1)[0] == 30 && down<int>(out, 30)[29] == 58);
}
__global__ void filter(const int *in, int *out, int n, int *count, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] < 50) return;
  if (bug)
    out[(*count)++] = in[i];  // BUG race plain_counter
  else
    out[atomicAdd(count, 1)] = in[i];
}
CASE(plain_counter) {
  Up<int> in(counting<int>(100));
  Buffer<int> out(100), count(1);
  filter<<<4, 32>>>(in, out, 100, count, bug);
  EXPECT(down<int>(count, 1)[0] == 50);
}
// ---- k-means
constexpr int K = 4;
__global__ void assign(const float *points, const float *centroids, float *sums, int *counts, int n,
                       bool bug_sum, bool bug_barrier, bool bug_reset) {
  __shared__ float c[K];
  if (threadIdx.x < K) c[threadIdx.x] = centroids[threadIdx.x];  // BUG race centroids_no_barrier
  if (bug_reset && threadIdx.x < K) sums[threadIdx.x] = 0;  // BUG race sums_reset_in_kernel
  if (!bug_barrier) __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int best = 0;
  for (int k = 1; k < K; ++k)
    if (fabsf(points[i] - c[k]) < fabsf(points[i] - c[best])) best = k;  // BUG race centroids_no_barrier
  if (bug_sum)
    sums[best] += points[i];  // BUG race centroids_plain_sum
  else
    atomicAdd(&sums[best], points[i]);  // BUG race sums_reset_in_kernel
  atomicAdd(&counts[best], 1);
}
void cluster(bool sum, bool barrier, bool reset, bool bug) {
  Up<float> points(counting<float>(100)), centroids({10, 35, 60, 85});
  Buffer<float> sums(K);
  Buffer<int> counts(K);
  assign<<<2, 64>>>(points, centroids, sums, counts, 100, sum, barrier, reset);
  EXPECT(down<int>(counts, K)[0] == 23 && down<float>(sums, K)[0] == 253);
}
CASE(centroids_plain_sum) { cluster(bug, false, false, bug); }
CASE(centroids_no_barrier) { cluster(false, bug, false, bug); }
CASE(sums_reset_in_kernel) { cluster(false, false, bug, bug); }
// ---- sparse matrices
__global__ void csr(const int *rows, const int *columns, const float *values, const float *x, float *y, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  const int begin = rows[row];
  const int end = rows[row + 1];  // BUG memory row_pointer_short
  for (int i = begin; i < end; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}
CASE(row_pointer_short) {
  std::vector<int> pointers(41);
  for (int i = 0; i <= 40; ++i) pointers[i] = 2 * i;
  if (bug) pointers.pop_back();
  Up<int> rows(pointers), columns(std::vector<int>(80, 3));
  Up<float> values(std::vector<float>(80, 2)), x(std::vector<float>(40, 1));
  Buffer<float> y(40);
  csr<<<2, 32>>>(rows, columns, values, x, y, 40);
  EXPECT(down<float>(y, 40)[39] == 4);
}
__global__ void coordinates(const int *rows, const int *columns, const float *values, const float *x, float *y, int entries,
                    bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= entries) return;
  const float product = values[i] * x[columns[i]];
  if (bug)
    y[rows[i]] += product;  // BUG race coo_plain_add
  else
    atomicAdd(&y[rows[i]], product);
}
CASE(coo_plain_add) {
  std::vector<int> row(80);
  for (int i = 0; i < 80; ++i) row[i] = i / 3;
  Up<int> rows(row), columns(std::vector<int>(80, 3));
  Up<float> values(std::vector<float>(80, 2)), x(std::vector<float>(40, 1));
  Buffer<float> y(40);
  coordinates<<<3, 32>>>(rows, columns, values, x, y, 80, bug);
  EXPECT(down<float>(y, 40)[1] == 6);
}
__global__ void ell(const int *columns, const float *values, const float *x, float *y, int n, int width, bool bug) {
  const int row = threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int i = 0; i < width; ++i) {
    const int column = columns[i * n + row];
    if (bug || column >= 0) sum += values[i * n + row] * x[column];  // BUG memory ell_padding
  }
  y[row] = sum;
}
CASE(ell_padding) {
  std::vector<int> column(60, 1);
  column[45] = -1;
  Up<int> columns(column);
  Up<float> values(std::vector<float>(60, 2)), x(std::vector<float>(20, 1));
  Buffer<float> y(20);
  ell<<<1, 32>>>(columns, values, x, y, 20, 3, bug);
  EXPECT(down<float>(y, 20)[5] == 4);
}
__global__ void csr_warps(const int *rows, const float *values, float *y, int n, bool bug) {
  __shared__ volatile float s[64];
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32;
  if (row >= n) return;
  float sum = 0;
  for (int i = rows[row] + lane; i < rows[row + 1]; i += 32) sum += values[i];
  s[threadIdx.x] = sum;
  if (!bug) __syncwarp();
  for (int d = 16; d > 0; d /= 2) {
    if (lane < d) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + d];  // BUG race rows_by_warps
    if (!bug) __syncwarp();
  }
  if (lane == 0) y[row] = s[threadIdx.x];
}
CASE(rows_by_warps) {
  Up<int> rows({0, 40, 100});
  Up<float> values(std::vector<float>(100, 1));
  Buffer<float> y(2);
  csr_warps<<<1, 64>>>(rows, values, y, 2, bug);
  EXPECT(down<float>(y, 2)[1] == 60);
}
// ---- breadth-first search
__global__ void expand(const int *rows, const int *columns, int *level, const int *frontier, int size, int *next,
                       int *next_size, int depth, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const int u = frontier[i];
  for (int e = rows[u]; e < rows[u + 1]; ++e) {
    const int v = columns[e];
    if (bug) {
      if (level[v] < 0) {  // BUG race visited_plain
        level[v] = depth;  // BUG race visited_plain
        next[atomicAdd(next_size, 1)] = v;
      }
    } else if (atomicCAS(&level[v], -1, depth) == -1) {
      next[atomicAdd(next_size, 1)] = v;  // BUG memory queue_too_short
    }
  }
}
void search(bool plain, int room, bool bug) {
  // 40 vertices point to all of 40 others
  std::vector<int> pointers(81, 1600), targets(1600), levels(80, -1);
  for (int u = 0; u < 40; ++u) {
    pointers[u] = u * 40;
    for (int v = 0; v < 40; ++v) targets[u * 40 + v] = 40 + v;
    levels[u] = 0;
  }
  Up<int> rows(pointers), columns(targets), level(levels), frontier(counting<int>(40));
  Buffer<int> next(room), next_size(1);
  expand<<<2, 32>>>(rows, columns, level, frontier, 40, next, next_size, 1, plain);
  EXPECT(down<int>(next_size, 1)[0] == 40);
}
CASE(visited_plain) { search(bug, 1600, bug); }
CASE(queue_too_short) { search(false, bug ? 39 : 40, bug); }
// ---- sorts
__global__ void merge_runs(const int *in, int *out, int n, int width, bool bug) {
  const int start = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * width;
  if (start >= n) return;
  const int middle = min(start + width, n), end = min(start + 2 * width, n);
  int i = start, j = middle;
  for (int k = start; k < end; ++k) {
    const bool left = bug ? i < middle && in[i] <= in[j]  // BUG memory merge_past_end
                          : i < middle && (j >= end || in[i] <= in[j]);
    out[k] = left ? in[i++] : in[j++];
  }
}
CASE(merge_past_end) {
  std::vector<int> values(50);
  for (int i = 0; i < 50; ++i) values[i] = i * 37 % 50;
  Up<int> a(values);
  Buffer<int> b(50);
  int *from = a, *to = b;
  for (int width = 1; width < 50; width *= 2) {
    merge_runs<<<1, 32>>>(from, to, 50, width, bug);
    std::swap(from, to);
  }
  EXPECT(down<int>(from, 50)[0] == 0 && down<int>(from, 50)[49] == 49);
}
__global__ void split(unsigned *data, int bit, bool bug) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  const unsigned value = data[t];
  const int is_zero = !(value >> bit & 1);
  s[t] = is_zero;
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    const int before = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += before;  // BUG race split_total_early
    if (!bug || d < 32) __syncthreads();
  }
  const int zeros = s[63];  // BUG race split_total_early
  data[is_zero ? s[t] - 1 : zeros + t - s[t]] = value;
}
CASE(split_total_early) {
  std::vector<unsigned> values(64);
  for (int i = 0; i < 64; ++i) values[i] = i * 37 % 64;
  Up<unsigned> data(values);
  for (int bit = 0; bit < 6; ++bit) split<<<1, 64>>>(data, bit, bug);
  EXPECT(down<unsigned>(data, 64)[63] == 63 && down<unsigned>(data, 64)[1] == 1);
}
__global__ void count_digits(const unsigned *in, int *counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[in[i] & 15], 1);
}
__device__ void offsets(int *counts, int *starts) {
  if (threadIdx.x < 16) {
    int sum = 0;
    for (unsigned d = 0; d < threadIdx.x; ++d) sum += counts[d];  // BUG race offsets_same_launch
    starts[threadIdx.x] = sum;
  }
}
__global__ void count_and_scan(const unsigned *in, int *counts, int *starts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[in[i] & 15], 1);  // BUG race offsets_same_launch
  __syncthreads();
  if (blockIdx.x == 0) offsets(counts, starts);
}
__global__ void scan_digits(int *counts, int *starts) { offsets(counts, starts); }
CASE(offsets_same_launch) {
  Up<unsigned> in(counting<unsigned>(100));
  Buffer<int> counts(16), starts(16);
  if (bug) {
    count_and_scan<<<4, 32>>>(in, counts, starts, 100);
  } else {
    count_digits<<<4, 32>>>(in, counts, 100);
    scan_digits<<<1, 32>>>(counts, starts);
  }
  EXPECT(down<int>(starts, 16)[15] == 94);
}
__global__ void bitonic(int *data, int n, bool bug) {
  const int t = threadIdx.x;
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      const int other = t ^ j;
      if (other > t && ((t & k) == 0) == (data[t] > data[other])) {  // BUG race bitonic_no_barrier
        const int kept = data[t];
        data[t] = data[other];
        data[other] = kept;  // BUG race bitonic_no_barrier
      }
      if (!bug) __syncthreads();
    }
}
CASE(bitonic_no_barrier) {
  std::vector<int> values(128);
  for (int i = 0; i < 128; ++i) values[i] = i * 37 % 128;
  Up<int> data(values);
  bitonic<<<1, 128>>>(data, 128, bug);
  EXPECT(down<int>(data, 128)[127] == 127);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
