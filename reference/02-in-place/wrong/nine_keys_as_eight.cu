// expect: registers: wrong answer
// A kernel for every number of keys per thread; where there are nine, that for eight is launched.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

template <int kKeysPerThread>
__global__ void __launch_bounds__(kOneEach) sort_in_registers(float* keys, int n) {
  extern __shared__ float key[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += kOneEach) key[i] = keys[i];
  __syncthreads();
  float mine[kKeysPerThread];
  int rank[kKeysPerThread] = {};
  for (int k = 0; k < kKeysPerThread; ++k) {
    const int i = k * kOneEach + t;
    mine[k] = i < n ? key[i] : 0.0f;
    for (int j = 0; j < n; ++j) rank[k] += key[j] < mine[k] || (key[j] == mine[k] && j < i);
  }
  for (int k = 0; k < kKeysPerThread; ++k)
    if (k * kOneEach + t < n) keys[rank[k]] = mine[k];
}

template <int kKeysPerThread>
void launch(float* keys, int n) {
  sort_in_registers<kKeysPerThread><<<1, kOneEach, n * sizeof(float)>>>(keys, n);
}

void registers(float* keys, int n) {
  if (n == 0) return;
  switch (kit::ceil_div(n, kOneEach)) {
    case 1: return launch<1>(keys, n);
    case 2: return launch<2>(keys, n);
    case 3: return launch<3>(keys, n);
    case 4: return launch<4>(keys, n);
    case 5: return launch<5>(keys, n);
    case 6: return launch<6>(keys, n);
    case 7: return launch<7>(keys, n);
    case 8:
    case 9: return launch<8>(keys, n);
    case 10: return launch<10>(keys, n);
    case 11: return launch<11>(keys, n);
    default: return launch<12>(keys, n);
  }
}

}  // namespace in_place
