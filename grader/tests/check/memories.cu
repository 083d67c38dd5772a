// Kinds of memory and their calls: pitches, boxes, symbols, parts of shared memory, pinned and registered memory, textures.
#include "case.cuh"

// ---- two arrays in dynamic shared memory
__global__ void two_arrays(const int *keys, const char *tags, int *out, int n, int second) {
  extern __shared__ char memory[];
  int *k = reinterpret_cast<int *>(memory);
  char *tag = memory + second;
  const int t = threadIdx.x;
  k[t] = keys[t];  // BUG race arrays_overlap
  tag[t] = tags[t];  // BUG race arrays_overlap
  __syncthreads();
  out[t] = k[n - 1 - t] + tag[n - 1 - t];
}
CASE(arrays_overlap) {
  Up<int> keys(counting<int>(64)), out(counting<int>(64));
  Up<char> tags(std::vector<char>(64, 1));
  two_arrays<<<1, 64, 64 * 5>>>(keys, tags, out, 64, bug ? 64 : 64 * 4);
  EXPECT(down<int>(out, 64)[0] == 64);
}
__global__ void chars_then_doubles(double *out, int characters) {
  extern __shared__ char memory[];
  double *values = reinterpret_cast<double *>(memory + characters);
  const int t = threadIdx.x;
  if (t < characters) memory[t] = 'x';
  values[t] = t;  // BUG memory doubles_behind_characters
  __syncthreads();
  out[t] = values[31 - t];
}
CASE(doubles_behind_characters) {
  Buffer<double> out(32);
  chars_then_doubles<<<1, 32, 32 * 8 + 16>>>(out, bug ? 12 : 16);
  EXPECT(down<double>(out, 32)[0] == 31);
}
// ---- boxes
__global__ void fill_box(cudaPitchedPtr box, int w, int h, int d, bool bug) {
  const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  if (x >= w || y >= h || z >= d) return;
  char *slice = static_cast<char *>(box.ptr) + z * box.pitch * (bug ? h + 1 : h);
  reinterpret_cast<float *>(slice + y * box.pitch)[x] = z * 100 + y * 10 + x;  // BUG memory slice_too_tall
}
CASE(slice_too_tall) {
  const int w = 5, h = 6, d = 4;
  cudaPitchedPtr box;
  const cudaExtent size = make_cudaExtent(w * sizeof(float), h, d);
  cudaMalloc3D(&box, size);
  fill_box<<<d, dim3(8, 8)>>>(box, w, h, d, bug);
  std::vector<float> host(w * h * d);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(host.data(), w * sizeof(float), w, h);
  copy.extent = size;
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&copy);
  EXPECT(host[w * h * d - 1] == 354);
  cudaFree(box.ptr);
}
CASE(box_in_elements) {
  const int w = 5, h = 6, d = 4;
  cudaPitchedPtr box;
  const cudaExtent size = make_cudaExtent(w * sizeof(float), h, d);
  cudaMalloc3D(&box, size);
  std::vector<float> host(w * h * d, 2), back(w * h * d);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), w * sizeof(float), w, h);
  copy.dstPtr = box;
  copy.extent = bug ? make_cudaExtent(w, h, d) : size;  // elements, where bytes are meant
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(back.data(), w * sizeof(float), w, h);
  copy.extent = size;
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&copy);
  if (back[4] != 2) std::printf("%g\n", back[4]);  // BUG uninitialised box_in_elements
  cudaFree(box.ptr);
}
CASE(width_above_pitch) {
  const int w = 30, h = 4;
  float *rows;
  std::size_t pitch;
  cudaMallocPitch(&rows, &pitch, w * sizeof(float), h);
  std::vector<float> host(w * h, 1), back(w * h);
  cudaMemcpy2D(rows, pitch, host.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
  cudaMemcpy2D(back.data(), bug ? w : w * sizeof(float), rows, pitch,  // BUG error width_above_pitch
               w * sizeof(float), h, cudaMemcpyDeviceToHost);
  EXPECT(back[w * h - 1] == 1);
  cudaFree(rows);
}
// ---- symbols
__device__ float scratch[32];
__constant__ float weights[9];
__device__ int *queue;
__global__ void use_weights(float *out, int from) {
  float sum = 0;
  for (int i = 0; i < 9; ++i) sum += weights[i + from];  // BUG memory weights_from_one
  out[threadIdx.x] = sum;
}
CASE(weights_from_one) {
  const std::vector<float> host(9, 2);
  Buffer<float> out(32);
  cudaMemcpyToSymbol(weights, host.data(), sizeof weights);
  use_weights<<<1, 32>>>(out, bug);
  EXPECT(down<float>(out, 32)[31] == 18);
}
CASE(address_of_a_symbol) {
  const std::vector<float> host(32, 3);
  void *there = nullptr;
  cudaGetSymbolAddress(&there, scratch);
  if (bug) there = scratch;
  cudaMemcpy(there, host.data(), sizeof scratch, cudaMemcpyHostToDevice);  // BUG error address_of_a_symbol
}
__global__ void take_from_queue(int *out) { out[threadIdx.x] = queue[threadIdx.x]; }  // BUG memory queue_of_the_host
CASE(queue_of_the_host) {
  std::vector<int> host(32, 4);
  Up<int> items(host);
  Buffer<int> out(32);
  int *pointer = bug ? host.data() : items.data;
  cudaMemcpyToSymbol(queue, &pointer, sizeof pointer);
  take_from_queue<<<1, 32>>>(out);
  EXPECT(down<int>(out, 32)[9] == 4);
}
// ---- sizes and indices
__global__ void pairs_of(const int *in, int *out, int n) {
  const int i = threadIdx.x;
  for (int j = 0; j < i; ++j) out[i * (i - 1) / 2 + j] = in[i] - in[j];  // BUG memory triangle_too_small
  (void)n;
}
CASE(triangle_too_small) {
  Up<int> in(counting<int>(20));
  Buffer<int> out(bug ? 20 * 19 / 2 - 1 : 20 * 19 / 2);
  pairs_of<<<1, 20>>>(in, out, 20);
  EXPECT(down<int>(out, 190)[189] == 1);
}
__global__ void left_neighbour(const int *in, int *out, unsigned n, bool bug) {
  const unsigned i = threadIdx.x;
  if (i >= n) return;
  out[i] = bug || i > 0 ? in[i - 1] : in[n - 1];  // BUG memory unsigned_below_zero
}
CASE(unsigned_below_zero) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  left_neighbour<<<1, 32>>>(in, out, 32, bug);
  EXPECT(down<int>(out, 32)[0] == 31);
}
__global__ void slot_of(int *out, int row, int width, bool bug) {
  const long long at = bug ? row * width % 64 : static_cast<long long>(row) * width % 64;
  out[at] = 1;  // BUG memory product_overflows
}
CASE(product_overflows) {
  Buffer<int> out(64);
  slot_of<<<1, 1>>>(out, 50'001, 50'003, bug);
  EXPECT(down<int>(out, 64)[50'001LL * 50'003 % 64] == 1);
}
CASE(count_instead_of_bytes) {
  int *data;
  const int n = 40;
  cudaMalloc(&data, n * sizeof(int));
  cudaMemset(data, 0, bug ? n : n * sizeof(int));
  const std::vector<int> host = down<int>(data, n);
  if (host[39] != 0) std::printf("%d\n", host[39]);  // BUG uninitialised count_instead_of_bytes
  cudaFree(data);
}
struct Particle {
  float position[3], velocity[3];
};
__global__ void drift(Particle *particles, int n, int axes) {
  const int i = threadIdx.x;
  if (i >= n) return;
  for (int a = 0; a < axes; ++a) particles[i].velocity[a] += 1;  // BUG memory axis_too_many
}
CASE(axis_too_many) {
  Buffer<Particle> particles(20);
  drift<<<1, 32>>>(particles, 20, bug ? 4 : 3);
  EXPECT(down<Particle>(particles, 20)[19].velocity[2] == 1);
}
struct Filter {
  float tap[5];
};
__global__ void filter(const float *in, float *out, int n, Filter f, int taps) {
  const int i = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < taps; ++k) sum += f.tap[k] * in[(i + k) % n];  // BUG memory tap_too_many
  out[i] = sum;
}
CASE(tap_too_many) {
  Up<float> in(std::vector<float>(32, 1));
  Buffer<float> out(32);
  filter<<<1, 32>>>(in, out, 32, Filter{{1, 1, 1, 1, 1}}, bug ? 6 : 5);
  EXPECT(down<float>(out, 32)[3] == 5);
}
// ---- who frees what
CASE(pinned_by_delete) {
  int *pinned, *device;
  cudaMallocHost(&pinned, 64);
  cudaMalloc(&device, 64);
  if (bug) cudaFreeHost(device);  // BUG error pinned_by_delete
  cudaFreeHost(pinned);
  if (!bug) cudaFree(device);
}
CASE(pinned_as_device) {
  int *pinned;
  cudaMallocHost(&pinned, 64);
  if (bug) cudaFree(pinned);  // BUG memory pinned_as_device
  else cudaFreeHost(pinned);
}
CASE(registered_twice) {
  std::vector<int> host(1024);
  cudaHostRegister(host.data(), 4096, 0);
  if (bug) cudaHostRegister(host.data(), 4096, 0);  // BUG error registered_twice
  cudaHostUnregister(host.data());
}
CASE(not_registered) {
  std::vector<int> host(1024);
  if (!bug) cudaHostRegister(host.data(), 4096, 0);
  cudaHostUnregister(host.data());  // BUG error not_registered
}
// ---- textures of buffers
__global__ void from_texture(cudaTextureObject_t texture, float *out, int shift) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x + shift);  // BUG memory texture_of_freed_buffer
}
CASE(texture_of_freed_buffer) {
  float *data;
  Buffer<float> out(32);
  cudaMalloc(&data, 128);
  cudaMemset(data, 0, 128);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 128;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  if (bug) cudaFree(data);
  from_texture<<<1, 32>>>(texture, out, 0);
  cudaDestroyTextureObject(texture);
  if (!bug) cudaFree(data);
}

// ---- a symbol is filled from the device, the call says from the host
__constant__ int constants[4];
CASE(symbol_from_the_device) {
  const Up<int> values(counting<int>(4));
  cudaMemcpyToSymbol(constants, values, 16, 0, bug ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice);  // BUG error symbol_from_the_device
}

int main(int count, char **arguments) { return run_case(count, arguments); }
