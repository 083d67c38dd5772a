// Textures, surfaces and arrays; managed variables; memory of the host that is given back twice; copies
// of a group of which not all have been waited for.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

namespace {

constexpr int kWide = 8, kHigh = 8, kCount = 64, kBytes = kCount * sizeof(int);

cudaArray_t array_of_floats(unsigned flags, int rows_filled) {
  cudaArray_t made;
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaMallocArray(&made, &floats, kWide, kHigh, flags);
  const std::vector<float> ones(kWide * kHigh, 1);
  const std::size_t row = kWide * sizeof(float);
  if (rows_filled) cudaMemcpy2DToArray(made, 0, 0, ones.data(), row, row, rows_filled, cudaMemcpyHostToDevice);
  return made;
}
cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}
cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter) {
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureDesc description{};
  description.filterMode = filter;
  cudaTextureObject_t made = 0;
  cudaCreateTextureObject(&made, &resource, &description, nullptr);
  return made;
}
cudaSurfaceObject_t surface_of(cudaArray_t array) {
  const cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t made = 0;
  cudaCreateSurfaceObject(&made, &resource);
  return made;
}

}  // namespace

// ---- textures and surfaces ---------------------------------------------------------------------------

__global__ void sample(cudaTextureObject_t texture, float *out) {
  const float x = threadIdx.x % kWide + 0.5f, y = threadIdx.x / kWide + 0.5f;
  out[threadIdx.x] = tex2D<float>(texture, x, y);  // BUG memory texture_destroyed array_freed_early
}
CASE(texture_destroyed) {
  const cudaArray_t array = array_of_floats(cudaArrayDefault, kHigh);
  const cudaTextureObject_t texture = texture_of(array, cudaFilterModePoint);
  Buffer<float> out(kCount);
  if (bug) cudaDestroyTextureObject(texture);
  sample<<<1, kCount>>>(texture, out);
  EXPECT(down<float>(out, kCount)[63] == 1);
  if (!bug) cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
}
CASE(array_freed_early) {
  const cudaArray_t array = array_of_floats(cudaArrayDefault, kHigh);
  const cudaTextureObject_t texture = texture_of(array, cudaFilterModePoint);
  Buffer<float> out(kCount);
  if (bug) cudaFreeArray(array);
  sample<<<1, kCount>>>(texture, out);
  EXPECT(down<float>(out, kCount)[63] == 1);
  cudaDestroyTextureObject(texture);
  if (!bug) cudaFreeArray(array);
}
__global__ void sample_filtered(cudaTextureObject_t texture, float *out) {
  const float x = threadIdx.x % kWide + 1.f, y = threadIdx.x / kWide + 1.f;
  out[threadIdx.x] = tex2D<float>(texture, x, y);  // BUG uninitialised array_half_filled
}
CASE(array_half_filled) {
  const cudaArray_t array = array_of_floats(cudaArrayDefault, bug ? kHigh / 2 : kHigh);
  const cudaTextureObject_t texture = texture_of(array, cudaFilterModeLinear);
  Buffer<float> out(kCount);
  sample_filtered<<<1, kCount>>>(texture, out);
  EXPECT(down<float>(out, kCount)[63] == 1);
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
}
CASE(array_freed_twice) {
  const cudaArray_t array = array_of_floats(cudaArrayDefault, 0);
  cudaFreeArray(array);
  if (bug) cudaFreeArray(array);  // BUG error array_freed_twice
}
CASE(pitch_of_the_host) {
  float *data;
  std::size_t pitch;
  cudaMallocPitch(&data, &pitch, 30 * sizeof(float), 4);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = data;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = 30;
  resource.res.pitch2D.height = 4;
  resource.res.pitch2D.pitchInBytes = bug ? 30 * sizeof(float) : pitch;
  const cudaTextureDesc description{};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);  // BUG error pitch_of_the_host
  cudaDestroyTextureObject(texture);
  cudaFree(data);
}
__global__ void draw(cudaSurfaceObject_t surface, bool bug) {
  const int x = threadIdx.x % kWide, y = threadIdx.x / kWide;
  surf2Dwrite(float(threadIdx.x), surface, x * int(sizeof(float)), bug ? y / 2 : y);  // BUG race pixel_of_two
}
CASE(pixel_of_two) {
  const cudaArray_t array = array_of_floats(cudaArraySurfaceLoadStore, 0);
  const cudaSurfaceObject_t surface = surface_of(array);
  draw<<<1, kCount>>>(surface, bug);
  cudaDeviceSynchronize();
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}
__global__ void mirror(cudaSurfaceObject_t surface, bool bug) {
  const int x = threadIdx.x * sizeof(float), other = (kWide - 1 - threadIdx.x) * sizeof(float);
  const float value = surf2Dread<float>(surface, other, 0);  // BUG race mirrored_in_place
  if (!bug) __syncthreads();
  surf2Dwrite(value, surface, x, 0);  // BUG race mirrored_in_place
}
CASE(mirrored_in_place) {
  const cudaArray_t array = array_of_floats(cudaArraySurfaceLoadStore, kHigh);
  const cudaSurfaceObject_t surface = surface_of(array);
  mirror<<<1, kWide>>>(surface, bug);
  cudaDeviceSynchronize();
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}

// ---- memory of both sides ------------------------------------------------------------------------------

__managed__ int table[kCount];
__managed__ int total;
__global__ void fill_table(int n) {
  if (threadIdx.x < n) table[threadIdx.x * 1u] = threadIdx.x;  // BUG memory past_managed_variable
}
CASE(past_managed_variable) {
  fill_table<<<1, kCount + 1>>>(bug ? kCount + 1 : kCount);
  cudaDeviceSynchronize();
  EXPECT(table[kCount - 1] == kCount - 1);
}
__global__ void add_to_total() { atomicAdd(&total, 1); }  // BUG race managed_variable_early
CASE(managed_variable_early) {
  total = 0;
  add_to_total<<<1, 32>>>();
  if (!bug) cudaDeviceSynchronize();
  if (total != 32) std::fprintf(stderr, "%d instead of 32\n", total);  // BUG race managed_variable_early
  cudaDeviceSynchronize();
}
CASE(pinned_freed_twice) {
  int *host;
  cudaMallocHost(&host, kBytes);
  int *const again = host;
  cudaFreeHost(host);
  if (bug) cudaFreeHost(again);  // BUG error pinned_freed_twice
}
// The host waits for a cudaMemset of memory that it may use itself.
CASE(filled_by_a_stream) {
  int *host;
  cudaMallocHost(&host, kBytes);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (bug) cudaMemsetAsync(host, 0, kBytes, stream);  // BUG race filled_by_a_stream
  else cudaMemset(host, 0, kBytes);
  for (int i = 0; i < kCount; ++i) host[i] += i;  // BUG race filled_by_a_stream
  EXPECT(host[9] == 9);
  cudaDeviceSynchronize();
  cudaStreamDestroy(stream);
  cudaFreeHost(host);
}

// ---- copies of a group -----------------------------------------------------------------------------------

__global__ void two_stages(const int *in, int *out, bool bug) {
  __shared__ int stage[2][32];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, stage[0], in, sizeof(stage[0]));
  cg::memcpy_async(block, stage[1], in + 32, sizeof(stage[1]));
  cg::wait_prior<1>(block);
  int sum = stage[0][31 - threadIdx.x];
  if (!bug) cg::wait(block);
  sum += stage[1][31 - threadIdx.x];  // BUG uninitialised second_stage_early
  out[threadIdx.x] = sum;
}
CASE(second_stage_early) {
  Up<int> in(std::vector<int>(64, 2));
  Buffer<int> out(32);
  two_stages<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[7] == 4);
}

// ---- parameters that are references ------------------------------------------------------------------------

struct Counter {
  int value;
};
__global__ void count_up(Counter &counter) { atomicAdd(&counter.value, 1); }  // BUG memory counter_of_the_host
CASE(counter_of_the_host) {
  Counter own{0}, *managed;
  ::cudaMallocManaged(&managed, sizeof *managed);
  managed->value = 0;
  count_up<<<1, 32>>>(bug ? own : *managed);
  cudaDeviceSynchronize();
  EXPECT(managed->value == 32);
  cudaFree(managed);
}

// ---- limits of a launch ------------------------------------------------------------------------------------

__global__ void one_each(int *out) { out[threadIdx.z + blockIdx.y] = 1; }
CASE(block_too_deep) {
  Buffer<int> out(65);
  one_each<<<1, dim3(1, 1, bug ? 65 : 64)>>>(out);  // BUG error block_too_deep
}

int main(int count, char **arguments) { return run_case(count, arguments); }
