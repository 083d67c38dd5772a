// cudaMalloc and its family, copies and fills.
#include <cstdlib>
#include <cstring>

#include "api/memory_nodes.hpp"
#include "base/hooks.hpp"
#include "base/statistics.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "device/array.hpp"
#include "device/device.hpp"
#include "device/device_memory.hpp"
#include "device/given_memory.hpp"
#include "device/graph_memory.hpp"
#include "device/host_memory.hpp"
#include "device/pools.hpp"
#include "messages/errors.hpp"
#include "messages/failures.hpp"
#include "streams/capture.hpp"
#include "streams/refusals.hpp"
#include "streams/stream_order.hpp"

namespace cuda_on_cpu {
namespace {

thread_local const void *copying_caller = nullptr;

cudaMemoryType type_of(const void *pointer) {
  return DeviceMemory::instance().holds(pointer, 1) ? cudaMemoryTypeDevice : host_type_of(pointer);
}

bool on_device(const void *pointer) {
  DeviceMemory &memory = DeviceMemory::instance();
  return memory.contains(pointer) || memory.is_variable(pointer);
}

// The whole range of a device pointer must be in one live buffer; a host pointer must not be a
// device pointer.
bool fits(const void *pointer, std::size_t bytes, bool want_device, bool want_host) {
  if (on_device(pointer))
    return want_device && DeviceMemory::instance().holds(pointer, bytes) &&
           !is_only_reserved(pointer);
  return want_host || type_of(pointer) != cudaMemoryTypeUnregistered;
}

const char *side_of(const void *pointer) {
  return on_device(pointer) ? "device memory" : "host memory";
}

// Why a copy's or fill's `pointer` does not fit: `role` is "target" or "source".
std::string misfit(const void *pointer, std::size_t bytes, const char *role, const char *direction,
                   bool direction_fits, const char *done = "copied") {
  if (!direction_fits)
    return std::string("copy direction: ") + direction + " given, the " + role + " is " +
           side_of(pointer);
  return std::string("the ") + role + " has fewer than the " + with_commas(bytes) +
         " bytes that are " + done + ", or has been freed";
}

constexpr const char *kKinds[] = {"HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice",
                                  "Default"};

cudaError_t refuse_copy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
  const bool any = kind == cudaMemcpyDefault;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool target_is_right = any || on_device(to) == to_device;
  if (!target_is_right || !fits(to, bytes, any || to_device, any || !to_device))
    explain(misfit(to, bytes, "target", kKinds[kind], target_is_right));
  else
    explain(misfit(from, bytes, "source", kKinds[kind], any || on_device(from) == from_device));
  return cudaErrorInvalidValue;
}

cudaError_t copy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes == 0) return cudaSuccess;
  if (!to || !from) {
    explain(std::string("the ") + (to ? "source" : "target") + " is a null pointer");
    return cudaErrorInvalidValue;
  }
  const bool any = kind == cudaMemcpyDefault;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  if (!fits(from, bytes, any || from_device, any || !from_device) ||
      !fits(to, bytes, any || to_device, any || !to_device))
    return refuse_copy(to, from, bytes, kind);
  const auto access = DeviceMemory::instance().open_for_copy(to, from);
  if (hooks) bytes = hooks->copied(to, from, bytes, copying_caller);
  std::memmove(to, from, bytes);
  if (on_device(from) && !on_device(to)) count_copy_to_host(from, bytes);
  return cudaSuccess;
}

cudaError_t copy_for(const void *caller, void *to, const void *from, std::size_t bytes,
                     cudaMemcpyKind kind) {
  const CopyingFor copying(caller);
  return copy(to, from, bytes, kind);
}

cudaError_t fill(void *to, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (!to || !fits(to, bytes, true, false)) {
    explain(!to            ? "the target is a null pointer"
            : on_device(to) ? misfit(to, bytes, "target", "", true, "set")
                            : "the target is host memory");
    return cudaErrorInvalidValue;
  }
  if (hooks) hooks->memory(to, bytes, MemoryEvent::written_by_host, copying_caller);
  if (hooks && hooks->filled_with) hooks->filled_with(value, copying_caller);
  DeviceMemory::instance().fill(to, value, bytes);
  return cudaSuccess;
}

cudaError_t free_memory(void *pointer, MemoryEvent if_wrong, const void *caller) {
  if (!pointer) return finish_call(cudaSuccess);
  if (asynchrony() && if_wrong == MemoryEvent::freed_wrongly) asynchrony()->host_waits_for_all();
  if (const auto memory = GraphMemory::at(pointer); memory && memory->free())
    return finish_call(cudaSuccess);
  const bool freed = !is_only_reserved(pointer) && DeviceMemory::instance().release(pointer);
  if (freed) forget_given(pointer);
  if (freed) pool_gets_back(pointer);
  const bool known = freed || release_host(pointer, cudaMemoryTypeManaged);
  if (hooks && (freed || !known))
    hooks->memory(pointer, 0, freed ? MemoryEvent::freed : if_wrong, caller);
  if (!known)
    explain("memory is freed that was freed before, or that no call of yours has allocated");
  return finish_call(known ? cudaSuccess : cudaErrorInvalidValue);
}

}  // namespace

CopyingFor::CopyingFor(const void *caller) { copying_caller = caller; }
CopyingFor::~CopyingFor() { copying_caller = nullptr; }
const void *copying_for(const void *otherwise) {
  return copying_caller ? copying_caller : otherwise;
}

namespace {
thread_local std::string next_buffer_name;
}
std::size_t copy_leaves_array(bool is_target, const void *array, std::size_t room,
                              std::size_t bytes) {
  if (!hooks || !hooks->copy_leaves_array) return bytes;
  hooks->copy_leaves_array(is_target, array, room, bytes, __builtin_return_address(0));
  return room;
}
void name_next_buffer(const char *name) { next_buffer_name = name; }
std::string take_buffer_name() {
  std::string name;
  name.swap(next_buffer_name);
  return name;
}

cudaError_t copy_checked(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy(to, from, bytes, kind);
}
cudaError_t fill_checked(void *to, int value, std::size_t bytes) { return fill(to, value, bytes); }

void *allocate_for_library(std::size_t bytes) {
  void *memory = std::malloc(bytes + kRoomOfLibrary);
  if (!memory) return nullptr;
  DeviceMemory::instance().add_symbol(memory, bytes);
  if (hooks && hooks->library_memory) hooks->library_memory(memory, bytes);
  return memory;
}
void free_for_library(void *pointer) {
  DeviceMemory::instance().remove_symbol(pointer);
  std::free(pointer);  // a checker forgets it as it forgets what kernels took from malloc()
}
void note_symbol_address(const void *symbol, std::size_t bytes) {
  DeviceMemory::instance().add_symbol(symbol, bytes);
  if (hooks && hooks->symbol_address) hooks->symbol_address(symbol);
}
namespace {
cudaError_t copy_variable(void *to, const void *from, std::size_t bytes, std::size_t offset,
                          std::size_t symbol_bytes, cudaMemcpyKind kind, bool to_host) {
  const bool with_host = kind == (to_host ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
  if (!with_host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
    explain("the variable has " + with_commas(symbol_bytes) + " bytes, " + with_commas(bytes) +
            " are copied from byte " + with_commas(offset) + " on");
    return cudaErrorInvalidValue;
  }
  const void *other = to_host ? to : from;
  if (other && kind != cudaMemcpyDefault && !fits(other, bytes, !with_host, with_host)) {
    explain(misfit(other, bytes, to_host ? "target" : "source", kKinds[kind],
                   on_device(other) != with_host));
    return cudaErrorInvalidValue;
  }
  if (to_host && !on_device(to) && !on_device(from))  // no pages of its own: it is host memory here
    count_copy_to_host(from, bytes);
  return copy(to, from, bytes, cudaMemcpyDefault);
}
}  // namespace

cudaError_t copy_symbol_async(void *to, const void *from, std::size_t bytes, std::size_t offset,
                              std::size_t symbol_bytes, cudaMemcpyKind kind, bool to_host,
                              cudaStream_t stream) {
  const void *caller = __builtin_return_address(0);
  return run_or_capture(stream, cudaGraphNodeTypeMemcpy, [=] {
    const CopyingFor copying(caller);
    return copy_variable(to, from, bytes, offset, symbol_bytes, kind, to_host);
  });
}
cudaError_t no_symbol() {
  explain("the symbol is no variable: write its name, without & and without a cast");
  return finish_call(cudaErrorInvalidSymbol);
}
cudaError_t copy_symbol(void *to, const void *from, std::size_t bytes, std::size_t offset,
                        std::size_t symbol_bytes, cudaMemcpyKind kind, bool to_host) {
  const CopyingFor caller(__builtin_return_address(0));
  if (const cudaError_t error = refused(Use::legacy_stream)) return finish_call(error);
  return finish_call(
      copy_variable(to, from, bytes, offset, symbol_bytes, kind, to_host));
}

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

namespace {
cudaError_t allocate(void **pointer, size_t bytes, const void *caller) {
  if (!pointer) return finish_call(cudaErrorInvalidValue);
  if (sticky_error() != cudaSuccess) return finish_call(sticky_error());
  *pointer = nullptr;
  if (bytes == 0) return finish_call(cudaSuccess);
  *pointer = DeviceMemory::instance().allocate(bytes);
  if (!*pointer) return finish_call(cudaErrorMemoryAllocation);
  count_allocation();
  note_given(*pointer);
  if (hooks) hooks->memory(*pointer, bytes, MemoryEvent::allocated, caller);
  return finish_call(cudaSuccess);
}
}  // namespace

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  if (const cudaError_t error = refused(Use::unsafe)) return finish_call(error);
  return allocate(pointer, bytes, copying_for(__builtin_return_address(0)));
}

cudaError_t cudaFree(void *pointer) {
  if (const cudaError_t error = refused(Use::unsafe)) return finish_call(error);
  return free_memory(pointer, MemoryEvent::freed_wrongly, __builtin_return_address(0));
}

static cudaError_t allocate_in_stream(void **pointer, size_t bytes, cudaMemPool_t pool,
                                      cudaStream_t stream, const void *caller) {
  if (!is_stream(stream)) return finish_call(cudaErrorInvalidResourceHandle);
  if (!this_device().pools) return finish_call(cudaErrorNotSupported);
  if (capturing(stream)) return allocate_in_graph(pointer, bytes, stream, caller);
  if (const cudaError_t error = allocate(pointer, bytes, caller)) return error;
  if (!pool) pool = pool_of(stream_of(stream).device);
  if (*pointer) pool_gives(pool, *pointer, bytes);
  const StreamWork work(stream);
  if (asynchrony() && *pointer)
    asynchrony()->changes_hands(*pointer, bytes, "allocates", caller);
  return cudaSuccess;
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  return allocate_in_stream(pointer, bytes, nullptr, stream, __builtin_return_address(0));
}
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (!is_pool(pool)) {
    explain("it is no pool, or has been destroyed");
    return finish_call(cudaErrorInvalidValue);
  }
  return allocate_in_stream(pointer, bytes, pool, stream, __builtin_return_address(0));
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  if (!is_stream(stream)) return finish_call(cudaErrorInvalidResourceHandle);
  const void *caller = __builtin_return_address(0);
  if (capturing(stream)) return free_in_graph(pointer, stream, caller);
  const StreamWork work(stream);
  if (asynchrony() && pointer) asynchrony()->changes_hands(pointer, 0, "frees", caller);
  return free_memory(pointer, MemoryEvent::freed_wrongly_in_stream, caller);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t error = refused(Use::legacy_stream)) return finish_call(error);
  return finish_call(copy_for(__builtin_return_address(0), to, from, bytes, kind));
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const void *caller = copying_for(__builtin_return_address(0));
  return run_or_capture(stream, cudaGraphNodeTypeMemcpy,
                        [=] { return copy_for(caller, to, from, bytes, kind); });
}
cudaError_t cudaMemset(void *to, int value, size_t bytes) {
  if (const cudaError_t error = refused(Use::legacy_stream)) return finish_call(error);
  const CopyingFor caller(__builtin_return_address(0));
  return finish_call(fill(to, value, bytes));
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  const void *caller = __builtin_return_address(0);
  return run_or_capture(stream, cudaGraphNodeTypeMemset, [=] {
    const CopyingFor copying(caller);
    return fill(to, value, bytes);
  });
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  if (!free_bytes || !total_bytes) return finish_call(cudaErrorInvalidValue);
  *free_bytes = DeviceMemory::instance().free_bytes();
  *total_bytes = DeviceMemory::instance().total_bytes();
  return finish_call(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  if (!attributes) return finish_call(cudaErrorInvalidValue);
  const cudaMemoryType type = type_of(pointer);
  void *address = const_cast<void *>(pointer);
  const bool known = type != cudaMemoryTypeUnregistered;
  *attributes = {type, known ? device_of(pointer) : -2, known ? address : nullptr,
                 type == cudaMemoryTypeDevice ? nullptr : address};
  return finish_call(cudaSuccess);
}
