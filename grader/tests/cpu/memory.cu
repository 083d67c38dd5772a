// Pitched memory, symbols, registered and managed memory, and kernels as values.
#include <cstdlib>
#include <vector>

#include "expect.cuh"

__device__ int table[4] = {1, 2, 3, 4};
__constant__ float scale;

__global__ void add_column(int *rows, size_t pitch) {
  int *row = reinterpret_cast<int *>(reinterpret_cast<char *>(rows) + threadIdx.y * pitch);
  row[threadIdx.x] += 10 * threadIdx.y;
}
__global__ void increment(int *values) { values[threadIdx.x] += table[threadIdx.x]; }
template <class T>
__global__ void scaled(T *values, int n) {
  if (static_cast<int>(threadIdx.x) < n) values[threadIdx.x] *= static_cast<T>(scale);
}
__global__ void allocate(int *sum) {
  int *values = new int[threadIdx.x + 1];
  auto *more = static_cast<int *>(malloc(sizeof(int)));
  for (unsigned i = 0; i <= threadIdx.x; ++i) values[i] = i;
  *more = values[threadIdx.x];
  atomicAdd(sum, *more);
  delete[] values;
  free(more);
}

void check_pitch() {
  constexpr int kWidth = 5, kHeight = 3;
  int host[kHeight][kWidth], back[kHeight][kWidth] = {}, *device;
  for (auto &row : host)
    for (int x = 0; x < kWidth; ++x) row[x] = x;
  size_t pitch = 0;
  EXPECT(cudaMallocPitch(&device, &pitch, kWidth * sizeof(int), kHeight) == cudaSuccess);
  EXPECT(pitch >= kWidth * sizeof(int) && pitch % 256 == 0);
  EXPECT(cudaMemset2D(device, pitch, 0, kWidth * sizeof(int), kHeight) == cudaSuccess);
  EXPECT(cudaMemcpy2D(device, pitch, host, sizeof host[0], sizeof host[0], kHeight,
                      cudaMemcpyHostToDevice) == cudaSuccess);
  add_column<<<1, dim3(kWidth, kHeight)>>>(device, pitch);
  EXPECT(cudaMemcpy2DAsync(back, sizeof back[0], device, pitch, sizeof back[0], kHeight,
                           cudaMemcpyDeviceToHost, nullptr) == cudaSuccess);
  cudaDeviceSynchronize();
  EXPECT(back[0][4] == 4 && back[2][4] == 24 && back[1][0] == 10);
  EXPECT(cudaMemcpy2D(back, 4, device, pitch, sizeof back[0], kHeight, cudaMemcpyDeviceToHost) ==
         cudaErrorInvalidPitchValue);
  cudaGetLastError();
  cudaFree(device);
}

__global__ void copy_word(const int *from, int *to) { *to = *from; }

// What is in freed memory is gone, even for a kernel with a pointer to it.
void check_freed() {
  const int secret = 0x5EC7E7;
  int *freed, *copy, found = 0;
  for (const size_t bytes : {size_t{64}, (size_t{2} << 20) + 64}) {
    cudaMalloc(&freed, bytes);
    cudaMalloc(&copy, bytes);  // after it: what is after the last buffer cannot be read at all
    int *const last = freed + bytes / sizeof *freed - 1;
    cudaMemcpy(last, &secret, sizeof secret, cudaMemcpyHostToDevice);
    copy_word<<<1, 1>>>(last, copy);
    cudaMemcpy(&found, copy, sizeof found, cudaMemcpyDeviceToHost);
    EXPECT(found == secret);
    cudaFree(freed);
    copy_word<<<1, 1>>>(last, copy);
    cudaMemcpy(&found, copy, sizeof found, cudaMemcpyDeviceToHost);
    EXPECT(found != secret);
    cudaFree(copy);
  }
}

void check_symbols() {
  int *address = nullptr, values[4] = {};
  size_t bytes = 0;
  EXPECT(cudaGetSymbolAddress(reinterpret_cast<void **>(&address), table) == cudaSuccess);
  EXPECT(cudaGetSymbolSize(&bytes, table) == cudaSuccess && bytes == sizeof values);
  const int changed[] = {5, 6, 7, 8};
  EXPECT(cudaMemcpyToSymbolAsync(table, changed, sizeof changed, 0, cudaMemcpyHostToDevice,
                                 nullptr) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbolAsync(values, table, sizeof values, 0, cudaMemcpyDeviceToHost,
                                   nullptr) == cudaSuccess);
  cudaDeviceSynchronize();
  EXPECT(values[3] == 8 && address != nullptr);
  values[2] = values[3] = 0;  // offset, direction and stream have default values
  EXPECT(cudaMemcpyToSymbolAsync(table, changed, sizeof changed) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbolAsync(values, table, sizeof values) == cudaSuccess);
  cudaDeviceSynchronize();
  EXPECT(values[2] == 7 && values[3] == 8);
}

__device__ volatile int told[2];

void check_volatile() {
  volatile int *pinned = nullptr, *device = nullptr, *address = nullptr;
  EXPECT(cudaMalloc(&device, sizeof told) == cudaSuccess);
  EXPECT(cudaMallocHost(&pinned, sizeof told) == cudaSuccess);
  EXPECT(cudaGetSymbolAddress((void **)&address, told) == cudaSuccess && address != nullptr);
  const int changed[] = {3, 4};
  EXPECT(cudaMemcpyToSymbol(told, changed, sizeof changed) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol((void *)pinned, told, sizeof told) == cudaSuccess);
  EXPECT(pinned[0] == 3 && pinned[1] == 4);
  cudaFree((void *)device);
  cudaFreeHost((void *)pinned);
}

void check_host_memory() {
  auto *plain = static_cast<int *>(std::calloc(4, sizeof(int)));
  int *device = nullptr, *managed;
  EXPECT(cudaHostRegister(plain, 4 * sizeof(int), cudaHostRegisterMapped) == cudaSuccess);
  EXPECT(cudaHostGetDevicePointer(&device, plain, 0) == cudaSuccess);
  increment<<<1, 4>>>(device);
  cudaDeviceSynchronize();
  EXPECT(plain[0] == 5 && plain[3] == 8);
  EXPECT(cudaHostUnregister(plain) == cudaSuccess);
  std::free(plain);
  EXPECT(cudaMallocManaged(&managed, 4 * sizeof(int)) == cudaSuccess);
  for (int i = 0; i < 4; ++i) managed[i] = 100;
  cudaMemLocation here{};
  here.type = cudaMemLocationTypeDevice;
  EXPECT(cudaMemPrefetchAsync(managed, 4 * sizeof(int), here, 0, nullptr) == cudaSuccess);
  EXPECT(cudaMemAdvise(managed, 4 * sizeof(int), cudaMemAdviseSetReadMostly, here) == cudaSuccess);
  increment<<<1, 4>>>(managed);
  cudaDeviceSynchronize();
  EXPECT(managed[1] == 106);
  cudaFree(managed);
}

void check_kernel_values() {
  float *values, host[3] = {1, 2, 3}, factor = 4;
  int n = 2, blocks = 0, threads = 0;
  cudaMalloc(&values, sizeof host);
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(scale, &factor, sizeof factor);
  void *arguments[] = {&values, &n};
  EXPECT(cudaLaunchKernel((void *)scaled<float>, dim3(1), dim3(3), arguments, 0, nullptr) ==
         cudaSuccess);
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(1);
  configuration.blockDim = dim3(3);
  EXPECT(cudaLaunchKernelEx(&configuration, scaled<float>, values, 1) == cudaSuccess);
  EXPECT(cudaLaunchKernelExC(&configuration, (const void *)scaled<float>, arguments) ==
         cudaSuccess);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 64 && host[1] == 32 && host[2] == 3);
  cudaFuncAttributes attributes;
  EXPECT(cudaFuncGetAttributes(&attributes, scaled<float>) == cudaSuccess &&
         attributes.maxThreadsPerBlock == 1024);
  EXPECT(cudaFuncSetCacheConfig(scaled<float>, cudaFuncCachePreferL1) == cudaSuccess);
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scaled<float>, 256, 0) ==
             cudaSuccess &&
         blocks > 0);
  EXPECT(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, scaled<float>) == cudaSuccess &&
         threads >= 32);
  cudaFree(values);
}

void check_allocation_in_kernels() {
  int *sum;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  allocate<<<1, 64>>>(sum);
  EXPECT(from_device(sum) == 63 * 64 / 2);
  cudaFree(sum);
}

// A global object gives its memory back when it ends, after main().
struct Owner {
  ~Owner() { cudaFree(data); }
  int *data = nullptr;
} owner;

int main() {
  cudaMalloc(&owner.data, 64);
  check_pitch();
  check_freed();
  check_symbols();
  check_volatile();
  check_host_memory();
  check_kernel_values();
  check_allocation_in_kernels();
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  return failures() != 0;
}
