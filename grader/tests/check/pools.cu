// Pools of memory.
#include "case.cuh"

__global__ void fill(int *data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;  // BUG memory given_back_and_used
}
cudaMemPool_t made_pool() {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool;
  cudaMemPoolCreate(&pool, &properties);
  return pool;
}
struct Stream {
  Stream() { cudaStreamCreate(&handle); }
  ~Stream() { cudaStreamDestroy(handle); }
  operator cudaStream_t() const { return handle; }
  cudaStream_t handle;
};
CASE(pool_destroyed_early) {
  const cudaMemPool_t pool = made_pool();
  Stream stream;
  if (bug) cudaMemPoolDestroy(pool);
  int *data = nullptr;
  cudaMallocFromPoolAsync(&data, 64, pool, stream);  // BUG error pool_destroyed_early
  if (data) fill<<<1, 16, 0, stream>>>(data, 16, 1);
  cudaFreeAsync(data, stream);
  if (!bug) cudaMemPoolDestroy(pool);
}
CASE(pool_without_a_type) {
  cudaMemPoolProps properties = {};
  if (!bug) properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool = nullptr;
  cudaMemPoolCreate(&pool, &properties);  // BUG error pool_without_a_type
  if (pool) cudaMemPoolDestroy(pool);
}
CASE(given_back_and_used) {
  const cudaMemPool_t pool = made_pool();
  Stream stream;
  unsigned long long keep = ~0ull, used = 1, reserved = 0;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
  int *data;
  cudaMallocFromPoolAsync(&data, 64, pool, stream);
  fill<<<1, 16, 0, stream>>>(data, 16, 1);
  if (bug) cudaFreeAsync(data, stream);
  fill<<<1, 16, 0, stream>>>(data, 16, 2);
  if (!bug) cudaFreeAsync(data, stream);
  cudaStreamSynchronize(stream);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
  EXPECT(used == 0 && reserved > 0);
  cudaMemPoolTrimTo(pool, 0);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
  EXPECT(reserved == 0);
  cudaMemPoolDestroy(pool);
}
CASE(pool_in_another_stream) {
  const cudaMemPool_t pool = made_pool();
  Stream one, two;
  int *data;
  cudaMallocFromPoolAsync(&data, 64, pool, one);  // BUG race pool_in_another_stream
  cudaEvent_t ready;
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  cudaEventRecord(ready, one);
  if (!bug) cudaStreamWaitEvent(two, ready, 0);
  cudaMemsetAsync(data, 0, 64, two);  // BUG race pool_in_another_stream
  cudaStreamSynchronize(two);
  cudaFreeAsync(data, one);
  cudaStreamSynchronize(one);
  cudaEventDestroy(ready);
  cudaMemPoolDestroy(pool);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
