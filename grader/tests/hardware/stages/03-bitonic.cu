#include <stdexcept>

#include "bitonic.cu"

#include "stage.cuh"

constexpr int kKeys = 3000;  // not a power of two, and more than two tiles

void must_sort(bitonic::Result result) {
  if (result != bitonic::Result::sorted) throw std::runtime_error("not sorted");
}
STAGE(global) {
  const auto keys = on_device(shuffled_keys(4096));
  must_sort(bitonic::global(keys.data(), 4096));
}
STAGE(any_length) {
  const auto keys = on_device(shuffled_keys(kKeys));
  must_sort(bitonic::any_length(keys.data(), kKeys));
}
STAGE(shared) {
  const auto keys = on_device(shuffled_keys(kKeys));
  must_sort(bitonic::shared(keys.data(), kKeys));
}
std::vector<unsigned> numbered() {
  const std::vector<int> numbers = shuffled(kKeys);
  return {numbers.begin(), numbers.end()};
}
STAGE(shared_pairs) {
  const auto keys = on_device(shuffled_keys(kKeys));
  const auto values = on_device(numbered());
  must_sort(bitonic::shared_pairs(keys.data(), values.data(), kKeys));
}
STAGE(registers) {
  const auto keys = on_device(shuffled_keys(kKeys));
  must_sort(bitonic::registers(keys.data(), kKeys));
}
STAGE(registers_doubles) {
  const std::vector<float> floats = shuffled_keys(kKeys);
  const auto keys = on_device(std::vector<double>(floats.begin(), floats.end()));
  must_sort(bitonic::registers_doubles(keys.data(), kKeys));
}
STAGE(registers_pairs) {
  const auto keys = on_device(shuffled_keys(kKeys));
  const auto values = on_device(numbered());
  must_sort(bitonic::registers_pairs(keys.data(), values.data(), kKeys));
}
