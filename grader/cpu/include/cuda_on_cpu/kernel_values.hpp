// Functions that take a kernel as a value: launches by function call, attributes, occupancy.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "launch.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// Launches a kernel with its arguments in an array of pointers; its type says how to read them.
template <class... Parameter>
cudaError_t launch_by_pointers(const void *address, const Launch &launch, void **arguments) {
  const auto kernel = reinterpret_cast<void (*)(Parameter...)>(const_cast<void *>(address));
  return [&]<std::size_t... index>(std::index_sequence<index...>) {
    return launch.run(
        kernel, [kernel](auto... cuda_on_cpu_values) { kernel(cuda_on_cpu_values...); },
        *static_cast<std::remove_cv_t<Parameter> *>(arguments[index])...);
  }
  (std::index_sequence_for<Parameter...>{});
}

using LaunchByPointers = cudaError_t (*)(const void *kernel, const Launch &launch,
                                         void **arguments);
void remember_kernel(const void *kernel, LaunchByPointers how);
// cudaErrorInvalidDeviceFunction for an address that was not passed to remember_kernel().
cudaError_t launch_erased(const void *kernel, const Configuration &configuration, void **arguments,
                          Site site);

// The rewriter turns the cast in  (void *)kernel  into this: the address stays an address, and the
// runtime learns the parameter types that go with it. A pointer that has lost its type stays so.
class ErasedKernel {
 public:
  template <class... Parameter>
  ErasedKernel(void (*kernel)(Parameter...)) : address_(reinterpret_cast<void *>(kernel)) {
    remember_kernel(address_, &launch_by_pointers<Parameter...>);
  }
  ErasedKernel(const void *address) : address_(const_cast<void *>(address)) {}
  operator void *() const { return address_; }

 private:
  void *address_;
};

inline const void *address_of_kernel(const void *kernel) { return kernel; }
template <class... Parameter>
inline const void *address_of_kernel(void (*kernel)(Parameter...)) {
  return reinterpret_cast<const void *>(kernel);
}

Configuration configuration_of(const cudaLaunchConfig_t &wanted);
cudaError_t function_attributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t max_active_clusters(int *clusters, const void *kernel,
                                const cudaLaunchConfig_t *wanted);
cudaError_t largest_cluster(int *blocks, const void *kernel, const cudaLaunchConfig_t *wanted);
cudaError_t max_active_blocks(int *blocks, int block_size, std::size_t dynamic_shared_bytes);
cudaError_t best_block_size(int *grid_size, int *block_size,
                            std::size_t (*shared_bytes)(int block_size, const void *user),
                            const void *user, int limit);

}  // namespace cuda_on_cpu

#define CUDA_ON_CPU_LAUNCH_FUNCTION(name, is_cooperative)                                        \
  template <class... Parameter>                                                                  \
  inline cudaError_t name(void (*kernel)(Parameter...), dim3 grid, dim3 block, void **arguments, \
                          size_t shared_bytes = 0, cudaStream_t stream = nullptr,                \
                          CUDA_ON_CPU_CALLER) {                                                  \
    ::cuda_on_cpu::Configuration configuration(grid, block, shared_bytes, stream);               \
    configuration.cooperative = is_cooperative;                                                  \
    return ::cuda_on_cpu::launch_by_pointers<Parameter...>(                                      \
        reinterpret_cast<const void *>(kernel), {configuration, "(of " #name ")", caller},       \
        arguments);                                                                              \
  }                                                                                              \
  inline cudaError_t name(const void *kernel, dim3 grid, dim3 block, void **arguments,           \
                          size_t shared_bytes = 0, cudaStream_t stream = nullptr,                \
                          CUDA_ON_CPU_CALLER) {                                                  \
    ::cuda_on_cpu::Configuration configuration(grid, block, shared_bytes, stream);               \
    configuration.cooperative = is_cooperative;                                                  \
    return ::cuda_on_cpu::launch_erased(kernel, configuration, arguments, caller);               \
  }
CUDA_ON_CPU_LAUNCH_FUNCTION(cudaLaunchKernel, false)
CUDA_ON_CPU_LAUNCH_FUNCTION(cudaLaunchCooperativeKernel, true)
#undef CUDA_ON_CPU_LAUNCH_FUNCTION

inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *wanted, const void *kernel,
                                       void **arguments, CUDA_ON_CPU_CALLER) {
  return ::cuda_on_cpu::launch_erased(kernel, ::cuda_on_cpu::configuration_of(*wanted), arguments,
                                      caller);
}
template <class... Parameter, class... Argument>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *wanted,
                                      void (*kernel)(Parameter...), Argument &&...arguments) {
  const ::cuda_on_cpu::Launch launch{
      ::cuda_on_cpu::configuration_of(*wanted), "(of cudaLaunchKernelEx)", {"?", 0}};
  return launch.run(
      kernel, [kernel](auto... cuda_on_cpu_values) { kernel(cuda_on_cpu_values...); },
      std::forward<Argument>(arguments)...);
}

template <class Kernel>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, Kernel kernel) {
  return ::cuda_on_cpu::function_attributes(attributes, ::cuda_on_cpu::address_of_kernel(kernel));
}
// Hints about a cache that does not exist here.
template <class Kernel>
inline cudaError_t cudaFuncSetCacheConfig(Kernel, cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache preference);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *preference);

template <class Kernel>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel,
                                                                 int block_size,
                                                                 size_t dynamic_shared_bytes) {
  return ::cuda_on_cpu::max_active_blocks(blocks, block_size, dynamic_shared_bytes);
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, Kernel, int block_size, size_t dynamic_shared_bytes, unsigned) {
  return ::cuda_on_cpu::max_active_blocks(blocks, block_size, dynamic_shared_bytes);
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, Kernel kernel,
                                                  const cudaLaunchConfig_t *wanted) {
  return ::cuda_on_cpu::max_active_clusters(
      clusters, ::cuda_on_cpu::address_of_kernel(kernel), wanted);
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, Kernel kernel,
                                                        const cudaLaunchConfig_t *wanted) {
  return ::cuda_on_cpu::largest_cluster(blocks, ::cuda_on_cpu::address_of_kernel(kernel), wanted);
}
template <class Function, class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid_size, int *block_size,
                                                                  Kernel, Function shared_bytes,
                                                                  int block_size_limit = 0) {
  const auto ask = [](int size, const void *user) -> std::size_t {
    return (*static_cast<const Function *>(user))(size);
  };
  return ::cuda_on_cpu::best_block_size(grid_size, block_size, ask, &shared_bytes,
                                        block_size_limit);
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size,
                                                      Kernel kernel,
                                                      size_t dynamic_shared_bytes = 0,
                                                      int block_size_limit = 0) {
  const auto constant = [dynamic_shared_bytes](int) { return dynamic_shared_bytes; };
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid_size, block_size, kernel, constant,
                                                        block_size_limit);
}

#pragma GCC visibility pop
