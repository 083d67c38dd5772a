#include "rank_sort.cu"

#include "stage.cuh"

constexpr int kKeys = 1000;  // not a multiple of any block or tile

STAGE(global) {
  const auto in = on_device(shuffled_keys(kKeys));
  kit::DeviceBuffer<float> out(kKeys);
  rank_sort::global(in.data(), out.data(), kKeys);
}
STAGE(strided) {
  const auto in = on_device(shuffled_keys(kKeys));
  kit::DeviceBuffer<float> out(kKeys);
  rank_sort::strided(in.data(), out.data(), kKeys, 300);
}
STAGE(stable) {
  const auto in = on_device(shuffled_keys(kKeys));
  const auto values = on_device(shuffled(kKeys));
  kit::DeviceBuffer<float> out(kKeys);
  kit::DeviceBuffer<int> values_out(kKeys);
  rank_sort::stable(in.data(), values.data(), out.data(), values_out.data(), kKeys);
}
STAGE(descending) {
  const auto in = on_device(shuffled_keys(kKeys));
  const auto values = on_device(shuffled(kKeys));
  kit::DeviceBuffer<float> out(kKeys);
  kit::DeviceBuffer<int> values_out(kKeys);
  rank_sort::descending(in.data(), values.data(), out.data(), values_out.data(), kKeys);
}
STAGE(tiled) {
  const auto in = on_device(shuffled_keys(kKeys));
  kit::DeviceBuffer<float> out(kKeys);
  rank_sort::tiled(in.data(), out.data(), kKeys);
}

// 200 strings of 8 bytes: few letters, so that many begin alike.
constexpr int kStrings = 200, kWidth = 8;
std::vector<char> letters() {
  std::vector<char> text;
  for (const int number : shuffled(kStrings * kWidth)) text.push_back('a' + number % 3);
  return text;
}
STAGE(fixed_strings) {
  const auto in = on_device(letters());
  kit::DeviceBuffer<char> out(kStrings * kWidth);
  rank_sort::fixed_strings(in.data(), out.data(), kWidth, kStrings);
}
STAGE(strings) {
  std::vector<int> ends;
  for (int i = 0; i <= kStrings; ++i) ends.push_back(i * kWidth);
  const auto text = on_device(letters());
  const auto offsets = on_device(ends);
  kit::DeviceBuffer<int> order(kStrings);
  rank_sort::strings(text.data(), offsets.data(), order.data(), kStrings);
}
