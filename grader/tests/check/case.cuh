// Cases of a program: `./program NAME bug` runs the seeded bug, `./program NAME twin` the same code
// without the bug; `all` is the name of all cases, one after the other. A line that a finding must name ends with  // BUG KIND NAME...
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

struct Case {
  const char *name;
  void (*run)(bool bug);
};
inline std::vector<Case> &cases() {
  static std::vector<Case> all;
  return all;
}
struct Registration {
  Registration(const char *name, void (*run)(bool)) { cases().push_back({name, run}); }
};
#define CASE(name)                                          \
  void case_##name(bool bug);                               \
  const Registration registered_##name(#name, case_##name); \
  void case_##name([[maybe_unused]] bool bug)

inline int run_case(int count, char **arguments) {
  int code = 2;
  for (const Case &one : cases())
    if (count == 3 && (std::strcmp("all", arguments[1]) == 0 || std::strcmp(one.name, arguments[1]) == 0)) {
      one.run(std::strcmp(arguments[2], "bug") == 0);
      cudaDeviceSynchronize();
      code = 0;
    }
  return code;
}

// Device memory of `count` elements, filled with zeros or left as cudaMalloc returns it.
enum class Content { zeros, nothing };
template <class T>
struct Buffer {
  explicit Buffer(int count, Content content = Content::zeros) {
    cudaMalloc(reinterpret_cast<void **>(&data), count * sizeof(T));
    if (content == Content::zeros) cudaMemset(data, 0, count * sizeof(T));
  }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer &) = delete;
  operator T *() const { return data; }
  T *data = nullptr;
};

// What a twin computes has to be right: a twin that says something is not silent.
#define EXPECT(condition)                                                   \
  if (!bug && !(condition)) std::fprintf(stderr, "%s: %s is false\n", __func__, #condition)

template <class T>
std::vector<T> down(const T *device, int count) {
  std::vector<T> host(count);
  cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}
template <class T>
struct Up : Buffer<T> {
  explicit Up(const std::vector<T> &host) : Buffer<T>(static_cast<int>(host.size()), Content::nothing) {
    cudaMemcpy(this->data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
};
template <class T>
std::vector<T> counting(int n) {
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), T{});
  return values;
}
