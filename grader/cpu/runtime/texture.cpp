// Texture and surface objects: addressing and filtering as the CUDA programming guide defines them.
#include <cmath>
#include <cstring>

#include "array.hpp"
#include "block.hpp"
#include "device_memory.hpp"
#include "diagnostics.hpp"
#include "errors.hpp"
#include "failures.hpp"
#include "hooks.hpp"
#include "registry.hpp"
#include "text.hpp"

namespace cuda_on_cpu {
namespace {

struct Texture {
  cudaResourceDesc resource;
  cudaTextureDesc description;
  const char *base;
  cudaChannelFormatDesc channels;
  std::size_t element_bytes, pitch, slice;
  long extent[3];
  int layers;
};
struct Surface {
  cudaArray *array;
};

auto &textures() { return Registry<Texture>::instance(); }
auto &surfaces() { return Registry<Surface>::instance(); }

double component(const char *from, int bits, cudaChannelFormatKind kind, bool normalise) {
  const auto as = [from]<class T>(T value) {
    std::memcpy(&value, from, sizeof value);
    return static_cast<double>(value);
  };
  if (kind == cudaChannelFormatKindFloat) {
    float value;
    std::memcpy(&value, from, sizeof value);
    return widened(value);
  }
  const bool is_signed = kind == cudaChannelFormatKindSigned;
  if (bits == 32) return is_signed ? as(int{}) : as(unsigned{});
  const double value =
      bits == 8 ? (is_signed ? as(static_cast<signed char>(0)) : as(static_cast<unsigned char>(0)))
                : (is_signed ? as(short{}) : as(static_cast<unsigned short>(0)));
  if (!normalise) return value;
  const double most = (1 << (is_signed ? bits - 1 : bits)) - 1;
  return std::fmax(value / most, -1.0);
}

Texel read(const Texture &texture, const char *from) {
  const cudaChannelFormatDesc &channels = texture.channels;
  const bool normalise = texture.description.readMode == cudaReadModeNormalizedFloat;
  Texel texel{};
  int i = 0;
  for (const int bits : {channels.x, channels.y, channels.z, channels.w}) {
    if (bits == 0) break;
    texel[i++] = component(from, bits, channels.f, normalise);
    from += bits / 8;
  }
  return texel;
}

// Index of a texel after addressing; -1 outside with cudaAddressModeBorder.
long address(const Texture &texture, int dimension, long index) {
  const long extent = texture.extent[dimension];
  if (index >= 0 && index < extent) return index;
  cudaTextureAddressMode mode = texture.description.addressMode[dimension];
  if (!texture.description.normalizedCoords && mode != cudaAddressModeBorder)
    mode = cudaAddressModeClamp;  // wrap and mirror exist for normalised coordinates only
  switch (mode) {
    case cudaAddressModeWrap:
      return (index % extent + extent) % extent;
    case cudaAddressModeMirror: {
      const long period = (index % (2 * extent) + 2 * extent) % (2 * extent);
      return period < extent ? period : 2 * extent - 1 - period;
    }
    case cudaAddressModeBorder:
      return -1;
    default:
      return index < 0 ? 0 : extent - 1;
  }
}

Texel texel_at(const Texture &texture, const long index[3], int layer) {
  long at[3];
  for (int d = 0; d < 3; ++d) at[d] = address(texture, d, index[d]);
  if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
    Texel border;
    for (int i = 0; i < 4; ++i) border[i] = texture.description.borderColor[i];
    return border;
  }
  const std::size_t slice = static_cast<std::size_t>(at[2] + layer) * texture.slice;
  return read(texture,
              texture.base + slice + at[1] * texture.pitch + at[0] * texture.element_bytes);
}

// Hardware keeps 8 bits of a weight.
double weight(double fraction) { return std::floor(fraction * 256 + 0.5) / 256; }

Texel filter_linear(const Texture &texture, unsigned dimensions, const double x[3], int layer) {
  long low[3] = {};
  double part[3] = {};
  for (unsigned d = 0; d < dimensions; ++d) {
    const double shifted = x[d] - 0.5;
    low[d] = static_cast<long>(std::floor(shifted));
    part[d] = weight(shifted - std::floor(shifted));
  }
  Texel sum{};
  for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
    double share = 1;
    long index[3] = {};
    for (unsigned d = 0; d < dimensions; ++d) {
      const bool upper = corner >> d & 1;
      index[d] = low[d] + upper;
      share *= upper ? part[d] : 1 - part[d];
    }
    if (share == 0) continue;
    const Texel texel = texel_at(texture, index, layer);
    for (int i = 0; i < 4; ++i) sum[i] += share * texel[i];
  }
  return sum;
}

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
  if (texture.base && texture.element_bytes && texture.extent[0] > 0) return cudaSuccess;
  explain(!texture.base            ? "the texture's memory is a null pointer"
          : !texture.element_bytes ? "the channel descriptor has no bits"
                                   : "the texture's memory, which sizeInBytes tells, is smaller than "
                                     "one element");
  return cudaErrorInvalidChannelDescriptor;
}

// In check mode: a GPU does not look, and reads what lies behind the buffer.
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
    report("memory", "cudaCreateTextureObject at %s: the texture has %s bytes, more than its buffer",
           hooks->line_of(static_cast<const char *>(caller) - 1), with_commas(bytes).c_str());
}

// Filtering makes fractions, so it needs floats or components read as floats.
bool can_filter(const Texture &texture) {
  return texture.channels.f == cudaChannelFormatKindFloat ||
         texture.description.readMode == cudaReadModeNormalizedFloat;
}

// On a GPU it ends the kernel, too: cudaBoundaryModeTrap.
[[noreturn]] static void leave_surface(int x_bytes, int y, std::size_t row, std::size_t height,
                                       const char *what, const void *caller) {
  Block &block = current_block();
  const char *call = static_cast<const char *>(caller) - 1;
  const std::string line = hooks && hooks->line_of ? std::string(" at ") + hooks->line_of(call) : "";
  if (block.first_failure())
    report("memory",
           "a surface of %zu rows of %zu bytes: kernel %s, block %s, thread %s uses row %d, byte %d%s, "
           "%s",
           height, row, block.grid()->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(), y,
           x_bytes, line.c_str(), what);
  block.fail(cudaErrorLaunchFailure);
}

char *surface_element(cudaSurfaceObject_t object, std::size_t bytes, int x_bytes, int y, int z,
                      const void *caller) {
  cudaArray &array = *reinterpret_cast<Surface *>(object)->array;
  const std::size_t row = row_bytes(array), height = at_least_one(array.extent.height);
  const bool inside = x_bytes >= 0 && x_bytes + bytes <= row && y >= 0 &&
                      static_cast<std::size_t>(y) < height && z >= 0 &&
                      static_cast<std::size_t>(z) < at_least_one(array.extent.depth);
  if (!inside) leave_surface(x_bytes, y, row, height, "outside of it", caller);
  if (x_bytes % bytes != 0)
    leave_surface(x_bytes, y, row, height, "which is no beginning of an element: x counts bytes", caller);
  return array.memory.get() + x_bytes + (static_cast<std::size_t>(z) * height + y) * row;
}

void note_fetch(const char *texel, std::size_t bytes, const void *return_address) {
  current_block().count_texture_fetch(bytes);
  if (hooks && hooks->fetched) hooks->fetched(texel, bytes, return_address);
}

}  // namespace

Texel fetch_texel(cudaTextureObject_t object, int index) {
  const Texture &texture = *reinterpret_cast<const Texture *>(object);
  note_fetch(texture.base + index * texture.element_bytes, texture.element_bytes,
             __builtin_return_address(0));
  if (index < 0 || index >= texture.extent[0]) return {};  // as CUDA: 0 outside
  if (hooks && hooks->texel_read)
    hooks->texel_read(texture.base + index * texture.element_bytes, texture.element_bytes,
                      __builtin_return_address(0));
  return read(texture, texture.base + index * texture.element_bytes);
}

Texel sample_texture(cudaTextureObject_t object, unsigned dimensions, float x, float y, float z,
                     int layer) {
  const Texture &texture = *reinterpret_cast<const Texture *>(object);
  note_fetch(texture.base, texture.element_bytes, __builtin_return_address(0));
  double position[3] = {x, y, z};
  if (texture.description.normalizedCoords)
    for (unsigned d = 0; d < dimensions; ++d) position[d] *= texture.extent[d];
  layer = layer < 0 ? 0 : layer >= texture.layers ? texture.layers - 1 : layer;
  if (texture.description.filterMode == cudaFilterModeLinear)
    return filter_linear(texture, dimensions, position, layer);
  long index[3] = {};
  for (unsigned d = 0; d < dimensions; ++d) index[d] = static_cast<long>(std::floor(position[d]));
  return texel_at(texture, index, layer);
}

std::size_t live_textures() { return textures().size() + surfaces().size(); }

void read_surface(cudaSurfaceObject_t object, void *value, std::size_t bytes, int x_bytes, int y,
                  int z) {
  const void *caller = __builtin_return_address(0);
  if (hooks && hooks->fetched)
    hooks->fetched(surface_element(object, bytes, x_bytes, y, z, caller), bytes, caller);
  std::memcpy(value, surface_element(object, bytes, x_bytes, y, z, caller), bytes);
}
void write_surface(cudaSurfaceObject_t object, const void *value, std::size_t bytes, int x_bytes,
                   int y, int z) {
  std::memcpy(surface_element(object, bytes, x_bytes, y, z, __builtin_return_address(0)), value,
              bytes);
}

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
  if (description->filterMode == cudaFilterModeLinear && !can_filter(texture))
    return finish_call(cudaErrorInvalidFilterSetting);
  *object = reinterpret_cast<cudaTextureObject_t>(textures().create(texture));
  return finish_call(cudaSuccess);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  const bool known = textures().destroy(reinterpret_cast<const Texture *>(object));
  return finish_call(known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource,
                                             cudaTextureObject_t object) {
  const auto *texture = reinterpret_cast<const Texture *>(object);
  if (!resource || !textures().has(texture)) return finish_call(cudaErrorInvalidValue);
  *resource = texture->resource;
  return finish_call(cudaSuccess);
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource) {
  if (!object || !resource || resource->resType != cudaResourceTypeArray ||
      !is_array(resource->res.array.array))
    return finish_call(cudaErrorInvalidValue);
  *object = reinterpret_cast<cudaSurfaceObject_t>(surfaces().create({resource->res.array.array}));
  return finish_call(cudaSuccess);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  const bool known = surfaces().destroy(reinterpret_cast<const Surface *>(object));
  return finish_call(known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
