// Kernels of courses within a block: histograms, scans, reductions, matrix products.
#include "case.cuh"

// ---- histograms
constexpr int BINS = 256;
__global__ void histogram(const unsigned char *in, unsigned *out, int n, bool bug) {
  __shared__ unsigned local[BINS];
  if (bug) {
    if (threadIdx.x < BINS) local[threadIdx.x] = 0;  // the block has 128 threads
  } else {
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i]], 1u);  // BUG uninitialised bins_half_cleared
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&out[b], local[b]);
}
CASE(bins_half_cleared) {
  std::vector<unsigned char> text(1000);
  for (int i = 0; i < 1000; ++i) text[i] = i % 256;
  Up<unsigned char> in(text);
  Buffer<unsigned> out(BINS);
  histogram<<<2, 128>>>(in, out, 1000, bug);
  EXPECT(down<unsigned>(out, BINS)[0] == 4 && down<unsigned>(out, BINS)[255] == 3);
}
__global__ void letters(const char *text, int n, int *count, bool bug) {
  __shared__ int local[26];
  if (threadIdx.x < 26) local[threadIdx.x] = 0;
  __syncthreads();
  const int i = threadIdx.x;
  if (i < n) {
    const int letter = text[i] - 'a';
    if (bug || (letter >= 0 && letter < 26)) atomicAdd(&local[letter], 1);  // BUG memory other_characters
  }
  __syncthreads();
  if (threadIdx.x < 26) count[threadIdx.x] = local[threadIdx.x];
}
CASE(other_characters) {
  const char text[] = "hello, world";
  Up<char> in(std::vector<char>(text, text + 12));
  Buffer<int> count(26);
  letters<<<1, 32>>>(in, 12, count, bug);
  EXPECT(down<int>(count, 26)['l' - 'a'] == 3);
}
// ---- scans
__global__ void hillis_steele(int *data, int n, bool bug) {
  __shared__ int temp[2][128];
  const int t = threadIdx.x;
  int now = 0;
  temp[0][t] = t < n ? data[t] : 0;
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    const int next = bug ? now : 1 - now;
    if (t >= offset)
      temp[next][t] = temp[now][t] + temp[now][t - offset];  // BUG race scan_in_place
    else
      temp[next][t] = temp[now][t];
    now = next;
    __syncthreads();
  }
  if (t < n) data[t] = temp[now][t];
}
CASE(scan_in_place) {
  Up<int> data(std::vector<int>(100, 1));
  hillis_steele<<<1, 128>>>(data, 100, bug);
  EXPECT(down<int>(data, 100)[99] == 100);
}
__global__ void blelloch(int *data, bool bug) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[2 * t] = data[2 * t];
  s[2 * t + 1] = data[2 * t + 1];
  int offset = 1;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) s[255] = 0;
  for (int d = 1; d < 256; d *= 2) {
    offset /= 2;
    if (!bug) __syncthreads();
    if (t < d) {
      const int low = offset * (2 * t + 1) - 1, high = offset * (2 * t + 2) - 1;
      const int kept = s[low];
      s[low] = s[high];  // BUG race down_sweep_no_barrier
      s[high] += kept;
    }
  }
  __syncthreads();
  data[2 * t] = s[2 * t];
  data[2 * t + 1] = s[2 * t + 1];
}
CASE(down_sweep_no_barrier) {
  Up<int> data(std::vector<int>(256, 2));
  blelloch<<<1, 128>>>(data, bug);
  EXPECT(down<int>(data, 256)[255] == 510);
}
__global__ void add_block_sums(int *data, const int *sums, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (bug || blockIdx.x > 0))
    data[i] += sums[(int)blockIdx.x - 1];  // BUG memory sum_before_first_block
}
CASE(sum_before_first_block) {
  Buffer<int> data(100);
  Up<int> sums({5, 6, 7});
  add_block_sums<<<4, 32>>>(data, sums, 100, bug);
  EXPECT(down<int>(data, 100)[99] == 7);
}
__global__ void warp_scan_block(int *data, bool bug) {
  __shared__ int sums[4];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = data[threadIdx.x];
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(~0u, value, d);
    if (lane >= d) value += other;
  }
  if (lane == 31) sums[warp] = value;  // BUG race warp_sums_no_barrier
  if (!bug) __syncthreads();
  for (int w = 0; w < warp; ++w) value += sums[w];  // BUG race warp_sums_no_barrier
  data[threadIdx.x] = value;
}
CASE(warp_sums_no_barrier) {
  Up<int> data(std::vector<int>(128, 1));
  warp_scan_block<<<1, 128>>>(data, bug);
  EXPECT(down<int>(data, 128)[127] == 128);
}
// ---- reductions
__global__ void reduce_add_during_load(const float *in, float *out, int n, bool bug) {
  __shared__ float s[64];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  float mine = i < n ? in[i] : 0;
  if (bug || i + 64 < n) mine += in[i + 64];  // BUG memory second_load_unguarded
  s[t] = mine;
  __syncthreads();
  for (int k = 32; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
CASE(second_load_unguarded) {
  Up<float> in(std::vector<float>(200, 1));
  Buffer<float> out(2);
  reduce_add_during_load<<<2, 64>>>(in, out, 200, bug);
  EXPECT(down<float>(out, 2)[0] == 128 && down<float>(out, 2)[1] == 72);
}
__global__ void reduce_return(const float *in, float *out, int n, bool bug) {
  __shared__ float s[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (bug && i >= n) return;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();  // BUG barrier tail_returned_early
  for (int k = 32; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
CASE(tail_returned_early) {
  Up<float> in(std::vector<float>(100, 1));
  Buffer<float> out(2);
  reduce_return<<<2, 64>>>(in, out, 100, bug);
  EXPECT(down<float>(out, 2)[1] == 36);
}
__global__ void dot(const float *a, const float *b, float *result, int n, bool bug) {
  __shared__ float sums[2];
  float mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += a[i] * b[i];
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
  __syncthreads();
  const int warps = bug ? blockDim.x / 16 : blockDim.x / 32;
  if (threadIdx.x == 0)
    for (int w = 0; w < warps; ++w) *result += sums[w];  // BUG memory too_many_warps
}
CASE(too_many_warps) {
  Up<float> a(std::vector<float>(100, 2)), b(std::vector<float>(100, 3));
  Buffer<float> result(1);
  dot<<<1, 64>>>(a, b, result, 100, bug);
  EXPECT(down<float>(result, 1)[0] == 600);
}
// ---- matrix products
constexpr int T = 8;
enum class Tile { right, unguarded, returned, garbage };
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k, Tile kind) {
  __shared__ float as[T][T], bs[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * T + tx, y = blockIdx.y * T + ty;
  if (kind == Tile::returned && (x >= n || y >= m)) return;
  float sum = 0;
  for (int t = 0; t < (k + T - 1) / T; ++t) {
    if (kind == Tile::unguarded || (y < m && t * T + tx < k))
      as[ty][tx] = a[y * k + t * T + tx];  // BUG memory tile_edge_load
    else if (kind != Tile::garbage)
      as[ty][tx] = 0;
    bs[ty][tx] = x < n && t * T + ty < k ? b[(t * T + ty) * n + x] : 0;
    __syncthreads();  // BUG barrier tile_edge_return
    for (int i = 0; i < T; ++i) sum += as[ty][i] * bs[i][tx];  // BUG uninitialised tile_edge_garbage
    __syncthreads();
  }
  if (x < n && y < m) c[y * n + x] = sum;
}
void multiply(Tile kind, bool bug) {
  const int m = 11, n = 13, k = 5;
  Up<float> a(std::vector<float>(m * k, 1)), b(std::vector<float>(k * n, 2));
  Buffer<float> c(m * n);
  product<<<dim3(2, 2), dim3(T, T)>>>(a, b, c, m, n, k, bug ? kind : Tile::right);
  EXPECT(down<float>(c, m * n)[m * n - 1] == 10);
}
CASE(tile_edge_load) { multiply(Tile::unguarded, bug); }
CASE(tile_edge_return) { multiply(Tile::returned, bug); }
CASE(tile_edge_garbage) { multiply(Tile::garbage, bug); }

int main(int count, char **arguments) { return run_case(count, arguments); }
