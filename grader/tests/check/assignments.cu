// Programs of assignments: pitches, sizes, streams with halves, host functions, graphs, child grids, textures, groups.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

__global__ void fill(int *data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;
}
__global__ void sum_pitched(const char *base, size_t pitch, int w, int h, int *sums) {
  const int y = threadIdx.x;
  if (y >= h) return;
  const int *row = reinterpret_cast<const int *>(base + y * pitch);
  int sum = 0;
  for (int x = 0; x < w; ++x) sum += row[x];  // BUG uninitialised linear_copy_into_rows
  sums[y] = sum;
}
CASE(linear_copy_into_rows) {
  const int w = 20, h = 8;
  std::vector<int> host(w * h, 1);
  char *rows;
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, w * sizeof(int), h);
  if (bug) cudaMemcpy(rows, host.data(), w * h * sizeof(int), cudaMemcpyHostToDevice);
  else
    cudaMemcpy2D(rows, pitch, host.data(), w * sizeof(int), w * sizeof(int), h, cudaMemcpyHostToDevice);
  Buffer<int> sums(h);
  sum_pitched<<<1, 32>>>(rows, pitch, w, h, sums);
  EXPECT(down<int>(sums, h)[7] == 20);
  cudaFree(rows);
}
CASE(pitches_swapped) {
  const int w = 20, h = 8;
  std::vector<int> host(w * h, 1);
  char *rows;
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, w * sizeof(int), h);
  cudaMemset2D(rows, pitch, 0, w * sizeof(int), h);
  const size_t line = w * sizeof(int);
  cudaMemcpy2D(rows, bug ? line : pitch, host.data(), bug ? pitch : line, line, h, cudaMemcpyHostToDevice);  // BUG memory pitches_swapped
  cudaFree(rows);
}
// The number of blocks is cut: the last elements are never written.
__global__ void iota(int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}
CASE(blocks_cut_off) {
  const int n = 1000;
  Buffer<int> out(n, Content::nothing);
  iota<<<bug ? n / 256 : (n + 255) / 256, 256>>>(out, n);
  const auto host = down<int>(out, n);
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += host[i];  // BUG uninitialised blocks_cut_off
  EXPECT(sum == 999 * 500);
}
// The size of what a kernel gets is that of another buffer.
CASE(memset_of_another_buffer) {
  Buffer<int> small(64), large(256);
  cudaMemset(bug ? small : large, 0, 256 * sizeof(int));  // BUG error memset_of_another_buffer
}
__global__ void square(float *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= data[i];
}
// ---- two halves of a pinned buffer, two streams: the host refills a half by the wrong event
CASE(half_of_a_double_buffer) {
  const int n = 256, chunks = 6;
  float *host;
  cudaMallocHost(&host, 2 * n * sizeof(float));
  Buffer<float> device(2 * n);
  cudaStream_t stream;
  cudaEvent_t done[2];
  cudaStreamCreate(&stream);
  for (auto &event : done) cudaEventCreate(&event);
  for (int c = 0; c < chunks; ++c) {
    const int half = c % 2;
    if (c >= (bug ? 3 : 2)) cudaEventSynchronize(done[half]);
    for (int i = 0; i < n; ++i) host[half * n + i] = c;  // BUG race half_of_a_double_buffer
    cudaMemcpyAsync(device + half * n, host + half * n, n * 4, cudaMemcpyHostToDevice, stream);  // BUG race half_of_a_double_buffer
    square<<<1, n, 0, stream>>>(device + half * n, n);
    cudaEventRecord(done[half], stream);
  }
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  for (auto &event : done) cudaEventDestroy(event);
  cudaFreeHost(host);
}
// ---- the host polls: it asks once and goes on
CASE(asked_only_once) {
  float *host;
  cudaMallocHost(&host, 1024);
  Up<float> device(std::vector<float>(256, 3));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpyAsync(host, device, 1024, cudaMemcpyDeviceToHost, stream);  // BUG race asked_only_once
  if (bug) {
    if (cudaStreamQuery(stream) != cudaSuccess) cudaPeekAtLastError();
  } else if (cudaStreamQuery(stream) == cudaErrorNotReady) {
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {}
  }
  if (host[0] != 3) std::puts("not three");  // BUG race asked_only_once
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFreeHost(host);
}
// ---- callbacks: the next stage is begun by a host function's result
struct Progress {
  int done = 0;
};
void CUDART_CB one_more(void *user) { ++static_cast<Progress *>(user)->done; }  // BUG race progress_shown_early
CASE(progress_shown_early) {
  Progress *progress = new Progress;
  Buffer<float> data(256);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int i = 0; i < 3; ++i) {
    square<<<1, 256, 0, stream>>>(data, 256);
    cudaLaunchHostFunc(stream, one_more, progress);
  }
  if (!bug) cudaStreamSynchronize(stream);
  if (progress->done != 3) std::puts("not three");  // BUG race progress_shown_early
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  delete progress;
}
CASE(nothing_captured) {
  Buffer<int> device(64);
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  fill<<<1, 32, 0, one>>>(device, 32, 7);
  cudaStreamEndCapture(bug ? two : one, &graph);  // BUG error nothing_captured
  if (bug) cudaStreamEndCapture(one, &graph);
  if (graph) cudaGraphDestroy(graph);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
}
// ---- child grids: quicksort, whose halves share the pivot
__global__ void quicksort(int *data, int left, int right, bool bug) {
  if (left >= right) return;
  const int pivot = data[right];
  int store = left;
  for (int i = left; i < right; ++i)
    if (data[i] < pivot) {
      const int x = data[i];
      data[i] = data[store];  // BUG race halves_share_the_pivot
      data[store++] = x;
    }
  data[right] = data[store];
  data[store] = pivot;
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  quicksort<<<1, 1, 0, a>>>(data, left, bug ? store : store - 1, false);
  quicksort<<<1, 1, 0, b>>>(data, store + (bug ? 0 : 1), right, false);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}
CASE(halves_share_the_pivot) {
  std::vector<int> values(24);
  for (int i = 0; i < 24; ++i) values[i] = i * 7 % 24;
  Up<int> data(values);
  quicksort<<<1, 1>>>(data, 0, 23, bug);
  EXPECT(down<int>(data, 24) == counting<int>(24));
}
// ---- textures
__global__ void sum_texels(cudaTextureObject_t texture, int n, float *out) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += tex1Dfetch<float>(texture, i);  // BUG warning texels_past_the_end
  *out = sum;
}
CASE(texels_past_the_end) {
  Up<float> data(std::vector<float>(64, 1));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 64 * sizeof(float);
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  Buffer<float> out(1);
  sum_texels<<<1, 1>>>(texture, bug ? 65 : 64, out);
  EXPECT(down<float>(out, 1)[0] == 64);
  cudaDestroyTextureObject(texture);
}
// ---- timing
CASE(stop_never_recorded) {
  Buffer<float> data(64);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start);
  square<<<1, 64>>>(data, 64);
  if (!bug) cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);  // BUG error stop_never_recorded
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
}
// ---- half2: an odd number of elements
__global__ void scale_pairs(__half2 *data, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int pairs = bug ? (n + 1) / 2 : n / 2;
  if (i < pairs) data[i] = __hmul2(data[i], __float2half2_rn(2));  // BUG memory last_half_of_a_pair
  else if (!bug && i == pairs && n % 2) {
    __half *last = reinterpret_cast<__half *>(data) + n - 1;
    *last = __hmul(*last, __float2half(2));
  }
}
CASE(last_half_of_a_pair) {
  Up<__half> data(std::vector<__half>(65, __float2half(1)));
  scale_pairs<<<1, 64>>>(reinterpret_cast<__half2 *>(data.data), 65, bug);
  EXPECT(__half2float(down<__half>(data, 65)[64]) == 2);
}
// ---- histogram: a copy of the bins for each block
__global__ void private_bins(const unsigned char *text, int n, int *bins, int copies) {
  int *mine = bins + blockIdx.x % copies * 256;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[text[i]], 1);  // BUG memory copies_of_bins_too_few
}
CASE(copies_of_bins_too_few) {
  Up<unsigned char> text(std::vector<unsigned char>(4096, 'a'));
  Buffer<int> bins(4 * 256);
  private_bins<<<8, 64>>>(text, 4096, bins, bug ? 8 : 4);
  EXPECT(down<int>(bins, 1024)['a'] == 1024);
}
// ---- one shared array of a helper, used by two calls
__device__ int block_sum(int value, bool bug) {
  __shared__ int parts[64];
  const int t = threadIdx.x;
  parts[t] = value;  // BUG race helper_called_twice
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (t < step) parts[t] += parts[t + step];
    __syncthreads();
  }
  const int sum = parts[0];  // BUG race helper_called_twice
  if (!bug) __syncthreads();
  return sum;
}
__global__ void two_sums(const int *in, int *out, bool bug) {
  const int t = threadIdx.x;
  const int sum = block_sum(in[t], bug);
  const int squares = block_sum(in[t] * in[t], bug);
  if (t == 0) out[0] = sum, out[1] = squares;
}
CASE(helper_called_twice) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(2);
  two_sums<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 2)[0] == 2016);
}
// From compute capability 8.0 on, tiles of several warps need no block_tile_memory.
__global__ void tiles_of_64(const int *in, int *out, bool bug) {
  __shared__ int s[128];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const unsigned t = threadIdx.x;
  s[t] = in[t];  // BUG race tile_of_64_reads_another
  tile.sync();
  out[t] = s[bug ? (t + 64) % 128 : t ^ 63];  // BUG race tile_of_64_reads_another
}
CASE(tile_of_64_reads_another) {
  Up<int> in(counting<int>(128));
  Buffer<int> out(128);
  tiles_of_64<<<1, 128>>>(in, out, bug);
  EXPECT(down<int>(out, 128)[0] == 63);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
