// expect: strings: wrong answer: not in order
// Compares four bytes at a time, then the rest: but of three bytes that are left only two.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__device__ unsigned byte(const char* text, int k) { return static_cast<unsigned char>(text[k]); }

__device__ unsigned word(const char* text, int k) {
  return byte(text, k) << 24 | byte(text, k + 1) << 16 | byte(text, k + 2) << 8 | byte(text, k + 3);
}

__device__ int compare_bytes(const char* a, int a_length, const char* b, int b_length) {
  const int common = min(a_length, b_length), words = common > 8 ? common / 4 * 4 : 0;
  for (int k = 0; k < words; k += 4)
    if (word(a, k) != word(b, k)) return word(a, k) < word(b, k) ? -1 : 1;
  const int rest = words == 0 ? common : common % 4 == 3 ? 2 : common % 4;
  for (int k = words; k < words + rest; ++k)
    if (byte(a, k) != byte(b, k)) return byte(a, k) < byte(b, k) ? -1 : 1;
  return a_length - b_length;
}

__global__ void place_fixed_strings(const char* in, char* out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char* mine = in + static_cast<std::size_t>(i) * width;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const char* other = in + static_cast<std::size_t>(j) * width;
    const int order = compare_bytes(other, width, mine, width);
    rank += order < 0 || (order == 0 && j < i);
  }
  for (int k = 0; k < width; ++k) out[static_cast<std::size_t>(rank) * width + k] = mine[k];
}

__global__ void rank_strings(const char* text, const int* offsets, int* order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char* mine = text + offsets[i];
  const int length = offsets[i + 1] - offsets[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int difference =
        compare_bytes(text + offsets[j], offsets[j + 1] - offsets[j], mine, length);
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
