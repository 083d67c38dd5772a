// Graphs by capture and node by node: captured work runs later, with the arguments of the capture.
#include <vector>

#include "expect.cuh"

__global__ void add(int *values, int amount) { values[threadIdx.x] += amount; }

int host_calls = 0;
void count_call(void *counter) { ++*static_cast<int *>(counter); }

void check_capture() {
  int *device, host[4] = {1, 2, 3, 4}, back[4] = {};
  cudaMalloc(&device, sizeof host);
  cudaStream_t stream, other;
  cudaEvent_t fork, join;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  cudaStreamCaptureStatus status;
  EXPECT(cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status == cudaStreamCaptureStatusActive);
  EXPECT(cudaMemcpyAsync(device, host, sizeof host, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  int amount = 10;
  add<<<1, 4, 0, stream>>>(device, amount);
  amount = 1000;  // captured by value
  EXPECT(cudaEventRecord(fork, stream) == cudaSuccess);
  EXPECT(cudaStreamWaitEvent(other, fork, 0) == cudaSuccess);
  add<<<1, 2, 0, other>>>(device, 100);
  EXPECT(cudaEventRecord(join, other) == cudaSuccess);
  EXPECT(cudaStreamWaitEvent(stream, join, 0) == cudaSuccess);
  EXPECT(cudaMemcpyAsync(back, device, sizeof back, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  EXPECT(cudaLaunchHostFunc(stream, count_call, &host_calls) == cudaSuccess);
  cudaGraph_t graph;
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  EXPECT(back[0] == 0 && host_calls == 0);  // nothing has run
  size_t nodes = 0;
  EXPECT(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 5);
  cudaGraphExec_t executable;
  EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0) == cudaSuccess);
  for (int i = 0; i < 3; ++i) EXPECT(cudaGraphLaunch(executable, stream) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
  EXPECT(back[0] == 111 && back[1] == 112 && back[2] == 13 && back[3] == 14 && host_calls == 3);
  EXPECT(cudaGraphExecDestroy(executable) == cudaSuccess);
  EXPECT(cudaGraphDestroy(graph) == cudaSuccess);
  cudaFree(device);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
}

void check_misuse() {
  cudaStream_t stream;
  cudaGraph_t graph = nullptr;
  cudaStreamCreate(&stream);
  EXPECT(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) ==
         cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
  cudaGetLastError();
  cudaStreamDestroy(stream);
}

void check_nodes() {
  int *device, back[4] = {}, amount = 5;
  cudaMalloc(&device, sizeof back);
  cudaGraph_t graph;
  EXPECT(cudaGraphCreate(&graph, 0) == cudaSuccess);
  cudaMemsetParams fill{};
  fill.dst = device;
  fill.value = 7;
  fill.elementSize = 4;
  fill.width = 4;
  fill.height = 1;
  cudaGraphNode_t filled, added, copied;
  EXPECT(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill) == cudaSuccess);
  void *arguments[] = {&device, &amount};
  cudaKernelNodeParams kernel{};
  kernel.func = (void *)add;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(4);
  kernel.kernelParams = arguments;
  EXPECT(cudaGraphAddKernelNode(&added, graph, &filled, 1, &kernel) == cudaSuccess);
  EXPECT(cudaGraphAddMemcpyNode1D(&copied, graph, &added, 1, back, device, sizeof back,
                                  cudaMemcpyDeviceToHost) == cudaSuccess);
  cudaGraphExec_t executable;
  EXPECT(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  EXPECT(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  cudaDeviceSynchronize();
  EXPECT(back[0] == 12 && back[3] == 12);
  amount = 30;
  EXPECT(cudaGraphExecKernelNodeSetParams(executable, added, &kernel) == cudaSuccess);
  EXPECT(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  cudaDeviceSynchronize();
  EXPECT(back[1] == 37);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaFree(device);
}

// A node that was added first runs after one that was added later, when an edge says so.
void check_edges() {
  int *device, back = 0;
  cudaMalloc(&device, sizeof back);
  cudaMemset(device, 0, sizeof back);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaMemsetParams fill{};
  fill.dst = device;
  fill.value = 7;
  fill.elementSize = 4;
  fill.width = fill.height = 1;
  cudaGraphNode_t copied, filled;
  EXPECT(cudaGraphAddMemcpyNode1D(&copied, graph, nullptr, 0, &back, device, sizeof back,
                                  cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill) == cudaSuccess);
  EXPECT(cudaGraphAddDependencies(graph, &filled, &copied, nullptr, 1) == cudaSuccess);
  EXPECT(cudaGraphAddDependencies(graph, &filled, &filled, nullptr, 1) == cudaErrorInvalidValue);
  cudaGraphExec_t executable;
  EXPECT(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  EXPECT(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  cudaDeviceSynchronize();
  EXPECT(back == 7);
  cudaGraphExecDestroy(executable);
  EXPECT(cudaGraphAddDependencies(graph, &copied, &filled, nullptr, 1) == cudaSuccess);
  EXPECT(cudaGraphInstantiate(&executable, graph, 0) == cudaErrorInvalidValue);  // a circle
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  cudaGraphDestroy(graph);
  cudaFree(device);
}

// Two pairs of nodes: each second one writes what it is told after the first of its pair.
struct Pairs {
  Pairs(int *device, unsigned first_value, bool both_after_first) {
    cudaGraphCreate(&graph, 0);
    for (int i = 0; i < 2; ++i) cudaGraphAddEmptyNode(&begins[i], graph, nullptr, 0);
    for (unsigned i = 0; i < 2; ++i) {
      cudaMemsetParams fill{};
      fill.dst = device + i;
      fill.value = first_value + i;
      fill.elementSize = 4;
      fill.width = fill.height = 1;
      cudaGraphAddMemsetNode(&ends[i], graph, &begins[both_after_first ? 0 : i], 1, &fill);
    }
  }
  ~Pairs() { cudaGraphDestroy(graph); }
  cudaGraph_t graph;
  cudaGraphNode_t begins[2], ends[2];
};

// An executable graph takes new parameters, but no other edges, however many a node has.
void check_updates() {
  int *device, back[2];
  cudaMalloc(&device, sizeof back);
  const Pairs pairs(device, 1, false), same(device, 5, false), crossed(device, 7, true);
  cudaGraphExec_t executable;
  EXPECT(cudaGraphInstantiate(&executable, pairs.graph, 0) == cudaSuccess);
  cudaGraphExecUpdateResultInfo info;
  EXPECT(cudaGraphExecUpdate(executable, same.graph, &info) == cudaSuccess);
  EXPECT(info.result == cudaGraphExecUpdateSuccess && !info.errorNode && !info.errorFromNode);
  EXPECT(cudaGraphExecUpdate(executable, crossed.graph, &info) == cudaErrorGraphExecUpdateFailure);
  EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  cudaGetLastError();
  cudaGraphNode_t extra;
  EXPECT(cudaGraphAddEmptyNode(&extra, same.graph, nullptr, 0) == cudaSuccess);
  EXPECT(cudaGraphExecUpdate(executable, same.graph, &info) == cudaErrorGraphExecUpdateFailure);
  EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged && !info.errorNode);
  EXPECT(cudaGetLastError() == cudaErrorGraphExecUpdateFailure);
  EXPECT(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost);
  EXPECT(back[0] == 5 && back[1] == 6);
  cudaKernelNodeParams kernel{};
  int amount = 1;
  void *arguments[] = {&device, &amount};
  kernel.func = (void *)add;
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  EXPECT(cudaGraphExecKernelNodeSetParams(executable, extra, &kernel) == cudaErrorInvalidValue);
  cudaGetLastError();
  cudaGraphExecDestroy(executable);
  cudaFree(device);
}

// The thread's default stream can be captured, and another stream can join it.
void check_per_thread() {
  int *device, back = 0;
  cudaMalloc(&device, sizeof back);
  cudaMemset(device, 0, sizeof back);
  cudaStream_t side;
  cudaEvent_t fork, join;
  cudaStreamCreate(&side);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  EXPECT(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal) ==
         cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal) == cudaSuccess);
  add<<<1, 1, 0, cudaStreamPerThread>>>(device, 2);
  EXPECT(cudaEventRecord(fork, cudaStreamPerThread) == cudaSuccess);
  EXPECT(cudaStreamWaitEvent(side, fork, 0) == cudaSuccess);
  add<<<1, 1, 0, side>>>(device, 3);
  EXPECT(cudaEventRecord(join, side) == cudaSuccess);
  EXPECT(cudaStreamWaitEvent(cudaStreamPerThread, join, 0) == cudaSuccess);
  cudaGraph_t graph;
  EXPECT(cudaStreamEndCapture(cudaStreamPerThread, &graph) == cudaSuccess);
  cudaGraphExec_t executable;
  EXPECT(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  EXPECT(cudaGraphLaunch(executable, cudaStreamPerThread) == cudaSuccess);
  add<<<1, 1, 0, cudaStreamPerThread>>>(device, 4);  // the capture is over
  EXPECT(cudaMemcpy(&back, device, sizeof back, cudaMemcpyDeviceToHost) == cudaSuccess && back == 9);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(side);
  cudaFree(device);
}

__global__ void copy(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }

// A graph that copies 7 through memory of its own; `frees` it, or not.
cudaGraph_t graph_with_memory(cudaStream_t stream, int *out, int **memory, bool frees) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  EXPECT(cudaMallocAsync(memory, 16, stream) == cudaSuccess && *memory);
  EXPECT(cudaMemsetAsync(*memory, 7, 16, stream) == cudaSuccess);
  copy<<<1, 4, 0, stream>>>(out, *memory);
  if (frees) {
    EXPECT(cudaFreeAsync(*memory, stream) == cudaSuccess);
    EXPECT(cudaFreeAsync(*memory, stream) == cudaErrorInvalidValue);  // twice
  }
  EXPECT(cudaFreeAsync(out, stream) == cudaErrorInvalidValue);  // no graph has allocated it
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  return graph;
}

void check_memory_of_a_graph() {
  int *out, *memory, back[4] = {};
  cudaMalloc(&out, sizeof back);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph = graph_with_memory(stream, out, &memory, true), other;
  cudaGraphExec_t executable, second;
  const auto read = [&](const int *from) {
    return cudaMemcpy(back, from, sizeof back, cudaMemcpyDeviceToHost);
  };
  EXPECT(read(memory) == cudaErrorInvalidValue);  // an address, and no memory yet
  EXPECT(cudaFree(memory) == cudaErrorInvalidValue);
  EXPECT(cudaGraphClone(&other, graph) == cudaErrorNotSupported);
  EXPECT(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  EXPECT(cudaGraphInstantiate(&second, graph, 0) == cudaErrorInvalidValue);  // one at a time
  for (int i = 0; i < 2; ++i) EXPECT(cudaGraphLaunch(executable, stream) == cudaSuccess);
  EXPECT(read(out) == cudaSuccess && back[3] == 0x07070707);
  EXPECT(read(memory) == cudaErrorInvalidValue);  // no memory any more
  cudaGraphExecDestroy(executable);
  EXPECT(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);

  graph = graph_with_memory(stream, out, &memory, false);
  EXPECT(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  EXPECT(cudaGraphLaunch(executable, stream) == cudaSuccess);
  EXPECT(cudaGraphLaunch(executable, stream) == cudaErrorInvalidValue);  // it is not free
  EXPECT(read(memory) == cudaSuccess && back[0] == 0x07070707);
  EXPECT(cudaFreeAsync(memory, stream) == cudaSuccess);
  EXPECT(cudaGraphLaunch(executable, stream) == cudaSuccess);
  cudaGraphExecDestroy(executable);
  EXPECT(cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch) ==
         cudaSuccess);
  for (int i = 0; i < 2; ++i) EXPECT(cudaGraphLaunch(executable, stream) == cudaSuccess);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  EXPECT(read(memory) == cudaSuccess && back[0] == 0x07070707);  // nobody has freed it
  EXPECT(cudaFree(memory) == cudaSuccess && cudaFree(memory) == cudaErrorInvalidValue);
  cudaGetLastError();
  cudaStreamDestroy(stream);
  cudaFree(out);
}

void check_memory_nodes() {
  int *out, back[4] = {};
  cudaMalloc(&out, sizeof back);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams wanted{}, asked{};
  cudaGraphNode_t allocation, filling, release;
  EXPECT(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &wanted) ==
         cudaErrorInvalidValue);
  wanted.poolProps.allocType = cudaMemAllocationTypePinned;
  wanted.poolProps.location.type = cudaMemLocationTypeDevice;
  wanted.bytesize = sizeof back;
  EXPECT(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &wanted) == cudaSuccess);
  cudaGraphNodeType type;
  EXPECT(cudaGraphNodeGetType(allocation, &type) == cudaSuccess &&
         type == cudaGraphNodeTypeMemAlloc);
  EXPECT(cudaGraphMemAllocNodeGetParams(allocation, &asked) == cudaSuccess);
  EXPECT(asked.dptr == wanted.dptr && asked.bytesize == sizeof back);
  int *memory = static_cast<int *>(wanted.dptr);
  void *parameters[] = {&memory};
  EXPECT(cudaGraphAddMemcpyNode1D(&filling, graph, &allocation, 1, out, memory, sizeof back,
                                  cudaMemcpyDeviceToDevice) == cudaSuccess);
  EXPECT(cudaGraphAddMemFreeNode(&release, graph, &filling, 1, out) == cudaErrorInvalidValue);
  EXPECT(cudaGraphAddMemFreeNode(&release, graph, &filling, 1, memory) == cudaSuccess);
  EXPECT(cudaGraphMemFreeNodeGetParams(release, parameters) == cudaSuccess &&
         parameters[0] == memory);
  cudaGraphExec_t executable;
  EXPECT(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  EXPECT(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  cudaGraph_t outer;
  cudaGraphCreate(&outer, 0);
  EXPECT(cudaGraphAddChildGraphNode(&filling, outer, nullptr, 0, graph) == cudaErrorNotSupported);
  EXPECT(cudaDeviceGraphMemTrim(0) == cudaSuccess);
  EXPECT(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(back[0] == -1);  // what an earlier launch has left there is gone
  cudaGetLastError();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaGraphDestroy(outer);
  cudaFree(out);
}

int main() {
  check_capture();
  check_memory_of_a_graph();
  check_memory_nodes();
  check_per_thread();
  check_misuse();
  check_nodes();
  check_edges();
  check_updates();
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  return failures() != 0;
}
