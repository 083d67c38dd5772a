// Cases of a program: `./program NAME bug` runs the seeded bug, `./program NAME twin` the same code
// without the bug; `all` is the name of all cases, one after the other. A line that a finding must name ends with  // BUG KIND NAME...
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
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
