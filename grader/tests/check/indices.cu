// Indices and alignment as students get them wrong.
#include "case.cuh"

#include <cuda_bf16.h>

// ---- indices
__global__ void add_one(int *data, int n, bool bug) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; bug ? i <= n : i < n; i += stride) data[i] += 1;  // BUG memory grid_stride_one_more
}
CASE(grid_stride_one_more) {
  Up<int> data(counting<int>(100));
  add_one<<<2, 32>>>(data, 100, bug);
  EXPECT(down<int>(data, 100)[99] == 100);
}
__global__ void volume(float *cells, int wide, int high, int deep, bool bug) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  if (x >= wide || y >= high || z >= deep) return;
  cells[(z * (bug ? wide : high) + y) * wide + x] = 1.0f;  // BUG memory planes_of_width
}
CASE(planes_of_width) {
  Buffer<float> cells(8 * 4 * 4);
  volume<<<1, dim3(8, 4, 4)>>>(cells, 8, 4, 4, bug);
  EXPECT(down<float>(cells, 128)[127] == 1.0f);
}
__global__ void transpose(const float *in, float *out, int rows, int columns, bool bug) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < columns && (bug || r < rows)) out[c * rows + r] = in[r * columns + c];  // BUG memory transpose_one_guard
}
CASE(transpose_one_guard) {
  Up<float> in(counting<float>(10 * 16));
  Buffer<float> out(10 * 16);
  transpose<<<dim3(2, 2), dim3(8, 8)>>>(in, out, 10, 16, bug);
  EXPECT(down<float>(out, 160)[1] == 16);
}
__global__ void histogram(const unsigned char *in, int *bins, int n) {
  __shared__ int own[255];
  for (int b = threadIdx.x; b < 255; b += blockDim.x) own[b] = 0;
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < n) atomicAdd(&own[in[threadIdx.x]], 1);  // BUG memory bins_one_short
  __syncthreads();
  for (int b = threadIdx.x; b < 255; b += blockDim.x) atomicAdd(bins + b, own[b]);
}
CASE(bins_one_short) {
  std::vector<unsigned char> values(64, 7);
  values[9] = bug ? 255 : 254;
  Up<unsigned char> in(values);
  Buffer<int> bins(256);
  histogram<<<1, 64>>>(in, bins, 64);
  EXPECT(down<int>(bins, 256)[7] == 63);
}
__global__ void ring(int *slots, unsigned *next, unsigned size, bool bug) {
  const unsigned at = atomicInc(next, bug ? size : size - 1);
  atomicAdd(slots + at, 1);  // BUG memory ring_wraps_late
}
CASE(ring_wraps_late) {
  Buffer<int> slots(8);
  Buffer<unsigned> next(1);
  ring<<<1, 32>>>(slots, next, 8, bug);
  EXPECT(down<int>(slots, 8)[7] == 4);
}
__global__ void stack(int *slots, unsigned *top, unsigned size, bool bug) {
  const unsigned at = atomicDec(top, bug ? size : size - 1);
  atomicAdd(slots + at, 1);  // BUG memory stack_wraps_high
}
CASE(stack_wraps_high) {
  Buffer<int> slots(8);
  Buffer<unsigned> top(1);
  stack<<<1, 32>>>(slots, top, 8, bug);
  EXPECT(down<int>(slots, 8)[7] == 4);
}
__global__ void mandelbrot(const uchar4 *palette, uchar4 *image, int most, bool bug) {
  const int i = threadIdx.x;
  const float cx = -2 + 0.1f * i, cy = 0.3f;
  float x = 0, y = 0;
  int rounds = 0;
  for (; rounds < most && x * x + y * y < 4; ++rounds) {
    const float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
  }
  image[i] = palette[bug ? rounds : rounds % most];  // BUG memory palette_too_short
}
CASE(palette_too_short) {
  Up<uchar4> palette(std::vector<uchar4>(20, make_uchar4(1, 2, 3, 4)));
  Buffer<uchar4> image(32);
  mandelbrot<<<1, 32>>>(palette, image, 20, bug);
  EXPECT(down<uchar4>(image, 32)[19].y == 2);
}
template <int block>
__global__ void tile_of(const int *in, int *out) {
  __shared__ int s[block];
  s[threadIdx.x] = in[threadIdx.x];  // BUG memory template_for_less
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
CASE(template_for_less) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  if (bug) tile_of<32><<<1, 64>>>(in, out);
  else tile_of<64><<<1, 64>>>(in, out);
  EXPECT(down<int>(out, 64)[0] == 63);
}
struct Taps {
  float weight[5];
};
__global__ void convolve(const float *in, float *out, int n, Taps taps, int count) {
  const int i = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < count; ++k)
    if (i + k < n) sum += in[i + k] * taps.weight[k];  // BUG memory sixth_of_five_taps
  out[i] = sum;
}
CASE(sixth_of_five_taps) {
  Up<float> in(std::vector<float>(32, 1.0f));
  Buffer<float> out(32);
  convolve<<<1, 32>>>(in, out, 32, {{1, 1, 1, 1, 1}}, bug ? 6 : 5);
  EXPECT(down<float>(out, 32)[0] == 5);
}
__constant__ float mask[5][5];
__global__ void blur(const float *in, float *out, int wide, int high, int radius) {
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const int u = min(max(x + dx, 0), wide - 1), v = min(max(y + dy, 0), high - 1);
      sum += in[v * wide + u] * mask[dy + radius][dx + 2];  // BUG memory radius_of_another_mask
    }
  out[y * wide + x] = sum;
}
CASE(radius_of_another_mask) {
  const std::vector<float> ones(25, 1.0f);
  cudaMemcpyToSymbol(mask, ones.data(), sizeof mask);
  Up<float> in(std::vector<float>(64, 1.0f));
  Buffer<float> out(64);
  blur<<<1, dim3(8, 8)>>>(in, out, 8, 8, bug ? 3 : 2);
  EXPECT(down<float>(out, 64)[9] == 25);
}
// ---- alignment
__global__ void dots(const char *bytes, const int *weights, int *out, bool bug) {
  const int i = threadIdx.x;
  const int four = *reinterpret_cast<const int *>(bytes + (bug ? i : 4 * i));  // BUG memory four_bytes_at_any
  out[i] = __dp4a(four, weights[0], 0);
}
CASE(four_bytes_at_any) {
  Up<char> bytes(std::vector<char>(64, 1));
  Up<int> weights(std::vector<int>(1, 0x01010101));
  Buffer<int> out(8);
  dots<<<1, 8>>>(bytes, weights, out, bug);
  EXPECT(down<int>(out, 8)[7] == 4);
}
__global__ void pairs(const __nv_bfloat16 *in, float *out, int shift) {
  const int i = threadIdx.x;
  const __nv_bfloat162 two = *reinterpret_cast<const __nv_bfloat162 *>(in + shift + 2 * i);  // BUG memory bfloat_pair_misaligned
  out[i] = __low2float(two) + __high2float(two);
}
CASE(bfloat_pair_misaligned) {
  Up<__nv_bfloat16> in(std::vector<__nv_bfloat16>(66, __float2bfloat16(1.0f)));
  Buffer<float> out(32);
  pairs<<<1, 32>>>(in, out, bug ? 1 : 2);
  EXPECT(down<float>(out, 32)[31] == 2);
}
__global__ void grey(const unsigned char *image, unsigned char *out, int first) {
  const int i = threadIdx.x;
  const uchar4 pixel = *reinterpret_cast<const uchar4 *>(image + first + 4 * i);  // BUG memory pixel_misaligned
  out[i] = static_cast<unsigned char>((pixel.x + pixel.y + pixel.z) / 3);
}
CASE(pixel_misaligned) {
  Up<unsigned char> image(std::vector<unsigned char>(4 * 32 + 4, 9));
  Buffer<unsigned char> out(32);
  grey<<<1, 32>>>(image, out, bug ? 3 : 4);
  EXPECT(down<unsigned char>(out, 32)[31] == 9);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
