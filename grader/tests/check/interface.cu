// What a program can ask the checker (cuda_on_cpu/control.hpp). Not for nvcc.
#include <cstdio>
#include <string>

#include "../cpu/expect.cuh"
#include "cuda_on_cpu/control.hpp"

using namespace cuda_on_cpu;

__global__ void race(int *out) { *out = threadIdx.x; }
__global__ void copy(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }

bool found(const std::string &kind, const std::string &words) {
  const std::vector<Finding> all = findings();
  clear_findings();
  return all.size() == 1 && all[0].kind == kind && all[0].text.find(words) != std::string::npos;
}

int main() {
  int *data;
  if (!checking()) return findings().empty() ? 0 : 1;
  cudaMalloc(&data, 4096);
  EXPECT(findings().empty());
  for (int round = 0; round < 2; ++round) {  // cleared findings are reported again
    race<<<1, 32>>>(data);
    EXPECT(found("race", "interface.cu:10"));
  }
  int *in = data + 256, *out = data + 512;
  mark_accessible(in, 32 * sizeof(int), false, "in");
  mark_accessible(out, 32 * sizeof(int), true, "out");  // the last call applies to the allocation
  copy<<<1, 32>>>(out, out);
  EXPECT(findings().empty());
  copy<<<1, 33>>>(out, out);
  EXPECT(found("memory", "global memory out[32] (128 bytes)"));
  copy<<<1, 32>>>(in, out);
  EXPECT(found("memory", "before its beginning"));
  cudaFree(data);
  cudaMalloc(&data, 4096);
  mark_accessible(data + 64, 128, false, "in");
  copy<<<1, 32>>>(data + 64, data + 64);
  EXPECT(found("uninitialised", "in[0]"));
  int *written;
  cudaMalloc(&written, 2048);
  cudaMemset(written, 0, 2048);
  EXPECT(cudaMemcpy(data + 64, written, 2048, cudaMemcpyDeviceToDevice) == cudaSuccess);
  copy<<<1, 32>>>(data + 64, data + 64);
  EXPECT(findings().empty());
  cudaFree(written);
  cudaFree(data);
  return failures();
}
