// Kinds of memory, textures, constants, halves, pools and child grids, as they are handed in.
#include "case.cuh"

#include <cuda/latch>
#include <cuda_fp16.h>
#include <new>

// ---- pinned, mapped and managed memory
__global__ void square(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];  // BUG memory mapped_and_freed managed_shorter_than_n
}
CASE(mapped_and_freed) {
  float *host, *device;
  Buffer<float> out(64);
  cudaHostAlloc(reinterpret_cast<void **>(&host), 64 * sizeof(float), cudaHostAllocMapped);
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaHostGetDevicePointer(reinterpret_cast<void **>(&device), host, 0);
  if (bug) cudaFreeHost(host);
  square<<<1, 64>>>(device, out, 64);
  cudaDeviceSynchronize();
  EXPECT(down<float>(out, 64)[3] == 9);
  if (!bug) cudaFreeHost(host);
}
CASE(managed_shorter_than_n) {
  float *in, *out;
  cudaMallocManaged(&in, 100 * sizeof(float));
  cudaMallocManaged(&out, (bug ? 96 : 100) * sizeof(float));
  for (int i = 0; i < 100; ++i) in[i] = i;
  square<<<4, 32>>>(in, out, 100);
  cudaDeviceSynchronize();
  EXPECT(out[99] == 99 * 99);
  cudaFree(in);
  cudaFree(out);
}
struct Image {
  int w, h;
  float *pixels;
};
__global__ void brighten(Image *image) {
  const int i = threadIdx.x;
  if (i < image->w * image->h) image->pixels[i] += 1;  // BUG memory managed_struct_host_pixels
}
CASE(managed_struct_host_pixels) {
  Image *image;
  cudaMallocManaged(&image, sizeof(Image));
  image->w = 8, image->h = 4;
  if (bug) image->pixels = new float[32]();
  else cudaMallocManaged(&image->pixels, 32 * sizeof(float));
  for (int i = 0; i < 32; ++i) image->pixels[i] = 0;
  brighten<<<1, 32>>>(image);
  cudaDeviceSynchronize();
  if (bug) delete[] image->pixels;
  else cudaFree(image->pixels);
  cudaFree(image);
}
__device__ __managed__ int hits;
__global__ void hit() { atomicAdd(&hits, 1); }  // BUG race managed_counter_cleared
CASE(managed_counter_cleared) {
  hits = 0;
  hit<<<2, 32>>>();
  if (!bug) cudaDeviceSynchronize();
  hits = 0;  // BUG race managed_counter_cleared
  cudaDeviceSynchronize();
  EXPECT(hits == 0);
}
struct Node {
  int value;
  Node *next;
};
__global__ void walk(const Node *list, int *sum) {
  int total = 0;
  for (const Node *node = list; node; node = node->next) total += node->value;  // BUG memory list_with_a_freed_node
  *sum = total;
}
CASE(list_with_a_freed_node) {
  Node *first, *second;
  Buffer<int> sum(1);
  cudaMallocManaged(&first, sizeof(Node));
  cudaMallocManaged(&second, sizeof(Node));
  *first = {1, second}, *second = {2, nullptr};
  if (bug) cudaFree(second);
  walk<<<1, 1>>>(first, sum);
  cudaDeviceSynchronize();
  EXPECT(down<int>(sum, 1)[0] == 3);
  if (!bug) cudaFree(second);
  cudaFree(first);
}
CASE(mapped_when_no_longer_registered) {
  alignas(64) static float host[256];
  Buffer<float> device(64);
  cudaHostRegister(host, sizeof host, cudaHostRegisterDefault);
  if (bug) cudaHostUnregister(host);
  float *mapped = nullptr;
  cudaHostGetDevicePointer(reinterpret_cast<void **>(&mapped), host, 0);  // BUG error mapped_when_no_longer_registered
  if (mapped) square<<<1, 64>>>(mapped, device, 64);
  cudaDeviceSynchronize();
  if (!bug) cudaHostUnregister(host);
}
// ---- textures and surfaces
struct Texture {
  Texture(cudaArray_t array, cudaTextureFilterMode filter) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.filterMode = filter;
    how.readMode = cudaReadModeElementType;
    cudaCreateTextureObject(&object, &resource, &how, nullptr);
  }
  ~Texture() { cudaDestroyTextureObject(object); }
  Texture(const Texture &) = delete;
  cudaTextureObject_t object = 0;
};
struct Array {
  Array(int w, int h, unsigned flags = 0) {
    const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaMallocArray(&handle, &channel, w, h, flags);
    std::vector<float> zeros(w * h, 1);
    cudaMemcpy2DToArray(handle, 0, 0, zeros.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
  }
  ~Array() { cudaFreeArray(handle); }
  Array(const Array &) = delete;
  cudaArray_t handle = nullptr;
};
__global__ void sample_each(const cudaTextureObject_t *textures, float *out) {
  out[threadIdx.x] = tex2D<float>(textures[blockIdx.x], threadIdx.x + 0.5f, 0.5f);  // BUG memory list_of_textures_on_the_host
}
CASE(list_of_textures_on_the_host) {
  Array a(16, 2), b(16, 2);
  Texture one(a.handle, cudaFilterModePoint), two(b.handle, cudaFilterModePoint);
  std::vector<cudaTextureObject_t> list = {one.object, one.object};
  Up<cudaTextureObject_t> on_device(list);
  Buffer<float> out(16);
  sample_each<<<1, 16>>>(bug ? list.data() : on_device.data, out);
  EXPECT(down<float>(out, 16)[2] == 1);
}
__global__ void store_texel(cudaSurfaceObject_t surface, int w, bool bug) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (bug ? x <= w : x < w) surf2Dwrite(1.0f, surface, x * int(sizeof(float)), y);  // BUG memory surface_one_more
}
CASE(surface_one_more) {
  Array array(40, 4, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array.handle;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  store_texel<<<dim3(2, 4), 32>>>(surface, 40, bug);
  cudaDeviceSynchronize();
  cudaDestroySurfaceObject(surface);
}
__global__ void sample_rows(cudaTextureObject_t texture, float *out, int w) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x % w);  // BUG memory buffer_freed_before_its_texture
}
CASE(buffer_freed_before_its_texture) {
  float *data;
  cudaMalloc(&data, 32 * sizeof(float));
  cudaMemset(data, 0, 32 * sizeof(float));
  Buffer<float> out(32);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 32 * sizeof(float);
  cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  if (bug) cudaFree(data);
  sample_rows<<<1, 32>>>(texture, out, 32);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(texture);
  if (!bug) cudaFree(data);
}
// ---- constants
struct Layer {
  const float *weights;
  int inputs;
};
__constant__ Layer layers[2];
__global__ void forward(const float *x, float *y, int layer) {
  float sum = 0;
  for (int i = 0; i < layers[layer].inputs; ++i) sum += layers[layer].weights[i] * x[i];  // BUG memory weights_freed_after_the_copy
  y[threadIdx.x] = sum;
}
CASE(weights_freed_after_the_copy) {
  float *weights;
  Buffer<float> x(8), y(32);
  cudaMalloc(&weights, 8 * sizeof(float));
  cudaMemset(weights, 0, 8 * sizeof(float));
  const Layer layer = {weights, 8};
  cudaMemcpyToSymbol(layers, &layer, sizeof layer, sizeof layer);
  if (bug) cudaFree(weights);
  forward<<<1, 32>>>(x, y, 1);
  cudaDeviceSynchronize();
  if (!bug) cudaFree(weights);
}
__constant__ float filter[9];
__global__ void filter_rows(const float *in, float *out, int radius) {
  const int i = threadIdx.x + radius;
  float sum = 0;
  for (int k = 0; k < 2 * radius + 1; ++k)
    for (int j = 0; j < 2 * radius + 1; ++j) sum += filter[k * (2 * radius + 1) + j] * in[i + j - radius];  // BUG memory filter_of_a_larger_radius
  out[i] = sum;
}
CASE(filter_of_a_larger_radius) {
  Buffer<float> in(40), out(40);
  const std::vector<float> ones(9, 1);
  cudaMemcpyToSymbol(filter, ones.data(), 9 * sizeof(float));
  filter_rows<<<1, 32>>>(in, out, bug ? 2 : 1);
}
__constant__ float scales[4];
__global__ void scale(float *data) { data[threadIdx.x] *= scales[threadIdx.x % 4]; }  // BUG race constant_for_the_next_launch
CASE(constant_for_the_next_launch) {
  Buffer<float> data(32);
  float *pinned;
  cudaMallocHost(&pinned, 4 * sizeof(float));
  for (int i = 0; i < 4; ++i) pinned[i] = 2;
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  cudaMemcpyToSymbolAsync(scales, pinned, 16, 0, cudaMemcpyHostToDevice, one);
  scale<<<1, 32, 0, one>>>(data);
  cudaMemcpyToSymbolAsync(scales, pinned, 16, 0, cudaMemcpyHostToDevice, bug ? two : one);  // BUG race constant_for_the_next_launch
  cudaDeviceSynchronize();
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFreeHost(pinned);
}
// ---- halves
__global__ void half_sums(const __half *in, float *out, int n, bool bug) {
  const __half2 *pairs = reinterpret_cast<const __half2 *>(in + (bug ? blockIdx.x * n : blockIdx.x * (n + n % 2)));
  float sum = 0;
  for (int i = 0; i < n / 2; ++i) {
    const float2 both = __half22float2(pairs[i]);  // BUG memory rows_of_odd_halves
    sum += both.x + both.y;
  }
  out[blockIdx.x] = sum;
}
CASE(rows_of_odd_halves) {
  Buffer<__half> in(4 * 8);
  Buffer<float> out(4);
  half_sums<<<4, 1>>>(in, out, 7, bug);
}
CASE(halves_copied_as_floats) {
  std::vector<__half> host(32);
  Buffer<__half> device(32);
  cudaMemcpy(device, host.data(), 32 * (bug ? sizeof(float) : sizeof(__half)), cudaMemcpyHostToDevice);  // BUG error halves_copied_as_floats
}
__global__ void tail_pair(__half *data, int n, bool bug) {
  const int i = 2 * threadIdx.x;
  if (bug ? i < n : i + 1 < n) {
    __half2 *pair = reinterpret_cast<__half2 *>(data + i);
    *pair = __hadd2(*pair, *pair);  // BUG memory pair_at_the_end
  } else if (i < n) data[i] = __hadd(data[i], data[i]);
}
CASE(pair_at_the_end) {
  Buffer<__half> data(33);
  tail_pair<<<1, 32>>>(data, 33, bug);
}
// ---- pools
CASE(reused_from_a_pool_too_early) {
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  Buffer<float> out(64);
  cudaDeviceSynchronize();
  float *data;
  cudaMallocAsync(&data, 64 * sizeof(float), one);
  cudaMemsetAsync(data, 0, 64 * sizeof(float), one);
  cudaEvent_t ready;
  cudaEventCreate(&ready);
  cudaEventRecord(ready, one);
  cudaStreamWaitEvent(two, ready);
  cudaMemcpyAsync(out, data, 64 * sizeof(float), cudaMemcpyDeviceToDevice, two);  // BUG race reused_from_a_pool_too_early
  cudaEventRecord(ready, two);
  if (!bug) cudaStreamWaitEvent(one, ready);
  cudaFreeAsync(data, one);  // BUG race reused_from_a_pool_too_early
  cudaDeviceSynchronize();
  cudaEventDestroy(ready);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
}
CASE(two_frees_of_a_pool) {
  float *data;
  cudaMallocAsync(&data, 256, 0);
  cudaMemsetAsync(data, 0, 256, 0);
  cudaFreeAsync(data, 0);
  if (bug) cudaFree(data);  // BUG memory two_frees_of_a_pool
  cudaDeviceSynchronize();
}
// ---- child grids
__global__ void child_adds(int *data, int first, int n) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < first + n) data[i] += 1;  // BUG race halves_of_a_split_overlap
}
__global__ void split(int *data, int n, bool bug) {
  const int middle = n / 2;
  cudaStream_t left, right;
  cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking);
  child_adds<<<1, 64, 0, left>>>(data, 0, bug ? middle + 1 : middle);
  child_adds<<<1, 64, 0, right>>>(data, middle, n - middle);
  cudaStreamDestroy(left);
  cudaStreamDestroy(right);
}
CASE(halves_of_a_split_overlap) {
  Buffer<int> data(64);
  split<<<1, 1>>>(data, 64, bug);
  cudaDeviceSynchronize();
}
// ---- device memory
__global__ void copy_rows(const char *in, size_t pitch, float *out, int w, int h, bool bug) {
  const int x = threadIdx.x, y = blockIdx.x;
  const float *row = bug ? reinterpret_cast<const float *>(in) + y * pitch : reinterpret_cast<const float *>(in + y * pitch);
  if (x < w && y < h) out[y * w + x] = row[x];  // BUG memory pitch_added_to_floats
}
CASE(pitch_added_to_floats) {
  char *rows;
  size_t pitch;
  cudaMallocPitch(reinterpret_cast<void **>(&rows), &pitch, 20 * sizeof(float), 8);
  cudaMemset2D(rows, pitch, 0, 20 * sizeof(float), 8);
  Buffer<float> out(20 * 8);
  copy_rows<<<8, 32>>>(rows, pitch, out, 20, 8, bug);
  cudaDeviceSynchronize();
  cudaFree(rows);
}
__device__ float *workspace;
__global__ void make_room(int n) { workspace = new float[n]; }
__global__ void fill_room() { workspace[threadIdx.x] = 1; }  // BUG memory room_made_for_less
__global__ void free_room() { delete[] workspace; }
CASE(room_made_for_less) {
  make_room<<<1, 1>>>(bug ? 24 : 32);
  fill_room<<<1, 32>>>();
  free_room<<<1, 1>>>();
  cudaDeviceSynchronize();
}
CASE(result_copied_to_the_pointer) {
  Buffer<float> data(8);
  std::vector<float> host(8);
  std::vector<float> *target = &host;
  if (bug) cudaMemcpy(target, data, 8 * sizeof(float), cudaMemcpyDeviceToHost);  // BUG memory result_copied_to_the_pointer
  else cudaMemcpy(target->data(), data, 8 * sizeof(float), cudaMemcpyDeviceToHost);
}
// ---- a function of both sides has an address on each
__host__ __device__ float twice(float x) { return 2 * x; }
using Step = float (*)(float);
struct Operations {
  Step step;
  int count;
};
__device__ const Step twice_of_the_device = twice;
__global__ void apply(Operations all, float *x) { x[threadIdx.x] = all.step(x[threadIdx.x]); }  // BUG memory function_of_the_host
CASE(function_of_the_host) {
  Up<float> x(counting<float>(32));
  Operations all{twice, 1};
  if (all.step(1) != 2) std::printf("the host has it, too\n");
  if (!bug) cudaMemcpyFromSymbol(&all.step, twice_of_the_device, sizeof(Step));
  apply<<<1, 32>>>(all, x);
  cudaDeviceSynchronize();
  EXPECT(down<float>(x, 32)[31] == 62);
}
// ---- a latch
using Latch = cuda::latch<cuda::thread_scope_block>;
__global__ void hand_over(int *out, bool bug) {
  alignas(Latch) __shared__ char room[sizeof(Latch)];
  __shared__ int made[32];
  Latch *all_made = reinterpret_cast<Latch *>(room);
  if (threadIdx.x == 0) new (all_made) Latch(32);
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 32) {
    made[t] = t;  // BUG race latch_not_waited_for
    all_made->count_down();
  } else {
    if (!bug) all_made->wait();
    out[t - 32] = made[(t + 1) % 32];  // BUG race latch_not_waited_for
  }
}
CASE(latch_not_waited_for) {
  Buffer<int> out(32);
  hand_over<<<1, 64>>>(out, bug);
  EXPECT(down<int>(out, 32)[30] == 31);
}
__global__ void count_to_more(int *out, bool bug) {
  alignas(Latch) __shared__ char room[sizeof(Latch)];
  Latch *latch = reinterpret_cast<Latch *>(room);
  if (threadIdx.x == 0) new (latch) Latch(bug ? 65 : 64);
  __syncthreads();
  latch->arrive_and_wait();  // BUG barrier latch_expects_more
  out[threadIdx.x] = 1;
}
CASE(latch_expects_more) {
  Buffer<int> out(64);
  count_to_more<<<1, 64>>>(out, bug);
  cudaDeviceSynchronize();
  cudaGetLastError();
}
// ---- dynamic beside static shared memory
__global__ void two_tables(float *out) {
  extern __shared__ float large[];
  __shared__ float small[4096];
  const int t = threadIdx.x;
  small[t] = t;
  large[t] = 2 * small[t];
  out[t] = large[t];
}
CASE(asked_beside_static) {
  Buffer<float> out(32);
  const int bytes = (227 << 10) - (bug ? 0 : 4096 * sizeof(float));
  cudaFuncSetAttribute(two_tables, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);  // BUG error asked_beside_static
  two_tables<<<1, 32, bytes>>>(out);  // BUG error asked_beside_static
  EXPECT(down<float>(out, 32)[31] == 62);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
