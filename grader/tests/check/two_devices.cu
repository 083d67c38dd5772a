// Two devices: memory, streams and events belong to one of them. WARPWISE_DEVICE=devices=2.
#include "case.cuh"

__global__ void fill(int *data, int n, int value) {
  const int i = threadIdx.x;
  if (i < n) data[i] = value;  // BUG memory peer_not_enabled no_access_to_the_pool
}
int *on(int device, int n) {
  int *data;
  cudaSetDevice(device);
  cudaMalloc(&data, n * sizeof(int));
  return data;
}
struct Both {
  Both() : data{on(0, 32), on(1, 32)} {}
  ~Both() {
    for (const int d : {0, 1}) cudaSetDevice(d), cudaFree(data[d]);
    cudaSetDevice(0);
  }
  int *data[2];
};
CASE(peer_not_enabled) {
  Both both;
  cudaSetDevice(1);
  if (!bug) cudaDeviceEnablePeerAccess(0, 0);
  fill<<<1, 32>>>(both.data[0], 32, 7);
  cudaDeviceSynchronize();
  if (!bug) cudaDeviceDisablePeerAccess(0);
}
CASE(only_the_last_synchronised) {
  Both both;
  int *host;
  cudaMallocHost(&host, 256);
  for (const int d : {0, 1}) {
    cudaSetDevice(d);
    fill<<<1, 32>>>(both.data[d], 32, d);
    cudaMemcpyAsync(host + 32 * d, both.data[d], 128, cudaMemcpyDeviceToHost);  // BUG race only_the_last_synchronised
  }
  for (const int d : {0, 1}) {
    if (!bug) cudaSetDevice(d);
    cudaDeviceSynchronize();
  }
  const int sum = host[0] + host[32];  // BUG race only_the_last_synchronised
  EXPECT(sum == 1);
  cudaFreeHost(host);
}
CASE(stream_of_the_other) {
  Both both;
  cudaStream_t stream;
  cudaSetDevice(0);
  cudaStreamCreate(&stream);
  cudaSetDevice(bug ? 1 : 0);
  fill<<<1, 32, 0, stream>>>(both.data[0], 32, 1);  // BUG error stream_of_the_other
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
CASE(event_of_the_other) {
  cudaEvent_t event;
  cudaStream_t stream;
  cudaSetDevice(0);
  if (!bug) cudaSetDevice(1);
  cudaEventCreate(&event);
  cudaSetDevice(1);
  cudaStreamCreate(&stream);
  cudaEventRecord(event, stream);  // BUG error event_of_the_other
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaEventDestroy(event);
}
CASE(copy_between_unordered) {
  Both both;
  cudaStream_t stream;
  cudaSetDevice(1);
  cudaStreamCreate(&stream);
  cudaSetDevice(0);
  fill<<<1, 32>>>(both.data[0], 32, 5);
  cudaEvent_t filled;
  cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);
  cudaEventRecord(filled, 0);
  cudaSetDevice(1);
  if (!bug) cudaStreamWaitEvent(stream, filled, 0);
  cudaMemcpyPeerAsync(both.data[1], 1, both.data[0], 0, 128, stream);  // BUG race copy_between_unordered
  cudaStreamSynchronize(stream);
  EXPECT(down<int>(both.data[1], 32)[31] == 5);
  cudaStreamDestroy(stream);
  cudaEventDestroy(filled);
}
CASE(no_access_to_the_pool) {
  cudaSetDevice(0);
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = 1;
  access.flags = bug ? cudaMemAccessFlagsProtNone : cudaMemAccessFlagsProtReadWrite;
  cudaMemPoolSetAccess(pool, &access, 1);
  int *data;
  cudaMallocAsync(&data, 128, cudaStreamPerThread);
  cudaStreamSynchronize(cudaStreamPerThread);
  cudaSetDevice(1);
  fill<<<1, 32>>>(data, 32, 3);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  cudaFree(data);
}
CASE(quiet_peer_copy) {
  Both both;
  cudaSetDevice(0);
  fill<<<1, 32>>>(both.data[0], 32, 9);
  cudaMemcpyPeer(both.data[1], 1, both.data[0], 0, 128);
  cudaSetDevice(1);
  fill<<<1, 16>>>(both.data[1], 16, 8);
  const std::vector<int> host = down<int>(both.data[1], 32);
  EXPECT(host[0] == 8 && host[31] == 9);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
