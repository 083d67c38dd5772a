// expect: strings: wrong answer
// Compares strings of up to 16 bytes as two words, filled up with zeros. Only those of up to eight
// bytes are told from strings that end in zeros.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

/// Eight bytes from `at` on as a number; zeros after the end.
__device__ unsigned long long word_at(const char* text, int length, int at) {
  unsigned long long word = 0;
  for (int k = at; k < at + 8; ++k)
    word = word << 8 | (k < length ? static_cast<unsigned char>(text[k]) : 0);
  return word;
}

/// Below zero if string a belongs before string b, zero if they are equal.
__device__ int compare(const char* a, int a_length, const char* b, int b_length) {
  const int common = a_length < b_length ? a_length : b_length;
  for (int k = 0; k < common; k += 8) {
    const bool last = k + 8 > common;
    for (int l = k; last && l < common; ++l)
      if (a[l] != b[l])
        return static_cast<unsigned char>(a[l]) < static_cast<unsigned char>(b[l]) ? -1 : 1;
    if (last) break;
    const auto x = word_at(a, a_length, k), y = word_at(b, b_length, k);
    if (x != y) return x < y ? -1 : 1;
  }
  if (common > 8 && a_length <= 16 && b_length <= 16) {
    const auto x = word_at(a, a_length, 8), y = word_at(b, b_length, 8);
    return x < y ? -1 : x > y;
  }
  return a_length - b_length;
}

__global__ void place_fixed(const char* in, char* out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char* const mine = in + static_cast<long long>(i) * width;
  long long rank = 0;
  for (int j = 0; j < n; ++j) {
    const int order = compare(in + static_cast<long long>(j) * width, width, mine, width);
    rank += order < 0 || (order == 0 && j < i);
  }
  for (int k = 0; k < width; ++k) out[rank * width + k] = mine[k];
}

__global__ void rank_all(const char* text, const int* offsets, int* order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int difference = compare(text + offsets[j], offsets[j + 1] - offsets[j],
                                   text + offsets[i], offsets[i + 1] - offsets[i]);
    rank += difference < 0 || (difference == 0 && j < i);
  }
  order[rank] = i;
}

void fixed_strings(const char* in, char* out, int width, int n) {
  if (n == 0) return;
  place_fixed<<<kit::ceil_div(n, 256), 256>>>(in, out, width, n);
  CUDA_CHECK_LAUNCH();
}

void strings(const char* text, const int* offsets, int* order, int n) {
  if (n == 0) return;
  rank_all<<<kit::ceil_div(n, 256), 256>>>(text, offsets, order, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
