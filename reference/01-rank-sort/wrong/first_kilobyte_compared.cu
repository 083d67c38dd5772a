// expect: strings: wrong answer
// Strings that differ only after their first 1024 bytes are taken for equal, or sorted by length.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__device__ int compare(const char* a, int a_length, const char* b, int b_length) {
  for (int k = 0; k < min(min(a_length, b_length), 1024); ++k)
    if (a[k] != b[k]) return static_cast<unsigned char>(a[k]) - static_cast<unsigned char>(b[k]);
  return a_length - b_length;
}

__global__ void place_fixed(const char* in, char* out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    int order = 0;
    for (int k = 0; k < width && order == 0; ++k)
      order = static_cast<unsigned char>(in[j * width + k]) -
              static_cast<unsigned char>(in[i * width + k]);
    rank += order < 0 || (order == 0 && j < i);
  }
  for (int k = 0; k < width; ++k) out[rank * width + k] = in[i * width + k];
}

__global__ void place_index(const char* text, const int* offsets, int* order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int length = offsets[i + 1] - offsets[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int other = offsets[j + 1] - offsets[j];
    const int result = compare(text + offsets[j], other, text + offsets[i], length);
    rank += result < 0 || (result == 0 && j < i);
  }
  order[rank] = i;
}

void fixed_strings(const char* in, char* out, int width, int n) {
  if (n > 0) place_fixed<<<kit::ceil_div(n, 256), 256>>>(in, out, width, n);
  CUDA_CHECK_LAUNCH();
}

void strings(const char* text, const int* offsets, int* order, int n) {
  if (n > 0) place_index<<<kit::ceil_div(n, 256), 256>>>(text, offsets, order, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
