#pragma once

#include <cuda_runtime.h>

namespace kit {

/// How many pieces of size `piece` cover `n`: n / piece, rounded up. n >= 0, piece > 0.
template <typename Integer>
__host__ __device__ constexpr Integer ceil_div(Integer n, Integer piece) {
  return n / piece + (n % piece != 0);  // never n + piece - 1: that can overflow
}

}  // namespace kit
