// expect: strings: wrong answer: not in order
// Takes a string for equal to one that it begins with: the shorter one belongs before it.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void rank_strings(const char* text, const int* offsets, int* order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int mine = offsets[i], length = offsets[i + 1] - mine;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int other = offsets[j], other_length = offsets[j + 1] - other;
    const int common = min(length, other_length);
    int difference = 0;
    for (int k = 0; k < common && difference == 0; ++k)
      difference = static_cast<unsigned char>(text[other + k]) -
                   static_cast<unsigned char>(text[mine + k]);
    rank += difference < 0 || (difference == 0 && j < i);
  }
  order[rank] = i;
}

// Strings of one width, as stage 5 wants them.
__global__ void place_strings(const char* in, char* out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    int k = 0;
    while (k < width && in[j * width + k] == in[i * width + k]) ++k;
    rank += k == width ? j < i
                       : static_cast<unsigned char>(in[j * width + k]) <
                             static_cast<unsigned char>(in[i * width + k]);
  }
  for (int k = 0; k < width; ++k) out[rank * width + k] = in[i * width + k];
}

void fixed_strings(const char* in, char* out, int width, int n) {
  if (n == 0) return;
  place_strings<<<kit::ceil_div(n, 256), 256>>>(in, out, width, n);
}

void strings(const char* text, const int* offsets, int* order, int n) {
  if (n == 0) return;
  rank_strings<<<kit::ceil_div(n, 256), 256>>>(text, offsets, order, n);
}

}  // namespace rank_sort
