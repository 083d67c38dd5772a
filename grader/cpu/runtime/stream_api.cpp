#include <algorithm>
#include <ctime>

#include "capture.hpp"
#include "registry.hpp"

namespace cuda_on_cpu {
namespace {

auto &streams() { return Registry<CUstream_st>::instance(); }
auto &events() { return Registry<CUevent_st>::instance(); }

constexpr int kGreatestPriority = -5;

cudaError_t result(bool valid) {
  return finish_call(valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

double milliseconds(const timespec &t) {
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

}  // namespace

bool is_default_stream(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}
bool is_stream(cudaStream_t stream) { return is_default_stream(stream) || streams().has(stream); }

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  if (!stream || flags > cudaStreamNonBlocking) return finish_call(cudaErrorInvalidValue);
  const int within = std::clamp(priority, kGreatestPriority, 0);
  *stream = streams().create({.flags = flags, .priority = within});
  return finish_call(cudaSuccess);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = kGreatestPriority;
  return finish_call(cudaSuccess);
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  if (!is_stream(stream)) return result(false);
  if (!priority) return finish_call(cudaErrorInvalidValue);
  *priority = is_default_stream(stream) ? 0 : stream->priority;
  return result(true);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  if (!is_stream(stream)) return result(false);
  if (!flags) return finish_call(cudaErrorInvalidValue);
  *flags = is_default_stream(stream) ? unsigned{cudaStreamDefault} : stream->flags;
  return result(true);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return result(streams().destroy(stream)); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (!is_stream(stream)) return result(false);
  return finish_call(refuse_while_captured(stream));
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (flags != cudaEventWaitDefault) return finish_call(cudaErrorInvalidValue);
  if (!is_stream(stream) || !events().has(event)) return result(false);
  if (event->capture && is_default_stream(stream))
    return finish_call(cudaErrorStreamCaptureImplicit);
  if (event->capture) stream->capture = event->capture;  // it joins the capture
  return result(true);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  if (!event || flags > (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess))
    return finish_call(cudaErrorInvalidValue);
  *event = events().create({.has_timing = !(flags & cudaEventDisableTiming)});
  return finish_call(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return result(events().destroy(event)); }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!events().has(event) || !is_stream(stream)) return result(false);
  event->capture = is_default_stream(stream) ? nullptr : stream->capture;
  if (event->capture) return result(true);
  event->recorded = true;
  clock_gettime(CLOCK_MONOTONIC, &event->time);
  return result(true);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return result(events().has(event)); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return result(events().has(event)); }
cudaError_t cudaEventElapsedTime(float *elapsed, cudaEvent_t start, cudaEvent_t stop) {
  if (!elapsed) return finish_call(cudaErrorInvalidValue);
  const auto usable = [](cudaEvent_t event) {
    return events().has(event) && event->recorded && event->has_timing;
  };
  if (!usable(start) || !usable(stop)) return result(false);
  *elapsed = static_cast<float>(milliseconds(stop->time) - milliseconds(start->time));
  return result(true);
}
