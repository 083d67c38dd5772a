// Streams, events and graphs once more: what was never recorded, default streams, updates of graphs.
#include "case.cuh"

#include <thread>

__global__ void fill(int *data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;  // BUG memory updated_to_fewer node_set_after_an_update
}
__global__ void add(const int *a, const int *b, int *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];  // BUG race urgent_is_not_first join_of_two_is_one
}
struct Stream {
  explicit Stream(unsigned flags = cudaStreamDefault, int priority = 0) {
    cudaStreamCreateWithPriority(&handle, flags, priority);
  }
  ~Stream() { cudaStreamDestroy(handle); }
  operator cudaStream_t() const { return handle; }
  cudaStream_t handle;
};
struct Event {
  Event() { cudaEventCreateWithFlags(&handle, cudaEventDisableTiming); }
  ~Event() { cudaEventDestroy(handle); }
  operator cudaEvent_t() const { return handle; }
  cudaEvent_t handle;
};
CASE(event_never_recorded) {
  Stream one, two;
  Event filled;
  Buffer<int> data(64), copy(64);
  cudaDeviceSynchronize();
  fill<<<1, 64, 0, one>>>(data, 64, 3);  // BUG race event_never_recorded
  if (!bug) cudaEventRecord(filled, one);
  cudaStreamWaitEvent(two, filled, 0);
  cudaMemcpyAsync(copy, data, 256, cudaMemcpyDeviceToDevice, two);  // BUG race event_never_recorded
  cudaStreamSynchronize(two);
  EXPECT(down<int>(copy, 64)[63] == 3);
}
CASE(waits_for_the_first_record) {
  Stream one, two;
  Event done;
  Buffer<int> data(64), copy(64);
  cudaDeviceSynchronize();
  fill<<<1, 64, 0, one>>>(data, 64, 1);
  cudaEventRecord(done, one);
  if (bug) cudaStreamWaitEvent(two, done, 0);
  fill<<<1, 64, 0, one>>>(data, 64, 2);  // BUG race waits_for_the_first_record
  cudaEventRecord(done, one);
  if (!bug) cudaStreamWaitEvent(two, done, 0);
  cudaMemcpyAsync(copy, data, 256, cudaMemcpyDeviceToDevice, two);  // BUG race waits_for_the_first_record
  cudaStreamSynchronize(two);
  cudaStreamSynchronize(one);
}
CASE(per_thread_and_non_blocking) {
  Stream one(cudaStreamNonBlocking);
  Buffer<int> data(64);
  cudaDeviceSynchronize();
  fill<<<1, 64, 0, cudaStreamPerThread>>>(data, 64, 1);  // BUG race per_thread_and_non_blocking
  if (!bug) cudaStreamSynchronize(cudaStreamPerThread);
  fill<<<1, 64, 0, one>>>(data, 64, 2);
  cudaDeviceSynchronize();
}
CASE(quiet_per_thread_and_legacy) {
  Buffer<int> data(64);
  fill<<<1, 64, 0, cudaStreamPerThread>>>(data, 64, 1);
  fill<<<1, 64, 0, cudaStreamLegacy>>>(data, 64, 2);
  fill<<<1, 64, 0, cudaStreamPerThread>>>(data, 64, 3);
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT(down<int>(data, 64)[0] == 3);
}
CASE(urgent_is_not_first) {
  int least, greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  Stream slow(cudaStreamNonBlocking, least), urgent(cudaStreamNonBlocking, greatest);
  Event ready;
  Buffer<int> data(64), sum(64);
  cudaDeviceSynchronize();
  fill<<<1, 64, 0, urgent>>>(data, 64, 4);  // BUG race urgent_is_not_first
  cudaEventRecord(ready, urgent);
  if (!bug) cudaStreamWaitEvent(slow, ready, 0);
  add<<<1, 64, 0, slow>>>(data, data, sum, 64);
  cudaDeviceSynchronize();
}
CASE(source_changed_meanwhile) {
  Stream copies, kernels;
  Event copied;
  Buffer<int> data(64);
  int *host;
  cudaMallocHost(&host, 256);
  cudaDeviceSynchronize();
  cudaMemcpyAsync(host, data, 256, cudaMemcpyDeviceToHost, copies);  // BUG race source_changed_meanwhile
  cudaEventRecord(copied, copies);
  if (!bug) cudaStreamWaitEvent(kernels, copied, 0);
  fill<<<1, 64, 0, kernels>>>(data, 64, 5);  // BUG race source_changed_meanwhile
  cudaDeviceSynchronize();
  cudaFreeHost(host);
}
CASE(join_of_two_is_one) {
  Stream left, right, both;
  Event of_left, of_right;
  Buffer<int> a(64), b(64), sum(64);
  cudaDeviceSynchronize();
  fill<<<1, 64, 0, left>>>(a, 64, 1);
  cudaEventRecord(of_left, left);
  fill<<<1, 64, 0, right>>>(b, 64, 2);  // BUG race join_of_two_is_one
  cudaEventRecord(of_right, right);
  cudaStreamWaitEvent(both, of_left, 0);
  cudaStreamWaitEvent(both, bug ? of_left : of_right, 0);
  add<<<1, 64, 0, both>>>(a, b, sum, 64);
  cudaStreamSynchronize(both);
  EXPECT(down<int>(sum, 64)[9] == 3);
  cudaDeviceSynchronize();
}
CASE(destroyed_while_it_is_waited_for) {
  Stream one, two;
  Buffer<int> data(64);
  cudaEvent_t ready;
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  cudaDeviceSynchronize();
  fill<<<1, 64, 0, one>>>(data, 64, 1);
  cudaEventRecord(ready, one);
  if (bug) cudaEventDestroy(ready);
  cudaStreamWaitEvent(two, ready, 0);  // BUG error destroyed_while_it_is_waited_for
  if (!bug) cudaEventDestroy(ready);
  if (!bug) fill<<<1, 64, 0, two>>>(data, 64, 2);
  cudaDeviceSynchronize();
}
CASE(copy_to_the_stack_of_a_helper) {
  Stream stream;
  Buffer<int> data(1);
  int result = 0, *pinned;
  cudaMallocHost(&pinned, 4);
  cudaMemcpyAsync(bug ? &result : pinned, data, 4, cudaMemcpyDeviceToHost, stream);
  if (!bug) cudaStreamSynchronize(stream);
  result += bug ? 1 : *pinned;  // BUG warning copy_to_the_stack_of_a_helper
  cudaStreamSynchronize(stream);
  cudaFreeHost(pinned);
}

// ---- graphs
struct Graph {
  Graph() { cudaGraphCreate(&graph, 0); }
  ~Graph() {
    if (ready) cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
  }
  void make() { cudaGraphInstantiate(&ready, graph, 0); }
  cudaGraph_t graph;
  cudaGraphExec_t ready = nullptr;
};
struct Filled {
  Filled(int *data, int n, int value) : data_(data), n_(n), value_(value) {}
  cudaKernelNodeParams parameters() {
    cudaKernelNodeParams made = {};
    made.func = reinterpret_cast<void *>(fill);
    made.gridDim = dim3(1);
    made.blockDim = dim3(64);
    made.kernelParams = arguments_;
    return made;
  }

 private:
  int *data_;
  int n_, value_;
  void *arguments_[3] = {&data_, &n_, &value_};
};
CASE(updated_to_fewer) {
  Buffer<int> large(64), small(32);
  Graph graph;
  cudaGraphNode_t node;
  Filled first(large, 64, 1), second(small, bug ? 64 : 32, 2);
  cudaKernelNodeParams parameters = first.parameters();
  cudaGraphAddKernelNode(&node, graph.graph, nullptr, 0, &parameters);
  graph.make();
  cudaGraphLaunch(graph.ready, 0);
  parameters = second.parameters();
  cudaGraphExecKernelNodeSetParams(graph.ready, node, &parameters);
  cudaGraphLaunch(graph.ready, 0);
  cudaDeviceSynchronize();
  EXPECT(down<int>(small, 32)[31] == 2);
}
CASE(branches_without_edge) {
  Buffer<int> data(64);
  int *host;
  cudaMallocHost(&host, 256);
  Graph graph;
  cudaGraphNode_t filled, copied;
  Filled first(data, 64, 7);
  const cudaKernelNodeParams parameters = first.parameters();
  cudaGraphAddKernelNode(&filled, graph.graph, nullptr, 0, &parameters);
  cudaGraphAddMemcpyNode1D(&copied, graph.graph, bug ? nullptr : &filled, bug ? 0 : 1, host, data, 256, cudaMemcpyDeviceToHost);  // BUG race branches_without_edge
  graph.make();
  cudaGraphLaunch(graph.ready, 0);
  cudaDeviceSynchronize();
  EXPECT(host[63] == 7);
  cudaFreeHost(host);
}
CASE(child_graph_without_edge) {
  Buffer<int> data(64);
  Graph child, graph;
  Filled first(data, 64, 1), second(data, 64, 2);
  cudaGraphNode_t inner, outer, after;
  cudaKernelNodeParams parameters = first.parameters();
  cudaGraphAddKernelNode(&inner, child.graph, nullptr, 0, &parameters);
  cudaGraphAddChildGraphNode(&outer, graph.graph, nullptr, 0, child.graph);
  parameters = second.parameters();
  cudaGraphAddKernelNode(&after, graph.graph, bug ? nullptr : &outer, bug ? 0 : 1, &parameters);  // BUG race child_graph_without_edge
  graph.make();
  cudaGraphLaunch(graph.ready, 0);
  cudaDeviceSynchronize();
}
CASE(update_of_another_shape) {
  Buffer<int> data(64);
  Graph one, other;
  Filled first(data, 64, 1);
  cudaGraphNode_t node, second;
  const cudaKernelNodeParams parameters = first.parameters();
  cudaGraphAddKernelNode(&node, one.graph, nullptr, 0, &parameters);
  one.make();
  cudaGraphAddKernelNode(&node, other.graph, nullptr, 0, &parameters);
  if (bug) cudaGraphAddKernelNode(&second, other.graph, &node, 1, &parameters);
  cudaGraphExecUpdateResultInfo info;
  cudaGraphExecUpdate(one.ready, other.graph, &info);  // BUG error update_of_another_shape
  cudaGraphLaunch(one.ready, 0);
  cudaDeviceSynchronize();
}
CASE(update_to_another_kind_of_node) {
  Buffer<int> data(64);
  Graph one, other;
  Filled first(data, 64, 1), second(data, 64, 2);
  cudaGraphNode_t node;
  cudaKernelNodeParams parameters = first.parameters();
  cudaGraphAddKernelNode(&node, one.graph, nullptr, 0, &parameters);
  one.make();
  parameters = second.parameters();
  if (bug) cudaGraphAddEmptyNode(&node, other.graph, nullptr, 0);
  else cudaGraphAddKernelNode(&node, other.graph, nullptr, 0, &parameters);
  cudaGraphExecUpdateResultInfo info;
  cudaGraphExecUpdate(one.ready, other.graph, &info);  // BUG error update_to_another_kind_of_node
  cudaGraphLaunch(one.ready, 0);
  EXPECT(down<int>(data, 64)[0] == 2);
}
CASE(edges_of_an_update_cross) {
  Buffer<int> data(64);
  Graph one, other;
  Filled first(data, 32, 1), second(data, 64, 2);
  cudaGraphNode_t begins[2], node;
  for (Graph *graph : {&one, &other}) {
    for (cudaGraphNode_t &begin : begins) cudaGraphAddEmptyNode(&begin, graph->graph, nullptr, 0);
    cudaKernelNodeParams parameters = first.parameters();
    cudaGraphAddKernelNode(&node, graph->graph, &begins[0], 1, &parameters);
    parameters = second.parameters();
    cudaGraphNode_t after = bug && graph == &other ? begins[1] : node;
    cudaGraphAddKernelNode(&node, graph->graph, &after, 1, &parameters);
  }
  one.make();
  cudaGraphExecUpdateResultInfo info;
  cudaGraphExecUpdate(one.ready, other.graph, &info);  // BUG error edges_of_an_update_cross
  cudaGraphLaunch(one.ready, 0);
  EXPECT(down<int>(data, 64)[31] == 2);
}
CASE(node_set_after_an_update) {
  Buffer<int> data(64), shorter(32);
  Graph one, other;
  Filled first(data, 64, 1), second(data, 64, 2), third(bug ? shorter : data, 64, 3);
  cudaGraphNode_t node, unused;
  cudaKernelNodeParams parameters = first.parameters();
  cudaGraphAddKernelNode(&node, one.graph, nullptr, 0, &parameters);
  one.make();
  parameters = second.parameters();
  cudaGraphAddKernelNode(&unused, other.graph, nullptr, 0, &parameters);
  cudaGraphExecUpdateResultInfo info;
  cudaGraphExecUpdate(one.ready, other.graph, &info);
  parameters = third.parameters();
  cudaGraphExecKernelNodeSetParams(one.ready, node, &parameters);
  cudaGraphLaunch(one.ready, 0);
  EXPECT(down<int>(data, 64)[63] == 3);
}
CASE(host_node_reads_early) {
  Buffer<int> data(64);
  static int *host;
  static int sum;
  cudaMallocHost(&host, 256);
  Graph graph;
  cudaGraphNode_t copied, summed;
  cudaHostNodeParams summing = {};
  summing.fn = [](void *) {
    sum = 0;
    for (int i = 0; i < 64; ++i) sum += host[i];  // BUG race host_node_reads_early
  };
  cudaGraphAddMemcpyNode1D(&copied, graph.graph, nullptr, 0, host, data, 256, cudaMemcpyDeviceToHost);  // BUG race host_node_reads_early
  cudaGraphAddHostNode(&summed, graph.graph, bug ? nullptr : &copied, bug ? 0 : 1, &summing);
  graph.make();
  cudaGraphLaunch(graph.ready, 0);
  cudaDeviceSynchronize();
  EXPECT(sum == 0);
  cudaFreeHost(host);
}
CASE(launched_while_captured_data_changes) {
  Stream stream(cudaStreamNonBlocking);
  Buffer<int> data(64);
  cudaDeviceSynchronize();
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  fill<<<1, 64, 0, stream>>>(data, 64, 1);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, stream);
  if (!bug) cudaStreamSynchronize(stream);
  cudaMemset(data, 0, 256);  // BUG race launched_while_captured_data_changes
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

// ---- graphs that cannot run
CASE(edges_in_a_circle) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t first, second;
  cudaGraphAddEmptyNode(&first, graph, nullptr, 0);
  cudaGraphAddEmptyNode(&second, graph, &first, 1);
  if (bug) cudaGraphAddDependencies(graph, &second, &first, nullptr, 1);
  cudaGraphExec_t ready = nullptr;
  cudaGraphInstantiate(&ready, graph, 0);  // BUG error edges_in_a_circle
  if (ready) cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

// ---- what a graph copies to, and what a kernel tells the host by a flag
CASE(graph_copies_to_a_freed_block) {
  Up<int> data(counting<int>(64));
  int *host = static_cast<int *>(std::malloc(256));
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  const auto down = cudaMemcpyDeviceToHost;
  cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, host, data.data, 256, down);  // BUG memory graph_copies_to_a_freed_block
  cudaGraphInstantiate(&made, graph, 0);
  if (bug) std::free(host);
  cudaGraphLaunch(made, nullptr);
  cudaDeviceSynchronize();
  if (!bug) std::free(host);
  cudaGraphExecDestroy(made);
  cudaGraphDestroy(graph);
}
__global__ void tells_the_host(int *data, volatile int *flag, bool bug) {
  data[0] = 42;  // BUG race fence_of_the_block_for_the_host
  if (bug) __threadfence_block();
  else __threadfence_system();
  *flag = 1;
}
CASE(fence_of_the_block_for_the_host) {
  int *host;
  cudaMallocHost(&host, 8);
  host[0] = host[1] = 0;
  tells_the_host<<<1, 1>>>(host, host + 1, bug);
  while (static_cast<volatile int *>(host)[1] == 0) {}
  const int got = host[0];  // BUG race fence_of_the_block_for_the_host
  cudaDeviceSynchronize();
  EXPECT(got == 42);
  cudaFreeHost(host);
}
__global__ void tells_progress(volatile int *done, int *out) {
  for (int i = 0; i < 4; ++i) {
    out[i] = i;
    *done = i + 1;
  }
}
CASE(quiet_the_flag_is_all_that_is_read) {
  (void)bug;
  int *done;
  cudaMallocManaged(&done, 4);
  *done = 0;
  Buffer<int> out(4);
  tells_progress<<<1, 1>>>(done, out);
  while (*static_cast<volatile int *>(done) < 4) {}
  cudaDeviceSynchronize();
  EXPECT(down<int>(out, 4)[3] == 3 && *done == 4);
  cudaFree(done);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
