// Small things of cub that programs name.
#pragma once

#include "thread/thread_operators.cuh"

#pragma GCC visibility push(default)

#define CUB_VERSION 300000
#define CUB_MAJOR_VERSION 3
#define CUB_MINOR_VERSION 0
#define CUB_RUNTIME_FUNCTION
#define CUB_PTX_WARP_THREADS 32
#define CUB_WARP_THREADS(version) 32
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) < (b)) ? (b) : (a))
#define CUB_QUOTIENT_CEILING(a, b) (((a) + (b)-1) / (b))
#define CubDebug(error) ::cub::Debug(error, __FILE__, __LINE__)
#define CubDebugExit(error) \
  if (::cub::Debug(error, __FILE__, __LINE__)) ::std::exit(1)

namespace cub {

inline cudaError_t Debug(cudaError_t error, const char *file, int line) {
  if (error)
    std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", static_cast<int>(error), file, line,
                 cudaGetErrorString(error));
  return error;
}

// Two buffers that a sort uses in turn; it says which of them has the result.
template <class T>
struct DoubleBuffer {
  T *d_buffers[2] = {nullptr, nullptr};
  int selector = 0;
  DoubleBuffer() = default;
  DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate} {}
  T *Current() { return d_buffers[selector]; }
  T *Alternate() { return d_buffers[selector ^ 1]; }
};

template <class A, class B>
CUDA_ON_CPU_LIBRARY constexpr A DivideAndRoundUp(A a, B b) {
  return static_cast<A>((a + b - 1) / b);
}
CUDA_ON_CPU_LIBRARY unsigned LaneId() { return detail::thread_of_block() % 32; }
CUDA_ON_CPU_LIBRARY unsigned WarpId() { return detail::thread_of_block() / 32; }
CUDA_ON_CPU_LIBRARY int RowMajorTid(int x, int y, int) {
  return static_cast<int>(threadIdx.x + x * (threadIdx.y + y * threadIdx.z));
}

enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE
};
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier modifier, class Iterator>
CUDA_ON_CPU_LIBRARY auto ThreadLoad(Iterator from) {
  if constexpr (modifier == LOAD_VOLATILE && std::is_pointer_v<Iterator>)
    return *const_cast<const volatile std::remove_pointer_t<Iterator> *>(from);
  else
    return *from;
}
template <CacheStoreModifier modifier, class Iterator, class T>
CUDA_ON_CPU_LIBRARY void ThreadStore(Iterator to, T value) {
  if constexpr (modifier == STORE_VOLATILE && std::is_pointer_v<Iterator>)
    *const_cast<volatile std::remove_pointer_t<Iterator> *>(to) = value;
  else
    *to = value;
}

}  // namespace cub

#pragma GCC visibility pop
