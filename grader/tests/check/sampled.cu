// Textures, surfaces and arrays; managed memory; what a copy leaves out.
#include "case.cuh"

struct Array {
  Array(int wide, int high, unsigned flags = cudaArraySurfaceLoadStore) {
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &floats, wide, high, flags);
  }
  ~Array() { cudaFreeArray(array); }
  cudaResourceDesc resource() const {
    cudaResourceDesc made = {};
    made.resType = cudaResourceTypeArray;
    made.res.array.array = array;
    return made;
  }
  cudaArray_t array;
};
struct Surface {
  explicit Surface(const Array &of) {
    const cudaResourceDesc resource = of.resource();
    cudaCreateSurfaceObject(&object, &resource);
  }
  ~Surface() { cudaDestroySurfaceObject(object); }
  cudaSurfaceObject_t object;
};
struct Texture {
  explicit Texture(const cudaResourceDesc &resource) {
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    cudaCreateTextureObject(&object, &resource, &description, nullptr);  // BUG memory rows_of_another_width
  }
  ~Texture() { cudaDestroyTextureObject(object); }
  cudaTextureObject_t object;
};

__global__ void set(cudaSurfaceObject_t surface, int wide, int high, float value) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < wide && y < high) surf2Dwrite(value, surface, x * static_cast<int>(sizeof(float)), y);  // BUG race surface_in_two_streams
}
__global__ void mean_in_place(cudaSurfaceObject_t surface, int wide, bool bug) {
  const int x = threadIdx.x, left = max(x - 1, 0);
  const float value = surf2Dread<float>(surface, left * 4, 0);  // BUG race surface_in_place
  if (!bug) __syncthreads();
  surf2Dwrite(value + 1, surface, x * 4, 0);  // BUG race surface_in_place
  (void)wide;
}
CASE(surface_in_place) {
  Array array(32, 1);
  Surface surface(array);
  set<<<1, 32>>>(surface.object, 32, 1, 2.0f);
  mean_in_place<<<1, 32>>>(surface.object, 32, bug);
}
__global__ void column_sum(cudaSurfaceObject_t surface, float *sums, int high) {
  float sum = 0;
  for (int y = 0; y < high; ++y) sum += surf2Dread<float>(surface, threadIdx.x * 4, y);  // BUG uninitialised surface_half_written
  sums[threadIdx.x] = sum;
}
CASE(surface_half_written) {
  Array array(16, 8);
  Surface surface(array);
  Buffer<float> sums(16);
  set<<<8, 16>>>(surface.object, bug ? 15 : 16, 8, 1.0f);
  column_sum<<<1, 16>>>(surface.object, sums, 8);
  EXPECT(down<float>(sums, 16)[15] == 8.0f);
}
CASE(surface_in_two_streams) {
  Array array(16, 4);
  Surface surface(array);
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  set<<<4, 16, 0, one>>>(surface.object, 16, 4, 1.0f);
  if (!bug) cudaStreamSynchronize(one);
  set<<<4, 16, 0, two>>>(surface.object, 16, 4, 2.0f);
  cudaDeviceSynchronize();
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
}
__global__ void same_texel(cudaSurfaceObject_t surface, bool bug) {
  surf2Dwrite(static_cast<float>(threadIdx.x), surface, (bug ? threadIdx.x / 2 : threadIdx.x) * 4, 0);  // BUG race two_writers_of_a_texel
}
CASE(two_writers_of_a_texel) {
  Array array(32, 1);
  Surface surface(array);
  same_texel<<<1, 32>>>(surface.object, bug);
}
__global__ void fetch(cudaTextureObject_t texture, float *out, int wide) {
  out[blockIdx.x * wide + threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}
CASE(array_filled_in_another_stream) {
  Array array(16, 4);
  Buffer<float> out(64);
  float *host;
  cudaMallocHost(&host, 256);
  for (int i = 0; i < 64; ++i) host[i] = 1;
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaMemcpy2DToArrayAsync(array.array, 0, 0, host, 64, 64, 4, cudaMemcpyHostToDevice, one);  // BUG race array_filled_in_another_stream
  if (!bug) cudaStreamSynchronize(one);
  {
    const Texture texture(array.resource());
    fetch<<<4, 16, 0, two>>>(texture.object, out, 16);
    cudaDeviceSynchronize();
  }
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFreeHost(host);
}
CASE(rows_of_another_width) {
  float *rows;
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, 16 * sizeof(float), 4);
  cudaMemset2D(rows, pitch, 0, 16 * sizeof(float), 4);
  Buffer<float> out(64);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = 16;
  resource.res.pitch2D.height = bug ? 5 : 4;
  resource.res.pitch2D.pitchInBytes = pitch;
  const Texture texture(resource);
  fetch<<<4, 16>>>(texture.object, out, 16);
  cudaDeviceSynchronize();
  cudaFree(rows);
}

// ---- managed memory
struct Node {
  int value;
  Node *next;
};
__global__ void sum_of_list(const Node *first, int *sum) {
  int total = 0;
  for (const Node *node = first; node; node = node->next) total += node->value;  // BUG memory node_on_the_hosts_heap
  *sum = total;
}
CASE(node_on_the_hosts_heap) {
  Node *nodes, *const plain = new Node{5, nullptr};
  int *sum;
  cudaMallocManaged(&nodes, 2 * sizeof(Node));
  cudaMallocManaged(&sum, sizeof(int));
  nodes[0] = {1, bug ? plain : &nodes[1]};
  nodes[1] = {2, nullptr};
  sum_of_list<<<1, 1>>>(nodes, sum);
  cudaDeviceSynchronize();
  EXPECT(*sum == 3);
  cudaFree(nodes);
  cudaFree(sum);
  delete plain;
}
__global__ void scale(float *data, int n, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
}
CASE(prefetched_and_written) {
  float *data;
  cudaMallocManaged(&data, 64 * sizeof(float));
  for (int i = 0; i < 64; ++i) data[i] = 1;
  cudaMemPrefetchAsync(data, 64 * sizeof(float), {cudaMemLocationTypeDevice, 0}, 0);
  scale<<<1, 64>>>(data, 64, 2);
  cudaMemPrefetchAsync(data, 64 * sizeof(float), {cudaMemLocationTypeHost, 0}, 0);
  if (!bug) cudaDeviceSynchronize();
  data[0] = 3;  // BUG race prefetched_and_written
  cudaDeviceSynchronize();
  cudaFree(data);
}
__managed__ int rounds;
__global__ void count_round() { ++rounds; }
CASE(managed_counter_polled) {
  rounds = 0;
  count_round<<<1, 1>>>();
  if (!bug) cudaDeviceSynchronize();
  if (rounds > 1) std::puts("twice");  // BUG race managed_counter_polled
  cudaDeviceSynchronize();
}
CASE(managed_memset_and_host) {
  int *data;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocManaged(&data, 256);
  cudaMemsetAsync(data, 0, 256, stream);  // BUG race managed_memset_and_host
  if (!bug) cudaStreamSynchronize(stream);
  data[5] = 5;  // BUG race managed_memset_and_host
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(data);
}
// ---- structs
struct Particle {
  float x, y, z;
  float mass;
};
__global__ void push(Particle *all, int n) {
  const int i = threadIdx.x;
  if (i < n) all[i].x += all[i].mass;  // BUG uninitialised mass_not_copied
}
CASE(mass_not_copied) {
  std::vector<Particle> host(16, Particle{1, 2, 3, 4});
  Buffer<Particle> device(16, Content::nothing);
  if (bug) cudaMemcpy2D(device.data, sizeof(Particle), host.data(), sizeof(Particle), 3 * sizeof(float), 16, cudaMemcpyHostToDevice);
  else cudaMemcpy(device.data, host.data(), 16 * sizeof(Particle), cudaMemcpyHostToDevice);
  push<<<1, 16>>>(device, 16);
}
struct Image {
  int wide, high;
  float *pixels;
};
__constant__ Image image;
__global__ void brighten() {
  const int i = threadIdx.x;
  if (i < image.wide * image.high) image.pixels[i] += 1;  // BUG memory pixels_of_the_host
}
CASE(pixels_of_the_host) {
  std::vector<float> host(32, 1.0f);
  Up<float> device(host);
  const Image made{8, 4, bug ? host.data() : device.data};
  cudaMemcpyToSymbol(image, &made, sizeof made);
  brighten<<<1, 32>>>();
}

// ---- integers that are taken for floats
__global__ void fetch_bytes(cudaTextureObject_t texture, float *out, bool bug) {
  const int t = threadIdx.x;
  out[t] = bug ? tex1Dfetch<float>(texture, t)  // BUG warning bytes_as_floats
               : tex1Dfetch<unsigned char>(texture, t);
}
CASE(bytes_as_floats) {
  const Up<unsigned char> bytes(counting<unsigned char>(32));
  const Buffer<float> out(32);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {bytes.data, cudaCreateChannelDesc<unsigned char>(), 32};
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  fetch_bytes<<<1, 32>>>(texture, out, bug);
  const float got = down<float>(out, 8)[7];
  if (bug ? got > 1e-30f : got != 7) std::fprintf(stderr, "a GPU hands over the bits\n");
  cudaDestroyTextureObject(texture);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
