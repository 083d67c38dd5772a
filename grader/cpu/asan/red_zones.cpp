// Red zones around cudaMalloc buffers and __shared__ variables. The runtime places both inside
// larger ranges, so AddressSanitizer has to be told. When hooks are set, the runtime leaves room.
#include "red_zones.hpp"

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include "base/hooks.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "threads/shared_arena.hpp"
#include "threads/stack_pool.hpp"

namespace cuda_on_cpu::asan {
namespace {

constexpr std::size_t kBefore = 256, kBehind = 4096;  // of a buffer; less than the runtime leaves
constexpr std::size_t kBehindShared = 1024;           // up to the next variable
constexpr std::size_t kMaxZones = 100;  // with a few more the runtime leaves no room between them
constexpr std::size_t kInstrumentedStack = 128 << 10;  // red zones make frames larger

struct Buffer {
  std::size_t bytes;
  bool freed;
};

struct State {
  std::mutex mutex;
  std::map<const char *, Buffer> buffers;
  // The runtime takes fresh addresses while there are any, so freed buffers can stay poisoned until
  // then. They must not be poisoned any more when the runtime uses them again.
  std::size_t fresh_bytes = kGlobalMemory / 2;
  const char *dynamic = nullptr;
  std::size_t dynamic_bytes = 0;
  std::vector<SharedVariable> variables;  // static ones of this launch
};

State &state() {
  static auto *made =
      new State;  // never destroyed: destructors of static objects may call cudaFree
  return *made;
}

void set_zones(const char *buffer, std::size_t bytes, bool forbidden) {
  const auto set = forbidden ? __asan_poison_memory_region : __asan_unpoison_memory_region;
  set(buffer - kBefore, kBefore);
  set(buffer + bytes, kBehind);
}

void forget_freed(State &known) {
  for (auto i = known.buffers.begin(); i != known.buffers.end();) {
    const auto &[address, buffer] = *i;
    if (buffer.freed) __asan_unpoison_memory_region(address, buffer.bytes);
    if (buffer.freed) set_zones(address, buffer.bytes, false);
    i = buffer.freed ? known.buffers.erase(i) : std::next(i);
  }
}

void memory(const void *pointer, std::size_t bytes, MemoryEvent event, const void *) {
  State &known = state();
  const std::lock_guard lock(known.mutex);
  const char *address = static_cast<const char *>(pointer);
  if (event == MemoryEvent::allocated) {
    const std::size_t taken = 2 * bytes + 2 * kBehind;  // with all the room around it
    known.fresh_bytes -= std::min(taken, known.fresh_bytes);
    known.buffers[address] = {bytes, false};
    set_zones(address, bytes, true);
  } else if (event == MemoryEvent::freed || event == MemoryEvent::freed_by_reset) {
    Buffer &buffer = known.buffers[address];
    buffer.freed = true;
    __asan_poison_memory_region(address, buffer.bytes);
  }
  if (known.fresh_bytes == 0) forget_freed(known);
}

void launch_begin(const char *, Site, const Configuration &) { state().variables.clear(); }

void block_begin(unsigned long long, const char *arena, std::size_t dynamic_bytes) {
  state().dynamic = arena;
  state().dynamic_bytes = dynamic_bytes;
}

void shared_reserved(const SharedVariable &variable) {
  if (state().variables.size() >= kMaxZones) return;
  state().variables.push_back(variable);
  __asan_poison_memory_region(variable.address + variable.bytes, kBehindShared);
}

void accessible(const void *payload, std::size_t bytes, bool, const char *) {
  State &known = state();
  const std::lock_guard lock(known.mutex);
  const char *begin = static_cast<const char *>(payload), *end = begin + bytes;
  auto found = known.buffers.upper_bound(begin);
  if (found == known.buffers.begin()) return;
  const auto &[address, buffer] = *std::prev(found);
  __asan_poison_memory_region(address, begin - address);
  __asan_poison_memory_region(end, address + buffer.bytes - end);
}

std::string distance(const char *address, const char *begin, std::size_t bytes) {
  const bool before = address < begin;
  const std::size_t gap = before ? begin - address : address - begin - bytes;
  return (gap ? std::to_string(gap) + " bytes " : "right ") +
         (before ? "before the start of " : "past the end of ");
}

std::string describe_shared(const State &known, const char *address) {
  if (!known.dynamic || address < known.dynamic - kSharedMargin ||
      address >= known.dynamic - kSharedMargin + kSharedWindow)
    return "";
  const SharedVariable *nearest = nullptr;
  for (const SharedVariable &variable : known.variables)
    if (variable.address <= address && (!nearest || variable.address > nearest->address))
      nearest = &variable;
  if (nearest)
    return distance(address, nearest->address, nearest->bytes) + "__shared__ " +
           (nearest->name ? nearest->name : "variable") + " of " + std::to_string(nearest->bytes) +
           " bytes";
  return distance(address, known.dynamic, known.dynamic_bytes) + "the launch's " +
         std::to_string(known.dynamic_bytes) + " bytes of dynamic shared memory";
}

const Hooks table{
    .launch_begin = launch_begin,
    .launch_end = [] {},
    .block_begin = block_begin,
    .block_end = [] {},
    .shared_reserved = shared_reserved,
    .block_synchronised = [] {},
    .warp_synchronised = [](unsigned, unsigned) {},
    .atomic = [](const void *, std::size_t, AtomicStep, const void *) {},
    .fence = [](bool) {},
    .compared = [](const void *, std::size_t) {},
    .memory = memory,
    .copied = [](void *, const void *, std::size_t bytes, const void *) { return bytes; },
    .copy_leaves_array = nullptr,
    .accessible = accessible,
    .grid_synchronised = nullptr,
    .block_resumed = nullptr,
    .counters = nullptr,
    .reset_counters = nullptr,
    .line_of = nullptr};

// Before main(), and before constructors of the program that may launch kernels.
__attribute__((constructor(101))) void install() {
  set_hooks(&table);
  set_wanted_stack_bytes(std::max(wanted_stack_bytes(), kInstrumentedStack));
}

}  // namespace

void set_shared_zones(bool forbidden) {
  const State &known = state();
  if (!known.dynamic) return;
  const auto set = forbidden ? __asan_poison_memory_region : __asan_unpoison_memory_region;
  set(known.dynamic - kSharedMargin, kSharedMargin);
  set(known.dynamic + known.dynamic_bytes, kBehindShared);
  for (const SharedVariable &variable : known.variables)
    set(variable.address + variable.bytes, kBehindShared);
}

std::string describe(const char *address) {
  State &known = state();
  if (const std::string shared = describe_shared(known, address); !shared.empty()) return shared;
  auto found = known.buffers.upper_bound(address + kBefore);
  if (found == known.buffers.begin()) return "";
  const auto &[begin, buffer] = *std::prev(found);
  const std::string what = "a cudaMalloc buffer of " + std::to_string(buffer.bytes) + " bytes";
  const bool inside = address >= begin && address < begin + buffer.bytes;
  if (inside) return (buffer.freed ? "inside " + what + " after cudaFree" : "in a gap of " + what);
  return address < begin + buffer.bytes + kBehind ? distance(address, begin, buffer.bytes) + what
                                                  : "";
}

}  // namespace cuda_on_cpu::asan
