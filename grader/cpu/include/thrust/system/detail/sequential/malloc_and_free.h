// In place of the file of this name in thrust, whose back end for the host takes the memory of
// device_vector from malloc(): the runtime has to know that this is memory of the device.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include "cuda_on_cpu/control.hpp"
#include "cuda_on_cpu/runtime_api.hpp"

THRUST_NAMESPACE_BEGIN
namespace system {
namespace detail {
namespace sequential {

// thrust's algorithms run on the host here, also on pointers from cudaMalloc().
inline const bool device_memory_is_open = (::cuda_on_cpu::guard_device_memory(0), true);

template <typename Policy>
inline void *malloc(execution_policy<Policy> &, std::size_t bytes) {
  return ::cuda_on_cpu::allocate_for_library(bytes);
}
template <typename Policy, typename Pointer>
inline void free(execution_policy<Policy> &, Pointer pointer) {
  ::cuda_on_cpu::free_for_library(thrust::raw_pointer_cast(pointer));
}

}  // namespace sequential
}  // namespace detail
}  // namespace system
THRUST_NAMESPACE_END
