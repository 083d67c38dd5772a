// CUDA's vocabulary for `./lab run --mode lint`: clang's CUDA front end reads a student's file with
// this header before it. It needs no toolkit and generates no code.
//
// The CPU backend's headers say what exists. This header says for which side CUDA offers it, host
// or device. What is not named below counts for both sides.
#pragma once

#include "cuda_on_cpu/qualifiers.hpp"

#undef __device__
#undef __host__
#undef __constant__
#undef __managed__
#undef __launch_bounds__
#undef __cluster_dims__
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...)  // which clang learns only with version 21

// The C++ library is for the host, except for what CUDA offers on both sides. The order matters: if
// a header for both sides includes a header for the host, the latter must already have been read as
// the host's.
#include <type_traits>
#pragma clang force_cuda_host_device begin
#include <bit>
#include <cstdlib>
#pragma clang force_cuda_host_device end
#include <array>
#pragma clang force_cuda_host_device begin
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

// Functions and types for both sides.
#include "cuda_on_cpu/bits.hpp"
#include "cuda_on_cpu/math.hpp"
#include "cuda_on_cpu/runtime_types.hpp"
#include "cuda_on_cpu/vector_types.hpp"
#pragma clang force_cuda_host_device end

// Functions that only a kernel may call, and what they call.
namespace cuda_on_cpu {
struct WarpRequest;
__device__ long long warp_rendezvous(const WarpRequest &request, Site caller);
__device__ void barrier(Site caller);
__device__ int barrier_count(bool predicate, Site caller);
__device__ void fence();
__device__ void spin();
[[noreturn]] __device__ void trap(Site caller);
__device__ const char *current_kernel();
}  // namespace cuda_on_cpu
#define inline __attribute__((device)) inline
#define __syncthreads cuda_on_cpu_syncthreads  // because clang has its own when it reads host code
#include "cuda_on_cpu/atomics.hpp"
#include "cuda_on_cpu/sync.hpp"
#include "cuda_on_cpu/warp.hpp"
#undef __syncthreads
#undef inline
__device__ void __syncthreads();

// The few parts of the C++ library that nvcc also lets a kernel use.
__device__ void *operator new(size_t, void *place) noexcept;
__device__ void *operator new[](size_t, void *place) noexcept;
__device__ void operator delete(void *, void *place) noexcept;
__device__ void operator delete[](void *, void *place) noexcept;
namespace std {
template <class T>
__device__ constexpr remove_reference_t<T> &&move(T &&value) noexcept {
  return static_cast<remove_reference_t<T> &&>(value);
}
template <class T>
__device__ constexpr T &&forward(remove_reference_t<T> &value) noexcept {
  return static_cast<T &&>(value);
}
}  // namespace std

// Functions that only the host may call.
#include "cuda_on_cpu/runtime_api.hpp"

// A thread's indices: ordinary variables of the CPU backend's scheduler, under another name.
#pragma clang force_cuda_host_device begin
#define threadIdx cuda_on_cpu_threadIdx
#define blockIdx cuda_on_cpu_blockIdx
#define blockDim cuda_on_cpu_blockDim
#define gridDim cuda_on_cpu_gridDim
#include "cuda_on_cpu/index.hpp"
#include "cuda_on_cpu/launch.hpp"
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
#pragma clang force_cuda_host_device end

namespace cuda_on_cpu {

// Reading a member calls a device function, so the host cannot read it. Nothing can be assigned.
struct BuiltinIndex {
  __declspec(property(get = exists_only_in_a_kernel)) unsigned x, y, z;
  __device__ static unsigned exists_only_in_a_kernel() { return 0; }
  __device__ operator uint3() const { return {}; }
  __device__ operator dim3() const { return {}; }
};

template <class T>
__host__ __device__ constexpr size_t alignment() {
  return alignof(T);
}
template <size_t bytes>
__host__ __device__ constexpr size_t alignment() {
  return bytes;
}

}  // namespace cuda_on_cpu

extern const __device__ cuda_on_cpu::BuiltinIndex threadIdx, blockIdx, blockDim, gridDim;

// Everything else.
#pragma clang force_cuda_host_device begin
#include "cooperative_groups.h"
#include "cooperative_groups/memcpy_async.h"
#include "cooperative_groups/reduce.h"
#include "cooperative_groups/scan.h"
#include "cuda/barrier"
#include "cuda/pipeline"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_pipeline.h"
#include "cuda_runtime.h"
#include "curand_kernel.h"
#pragma clang force_cuda_host_device end

// What clang calls for k<<<grid, block, bytes, stream>>>: the first, or the second where it finds
// no toolkit and takes CUDA for old.
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                cudaStream_t stream = nullptr);
extern "C" unsigned cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                      cudaStream_t stream = nullptr);

// nvcc takes  __shared__ alignas(16) float tile[32];  where clang wants alignas to come first.
#define alignas(...) __attribute__((aligned(::cuda_on_cpu::alignment<__VA_ARGS__>())))
