// expect on cpu: texture: rejected: texture
// Reads order and level through textures, and value by an ordinary load.
#include <cstddef>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

struct Records {
  int* order;
  int* level;
  float* value;
  float* payload;
  int dimensions, n;
};

__device__ bool swaps(const Records& records, cudaTextureObject_t orders,
                      cudaTextureObject_t levels, int a, int b) {
  const int live_a = tex1Dfetch<int>(orders, a), live_b = tex1Dfetch<int>(orders, b);
  const int first = tex1Dfetch<int>(levels, a), second = tex1Dfetch<int>(levels, b);
  if (live_b == 0) return false;
  if (live_a == 0) return true;
  return second > first || (second == first && records.value[b] > records.value[a]);
}

template <typename T>
__device__ void exchange(T* values, int i) {
  const T first = values[i];
  values[i] = values[i + 1];
  values[i + 1] = first;
}

__global__ void compare_records(Records records, cudaTextureObject_t orders,
                                cudaTextureObject_t levels, int parity) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= records.n || !swaps(records, orders, levels, i, i + 1)) return;
  exchange(records.order, i);
  exchange(records.level, i);
  exchange(records.value, i);
  for (int d = 0; d < records.dimensions; ++d)
    exchange(records.payload + static_cast<std::size_t>(d) * records.n, i);
}

__global__ void count_live(const int* order, int n, int* live) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && order[i] != 0) atomicAdd(live, 1);
}

cudaTextureObject_t view(int* elements, int n) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = elements;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = n * sizeof(int);
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t object = 0;
  CUDA_CHECK(cudaCreateTextureObject(&object, &resource, &description, nullptr));
  return object;
}

void texture(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n) {
  CUDA_CHECK(cudaMemset(live, 0, sizeof(int)));
  if (n == 0) return;
  count_live<<<kit::ceil_div(n, 256), 256>>>(order, n, live);
  const cudaTextureObject_t orders = view(order, n), levels = view(level, n);
  const Records all = {order, level, value, payload, dimensions, n};
  for (int phase = 0; phase < n; ++phase)
    compare_records<<<kit::ceil_div(n, 512), 256>>>(all, orders, levels, phase % 2);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaDestroyTextureObject(orders));
  CUDA_CHECK(cudaDestroyTextureObject(levels));
}

}  // namespace odd_even
