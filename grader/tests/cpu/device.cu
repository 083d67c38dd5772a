// Prints device properties, read in two ways that must agree, and the results of requests for more
// shared memory, a cooperative launch and memory from the pool. WARPWISE_DEVICE determines them.
#include <cstdio>

#include "expect.cuh"

__global__ void nothing() {}

int attribute(cudaDeviceAttr wanted) {
  int value = -1;
  EXPECT(cudaDeviceGetAttribute(&value, wanted, 0) == cudaSuccess);
  return value;
}

int main() {
  cudaDeviceProp properties;
  EXPECT(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  const int found[] = {attribute(cudaDevAttrMultiProcessorCount),
                       attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
                       attribute(cudaDevAttrL2CacheSize), attribute(cudaDevAttrCooperativeLaunch)};
  EXPECT(found[0] == properties.multiProcessorCount);
  EXPECT(found[1] == static_cast<int>(properties.sharedMemPerBlockOptin));
  EXPECT(found[2] == properties.l2CacheSize);
  EXPECT(found[3] == properties.cooperativeLaunch);
  for (const int value : found) std::printf("%d ", value);
  std::printf("%d\n", attribute(cudaDevAttrMemoryPoolsSupported));

  const auto say = [](cudaError_t answer) { std::printf("%s\n", cudaGetErrorName(answer)); };
  say(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
  say(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(nothing), 1, 1, nullptr, 0, nullptr));
  void *memory = nullptr;
  say(cudaMallocAsync(&memory, 4, nullptr));
  cudaFree(memory);

  int count, other;
  EXPECT(cudaGetDeviceCount(&count) == cudaSuccess && (count == 1 || count == 2));
  const cudaError_t second = count == 2 ? cudaSuccess : cudaErrorInvalidDevice;
  EXPECT(cudaDeviceCanAccessPeer(&other, 0, 1) == cudaSuccess && other == count - 1);
  EXPECT(cudaDeviceEnablePeerAccess(1, 0) == second);
  EXPECT(cudaDeviceEnablePeerAccess(1, 0) ==
         (count == 2 ? cudaErrorPeerAccessAlreadyEnabled : second));
  EXPECT(cudaSetDevice(1) == second);
  EXPECT(cudaGetDevice(&other) == cudaSuccess && other == count - 1);
  return failures();
}
