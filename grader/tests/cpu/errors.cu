// Errors of the runtime API: CUDA's numbers, names and texts; a refused launch runs nothing; the
// error of a failed kernel stays.
#include <cerrno>
#include <cmath>
#include <cstring>

#include "expect.cuh"

__device__ int runs;

__global__ void count_run() { atomicAdd(&runs, 1); }
__global__ void use_shared(int *out) {
  extern __shared__ int values[];
  values[threadIdx.x] = 7;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

__global__ void use_both(int *out) {
  __shared__ int fixed[12 << 10];  // 48 KB
  extern __shared__ int more[];
  fixed[threadIdx.x] = more[threadIdx.x] = 7;
  out[threadIdx.x] = fixed[threadIdx.x] + more[threadIdx.x];
}

int take_runs() {
  int value = 0, zero = 0;
  cudaMemcpyFromSymbol(&value, runs, sizeof value);
  cudaMemcpyToSymbol(runs, &zero, sizeof zero);
  return value;
}

// helper_cuda.h has them all in one list.
static_assert(cudaErrorMapBufferObjectFailed == 205 && cudaErrorECCUncorrectable == 214 &&
              cudaErrorSystemNotReady == 802 && cudaErrorApiFailureBase == 10000);

void expect_refused(dim3 grid, dim3 block, size_t shared, cudaError_t wanted) {
  count_run<<<grid, block, shared>>>();
  EXPECT(cudaPeekAtLastError() == wanted);
  EXPECT(cudaGetLastError() == wanted);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(take_runs() == 0);
}

void check_configurations() {
  expect_refused(1, 0, 0, cudaErrorInvalidConfiguration);
  expect_refused(0, 1, 0, cudaErrorInvalidConfiguration);
  expect_refused(1, 1025, 0, cudaErrorInvalidConfiguration);
  expect_refused(1, dim3(32, 33), 0, cudaErrorInvalidConfiguration);
  expect_refused(1, dim3(1, 1, 65), 0, cudaErrorInvalidConfiguration);
  expect_refused(dim3(1, 65536), 1, 0, cudaErrorInvalidConfiguration);
  expect_refused(dim3(1, 1, 65536), 1, 0, cudaErrorInvalidConfiguration);
  expect_refused(-1, 1, 0, cudaErrorInvalidConfiguration);
  expect_refused(1, 1, (48 << 10) + 1, cudaErrorInvalidValue);
  count_run<<<dim3(2, 3), dim3(4, 5)>>>();  // the twin that must run
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(take_runs() == 120);
}

void check_shared_limit() {
  int *out;
  cudaMalloc(&out, sizeof(int));
  use_shared<<<1, 1, 100 << 10>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (227 << 10) + 1) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 160 << 10) ==
         cudaSuccess);
  use_shared<<<1, 1, 100 << 10>>>(out);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(from_device(out) == 7);
  // Whoever asks for dynamic bytes may have 48 KB of other ones beside them.
  use_both<<<1, 1, sizeof(int)>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaFuncSetAttribute(use_both, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(int)) ==
         cudaSuccess);
  use_both<<<1, 1, sizeof(int)>>>(out);
  EXPECT(cudaGetLastError() == cudaSuccess && from_device(out) == 14);
  use_both<<<1, 1, 2 * sizeof(int)>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  cudaFree(out);
}

void check_memory() {
  int *device, host[4] = {1, 2, 3, 4}, back[4] = {};
  EXPECT(cudaMalloc(&device, sizeof host) == cudaSuccess &&
         reinterpret_cast<size_t>(device) % 256 == 0);
  EXPECT(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess);
  EXPECT(cudaMemcpy(back, device, sizeof back, cudaMemcpyDefault) == cudaSuccess && back[3] == 4);
  EXPECT(cudaMemcpyAsync(back, device + 1, 12, cudaMemcpyDeviceToHost) == cudaSuccess &&
         back[0] == 2);
  EXPECT(cudaMemset(device, 0, sizeof host) == cudaSuccess && from_device(device + 3) == 0);
  EXPECT(cudaMemcpy(device, host, sizeof host, cudaMemcpyDeviceToHost) ==
         cudaErrorInvalidValue);  // swapped
  EXPECT(cudaMemcpy(host, device, sizeof host, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(device, host, 4, static_cast<cudaMemcpyKind>(9)) ==
         cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaMemset(host, 0, 4) == cudaErrorInvalidValue);
  int *fresh, *managed, *pinned;
  void *huge = nullptr;
  EXPECT(cudaMalloc(&huge, size_t{1} << 50) == cudaErrorMemoryAllocation && !huge);
  EXPECT(cudaMalloc(&fresh, 0) == cudaSuccess && !fresh && cudaFree(nullptr) == cudaSuccess);
  EXPECT(cudaMallocManaged(&managed, 64) == cudaSuccess && (managed[3] = 5) == 5 &&
         cudaFree(managed) == cudaSuccess);
  EXPECT(cudaMallocHost(&pinned, 64) == cudaSuccess && (pinned[3] = 5) == 5);
  cudaPointerAttributes a;
  EXPECT(cudaPointerGetAttributes(&a, device) == cudaSuccess && a.type == cudaMemoryTypeDevice &&
         a.devicePointer == device);
  EXPECT(cudaPointerGetAttributes(&a, pinned) == cudaSuccess && a.type == cudaMemoryTypeHost);
  EXPECT(cudaPointerGetAttributes(&a, host) == cudaSuccess && a.type == cudaMemoryTypeUnregistered);
  size_t free_bytes, total_bytes;
  EXPECT(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess && free_bytes > 0 &&
         free_bytes < total_bytes);
  EXPECT(cudaFreeHost(pinned) == cudaSuccess && cudaFree(device) == cudaSuccess);
#ifdef __CUDA_ON_CPU__                                // on a GPU the results are undefined
  EXPECT(cudaFree(device) == cudaErrorInvalidValue);  // twice
  EXPECT(cudaMalloc(&device, 10) == cudaSuccess);
  EXPECT(cudaMemcpy(device, host, 11, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidValue);  // one byte too many
  EXPECT(cudaMemcpy(device, host, 10, cudaMemcpyHostToDevice) == cudaSuccess &&
         cudaFree(device) == cudaSuccess);
#endif
  cudaGetLastError();
}

void check_streams() {
  cudaStream_t stream, other;
  cudaEvent_t start, stop, untimed;
  float elapsed = -1;
  EXPECT(cudaStreamCreate(&stream) == cudaSuccess &&
         cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
  EXPECT(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&stop) == cudaSuccess);
  EXPECT(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
  EXPECT(cudaEventElapsedTime(&elapsed, start, stop) ==
         cudaErrorInvalidResourceHandle);  // not recorded yet
  EXPECT(cudaEventRecord(start, stream) == cudaSuccess &&
         cudaStreamWaitEvent(other, start) == cudaSuccess);
  count_run<<<1, 1, 0, stream>>>();
  EXPECT(cudaEventRecord(stop, stream) == cudaSuccess && cudaEventSynchronize(stop) == cudaSuccess);
  EXPECT(cudaEventQuery(stop) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess &&
         cudaStreamQuery(stream) == cudaSuccess);
  EXPECT(cudaEventElapsedTime(&elapsed, start, stop) == cudaSuccess && elapsed >= 0);
  EXPECT(cudaEventRecord(untimed) == cudaSuccess);
  EXPECT(cudaEventElapsedTime(&elapsed, start, untimed) == cudaErrorInvalidResourceHandle);
  int *device;
  EXPECT(cudaMallocAsync(&device, 16, stream) == cudaSuccess &&
         cudaMemsetAsync(device, 0, 16, stream) == cudaSuccess);
  EXPECT(cudaFreeAsync(device, stream) == cudaSuccess);
  cudaMemPool_t pool = nullptr;
  EXPECT(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
  EXPECT(cudaMallocFromPoolAsync(&device, 16, pool, stream) == cudaSuccess &&
         cudaFreeAsync(device, stream) == cudaSuccess);
  EXPECT(cudaMallocAsync(&device, 16, pool, stream) == cudaSuccess &&
         cudaFreeAsync(device, stream) == cudaSuccess);
  EXPECT(cudaStreamDestroy(stream) == cudaSuccess && cudaStreamDestroy(other) == cudaSuccess &&
         cudaEventDestroy(start) == cudaSuccess);
  EXPECT(take_runs() == 1);
  cudaGetLastError();
#ifdef __CUDA_ON_CPU__
  count_run<<<1, 1, 0, stream>>>();
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle && take_runs() == 0);
#endif
}

void check_device() {
  int count = 0, device = -1, value = 0, blocks = 0, grid_size = 0, block_size = 0;
  cudaDeviceProp properties;
  EXPECT(cudaGetDeviceCount(&count) == cudaSuccess && count >= 1 &&
         cudaSetDevice(0) == cudaSuccess);
  EXPECT(cudaGetDevice(&device) == cudaSuccess && device == 0);
  EXPECT(cudaSetDevice(count) == cudaErrorInvalidDevice &&
         cudaGetLastError() == cudaErrorInvalidDevice);
  EXPECT(cudaGetDeviceProperties(&properties, 0) == cudaSuccess && properties.warpSize == 32 &&
         properties.major >= 8);
  EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0) == cudaSuccess &&
         value == 1024);
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count_run, 256, 0) == cudaSuccess &&
         blocks >= 1);
  EXPECT(cudaOccupancyMaxPotentialBlockSize(&grid_size, &block_size, count_run) == cudaSuccess &&
         block_size >= 32 && grid_size >= 1);
  EXPECT(!std::strcmp(cudaGetErrorName(cudaErrorLaunchFailure), "cudaErrorLaunchFailure"));
  EXPECT(!std::strcmp(cudaGetErrorString(cudaErrorLaunchFailure), "unspecified launch failure"));
  EXPECT(!std::strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration),
                      "invalid configuration argument"));
  EXPECT(!std::strcmp(cudaGetErrorString(cudaSuccess), "no error"));
}

__global__ void take_log(float *out) { *out = logf(*out); }

void check_errno() {  // a kernel does not change it
  float *out, given = -1;
  EXPECT(cudaMalloc(&out, sizeof given) == cudaSuccess);
  EXPECT(cudaMemcpy(out, &given, sizeof given, cudaMemcpyHostToDevice) == cudaSuccess);
  errno = ENOENT;
  take_log<<<1, 1>>>(out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && errno == ENOENT);
  EXPECT(cudaMemcpy(&given, out, sizeof given, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(std::isnan(given) && errno == ENOENT);
  EXPECT(cudaFree(out) == cudaSuccess);
}

__global__ void die() { __trap(); }

void check_sticky_error() {  // last: on a GPU nothing works after it
  int *device;
  EXPECT(cudaMalloc(&device, 4) == cudaSuccess);
  die<<<1, 1>>>();
  EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  EXPECT(cudaGetLastError() == cudaErrorLaunchFailure &&
         cudaGetLastError() == cudaErrorLaunchFailure);
  EXPECT(cudaMemset(device, 0, 4) == cudaErrorLaunchFailure &&
         cudaMalloc(&device, 4) == cudaErrorLaunchFailure);
}

int main() {
  check_configurations();
  check_shared_limit();
  check_memory();
  check_streams();
  check_device();
  check_errno();
  check_sticky_error();
  return failures() != 0;
}
