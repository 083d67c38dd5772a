#include "device/host_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "base/counts.hpp"
#include "base/hooks.hpp"
#include "base/own_mutex.hpp"
#include "base/rounding.hpp"
#include "base/statistics.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "device/device.hpp"
#include "device/device_memory.hpp"
#include "messages/errors.hpp"
#include "messages/failures.hpp"
#include "streams/refusals.hpp"
#include "streams/stream.hpp"
#include "streams/stream_order.hpp"

// Where the program's __managed__ variables are: of a worker's linker script, or the linker's own
// names of the section's ends. Addresses alone count; what is not there is null.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_first_managed;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_last_managed;
[[gnu::weak, gnu::visibility("hidden")]] extern char __start_warpwise_managed;
[[gnu::weak, gnu::visibility("hidden")]] extern char __stop_warpwise_managed;
}

namespace cuda_on_cpu {

namespace {

std::span<const char> between(const char *begin, const char *end) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin),
             last = reinterpret_cast<std::uintptr_t>(end);
  return last > first ? std::span(begin, last - first) : std::span<const char>();
}

struct HostBuffer {
  std::size_t bytes;
  cudaMemoryType type;
  std::string name = {};
  bool registered = false;  // by cudaHostRegister: not ours to free
  const void *made_by = nullptr;
  std::uint64_t number = 0;  // of those that are to be freed, in order; or 0
  std::vector<char> before = {};  // the content when the running kernel began
};
OwnMutex host_mutex;
std::uint64_t made = 0;

// What was freed last: a kernel or the host may still use it.
constexpr std::size_t kMostFreed = 64;
[[gnu::init_priority(200)]] std::deque<HostSpan> freed_buffers;

void forget_freed(const char *begin, std::size_t bytes) {  // their addresses are used again
  std::erase_if(freed_buffers, [&](const HostSpan &old) {
    return old.begin < begin + bytes && begin < old.begin + old.bytes;
  });
}
void keep_freed(const char *begin, const HostBuffer &buffer) {
  freed_buffers.push_front({begin, buffer.bytes, buffer.type, buffer.name});
  if (freed_buffers.size() > kMostFreed) freed_buffers.pop_back();
}

// Begins with the program's __managed__ variables. Read after the program's own destructors.
auto &host_buffers = *[] {
  auto &buffers = *new std::map<const char *, HostBuffer>;
  for (const auto variables :
       {between(&warpwise_first_managed, &warpwise_last_managed), managed_variables()})
    if (!variables.empty())
      buffers[variables.data()] = {variables.size(), cudaMemoryTypeManaged, "", true};
  return &buffers;
}();

// Counts the words that differ, neighbours together.
void count_changes(const char *now, const std::vector<char> &before) {
  constexpr std::size_t kWord = 4;
  const auto differs = [&](std::size_t at) {
    return at < before.size() &&
           std::memcmp(now + at, &before[at], std::min(kWord, before.size() - at)) != 0;
  };
  std::vector<std::span<const char>> changed;
  for (std::size_t i = 0; i < before.size(); i += kWord) {
    const std::size_t first = i;
    while (differs(i)) i += kWord;
    if (i > first) changed.emplace_back(now + first, std::min(i, before.size()) - first);
  }
  count_copies_to_host(changed);
}

}  // namespace

std::span<const char> managed_variables() {
  return between(&__start_warpwise_managed, &__stop_warpwise_managed);
}

KernelWrites::KernelWrites() {
  if (!counts_are_protected()) return;
  const std::lock_guard lock(host_mutex);
  for (auto &[memory, buffer] : host_buffers) buffer.before.assign(memory, memory + buffer.bytes);
}

KernelWrites::~KernelWrites() {
  if (!counts_are_protected()) return;
  const std::lock_guard lock(host_mutex);
  for (const auto &[memory, buffer] : host_buffers)
    if (std::memcmp(memory, buffer.before.data(), buffer.before.size()) != 0)
      count_changes(memory, buffer.before);
}

cudaError_t allocate_host(void **pointer, std::size_t bytes, cudaMemoryType type,
                          const void *caller) {
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (bytes > kGlobalMemory) return cudaErrorMemoryAllocation;
  const std::size_t rounded = round_up(bytes, kAllocationAlignment);
  void *memory = std::aligned_alloc(kAllocationAlignment, rounded);
  if (!memory) return cudaErrorMemoryAllocation;
  std::memset(memory, kUninitialised, bytes);
  const std::lock_guard lock(host_mutex);
  forget_freed(static_cast<char *>(memory), rounded);
  host_buffers[static_cast<char *>(memory)] = {bytes, type, take_buffer_name(), false, caller,
                                               ++made};
  if (hooks) hooks->memory(memory, bytes, MemoryEvent::shared_allocated, nullptr);
  if (type == cudaMemoryTypeManaged) count_allocation();
  *pointer = memory;
  return cudaSuccess;
}

std::vector<HostSpan> host_buffers_left() {
  const std::lock_guard lock(host_mutex);
  std::map<std::uint64_t, HostSpan> left;
  for (const auto &[begin, buffer] : host_buffers)
    if (buffer.number)
      left[buffer.number] = {begin, buffer.bytes, buffer.type, buffer.name, false, buffer.made_by};
  std::vector<HostSpan> list;
  for (const auto &[number, buffer] : left) list.push_back(buffer);
  return list;
}
void forget_host_buffers_left() {
  const std::lock_guard lock(host_mutex);
  for (auto &[begin, buffer] : host_buffers) buffer.number = 0;
}

bool release_host(void *pointer, cudaMemoryType type) {
  const std::lock_guard lock(host_mutex);
  const auto found = host_buffers.find(static_cast<char *>(pointer));
  if (found == host_buffers.end() || found->second.type != type || found->second.registered)
    return false;
  if (hooks) hooks->memory(pointer, found->second.bytes, MemoryEvent::shared_freed, nullptr);
  keep_freed(found->first, found->second);
  host_buffers.erase(found);
  std::free(pointer);
  return true;
}

cudaMemoryType host_type_of(const void *pointer) {
  const std::lock_guard lock(host_mutex);
  auto after = host_buffers.upper_bound(static_cast<const char *>(pointer));
  if (after == host_buffers.begin()) return cudaMemoryTypeUnregistered;
  --after;
  const bool inside = static_cast<const char *>(pointer) < after->first + after->second.bytes;
  return inside ? after->second.type : cudaMemoryTypeUnregistered;
}

HostSpan nearest_host_buffer(const void *pointer) {
  constexpr std::ptrdiff_t kNear = 4096;
  const char *address = static_cast<const char *>(pointer);
  const std::lock_guard lock(host_mutex);
  HostSpan best;
  std::ptrdiff_t closest = kNear;
  for (const auto &[begin, buffer] : host_buffers) {
    const char *end = begin + buffer.bytes;
    const std::ptrdiff_t away = address < begin ? begin - address : address - end + 1;
    if (away >= closest) continue;
    closest = away;
    best = {begin, buffer.bytes, buffer.type, buffer.name, buffer.registered, buffer.made_by};
  }
  return best;
}

HostSpan freed_host_buffer(const void *address) {
  const std::lock_guard lock(host_mutex);
  const auto found = std::ranges::find_if(
      freed_buffers, [&](const HostSpan &buffer) { return buffer.contains(address); });
  return found == freed_buffers.end() ? HostSpan{} : *found;
}

namespace {

// Why cudaFreeHost() cannot free it.
const char *wrong_for_free_host(const void *pointer) {
  if (DeviceMemory::instance().contains(pointer))
    return "this is memory of the device: use cudaFree()";
  const HostSpan near = nearest_host_buffer(pointer);
  if (!near.contains(pointer))
    return freed_host_buffer(pointer).begin ? "this memory has already been freed"
                                            : "cudaMallocHost did not return this pointer";
  if (near.type == cudaMemoryTypeManaged) return "this is managed memory: use cudaFree()";
  if (near.registered) return "this memory is registered: use cudaHostUnregister()";
  return "cudaMallocHost did not return this pointer: it points into that memory";
}

}  // namespace
}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  if (const cudaError_t error = refused(Use::unsafe)) return finish_call(error);
  return finish_call(
      allocate_host(pointer, bytes, cudaMemoryTypeHost, __builtin_return_address(0)));
}
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  if (const cudaError_t error = refused(Use::unsafe)) return finish_call(error);
  const bool known =
      flags <= (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined);
  return finish_call(
      known ? allocate_host(pointer, bytes, cudaMemoryTypeHost, __builtin_return_address(0))
            : cudaErrorInvalidValue);
}
cudaError_t cudaFreeHost(void *pointer) {
  if (const cudaError_t error = refused(Use::unsafe)) return finish_call(error);
  if (asynchrony() && pointer)
    asynchrony()->changes_hands(pointer, 0, "frees", __builtin_return_address(0));
  if (!pointer || release_host(pointer, cudaMemoryTypeHost)) return finish_call(cudaSuccess);
  explain(wrong_for_free_host(pointer));
  return finish_call(cudaErrorInvalidValue);
}
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  if (const cudaError_t error = refused(Use::unsafe)) return finish_call(error);
  if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
    return finish_call(cudaErrorInvalidValue);
  return finish_call(
      allocate_host(pointer, bytes, cudaMemoryTypeManaged, __builtin_return_address(0)));
}

// Adds memory that the program allocated itself to the pinned memory. Kernels use the same memory,
// so its device pointer is the same pointer.
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned) {
  if (!pointer || bytes == 0) return finish_call(cudaErrorInvalidValue);
  if (host_type_of(pointer) != cudaMemoryTypeUnregistered)
    return finish_call(cudaErrorHostMemoryAlreadyRegistered);
  const std::lock_guard lock(host_mutex);
  host_buffers[static_cast<char *>(pointer)] = {bytes, cudaMemoryTypeHost, "", true,
                                                __builtin_return_address(0)};
  if (hooks) hooks->memory(pointer, bytes, MemoryEvent::shared_allocated, nullptr);
  return finish_call(cudaSuccess);
}
cudaError_t cudaHostUnregister(void *pointer) {
  if (asynchrony() && pointer)
    asynchrony()->changes_hands(pointer, 0, "unregisters", __builtin_return_address(0));
  const std::lock_guard lock(host_mutex);
  const auto found = host_buffers.find(static_cast<char *>(pointer));
  if (found == host_buffers.end() || !found->second.registered)
    return finish_call(cudaErrorHostMemoryNotRegistered);
  if (hooks) hooks->memory(pointer, found->second.bytes, MemoryEvent::shared_freed, nullptr);
  host_buffers.erase(found);
  return finish_call(cudaSuccess);
}
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  if (!device || flags || host_type_of(host) == cudaMemoryTypeUnregistered)
    return finish_call(cudaErrorInvalidValue);
  *device = host;
  return finish_call(cudaSuccess);
}
cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  if (!flags || host_type_of(host) != cudaMemoryTypeHost) return finish_call(cudaErrorInvalidValue);
  *flags = cudaHostAllocMapped;
  return finish_call(cudaSuccess);
}

// Managed memory is in one place: advice about where it should be changes nothing.
namespace {
cudaError_t about_managed(const void *pointer, std::size_t bytes) {
  if (host_type_of(pointer) != cudaMemoryTypeManaged) {
    explain("this is for managed memory only");
    return finish_call(cudaErrorInvalidValue);
  }
  const HostSpan buffer = nearest_host_buffer(pointer);
  const char *end = static_cast<const char *>(pointer) + bytes;
  if (!buffer.contains(pointer) || end <= buffer.begin + buffer.bytes)
    return finish_call(cudaSuccess);
  explain("the range ends " +
          with_commas(static_cast<unsigned long long>(end - buffer.begin) - buffer.bytes) +
          " bytes after the memory");
  return finish_call(cudaErrorInvalidValue);
}
}  // namespace
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                 cudaStream_t stream) {
  if (device != cudaCpuDeviceId && !is_device(device)) return finish_call(cudaErrorInvalidDevice);
  return is_stream(stream) ? about_managed(pointer, bytes)
                           : finish_call(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation location,
                                 unsigned, cudaStream_t stream) {
  const bool is_host = location.type != cudaMemLocationTypeDevice;  // a number says nothing there
  return cudaMemPrefetchAsync(pointer, bytes, is_host ? cudaCpuDeviceId : location.id, stream);
}
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise, int) {
  return about_managed(pointer, bytes);
}
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise, cudaMemLocation) {
  return about_managed(pointer, bytes);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t, unsigned) {
  return cudaMemPrefetchAsync(pointer, 0, 0, stream);
}
