// EXPECT(condition) prints a false condition and continues; end main with `return failures();`.
#pragma once

#include <cstdio>

inline int &failures() {
  static int count = 0;
  return count;
}

#define EXPECT(...)                                                         \
  do {                                                                      \
    if (!(__VA_ARGS__)) {                                                   \
      std::printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #__VA_ARGS__); \
      ++failures();                                                         \
    }                                                                       \
  } while (0)

// One value or array from the device, by a plain copy.
template <class T>
T from_device(const T *pointer) {
  T value;
  cudaMemcpy(&value, pointer, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}
