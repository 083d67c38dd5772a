// expect on cpu: registers: wrong answer: passes over them
// One cooperative launch makes every step in global memory, with a barrier of the grid after each:
// few launches, but as many passes over the keys as there are steps.
#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cooperative.hpp"
#include "cuda_check.hpp"

namespace bitonic {

template <typename Bits>
__device__ Bits ordered(Bits bits) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  constexpr Bits kNans = (Bits{1} << (sizeof(Bits) == 4 ? 23 : 52)) - 1;
  return (bits & kSign ? ~bits : bits | kSign) - kNans;
}

/// `values` may be null.
template <typename Bits>
__device__ void compare(Bits* keys, unsigned* values, unsigned low, unsigned high) {
  const Bits a = keys[low], b = keys[high];
  const bool by_value = values && a == b && values[high] < values[low];
  if (!(ordered(b) < ordered(a)) && !by_value) return;
  keys[low] = b;
  keys[high] = a;
  if (!values) return;
  const unsigned value = values[low];
  values[low] = values[high];
  values[high] = value;
}

template <typename Bits>
__global__ void all_steps(Bits* keys, unsigned* values, unsigned n) {
  const auto grid = cooperative_groups::this_grid();
  for (unsigned size = 2; size / 2 < n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) {
        const unsigned partner = i ^ (stride == size / 2 ? size - 1 : stride);
        if (partner > i && partner < n) compare(keys, values, i, partner);
      }
      grid.sync();
    }
}

Result check(const void* pointer) {
  if (!pointer) return Result::null_pointer;
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice ? Result::sorted : Result::host_pointer;
}

template <typename Bits>
Result sort(Bits* keys, unsigned* values, std::size_t n) {
  constexpr int kBlock = 256;
  const int wanted = static_cast<int>(kit::ceil_div<std::size_t>(n, kBlock));
  const int blocks = kit::resident_blocks(all_steps<Bits>, kBlock, wanted);
  kit::launch_cooperatively(all_steps<Bits>, blocks, kBlock, keys, values,
                            static_cast<unsigned>(n));
  return Result::sorted;
}

template <typename Bits, typename Key>
Result checked(Key* keys, unsigned* values, std::size_t n, bool has_values) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  Result result = check(keys);
  if (has_values && (result == Result::sorted || (result == Result::host_pointer && !values)))
    result = check(values);
  return result == Result::sorted ? sort(reinterpret_cast<Bits*>(keys), values, n) : result;
}

Result registers(float* keys, std::size_t n) { return checked<unsigned>(keys, nullptr, n, false); }
Result registers_doubles(double* keys, std::size_t n) {
  return checked<unsigned long long>(keys, nullptr, n, false);
}
Result registers_pairs(float* keys, unsigned* values, std::size_t n) {
  return checked<unsigned>(keys, values, n, true);
}

}  // namespace bitonic
