// expect: registers: wrong answer: not in order
// Doubles that are 0 or -0 have the same word, so they stay in the order in which they were.
#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cooperative.hpp"
#include "cuda_check.hpp"

namespace bitonic {

template <typename Key, typename Word>
__device__ Word ordered(Key key) {
  constexpr int kBits = 8 * sizeof(Word);
  constexpr Word kSign = Word{1} << (kBits - 1), kNans = (Word{1} << (kBits == 32 ? 23 : 52)) - 1;
  Word bits;
  memcpy(&bits, &key, sizeof bits);
  if (kBits == 64 && key == 0) bits = 0;
  return (bits & kSign ? ~bits : bits | kSign) - kNans;
}

/// Is element a of the keys, or pairs, after element b?
template <typename Key, typename Word>
__device__ bool after(const Key* keys, const unsigned* values, unsigned a, unsigned b) {
  const Word first = ordered<Key, Word>(keys[a]), second = ordered<Key, Word>(keys[b]);
  return first > second || (values && first == second && values[a] > values[b]);
}

template <typename Key, typename Word>
__global__ void make_all_steps(Key* keys, unsigned* values, unsigned n) {
  const unsigned threads = gridDim.x * blockDim.x;
  for (unsigned size = 2; size / 2 < n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const unsigned difference = stride == size / 2 ? size - 1 : stride;
      for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const unsigned partner = i ^ difference;
        if (partner < i || partner >= n || !after<Key, Word>(keys, values, i, partner)) continue;
        const Key key = keys[i];
        keys[i] = keys[partner], keys[partner] = key;
        if (!values) continue;
        const unsigned value = values[i];
        values[i] = values[partner], values[partner] = value;
      }
      cooperative_groups::this_grid().sync();
    }
}

template <typename Key, typename Word>
Result sort(Key* keys, unsigned* values, std::size_t n) {
  if (n == 0) return Result::sorted;
  const int most = kit::ceil_div<int>(n, 256);
  const int blocks = kit::resident_blocks(make_all_steps<Key, Word>, 256, most);
  kit::launch_cooperatively(make_all_steps<Key, Word>, blocks, 256, keys, values,
                            static_cast<unsigned>(n));
  return Result::sorted;
}

bool usable(const void* pointer) {
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

Result check(const void* pointer, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!pointer) return Result::null_pointer;
  return usable(pointer) ? Result::sorted : Result::host_pointer;
}

Result registers(float* keys, std::size_t n) {
  const Result result = check(keys, n);
  return result == Result::sorted ? sort<float, unsigned>(keys, nullptr, n) : result;
}

Result registers_doubles(double* keys, std::size_t n) {
  const Result result = check(keys, n);
  return result == Result::sorted ? sort<double, unsigned long long>(keys, nullptr, n) : result;
}

Result registers_pairs(float* keys, unsigned* values, std::size_t n) {
  const Result first = check(keys, n), second = check(values, n);
  if (first != Result::sorted || second != Result::sorted)
    return first != Result::sorted ? first : second;
  return sort<float, unsigned>(keys, values, n);
}

}  // namespace bitonic
