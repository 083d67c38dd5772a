// Calls of the host: what it waits for, what it destroyed, what it may not ask.
#include "case.cuh"
__global__ void scale(float *d, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = 2 * d[i] + 1;
}
CASE(wrong_event_waited) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  float *m;
  cudaMallocManaged(&m, 256);
  std::memset(m, 0, 256);
  cudaEventRecord(a, s);
  scale<<<1, 64, 0, s>>>(m, 64);
  cudaEventRecord(b, s);
  cudaEventSynchronize(bug ? a : b);
  if (m[0] != 1) std::printf("%g\n", m[0]);  // BUG race wrong_event_waited
  cudaDeviceSynchronize();
  cudaFree(m);
  cudaEventDestroy(a);
  cudaEventDestroy(b);
  cudaStreamDestroy(s);
}
CASE(registered_read_early) {
  std::vector<float> host(64);
  Buffer<float> d(64);
  cudaHostRegister(host.data(), 256, cudaHostRegisterDefault);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(host.data(), d, 256, cudaMemcpyDeviceToHost, s);
  if (!bug) cudaStreamSynchronize(s);
  if (host[3] != 0) std::printf("%g\n", host[3]);  // BUG race registered_read_early
  cudaStreamSynchronize(s);
  cudaHostUnregister(host.data());
  cudaStreamDestroy(s);
}
__attribute__((noinline)) void bring(const float *d, cudaStream_t s, bool bug) {
  float local[64];
  cudaMemcpyAsync(local, d, 256, cudaMemcpyDeviceToHost, s);
  if (!bug) cudaStreamSynchronize(s);
  volatile float x = local[3];  // BUG warning stack_target
  (void)x;
}
CASE(stack_target) {
  Buffer<float> d(64);
  cudaStream_t s;
  cudaStreamCreate(&s);
  bring(d, s, bug);
  cudaStreamSynchronize(s);
  cudaStreamDestroy(s);
}
CASE(kernel_after_free_async) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  float *d;
  cudaMallocAsync(&d, 256, s);
  cudaMemsetAsync(d, 0, 256, s);
  if (bug) cudaFreeAsync(d, s);
  scale<<<1, 64, 0, s>>>(d, 64);
  if (!bug) cudaFreeAsync(d, s);
  cudaStreamSynchronize(s);
  cudaStreamDestroy(s);
}
CASE(stream_destroyed) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  Buffer<float> d(64);
  if (bug) cudaStreamDestroy(s);
  scale<<<1, 64, 0, s>>>(d, 64);  // BUG error stream_destroyed
  if (!bug) cudaStreamDestroy(s);
}
CASE(event_destroyed) {
  cudaEvent_t e;
  cudaEventCreate(&e);
  if (bug) cudaEventDestroy(e);
  cudaEventRecord(e);  // BUG error event_destroyed
  if (!bug) cudaEventDestroy(e);
}
CASE(time_without_timing) {
  cudaEvent_t a, b;
  cudaEventCreateWithFlags(&a, bug ? cudaEventDisableTiming : 0);
  cudaEventCreate(&b);
  cudaEventRecord(a);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  float ms;
  cudaEventElapsedTime(&ms, a, b);  // BUG error time_without_timing
  cudaEventDestroy(a);
  cudaEventDestroy(b);
}
CASE(sync_in_capture) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  Buffer<float> d(64);
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 64, 0, s>>>(d, 64);
  if (bug) cudaStreamSynchronize(s);  // BUG error sync_in_capture
  cudaStreamEndCapture(s, &g);
  if (!bug) {
    cudaGraphExec_t x;
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
  }
  cudaStreamDestroy(s);
}
// What must not be called while a stream is captured, each in a capture of its own.
enum class Wrong { none, device, malloc, free, copy, fill, launch, symbol, query, event, outside };
__constant__ int factor;
void capture_with(Wrong wrong) {
  cudaStream_t s, other;
  cudaEvent_t before, within;
  cudaGraph_t g = nullptr;
  cudaGraphExec_t x;
  cudaStreamCreate(&s);
  cudaStreamCreate(&other);
  cudaEventCreate(&before);
  cudaEventCreate(&within);
  Buffer<float> d(64);
  const int two = 2;
  float *more = nullptr, host[4] = {};
  cudaMemcpyToSymbol(factor, &two, sizeof two);
  cudaEventRecord(before, other);
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 64, 0, s>>>(d, 64);
  cudaEventRecord(within, s);
  cudaStreamWaitEvent(other, within);
  scale<<<1, 64, 0, other>>>(d, 0);
  cudaEventRecord(within, other);
  cudaStreamWaitEvent(s, within);
  if (wrong == Wrong::device) cudaDeviceSynchronize();  // BUG error device_in_capture
  if (wrong == Wrong::malloc) cudaMalloc(&more, 4);  // BUG error malloc_in_capture
  if (wrong == Wrong::free) cudaFree(more);
  if (wrong == Wrong::copy) cudaMemcpy(d, host, 16, cudaMemcpyHostToDevice);  // BUG error copy_in_capture
  if (wrong == Wrong::fill) cudaMemset(d, 0, 16);  // BUG error fill_in_capture
  if (wrong == Wrong::launch) scale<<<1, 64>>>(d, 64);  // BUG error launch_beside_capture
  if (wrong == Wrong::symbol) cudaMemcpyToSymbol(factor, &two, sizeof two);  // BUG error symbol_in_capture
  if (wrong == Wrong::query) cudaEventQuery(before);  // BUG error query_in_capture
  if (wrong == Wrong::event) cudaEventSynchronize(within);  // BUG error event_in_capture
  if (wrong == Wrong::outside) cudaStreamWaitEvent(s, before);  // BUG error event_outside_capture
  cudaStreamEndCapture(s, &g);  // BUG error free_in_capture
  if (g) {
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
  }
  cudaEventDestroy(before);
  cudaEventDestroy(within);
  cudaStreamDestroy(s);
  cudaStreamDestroy(other);
}
CASE(device_in_capture) { capture_with(bug ? Wrong::device : Wrong::none); }
CASE(malloc_in_capture) { capture_with(bug ? Wrong::malloc : Wrong::none); }
CASE(free_in_capture) { capture_with(bug ? Wrong::free : Wrong::none); }
CASE(copy_in_capture) { capture_with(bug ? Wrong::copy : Wrong::none); }
CASE(fill_in_capture) { capture_with(bug ? Wrong::fill : Wrong::none); }
CASE(launch_beside_capture) { capture_with(bug ? Wrong::launch : Wrong::none); }
CASE(symbol_in_capture) { capture_with(bug ? Wrong::symbol : Wrong::none); }
CASE(query_in_capture) { capture_with(bug ? Wrong::query : Wrong::none); }
CASE(event_in_capture) { capture_with(bug ? Wrong::event : Wrong::none); }
CASE(event_outside_capture) { capture_with(bug ? Wrong::outside : Wrong::none); }
// A stream that does not wait for the default stream, and a relaxed capture, allow all this.
CASE(quiet_relaxed_capture) {
  cudaStream_t s;
  cudaGraph_t g;
  Buffer<float> d(64);
  float *more, host[4] = {};
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  scale<<<1, 64, 0, s>>>(d, 64);
  cudaMalloc(&more, 16);
  cudaMemcpy(more, host, 16, cudaMemcpyHostToDevice);
  scale<<<1, 4>>>(more, 4);
  cudaStreamEndCapture(s, &g);
  cudaFree(more);
  cudaGraphDestroy(g);
  cudaStreamDestroy(s);
}
// What C++ does not define, and bytes that are none.
CASE(fill_no_byte) {
  Buffer<int> d(64);
  cudaMemset(d, bug ? 1000 : 0x7f, 256);  // BUG warning fill_no_byte
  cudaMemset(d, 0x3f3f3f3f, 256);
  cudaMemset(d, ~0u, 256);
}
__global__ void low_bits(unsigned *out, int width) {
  out[threadIdx.x] = (1u << width) - 1;  // BUG warning shift_too_far
}
CASE(shift_too_far) {
  Buffer<unsigned> d(32);
  low_bits<<<1, 32>>>(d, bug ? 32 : 31);
}
// A function that a stream calls on the host must not call CUDA.
struct Job {
  float *device, *host;
  cudaStream_t next;
  bool bug;
};
void when_done(void *argument) {
  const Job &job = *static_cast<Job *>(argument);
  job.host[0] += 1;
  if (job.bug) cudaMemcpyAsync(job.device, job.host, 16, cudaMemcpyHostToDevice, job.next);  // BUG error call_in_host_function
}
void CUDART_CB when_called(cudaStream_t, cudaError_t, void *argument) {
  const Job &job = *static_cast<Job *>(argument);
  if (job.bug) scale<<<1, 4, 0, job.next>>>(job.device, 4);  // BUG error launch_in_callback
}
void run_job(bool bug, bool by_callback) {
  cudaStream_t s, next;
  cudaStreamCreate(&s);
  cudaStreamCreate(&next);
  Buffer<float> d(64);
  float *host;
  cudaMallocHost(&host, 16);
  std::memset(host, 0, 16);
  Job job = {d, host, next, bug};
  if (by_callback)
    cudaStreamAddCallback(s, when_called, &job, 0);
  else
    cudaLaunchHostFunc(s, when_done, &job);
  cudaStreamSynchronize(s);
  cudaMemcpyAsync(d, host, 16, cudaMemcpyHostToDevice, next);
  cudaDeviceSynchronize();
  cudaFreeHost(host);
  cudaStreamDestroy(s);
  cudaStreamDestroy(next);
}
CASE(call_in_host_function) { run_job(bug, false); }
CASE(launch_in_callback) { run_job(bug, true); }
CASE(graph_and_kernel) {
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  Buffer<float> d(64);
  cudaDeviceSynchronize();
  cudaGraph_t g;
  cudaGraphExec_t x;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 64, 0, s>>>(d, 64);  // BUG race graph_and_kernel
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
  cudaGraphLaunch(x, s);
  if (!bug) cudaStreamSynchronize(s);
  scale<<<1, 64, 0, t>>>(d, 64);  // BUG race graph_and_kernel
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(x);
  cudaGraphDestroy(g);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}
CASE(threads_2d_too_many) {
  Buffer<float> d(64);
  scale<<<1, dim3(33, bug ? 32 : 31)>>>(d, 0);  // BUG error threads_2d_too_many
}
CASE(device_missing) { cudaSetDevice(bug ? 5 : 0); }  // BUG error device_missing
CASE(out_of_memory) {
  float *p = nullptr;
  cudaMalloc(&p, bug ? size_t(1) << 40 : 256);  // BUG error out_of_memory
  if (p) cudaFree(p);
}
CASE(null_copy) {
  float *p = nullptr;
  float h[4];
  if (!bug) {
    cudaMalloc(&p, 16);
    cudaMemset(p, 0, 16);
  }
  cudaMemcpy(h, p, 16, cudaMemcpyDeviceToHost);  // BUG error null_copy
  if (p) cudaFree(p);
}
__constant__ float coefficients[16];
CASE(symbol_offset) {
  float h[16] = {};
  cudaMemcpyToSymbol(coefficients, h, sizeof(float) * 8, bug ? 36 : 32);  // BUG error symbol_offset
}
__global__ void use_texture(cudaTextureObject_t t, float *linear) {
  linear[31 - threadIdx.x] =
      tex1Dfetch<float>(t, threadIdx.x);  // BUG race texture_written_meanwhile
}
CASE(texture_written_meanwhile) {
  Buffer<float> d(32), e(32);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = d;
  r.res.linear.desc = cudaCreateChannelDesc<float>();
  r.res.linear.sizeInBytes = 128;
  cudaTextureDesc td{};
  td.readMode = cudaReadModeElementType;
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &r, &td, nullptr);
  use_texture<<<1, 32>>>(t, bug ? d : e);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(t);
}
__global__ void use_constant(float *out, int n) {
  out[threadIdx.x] = coefficients[n + threadIdx.x];  // BUG memory constant_outside
}
CASE(constant_outside) {
  Buffer<float> out(8);
  use_constant<<<1, 8>>>(out, bug ? 9 : 8);
}
int main(int count, char **arguments) { return run_case(count, arguments); }
