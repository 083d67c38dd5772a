#include <algorithm>

#include "access.hpp"

namespace cuda_on_cpu::check {
namespace {

IndexVariables find_index_variables() {
  const auto *origin = reinterpret_cast<const char *>(&threadIdx);
  std::ptrdiff_t first = 0, end = sizeof threadIdx;
  const auto include = [&](const auto &variable) {
    const std::ptrdiff_t at = reinterpret_cast<const char *>(&variable) - origin;
    first = std::min(first, at);
    end = std::max<std::ptrdiff_t>(end, at + sizeof variable);
  };
  include(blockIdx);
  include(blockDim);
  include(gridDim);
  include(cuda_on_cpu::shared_arena);
  return {first, static_cast<std::size_t>(end - first)};
}

}  // namespace

const IndexVariables index_variables = find_index_variables();

}  // namespace cuda_on_cpu::check
