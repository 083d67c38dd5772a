// expect: strings: wrong answer
// Long strings are compared by words of eight bytes, as memory holds them: the first byte is the last digit.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

constexpr int kLong = 2048;

__device__ unsigned long long word_at(const char* bytes) {
  unsigned long long word = 0;
  for (int l = 0; l < 8; ++l) word |= 1ull * static_cast<unsigned char>(bytes[l]) << 8 * l;
  return word;
}

__device__ int compare(const char* a, int a_length, const char* b, int b_length) {
  const int common = min(a_length, b_length);
  int k = 0;
  for (; common >= kLong && k + 8 <= common; k += 8) {
    const unsigned long long x = word_at(a + k), y = word_at(b + k);
    if (x != y) return x < y ? -1 : 1;
  }
  for (; k < common; ++k) {
    const int difference = static_cast<unsigned char>(a[k]) - static_cast<unsigned char>(b[k]);
    if (difference != 0) return difference;
  }
  return a_length - b_length;
}

__global__ void place_strings(const char* in, char* out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char* const mine = in + 1ll * i * width;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int order = compare(in + 1ll * j * width, width, mine, width);
    rank += order < 0 || (order == 0 && j < i);
  }
  for (int k = 0; k < width; ++k) out[1ll * rank * width + k] = mine[k];
}

__global__ void rank_strings(const char* text, const int* offsets, int* order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int length = offsets[i + 1] - offsets[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int other = offsets[j + 1] - offsets[j];
    const int difference = compare(text + offsets[j], other, text + offsets[i], length);
    rank += difference < 0 || (difference == 0 && j < i);
  }
  order[rank] = i;
}

void fixed_strings(const char* in, char* out, int width, int n) {
  if (n == 0) return;
  place_strings<<<kit::ceil_div(n, 256), 256>>>(in, out, width, n);
  CUDA_CHECK_LAUNCH();
}

void strings(const char* text, const int* offsets, int* order, int n) {
  if (n == 0) return;
  rank_strings<<<kit::ceil_div(n, 256), 256>>>(text, offsets, order, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
