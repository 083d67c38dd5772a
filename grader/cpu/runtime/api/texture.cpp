// Texture objects: which memory one stands for, and what CUDA refuses to make one of.
#include <atomic>
#include <string>

#include "api/texture.hpp"
#include "base/hooks.hpp"
#include "device/array.hpp"
#include "device/device_memory.hpp"
#include "messages/diagnostics.hpp"
#include "messages/errors.hpp"
#include "messages/failures.hpp"
#include "messages/text.hpp"
#include "streams/registry.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

constexpr std::size_t kPitchAlignment = 32;  // cudaDeviceProp::texturePitchAlignment

auto &textures() { return Registry<Texture>::instance(); }

Texture describe_linear(const cudaResourceDesc &resource) {
  const auto &linear = resource.res.linear;
  const std::size_t bytes = element_bytes(linear.desc);
  const long count = bytes ? static_cast<long>(linear.sizeInBytes / bytes) : 0;
  return {resource,      {}, static_cast<const char *>(linear.devPtr), linear.desc, bytes, 0, 0,
          {count, 1, 1}, 1};
}
Texture describe_pitched(const cudaResourceDesc &resource) {
  const auto &pitched = resource.res.pitch2D;
  return {resource,
          {},
          static_cast<const char *>(pitched.devPtr),
          pitched.desc,
          element_bytes(pitched.desc),
          pitched.pitchInBytes,
          0,
          {static_cast<long>(pitched.width), static_cast<long>(pitched.height), 1},
          1};
}
Texture describe_array(const cudaResourceDesc &resource) {
  const cudaArray &array = *resource.res.array.array;
  const bool layered = array.flags & cudaArrayLayered;
  const auto depth = static_cast<long>(at_least_one(array.extent.depth));
  const auto height = static_cast<long>(at_least_one(array.extent.height));
  return {resource,
          {},
          array.memory.get(),
          array.channels,
          array.element_bytes,
          row_bytes(array),
          row_bytes(array) * static_cast<std::size_t>(height),
          {static_cast<long>(array.extent.width), height, layered ? 1 : depth},
          layered ? static_cast<int>(depth) : 1};
}

cudaError_t describe(const cudaResourceDesc &resource, Texture &texture) {
  if (resource.resType == cudaResourceTypeArray) {
    if (!is_array(resource.res.array.array)) return cudaErrorInvalidResourceHandle;
    texture = describe_array(resource);
  } else if (resource.resType == cudaResourceTypeLinear) {
    texture = describe_linear(resource);
  } else if (resource.resType == cudaResourceTypePitch2D) {
    texture = describe_pitched(resource);
  } else {
    return cudaErrorInvalidValue;
  }
  if (texture.pitch % kPitchAlignment != 0 && resource.resType == cudaResourceTypePitch2D) {
    explain("the pitch is " + with_commas(texture.pitch) + " bytes; it has to be a multiple of " +
            with_commas(kPitchAlignment) + ", as cudaMallocPitch makes it");
    return cudaErrorInvalidValue;
  }
  if (texture.base && texture.element_bytes && texture.extent[0] > 0) return cudaSuccess;
  explain(!texture.base ? "the texture's memory is a null pointer"
          : !texture.element_bytes
              ? "the channel descriptor has no bits"
              : "the texture's memory, which sizeInBytes tells, is smaller than "
                "one element");
  return cudaErrorInvalidChannelDescriptor;
}

// In check mode: a GPU does not look, and reads what is beyond its end.
void note_size_of_buffer(const cudaResourceDesc &resource, const void *caller) {
  if (!hooks || !hooks->line_of) return;
  const bool is_linear = resource.resType == cudaResourceTypeLinear;
  if (!is_linear && resource.resType != cudaResourceTypePitch2D) return;
  const auto &linear = resource.res.linear;
  const auto &rows = resource.res.pitch2D;
  const void *begin = is_linear ? linear.devPtr : rows.devPtr;
  const std::size_t bytes =
      is_linear ? linear.sizeInBytes
                : rows.pitchInBytes * (at_least_one(rows.height) - 1) +
                      rows.width * ((rows.desc.x + rows.desc.y + rows.desc.z + rows.desc.w) / 8);
  if (DeviceMemory::instance().contains(begin) && !DeviceMemory::instance().holds(begin, bytes))
    report("memory",
           "cudaCreateTextureObject at %s: the texture has %s bytes, more than its buffer",
           hooks->line_of(static_cast<const char *>(caller) - 1), with_commas(bytes).c_str());
}

}  // namespace

void use_of_gone(const char *what, const char *why, const void *caller) {
  Block &block = current_block();
  const char *call = static_cast<const char *>(caller) - 1;
  const std::string line =
      hooks && hooks->line_of ? std::string(" at ") + hooks->line_of(call) : "";
  if (block.first_failure())
    report("memory", "kernel %s, block %s, thread %s uses a %s %s%s", block.grid()->name,
           text_of(blockIdx).c_str(), text_of(threadIdx).c_str(), what, why, line.c_str());
  block.fail(cudaErrorIllegalAddress);
}

// No error on a GPU, and the result is nonsense: once a launch and program is enough to know it.
void wrong_type(const Texture &texture, bool as_float, const void *caller) {
  static std::atomic<bool> told = false;
  if (told.exchange(true)) return;
  const char *call = static_cast<const char *>(caller) - 1;
  const std::string line =
      hooks && hooks->line_of ? std::string(" at ") + hooks->line_of(call) : "";
  const std::string bits = std::to_string(texture.channels.x) + " bits";
  report("warning",
         "kernel %s reads a texture of %s of %s as %s%s: a GPU hands over the bits, and %s",
         current_kernel(), as_float ? "integers" : "floats", bits.c_str(),
         as_float ? "floats" : "integers", line.c_str(),
         as_float ? "no number is converted: take an integer type, or cudaReadModeNormalizedFloat"
                  : "no number is converted: take a float type");
}

void array_is_gone(const cudaArray *array) {
  textures().for_each([&](Texture &texture) {
    const bool is_its = texture.resource.resType == cudaResourceTypeArray &&
                        texture.resource.res.array.array == array;
    if (is_its) texture.gone = "whose array has been freed";
  });
  surfaces_lose(array);
}

std::size_t live_textures() { return textures().size() + live_surfaces(); }

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *description,
                                    const cudaResourceViewDesc *view) {
  if (!object || !resource || !description || view) return finish_call(cudaErrorInvalidValue);
  Texture texture;
  if (const cudaError_t error = describe(*resource, texture); error != cudaSuccess)
    return finish_call(error);
  note_size_of_buffer(*resource, __builtin_return_address(0));
  texture.description = *description;
  // it makes fractions
  if (description->filterMode == cudaFilterModeLinear && !texture.gives_floats())
    return finish_call(cudaErrorInvalidFilterSetting);
  *object = reinterpret_cast<cudaTextureObject_t>(textures().create(texture));
  return finish_call(cudaSuccess);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  const bool known =
      textures().retire(reinterpret_cast<const Texture *>(object),
                        [](Texture &texture) { texture.gone = "after cudaDestroyTextureObject"; });
  return finish_call(known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource,
                                             cudaTextureObject_t object) {
  const auto *texture = reinterpret_cast<const Texture *>(object);
  if (!resource || !textures().has(texture)) return finish_call(cudaErrorInvalidValue);
  *resource = texture->resource;
  return finish_call(cudaSuccess);
}
