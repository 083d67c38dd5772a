#include <algorithm>
#include <atomic>
#include <ctime>
#include <set>
#include <string>

#include "base/hooks.hpp"
#include "base/kernel_runs.hpp"
#include "base/own_mutex.hpp"
#include "base/submission_code.hpp"
#include "device/device.hpp"
#include "messages/failures.hpp"
#include "streams/capture.hpp"
#include "streams/registry.hpp"
#include "streams/stream_order.hpp"

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

CUstream_st *capturable(cudaStream_t stream) {
  static CUstream_st per_thread[] = {{.number = kStreamsPerThread[0]},
                                     {.number = kStreamsPerThread[1], .device = 1}};
  if (stream == cudaStreamPerThread) return &per_thread[current_device()];
  return is_default_stream(stream) ? nullptr : stream;
}

const CUstream_st &legacy_stream(int device) {
  static const CUstream_st legacy[] = {{.number = kLegacyStreams[0]},
                                       {.number = kLegacyStreams[1], .device = 1}};
  return legacy[device];
}
const CUstream_st &stream_of(cudaStream_t handle) {
  const CUstream_st *own = capturable(handle);
  return own ? *own : legacy_stream(current_device());
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{kLastDefaultStream};
  return ++last;
}

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

namespace {
cudaError_t refuse_devices(const char *other) {
  explain(std::string("the event belongs to another device than ") + other +
          ": it belongs to the one that cudaSetDevice() had set when it was made");
  return result(false);
}

cudaError_t record(cudaEvent_t event, cudaStream_t stream, const void *caller) {
  if (!events().has(event) || !is_stream(stream)) return result(false);
  if (event->device != stream_of(stream).device) return refuse_devices("the stream");
  if (const cudaError_t error = refused_on(stream)) return finish_call(error);
  const CUstream_st *own = capturable(stream);
  event->capture = own ? own->capture : nullptr;
  if (event->capture) {
    event->last = own->last;
    return result(true);
  }
  event->recorded = true;
  clock_gettime(CLOCK_MONOTONIC, &event->time);
  if (asynchrony()) asynchrony()->record(event->number, stream_of(stream), caller);
  return result(true);
}

// The event's work does not run before the graph is launched.
cudaError_t refuse_captured(const CUevent_st &event) {
  if (!event.capture) return cudaSuccess;
  event.capture->invalidate(
      "the event was recorded in a stream that is captured: it does not happen yet");
  explain(event.capture->reason);
  return cudaErrorCapturedEvent;
}

// In check mode the first answer is no, as on a GPU, which is seldom done so soon: so what a
// program does then is tried. A worker's programs get one answer, whatever watches them.
bool is_first_question(std::uint64_t number, bool is_over) {
  static OwnMutex mutex;
  static std::set<std::uint64_t> asked;
  const std::lock_guard lock(mutex);
  if (!is_over && !is_in_worker() && asked.insert(number).second) return true;
  asked.erase(number);
  return false;
}

cudaError_t wait_for(cudaEvent_t event) {
  if (!events().has(event)) return result(false);
  if (const cudaError_t error = refused(Use::stream)) return finish_call(error);
  if (const cudaError_t error = refuse_captured(*event)) return finish_call(error);
  if (asynchrony()) asynchrony()->host_waits_for_event(event->number);
  return result(true);
}

// A graph can only depend on its own work.
cudaError_t refuse_dependency(cudaStream_t stream, const CUevent_st &event) {
  const CUstream_st *own = capturable(stream);
  CUgraph_st *capture = own ? own->capture : nullptr;
  if (event.capture && !own) return cudaErrorStreamCaptureImplicit;
  if (event.capture == capture || !capture || !(event.capture || event.recorded))
    return cudaSuccess;
  const char *reason = event.capture
                           ? "the event belongs to the capture of another stream"
                           : "the stream is captured, and the event was recorded outside of the "
                             "capture: the graph cannot depend on it";
  capture->invalidate(reason);
  if (event.capture) event.capture->invalidate(reason);
  explain(reason);
  return event.capture ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureIsolation;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  const NoKernel no_kernel;  // kernels may call this, too
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  if (!stream || flags > cudaStreamNonBlocking) return finish_call(cudaErrorInvalidValue);
  const int within = std::clamp(priority, kGreatestPriority, 0);
  *stream = streams().create({.flags = flags,
                              .priority = within,
                              .number = next_number(),
                              .name = take_buffer_name(),
                              .device = current_device()});
  if (asynchrony()) asynchrony()->made_stream();
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
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const NoKernel no_kernel;
  return result(streams().destroy(stream));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (!is_stream(stream)) return result(false);
  if (const cudaError_t error = refused_on(stream)) return finish_call(error);
  const cudaError_t error = refuse_while_captured(stream);
  if (asynchrony() && !error) asynchrony()->host_waits_for_stream(stream_of(stream));
  return finish_call(error);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (const cudaError_t error = unread_stream_query(stream); error || !asynchrony()) return error;
  const CUstream_st &asked = stream_of(stream);
  if (is_first_question(asked.number, asynchrony()->stream_is_over(asked)))
    return cudaErrorNotReady;
  asynchrony()->host_waits_for_stream(asked);
  return cudaSuccess;
}
cudaError_t cuda_on_cpu::unread_stream_query(cudaStream_t stream) {
  if (!is_stream(stream)) return result(false);
  if (const cudaError_t error = refused_on(stream)) return finish_call(error);
  return finish_call(refuse_while_captured(stream));
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (flags != cudaEventWaitDefault) return finish_call(cudaErrorInvalidValue);
  if (!is_stream(stream) || !events().has(event)) return result(false);
  if (const cudaError_t error = refused(Use::stream)) return finish_call(error);
  if (const cudaError_t error = refuse_dependency(stream, *event)) return finish_call(error);
  if (event->capture) {  // it joins the capture
    CUstream_st *own = capturable(stream);  // the legacy stream was refused
    own->capture = event->capture;
    own->last.insert(own->last.end(), event->last.begin(), event->last.end());
  } else if (asynchrony()) {
    asynchrony()->wait(stream_of(stream), event->number);
  }
  return result(true);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  if (!event || flags > (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess))
    return finish_call(cudaErrorInvalidValue);
  *event = events().create({.has_timing = !(flags & cudaEventDisableTiming),
                            .number = next_number(),
                            .device = current_device()});
  return finish_call(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return result(events().destroy(event)); }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return record(event, stream, __builtin_return_address(0));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record(event, stream, __builtin_return_address(0));
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return wait_for(event); }
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (events().has(event) && !event->capture) {
    if (const cudaError_t error = refused(Use::unsafe)) return finish_call(error);
    if (asynchrony() &&
        is_first_question(event->number, asynchrony()->event_is_over(event->number)))
      return cudaErrorNotReady;
  }
  return wait_for(event);
}
cudaError_t cuda_on_cpu::unread_event_query(cudaEvent_t event) {
  if (!events().has(event) || event->capture) return wait_for(event);
  const cudaError_t error = refused(Use::unsafe);
  return error ? finish_call(error) : result(true);
}
cudaError_t cudaEventElapsedTime(float *elapsed, cudaEvent_t start, cudaEvent_t stop) {
  if (!elapsed) return finish_call(cudaErrorInvalidValue);
  const auto usable = [](cudaEvent_t event) {
    return events().has(event) && event->recorded && event->has_timing;
  };
  if (!usable(start) || !usable(stop)) {
    const cudaEvent_t wrong = usable(start) ? stop : start;
    explain(std::string(wrong == start ? "the first event" : "the second event") +
            (!events().has(wrong)  ? " does not exist, or not any more"
             : !wrong->has_timing ? " was made with cudaEventDisableTiming"
                                  : " was never recorded"));
    return result(false);
  }
  if (start->device != stop->device) return refuse_devices("the other event");
  if (asynchrony()) asynchrony()->elapsed_asked(stop->number, __builtin_return_address(0));
  *elapsed = static_cast<float>(milliseconds(stop->time) - milliseconds(start->time));
  return result(true);
}
