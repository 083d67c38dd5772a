// Stages of a lab: `./program NAME` calls one, with inputs that are the same on every machine.
// For a new lab add one file here, NN-name.cu, that includes the reference's .cu. For a new stage
// add one STAGE to it. compare.py finds both by their names.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <vector>

#include "cuda_check.hpp"
#include "device_buffer.hpp"

struct Stage {
  const char *name;
  void (*run)();
};
inline std::vector<Stage> &stages() {
  static std::vector<Stage> all;
  return all;
}
struct Registration {
  Registration(const char *name, void (*run)()) { stages().push_back({name, run}); }
};
#define STAGE(name)                                         \
  void call_##name();                                       \
  const Registration registered_##name(#name, call_##name); \
  void call_##name()

// The numbers 0 ... n - 1 in an order that looks random and is the same everywhere.
inline std::vector<int> shuffled(int n) {
  std::vector<int> numbers(n);
  std::uint32_t state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    const int j = (state >> 8) % (i + 1);
    numbers[i] = numbers[j];
    numbers[j] = i;
  }
  return numbers;
}
inline std::vector<float> shuffled_keys(int n) {
  const std::vector<int> numbers = shuffled(n);
  return {numbers.begin(), numbers.end()};
}

// Device memory with a copy of these elements.
template <typename T>
kit::DeviceBuffer<T> on_device(const std::vector<T> &host) {
  return kit::DeviceBuffer<T>(std::span<const T>(host));
}

int main(int count, char **arguments) {
  try {
    for (const Stage &stage : stages())
      if (count == 2 && std::strcmp(stage.name, arguments[1]) == 0) {
        stage.run();
        CUDA_CHECK(cudaDeviceSynchronize());
        return 0;
      }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fprintf(stderr, "no such stage; %s has", arguments[0]);
  for (const Stage &stage : stages()) std::fprintf(stderr, " %s", stage.name);
  std::fprintf(stderr, "\n");
  return 2;
}
