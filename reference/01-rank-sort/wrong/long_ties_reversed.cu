// expect: strings: wrong answer: equal keys changed places
// Long strings are compared by words, from which the tie-break has been left out: of equal ones the last
// comes first.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__device__ int difference(const char* a, int a_length, const char* b, int b_length) {
  for (int k = 0; k < a_length && k < b_length; ++k)
    if (a[k] != b[k]) return static_cast<unsigned char>(a[k]) - static_cast<unsigned char>(b[k]);
  return a_length - b_length;
}

__global__ void place_fixed(const char* in, char* out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int order = difference(in + j * width, width, in + i * width, width);
    rank += order < 0 || (order == 0 && j < i);
  }
  for (int k = 0; k < width; ++k) out[rank * width + k] = in[i * width + k];
}

__global__ void place_indices(const char* text, const int* offsets, int* order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int length = offsets[i + 1] - offsets[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int other =
        difference(text + offsets[j], offsets[j + 1] - offsets[j], text + offsets[i], length);
    rank += other < 0 || (other == 0 && (length > 64 ? j > i : j < i));
  }
  order[rank] = i;
}

void fixed_strings(const char* in, char* out, int width, int n) {
  if (n > 0) place_fixed<<<kit::ceil_div(n, 256), 256>>>(in, out, width, n);
  CUDA_CHECK_LAUNCH();
}

void strings(const char* text, const int* offsets, int* order, int n) {
  if (n > 0) place_indices<<<kit::ceil_div(n, 256), 256>>>(text, offsets, order, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
