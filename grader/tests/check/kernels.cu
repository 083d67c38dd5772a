// Shared memory, blocks of one launch, objects and the heap in kernels as students write them.
#include "case.cuh"

// ---- shared memory
__global__ void found(const int *in, int *out, int wanted, bool bug) {
  __shared__ bool any;
  if (!bug && threadIdx.x == 0) any = false;
  __syncthreads();
  if (in[threadIdx.x] == wanted) any = true;
  __syncthreads();
  if (threadIdx.x == 0) *out = any;  // BUG uninitialised flag_never_cleared
}
CASE(flag_never_cleared) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(1);
  found<<<1, 64>>>(in, out, 100, bug);
  EXPECT(down<int>(out, 1)[0] == 0);
}
union Word {
  float half[2];
  double whole;
};
__global__ void through_union(const float *in, double *out, bool bug) {
  __shared__ Word words[32];
  const int t = threadIdx.x;
  words[t].half[0] = in[t];
  if (!bug) words[t].half[1] = 0;
  out[t] = words[t].whole;  // BUG uninitialised half_a_union
}
CASE(half_a_union) {
  Up<float> in(std::vector<float>(32, 0.0f));
  Buffer<double> out(32);
  through_union<<<1, 32>>>(in, out, bug);
  EXPECT(down<double>(out, 32)[3] == 0);
}
__global__ void tree(const int *in, int *out, int n, bool bug) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < n || !bug) s[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];  // BUG uninitialised tree_of_fifty
    __syncthreads();
  }
  if (t == 0) *out = s[0];
}
CASE(tree_of_fifty) {
  Up<int> in(std::vector<int>(50, 1));
  Buffer<int> out(1);
  tree<<<1, 64>>>(in, out, 50, bug);
  EXPECT(down<int>(out, 1)[0] == 50);
}
__global__ void halo(const float *in, float *out, int n, bool bug) {
  __shared__ float s[34];
  const int t = threadIdx.x, i = blockIdx.x * 32 + t;
  s[t + 1] = in[i];
  if (t == 0) s[0] = i ? in[i - 1] : 0;
  if (t == (bug ? 32 : 31)) s[33] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  out[i] = s[t] + s[t + 1] + s[t + 2];  // BUG uninitialised halo_by_nobody
}
CASE(halo_by_nobody) {
  Up<float> in(std::vector<float>(64, 1.0f));
  Buffer<float> out(64);
  halo<<<2, 32>>>(in, out, 64, bug);
  EXPECT(down<float>(out, 64)[31] == 3);
}
__global__ void kogge_stone(int *data, bool bug) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = data[t];
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    const int left = t >= d ? s[t - d] : 0;  // BUG race kogge_stone_one_barrier
    if (!bug) __syncthreads();
    s[t] += left;  // BUG race kogge_stone_one_barrier
  }
  data[t] = s[t];
}
CASE(kogge_stone_one_barrier) {
  Up<int> data(std::vector<int>(64, 1));
  kogge_stone<<<1, 64>>>(data, bug);
  EXPECT(down<int>(data, 64)[63] == 64);
}
__global__ void private_bins(const int *in, int *bins, bool bug) {
  __shared__ int own[2][8];
  const int t = threadIdx.x, warp = t / 32;
  if (t < 16) own[t / 8][t % 8] = 0;
  __syncthreads();
  atomicAdd(&own[warp][in[t] % 8], 1);  // BUG race bins_of_warps_joined_early
  if (!bug) __syncthreads();
  if (t < 8) bins[t] = own[0][t] + own[1][t];  // BUG race bins_of_warps_joined_early
}
CASE(bins_of_warps_joined_early) {
  Up<int> in(counting<int>(64));
  Buffer<int> bins(8);
  private_bins<<<1, 64>>>(in, bins, bug);
  EXPECT(down<int>(bins, 8)[3] == 8);
}
__global__ void blelloch(int *data, bool bug) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = data[t];
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    if ((t + 1) % (2 * d) == 0) s[t] += s[t - d];
  }
  if (!bug) __syncthreads();
  if (t == 0) s[63] = 0;  // BUG race total_cleared_early
  for (int d = 32; d > 0; d /= 2) {
    __syncthreads();
    if ((t + 1) % (2 * d) == 0) {
      const int left = s[t - d];
      s[t - d] = s[t];
      s[t] += left;
    }
  }
  __syncthreads();
  data[t] = s[t];
}
CASE(total_cleared_early) {
  Up<int> data(std::vector<int>(64, 1));
  blelloch<<<1, 64>>>(data, bug);
  EXPECT(down<int>(data, 64)[63] == 63);
}
__global__ void product(const float *a, const float *b, float *c, int n, bool bug) {
  __shared__ float x[8][8], y[8][8];
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    const int ax = k + threadIdx.x, by = k + threadIdx.y;
    x[threadIdx.y][threadIdx.x] = row < n && (bug || ax < n) ? a[row * n + ax] : 0;  // BUG memory last_tile_unguarded
    y[threadIdx.y][threadIdx.x] = column < n && by < n ? b[by * n + column] : 0;
    __syncthreads();
    for (int j = 0; j < 8; ++j) sum += x[threadIdx.y][j] * y[j][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
CASE(last_tile_unguarded) {
  Up<float> a(std::vector<float>(100, 1.0f)), b(std::vector<float>(100, 1.0f));
  Buffer<float> c(100);
  product<<<dim3(2, 2), dim3(8, 8)>>>(a, b, c, 10, bug);
  EXPECT(down<float>(c, 100)[99] == 10);
}
// ---- blocks of one launch
__global__ void converges(const float *from, float *to, int n, int *changed, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (bug && i == 0) *changed = 0;  // BUG race cleared_beside_others
  if (i <= 0 || i >= n - 1) return;
  to[i] = (from[i - 1] + from[i + 1]) / 2;
  if (to[i] != from[i]) atomicOr(changed, 1);  // BUG race cleared_beside_others
}
CASE(cleared_beside_others) {
  std::vector<float> steep = counting<float>(64);
  for (float &value : steep) value *= value;
  Up<float> from(steep);
  Buffer<float> to(64);
  Buffer<int> changed(1);
  converges<<<2, 32>>>(from, to, 64, changed, bug);
}
__global__ void lowest(const float *in, int *least, float *scaled, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (bug || !scaled) atomicMin(least, __float_as_int(in[i]));  // BUG race minimum_used_in_the_same_launch
  if (scaled) scaled[i] = in[i] / __int_as_float(*least);  // BUG race minimum_used_in_the_same_launch
}
CASE(minimum_used_in_the_same_launch) {
  Up<float> in(std::vector<float>(64, 2.0f));
  Up<int> least(std::vector<int>(1, 0x7f000000));
  Buffer<float> scaled(64);
  if (!bug) lowest<<<2, 32>>>(in, least, nullptr, 64, bug);
  lowest<<<2, 32>>>(in, least, scaled, 64, bug);
  EXPECT(down<float>(scaled, 64)[9] == 1);
}
__global__ void through_cache(int *data, int *out, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (bug || !out) data[i] = 2 * i;  // BUG race read_only_load_of_written
  if (out) out[i] = __ldg(&data[n - 1 - i]);  // BUG race read_only_load_of_written
}
CASE(read_only_load_of_written) {
  Buffer<int> data(64), out(64);
  if (!bug) through_cache<<<2, 32>>>(data, nullptr, 64, bug);
  through_cache<<<2, 32>>>(data, out, 64, bug);
  EXPECT(down<int>(out, 64)[0] == 126);
}
__global__ void solve_lower(const float *matrix, float *x, int n, int row, bool bug) {
  for (int r = row; r < (bug ? n : row + 1); ++r)
    for (int c = blockIdx.x * blockDim.x + threadIdx.x + r + 1; c < n; c += gridDim.x * blockDim.x)
      x[c] -= matrix[c * n + r] * x[r];  // BUG race rows_depend_on_each_other
}
CASE(rows_depend_on_each_other) {
  const int n = 40;
  Up<float> matrix(std::vector<float>(n * n, 0.5f)), x(std::vector<float>(n, 1.0f));
  if (bug) solve_lower<<<2, 16>>>(matrix, x, n, 0, bug);
  else for (int row = 0; row < n; ++row) solve_lower<<<2, 16>>>(matrix, x, n, row, bug);
}
// ---- functions, objects, the heap
struct Counter {
  const int &limit;
  __host__ __device__ bool operator()(int value) const { return value < limit; }  // BUG memory reference_of_the_host
};
template <class Predicate>
__global__ void count_if(const int *in, int *count, int n, Predicate predicate) {
  const int i = threadIdx.x;
  if (i < n && predicate(in[i])) atomicAdd(count, 1);
}
struct Below {
  int limit;
  __host__ __device__ bool operator()(int value) const { return value < limit; }
};
CASE(reference_of_the_host) {
  Up<int> in(counting<int>(64));
  Buffer<int> count(1);
  int *limit = new int(10);
  if (bug) count_if<<<1, 64>>>(in, count, 64, Counter{*limit});
  else count_if<<<1, 64>>>(in, count, 64, Below{*limit});
  cudaDeviceSynchronize();
  delete limit;
  EXPECT(down<int>(count, 1)[0] == 10);
}
struct Node {
  int value;
  Node *next;
};
__global__ void list(int *out, int n, bool bug) {
  Node *first = nullptr;
  for (int i = 0; i < n; ++i) first = new Node{i, first};
  int sum = 0;
  while (first) {
    Node *const node = first;
    if (bug) delete node;
    sum += node->value;
    first = node->next;  // BUG memory next_of_deleted
    if (!bug) delete node;
  }
  *out = sum;
}
CASE(next_of_deleted) {
  Buffer<int> out(1);
  list<<<1, 1>>>(out, 5, bug);
  EXPECT(down<int>(out, 1)[0] == 10);
}
__global__ void middle(int *out, bool bug) {
  int *all = new int[8];
  for (int i = 0; i < 8; ++i) all[i] = i;
  *out = all[7];
  if (bug) ++all;
  delete[] all;  // BUG memory deleted_from_the_middle
}
CASE(deleted_from_the_middle) {
  Buffer<int> out(1);
  middle<<<1, 1>>>(out, bug);
  EXPECT(down<int>(out, 1)[0] == 7);
}
__global__ void copy_text(const char *from, char *to, int n, bool bug) {
  if (threadIdx.x) return;
  for (int i = 0; bug || i < n; ++i) {
    to[i] = from[i];  // BUG memory text_without_end
    if (!from[i]) return;
  }
}
CASE(text_without_end) {
  Up<char> from(std::vector<char>{'a', 'b', 'c', 'd'});
  Buffer<char> to(16);
  copy_text<<<1, 32>>>(from, to, 4, bug);
  EXPECT(down<char>(to, 4)[3] == 'd');
}
__global__ void edges_of(const int *offsets, const int *targets, int *queue, int *length, int size, bool bug) {
  const int v = threadIdx.x;
  for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
    const int at = atomicAdd(length, 1);
    if (bug || at < size) queue[at] = targets[e];  // BUG memory queue_of_vertices_for_edges
  }
}
CASE(queue_of_vertices_for_edges) {
  Up<int> offsets(std::vector<int>{0, 3, 6, 9, 12}), targets(std::vector<int>(12, 1));
  Buffer<int> queue(4), length(1);
  edges_of<<<1, 4>>>(offsets, targets, queue, length, 4, bug);
  EXPECT(down<int>(length, 1)[0] == 12);
}
__global__ void wrapped(const unsigned char *cells, unsigned char *next, int wide, bool bug) {
  const int x = threadIdx.x;
  const int left = bug ? (x - 1) % wide : (x - 1 + wide) % wide;
  next[x] = cells[left] + cells[(x + 1) % wide];  // BUG memory remainder_below_zero
}
CASE(remainder_below_zero) {
  Up<unsigned char> cells(std::vector<unsigned char>(16, 1));
  Buffer<unsigned char> next(16);
  wrapped<<<1, 16>>>(cells, next, 16, bug);
  EXPECT(down<unsigned char>(next, 16)[0] == 2);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
