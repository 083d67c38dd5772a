// expect on cpu: tiled: wrong answer: blocks on this way did not run
// Merge sort: tiles are sorted once; then runs become twice as long in each launch, and a thread
// finds the place of its key by a binary search.
#include <utility>
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"
namespace odd_even {
constexpr int kTile = 1024, kPhases = 1024;
__global__ void sort_tiles(float* keys, int n) {
  __shared__ float tile[kTile];
  const int i = blockIdx.x * kTile + threadIdx.x, t = threadIdx.x;
  tile[t] = i < n ? keys[i] : INFINITY;
  for (int phase = 0; phase < kPhases; ++phase) {
    __syncthreads();
    if (t % 2 != phase % 2 || t + 1 == kTile || tile[t + 1] >= tile[t]) continue;
    const float key = tile[t];
    tile[t] = tile[t + 1];
    tile[t + 1] = key;
  }
  __syncthreads();
  if (i < n) keys[i] = tile[t];
}
__global__ void merge(const float* in, float* out, int n, int run) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int pair = i / (2 * run) * 2 * run, middle = min(n, pair + run);
  const bool is_left = i < middle;
  int low = is_left ? middle : pair, high = is_left ? min(n, middle + run) : middle;
  const int begin = low;
  while (low < high) {
    const int between = (low + high) / 2;
    if (is_left ? in[between] < in[i] : in[between] <= in[i]) low = between + 1;
    else high = between;
  }
  out[i + (low - begin) - (is_left ? 0 : middle - pair)] = in[i];
}
void tiled(float* keys, int n) {
  if (n == 0) return;
  const kit::DeviceBuffer<float> copy(n);
  float *from = keys, *to = copy.data();
  sort_tiles<<<kit::ceil_div(n, kTile), kTile>>>(keys, n);
  for (int run = kTile; run < n; run *= 2) {
    merge<<<kit::ceil_div(n, 256), 256>>>(from, to, n, run);
    CUDA_CHECK(cudaGetLastError());
    std::swap(from, to);
  }
  if (from != keys)
    CUDA_CHECK(cudaMemcpy(keys, from, n * sizeof(float), cudaMemcpyDeviceToDevice));
}
}  // namespace odd_even
