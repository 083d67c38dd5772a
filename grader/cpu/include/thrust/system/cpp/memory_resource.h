// In place of the file of this name in thrust: the memory of device_vector and universal_vector is
// known to the runtime, so kernels and cudaMemcpy may use it.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cpp/pointer.h>

#include <new>

#include "cuda_on_cpu/runtime_api.hpp"

THRUST_NAMESPACE_BEGIN
namespace system {
namespace cpp {
namespace detail {

class memory_of_both_sides final : public thrust::mr::memory_resource<> {
 public:
  void *do_allocate(std::size_t bytes, std::size_t) override {
    if (void *memory = ::cuda_on_cpu::allocate_for_library(bytes)) return memory;
    throw std::bad_alloc();
  }
  void do_deallocate(void *memory, std::size_t, std::size_t) override {
    ::cuda_on_cpu::free_for_library(memory);
  }
};
using native_resource =
    thrust::mr::fancy_pointer_resource<memory_of_both_sides, thrust::cpp::pointer<void>>;
using universal_native_resource =
    thrust::mr::fancy_pointer_resource<memory_of_both_sides, thrust::cpp::universal_pointer<void>>;

}  // namespace detail

using memory_resource = detail::native_resource;
using universal_memory_resource = detail::universal_native_resource;
using universal_host_pinned_memory_resource = universal_memory_resource;

}  // namespace cpp
}  // namespace system
THRUST_NAMESPACE_END

// Where nvcc compiles, a vector brings the policies along, and they have one more: of a stream.
#include <thrust/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace cuda {

/// An algorithm runs on the host, at once, when the stream has done what was there before.
struct policy_of_streams : thrust::detail::device_t {
  const thrust::detail::device_t &on(cudaStream_t stream) const {
    cudaStreamSynchronize(stream);
    return *this;
  }
};
inline const policy_of_streams par, par_nosync;

}  // namespace cuda
THRUST_NAMESPACE_END
