// Streams, events, graphs and the host: work that nothing orders.
#include <utility>

#include "case.cuh"

namespace {

constexpr int kCount = 64;
constexpr int kBytes = kCount * sizeof(int);

__global__ void fill(int *out, int value) { out[threadIdx.x] = value; }  // BUG race event_too_early wait_before_record edge_forgotten
__global__ void copy(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }  // BUG race event_too_early wait_before_record edge_forgotten
__global__ void add(const int *in, int *sum) { atomicAdd(sum, in[threadIdx.x]); }
__global__ void count_atomically(int *sum) { atomicAdd(sum, 1); }
__global__ void count_plainly(int *sum) { sum[threadIdx.x] += 1; }
volatile int seen;

struct Stream {
  explicit Stream(unsigned flags = cudaStreamDefault) { cudaStreamCreateWithFlags(&handle, flags); }
  ~Stream() { cudaStreamDestroy(handle); }
  Stream(const Stream &) = delete;
  operator cudaStream_t() const { return handle; }
  cudaStream_t handle = nullptr;
};
struct Event {
  Event() { cudaEventCreate(&handle); }
  ~Event() { cudaEventDestroy(handle); }
  Event(const Event &) = delete;
  operator cudaEvent_t() const { return handle; }
  cudaEvent_t handle = nullptr;
};
struct Pinned {
  Pinned() { cudaMallocHost(&data, kBytes); }
  ~Pinned() { cudaFreeHost(data); }
  Pinned(const Pinned &) = delete;
  operator int *() const { return data; }
  int *data = nullptr;
};
struct Managed {
  Managed() {
    cudaMallocManaged(&data, kBytes);
    for (int i = 0; i < kCount; ++i) data[i] = i;
  }
  ~Managed() { cudaFree(data); }
  Managed(const Managed &) = delete;
  operator int *() const { return data; }
  int *data = nullptr;
};
void wait_for(cudaStream_t waits, cudaStream_t before) {
  const Event done;
  cudaEventRecord(done, before);
  cudaStreamWaitEvent(waits, done);
}

}  // namespace

// ---- two streams ------------------------------------------------------------------------------------

CASE(copy_in_another_stream) {
  const Stream a, b;
  const Pinned host;
  Buffer<int> data(kCount);
  fill<<<1, kCount, 0, a>>>(data, 1);  // BUG race copy_in_another_stream
  if (!bug) wait_for(b, a);
  cudaMemcpyAsync(host, data, kBytes, cudaMemcpyDeviceToHost, b);  // BUG race copy_in_another_stream
  cudaDeviceSynchronize();
}
CASE(kernels_in_two_streams) {
  const Stream a, b;
  Buffer<int> data(2 * kCount);
  fill<<<1, kCount, 0, a>>>(data, 1);  // BUG race kernels_in_two_streams
  fill<<<1, kCount, 0, b>>>(data + (bug ? kCount / 2 : kCount), 2);  // BUG race kernels_in_two_streams
  cudaDeviceSynchronize();
}
CASE(event_too_early) {
  const Stream a, b;
  const Event done;
  Buffer<int> data(kCount), out(kCount);
  if (bug) cudaEventRecord(done, a);
  fill<<<1, kCount, 0, a>>>(data, 1);
  if (!bug) cudaEventRecord(done, a);
  cudaStreamWaitEvent(b, done);
  copy<<<1, kCount, 0, b>>>(data, out);
  cudaDeviceSynchronize();
}
CASE(wait_before_record) {
  const Stream a, b;
  const Event done;
  Buffer<int> data(kCount), out(kCount);
  fill<<<1, kCount, 0, a>>>(data, 1);
  if (bug) cudaStreamWaitEvent(b, done);
  cudaEventRecord(done, a);
  if (!bug) cudaStreamWaitEvent(b, done);
  copy<<<1, kCount, 0, b>>>(data, out);
  cudaDeviceSynchronize();
}
CASE(fill_in_another_stream) {
  const Stream a, b;
  Buffer<int> data(kCount), sum(1);
  cudaMemsetAsync(data, 0, kBytes, a);  // BUG race fill_in_another_stream
  add<<<1, kCount, 0, bug ? b : a>>>(data, sum);  // BUG race fill_in_another_stream
  cudaDeviceSynchronize();
}
CASE(other_streams_result) {
  const Stream streams[3];
  Buffer<int> partial(3), all(kCount), out(kCount);
  for (int i = 0; i < 3; ++i) count_atomically<<<1, kCount, 0, streams[i]>>>(partial + i);  // BUG race other_streams_result
  if (!bug)
    for (int i = 1; i < 3; ++i) wait_for(streams[0], streams[i]);
  copy<<<1, 3, 0, streams[0]>>>(partial, out);  // BUG race other_streams_result
  cudaDeviceSynchronize();
}
CASE(staging_shared_by_streams) {
  const Stream streams[2];
  const Pinned host;
  std::memset(host, 0, kBytes);
  Buffer<int> first(kCount), second(kCount), out(2 * kCount);
  for (int i = 0; i < 2; ++i) {
    int *staging = bug || i == 0 ? first : second;
    cudaMemcpyAsync(staging, host, kBytes, cudaMemcpyHostToDevice, streams[i]);  // BUG race staging_shared_by_streams
    copy<<<1, kCount, 0, streams[i]>>>(staging, out + i * kCount);  // BUG race staging_shared_by_streams
  }
  cudaDeviceSynchronize();
}
CASE(atomic_and_plain_in_two_streams) {
  const Stream a, b;
  Buffer<int> sum(1);
  count_atomically<<<1, 1, 0, a>>>(sum);  // BUG race atomic_and_plain_in_two_streams
  if (bug)
    count_plainly<<<1, 1, 0, b>>>(sum);  // BUG race atomic_and_plain_in_two_streams
  else
    count_atomically<<<1, 1, 0, b>>>(sum);
  cudaDeviceSynchronize();
}
__constant__ int factor;
__global__ void scale(int *data) { data[threadIdx.x] *= factor; }  // BUG race constant_changed_meanwhile
CASE(constant_changed_meanwhile) {
  const Stream a, b;
  const Pinned host;
  host[0] = 2;
  Buffer<int> data(kCount);
  scale<<<1, kCount, 0, a>>>(data);
  cudaMemcpyToSymbolAsync(factor, host, sizeof(int), 0, cudaMemcpyHostToDevice, bug ? b : a);  // BUG race constant_changed_meanwhile
  cudaDeviceSynchronize();
}

// ---- the default streams ----------------------------------------------------------------------------

CASE(default_and_non_blocking) {
  const Stream other(bug ? cudaStreamNonBlocking : cudaStreamDefault);
  Buffer<int> data(kCount, Content::nothing);
  cudaMemset(data, 0, kBytes);  // BUG race default_and_non_blocking
  count_plainly<<<1, kCount, 0, other>>>(data);  // BUG race default_and_non_blocking
  cudaDeviceSynchronize();
}
CASE(per_thread_and_another) {
  const Stream other;
  Buffer<int> data(kCount);
  fill<<<1, kCount, 0, bug ? cudaStreamPerThread : cudaStreamLegacy>>>(data, 1);  // BUG race per_thread_and_another
  count_plainly<<<1, kCount, 0, other>>>(data);  // BUG race per_thread_and_another
  cudaDeviceSynchronize();
}
CASE(result_of_non_blocking) {
  const Stream other(cudaStreamNonBlocking);
  Buffer<int> data(kCount);
  cudaDeviceSynchronize();
  fill<<<1, kCount, 0, other>>>(data, 1);  // BUG race result_of_non_blocking
  if (!bug) cudaStreamSynchronize(other);
  int host[kCount];
  cudaMemcpy(host, data, kBytes, cudaMemcpyDeviceToHost);  // BUG race result_of_non_blocking
  cudaDeviceSynchronize();
}

// ---- the host ---------------------------------------------------------------------------------------

CASE(managed_read_early) {
  const Managed data;
  fill<<<1, kCount>>>(data, 1);  // BUG race managed_read_early
  if (!bug) cudaDeviceSynchronize();
  seen = data[kCount - 1];  // BUG race managed_read_early
  cudaDeviceSynchronize();
}
CASE(managed_written_early) {
  const Managed data;
  Buffer<int> sum(1);
  add<<<1, kCount>>>(data, sum);  // BUG race managed_written_early
  if (!bug) cudaDeviceSynchronize();
  data[0] = 7;  // BUG race managed_written_early
  cudaDeviceSynchronize();
}
CASE(prefetch_is_no_wait) {
  const Managed data;
  fill<<<1, kCount>>>(data, 1);  // BUG race prefetch_is_no_wait
  const cudaMemLocation host{cudaMemLocationTypeHost, 0};
  cudaMemPrefetchAsync(data, kBytes, host, 0, nullptr);
  if (!bug) cudaStreamSynchronize(nullptr);
  seen = data[0];  // BUG race prefetch_is_no_wait
  cudaDeviceSynchronize();
}
CASE(mapped_read_early) {
  const Stream a;
  const Pinned host;
  fill<<<1, kCount, 0, a>>>(host, 1);  // BUG race mapped_read_early
  if (!bug) cudaStreamSynchronize(a);
  seen = host[5];  // BUG race mapped_read_early
  cudaDeviceSynchronize();
}
CASE(copy_read_early) {
  const Pinned host;
  Buffer<int> data(kCount);
  cudaMemcpyAsync(host, data, kBytes, cudaMemcpyDeviceToHost);  // BUG race copy_read_early
  if (!bug) cudaDeviceSynchronize();
  seen = host[0];  // BUG race copy_read_early
  cudaDeviceSynchronize();
}
CASE(pageable_copy_read_early) {
  std::vector<int> host(kCount);
  Buffer<int> data(kCount);
  cudaMemcpyAsync(host.data(), data, kBytes, cudaMemcpyDeviceToHost);  // BUG warning pageable_copy_read_early
  if (!bug) cudaDeviceSynchronize();
  seen = host[0];  // BUG warning pageable_copy_read_early
  cudaDeviceSynchronize();
}
CASE(rows_read_early) {
  const Stream a;
  const Pinned host;
  Buffer<int> data(kCount);
  cudaMemcpy2DAsync(host, 16, data, 16, 8, 4, cudaMemcpyDeviceToHost, a);  // BUG race rows_read_early
  seen = host[bug ? 4 : 2];  // BUG race rows_read_early
  cudaDeviceSynchronize();
}
CASE(source_overwritten) {
  const Stream a;
  const Event copied;
  const Pinned host;
  Buffer<int> data(2 * kCount);
  for (int i = 0; i < 2; ++i) {
    if (!bug) cudaEventSynchronize(copied);
    for (int j = 0; j < kCount; ++j) host[j] = i;  // BUG race source_overwritten
    cudaMemcpyAsync(data + i * kCount, host, kBytes, cudaMemcpyHostToDevice, a);  // BUG race source_overwritten
    cudaEventRecord(copied, a);
  }
  cudaDeviceSynchronize();
}
CASE(source_freed) {
  const Stream a;
  Buffer<int> data(kCount);
  int *host;
  cudaMallocHost(&host, kBytes);
  std::memset(host, 0, kBytes);
  cudaMemcpyAsync(data, host, kBytes, cudaMemcpyHostToDevice, a);  // BUG race source_freed
  if (!bug) cudaStreamSynchronize(a);
  cudaFreeHost(host);  // BUG race source_freed
}
CASE(wrong_stream_waited_for) {
  const Stream a, b;
  const Pinned host;
  Buffer<int> data(kCount);
  cudaMemcpyAsync(host, data, kBytes, cudaMemcpyDeviceToHost, b);  // BUG race wrong_stream_waited_for
  cudaStreamSynchronize(bug ? a : b);
  seen = host[0];  // BUG race wrong_stream_waited_for
  cudaDeviceSynchronize();
}
CASE(destroying_is_no_wait) {
  const Pinned host;
  Buffer<int> data(kCount);
  cudaStream_t a;
  cudaStreamCreate(&a);
  cudaMemcpyAsync(host, data, kBytes, cudaMemcpyDeviceToHost, a);  // BUG race destroying_is_no_wait
  if (!bug) cudaStreamSynchronize(a);
  cudaStreamDestroy(a);
  seen = host[0];  // BUG race destroying_is_no_wait
  cudaDeviceSynchronize();
}
CASE(event_of_another_iteration) {
  const Stream a;
  const Event done;
  const Pinned host;
  Buffer<int> data(kCount);
  cudaEventRecord(done, a);
  cudaMemcpyAsync(host, data, kBytes, cudaMemcpyDeviceToHost, a);  // BUG race event_of_another_iteration
  if (!bug) cudaEventRecord(done, a);
  cudaEventSynchronize(done);
  seen = host[0];  // BUG race event_of_another_iteration
  cudaDeviceSynchronize();
}
CASE(time_asked_early) {
  const Event start, stop;
  Buffer<int> data(kCount);
  cudaEventRecord(start);
  fill<<<1, kCount>>>(data, 1);
  cudaEventRecord(stop);  // BUG error time_asked_early
  if (!bug) cudaEventSynchronize(stop);
  float milliseconds;
  cudaEventElapsedTime(&milliseconds, start, stop);  // BUG error time_asked_early
  cudaDeviceSynchronize();
}
void note_first(void *data) { *static_cast<int *>(data) += 1; }  // BUG race host_function_in_another_stream host_function_unwaited
CASE(host_function_in_another_stream) {
  const Stream a, b;
  const Pinned host;
  Buffer<int> data(kCount);
  cudaMemcpyAsync(host, data, kBytes, cudaMemcpyDeviceToHost, a);  // BUG race host_function_in_another_stream
  cudaLaunchHostFunc(bug ? b : a, note_first, host.data);
  cudaDeviceSynchronize();
}
CASE(host_function_unwaited) {
  const Stream a;
  const Pinned host;
  host[0] = 0;
  cudaLaunchHostFunc(a, note_first, host.data);
  if (!bug) cudaStreamSynchronize(a);
  seen = host[0];  // BUG race host_function_unwaited
  cudaDeviceSynchronize();
}

// ---- pools ------------------------------------------------------------------------------------------

CASE(freed_in_another_stream) {
  const Stream a, b;
  int *data;
  cudaMallocAsync(&data, kBytes, a);
  fill<<<1, kCount, 0, a>>>(data, 1);  // BUG race freed_in_another_stream
  if (!bug) wait_for(b, a);
  cudaFreeAsync(data, b);  // BUG race freed_in_another_stream
  cudaDeviceSynchronize();
}
CASE(allocated_in_another_stream) {
  const Stream a, b;
  int *data;
  cudaMallocAsync(&data, kBytes, a);  // BUG race allocated_in_another_stream
  if (!bug) wait_for(b, a);
  fill<<<1, kCount, 0, b>>>(data, 1);  // BUG race allocated_in_another_stream
  wait_for(a, b);
  cudaFreeAsync(data, a);
  cudaDeviceSynchronize();
}

// ---- graphs -----------------------------------------------------------------------------------------

CASE(edge_forgotten) {
  Buffer<int> data(kCount), out(kCount);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t first, second;
  int value = 1, *in = data, *to = out;
  void *fill_arguments[] = {&in, &value}, *copy_arguments[] = {&in, &to};
  cudaKernelNodeParams parameters{};
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(kCount);
  cudaGraphCreate(&graph, 0);
  parameters.func = (void *)fill;
  parameters.kernelParams = fill_arguments;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &parameters);  // BUG race edge_forgotten
  parameters.func = (void *)copy;
  parameters.kernelParams = copy_arguments;
  cudaGraphAddKernelNode(&second, graph, &first, bug ? 0 : 1, &parameters);  // BUG race edge_forgotten
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, nullptr);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}
CASE(captured_without_edge) {
  const Stream a(cudaStreamNonBlocking), b(cudaStreamNonBlocking);
  const Event forked, joined;
  Buffer<int> data(kCount), out(kCount);
  cudaDeviceSynchronize();
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  if (bug) cudaEventRecord(forked, a);
  fill<<<1, kCount, 0, a>>>(data, 1);  // BUG race captured_without_edge
  if (!bug) cudaEventRecord(forked, a);
  cudaStreamWaitEvent(b, forked);
  copy<<<1, kCount, 0, b>>>(data, out);  // BUG race captured_without_edge
  cudaEventRecord(joined, b);
  cudaStreamWaitEvent(a, joined);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, a);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}
CASE(capture_not_joined) {
  const Stream a, b;
  const Event forked, joined;
  Buffer<int> data(kCount), out(kCount);
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaEventRecord(forked, a);
  cudaStreamWaitEvent(b, forked);
  fill<<<1, kCount, 0, b>>>(data, 1);
  cudaEventRecord(joined, b);
  if (!bug) cudaStreamWaitEvent(a, joined);
  cudaStreamEndCapture(a, &graph);  // BUG error capture_not_joined
  if (graph) cudaGraphDestroy(graph);
}
CASE(graph_result_read_early) {
  const Stream a;
  const Managed data;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  fill<<<1, kCount, 0, a>>>(data, 1);  // BUG race graph_result_read_early
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, a);
  if (!bug) cudaStreamSynchronize(a);
  seen = data[0];  // BUG race graph_result_read_early
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

// ---- memory of both sides, within one kernel ----------------------------------------------------------

__global__ void neighbours(int *data, bool bug) {
  const int t = threadIdx.x, next = data[(t + 1) % kCount];  // BUG race race_in_managed_memory race_in_mapped_memory
  if (!bug) __syncthreads();
  data[t] = next;  // BUG race race_in_managed_memory race_in_mapped_memory
}
CASE(race_in_managed_memory) {
  const Managed data;
  neighbours<<<1, kCount>>>(data, bug);
  cudaDeviceSynchronize();
}
CASE(race_in_mapped_memory) {
  const Pinned data;
  neighbours<<<1, kCount>>>(data, bug);
  cudaDeviceSynchronize();
}

// ---- correct programs: what must stay silent in both forms --------------------------------------------

__global__ void set_flag(int *data, volatile int *flag) {
  data[0] = 1;
  __threadfence_system();
  *flag = 1;
}
CASE(flag_in_mapped_memory) {
  const Pinned data, flag;
  flag[0] = 0;
  set_flag<<<1, 1>>>(data, flag);
  while (*static_cast<volatile int *>(flag.data) == 0) {}
  seen = data[0];
  cudaDeviceSynchronize();
}
CASE(polled) {
  const Stream a;
  const Event done;
  const Pinned host;
  Buffer<int> data(kCount);
  cudaMemcpyAsync(host, data, kBytes, cudaMemcpyDeviceToHost, a);
  cudaEventRecord(done, a);
  while (cudaEventQuery(done) == cudaErrorNotReady) {}
  seen = host[0];
}
CASE(blocking_streams_and_default) {
  const Stream a, b;
  Buffer<int> data(kCount);
  count_plainly<<<1, kCount, 0, a>>>(data);
  count_plainly<<<1, kCount>>>(data);
  count_plainly<<<1, kCount, 0, b>>>(data);
  int host[kCount];
  cudaMemcpy(host, data, kBytes, cudaMemcpyDeviceToHost);
  seen = host[0];
}
CASE(readers_in_two_streams) {
  const Stream a, b;
  Buffer<int> data(kCount), out(2 * kCount);
  copy<<<1, kCount, 0, a>>>(data, out);
  copy<<<1, kCount, 0, b>>>(data, out + kCount);
  cudaDeviceSynchronize();
}
CASE(pageable_source_reused) {
  const Stream a;
  std::vector<int> host(kCount);
  Buffer<int> data(kCount);
  cudaMemcpyAsync(data, host.data(), kBytes, cudaMemcpyHostToDevice, a);
  host[0] = 1;
  cudaStreamSynchronize(a);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
