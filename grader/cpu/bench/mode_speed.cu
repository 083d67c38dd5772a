// What check and count mode cost: a bitonic sort of 2^16 keys, one launch per step, one thread per
// key. Measured in user time, the best of several rounds, so that a busy machine matters little.
//
//   for mode in run check count; do
//     python3 ../cucc.py --mode $mode mode_speed.cu -o speed_$mode
//     WARPWISE_WORKERS=1 ./speed_$mode 2>/dev/null
//   done
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kCount = 1 << 16;
constexpr int kRounds = 5;

__global__ void bitonic_step(float *data, int distance, int run) {
  const unsigned i = threadIdx.x + blockDim.x * blockIdx.x, partner = i ^ distance;
  if (partner > i) {
    const float a = data[i], b = data[partner];
    if ((i & run) == 0 ? a > b : a < b) {
      data[i] = b;
      data[partner] = a;
    }
  }
}

// The same with the steps of up to 512 keys in shared memory.
__global__ void bitonic_shared(float *data, int run) {
  __shared__ float tile[512];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = data[i];
  for (int distance = min(run / 2, 256); distance > 0; distance /= 2) {
    __syncthreads();
    const int partner = t ^ distance;
    if (partner > t && ((i & run) == 0) == (tile[t] > tile[partner])) {
      const float swapped = tile[t];
      tile[t] = tile[partner];
      tile[partner] = swapped;
    }
  }
  __syncthreads();
  data[i] = tile[t];
}

void sort_global(float *data) {
  for (int run = 2; run <= kCount; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2)
      bitonic_step<<<kCount / 256, 256>>>(data, distance, run);
}

void sort_shared(float *data) {
  for (int run = 2; run <= kCount; run *= 2) {
    for (int distance = run / 2; distance > 256; distance /= 2)
      bitonic_step<<<kCount / 256, 256>>>(data, distance, run);
    bitonic_shared<<<kCount / 512, 512>>>(data, run);
  }
}

double user_milliseconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec * 1e3 + usage.ru_utime.tv_usec * 1e-3;
}

void measure(const char *name, void (*sort)(float *)) {
  std::vector<float> input(kCount), output(kCount);
  for (float &value : input) value = static_cast<float>(std::rand());
  float *data;
  cudaMalloc(&data, kCount * sizeof(float));
  double best = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    cudaMemcpy(data, input.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
    const double start = user_milliseconds();
    sort(data);
    best = std::min(best, user_milliseconds() - start);
  }
  cudaMemcpy(output.data(), data, kCount * sizeof(float), cudaMemcpyDeviceToHost);
  std::sort(input.begin(), input.end());
  std::printf("%s: %.1f ms, %s\n", name, best, input == output ? "sorted" : "NOT SORTED");
  cudaFree(data);
}

int main() {
  measure("bitonic sort of 2^16, global memory", sort_global);
  measure("bitonic sort of 2^16, shared memory", sort_shared);
}
