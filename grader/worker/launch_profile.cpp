// Counts a worker's kernel launches on a GPU. Only a worker that is profiled is linked with this,
// and with -Wl,--wrap for each of the functions below: then the runtime's own is called __real_X.
//
// CUPTI would see more, but it is a library of its own, wants privileges on many machines, and
// slows a run down. What is asked here, the runtime itself answers.
#include <cuda_runtime.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "launch_profile.hpp"

namespace warpwise {
namespace {

/// A kernel's host symbol or handle, threads of a block, dynamic shared memory.
using Shape = std::tuple<const void*, std::uint64_t, std::uint64_t>;

struct Launches {
  std::uint64_t count = 0, grid = 0;
};

std::mutex mutex;  // a submission may launch from several threads
std::map<Shape, Launches> launches;
std::uint64_t graph_launches = 0;

std::uint64_t size_of(dim3 extent) { return std::uint64_t{extent.x} * extent.y * extent.z; }

/// Nothing is asked of the runtime here: the stream may be capturing a graph.
void note(const void* kernel, dim3 grid, dim3 block, std::size_t shared) {
  const std::lock_guard guard(mutex);
  Launches& seen = launches[{kernel, size_of(block), shared}];
  ++seen.count;
  seen.grid = std::max(seen.grid, size_of(grid));
}

KernelResources resources_of(const Shape& shape, const Launches& seen) {
  const auto [kernel, block, shared] = shape;
  KernelResources found;
  found.launches = seen.count;
  found.grid = seen.grid;
  found.block = block;
  found.dynamic_shared = shared;
#if CUDART_VERSION >= 12030
  const char* name = nullptr;
  if (cudaFuncGetName(&name, kernel) == cudaSuccess && name) found.kernel = name;
#endif
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess) {
    found.registers = attributes.numRegs;
    found.static_shared = attributes.sharedSizeBytes;
    found.local = attributes.localSizeBytes;
  }
  int blocks = 0, threads = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(block),
                                                    shared) == cudaSuccess)
    found.resident_threads = blocks * block;
  if (cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0) == cudaSuccess)
    found.most_threads = threads;
  return found;
}

}  // namespace

void reset_launch_profile() {
  const std::lock_guard guard(mutex);
  launches.clear();
  graph_launches = 0;
}

std::vector<KernelResources> launch_profile() {
  const std::lock_guard guard(mutex);
  std::vector<KernelResources> found;
  for (const auto& [shape, seen] : launches) found.push_back(resources_of(shape, seen));
  if (graph_launches > 0) found.push_back({.kernel = kGraphs, .launches = graph_launches});
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(b.launches, a.kernel, a.block) < std::tie(a.launches, b.kernel, b.block);
  });
  return found;
}

}  // namespace warpwise

// The names are the linker's: --wrap sends a call of X to __wrap_X.
extern "C" {

cudaError_t __real_cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    size_t shared, cudaStream_t stream) {
  warpwise::note(kernel, grid, block, shared);
  return __real_cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

#if CUDART_VERSION >= 13000  // what <<<>>> has become; its handle goes where a symbol may
cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                      size_t shared, cudaStream_t stream) {
  warpwise::note(kernel, grid, block, shared);
  return __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
#endif

cudaError_t __real_cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t,
                                               cudaStream_t);
cudaError_t __wrap_cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block,
                                               void** arguments, size_t shared,
                                               cudaStream_t stream) {
  warpwise::note(kernel, grid, block, shared);
  return __real_cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                       void** arguments) {
  if (config)
    warpwise::note(kernel, config->gridDim, config->blockDim, config->dynamicSmemBytes);
  return __real_cudaLaunchKernelExC(config, kernel, arguments);
}

cudaError_t __real_cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t __wrap_cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  {
    const std::lock_guard guard(warpwise::mutex);
    ++warpwise::graph_launches;
  }
  return __real_cudaGraphLaunch(graph, stream);
}

}  // extern "C"
