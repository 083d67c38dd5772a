// How fast the CPU backend runs, one line per figure. Each figure is the best of several rounds:
// other programs on the machine can only make a round slower.
//
//   python3 ../cucc.py speed.cu -o speed && WARPWISE_WORKERS=1 ./speed
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kRounds = 9;

// One step of the naive bitonic sort: one thread per element, 210 launches for 2^20 elements.
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

__global__ void nothing() {}
__global__ void write_index(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

// Milliseconds of the fastest round.
template <class Work>
double fastest(Work work) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  float best = 1e30f;
  for (int round = 0; round < kRounds; ++round) {
    float milliseconds = 0;
    cudaEventRecord(start);
    work();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&milliseconds, start, stop);
    best = std::min(best, milliseconds);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return best;
}

void measure_bitonic() {
  constexpr int kCount = 1 << 20;
  std::vector<float> input(kCount), output(kCount);
  for (float &value : input) value = static_cast<float>(std::rand());
  float *data;
  cudaMalloc(&data, kCount * sizeof(float));
  int launches = 0;
  const double milliseconds = fastest([&] {
    launches = 0;
    cudaMemcpy(data, input.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
    for (int run = 2; run <= kCount; run *= 2)
      for (int distance = run / 2; distance > 0; distance /= 2, ++launches)
        bitonic_step<<<kCount / 256, 256>>>(data, distance, run);
  });
  cudaMemcpy(output.data(), data, kCount * sizeof(float), cudaMemcpyDeviceToHost);
  std::sort(input.begin(), input.end());
  std::printf("bitonic sort of 2^20: %.0f M thread executions/s (%d launches, %.0f ms, %s)\n",
              1e-3 * launches * kCount / milliseconds, launches, milliseconds,
              input == output ? "sorted" : "NOT SORTED");
  cudaFree(data);
}

void measure_launches() {
  constexpr int kLaunches = 10000, kThreads = 1 << 20;
  int *out;
  cudaMalloc(&out, kThreads * sizeof(int));
  const double launch = fastest([] {
    for (int i = 0; i < kLaunches; ++i) nothing<<<1, 1>>>();
  });
  const double thread = fastest([&] { write_index<<<kThreads / 256, 256>>>(out); });
  std::printf("empty launch: %.2f us\n", launch * 1e3 / kLaunches);
  std::printf("thread that writes its index: %.2f ns\n", thread * 1e6 / kThreads);
  cudaFree(out);
}

int main() {
  measure_launches();
  measure_bitonic();
  return cudaDeviceSynchronize() != cudaSuccess;
}
