// Who made an object, who owns memory, and who may free it.
#include "case.cuh"

__global__ void increment(int *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}
__global__ void fill(int *data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;  // BUG memory managed_freed_while_running
}
// ---- an array of pointers to rows
__global__ void sum_rows(int *const *rows, int width, int *sums) {
  const int r = threadIdx.x;
  int sum = 0;
  for (int x = 0; x < width; ++x) sum += rows[r][x];  // BUG memory rows_of_the_host_heap
  sums[r] = sum;
}
CASE(rows_of_the_host_heap) {
  int *host_rows[4], *device_rows[4];
  for (int r = 0; r < 4; ++r) {
    host_rows[r] = new int[8];
    for (int x = 0; x < 8; ++x) host_rows[r][x] = r + x;
    cudaMalloc(&device_rows[r], 8 * sizeof(int));
    cudaMemcpy(device_rows[r], host_rows[r], 8 * sizeof(int), cudaMemcpyHostToDevice);
  }
  int **rows;
  cudaMalloc(&rows, sizeof device_rows);
  cudaMemcpy(rows, bug ? host_rows : device_rows, sizeof device_rows, cudaMemcpyHostToDevice);
  Buffer<int> sums(4);
  sum_rows<<<1, 4>>>(rows, 8, sums);
  EXPECT(down<int>(sums, 4)[3] == 3 * 8 + 28);
  cudaFree(rows);
  for (int r = 0; r < 4; ++r) {
    cudaFree(device_rows[r]);
    delete[] host_rows[r];
  }
}
// ---- a class with virtual functions that the host has made
struct Shape {
  __host__ __device__ virtual ~Shape() {}
  __host__ __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __host__ __device__ explicit Square(float s) : side(s) {}
  __host__ __device__ float area() const override { return side * side; }
};
__global__ void make(Square *square, float side) { new (square) Square(side); }
__global__ void areas(const Square *square, float *out) {
  const Shape *shape = square;
  *out = shape->area();  // BUG memory object_with_the_hosts_table
}
CASE(object_with_the_hosts_table) {
  Square host(3);
  Square *device;
  cudaMalloc(&device, sizeof(Square));
  if (bug) cudaMemcpy((void *)device, (void *)&host, sizeof(Square), cudaMemcpyHostToDevice);
  else make<<<1, 1>>>(device, 3);
  Buffer<float> out(1);
  areas<<<1, 1>>>(device, out);
  EXPECT(down<float>(out, 1)[0] == 9);
  cudaFree(device);
}
// ---- the arguments of cudaLaunchKernel are addresses of arguments
__global__ void add_one(int *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;  // BUG memory argument_instead_of_address
}
CASE(argument_instead_of_address) {
  int n = 64;
  int *data;
  cudaMallocManaged(&data, n * sizeof(int));
  for (int i = 0; i < n; ++i) data[i] = i;
  void *right[] = {&data, &n};
  void *wrong[] = {data, &n};
  cudaLaunchKernel((const void *)add_one, dim3(1), dim3(64), bug ? wrong : right, 0, 0);
  cudaDeviceSynchronize();
  EXPECT(data[63] == 64);
  cudaFree(data);
}
// Rows of a fixed width, by a cast: the buffer has rows of 20.
__global__ void clear_last(void *memory, int rows, bool bug) {
  if (bug) {
    float(*matrix)[24] = reinterpret_cast<float(*)[24]>(memory);
    matrix[rows - 1][threadIdx.x] = 0;  // BUG memory cast_to_wider_rows
  } else {
    float(*matrix)[20] = reinterpret_cast<float(*)[20]>(memory);
    matrix[rows - 1][threadIdx.x] = 0;
  }
}
CASE(cast_to_wider_rows) {
  Buffer<float> data(20 * 16);
  clear_last<<<1, 20>>>(data, 16, bug);
}
// ---- a growing array: the struct on the device still has the old pointer
struct Vector {
  int *data;
  int size;
};
__global__ void push_all(Vector *v, int n) {
  for (int i = 0; i < n; ++i) v->data[v->size++] = i;  // BUG memory struct_with_old_pointer
}
CASE(struct_with_old_pointer) {
  Vector host{nullptr, 0};
  cudaMalloc(&host.data, 4 * sizeof(int));
  Buffer<Vector> device(1, Content::nothing);
  cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
  push_all<<<1, 1>>>(device, 4);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  int *larger;
  cudaMalloc(&larger, 8 * sizeof(int));
  cudaMemcpy(larger, host.data, 4 * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaFree(host.data);
  host.data = larger;
  if (!bug) cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
  push_all<<<1, 1>>>(device, 4);
  EXPECT(down<int>(host.data, 8)[7] == 3);
  cudaFree(host.data);
}
// ---- a class that owns memory is copied
struct Matrix {
  explicit Matrix(int n) : size(n) { cudaMalloc(&data, n * sizeof(float)); }
  ~Matrix() { cudaFree(data); }  // BUG memory owner_copied
  int size;
  float *data;
};
__global__ void ones(float *data, int n) {
  if (threadIdx.x < (unsigned)n) data[threadIdx.x] = 1;
}
float sum_of(Matrix m) {
  const auto host = down<float>(m.data, m.size);
  return std::accumulate(host.begin(), host.end(), 0.0f);
}
float sum_by_reference(const Matrix &m) {
  const auto host = down<float>(m.data, m.size);
  return std::accumulate(host.begin(), host.end(), 0.0f);
}
CASE(owner_copied) {
  Matrix m(32);
  ones<<<1, 32>>>(m.data, 32);
  const float sum = bug ? sum_of(m) : sum_by_reference(m);
  EXPECT(sum == 32);
}
// ---- pointers to functions of the device
using Function = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ Function table[1] = {twice};
__global__ void apply(Function f, float *data) { data[threadIdx.x] = f(data[threadIdx.x]); }
CASE(quiet_function_from_the_device) {
  Function f;
  cudaMemcpyFromSymbol(&f, table, sizeof f);
  Up<float> data(counting<float>(8));
  apply<<<1, 8>>>(f, data);
  EXPECT(down<float>(data, 8)[7] == 14);
}
// ---- registered memory that moves or goes
CASE(registered_and_moved) {
  std::vector<int> host(1024, 1);
  cudaHostRegister(host.data(), host.size() * sizeof(int), cudaHostRegisterDefault);  // BUG memory registered_and_moved
  int *first = host.data();
  if (bug) host.resize(100000, 2);
  cudaHostUnregister(first);
}
CASE(freed_while_registered) {
  int *host = static_cast<int *>(std::malloc(4096));
  std::memset(host, 0, 4096);
  cudaHostRegister(host, 4096, cudaHostRegisterDefault);
  if (!bug) cudaHostUnregister(host);
  std::free(host);  // BUG memory freed_while_registered
}
CASE(malloc_by_cuda_free) {
  int *host = static_cast<int *>(std::malloc(4096));
  if (bug) cudaFree(host);  // BUG memory malloc_by_cuda_free
  std::free(host);
}
CASE(pinned_by_cuda_free) {
  int *host;
  cudaMallocHost(&host, 4096);
  host[0] = 1;
  if (bug) cudaFree(host);  // BUG memory pinned_by_cuda_free
  else cudaFreeHost(host);
  if (bug) cudaFreeHost(host);
}
CASE(device_by_free_host) {
  int *device;
  cudaMalloc(&device, 4096);
  if (bug) cudaFreeHost(device);  // BUG error device_by_free_host
  cudaFree(device);
}
CASE(address_of_the_pointer_freed) {
  int *device;
  cudaMalloc(&device, 4096);
  if (bug) cudaFree(&device);  // BUG memory address_of_the_pointer_freed
  cudaFree(device);
}
// cudaMalloc of a pointer that a helper gets by value
void allocate_by_value(int *p, int n) { cudaMalloc(&p, n * sizeof(int)); }
void allocate(int *&p, int n) { cudaMalloc(&p, n * sizeof(int)); }
CASE(pointer_by_value) {
  int *data = nullptr;
  if (bug) allocate_by_value(data, 64);
  else allocate(data, 64);
  cudaMemset(data, 0, 256);  // BUG error pointer_by_value
  increment<<<1, 64>>>(data, 64);
  cudaFree(data);
}
CASE(managed_freed_while_running) {
  int *data;
  cudaMallocManaged(&data, 64 * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  fill<<<1, 64, 0, stream>>>(data, 64, 1);
  cudaStreamSynchronize(stream);
  cudaFree(data);
  if (bug) fill<<<1, 64, 0, stream>>>(data, 64, 2);
  cudaStreamDestroy(stream);
}
// The host's object goes to the device and back: only its numbers are used there.
__global__ void widen(Square *square) { square->side *= 2; }
CASE(quiet_object_and_back) {
  Square host(3);
  Buffer<char> device(sizeof(Square));
  cudaMemcpy(device, (void *)&host, sizeof(Square), cudaMemcpyHostToDevice);
  widen<<<1, 1>>>((Square *)device.data);
  Square *back = new Square(0);
  cudaMemcpy((void *)back, device, sizeof(Square), cudaMemcpyDeviceToHost);
  const Shape *shape = back;
  EXPECT(shape->area() == 36);
  delete back;
}
CASE(managed_freed_twice) {
  int *data;
  cudaMallocManaged(&data, 256);
  cudaFree(data);
  if (bug) cudaFree(data);  // BUG memory managed_freed_twice
}
// ---- cudaDeviceReset frees arrays, too
__global__ void read_texel(cudaTextureObject_t texture, float *out) { *out = tex2D<float>(texture, 1.5f, 1.5f); }  // BUG memory array_gone_by_reset
CASE(array_gone_by_reset) {
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  const std::vector<float> ones(64, 1);
  cudaArray_t array;
  cudaMallocArray(&array, &floats, 8, 8);
  cudaMemcpy2DToArray(array, 0, 0, ones.data(), 32, 32, 8, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  if (bug) cudaDeviceReset();
  {
    Buffer<float> out(1);
    read_texel<<<1, 1>>>(texture, out);
    EXPECT(down<float>(out, 1)[0] == 1);
  }
  cudaDeviceReset();
}

// ---- an object in managed memory whose text is on the host's heap
struct Named {
  char *name;
};
__global__ void first_letter(const Named *named, int *out) {
  *out = named->name[0];  // BUG memory name_on_the_heap
}
CASE(name_on_the_heap) {
  Named *named;
  cudaMallocManaged(&named, sizeof *named);
  std::vector<char> name(64, 'x');
  if (bug) named->name = name.data();
  else cudaMallocManaged(&named->name, 64), named->name[0] = 'x';
  const Buffer<int> out(1);
  first_letter<<<1, 1>>>(named, out);
  EXPECT(down<int>(out, 1)[0] == 'x');
  cudaDeviceSynchronize();
  if (!bug) cudaFree(named->name);
  cudaFree(named);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
