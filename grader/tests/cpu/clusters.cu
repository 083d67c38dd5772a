// What a kernel hears of its cluster, and what a launch with a wrong one says.
#include <cooperative_groups.h>

#include <cstdio>

#include "expect.cuh"

namespace cg = cooperative_groups;

__global__ void describe(unsigned *out) {
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
  __shared__ int here;
  if (cg::this_thread_block().thread_rank() == 5) {
    unsigned *said = out + 8 * block;
    said[0] = cluster.block_rank();
    said[1] = cluster.num_blocks();
    said[2] = cluster.thread_rank();
    said[3] = cluster.block_index().x + 10 * cluster.block_index().y;
    said[4] = __clusterIdx().x + 10 * __clusterIdx().y;
    said[5] = cluster.query_shared_rank(&here);
    said[6] = cluster.query_shared_rank(cluster.map_shared_rank(&here, 0));
    said[7] = cluster.num_threads() + 1000 * cluster.thread_index().x;
  }
  cluster.sync();
}

__global__ void __cluster_dims__(2) pairs(int *out) {
  out[blockIdx.x] = static_cast<int>(cg::this_cluster().num_blocks());
}

__global__ void __cluster_dims__(9) nine(int *out) { *out = 9; }

// Each thread leaves at another time: who has left the kernel counts as arrived.
__global__ void __cluster_dims__(4) leave(int *out) {
  __shared__ int seen;
  if (threadIdx.x == 0) seen = 0;
  cg::this_cluster().sync();
  if (cg::this_cluster().block_rank() == 3 || threadIdx.x % 2) return;
  atomicAdd(cg::this_cluster().map_shared_rank(&seen, 0), 1);
  cg::this_cluster().sync();
  if (cg::this_cluster().thread_rank() == 0) out[blockIdx.x / 4] = seen;
}

// The launch begins once more in clusters: no block of the first attempt may have done anything.
__global__ void __cluster_dims__(2) count_threads(unsigned *sum) {
  cg::this_cluster().sync();
  atomicAdd(sum, 1);
}

cudaLaunchAttribute cluster_of(unsigned x, unsigned y, unsigned z) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = x, attribute.val.clusterDim.y = y, attribute.val.clusterDim.z = z;
  return attribute;
}

cudaError_t launch(void (*kernel)(unsigned *), dim3 grid, cudaLaunchAttribute cluster, unsigned *out) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid, config.blockDim = 16;
  config.attrs = &cluster, config.numAttrs = 1;
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, out);
  cudaGetLastError();
  return error;
}

int main() {
  unsigned *device, said[8 * 12] = {};
  cudaMalloc(&device, sizeof said);
  // 4 x 3 blocks in clusters of 2 x 3; block (3, 1) is the second in the second row of its cluster.
  EXPECT(launch(describe, dim3(4, 3), cluster_of(2, 3, 1), device) == cudaSuccess);
  cudaMemcpy(said, device, sizeof said, cudaMemcpyDeviceToHost);
  const unsigned *one = said + 8 * (3 + 4 * 1), want[] = {3, 6, 3 * 16 + 5, 11, 1, 3, 0, 96 + 21000};
  for (int i = 0; i < 8; ++i) EXPECT(one[i] == want[i]);
  describe<<<1, 16>>>(device);  // without clusters each block is one
  cudaMemcpy(said, device, sizeof said, cudaMemcpyDeviceToHost);
  EXPECT(said[0] == 0 && said[1] == 1 && said[2] == 5 && said[5] == 0);

  EXPECT(launch(describe, dim3(3, 3), cluster_of(2, 3, 1), device) == cudaErrorInvalidClusterSize);
  EXPECT(launch(describe, dim3(16), cluster_of(16, 1, 1), device) == cudaErrorInvalidClusterSize);
  EXPECT(cudaFuncSetAttribute(describe, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess);
  EXPECT(launch(describe, dim3(16), cluster_of(16, 1, 1), device) == cudaSuccess);
  int clusters = 0, largest = 0;
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute four = cluster_of(4, 1, 1);
  config.gridDim = 64, config.blockDim = 1024, config.attrs = &four, config.numAttrs = 1;
  EXPECT(cudaOccupancyMaxActiveClusters(&clusters, describe, &config) == cudaSuccess && clusters > 0);
  EXPECT(cudaOccupancyMaxPotentialClusterSize(&largest, describe, &config) == cudaSuccess && largest > 1);

  int *numbers = reinterpret_cast<int *>(device), got[4] = {};
  pairs<<<4, 1>>>(numbers);
  cudaMemcpy(got, numbers, sizeof got, cudaMemcpyDeviceToHost);
  EXPECT(got[0] == 2 && got[3] == 2);
  pairs<<<3, 1>>>(numbers);
  EXPECT(cudaGetLastError() == cudaErrorInvalidClusterSize);
  nine<<<9, 1>>>(numbers);
  EXPECT(cudaGetLastError() == cudaErrorInvalidClusterSize);
  leave<<<8, 32>>>(numbers);
  cudaMemcpy(got, numbers, sizeof got, cudaMemcpyDeviceToHost);
  EXPECT(got[0] == 3 * 16 && got[1] == 3 * 16);
  cudaMemset(device, 0, sizeof *device);
  for (int i = 0; i < 200; ++i) count_threads<<<32, 1024>>>(device);
  EXPECT(from_device(device) == 200 * 32 * 1024);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  cudaDeviceProp properties;
  int has_clusters = 0;
  cudaGetDeviceProperties(&properties, 0);
  cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, 0);
  EXPECT(properties.clusterLaunch && has_clusters);
  cudaFree(device);
  return failures();
}
