#include "odd_even.cu"

#include "stage.cuh"

constexpr int kKeys = 100;  // few, because each phase is a launch and ncu is slow for each

STAGE(phases) {
  const auto keys = on_device(shuffled_keys(kKeys));
  odd_even::phases(keys.data(), kKeys);
}
STAGE(early_exit) {
  const auto keys = on_device(shuffled_keys(kKeys));
  odd_even::early_exit(keys.data(), kKeys);
}
STAGE(tiled) {
  const auto keys = on_device(shuffled_keys(3000));
  odd_even::tiled(keys.data(), 3000);
}
STAGE(merge_split) {
  const auto keys = on_device(shuffled_keys(3000));
  odd_even::merge_split(keys.data(), 3000);
}

// Records with two coordinates; a fifth of them is not live.
template <typename Sort>
void sort_records(Sort sort) {
  std::vector<int> orders = shuffled(kKeys), levels = shuffled(kKeys);
  for (int& order : orders) order %= 5;
  for (int& level : levels) level %= 3;
  const auto order = on_device(orders), level = on_device(levels);
  const auto value = on_device(shuffled_keys(kKeys)), payload = on_device(shuffled_keys(2 * kKeys));
  kit::DeviceBuffer<int> live(1);
  sort(order.data(), level.data(), value.data(), payload.data(), 2, live.data(), kKeys);
}
STAGE(records) { sort_records(odd_even::records); }
STAGE(texture) { sort_records(odd_even::texture); }
