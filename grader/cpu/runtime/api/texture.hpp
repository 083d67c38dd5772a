// A texture object, as sampling reads it.
#pragma once

#include <cstddef>

#include "cuda_runtime.h"

namespace cuda_on_cpu {

struct Texture {
  cudaResourceDesc resource;
  cudaTextureDesc description;
  const char *base;
  cudaChannelFormatDesc channels;
  std::size_t element_bytes, pitch, slice;
  long extent[3];
  int layers;
  const char *gone = nullptr;  // why kernels may not read it any more

  bool gives_floats() const {
    const bool is_short = channels.x < 32;
    return channels.f == cudaChannelFormatKindFloat ||
           (is_short && description.readMode == cudaReadModeNormalizedFloat);
  }
};

// A kernel uses a texture or surface that is gone, at the call that returns to `caller`.
[[noreturn]] void use_of_gone(const char *what, const char *why, const void *caller);

// A kernel takes the texture's integers for floats, or its floats for integers.
void wrong_type(const Texture &texture, bool as_float, const void *caller);

// The array is freed: what reads or writes through these is told.
void array_is_gone(const cudaArray *array);
void surfaces_lose(const cudaArray *array);

std::size_t live_surfaces();

}  // namespace cuda_on_cpu
