// Who may touch what, and when: host functions, events, graphs, pools, managed memory.
#include "case.cuh"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

__global__ void add_one(int *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}
struct Stream {
  explicit Stream(unsigned flags = cudaStreamDefault) { cudaStreamCreateWithFlags(&stream, flags); }
  ~Stream() { cudaStreamDestroy(stream); }
  operator cudaStream_t() const { return stream; }
  cudaStream_t stream;
};
// ---- functions of the host in a stream
struct Total { const int *from; int sum; };
void CUDART_CB add_up(void *argument) {
  Total *total = static_cast<Total *>(argument);
  for (int i = 0; i < 64; ++i) total->sum += total->from[i];  // BUG race sum_read_early
}
CASE(sum_read_early) {
  Stream s;
  int *pinned;
  cudaMallocHost(&pinned, 256);
  Up<int> data(std::vector<int>(64, 1));
  Total total = {pinned, 0};
  add_one<<<1, 64, 0, s>>>(data, 64);
  cudaMemcpyAsync(pinned, data, 256, cudaMemcpyDeviceToHost, s);
  cudaLaunchHostFunc(s, add_up, &total);
  if (!bug) cudaStreamSynchronize(s);
  if (total.sum != 128) std::printf("%d\n", total.sum);  // BUG race sum_read_early
  cudaStreamSynchronize(s);
  cudaFreeHost(pinned);
}
// ---- the function gets an object that is gone
void CUDART_CB count_calls(void *argument) { ++*static_cast<int *>(argument); }  // BUG race argument_is_gone
__attribute__((noinline)) void give_local(cudaStream_t s, int *kept, bool bug) {
  int *counter = bug ? new int(0) : kept;
  cudaLaunchHostFunc(s, count_calls, counter);
  if (bug) delete counter;  // BUG race argument_is_gone
}
CASE(argument_is_gone) {
  Stream s;
  static int kept;
  give_local(s, &kept, bug);
  cudaStreamSynchronize(s);
}
// ---- buffers in turn, each with its stream: one event for both
CASE(event_of_the_other_buffer) {
  Stream streams[2];
  int *pinned[2];
  cudaEvent_t done[2];
  Buffer<int> device(128);
  for (int b = 0; b < 2; ++b) cudaMallocHost(&pinned[b], 256), cudaEventCreate(&done[b]);
  for (int round = 0; round < 4; ++round) {
    const int b = round % 2;
    if (round >= 2) cudaEventSynchronize(done[bug ? 0 : b]);
    for (int i = 0; i < 64; ++i) pinned[b][i] = round;  // BUG race event_of_the_other_buffer
    cudaMemcpyAsync(device + 64 * b, pinned[b], 256, cudaMemcpyHostToDevice, streams[b]);  // BUG race event_of_the_other_buffer
    cudaEventRecord(done[b], streams[b]);
  }
  cudaDeviceSynchronize();
  EXPECT(down<int>(device, 128)[127] == 3);
  for (int b = 0; b < 2; ++b) cudaFreeHost(pinned[b]), cudaEventDestroy(done[b]);
}
// ---- fork and join
CASE(join_forgotten) {
  Stream a(cudaStreamNonBlocking), b(cudaStreamNonBlocking);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  Buffer<int> data(128);
  cudaDeviceSynchronize();
  add_one<<<2, 64, 0, a>>>(data, 128);
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);
  add_one<<<1, 64, 0, b>>>(data + 64, 64);  // BUG race join_forgotten
  cudaEventRecord(join, b);
  add_one<<<1, 64, 0, a>>>(data, 64);
  if (!bug) cudaStreamWaitEvent(a, join, 0);
  add_one<<<2, 64, 0, a>>>(data, 128);  // BUG race join_forgotten
  cudaDeviceSynchronize();
  EXPECT(down<int>(data, 128)[127] == 3);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
}
// ---- graphs: a copy node whose source the host changes, two branches on one buffer
CASE(source_of_a_graph) {
  Stream s;
  int *pinned;
  cudaMallocHost(&pinned, 256);
  Buffer<int> data(64);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(data, pinned, 256, cudaMemcpyHostToDevice, s);  // BUG race source_of_a_graph
  add_one<<<1, 64, 0, s>>>(data, 64);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < 64; ++i) pinned[i] = step;  // BUG race source_of_a_graph
    cudaGraphLaunch(executable, s);
    if (!bug) cudaStreamSynchronize(s);
  }
  cudaStreamSynchronize(s);
  EXPECT(down<int>(data, 64)[5] == 3);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaFreeHost(pinned);
}
CASE(graph_beside_a_stream) {
  Stream s, other;
  Buffer<int> data(64);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphCreate(&graph, 0);
  int *pointer = data, n = 64;
  void *arguments[] = {&pointer, &n};
  cudaKernelNodeParams parameters = {};
  parameters.func = (void *)add_one;
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(64);
  parameters.kernelParams = arguments;
  cudaGraphNode_t first, second;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &parameters);
  cudaGraphAddKernelNode(&second, graph, &first, bug ? 0 : 1, &parameters);  // BUG race graph_beside_a_stream
  cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
  cudaGraphLaunch(executable, s);
  cudaStreamSynchronize(s);
  EXPECT(down<int>(data, 64)[5] == 2);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}
// ---- memory of a pool
CASE(pool_memory_in_both_streams) {
  Stream a(cudaStreamNonBlocking), b(cudaStreamNonBlocking);
  cudaEvent_t used;
  cudaEventCreate(&used);
  int *data;
  cudaMallocAsync(&data, 256, a);
  cudaMemsetAsync(data, 0, 256, a);
  cudaEventRecord(used, a);
  cudaStreamWaitEvent(b, used, 0);
  add_one<<<1, 64, 0, b>>>(data, 64);  // BUG race pool_memory_in_both_streams
  cudaEventRecord(used, b);
  if (!bug) cudaStreamWaitEvent(a, used, 0);
  cudaFreeAsync(data, a);  // BUG race pool_memory_in_both_streams
  cudaDeviceSynchronize();
  cudaEventDestroy(used);
}
CASE(freed_before_the_copy) {
  Stream s;
  int *data, host[64];
  cudaMallocAsync(&data, 256, s);
  cudaMemsetAsync(data, 0, 256, s);
  if (bug) cudaFreeAsync(data, s);
  cudaMemcpyAsync(host, data, 256, cudaMemcpyDeviceToHost, s);  // BUG error freed_before_the_copy
  if (!bug) cudaFreeAsync(data, s);
  cudaStreamSynchronize(s);
}
// ---- managed memory: the host works on one half, a kernel on the other
CASE(managed_list_while_kernel) {
  int *data;
  cudaMallocManaged(&data, 512);
  for (int i = 0; i < 128; ++i) data[i] = i;
  add_one<<<1, 64>>>(data, 64);  // BUG race managed_list_while_kernel
  if (!bug) cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 0; i < 128; ++i) sum += data[i];  // BUG race managed_list_while_kernel
  cudaDeviceSynchronize();
  EXPECT(sum == 127 * 64 + 64);
  cudaFree(data);
}
// ---- a thread of the host waits, another one reads
CASE(thread_waits) {
  Stream s;
  int *data;
  cudaMallocManaged(&data, 256);
  std::memset(data, 0, 256);
  add_one<<<1, 64, 0, s>>>(data, 64);  // BUG race thread_waits
  std::thread waiter([&] { if (!bug) cudaStreamSynchronize(s); });
  waiter.join();
  if (data[0] != 1) std::printf("%d\n", data[0]);  // BUG race thread_waits
  cudaStreamSynchronize(s);
  cudaFree(data);
}
// ---- results in a mapped buffer, told by an event that comes before the kernel's end
CASE(query_of_the_wrong_stream) {
  Stream a(cudaStreamNonBlocking), b(cudaStreamNonBlocking);
  int *mapped, *device;
  cudaHostAlloc(&mapped, 256, cudaHostAllocMapped);
  std::memset(mapped, 0, 256);
  cudaHostGetDevicePointer(&device, mapped, 0);
  add_one<<<1, 64, 0, a>>>(device, 64);  // BUG race query_of_the_wrong_stream
  while (cudaStreamQuery(bug ? b : a) == cudaErrorNotReady) {}
  if (mapped[7] != 1) std::printf("%d\n", mapped[7]);  // BUG race query_of_the_wrong_stream
  cudaDeviceSynchronize();
  cudaFreeHost(mapped);
}
// ---- a symbol written by a stream, read by a kernel of another
__device__ int limit;
__global__ void below_limit(const int *in, int *out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = in[i] < limit;  // BUG race limit_of_another_stream
}
CASE(limit_of_another_stream) {
  Stream a(cudaStreamNonBlocking), b(cudaStreamNonBlocking);
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  int *there;
  cudaGetSymbolAddress(reinterpret_cast<void **>(&there), limit);
  cudaDeviceSynchronize();
  cudaMemsetAsync(there, 0, 4, a);  // BUG race limit_of_another_stream
  if (!bug) cudaStreamSynchronize(a);
  below_limit<<<1, 64, 0, b>>>(in, out, 64);
  cudaDeviceSynchronize();
  EXPECT(down<int>(out, 64)[0] == 0);
}
// ---- functions of the host that hand over under a lock, by an atomic, by a promise
struct Box {
  std::mutex lock;
  std::condition_variable filled;
  std::vector<int> values;
  bool full = false;
};
void CUDART_CB fill_box(void *argument) {
  Box *box = static_cast<Box *>(argument);
  const std::lock_guard hold(box->lock);
  box->values.assign(40, 7);
  box->full = true;
  box->filled.notify_one();
}
CASE(quiet_box_under_a_lock) {
  Stream s;
  Box box;
  cudaLaunchHostFunc(s, fill_box, &box);
  {
    std::unique_lock hold(box.lock);
    box.filled.wait(hold, [&] { return box.full; });
    EXPECT(box.values.size() == 40 && box.values[39] == 7);
    box.values.clear();
  }
  cudaStreamSynchronize(s);
}
struct Ticket { std::atomic<bool> done{false}; int result = 0; };
void CUDART_CB finish(void *argument) {
  Ticket *ticket = static_cast<Ticket *>(argument);
  char text[40];
  std::snprintf(text, sizeof text, "%d", 41);
  ticket->result = std::atoi(text) + 1;  // BUG race result_without_the_flag
  ticket->done = true;
}
CASE(result_without_the_flag) {
  Stream s;
  Ticket ticket;
  cudaLaunchHostFunc(s, finish, &ticket);
  while (!bug && !ticket.done) {}
  if (ticket.result != 42) std::printf("%d\n", ticket.result);  // BUG race result_without_the_flag
  cudaStreamSynchronize(s);
}
void CUDART_CB keep_promise(void *argument) {
  auto *promise = static_cast<std::promise<std::vector<int>> *>(argument);
  promise->set_value(std::vector<int>(30, 5));
}
CASE(quiet_promise) {
  Stream s;
  std::promise<std::vector<int>> promise;
  cudaLaunchHostFunc(s, keep_promise, &promise);
  EXPECT(promise.get_future().get()[29] == 5);
  cudaStreamSynchronize(s);
}
void CUDART_CB run_and_delete(void *argument) {
  auto *work = static_cast<std::function<void()> *>(argument);
  (*work)();
  delete work;
}
CASE(quiet_functions_on_the_heap) {
  Stream s;
  auto total = std::make_shared<std::atomic<int>>(0);
  for (int i = 0; i < 5; ++i) {
    std::string text = "a text that is longer than sixteen characters";
    cudaLaunchHostFunc(s, run_and_delete, new std::function<void()>([=] { *total += static_cast<int>(text.size()) + i; }));
  }
  std::vector<std::string> others(20, "another text that comes from the heap");
  cudaStreamSynchronize(s);
  EXPECT(*total == 5 * 45 + 10 && others.size() == 20);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
