// What a program does around its kernels: streams, managed memory, sizes, graphs.
#include "case.cuh"

#include <algorithm>

__global__ void twice(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

// ---- streams
CASE(chunk_in_other_stream) {
  const int n = 256, chunk = 64;
  float *host, *device;
  cudaMallocHost(&host, n * sizeof(float));
  cudaMalloc(&device, n * sizeof(float));
  std::fill(host, host + n, 1.0f);
  cudaStream_t streams[2];
  for (auto &stream : streams) cudaStreamCreate(&stream);
  for (int c = 0; c < n / chunk; ++c) {
    float *d = device + c * chunk, *h = host + c * chunk;
    cudaStream_t s = streams[c % 2];
    cudaMemcpyAsync(d, h, chunk * sizeof(float), cudaMemcpyHostToDevice, s);
    twice<<<1, chunk, 0, s>>>(d, chunk);
    cudaMemcpyAsync(h, d, chunk * sizeof(float),  // BUG race chunk_in_other_stream
                    cudaMemcpyDeviceToHost, bug ? streams[0] : s);
  }
  cudaDeviceSynchronize();
  EXPECT(host[n - 1] == 2);
  for (auto &stream : streams) cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(host);
}
CASE(pinned_refilled) {
  const int n = 64;
  float *host, *device;
  cudaMallocHost(&host, n * sizeof(float));
  cudaMalloc(&device, 2 * n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int c = 0; c < 2; ++c) {
    for (int i = 0; i < n; ++i) host[i] = i + c;  // BUG race pinned_refilled
    cudaMemcpyAsync(device + c * n, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);  // BUG race pinned_refilled
    if (!bug) cudaStreamSynchronize(stream);
  }
  cudaStreamSynchronize(stream);
  EXPECT(down<float>(device, 2 * n)[n] == 1);
  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(host);
}
CASE(last_chunk_too_long) {
  const int n = 100, chunk = 32;
  Up<float> in(std::vector<float>(n, 1));
  std::vector<float> out(n);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int first = 0; first < n; first += chunk) {
    const int size = bug ? chunk : std::min(chunk, n - first);
    twice<<<1, chunk, 0, stream>>>(in + first, std::min(chunk, n - first));
    cudaMemcpyAsync(out.data() + first, in + first, size * sizeof(float),  // BUG error last_chunk_too_long
                    cudaMemcpyDeviceToHost, stream);
  }
  cudaStreamSynchronize(stream);
  EXPECT(out[n - 1] == 2);
  cudaStreamDestroy(stream);
}
CASE(freed_while_in_use) {
  const int n = 64;
  float *device;
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaMallocAsync(&device, n * sizeof(float), a);
  cudaMemsetAsync(device, 0, n * sizeof(float), a);
  cudaEvent_t ready, done;
  cudaEventCreate(&ready);
  cudaEventCreate(&done);
  cudaEventRecord(ready, a);
  cudaStreamWaitEvent(b, ready, 0);
  twice<<<1, n, 0, b>>>(device, n);  // BUG race freed_while_in_use
  cudaEventRecord(done, b);
  if (!bug) cudaStreamWaitEvent(a, done, 0);
  cudaFreeAsync(device, a);  // BUG race freed_while_in_use
  cudaDeviceSynchronize();
  cudaEventDestroy(ready);
  cudaEventDestroy(done);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}
CASE(event_before_kernel) {
  const int n = 64;
  Up<float> x(std::vector<float>(n, 1));
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEvent_t done;
  cudaEventCreate(&done);
  cudaDeviceSynchronize();
  if (bug) cudaEventRecord(done, a);
  twice<<<1, n, 0, a>>>(x, n);  // BUG race event_before_kernel
  if (!bug) cudaEventRecord(done, a);
  cudaStreamWaitEvent(b, done, 0);
  twice<<<1, n, 0, b>>>(x, n);  // BUG race event_before_kernel
  cudaDeviceSynchronize();
  EXPECT(down<float>(x, n)[9] == 4);
  cudaEventDestroy(done);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}
// ---- managed memory
struct Node {
  int value;
  Node *next;
};
__global__ void sum_list(const Node *list, int *sum) {
  int total = 0;
  for (const Node *node = list; node; node = node->next) total += node->value;  // BUG memory node_of_the_host
  *sum = total;
}
CASE(node_of_the_host) {
  Node *nodes[3];
  for (auto &node : nodes) cudaMallocManaged(&node, sizeof(Node));
  Node *other = new Node{3, nullptr};
  *nodes[0] = {1, nodes[1]};
  *nodes[1] = {2, bug ? other : nodes[2]};
  *nodes[2] = {3, nullptr};
  int *sum;
  cudaMallocManaged(&sum, sizeof(int));
  sum_list<<<1, 1>>>(nodes[0], sum);
  cudaDeviceSynchronize();
  EXPECT(*sum == 6);
  delete other;
  for (auto node : nodes) cudaFree(node);
  cudaFree(sum);
}
CASE(managed_between_steps) {
  float *x;
  cudaMallocManaged(&x, 64 * sizeof(float));
  std::fill(x, x + 64, 1.0f);
  float most = 0;
  for (int step = 0; step < 3; ++step) {
    twice<<<1, 64>>>(x, 64);  // BUG race managed_between_steps
    if (!bug) cudaDeviceSynchronize();
    if (x[5] > most) most = x[5];  // BUG race managed_between_steps
  }
  cudaDeviceSynchronize();
  EXPECT(most == 8);
  cudaFree(x);
}
struct Image {
  int w, h;
  float *pixels;
};
__global__ void brighten(const Image *image) {
  const int i = threadIdx.x;
  if (i < image->w * image->h) image->pixels[i] += 1;  // BUG memory struct_on_host pixels_on_host
}
CASE(struct_on_host) {
  Image host{8, 4, nullptr}, *device;
  cudaMalloc(&host.pixels, 32 * sizeof(float));
  cudaMemset(host.pixels, 0, 32 * sizeof(float));
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
  brighten<<<1, 32>>>(bug ? &host : device);
  EXPECT(down<float>(host.pixels, 32)[31] == 1);
  cudaFree(host.pixels);
  cudaFree(device);
}
CASE(pixels_on_host) {
  std::vector<float> pixels(32);
  Buffer<float> copied(32);
  Image host{8, 4, bug ? pixels.data() : copied}, *device;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
  brighten<<<1, 32>>>(device);
  cudaFree(device);
}
__global__ void fill_rows(float **rows, int w) {
  rows[blockIdx.x][threadIdx.x] = w;  // BUG memory rows_of_the_host
}
CASE(rows_of_the_host) {
  float *rows[4], **device;
  for (auto &row : rows) cudaMalloc(&row, 16 * sizeof(float));
  cudaMalloc(&device, sizeof rows);
  cudaMemcpy(device, rows, sizeof rows, cudaMemcpyHostToDevice);
  fill_rows<<<4, 16>>>(bug ? rows : device, 3);
  EXPECT(down<float>(rows[3], 16)[15] == 3);
  for (auto row : rows) cudaFree(row);
  cudaFree(device);
}
// ---- sizes and arguments
__global__ void root(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = sqrtf(x[i]);  // BUG uninitialised size_of_pointer
}
CASE(bytes_forgotten) {
  float *x;
  cudaMalloc(&x, bug ? 64 : 64 * sizeof(float));
  twice<<<1, 64>>>(x, 0);
  std::vector<float> host(64, 1);
  cudaMemcpy(x, host.data(), 64 * sizeof(float), cudaMemcpyHostToDevice);  // BUG error bytes_forgotten
  cudaFree(x);
}
CASE(size_of_pointer) {
  std::vector<float> host(64, 1);
  float *x;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMemcpy(x, host.data(), bug ? sizeof(x) : 64 * sizeof(float), cudaMemcpyHostToDevice);
  root<<<1, 64>>>(x, 64);
  cudaFree(x);
}
// ---- graphs
__global__ void next(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;  // BUG memory graph_of_freed_buffer
}
CASE(graph_of_freed_buffer) {
  float *x;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMemset(x, 0, 64 * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  next<<<1, 64, 0, stream>>>(x, 64);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  if (bug) cudaFree(x);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  if (!bug) cudaFree(x);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
CASE(branches_of_a_capture) {
  Up<float> x(std::vector<float>(64, 1));
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaDeviceSynchronize();
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);
  twice<<<1, 32, 0, a>>>(x, 32);  // BUG race branches_of_a_capture
  twice<<<1, 32, 0, b>>>(bug ? x + 16 : x + 32, 32);  // BUG race branches_of_a_capture
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, a);
  cudaStreamSynchronize(a);
  EXPECT(down<float>(x, 64)[63] == 2);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
