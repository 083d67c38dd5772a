#include "in_place.cu"

#include "stage.cuh"

STAGE(in_place) {
  const auto keys = on_device(shuffled_keys(1000));
  in_place::in_place(keys.data(), 1000);
}
STAGE(registers) {
  const auto keys = on_device(shuffled_keys(3000));
  in_place::registers(keys.data(), 3000);
}
STAGE(batched) {
  const auto keys = on_device(shuffled_keys(8 * 100));
  in_place::batched(keys.data(), 100, 8);
}
STAGE(fast) {
  const auto keys = on_device(shuffled_keys(8 * 100));
  in_place::fast(keys.data(), 100, 8);
}
