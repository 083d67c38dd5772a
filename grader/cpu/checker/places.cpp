#include "places.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "device/device.hpp"

namespace cuda_on_cpu::check {
namespace {

// Bytes between an address and a stretch of memory; 0 inside.
std::size_t distance(const char *address, const char *begin, std::size_t bytes) {
  if (address < begin) return begin - address;
  return address < begin + bytes ? 0 : address - (begin + bytes) + 1;
}

std::string outside_text(const char *address, const char *begin, std::size_t bytes) {
  if (address < begin) return "before its beginning";
  return address + 1 > begin + bytes ? "past its end" : "across its end";
}

// Rounds down, so that one byte before the beginning is element -1.
long index_of(const char *address, const char *begin, std::size_t element) {
  const long offset = address - begin, size = static_cast<long>(element);
  return offset >= 0 ? offset / size : -((-offset + size - 1) / size);
}

}  // namespace

// ---- global memory ------------------------------------------------------------------------------

std::string title_of(const Buffer &buffer) {
  return "buffer " + std::to_string(buffer.number) +
         (buffer.variable.empty() ? "" : ", " + buffer.variable) + " (" +
         std::to_string(buffer.bytes) + " bytes)";
}

void Buffers::add(const char *begin, std::size_t bytes, std::string variable,
                  std::uint32_t made_at) {
  std::erase_if(all_, [&](const Buffer &old) {  // addresses that are used again
    return old.freed && old.allocation < begin + bytes &&
           begin < old.allocation + old.allocation_bytes;
  });
  const auto behind = std::find_if(all_.begin(), all_.end(),
                                   [&](const Buffer &other) { return other.begin > begin; });
  all_.insert(behind,
              {begin, bytes, ++count_, false, false, false, "", std::move(variable), begin, bytes,
               made_at});
}

void Buffers::free(const char *begin, bool by_reset) {
  for (Buffer &buffer : all_)
    if (buffer.allocation == begin && !buffer.freed)
      buffer.freed = true, buffer.by_reset = by_reset;
}

Buffer *Buffers::find(const char *address) {
  // A binary search, because this is called for every race and a program may have had thousands of
  // buffers.
  const auto behind = std::upper_bound(
      all_.begin(), all_.end(), address,
      [](const char *wanted, const Buffer &buffer) { return wanted < buffer.allocation; });
  if (behind == all_.begin()) return nullptr;
  Buffer &last = *std::prev(behind);
  return distance(address, last.allocation, last.allocation_bytes) == 0 ? &last : nullptr;
}

const Buffer *Buffers::nearest(const char *address) const {
  const auto closer = [&](const Buffer &a, const Buffer &b) {
    return distance(address, a.begin, a.bytes) < distance(address, b.begin, b.bytes);
  };
  const auto found = std::min_element(all_.begin(), all_.end(), closer);
  return found == all_.end() ? nullptr : &*found;
}

void Buffers::close_for(int device, Shadow &global) {
  for (Buffer &buffer : all_) {
    const bool closed = !buffer.freed && !may_use(device, buffer.allocation);
    if (std::exchange(buffer.closed, closed) != closed)
      global.refill(buffer.allocation, buffer.allocation_bytes);
  }
}

void Buffers::fill(const char *page_begin, WordState *state) const {
  for (std::size_t word = 0; word < kPageWords; ++word) state[word] &= kWritten;
  for (const Buffer &buffer : all_) {
    if (buffer.freed || buffer.closed) continue;
    const char *from = std::max(page_begin, buffer.begin);
    const char *to = std::min(page_begin + kPageBytes, buffer.begin + buffer.bytes);
    for (; from < to; ++from)
      state[(from - page_begin) / 4] |= static_cast<WordState>(1u << (from - page_begin) % 4);
  }
}

std::vector<Buffer> Buffers::never_freed() const {
  std::vector<Buffer> live = all_;
  std::erase_if(live, [](const Buffer &buffer) { return buffer.freed; });
  std::sort(live.begin(), live.end(), [](auto &a, auto &b) { return a.number < b.number; });
  return live;
}

Place place_in(const Buffers &buffers, const char *address, std::size_t bytes) {
  const Buffer *buffer = buffers.nearest(address);
  if (!buffer) return {"global memory", "where there is no buffer"};
  const std::string index = std::to_string(index_of(address, buffer->begin, bytes));
  const std::string text = buffer->name.empty()
                               ? "global memory, " + title_of(*buffer) + ", element " + index
                               : "global memory " + buffer->name + "[" + index + "] (" +
                                     std::to_string(buffer->bytes) + " bytes)";
  return {text,
          buffer->by_reset ? "after cudaDeviceReset"
          : buffer->freed  ? "after cudaFree"
          : buffer->closed ? "of another device, which cudaDeviceEnablePeerAccess() has not opened,"
                           : outside_text(address, buffer->begin, buffer->bytes),
          buffer->name};
}

std::string title_of(const HostSpan &buffer) {
  const std::string kind = buffer.type == cudaMemoryTypeManaged ? "managed" : "pinned";
  return kind + " memory" + (buffer.name.empty() ? "" : " " + buffer.name) + " (" +
         std::to_string(buffer.bytes) + " bytes)";
}

Place place_in(const HostSpan &buffer, const char *address, std::size_t bytes) {
  return {title_of(buffer) + ", element " + std::to_string(index_of(address, buffer.begin, bytes)),
          outside_text(address, buffer.begin, buffer.bytes)};
}

Place place_in(const Variables &variables, const char *address, std::size_t bytes) {
  const Variable *variable = variables.nearest(address);
  if (!variable) return {"a __device__ variable", "where there is no variable"};
  const std::string index = std::to_string(index_of(address, variable->begin, bytes));
  return {"variable " + variable->name + " (" + std::to_string(variable->bytes) +
              " bytes), element " + index,
          outside_text(address, variable->begin, variable->bytes)};
}

// ---- shared memory ------------------------------------------------------------------------------

namespace {

// tile[3][17]: the index in every dimension. An overflow is counted in the first dimension.
std::string subscript(const SharedVariable &variable, long index) {
  std::string text;
  for (int dimension = 2; dimension > 0; --dimension) {
    const long extent = variable.extents[dimension];
    if (!extent) continue;
    const long inner = ((index % extent) + extent) % extent;
    text = "[" + std::to_string(inner) + "]" + text;
    index = (index - inner) / extent;
  }
  return "[" + std::to_string(index) + "]" + text;
}

std::string variable_text(const SharedVariable &variable, const char *address) {
  const std::string name = variable.name ? variable.name : "variable";
  const long index = index_of(address, variable.address, variable.element_bytes);
  const bool scalar = variable.extents[0] == 0 && index == 0;
  return "shared memory " + name + (scalar ? "" : subscript(variable, index));
}

}  // namespace

Place place_in(const SharedMemory &shared, const char *address, std::size_t bytes) {
  const SharedVariable *best = nullptr;
  std::size_t closest = shared.dynamic_bytes
                            ? distance(address, shared.dynamic, shared.dynamic_bytes)
                            : ~std::size_t{0};
  for (const SharedVariable &variable : shared.variables) {
    const std::size_t away = distance(address, variable.address, variable.bytes);
    if (away >= closest) continue;
    closest = away;
    best = &variable;
  }
  if (best)
    return {variable_text(*best, address), outside_text(address, best->address, best->bytes)};
  const std::string index = std::to_string(index_of(address, shared.dynamic, bytes));
  const std::string size = " (" + std::to_string(shared.dynamic_bytes) + " bytes)";
  if (!shared.dynamic_bytes)
    return {"shared memory", "although the launch asked for no dynamic shared memory"};
  return {"dynamic shared memory" + size + ", element " + index,
          outside_text(address, shared.dynamic, shared.dynamic_bytes)};
}

}  // namespace cuda_on_cpu::check
