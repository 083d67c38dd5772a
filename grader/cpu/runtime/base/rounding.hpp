// Rounding of sizes to whole pages or other steps.
#pragma once

#include <cstddef>

namespace cuda_on_cpu {

constexpr std::size_t kPage = 4096;

constexpr std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace cuda_on_cpu
