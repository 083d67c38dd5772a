// expect: global: crashed
// Sorts on the host: it follows a device pointer as if it were a host pointer.
#include <algorithm>

#include "rank_sort.hpp"

namespace rank_sort {

void global(const float* in, float* out, int n) {
  std::copy(in, in + n, out);
  std::sort(out, out + n);
}

}  // namespace rank_sort
