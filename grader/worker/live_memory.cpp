// Counts what a submission allocates on a GPU. Its worker is linked with this, and with -Wl,--wrap
// for each of the functions below: then the runtime's own is called __real_X. On the CPU backend
// the runtime counts by itself.
#include "live_memory.hpp"

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>

namespace warpwise {
namespace {

// A submission may allocate in several threads.
struct Count {
  std::atomic<std::uint64_t> given, taken;

  std::uint64_t live() const { return given - taken; }
};
Count buffers, textures;
std::atomic<std::uint64_t> variables, heap;

/// The status of a call that has given something, which is counted unless it is nothing.
cudaError_t given(cudaError_t status, const void* what, Count& count) {
  if (status == cudaSuccess && what) ++count.given;
  return status;
}

/// The status of a call that has taken something back.
cudaError_t taken(cudaError_t status, bool anything, Count& count) {
  if (status == cudaSuccess && anything) ++count.taken;
  return status;
}

}  // namespace

LiveMemory live_memory() {
  return {buffers.live(), textures.live(), variables + heap, buffers.given};
}

bool graphs_hold_memory() {
  int device = 0;
  std::uint64_t bytes = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetGraphMemAttribute(device, cudaGraphMemAttrUsedMemCurrent, &bytes) ==
             cudaSuccess &&
         bytes > 0;
}

}  // namespace warpwise

using warpwise::buffers;
using warpwise::given;
using warpwise::taken;
using warpwise::textures;

extern "C" {

#define WARPWISE_GIVES(name, made, count, parameters, arguments)           \
  cudaError_t __real_##name parameters;                                    \
  cudaError_t __wrap_##name parameters {                                   \
    const cudaError_t status = __real_##name arguments;                    \
    return given(status, status == cudaSuccess ? (made) : nullptr, count); \
  }
#define WARPWISE_TAKES(name, anything, count, parameters, arguments) \
  cudaError_t __real_##name parameters;                              \
  cudaError_t __wrap_##name parameters { return taken(__real_##name arguments, anything, count); }

WARPWISE_GIVES(cudaMalloc, *p, buffers, (void** p, std::size_t bytes), (p, bytes))
WARPWISE_GIVES(cudaMallocManaged, *p, buffers, (void** p, std::size_t bytes, unsigned flags),
               (p, bytes, flags))
WARPWISE_GIVES(cudaMallocPitch, *p, buffers,
               (void** p, std::size_t* pitch, std::size_t width, std::size_t height),
               (p, pitch, width, height))
WARPWISE_GIVES(cudaMalloc3D, p->ptr, buffers, (cudaPitchedPtr * p, cudaExtent extent), (p, extent))
WARPWISE_GIVES(cudaMallocAsync, *p, buffers, (void** p, std::size_t bytes, cudaStream_t stream),
               (p, bytes, stream))
WARPWISE_GIVES(cudaMallocFromPoolAsync, *p, buffers,
               (void** p, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
               (p, bytes, pool, stream))
WARPWISE_GIVES(cudaMallocArray, *p, buffers,
               (cudaArray_t * p, const cudaChannelFormatDesc* form, std::size_t width,
                std::size_t height, unsigned flags),
               (p, form, width, height, flags))
WARPWISE_GIVES(cudaMalloc3DArray, *p, buffers,
               (cudaArray_t * p, const cudaChannelFormatDesc* form, cudaExtent extent,
                unsigned flags),
               (p, form, extent, flags))
WARPWISE_GIVES(cudaMallocMipmappedArray, *p, buffers,
               (cudaMipmappedArray_t * p, const cudaChannelFormatDesc* form, cudaExtent extent,
                unsigned levels, unsigned flags),
               (p, form, extent, levels, flags))
WARPWISE_TAKES(cudaFree, p != nullptr, buffers, (void* p), (p))
WARPWISE_TAKES(cudaFreeAsync, p != nullptr, buffers, (void* p, cudaStream_t stream), (p, stream))
WARPWISE_TAKES(cudaFreeArray, array != nullptr, buffers, (cudaArray_t array), (array))
WARPWISE_TAKES(cudaFreeMipmappedArray, array != nullptr, buffers, (cudaMipmappedArray_t array),
               (array))
// 0 is an object like any other.
WARPWISE_GIVES(cudaCreateTextureObject, object, textures,
               (cudaTextureObject_t * object, const cudaResourceDesc* resource,
                const cudaTextureDesc* texture, const cudaResourceViewDesc* view),
               (object, resource, texture, view))
WARPWISE_TAKES(cudaDestroyTextureObject, true, textures, (cudaTextureObject_t object), (object))

cudaError_t __real_cudaDeviceSetLimit(cudaLimit limit, std::size_t value);
cudaError_t __wrap_cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  const cudaError_t status = __real_cudaDeviceSetLimit(limit, value);
  if (status == cudaSuccess && limit == cudaLimitMallocHeapSize) warpwise::heap = value;
  return status;
}

cudaError_t __real_cudaDeviceReset();
cudaError_t __wrap_cudaDeviceReset() {
  const cudaError_t status = __real_cudaDeviceReset();
  if (status != cudaSuccess) return status;
  for (warpwise::Count* const count : {&buffers, &textures}) count->taken = count->given.load();
  warpwise::heap = 0;
  return status;
}

// What nvcc's code calls for each device variable of the submission, before main() or in it.
void __real___cudaRegisterVar(void** image, char* host, char* device, const char* name,
                              int is_external, std::size_t bytes, int is_constant, int is_global);
void __wrap___cudaRegisterVar(void** image, char* host, char* device, const char* name,
                              int is_external, std::size_t bytes, int is_constant, int is_global) {
  if (!is_constant) warpwise::variables += bytes;
  __real___cudaRegisterVar(image, host, device, name, is_external, bytes, is_constant, is_global);
}

void __real___cudaRegisterManagedVar(void** image, void** host, char* device, const char* name,
                                     int is_external, std::size_t bytes, int is_constant,
                                     int is_global);
void __wrap___cudaRegisterManagedVar(void** image, void** host, char* device, const char* name,
                                     int is_external, std::size_t bytes, int is_constant,
                                     int is_global) {
  warpwise::variables += bytes;
  __real___cudaRegisterManagedVar(image, host, device, name, is_external, bytes, is_constant,
                                  is_global);
}

}  // extern "C"
