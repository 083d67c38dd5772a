#include "launches/kernel_registry.hpp"

#include <map>

#include "base/own_mutex.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "launches/functions.hpp"
#include "messages/diagnostics.hpp"
#include "messages/errors.hpp"
#include "messages/failures.hpp"
#include "messages/text.hpp"

namespace cuda_on_cpu {
namespace {

OwnMutex kernels_mutex;
auto &known_kernels() {
  static auto *kernels = new std::map<const void *, LaunchByPointers>;
  return *kernels;
}

}  // namespace

void remember_kernel(const void *kernel, LaunchByPointers how) {
  const std::lock_guard lock(kernels_mutex);
  known_kernels()[kernel] = how;
}

cudaError_t launch_erased(const void *kernel, const Configuration &configuration, void **arguments,
                          Site site) {
  LaunchByPointers how = nullptr;
  {
    const std::lock_guard lock(kernels_mutex);
    if (const auto found = known_kernels().find(kernel); found != known_kernels().end())
      how = found->second;
  }
  if (how) return how(kernel, {configuration, "(known by its address)", site}, arguments);
  report("launch",
         "%s: the parameters of the kernel at %p are not known: pass the kernel itself, or cast it "
         "with (void *)kernel",
         text_of(site).c_str(), kernel);
  return finish_call(cudaErrorInvalidDeviceFunction);
}

Configuration configuration_of(const cudaLaunchConfig_t &wanted) {
  Configuration configuration(wanted.gridDim, wanted.blockDim, wanted.dynamicSmemBytes,
                              wanted.stream);
  for (unsigned i = 0; i < wanted.numAttrs; ++i) {
    const cudaLaunchAttribute &attribute = wanted.attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative)
      configuration.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto &[x, y, z] = attribute.val.clusterDim;
      configuration.cluster = {x, y, z};
    }
  }
  return configuration;
}

// On a GPU a cluster's blocks have to be in one group of multiprocessors. There are none here.
cudaError_t max_active_clusters(int *clusters, const void *kernel,
                                const cudaLaunchConfig_t *wanted) {
  if (!clusters || !wanted) return finish_call(cudaErrorInvalidValue);
  const Configuration configuration = configuration_of(*wanted);
  const std::string why = cluster_misfit(configuration.cluster, configuration.grid,
                                         shared_asked_by(kernel).large_clusters);
  if (!why.empty()) {
    explain(why);
    return finish_call(cudaErrorInvalidClusterSize);
  }
  *clusters = static_cast<int>(
      co_resident_blocks(static_cast<int>(volume(configuration.block)),
                         configuration.shared_bytes) /
      volume(configuration.cluster));
  return finish_call(cudaSuccess);
}

cudaError_t largest_cluster(int *blocks, const void *kernel, const cudaLaunchConfig_t *wanted) {
  if (!blocks || !wanted) return finish_call(cudaErrorInvalidValue);
  *blocks = static_cast<int>(shared_asked_by(kernel).large_clusters ? kLargestCluster
                                                                    : kPortableCluster);
  return finish_call(cudaSuccess);
}

}  // namespace cuda_on_cpu
