// expect: strings: wrong answer
// Cuts the lengths of strings down to 16 bits.
#include <cstdint>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__device__ int compare_bytes(const char* a, std::uint16_t a_length, const char* b,
                             std::uint16_t b_length) {
  for (int k = 0; k < min(a_length, b_length); ++k) {
    const int difference = static_cast<unsigned char>(a[k]) - static_cast<unsigned char>(b[k]);
    if (difference != 0) return difference;
  }
  return a_length - b_length;
}

__global__ void place_fixed_strings(const char* in, char* out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char* const mine = in + i * width;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int order = compare_bytes(in + j * width, width, mine, width);
    rank += order < 0 || (order == 0 && j < i);
  }
  for (int k = 0; k < width; ++k) out[rank * width + k] = mine[k];
}

__global__ void place_indices(const char* text, const int* offsets, int* order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int difference = compare_bytes(text + offsets[j], offsets[j + 1] - offsets[j],
                                         text + offsets[i], offsets[i + 1] - offsets[i]);
    rank += difference < 0 || (difference == 0 && j < i);
  }
  order[rank] = i;
}

void fixed_strings(const char* in, char* out, int width, int n) {
  if (n == 0) return;
  place_fixed_strings<<<kit::ceil_div(n, 256), 256>>>(in, out, width, n);
  CUDA_CHECK_LAUNCH();
}

void strings(const char* text, const int* offsets, int* order, int n) {
  if (n == 0) return;
  place_indices<<<kit::ceil_div(n, 256), 256>>>(text, offsets, order, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
