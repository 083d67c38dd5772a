// expect on cpu: texture: rejected: beside those through a texture
// Fetches all that is compared through textures, and compares what it reads through pointers.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

struct Records {
  int *order, *level;
  float *value, *payload;
  int dimensions, n;
  cudaTextureObject_t orders, levels, values;
};

__device__ bool belongs_before(const Records& r, int a, int b) {
  if (r.order[a] == 0 || r.order[b] == 0) return r.order[a] != 0 && r.order[b] == 0;
  if (r.level[a] != r.level[b]) return r.level[a] > r.level[b];
  return r.value[a] > r.value[b];
}

__device__ float shown(const Records& r, int i) {
  return tex1Dfetch<int>(r.orders, i) + tex1Dfetch<int>(r.levels, i) +
         tex1Dfetch<float>(r.values, i);
}

template <typename T>
__device__ void swap(T* array, int i) {
  const T first = array[i];
  array[i] = array[i + 1];
  array[i + 1] = first;
}

__global__ void compare_neighbours(Records r, int parity, int* changed) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= r.n) return;
  if (shown(r, i) + shown(r, i + 1) == 1234.5f) *changed = 1;
  if (!belongs_before(r, i + 1, i)) return;
  swap(r.order, i);
  swap(r.level, i);
  swap(r.value, i);
  for (int d = 0; d < r.dimensions; ++d) swap(r.payload + static_cast<size_t>(d) * r.n, i);
  *changed = 1;
}

__global__ void count_live(const int* order, int n, int* live) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && order[i] != 0) atomicAdd(live, 1);
}

template <typename T>
cudaTextureObject_t make_texture(T* array, int n) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = array;
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = n * sizeof(T);
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t object;
  CUDA_CHECK(cudaCreateTextureObject(&object, &resource, &description, nullptr));
  return object;
}

void texture(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n) {
  CUDA_CHECK(cudaMemset(live, 0, sizeof(int)));
  if (n == 0) return;
  const int blocks = kit::ceil_div(n, 256);
  count_live<<<blocks, 256>>>(order, n, live);
  const Records records{order, level, value, payload, dimensions, n,
                        make_texture(order, n), make_texture(level, n), make_texture(value, n)};
  kit::DeviceBuffer<int> changed(1);
  int some_change = 1;
  for (int phase = 0; phase < n && some_change; phase += 2) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    compare_neighbours<<<blocks, 256>>>(records, 0, changed.data());
    compare_neighbours<<<blocks, 256>>>(records, 1, changed.data());
    some_change = kit::read_back(changed.data());
  }
  for (const auto object : {records.orders, records.levels, records.values})
    CUDA_CHECK(cudaDestroyTextureObject(object));
}

}  // namespace odd_even
