// Copies that leave an array, and bytes that no kernel wrote.
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

int main(int count, char **arguments) { return run_case(count, arguments); }
