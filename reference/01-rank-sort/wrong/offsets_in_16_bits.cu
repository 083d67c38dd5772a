// expect: strings: wrong answer
// Keeps offsets in 16 bits: the text has more than 65,536 bytes.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__device__ int compare_bytes(const char* a, int a_length, const char* b, int b_length) {
  const int common = min(a_length, b_length);
  for (int k = 0; k < common; ++k) {
    const int difference = static_cast<unsigned char>(a[k]) - static_cast<unsigned char>(b[k]);
    if (difference != 0) return difference;
  }
  return a_length - b_length;
}

__global__ void place_fixed_strings(const char* in, char* out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char* mine = in + i * width;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int order = compare_bytes(in + j * width, width, mine, width);
    rank += order < 0 || (order == 0 && j < i);
  }
  for (int k = 0; k < width; ++k) out[rank * width + k] = mine[k];
}

__global__ void rank_strings(const char* text, const int* offsets, int* order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned short mine = offsets[i], my_end = offsets[i + 1];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const unsigned short begin = offsets[j], end = offsets[j + 1];
    const int difference = compare_bytes(text + begin, end - begin, text + mine, my_end - mine);
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
  rank_strings<<<kit::ceil_div(n, 256), 256>>>(text, offsets, order, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
