// expect: strings: wrong answer: not in order
// Compares capital letters as if they were small ones.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__device__ int small(char letter) {
  const unsigned char byte = letter;
  return byte >= 'A' && byte <= 'Z' ? byte + 'a' - 'A' : byte;
}

__global__ void place_strings(const char* in, char* out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    int k = 0;
    while (k < width && small(in[j * width + k]) == small(in[i * width + k])) ++k;
    rank += k == width ? j < i : small(in[j * width + k]) < small(in[i * width + k]);
  }
  for (int k = 0; k < width; ++k) out[rank * width + k] = in[i * width + k];
}

void fixed_strings(const char* in, char* out, int width, int n) {
  if (n == 0) return;
  place_strings<<<kit::ceil_div(n, 256), 256>>>(in, out, width, n);
}

}  // namespace rank_sort
