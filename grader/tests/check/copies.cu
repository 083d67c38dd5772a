// Copies that leave an array, and bytes that no kernel wrote.
#include <sys/mman.h>

#include "case.cuh"

__global__ void fill(int *out, int n) {
  if (static_cast<int>(threadIdx.x) < n) out[threadIdx.x] = threadIdx.x;  // BUG memory managed_outside pinned_outside
}
__global__ void sum(const int *in, int *out, int n) {
  for (int i = 0; i < n; ++i) out[0] += in[i];  // BUG uninitialised unwritten_between_buffers
}
volatile int seen;

CASE(target_too_short) {
  Buffer<int> in(64);
  std::vector<int> host(32);
  cudaMemcpy(host.data(), in, (bug ? 48 : 32) * sizeof(int), cudaMemcpyDeviceToHost);  // BUG memory target_too_short
}
CASE(source_too_short) {
  Buffer<int> out(64);
  int *host = static_cast<int *>(std::calloc(32, sizeof(int)));
  cudaMemcpyAsync(out, host, (bug ? 48 : 32) * sizeof(int), cudaMemcpyHostToDevice);  // BUG memory source_too_short
  std::free(host);
}
CASE(local_array_too_short) {
  Buffer<int> out(64);
  const int host[40] = {};
  cudaMemcpy(out, host + 8, (bug ? 33 : 32) * sizeof(int), cudaMemcpyHostToDevice);  // BUG memory local_array_too_short
}
__constant__ int steps[64];
CASE(symbol_of_a_short_array) {
  const int host[9] = {};
  cudaMemcpyToSymbol(steps, host, (bug ? 16 : 9) * sizeof(int));  // BUG memory symbol_of_a_short_array
}
CASE(managed_outside) {
  int *shared;
  cudaMallocManaged(&shared, 32 * sizeof(int));
  fill<<<1, 33>>>(shared, bug ? 33 : 32);
  cudaFree(shared);
}
CASE(pinned_outside) {
  int *pinned;
  cudaMallocHost(&pinned, 32 * sizeof(int));
  fill<<<1, 33>>>(pinned, bug ? 33 : 32);
  cudaDeviceSynchronize();
  cudaFreeHost(pinned);
}

__global__ void write_beside_stack(int *beside, int other) {
  __syncthreads();  // each thread waits on a stack of its own
  if (threadIdx.x >= 62) beside[threadIdx.x == 62 ? 0 : other] = threadIdx.x;  // BUG race beside_a_stack
}
// The stacks of 64 threads are mapped below a page that is left of a larger mapping, so the last one ends
// where that page begins.
CASE(beside_a_stack) {
  constexpr std::size_t kPage = 4096, kMapped = std::size_t{8} << 20, kStack = 72 << 10;
  void *mapped = mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(mapped, kMapped - kPage);
  int *beside = reinterpret_cast<int *>(static_cast<char *>(mapped) + kMapped - kPage);
  cudaHostRegister(beside, kPage, cudaHostRegisterDefault);
  cudaDeviceSetLimit(cudaLimitStackSize, kStack);
  write_beside_stack<<<1, 64>>>(beside, bug ? 0 : 1);
  cudaDeviceSynchronize();
  cudaHostUnregister(beside);
  munmap(beside, kPage);
}
CASE(unwritten_read_by_the_host) {
  Buffer<int> out(32, Content::nothing);
  fill<<<1, 32>>>(out, 16);
  std::vector<int> host(32);
  cudaMemcpy(host.data(), out, 32 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < (bug ? 17 : 16); ++i) seen = host[i];  // BUG uninitialised unwritten_read_by_the_host
}
CASE(unwritten_in_an_array) {
  Buffer<int> out(32, Content::nothing);
  fill<<<1, 32>>>(out, bug ? 31 : 32);
  int host[32];
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i) seen = host[i];  // BUG uninitialised unwritten_in_an_array
}
CASE(unwritten_between_buffers) {
  Buffer<int> first(32, Content::nothing), second(32, Content::nothing), out(1);
  fill<<<1, 32>>>(first, bug ? 16 : 32);
  cudaMemcpy(second, first, 32 * sizeof(int), cudaMemcpyDeviceToDevice);
  sum<<<1, 1>>>(second, out, 32);
}
CASE(texture_too_large) {
  Buffer<float> values(32);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {values.data, cudaCreateChannelDesc<float>(), bug ? 256u : 128u};
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);  // BUG memory texture_too_large
  cudaDestroyTextureObject(texture);
}

// Padding is never written, and what is written over is not what was copied.
struct Padded {
  double a;
  int b;
};
__global__ void fill_padded(Padded *out) { out[threadIdx.x].a = 1, out[threadIdx.x].b = 2; }
CASE(quiet_padding) {
  Buffer<Padded> out(4, Content::nothing);
  fill_padded<<<1, 4>>>(out);
  Padded host[4];
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  const Padded copy = host[1];
  seen = copy.b;
}
CASE(quiet_written_over) {
  Buffer<int> out(32, Content::nothing);
  std::vector<int> host(32), other(32, 7);
  cudaMemcpy(host.data(), out, 32 * sizeof(int), cudaMemcpyDeviceToHost);
  host[3] = 5;
  std::memcpy(host.data() + 4, other.data(), 28 * sizeof(int));
  seen = host[3] + host[5];
}

// Rows: the last one ends where the pitch says, not where the caller has counted.
CASE(rows_past_target) {
  float *device;
  size_t pitch;
  cudaMallocPitch(&device, &pitch, 40 * sizeof(float), 8);
  cudaMemset2D(device, pitch, 0, 40 * sizeof(float), 8);
  std::vector<float> host(40 * 8);
  cudaMemcpy2D(host.data(), bug ? pitch : 160, device, pitch, 160, 8, cudaMemcpyDeviceToHost);  // BUG memory rows_past_target
  cudaFree(device);
}
CASE(rows_past_source) {
  Buffer<float> device(64 * 64);
  std::vector<float> image(60 * 60);
  const int rows = bug ? 64 : 60;
  cudaMemcpy2D(device, 256, image.data(), 240, 240, rows, cudaMemcpyHostToDevice);  // BUG memory rows_past_source
}
CASE(rows_of_a_stream) {
  Buffer<int> device(32 * 32);
  int *image = new int[32 * 16]();
  cudaMemcpy2DAsync(device + (bug ? 0 : 4), 128, image, bug ? 128 : 64, 64, 32, cudaMemcpyHostToDevice);  // BUG memory rows_of_a_stream
  cudaDeviceSynchronize();
  delete[] image;
}
CASE(rows_to_array) {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &channels, 32, 16);
  float *image = static_cast<float *>(std::calloc(32 * 16, sizeof(float)));
  cudaMemcpy2DToArray(array, 0, 0, image, bug ? 256 : 128, 128, 16, cudaMemcpyHostToDevice);  // BUG memory rows_to_array
  cudaFreeArray(array);
  std::free(image);
}
CASE(box_past_source) {
  Buffer<float> device(8 * 8 * 4);
  std::vector<float> box(8 * 8 * 4);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(box.data(), 32, 8, 8);
  copy.dstPtr = make_cudaPitchedPtr(device, 32, 8, 8);
  copy.srcPos = make_cudaPos(0, bug ? 4 : 0, 0);
  copy.extent = make_cudaExtent(32, bug ? 8 : 4, 4);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);  // BUG memory box_past_source
}
// The second half, of a block that is known by its beginning.
CASE(chunk_past_target) {
  Buffer<int> device(100);
  std::vector<int> host(100);
  for (int first = 0; first < 100; first += bug ? 48 : 50)
    cudaMemcpy(host.data() + first, device, 200, cudaMemcpyDeviceToHost);  // BUG memory chunk_past_target
}
CASE(stream_past_local) {
  Buffer<int> device(64);
  int sums[32];
  cudaMemcpyAsync(sums, device, (bug ? 33 : 32) * sizeof(int), cudaMemcpyDeviceToHost);  // BUG memory stream_past_local
  cudaDeviceSynchronize();
}
float picture[16][40];
CASE(rows_past_array) {
  Buffer<float> device(16 * 64);
  cudaMemcpy2D(picture, bug ? 256 : 160, device, 256, 160, 16, cudaMemcpyDeviceToHost);  // BUG memory rows_past_array
}
CASE(quiet_rows) {
  Buffer<int> device(32 * 32);
  std::vector<int> image(32 * 32), column(32);
  cudaMemcpy2D(device, 128, image.data() + 16, 128, 64, 32, cudaMemcpyHostToDevice);
  cudaMemcpy2D(column.data(), 4, device + 31, 128, 4, 32, cudaMemcpyDeviceToHost);
  cudaMemcpy2D(device, 128, image.data(), 128, 0, 32, cudaMemcpyHostToDevice);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
