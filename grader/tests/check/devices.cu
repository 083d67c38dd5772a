// Rows and arrays, sizes, errors, cudaDeviceReset, and grids that launch grids.
#include "case.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;
__global__ void fill(int *data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;  // BUG memory nothing_allocated used_after_reset
}
__global__ void add(const int *a, const int *b, int *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

// ---- rows, boxes, arrays
CASE(width_in_elements) {
  const int wide = 16, high = 8;
  std::vector<int> host(wide * high, 2);
  int *device;
  size_t pitch;
  cudaMallocPitch(&device, &pitch, wide * sizeof(int), high);
  cudaMemcpy2D(device, pitch, host.data(), wide * sizeof(int), bug ? wide : wide * sizeof(int), high, cudaMemcpyHostToDevice);
  Buffer<int> sum(wide);
  add<<<1, wide>>>(device, device, sum, wide);
  EXPECT(down<int>(sum, wide)[15] == 4);
  cudaFree(device);
}
CASE(width_and_height_swapped) {
  const int wide = 64, high = 8;
  std::vector<float> host(wide * high, 1.0f);
  float *device;
  size_t pitch;
  cudaMallocPitch(&device, &pitch, wide * sizeof(float), high);
  if (bug) cudaMemcpy2D(device, pitch, host.data(), wide * sizeof(float), high * sizeof(float), wide, cudaMemcpyHostToDevice);  // BUG memory width_and_height_swapped
  else cudaMemcpy2D(device, pitch, host.data(), wide * sizeof(float), wide * sizeof(float), high, cudaMemcpyHostToDevice);
  cudaFree(device);
}
CASE(array_too_narrow) {
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &floats, bug ? 4 : 16, 4);
  const std::vector<float> host(64, 1.0f);
  cudaMemcpy2DToArray(array, 0, 0, host.data(), 16 * sizeof(float), 16 * sizeof(float), 4, cudaMemcpyHostToDevice);  // BUG error array_too_narrow
  cudaFreeArray(array);
}
__global__ void shifted(cudaTextureObject_t texture, float *data, int n) {
  const int i = threadIdx.x;
  data[i] = tex1Dfetch<float>(texture, (i + 1) % n);  // BUG race texture_of_what_is_written
}
CASE(texture_of_what_is_written) {
  Up<float> data(std::vector<float>(64, 1.0f)), other(std::vector<float>(64, 1.0f));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = bug ? data.data : other.data;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 64 * sizeof(float);
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  shifted<<<1, 64>>>(texture, data, 64);
  EXPECT(down<float>(data, 64)[0] == 1.0f);
  cudaDestroyTextureObject(texture);
}
// ---- sizes, errors, the device
CASE(nothing_allocated) {
  const int n = bug ? 0 : 32;
  int *data;
  cudaMalloc(&data, n * sizeof(int));
  fill<<<1, 32>>>(data, 32, 1);
  cudaFree(data);
}
CASE(error_asked_before) {
  Buffer<int> data(64);
  cudaGetLastError();
  fill<<<1, bug ? 2048 : 64>>>(data, 64, 1);  // BUG error error_asked_before
  cudaDeviceSynchronize();
}
CASE(second_level_too_wide) {
  const int n = bug ? 2000000 : 200000, blocks = (n + 255) / 256;
  Buffer<int> sums(blocks);
  fill<<<1, blocks>>>(sums, blocks, 1);  // BUG error second_level_too_wide
  cudaDeviceSynchronize();
}
__global__ void together(int *data) {
  const auto grid = cg::this_grid();
  data[grid.thread_rank()] = 1;
  grid.sync();
}
CASE(more_blocks_than_fit) {
  Buffer<int> data(1024 * 64);
  int *pointer = data;
  void *arguments[] = {&pointer};
  cudaLaunchCooperativeKernel(reinterpret_cast<void *>(together), bug ? 64 : 8, 1024, arguments, 0, 0);  // BUG error more_blocks_than_fit
  cudaDeviceSynchronize();
}
CASE(used_after_reset) {
  int *data;
  cudaMalloc(&data, 64 * sizeof(int));
  if (bug) cudaDeviceReset();
  fill<<<1, 64>>>(data, 64, 1);
  cudaDeviceSynchronize();
  if (!bug) cudaFree(data);
}
CASE(freed_after_reset) {
  int *data;
  cudaMalloc(&data, 64 * sizeof(int));
  fill<<<1, 64>>>(data, 64, 1);
  cudaDeviceSynchronize();
  if (!bug) cudaFree(data);
  cudaDeviceReset();
  if (bug) cudaFree(data);  // BUG memory freed_after_reset
}
CASE(copied_after_reset) {
  int *data, host = 0;
  cudaMalloc(&data, sizeof host);
  cudaMemcpy(data, &host, sizeof host, cudaMemcpyHostToDevice);
  if (bug) cudaDeviceReset();
  cudaMemcpy(&host, data, sizeof host, cudaMemcpyDeviceToHost);  // BUG error copied_after_reset
  cudaFree(bug ? nullptr : data);
}
CASE(quiet_reset_and_again) {
  for (int round = 0; round < 2; ++round) {
    Up<int> data(counting<int>(64));
    fill<<<1, 64>>>(data, 64, round);
    EXPECT(down<int>(data, 64)[5] == round);
    cudaFree(data.data);
    data.data = nullptr;
    cudaDeviceReset();
  }
}
// ---- grids that launch grids
__global__ void deeper(int *depths, int depth, int most) {
  depths[0] = depth;
  if (depth < most) deeper<<<1, 1>>>(depths, depth + 1, most);  // BUG error too_deep
}
CASE(too_deep) {
  Buffer<int> depths(1);
  deeper<<<1, 1>>>(depths, 1, bug ? 100 : 20);
  cudaDeviceSynchronize();
  EXPECT(down<int>(depths, 1)[0] == 20);
}
__global__ void child(const int *values, int *out) {
  out[threadIdx.x] = values[threadIdx.x];  // BUG memory child_gets_shared
}
__global__ void parent(const int *in, int *out, bool bug) {
  __shared__ int s[32];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) child<<<1, 32>>>(bug ? s : in, out);
}
CASE(child_gets_shared) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  parent<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[31] == 31);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
