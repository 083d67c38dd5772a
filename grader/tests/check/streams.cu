// Streams, events and graphs in forms that look ordered.
#include "case.cuh"

__global__ void fill(int *data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;  // BUG memory updated_to_a_freed_buffer
}
__global__ void add(const int *a, const int *b, int *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}
__constant__ int factor;
__device__ int total;
__global__ void scale(int *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
__global__ void set_total(int value) { total = value; }
struct Stream {
  Stream() { cudaStreamCreate(&stream); }
  ~Stream() { cudaStreamDestroy(stream); }
  operator cudaStream_t() const { return stream; }
  cudaStream_t stream;
};
struct Event {
  Event() { cudaEventCreate(&event); }
  ~Event() { cudaEventDestroy(event); }
  operator cudaEvent_t() const { return event; }
  cudaEvent_t event;
};

// ---- streams and events
CASE(symbol_in_another_stream) {
  Up<int> data(counting<int>(64));
  Stream one, two;
  static int three = 3;
  cudaMemcpyToSymbolAsync(factor, &three, sizeof three, 0, cudaMemcpyHostToDevice, one);  // BUG race symbol_in_another_stream
  if (!bug) cudaStreamSynchronize(one);
  scale<<<1, 64, 0, two>>>(data, 64);  // BUG race symbol_in_another_stream
  cudaDeviceSynchronize();
  EXPECT(down<int>(data, 64)[5] == 15);
}
CASE(symbol_read_early) {
  Stream stream;
  set_total<<<1, 1, 0, stream>>>(7);
  int *pinned;
  cudaMallocHost(&pinned, sizeof(int));
  cudaMemcpyFromSymbolAsync(pinned, total, sizeof(int), 0, cudaMemcpyDeviceToHost, stream);  // BUG race symbol_read_early
  if (!bug) cudaStreamSynchronize(stream);
  volatile int seen = *pinned;  // BUG race symbol_read_early
  EXPECT(seen == 7);
  cudaStreamSynchronize(stream);
  cudaFreeHost(pinned);
}
CASE(query_ignored) {
  Stream stream;
  Event event;
  int *pinned;
  cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocMapped);
  fill<<<1, 1, 0, stream>>>(pinned, 1, 5);  // BUG race query_ignored
  cudaEventRecord(event, stream);
  if (bug) cudaStreamQuery(0);
  else cudaEventSynchronize(event);
  volatile int seen = *pinned;  // BUG race query_ignored
  EXPECT(seen == 5);
  cudaStreamSynchronize(stream);
  cudaFreeHost(pinned);
}
CASE(stream_waits_host_does_not) {
  Stream one, two;
  Event event;
  int *pinned;
  cudaMallocHost(&pinned, 64 * sizeof(int));
  Buffer<int> data(64);
  fill<<<1, 64, 0, one>>>(data, 64, 6);
  cudaMemcpyAsync(pinned, data, 64 * sizeof(int), cudaMemcpyDeviceToHost, one);  // BUG race stream_waits_host_does_not
  cudaEventRecord(event, one);
  cudaStreamWaitEvent(two, event, 0);
  if (!bug) cudaEventSynchronize(event);
  volatile int seen = pinned[63];  // BUG race stream_waits_host_does_not
  EXPECT(seen == 6);
  cudaDeviceSynchronize();
  cudaFreeHost(pinned);
}
CASE(priority_is_no_order) {
  int least, greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStream_t urgent, later;
  cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest);
  cudaStreamCreateWithPriority(&later, cudaStreamNonBlocking, least);
  Buffer<int> a(64), sum(64);
  cudaDeviceSynchronize();
  fill<<<1, 64, 0, urgent>>>(a, 64, 2);  // BUG race priority_is_no_order
  if (!bug) cudaStreamSynchronize(urgent);
  add<<<1, 64, 0, later>>>(a, a, sum, 64);  // BUG race priority_is_no_order
  cudaDeviceSynchronize();
  EXPECT(down<int>(sum, 64)[9] == 4);
  cudaStreamDestroy(urgent);
  cudaStreamDestroy(later);
}
CASE(unregistered_early) {
  Stream stream;
  std::vector<int> host(64, 3);
  cudaHostRegister(host.data(), 64 * sizeof(int), cudaHostRegisterDefault);
  Buffer<int> data(64);
  fill<<<1, 64, 0, stream>>>(data, 64, 1);
  cudaMemcpyAsync(host.data(), data, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);  // BUG race unregistered_early
  if (!bug) cudaStreamSynchronize(stream);
  host[0] = 9;  // BUG race unregistered_early
  cudaStreamSynchronize(stream);
  cudaHostUnregister(host.data());
}
CASE(box_read_early) {
  Stream stream;
  int *pinned;
  cudaMallocHost(&pinned, 64 * sizeof(int));
  cudaExtent extent = make_cudaExtent(4 * sizeof(int), 4, 4);
  cudaPitchedPtr box;
  cudaMalloc3D(&box, extent);
  cudaMemset3D(box, 0, extent);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(pinned, 4 * sizeof(int), 4, 4);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3DAsync(&copy, stream);  // BUG race box_read_early
  if (!bug) cudaStreamSynchronize(stream);
  volatile int seen = pinned[63];  // BUG race box_read_early
  EXPECT(seen == 0);
  cudaStreamSynchronize(stream);
  cudaFree(box.ptr);
  cudaFreeHost(pinned);
}
// ---- graphs
CASE(fill_node_without_edge) {
  Buffer<int> data(64);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaMemsetParams zero = {};
  zero.dst = data.data;
  zero.elementSize = 4;
  zero.width = 64;
  zero.height = 1;
  cudaGraphNode_t first, second;
  cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &zero);  // BUG race fill_node_without_edge
  int n = 64, value = 3, *pointer = data;
  void *arguments[] = {&pointer, &n, &value};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(fill);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = arguments;
  cudaGraphAddKernelNode(&second, graph, &first, bug ? 0 : 1, &kernel);  // BUG race fill_node_without_edge
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, 0);
  cudaDeviceSynchronize();
  EXPECT(down<int>(data, 64)[3] == 3);
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}
CASE(two_graphs_in_two_streams) {
  Buffer<int> data(64);
  Stream one, two;
  cudaGraph_t graph;
  cudaGraphExec_t first, second;
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  fill<<<1, 64, 0, one>>>(data, 64, 4);  // BUG race two_graphs_in_two_streams
  cudaStreamEndCapture(one, &graph);
  cudaGraphInstantiate(&first, graph, 0);
  cudaGraphInstantiate(&second, graph, 0);
  cudaGraphLaunch(first, one);
  cudaGraphLaunch(second, bug ? two : one);
  cudaDeviceSynchronize();
  EXPECT(down<int>(data, 64)[3] == 4);
  cudaGraphExecDestroy(first);
  cudaGraphExecDestroy(second);
  cudaGraphDestroy(graph);
}
CASE(graph_beside_the_host) {
  Stream stream;
  int *managed;
  cudaMallocManaged(&managed, 64 * sizeof(int));
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<1, 64, 0, stream>>>(managed, 64, 4);  // BUG race graph_beside_the_host
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, stream);
  if (!bug) cudaStreamSynchronize(stream);
  volatile int seen = managed[5];  // BUG race graph_beside_the_host
  EXPECT(seen == 4);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaFree(managed);
}
CASE(updated_to_a_freed_buffer) {
  Buffer<int> data(64);
  int *other;
  cudaMalloc(&other, 64 * sizeof(int));
  if (bug) cudaFree(other);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  int n = 64, value = 3, *pointer = data;
  void *arguments[] = {&pointer, &n, &value};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(fill);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel);
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  pointer = other;
  cudaGraphExecKernelNodeSetParams(ready, node, &kernel);
  cudaGraphLaunch(ready, 0);
  cudaDeviceSynchronize();
  if (!bug) cudaFree(other);
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
