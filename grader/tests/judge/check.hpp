// The smallest of all test frameworks: what does not hold is printed and counted.
#pragma once

#include <cstdio>

namespace warpwise {

inline int failed = 0;

void check_parts();         // parts.cpp
void check_worker_parts();  // worker_parts.cpp

}  // namespace warpwise

#define CHECK(...)                                                                        \
  if (!(__VA_ARGS__)) {                                                                   \
    std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #__VA_ARGS__); \
    ++failed;                                                                             \
  }
