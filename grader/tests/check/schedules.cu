// Streams, events and graphs, as they are handed in.
#include "case.cuh"

struct Stream {
  Stream() { cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking); }
  ~Stream() { cudaStreamDestroy(handle); }
  Stream(const Stream &) = delete;
  operator cudaStream_t() const { return handle; }
  cudaStream_t handle = nullptr;
};
struct Event {
  Event() { cudaEventCreateWithFlags(&handle, cudaEventDisableTiming); }
  ~Event() { cudaEventDestroy(handle); }
  Event(const Event &) = delete;
  operator cudaEvent_t() const { return handle; }
  cudaEvent_t handle = nullptr;
};
template <class T>
struct Pinned {
  explicit Pinned(int count) {
    cudaMallocHost(reinterpret_cast<void **>(&data), count * sizeof(T));
    std::memset(data, 0, count * sizeof(T));
  }
  ~Pinned() { cudaFreeHost(data); }
  Pinned(const Pinned &) = delete;
  operator T *() const { return data; }
  T *data = nullptr;
};
constexpr int kCount = 64, kBytes = kCount * sizeof(float);
__global__ void add(float *data, float x) { data[threadIdx.x] += x; }  // BUG race two_buffers_three_chunks branches_of_a_diamond
__global__ void add_more(float *data, float x) { data[threadIdx.x] += x; }  // BUG memory block_of_a_node_is_larger
__global__ void join(const float *a, const float *b, float *out) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }  // BUG race joined_after_one_of_two join_waits_for_the_first_record

// ---- pipelines of copies and kernels
CASE(two_buffers_three_chunks) {
  Pinned<float> host(4 * kCount);
  Buffer<float> device(2 * kCount);
  Stream copies, kernels;
  Event filled[4], used[4];
  cudaDeviceSynchronize();
  for (int c = 0; c < 4; ++c) {
    float *mine = device + c % 2 * kCount;
    if (!bug && c >= 2) cudaStreamWaitEvent(copies, used[c - 2]);
    cudaMemcpyAsync(mine, host + c * kCount, kBytes, cudaMemcpyHostToDevice, copies);  // BUG race two_buffers_three_chunks
    cudaEventRecord(filled[c], copies);
    cudaStreamWaitEvent(kernels, filled[c]);
    add<<<1, kCount, 0, kernels>>>(mine, 1);
    cudaEventRecord(used[c], kernels);
  }
  cudaDeviceSynchronize();
}
CASE(joined_after_one_of_two) {
  Buffer<float> a(kCount), b(kCount), out(kCount);
  Stream one, two, three;
  Event a_ready, b_ready;
  cudaDeviceSynchronize();
  add<<<1, kCount, 0, one>>>(a, 1);
  cudaEventRecord(a_ready, one);
  cudaMemsetAsync(b, 0, kBytes, two);  // BUG race joined_after_one_of_two
  cudaEventRecord(b_ready, two);
  cudaStreamWaitEvent(three, a_ready);
  if (!bug) cudaStreamWaitEvent(three, b_ready);
  join<<<1, kCount, 0, three>>>(a, b, out);
  cudaDeviceSynchronize();
}
CASE(join_waits_for_the_first_record) {
  Buffer<float> a(kCount), b(kCount), out(kCount);
  Stream one, two;
  Event ready;
  cudaDeviceSynchronize();
  cudaEventRecord(ready, one);
  cudaMemsetAsync(a, 0, kBytes, one);  // BUG race join_waits_for_the_first_record
  if (!bug) cudaEventRecord(ready, one);
  cudaStreamWaitEvent(two, ready);
  join<<<1, kCount, 0, two>>>(a, b, out);
  cudaDeviceSynchronize();
}
CASE(pieces_of_streams_overlap) {
  Pinned<float> host(kCount);
  Buffer<float> device(kCount);
  Stream one, two;
  const int half = kCount / 2, extra = bug ? 1 : 0;
  cudaDeviceSynchronize();
  cudaMemcpyAsync(device, host, (half + extra) * sizeof(float), cudaMemcpyHostToDevice, one);  // BUG race pieces_of_streams_overlap
  cudaMemcpyAsync(device + half, host + half, half * sizeof(float), cudaMemcpyHostToDevice, two);  // BUG race pieces_of_streams_overlap
  cudaDeviceSynchronize();
}
CASE(last_stream_is_waited_for) {
  Pinned<float> host(4 * kCount);
  Buffer<float> device(4 * kCount);
  Stream streams[4];
  cudaDeviceSynchronize();
  for (int s = 0; s < 4; ++s) {
    add<<<1, kCount, 0, streams[s]>>>(device + s * kCount, 1);
    cudaMemcpyAsync(host + s * kCount, device + s * kCount, kBytes, cudaMemcpyDeviceToHost, streams[s]);  // BUG race last_stream_is_waited_for
  }
  for (int s = bug ? 3 : 0; s < 4; ++s) cudaStreamSynchronize(streams[s]);
  float sum = 0;
  for (int i = 0; i < 4 * kCount; ++i) sum += host[i];  // BUG race last_stream_is_waited_for
  EXPECT(sum == 4 * kCount);
}
CASE(waits_in_its_own_stream) {
  Buffer<float> a(kCount);
  Stream one, two;
  Event done;
  cudaDeviceSynchronize();
  cudaMemsetAsync(a, 0, kBytes, one);  // BUG race waits_in_its_own_stream
  cudaEventRecord(done, one);
  cudaStreamWaitEvent(bug ? one : two, done);
  cudaMemsetAsync(a, 1, kBytes, two);  // BUG race waits_in_its_own_stream
  cudaDeviceSynchronize();
}
__global__ void count_up(int *counter) { atomicAdd(counter, 1); }
__global__ void take(const int *counter, int *out) { *out = *counter; }  // BUG race counter_of_another_stream
CASE(counter_of_another_stream) {
  Buffer<int> counter(1), out(1);
  Stream one, two;
  cudaDeviceSynchronize();
  count_up<<<2, 32, 0, one>>>(counter);
  if (!bug) cudaStreamSynchronize(one);
  take<<<1, 1, 0, two>>>(counter, out);
  cudaDeviceSynchronize();
  EXPECT(down<int>(out, 1)[0] == 64);
}
CASE(staging_vector_reused) {
  Pinned<float> staging(kCount);
  Buffer<float> device(4 * kCount);
  Stream stream;
  cudaDeviceSynchronize();
  for (int batch = 0; batch < 4; ++batch) {
    for (int i = 0; i < kCount; ++i) staging[i] = batch;  // BUG race staging_vector_reused
    cudaMemcpyAsync(device + batch * kCount, staging, kBytes, cudaMemcpyHostToDevice, stream);  // BUG race staging_vector_reused
    if (!bug) cudaStreamSynchronize(stream);
  }
  cudaStreamSynchronize(stream);
  EXPECT(down<float>(device, 4 * kCount)[0] == 0);
}
CASE(result_swapped_before_the_end) {
  Pinned<float> result(1);
  Buffer<float> error(1), a(kCount);
  Stream stream;
  cudaDeviceSynchronize();
  float worst = 1;
  for (int r = 0; r < 3 && worst >= 0; ++r) {
    add<<<1, 1, 0, stream>>>(error, 1);
    cudaMemcpyAsync(result, error, sizeof(float), cudaMemcpyDeviceToHost, stream);  // BUG race result_swapped_before_the_end
    if (!bug) cudaStreamSynchronize(stream);
    worst = *result;  // BUG race result_swapped_before_the_end
  }
  cudaStreamSynchronize(stream);
}
struct Progress {
  float *host;
  float sum;
};
void CUDART_CB add_up(void *data) {
  auto *progress = static_cast<Progress *>(data);
  for (int i = 0; i < kCount; ++i) progress->sum += progress->host[i];  // BUG race callback_beside_the_next_copy
}
CASE(callback_beside_the_next_copy) {
  Pinned<float> host(kCount);
  Buffer<float> device(kCount);
  Stream stream;
  Progress progress = {host, 0};
  cudaDeviceSynchronize();
  add<<<1, kCount, 0, stream>>>(device, 1);
  cudaMemcpyAsync(host, device, kBytes, cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, add_up, &progress);
  if (!bug) cudaStreamSynchronize(stream);
  Stream other;
  cudaMemcpyAsync(host, device, kBytes, cudaMemcpyDeviceToHost, other);  // BUG race callback_beside_the_next_copy
  cudaDeviceSynchronize();
  EXPECT(progress.sum == kCount);
}
CASE(event_asked_instead_of_waited) {
  Pinned<float> host(kCount);
  Buffer<float> device(kCount);
  Stream stream;
  Event done;
  cudaDeviceSynchronize();
  cudaMemcpyAsync(host, device, kBytes, cudaMemcpyDeviceToHost, stream);  // BUG race event_asked_instead_of_waited
  cudaEventRecord(done, stream);
  if (bug) cudaEventQuery(done);
  else
    while (cudaEventQuery(done) == cudaErrorNotReady) {}
  cudaGetLastError();
  EXPECT(host[0] == 0);
  if (host[1] > 0) host[2] = 1;  // BUG race event_asked_instead_of_waited
  cudaDeviceSynchronize();
}
// ---- graphs
CASE(branches_of_a_diamond) {
  Buffer<float> a(kCount), b(kCount);
  Stream one, two;
  Event fork, joined;
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, one);
  cudaStreamWaitEvent(two, fork);
  add<<<1, kCount, 0, one>>>(a, 1);
  add<<<1, kCount, 0, two>>>(bug ? a : b, 1);
  cudaEventRecord(joined, two);
  cudaStreamWaitEvent(one, joined);
  cudaStreamEndCapture(one, &graph);
  cudaGraphInstantiate(&run, graph, 0);
  cudaGraphLaunch(run, one);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}
CASE(edge_the_other_way) {
  Buffer<float> a(kCount);
  float *data = a, x = 1;
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaGraphNode_t fill, middle, kernel;
  cudaGraphCreate(&graph, 0);
  cudaMemsetParams zeros = {};
  zeros.dst = data, zeros.elementSize = 4, zeros.width = kCount, zeros.height = 1;
  void *arguments[] = {&data, &x};
  cudaKernelNodeParams what = {};
  what.func = (void *)add, what.gridDim = dim3(1), what.blockDim = dim3(kCount), what.kernelParams = arguments;
  cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zeros);  // BUG race edge_the_other_way
  cudaGraphAddEmptyNode(&middle, graph, nullptr, 0);
  cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &what);  // BUG race edge_the_other_way
  cudaGraphAddDependencies(graph, &fill, &middle, nullptr, 1);
  if (bug) cudaGraphAddDependencies(graph, &kernel, &middle, nullptr, 1);
  else cudaGraphAddDependencies(graph, &middle, &kernel, nullptr, 1);
  cudaGraphInstantiate(&run, graph, 0);
  cudaGraphLaunch(run, 0);
  cudaDeviceSynchronize();
  EXPECT(down<float>(a, kCount)[0] == 1);
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}
CASE(input_refilled_while_a_graph_runs) {
  Pinned<float> host(kCount);
  Buffer<float> device(kCount);
  Stream stream;
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(device, host, kBytes, cudaMemcpyHostToDevice, stream);  // BUG race input_refilled_while_a_graph_runs
  add<<<1, kCount, 0, stream>>>(device, 1);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&run, graph, 0);
  for (int r = 0; r < 3; ++r) {
    for (int i = 0; i < kCount; ++i) host[i] = r;  // BUG race input_refilled_while_a_graph_runs
    cudaGraphLaunch(run, stream);
    if (!bug) cudaStreamSynchronize(stream);
  }
  cudaStreamSynchronize(stream);
  EXPECT(down<float>(device, kCount)[0] == 3);
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}
CASE(launched_without_its_executable) {
  Buffer<float> a(kCount);
  Stream stream;
  cudaGraph_t graph;
  cudaGraphExec_t run = nullptr;
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<1, kCount, 0, stream>>>(a, 1);
  cudaStreamEndCapture(stream, &graph);
  if (!bug) cudaGraphInstantiate(&run, graph, 0);
  cudaGraphLaunch(run, stream);  // BUG error launched_without_its_executable
  cudaStreamSynchronize(stream);
  if (run) cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}
CASE(executable_destroyed_then_launched) {
  Buffer<float> a(kCount);
  Stream stream;
  cudaGraph_t graph;
  cudaGraphExec_t run = nullptr;
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<1, kCount, 0, stream>>>(a, 1);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&run, graph, 0);
  cudaGraphDestroy(graph);
  if (bug) cudaGraphExecDestroy(run);
  cudaGraphLaunch(run, stream);  // BUG error executable_destroyed_then_launched
  cudaStreamSynchronize(stream);
  if (!bug) cudaGraphExecDestroy(run);
}
CASE(capture_ended_twice) {
  Buffer<float> a(kCount);
  Stream stream;
  cudaGraph_t graph = nullptr, second = nullptr;
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<1, kCount, 0, stream>>>(a, 1);
  cudaStreamEndCapture(stream, &graph);
  if (!bug) cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(stream, &second);  // BUG error capture_ended_twice
  cudaGraphDestroy(graph);
  if (second) cudaGraphDestroy(second);
}
CASE(block_of_a_node_is_larger) {
  Buffer<float> a(kCount), b(kCount);
  float *data = a, *other = b, x = 1;
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaGraphNode_t kernel;
  cudaGraphCreate(&graph, 0);
  void *arguments[] = {&data, &x};
  cudaKernelNodeParams what = {};
  what.func = (void *)add_more, what.gridDim = dim3(1), what.blockDim = dim3(kCount), what.kernelParams = arguments;
  cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &what);
  cudaGraphInstantiate(&run, graph, 0);
  cudaGraphLaunch(run, 0);
  void *next[] = {&other, &x};
  what.kernelParams = next;
  what.blockDim = dim3(bug ? 2 * kCount : kCount);
  cudaGraphExecKernelNodeSetParams(run, kernel, &what);
  cudaGraphLaunch(run, 0);
  cudaDeviceSynchronize();
  EXPECT(down<float>(b, kCount)[kCount - 1] == 1);
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
