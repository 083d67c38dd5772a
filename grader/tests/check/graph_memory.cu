// Memory that a graph allocates for itself.
#include "case.cuh"

template <int kWho>
__global__ void add(int *to, const int *from) {
  if constexpr (kWho == 0) to[threadIdx.x] += from[threadIdx.x];
  if constexpr (kWho == 1) to[threadIdx.x] += from[threadIdx.x];  // BUG memory before_its_launch
  if constexpr (kWho == 2) to[threadIdx.x] += from[threadIdx.x];  // BUG memory freed_by_a_node
  if constexpr (kWho == 3) to[threadIdx.x] += from[threadIdx.x];  // BUG uninitialised of_last_time
  if constexpr (kWho == 4) to[threadIdx.x] += from[threadIdx.x];  // BUG race in_another_stream
}
__global__ void fill(int *data) { data[threadIdx.x] = 1; }

struct Graph {
  Graph() {
    cudaMalloc(&out, 64);
    cudaMemset(out, 0, 64);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&own, 64, stream);  // BUG leak never_freed
  }
  void instantiate(bool frees, unsigned flags = 0) {
    cudaGraph_t graph;
    if (frees) cudaFreeAsync(own, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, flags);
    cudaGraphDestroy(graph);
  }
  ~Graph() {
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaStreamDestroy(stream);
    cudaFree(out);
  }
  cudaStream_t stream;
  cudaGraphExec_t executable;
  int *out, *own;
};

CASE(before_its_launch) {
  Graph graph;
  fill<<<1, 16, 0, graph.stream>>>(graph.own);
  graph.instantiate(false);
  if (!bug) cudaGraphLaunch(graph.executable, graph.stream);
  add<1><<<1, 16, 0, graph.stream>>>(graph.out, graph.own);
  if (!bug) cudaFreeAsync(graph.own, graph.stream);
}
CASE(freed_by_a_node) {
  Graph graph;
  fill<<<1, 16, 0, graph.stream>>>(graph.own);
  graph.instantiate(bug);
  cudaGraphLaunch(graph.executable, graph.stream);
  add<2><<<1, 16, 0, graph.stream>>>(graph.out, graph.own);
  if (!bug) cudaFreeAsync(graph.own, graph.stream);
}
CASE(of_last_time) {
  Graph graph;
  if (!bug) fill<<<1, 16, 0, graph.stream>>>(graph.own);
  add<3><<<1, 16, 0, graph.stream>>>(graph.out, graph.own);
  fill<<<1, 16, 0, graph.stream>>>(graph.own);
  graph.instantiate(true);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(graph.executable, graph.stream);
}
CASE(in_another_stream) {
  Graph graph;
  cudaStream_t other;
  cudaStreamCreate(&other);
  fill<<<1, 16, 0, graph.stream>>>(graph.own);
  graph.instantiate(false);
  cudaGraphLaunch(graph.executable, graph.stream);
  if (!bug) cudaStreamSynchronize(graph.stream);
  add<4><<<1, 16, 0, other>>>(graph.out, graph.own);
  cudaStreamSynchronize(other);
  cudaStreamSynchronize(graph.stream);
  cudaFree(graph.own);
  cudaStreamDestroy(other);
}
CASE(launched_before_it_is_free) {
  Graph graph;
  fill<<<1, 16, 0, graph.stream>>>(graph.own);
  graph.instantiate(false, bug ? 0 : cudaGraphInstantiateFlagAutoFreeOnLaunch);
  cudaGraphLaunch(graph.executable, graph.stream);
  cudaGraphLaunch(graph.executable, graph.stream);  // BUG error launched_before_it_is_free
  cudaFreeAsync(graph.own, graph.stream);
}
CASE(never_freed) {
  Graph graph;
  fill<<<1, 16, 0, graph.stream>>>(graph.own);
  graph.instantiate(!bug);
  cudaGraphLaunch(graph.executable, graph.stream);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
