// expect: global: crashed
// The host follows a device pointer: only kernels and cudaMemcpy can read what it points to.
#include <algorithm>

#include "rank_sort.hpp"

namespace rank_sort {

void global(const float* in, float* out, int n) {
  std::copy(in, in + n, out);
  std::sort(out, out + n);
}

}  // namespace rank_sort
