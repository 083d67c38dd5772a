#pragma once

#include <cuda_runtime.h>

#include <type_traits>

namespace kit {

/// How many pieces of size `piece` cover `n`: n / piece, rounded up. n >= 0, piece > 0. The result
/// has the type of n, which must hold `piece` too.
template <typename Integer>
__host__ __device__ constexpr Integer ceil_div(Integer n, std::type_identity_t<Integer> piece) {
  return n / piece + (n % piece != 0);  // never n + piece - 1: that can overflow
}

}  // namespace kit
