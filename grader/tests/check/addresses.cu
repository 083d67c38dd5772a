// What has no meaning on a GPU, and works here: an address of another thread's variable, memory that is
// copied onto itself, a shuffle of 24 lanes, a surface on an array that is not for surfaces.
#include "case.cuh"

__global__ void first_of_thirds(int *out, int width) {
  out[threadIdx.x] = __shfl_sync(~0u, static_cast<int>(threadIdx.x), 0, width);  // BUG barrier width_of_24
}
CASE(width_of_24) {
  Buffer<int> out(32);
  first_of_thirds<<<1, 32>>>(out, bug ? 24 : 16);
}

CASE(shifted_onto_itself) {
  Buffer<int> a(64), b(64);
  cudaMemcpy(bug ? a + 1 : b + 1, a, 63 * sizeof(int), cudaMemcpyDeviceToDevice);  // BUG memory shifted_onto_itself
}

CASE(rows_moved_down_by_one) {
  Buffer<int> a(64), b(64);
  cudaMemcpy2D(bug ? a + 8 : b + 8, 32, a, 32, 32, 7, cudaMemcpyDeviceToDevice);  // BUG memory rows_moved_down_by_one
}
CASE(quiet_left_half_to_the_right) {
  Buffer<int> a(64);
  cudaMemcpy2D(a + 4, 32, a, 32, 16, 8, cudaMemcpyDeviceToDevice);
}

__global__ void exchange_addresses(int *out, bool bug) {
  __shared__ int *where[32];
  __shared__ int values[32];
  int mine = threadIdx.x;
  where[threadIdx.x] = &mine;
  values[threadIdx.x] = mine;
  __syncthreads();
  const int next = (threadIdx.x + 1) % 32;
  out[threadIdx.x] = bug ? *where[next] : values[next];  // BUG memory local_of_a_neighbour
  __syncthreads();
}
CASE(local_of_a_neighbour) {
  Buffer<int> out(32);
  exchange_addresses<<<1, 32>>>(out, bug);
}

CASE(array_without_surfaces) {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &channels, 16, 16, bug ? cudaArrayDefault : cudaArraySurfaceLoadStore);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);  // BUG error array_without_surfaces
  if (!bug) cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
