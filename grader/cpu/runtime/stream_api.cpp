#include <ctime>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "errors.hpp"
#include "stream.hpp"

struct CUstream_st {};
struct CUevent_st {
  bool has_timing = true, recorded = false;
  timespec time{};
};

namespace cuda_on_cpu {
namespace {

// Handles that exist: a destroyed one is an error as in CUDA, not a crash.
template <class T>
class Registry {
 public:
  T *create(T value = {}) {
    const std::lock_guard lock(mutex_);
    auto owned = std::make_unique<T>(value);
    T *handle = owned.get();
    all_.emplace(handle, std::move(owned));
    return handle;
  }
  bool destroy(T *handle) {
    const std::lock_guard lock(mutex_);
    return all_.erase(handle) != 0;
  }
  bool has(T *handle) {
    const std::lock_guard lock(mutex_);
    return all_.count(handle) != 0;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<T *, std::unique_ptr<T>> all_;
};

Registry<CUstream_st> &streams() {
  static auto *registry = new Registry<CUstream_st>;  // outlives static objects of the program
  return *registry;
}
Registry<CUevent_st> &events() {
  static auto *registry = new Registry<CUevent_st>;
  return *registry;
}

cudaError_t result(bool valid) {
  return finish_call(valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

double milliseconds(const timespec &t) {
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

}  // namespace

bool is_stream(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         streams().has(stream);
}

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  if (!stream || flags > cudaStreamNonBlocking) return finish_call(cudaErrorInvalidValue);
  *stream = streams().create();
  return finish_call(cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return result(streams().destroy(stream)); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return result(is_stream(stream)); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return result(is_stream(stream)); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (flags != cudaEventWaitDefault) return finish_call(cudaErrorInvalidValue);
  return result(is_stream(stream) && events().has(event));
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  if (!event || flags > (cudaEventBlockingSync | cudaEventDisableTiming))
    return finish_call(cudaErrorInvalidValue);
  *event = events().create({.has_timing = !(flags & cudaEventDisableTiming)});
  return finish_call(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return result(events().destroy(event)); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!events().has(event) || !is_stream(stream)) return result(false);
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
