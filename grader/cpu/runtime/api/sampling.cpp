// What a texture unit reads: addressing and filtering as the CUDA programming guide defines them.
#include <bit>
#include <cmath>
#include <cstring>

#include "api/texture.hpp"
#include "base/hooks.hpp"
#include "cuda_fp16.h"
#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

double component(const char *from, int bits, cudaChannelFormatKind kind, bool normalise) {
  const auto as = [from]<class T>(T value) {
    std::memcpy(&value, from, sizeof value);
    return static_cast<double>(value);
  };
  if (kind == cudaChannelFormatKindFloat) {
    if (bits == 16) {
      __half value;
      std::memcpy(&value, from, sizeof value);
      return widened(__half2float(value));
    }
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

// What takes floats for integers, or the other way round, gets the bits as they are.
Texel as_bits(Texel texel, bool as_float) {
  for (double &component : texel)
    component = as_float
                    ? widened(std::bit_cast<float>(
                          static_cast<std::uint32_t>(static_cast<std::int64_t>(component))))
                    : static_cast<double>(std::bit_cast<std::int32_t>(narrowed<float>(component)));
  return texel;
}

Texel read_texel(const Texture &texture, const char *from) {
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

Texel texel_at(const Texture &texture, const long index[3], int layer, const void *caller) {
  long at[3];
  for (int d = 0; d < 3; ++d) at[d] = address(texture, d, index[d]);
  if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
    Texel border;
    for (int i = 0; i < 4; ++i) border[i] = texture.description.borderColor[i];
    return border;
  }
  const std::size_t slice = static_cast<std::size_t>(at[2] + layer) * texture.slice;
  const char *texel = texture.base + slice + at[1] * texture.pitch + at[0] * texture.element_bytes;
  if (hooks && hooks->texel_read) hooks->texel_read(texel, texture.element_bytes, caller);
  return read_texel(texture, texel);
}

// Hardware keeps 8 bits of a weight.
double weight(double fraction) { return std::floor(fraction * 256 + 0.5) / 256; }

Texel filter_linear(const Texture &texture, unsigned dimensions, const double x[3], int layer,
                    const void *caller) {
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
    const Texel texel = texel_at(texture, index, layer, caller);
    for (int i = 0; i < 4; ++i) sum[i] += share * texel[i];
  }
  return sum;
}

void note_fetch(const char *texel, std::size_t bytes, const void *return_address) {
  current_block().count_texture_fetch(bytes);
  if (hooks && hooks->fetched) hooks->fetched(texel, bytes, return_address);
}

}  // namespace

Texel fetch_texel(cudaTextureObject_t object, bool as_float, int index) {
  const Texture &texture = *reinterpret_cast<const Texture *>(object);
  if (texture.gone) use_of_gone("texture", texture.gone, __builtin_return_address(0));
  note_fetch(texture.base + index * texture.element_bytes, texture.element_bytes,
             __builtin_return_address(0));
  if (index < 0 || index >= texture.extent[0]) {
    if (hooks && hooks->texel_outside)
      hooks->texel_outside(index, texture.extent[0], __builtin_return_address(0));
    return {};  // as CUDA: 0 outside
  }
  if (hooks && hooks->texel_read)
    hooks->texel_read(texture.base + index * texture.element_bytes, texture.element_bytes,
                      __builtin_return_address(0));
  const char *const texel = texture.base + index * texture.element_bytes;
  // Directly into the caller's place: a copy in larger pieces waits for each small one to be
  // written.
  if (texture.gives_floats() == as_float) return read_texel(texture, texel);
  wrong_type(texture, as_float, __builtin_return_address(0));
  return as_bits(read_texel(texture, texel), as_float);
}

Texel sample_texture(cudaTextureObject_t object, bool as_float, unsigned dimensions, float x,
                     float y, float z, int layer) {
  const Texture &texture = *reinterpret_cast<const Texture *>(object);
  const void *caller = __builtin_return_address(0);
  if (texture.gone) use_of_gone("texture", texture.gone, caller);
  note_fetch(texture.base, texture.element_bytes, caller);
  const bool fits = texture.gives_floats() == as_float;
  if (!fits) wrong_type(texture, as_float, caller);
  double position[3] = {x, y, z};
  if (texture.description.normalizedCoords)
    for (unsigned d = 0; d < dimensions; ++d) position[d] *= texture.extent[d];
  layer = layer < 0 ? 0 : layer >= texture.layers ? texture.layers - 1 : layer;
  if (texture.description.filterMode == cudaFilterModeLinear)
    return filter_linear(texture, dimensions, position, layer, caller);  // gives floats
  long index[3] = {};
  for (unsigned d = 0; d < dimensions; ++d) index[d] = static_cast<long>(std::floor(position[d]));
  if (fits) return texel_at(texture, index, layer, caller);
  return as_bits(texel_at(texture, index, layer, caller), as_float);
}

}  // namespace cuda_on_cpu
