// Indices, matrix products, transposes and stencils, as they are handed in.
#include "case.cuh"

#include <cuda_fp16.h>

// ---- which index is which
__global__ void scale_planes(float *data, int w, int h, int d, bool bug) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (x >= w || y >= h || z >= d) return;
  const int i = bug ? (x * h + y) * w + z : (z * h + y) * w + x;
  data[i] *= 2;  // BUG memory axes_turned_around
}
CASE(axes_turned_around) {
  Buffer<float> data(24 * 10 * 3);
  scale_planes<<<dim3(3, 2, 3), dim3(8, 8)>>>(data, 24, 10, 3, bug);
}
__global__ void wrong_dimension(int *out, int n, bool bug) {
  const int i = blockIdx.x * (bug ? blockDim.y : blockDim.x) + threadIdx.x;
  if (i < n) out[i] = blockIdx.x;  // BUG race block_dim_of_another_axis
}
CASE(block_dim_of_another_axis) {
  Buffer<int> out(256);
  wrong_dimension<<<4, 64>>>(out, 256, bug);
  EXPECT(down<int>(out, 256)[255] == 3);
}
__global__ void number_in_a_byte(int *out, bool bug) {
  const unsigned char small = threadIdx.x;
  out[bug ? small : threadIdx.x] = threadIdx.x;  // BUG race index_in_a_byte
}
CASE(index_in_a_byte) {
  Buffer<int> out(512);
  number_in_a_byte<<<1, 512>>>(out, bug);
  EXPECT(down<int>(out, 512)[300] == 300);
}
__global__ void number_in_a_short(float *data, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const short narrow = i;
  if (i < n) data[bug ? narrow : i] = 1;  // BUG memory index_in_a_short
}
CASE(index_in_a_short) {
  const int n = 33000;
  Buffer<float> data(n);
  number_in_a_short<<<(n + 255) / 256, 256>>>(data, n, bug);
}
__global__ void reverse_to(const int *in, int *out, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[bug ? n - i : n - 1 - i] = in[i];  // BUG memory reversed_from_n
}
CASE(reversed_from_n) {
  Up<int> in(counting<int>(100));
  Buffer<int> out(100);
  reverse_to<<<2, 64>>>(in, out, 100, bug);
  EXPECT(down<int>(out, 100)[0] == 99);
}
__global__ void set_bits(unsigned *words, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicOr(&words[i / 32], 1u << i % 32);  // BUG memory words_rounded_down
}
CASE(words_rounded_down) {
  const int n = 100;
  Buffer<unsigned> words(bug ? n / 32 : (n + 31) / 32);
  set_bits<<<1, 128>>>(words, n);
}
__global__ void packed_lower(float *packed, int n, bool bug) {
  const int column = threadIdx.x, row = threadIdx.y;
  if (row >= n || column > row) return;
  packed[bug ? row * (row + 1) + column : row * (row + 1) / 2 + column] = 1;  // BUG memory triangle_not_halved
}
CASE(triangle_not_halved) {
  const int n = 12;
  Buffer<float> packed(n * (n + 1) / 2);
  packed_lower<<<1, dim3(16, 16)>>>(packed, n, bug);
}
__global__ void halve(const float *in, float *out, int n, bool bug) {
  const int i = threadIdx.x;
  if (i >= (n + 1) / 2) return;
  const bool has_second = bug || 2 * i + 1 < n;
  out[i] = has_second ? (in[2 * i] + in[2 * i + 1]) / 2 : in[2 * i];  // BUG memory odd_number_halved
}
CASE(odd_number_halved) {
  Buffer<float> in(33), out(17);
  halve<<<1, 32>>>(in, out, 33, bug);
}
__global__ void fours(const float4 *in, float4 *out, int n) {
  const int i = threadIdx.x;
  if (i < n / 4) out[i] = in[i];
}
__global__ void rest_of_fours(const float *in, float *out, int n, bool bug) {
  const int i = (bug ? n / 4 : n / 4 * 4) + threadIdx.x;
  if (i < n && threadIdx.x < 3) out[i] = in[i];
}
CASE(rest_begins_too_early) {
  const int n = 103;
  Up<float> in(std::vector<float>(n, 1));
  Buffer<float> out(n, Content::nothing);
  fours<<<1, 32>>>(reinterpret_cast<float4 *>(in.data), reinterpret_cast<float4 *>(out.data), n);
  rest_of_fours<<<1, 32>>>(in, out, n, bug);
  float sum = 0;
  for (float value : down<float>(out, n)) sum += value;  // BUG uninitialised rest_begins_too_early
  EXPECT(sum == n);
}
__global__ void sum_segments(const float *data, const int *start, float *sums, int segments) {
  const int s = threadIdx.x;
  if (s >= segments) return;
  float sum = 0;
  const int end = start[s + 1];  // BUG memory last_segment_has_no_end
  for (int i = start[s]; i < end; ++i) sum += data[i];
  sums[s] = sum;
}
CASE(last_segment_has_no_end) {
  std::vector<int> start = {0, 3, 7, 12};
  if (!bug) start.push_back(20);
  Buffer<float> data(20), sums(4);
  Up<int> starts(start);
  sum_segments<<<1, 32>>>(data, starts, sums, 4);
}
__global__ void batch(float **matrices, int n) {
  float *mine = matrices[blockIdx.x];  // BUG memory list_of_pointers_on_the_host
  if (int(threadIdx.x) < n) mine[threadIdx.x] = 1;
}
CASE(list_of_pointers_on_the_host) {
  Buffer<float> a(16), b(16);
  std::vector<float *> list = {a, b};
  Up<float *> on_device(list);
  batch<<<2, 32>>>(bug ? list.data() : on_device.data, 16);
}
// ---- matrix products
constexpr int kTile = 8;
__global__ void product(const float *a, const float *b, float *c, int m, int k, int n, bool bug) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += kTile) {
    const int inner = t + threadIdx.x, below = t + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && inner < k ? a[row * k + inner] : 0;
    right[threadIdx.y][threadIdx.x] = column < n && (bug || below < k) ? b[below * n + column] : 0;  // BUG memory rows_of_b_not_guarded
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
CASE(rows_of_b_not_guarded) {
  const int m = 9, k = 13, n = 10;
  Up<float> a(std::vector<float>(m * k, 1)), b(std::vector<float>(k * n, 1));
  Buffer<float> c(m * n);
  product<<<dim3(2, 2), dim3(kTile, kTile)>>>(a, b, c, m, k, n, bug);
  EXPECT(down<float>(c, m * n)[m * n - 1] == k);
}
__global__ void two_stages(const float *a, const float *b, float *c, int n, bool bug) {
  __shared__ float left[2][kTile][kTile], right[2][kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  left[0][y][x] = a[row * n + x], right[0][y][x] = b[y * n + column];
  __syncthreads();
  float sum = 0;
  for (int t = 0; t < n / kTile; ++t) {
    const int now = t % 2, next = 1 - now;
    if (t + 1 < n / kTile) {
      left[next][y][x] = a[row * n + (t + 1) * kTile + x];      // BUG race stages_without_barrier
      right[next][y][x] = b[((t + 1) * kTile + y) * n + column];
    }
    for (int i = 0; i < kTile; ++i) sum += left[now][y][i] * right[now][i][x];  // BUG race stages_without_barrier
    if (!bug) __syncthreads();
  }
  c[row * n + column] = sum;
}
CASE(stages_without_barrier) {
  const int n = 32;
  Up<float> a(std::vector<float>(n * n, 1)), b(std::vector<float>(n * n, 1));
  Buffer<float> c(n * n);
  two_stages<<<dim3(4, 4), dim3(kTile, kTile)>>>(a, b, c, n, bug);
  EXPECT(down<float>(c, n * n)[7] == n);
}
__global__ void guarded_whole(const float *a, const float *b, float *c, int n, bool bug) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  const bool inside = row < n && column < n;
  float sum = 0;
  if (inside || !bug) {
    for (int t = 0; t < n; t += kTile) {
      left[y][x] = row < n && t + x < n ? a[row * n + t + x] : 0;
      right[y][x] = t + y < n && column < n ? b[(t + y) * n + column] : 0;
      __syncthreads();  // BUG barrier guard_around_the_tiles
      for (int i = 0; i < kTile && t + i < n; ++i) sum += left[y][i] * right[i][x];
      __syncthreads();
    }
  }
  if (inside) c[row * n + column] = sum;
}
CASE(guard_around_the_tiles) {
  const int n = 12;
  Up<float> a(std::vector<float>(n * n, 1)), b(std::vector<float>(n * n, 1));
  Buffer<float> c(n * n);
  guarded_whole<<<dim3(2, 2), dim3(kTile, kTile)>>>(a, b, c, n, bug);
  EXPECT(down<float>(c, n * n)[0] == n);
}
__global__ void four_columns(const float *a, const float *b, float *c, int n, bool bug) {
  const int row = blockIdx.x, first = threadIdx.x * 4;
  float sum[4] = {};
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < 4; ++j)
      if (bug || first + j < n) sum[j] += a[row * n + k] * b[k * n + first + j];
  for (int j = 0; j < 4; ++j)
    if (bug ? first < n : first + j < n) c[row * n + first + j] = sum[j];  // BUG race columns_of_the_next_row
}
CASE(columns_of_the_next_row) {
  const int n = 10;
  Up<float> a(counting<float>(n * n)), b(counting<float>(n * n + 16));
  Buffer<float> c(n * n + 16);
  four_columns<<<n, 3>>>(a, b, c, n, bug);
}
__global__ void rows_as_fours(const float *a, float *sums, int n) {
  const float4 *row = reinterpret_cast<const float4 *>(a + blockIdx.x * n);
  const float4 v = row[threadIdx.x];  // BUG memory row_of_ten_as_fours
  atomicAdd(&sums[blockIdx.x], v.x + v.y + v.z + v.w);
}
CASE(row_of_ten_as_fours) {
  const int n = bug ? 10 : 12;
  Buffer<float> a(n * n), sums(n);
  rows_as_fours<<<4, 2>>>(a, sums, n);
}
__global__ void split_k(const float *a, const float *x, float *y, int n, int parts, bool bug) {
  const int row = threadIdx.x, part = blockIdx.x, length = n / parts;
  float sum = 0;
  for (int k = part * length; k < (part + 1) * length; ++k) sum += a[row * n + k] * x[k];
  if (bug) y[row] += sum;  // BUG race parts_of_a_sum_added_plainly
  else atomicAdd(&y[row], sum);
}
CASE(parts_of_a_sum_added_plainly) {
  const int n = 32;
  Up<float> a(std::vector<float>(n * n, 1)), x(std::vector<float>(n, 1));
  Buffer<float> y(n);
  split_k<<<4, n>>>(a, x, y, n, 4, bug);
  EXPECT(down<float>(y, n)[3] == n);
}
// ---- transposes
constexpr int kSide = 16, kRows = 4;
__global__ void turn(const float *in, float *out, int w, int h, bool bug) {
  __shared__ float tile[kSide][kSide + 1];
  const int x = blockIdx.x * kSide + threadIdx.x, y = blockIdx.y * kSide + threadIdx.y;
  for (int j = 0; j < (bug ? kRows : kSide); j += kRows)
    if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  __syncthreads();
  const int column = blockIdx.y * kSide + threadIdx.x, row = blockIdx.x * kSide + threadIdx.y;
  for (int j = 0; j < kSide; j += kRows)
    if (column < h && row + j < w) out[(row + j) * h + column] = tile[threadIdx.x][threadIdx.y + j];  // BUG uninitialised first_rows_of_a_tile
}
CASE(first_rows_of_a_tile) {
  const int w = 40, h = 24;
  Up<float> in(counting<float>(w * h));
  Buffer<float> out(w * h);
  turn<<<dim3(3, 2), dim3(kSide, kRows)>>>(in, out, w, h, bug);
  EXPECT(down<float>(out, w * h)[1] == w);
}
__global__ void turn_plain(const float *in, float *out, int w, int h, bool bug) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[bug ? x * w + y : x * h + y] = in[y * w + x];  // BUG memory width_of_the_source
}
CASE(width_of_the_source) {
  Buffer<float> in(24 * 8), out(24 * 8);
  turn_plain<<<dim3(3, 1), dim3(8, 8)>>>(in, out, 24, 8, bug);
}
__global__ void turn_square(float *m, int n, bool bug) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (!bug && x <= y) return;
  const float a = m[y * n + x], b = m[x * n + y];  // BUG race both_halves_turn
  m[y * n + x] = b;  // BUG race both_halves_turn
  m[x * n + y] = a;
}
CASE(both_halves_turn) {
  Up<float> m(counting<float>(64));
  turn_square<<<1, dim3(8, 8)>>>(m, 8, bug);
  EXPECT(down<float>(m, 64)[1] == 8);
}
// ---- stencils
__global__ void many_steps(const float *in, float *out, int n, int steps, int halo) {
  extern __shared__ float rows[];
  const int width = blockDim.x + 2 * halo, first = blockIdx.x * blockDim.x - halo;
  float *now = rows, *next = rows + width;
  for (int t = threadIdx.x; t < width; t += blockDim.x)
    now[t] = first + t >= 0 && first + t < n ? in[first + t] : 0;
  __syncthreads();
  for (int s = 1; s <= steps; ++s) {
    for (int t = s + threadIdx.x; t < width - s; t += blockDim.x) next[t] = now[t - 1] + now[t + 1];
    __syncthreads();
    float *other = now;
    now = next, next = other;
  }
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = now[halo + threadIdx.x];  // BUG uninitialised halo_for_fewer_steps
}
CASE(halo_for_fewer_steps) {
  Up<float> in(std::vector<float>(128, 1));
  Buffer<float> out(128);
  const int halo = bug ? 0 : 1;
  many_steps<<<4, 32, 2 * (32 + 2 * halo) * sizeof(float)>>>(in, out, 128, 1, halo);
  EXPECT(down<float>(out, 128)[64] == 2);
}
__global__ void seven_points(const float *in, float *out, int w, int h, int d, bool bug) {
  const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x, plane = w * h, i = z * plane + y * w + x;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  if (!bug && (z < 1 || z >= d - 1)) return;
  out[i] = in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + in[i - plane] + in[i + plane] - 6 * in[i];  // BUG memory no_guard_in_z
}
CASE(no_guard_in_z) {
  Buffer<float> in(8 * 8 * 6), out(8 * 8 * 6);
  seven_points<<<6, dim3(8, 8)>>>(in, out, 8, 8, 6, bug);
}
__global__ void wave(const float *before, const float *now, float *next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) next[i] = 2 * now[i] - before[i] + 0.1f * (now[i - 1] - 2 * now[i] + now[i + 1]);  // BUG race third_level_is_the_second
}
CASE(third_level_is_the_second) {
  const int n = 128;
  Buffer<float> a(n), b(n), c(n);
  float *before = a, *now = b, *next = bug ? now : c.data;
  for (int t = 0; t < 4; ++t) {
    wave<<<2, 64>>>(before, now, next, n);
    float *oldest = before;
    before = now, now = next, next = bug ? now : oldest;
  }
}
__global__ void blur_columns(const float *in, float *out, int w, int h, int radius, bool bug) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w) return;
  float sum = 0;
  for (int r = -radius; r <= radius; ++r) {
    const int row = bug ? min(max(y + r, 0), h) : min(max(y + r, 0), h - 1);
    sum += in[row * w + x];  // BUG memory clamped_to_the_height
  }
  out[y * w + x] = sum;
}
CASE(clamped_to_the_height) {
  Buffer<float> in(32 * 8), out(32 * 8);
  blur_columns<<<dim3(1, 8), 32>>>(in, out, 32, 8, 2, bug);
}
__global__ void life(const unsigned char *now, unsigned char *next, int w, int h, bool bug) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int nx = (x + dx + w) % w, ny = bug ? (y + dy + w) % w : (y + dy + h) % h;
      if (dx || dy) alive += now[ny * w + nx];  // BUG memory rows_wrap_at_the_width
    }
  next[y * w + x] = alive == 3 || (alive == 2 && now[y * w + x]);
}
CASE(rows_wrap_at_the_width) {
  Buffer<unsigned char> now(32 * 8), next(32 * 8);
  life<<<dim3(1, 8), 32>>>(now, next, 32, 8, bug);
}
__global__ void residual(const float *u, float *worst, int n, bool bug) {
  __shared__ float most[64];
  const int t = threadIdx.x;
  float mine = 0;
  for (int i = t + 1; i < n - 1; i += 64) mine = fmaxf(mine, fabsf(u[i - 1] - 2 * u[i] + u[i + 1]));
  most[t] = mine;
  __syncthreads();
  for (int s = 32; s > 0; s /= 2) {
    if (t < s) most[t] = fmaxf(most[t], most[t + s]);  // BUG race last_levels_trust_the_warp
    if (s > 16 || !bug) __syncthreads();
  }
  if (t == 0) *worst = most[0];
}
CASE(last_levels_trust_the_warp) {
  Up<float> u(counting<float>(200));
  Buffer<float> worst(1);
  residual<<<1, 64>>>(u, worst, 200, bug);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
