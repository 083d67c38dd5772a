// Lab 03's reference against CUB, the sorts of the toolkit: same keys, same order (written down
// here a second time, in another way), same bits. Exit code 0 when all agree. With the argument
// "spoil" two neighbours are swapped after the reference has sorted; the exit code must then be 1.
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bitonic.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"

namespace {

struct Pair {
  float key;
  unsigned value;
};

/// The contract's order, written here in another way: numbers by <, -0 before +0, then NaN from
/// small bits to large, then NaN with a sign bit from large bits to small.
struct Before {
  template <typename Key>
  static __device__ int rank(Key key) {  // a number, a NaN, a NaN with a sign bit
    return !isnan(key) ? 0 : signbit(key) ? 2 : 1;
  }
  static __device__ unsigned bits(float key) { return __float_as_uint(key); }
  static __device__ unsigned long long bits(double key) {
    return static_cast<unsigned long long>(__double_as_longlong(key));
  }
  template <typename Key>
  __device__ bool operator()(Key a, Key b) const {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (rank(a) == 0) return a < b || (a == b && signbit(a) && !signbit(b));
    return rank(a) == 1 ? bits(a) < bits(b) : bits(a) > bits(b);
  }
  __device__ bool operator()(Pair a, Pair b) const {
    if ((*this)(a.key, b.key)) return true;
    return !(*this)(b.key, a.key) && a.value < b.value;
  }
};

bool spoil = false;
int disagreements = 0;

/// Random bits; a quarter of the exponents are all ones: infinities and NaN with every payload.
template <typename Key, typename Bits>
std::vector<Key> random_keys(std::size_t n) {
  std::mt19937_64 random(n);
  constexpr Bits kExponent = sizeof(Bits) == 4 ? Bits{0xFF} << 23 : Bits(0x7FFull << 52);
  std::vector<Key> keys(n);
  for (Key& key : keys) {
    Bits bits = static_cast<Bits>(random());
    if (random() % 4 == 0) bits |= kExponent;
    if (random() % 16 == 0) bits &= Bits(1) << (8 * sizeof bits - 1);  // 0 or -0
    std::memcpy(&key, &bits, sizeof key);
  }
  return keys;
}

template <typename T>
std::vector<T> on_host(const kit::DeviceBuffer<T>& buffer) {
  std::vector<T> values(buffer.size());
  buffer.copy_to(values);
  return values;
}

/// CUB's merge sort of the same elements under the order above.
template <typename T>
std::vector<T> merge_sorted(const std::vector<T>& elements) {
  kit::DeviceBuffer<T> buffer{std::span<const T>(elements)};
  std::size_t bytes = 0;
  CUDA_CHECK(
      cub::DeviceMergeSort::SortKeys(nullptr, bytes, buffer.data(), elements.size(), Before()));
  kit::DeviceBuffer<char> scratch(bytes);
  CUDA_CHECK(cub::DeviceMergeSort::SortKeys(scratch.data(), bytes, buffer.data(), elements.size(),
                                            Before()));
  return on_host(buffer);
}

/// CUB's radix sort, for floats without NaN and zeros: their order is the same everywhere.
std::vector<float> radix_sorted(const std::vector<float>& keys) {
  kit::DeviceBuffer<float> in{std::span<const float>(keys)}, out(keys.size());
  std::size_t bytes = 0;
  CUDA_CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in.data(), out.data(), keys.size()));
  kit::DeviceBuffer<char> scratch(bytes);
  CUDA_CHECK(
      cub::DeviceRadixSort::SortKeys(scratch.data(), bytes, in.data(), out.data(), keys.size()));
  return on_host(out);
}

template <typename T>
void compare(std::vector<T> got, const std::vector<T>& expected, const std::string& what) {
  if (spoil && got.size() > 1) std::swap(got[got.size() / 2 - 1], got[got.size() / 2]);
  if (!std::memcmp(got.data(), expected.data(), got.size() * sizeof(T))) return;
  std::printf("%s of %zu differ from CUB's\n", what.c_str(), got.size());
  ++disagreements;
}

template <typename Key>
std::vector<Key> sorted_by(bitonic::Result (*entry)(Key*, std::size_t),
                           const std::vector<Key>& keys) {
  kit::DeviceBuffer<Key> buffer{std::span<const Key>(keys)};
  if (entry(buffer.data(), keys.size()) != bitonic::Result::sorted) ++disagreements;
  return on_host(buffer);
}

void check_pairs(const std::vector<float>& keys) {
  std::mt19937 random(1);
  std::vector<unsigned> values(keys.size());
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < keys.size(); ++i)
    pairs.push_back({keys[i], values[i] = static_cast<unsigned>(random() % 100)});
  kit::DeviceBuffer<float> key_buffer{std::span<const float>(keys)};
  kit::DeviceBuffer<unsigned> value_buffer{std::span<const unsigned>(values)};
  if (bitonic::registers_pairs(key_buffer.data(), value_buffer.data(), keys.size()) !=
      bitonic::Result::sorted)
    ++disagreements;
  const auto sorted_keys = on_host(key_buffer);
  const auto sorted_values = on_host(value_buffer);
  std::vector<Pair> got;
  for (std::size_t i = 0; i < keys.size(); ++i) got.push_back({sorted_keys[i], sorted_values[i]});
  compare(got, merge_sorted(pairs), "registers_pairs: pairs");
}

void check_size(std::size_t n) {
  const auto keys = random_keys<float, unsigned>(n);
  const auto expected = merge_sorted(keys);
  compare(sorted_by(bitonic::any_length, keys), expected, "any_length: keys");
  compare(sorted_by(bitonic::shared, keys), expected, "shared: keys");
  compare(sorted_by(bitonic::registers, keys), expected, "registers: keys");
  const auto doubles = random_keys<double, unsigned long long>(n);
  compare(sorted_by(bitonic::registers_doubles, doubles), merge_sorted(doubles),
          "registers_doubles: keys");
  check_pairs(keys);
  std::vector<float> numbers;
  for (const float key : keys)
    if (key == key && key != 0) numbers.push_back(key);
  compare(sorted_by(bitonic::registers, numbers), radix_sorted(numbers), "registers: numbers");
}

}  // namespace

int main(int argc, char** argv) {
  spoil = argc > 1 && std::string(argv[1]) == "spoil";
  for (const std::size_t n : {1, 2, 1000, 4096, 4097, 65536, 100'003, 1 << 20, (1 << 22) + 1})
    check_size(n);
  std::printf("%d disagreements\n", disagreements);
  return disagreements != 0;
}
