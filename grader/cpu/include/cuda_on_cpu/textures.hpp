// Texture and surface objects. Mipmaps, cube maps and gathers do not exist here.
#pragma once

#include "array_types.hpp"
#include "qualifiers.hpp"
#include "texel.hpp"

#pragma GCC visibility push(default)

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *description,
                                    const cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource,
                                             cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);

namespace cuda_on_cpu {

// `as_float`: what the caller takes the components for.
Texel fetch_texel(cudaTextureObject_t texture, bool as_float, int index);
// `layer` is an index, the coordinates are filtered; unused coordinates are 0.
Texel sample_texture(cudaTextureObject_t texture, bool as_float, unsigned dimensions, float x,
                     float y, float z, int layer);
void read_surface(cudaSurfaceObject_t surface, void *value, std::size_t bytes, int x_bytes, int y,
                  int z);
void write_surface(cudaSurfaceObject_t surface, const void *value, std::size_t bytes, int x_bytes,
                   int y, int z);

}  // namespace cuda_on_cpu

template <class T>
CUDA_ON_CPU_INLINE T tex1Dfetch(cudaTextureObject_t texture, int index) {
  return ::cuda_on_cpu::from_texel<T>(
      ::cuda_on_cpu::fetch_texel(texture, ::cuda_on_cpu::is_of_floats<T>, index));
}

#define CUDA_ON_CPU_TEXTURE(name, dimensions, x, y, z, layer, ...)             \
  template <class T>                                                           \
  CUDA_ON_CPU_INLINE T name(cudaTextureObject_t texture, __VA_ARGS__) {        \
    return ::cuda_on_cpu::from_texel<T>(::cuda_on_cpu::sample_texture(         \
        texture, ::cuda_on_cpu::is_of_floats<T>, dimensions, x, y, z, layer)); \
  }                                                                            \
  template <class T>                                                           \
  inline void name(T *result, cudaTextureObject_t texture, __VA_ARGS__) {      \
    *result = ::cuda_on_cpu::from_texel<T>(::cuda_on_cpu::sample_texture(      \
        texture, ::cuda_on_cpu::is_of_floats<T>, dimensions, x, y, z, layer)); \
  }
CUDA_ON_CPU_TEXTURE(tex1D, 1, u, 0, 0, 0, float u)
CUDA_ON_CPU_TEXTURE(tex2D, 2, u, v, 0, 0, float u, float v)
CUDA_ON_CPU_TEXTURE(tex3D, 3, u, v, w, 0, float u, float v, float w)
CUDA_ON_CPU_TEXTURE(tex1DLayered, 1, u, 0, 0, layer, float u, int layer)
CUDA_ON_CPU_TEXTURE(tex2DLayered, 2, u, v, 0, layer, float u, float v, int layer)
#undef CUDA_ON_CPU_TEXTURE

// What to do outside a surface. The default, trap, is the only one here.
enum cudaSurfaceBoundaryMode { cudaBoundaryModeTrap = 2 };

#define CUDA_ON_CPU_SURFACE(dimension, y_value, z_value, ...)                           \
  template <class T>                                                                    \
  inline void surf##dimension##read(T *value, cudaSurfaceObject_t surface, __VA_ARGS__, \
                                    cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) {   \
    T element;                                                                          \
    ::cuda_on_cpu::read_surface(surface, &element, sizeof(T), x, y_value, z_value);     \
    *value = element;                                                                   \
  }                                                                                     \
  template <class T>                                                                    \
  inline T surf##dimension##read(cudaSurfaceObject_t surface, __VA_ARGS__,              \
                                 cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) {      \
    T value;                                                                            \
    ::cuda_on_cpu::read_surface(surface, &value, sizeof(T), x, y_value, z_value);       \
    return value;                                                                       \
  }                                                                                     \
  template <class T>                                                                    \
  inline void surf##dimension##write(T value, cudaSurfaceObject_t surface, __VA_ARGS__, \
                                     cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) {  \
    ::cuda_on_cpu::write_surface(surface, &value, sizeof(T), x, y_value, z_value);      \
  }
CUDA_ON_CPU_SURFACE(1D, 0, 0, int x)
CUDA_ON_CPU_SURFACE(2D, y, 0, int x, int y)
CUDA_ON_CPU_SURFACE(3D, y, z, int x, int y, int z)
CUDA_ON_CPU_SURFACE(2DLayered, y, layer, int x, int y, int layer)
#undef CUDA_ON_CPU_SURFACE

#pragma GCC visibility pop
