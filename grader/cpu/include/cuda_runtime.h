// CUDA on the CPU: the CUDA vocabulary for g++ and clang++. Each header below covers one part. All
// of it is written from the public CUDA documentation. What is not here does not compile.
#pragma once

#define __CUDA_ON_CPU__ 1
#define CUDART_VERSION 13000
#define CUDART_CB
#define CUDARTAPI
// Libraries use these to recognise that CUDA's own headers have been included.
#define __CUDA_RUNTIME_H__
#define __DRIVER_TYPES_H__

// C++20 has ::lerp in <math.h>, and CUDA programs define their own, as nvcc's C++17 lets them. So
// the library's gets another name, and std::lerp calls it. In a .cu file this header comes first. A
// C++ file that includes <cmath> before it has the library's own names already.
#if __cplusplus > 201703L && !defined(_GLIBCXX_CMATH)
#define lerp cuda_on_cpu_library_lerp
#include <math.h>

#include <cmath>
#undef lerp
namespace std {
constexpr float lerp(float a, float b, float t) noexcept {
  return cuda_on_cpu_library_lerp(a, b, t);
}
constexpr double lerp(double a, double b, double t) noexcept {
  return cuda_on_cpu_library_lerp(a, b, t);
}
}  // namespace std
#endif

#include <cassert>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

// What cucc.py makes of memcpy and the like where accesses are watched.
extern "C" {
void *__tsan_memcpy(void *to, const void *from, std::size_t bytes) noexcept;
void *__tsan_memmove(void *to, const void *from, std::size_t bytes) noexcept;
void *__tsan_memset(void *to, int value, std::size_t bytes) noexcept;
void *__tsan_mempcpy(void *to, const void *from, std::size_t bytes) noexcept;
int __tsan_memcmp(const void *one, const void *other, std::size_t bytes) noexcept;
}
// A constant may compare texts; nobody watches that. The builtin is in brackets, because cucc.py
// announces those that headers call.
__attribute__((always_inline)) constexpr int __tsan_memcmp_or_constant(
    const void *one, const void *other, std::size_t bytes) noexcept {
  return __builtin_is_constant_evaluated() ? (__builtin_memcmp)(one, other, bytes)
                                           : __tsan_memcmp(one, other, bytes);
}
namespace std {
using ::__tsan_memcpy;
using ::__tsan_memmove;
using ::__tsan_memset;
using ::__tsan_mempcpy;
using ::__tsan_memcmp_or_constant;
}  // namespace std

#include "cuda_on_cpu/array_api.hpp"
#include "cuda_on_cpu/atomics.hpp"
#include "cuda_on_cpu/bits.hpp"
#include "cuda_on_cpu/clusters.hpp"
#include "cuda_on_cpu/copy_step.hpp"
#include "cuda_on_cpu/graph_api.hpp"
#include "cuda_on_cpu/index.hpp"
#include "cuda_on_cpu/host_arrays.hpp"
#include "cuda_on_cpu/kernel_values.hpp"
#include "cuda_on_cpu/heap.hpp"
#include "cuda_on_cpu/launch.hpp"
#include "cuda_on_cpu/math.hpp"
#include "cuda_on_cpu/missing.hpp"
#include "cuda_on_cpu/own_memory.hpp"
#include "cuda_on_cpu/peers.hpp"
#include "cuda_on_cpu/pool_api.hpp"
#include "cuda_on_cpu/qualifiers.hpp"
#include "cuda_on_cpu/runtime_api.hpp"
#include "cuda_on_cpu/runtime_types.hpp"
#include "cuda_on_cpu/shared.hpp"
#include "cuda_on_cpu/sync.hpp"
#include "cuda_on_cpu/textures.hpp"
#include "cuda_on_cpu/vector_types.hpp"
#include "cuda_on_cpu/warp.hpp"
#ifndef __CUDA__  // clang reads kernels as CUDA there: the lint
#include "cuda_on_cpu/whole_block.hpp"
#endif

// A program has the same text whether it is watched or not.
#undef __SANITIZE_THREAD__
#undef _GLIBCXX_TSAN
#undef CUDA_ON_CPU_INSTRUMENTED
