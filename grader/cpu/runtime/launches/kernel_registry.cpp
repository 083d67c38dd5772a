#include "launches/kernel_registry.hpp"

#include <map>

#include "base/own_mutex.hpp"
#include "messages/diagnostics.hpp"
#include "messages/errors.hpp"
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
  for (unsigned i = 0; i < wanted.numAttrs; ++i)
    if (wanted.attrs[i].id == cudaLaunchAttributeCooperative)
      configuration.cooperative = wanted.attrs[i].val.cooperative != 0;
  return configuration;
}

}  // namespace cuda_on_cpu
