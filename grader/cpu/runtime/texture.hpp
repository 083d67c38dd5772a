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
};

std::size_t live_surfaces();

}  // namespace cuda_on_cpu
