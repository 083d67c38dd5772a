// Texture and surface objects: element types, addressing, filtering; arrays.
#include <cmath>
#include <vector>

#ifdef __CUDA_ON_CPU__
#include "cuda_on_cpu/control.hpp"
#define EXPECT_FETCHES(count) \
  EXPECT(cuda_on_cpu::launch_statistics().texture_fetches == (count))
#else  // a GPU does not count fetches
namespace cuda_on_cpu {
void reset_statistics() {}
}  // namespace cuda_on_cpu
#define EXPECT_FETCHES(count)
#endif
#include "expect.cuh"

constexpr int kWidth = 8, kHeight = 4;

template <class T>
__global__ void fetch(T *out, cudaTextureObject_t texture) {
  out[threadIdx.x] = tex1Dfetch<T>(texture, threadIdx.x);
}
__global__ void sample(float *out, cudaTextureObject_t texture, const float2 *where) {
  out[threadIdx.x] = tex2D<float>(texture, where[threadIdx.x].x, where[threadIdx.x].y);
}
__global__ void sample_line(float *out, cudaTextureObject_t texture, const float2 *where) {
  out[threadIdx.x] = tex1D<float>(texture, where[threadIdx.x].x);
}
__global__ void double_surface(cudaSurfaceObject_t surface) {
  float value;
  surf2Dread(&value, surface, threadIdx.x * 4, threadIdx.y);
  surf2Dwrite(2 * value, surface, threadIdx.x * 4, threadIdx.y);
}

// What kernels read as T is in memory as `values`, with these channels.
template <class T, class Stored>
void check_fetch_of(const std::vector<Stored> &values, const std::vector<T> &expected,
                    cudaChannelFormatDesc channels) {
  Stored *in;
  T *out;
  const size_t bytes = values.size() * sizeof(Stored);
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, expected.size() * sizeof(T));
  cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = channels;
  resource.res.linear.sizeInBytes = bytes;
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &description, nullptr) == cudaSuccess);
  cuda_on_cpu::reset_statistics();
  fetch<T><<<1, static_cast<unsigned>(values.size())>>>(out, texture);
  EXPECT_FETCHES(values.size());
  std::vector<unsigned char> read(expected.size() * sizeof(T));
  cudaMemcpy(read.data(), out, read.size(), cudaMemcpyDeviceToHost);
  EXPECT(memcmp(read.data(), expected.data(), read.size()) == 0);
  EXPECT(cudaDestroyTextureObject(texture) == cudaSuccess);
  cudaFree(in);
  cudaFree(out);
}
template <class T>
void check_fetch(const std::vector<T> &values) {
  check_fetch_of(values, values, cudaCreateChannelDesc<T>());
}

float value_at(int x, int y) { return 10.0f * y + x; }

cudaArray_t make_array() {
  std::vector<float> values;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) values.push_back(value_at(x, y));
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  EXPECT(cudaMallocArray(&array, &channels, kWidth, kHeight, cudaArraySurfaceLoadStore) ==
         cudaSuccess);
  EXPECT(cudaMemcpy2DToArray(array, 0, 0, values.data(), kWidth * sizeof(float),
                             kWidth * sizeof(float), kHeight,
                             cudaMemcpyHostToDevice) == cudaSuccess);
  return array;
}

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

std::vector<float> sampled(cudaArray_t array, const cudaTextureDesc &description,
                           const std::vector<float2> &where, bool line = false) {
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &description, nullptr) == cudaSuccess);
  float *out;
  float2 *places;
  const size_t count = where.size();
  cudaMalloc(&out, count * sizeof(float));
  cudaMalloc(&places, count * sizeof(float2));
  cudaMemcpy(places, where.data(), count * sizeof(float2), cudaMemcpyHostToDevice);
  if (line)
    sample_line<<<1, static_cast<unsigned>(count)>>>(out, texture, places);
  else
    sample<<<1, static_cast<unsigned>(count)>>>(out, texture, places);
  std::vector<float> result(count);
  cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
  cudaDestroyTextureObject(texture);
  cudaFree(out);
  cudaFree(places);
  return result;
}

void check_array() {
  cudaArray_t array = make_array();
  cudaTextureDesc point{};
  point.addressMode[0] = point.addressMode[1] = cudaAddressModeClamp;
  auto got = sampled(array, point, {{2.9f, 1.1f}, {-5, 0}, {100, 100}});
  EXPECT(got[0] == value_at(2, 1) && got[1] == value_at(0, 0) && got[2] == value_at(7, 3));

  cudaTextureDesc linear = point;
  linear.filterMode = cudaFilterModeLinear;
  got = sampled(array, linear, {{2.5f, 1.5f}, {3.0f, 1.5f}, {2.5f, 2.0f}, {3.25f, 2.25f}});
  EXPECT(got[0] == value_at(2, 1) && got[1] == 12.5f && got[2] == 17.0f);
  EXPECT(std::fabs(got[3] - (17.5f + 2.75f)) < 1e-4f);

  cudaTextureDesc border = point;
  border.addressMode[0] = border.addressMode[1] = cudaAddressModeBorder;
  got = sampled(array, border, {{-1, 0}, {1, 4}, {1, 1}});
  EXPECT(got[0] == 0 && got[1] == 0 && got[2] == value_at(1, 1));

  cudaTextureDesc wrap = point;
  wrap.addressMode[0] = wrap.addressMode[1] = cudaAddressModeWrap;
  wrap.normalizedCoords = 1;
  got = sampled(array, wrap, {{1.0f + 2.5f / kWidth, 0.3f}, {-0.5f / kWidth, 0}});
  EXPECT(got[0] == value_at(2, 1) && got[1] == value_at(7, 0));
  EXPECT(cudaFreeArray(array) == cudaSuccess);
}

void check_surface() {
  cudaArray_t array = make_array();
  const cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t surface = 0;
  EXPECT(cudaCreateSurfaceObject(&surface, &resource) == cudaSuccess);
  double_surface<<<1, dim3(kWidth, kHeight)>>>(surface);
  std::vector<float> back(kWidth * kHeight);
  EXPECT(cudaMemcpy2DFromArray(back.data(), kWidth * sizeof(float), array, 0, 0,
                               kWidth * sizeof(float), kHeight,
                               cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(back[kWidth + 3] == 2 * value_at(3, 1));
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}

void check_line() {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  const float values[] = {1, 3, 5, 7};
  cudaArray_t array;
  EXPECT(cudaMallocArray(&array, &channels, 4) == cudaSuccess);
  cudaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1, cudaMemcpyHostToDevice);
  cudaTextureDesc linear{};
  linear.addressMode[0] = cudaAddressModeClamp;
  linear.filterMode = cudaFilterModeLinear;
  const auto got = sampled(array, linear, {{1.0f, 0}, {3.9f, 0}}, true);
  EXPECT(got[0] == 2 && got[1] == 7);
  cudaFreeArray(array);
}

float float_of(unsigned bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

int main() {
  check_fetch<float>({1.5f, -2, 3e30f, -0.0f, 1e-45f, INFINITY, -INFINITY});
  // Every NaN keeps its bits: one that signals, one that does not, the poison of results.
  check_fetch<float>({float_of(0x7F800001), float_of(0xFFA12345), float_of(0x7FC54321),
                      float_of(0xFFFFFFFF)});
  check_fetch<float2>({make_float2(float_of(0x7FBFFFFF), 1)});
  check_fetch<int>({-1, 2, 1 << 30});
  check_fetch<unsigned char>({1, 255, 7});
  check_fetch<float4>({make_float4(1, 2, 3, 4), make_float4(5, 6, 7, 8)});
  check_fetch<uchar4>({make_uchar4(1, 2, 3, 4), make_uchar4(5, 6, 7, 255)});
  check_fetch<short2>({make_short2(-1, 2)});
  check_fetch_of<float>(std::vector<unsigned short>{0x3C00, 0xC100, 0x7C00, 0x0001},
                        {1, -2.5f, INFINITY, 0x1p-24f}, cudaCreateChannelDescHalf());
  check_array();
  check_surface();
  check_line();
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  return failures() != 0;
}
