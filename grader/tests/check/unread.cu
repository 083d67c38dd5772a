// Calls whose answer nobody reads, also of libraries; lanes that disagree; a heap that is in use.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cublas_v2.h>
#include <curand.h>

namespace cg = cooperative_groups;

struct Managed {
  int *data = nullptr;
  Managed() { cudaMallocManaged(&data, 256); }
  ~Managed() { cudaFree(data); }
};
const cudaMemLocation here{cudaMemLocationTypeDevice, 0};

CASE(advice_for_device_memory) {
  Buffer<int> device(64);
  Managed both;
  cudaMemAdvise(bug ? device.data : both.data, 256, cudaMemAdviseSetReadMostly, here);  // BUG error advice_for_device_memory
}
CASE(prefetch_too_long) {
  Managed both;
  cudaMemPrefetchAsync(both.data, bug ? 512 : 256, here, 0, nullptr);  // BUG error prefetch_too_long
  cudaDeviceSynchronize();
}
CASE(prefetch_to_no_device) {
  Managed both;
  const cudaMemLocation there{cudaMemLocationTypeDevice, 7}, host{cudaMemLocationTypeHost, 7};
  cudaMemPrefetchAsync(both.data, 256, bug ? there : host, 0, nullptr);  // BUG error prefetch_to_no_device
  cudaDeviceSynchronize();
}
CASE(leading_dimension_too_small) {
  Buffer<float> a(64), c(64);
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1, zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, bug ? 4 : 8, a, 8, &zero, c, 8);  // BUG error leading_dimension_too_small
  cudaDeviceSynchronize();
  cublasDestroy(handle);
}
CASE(odd_number_of_normals) {
  Buffer<float> out(64);
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandGenerateNormal(generator, out, bug ? 63 : 64, 0, 1);  // BUG error odd_number_of_normals
  cudaDeviceSynchronize();
  curandDestroyGenerator(generator);
}
__global__ void allocates() { free(malloc(16)); }
CASE(heap_limit_after_use) {
  if (!bug) cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20);
  allocates<<<1, 1>>>();
  cudaDeviceSynchronize();
  if (bug) cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20);  // BUG error heap_limit_after_use
}
__global__ void sums_by_parity(const int *in, int *out, bool bug) {
  const int lane = threadIdx.x;
  const unsigned even = 0x55555555u, odd = 0xaaaaaaaau;
  const unsigned mask = lane % 2 == 0 ? even : bug ? ~0u : odd;
  out[lane] = __reduce_add_sync(mask, in[lane]);  // BUG barrier masks_that_differ
}
CASE(masks_that_differ) {
  Up<int> in(std::vector<int>(32, 1));
  Buffer<int> out(32);
  sums_by_parity<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[0] == 16);
}
__global__ void parted(const int *in, int *out, bool bug) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int value = in[threadIdx.x];
  if (!bug || value % 3 != 0) {
    const auto part = cg::binary_partition(tile, value % 2 == 0);  // BUG barrier partition_in_a_branch
    out[threadIdx.x] = part.size();
  }
}
CASE(partition_in_a_branch) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  parted<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[0] == 16);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
