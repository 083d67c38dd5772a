// Names for addresses: which buffer or __shared__ variable an access belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/hooks.hpp"
#include "device/host_memory.hpp"
#include "shadow.hpp"
#include "variables.hpp"

namespace cuda_on_cpu::check {

// A stretch of memory that a submission may use.
struct Buffer {
  const char *begin;
  std::size_t bytes;
  unsigned number;  // in the order of cudaMalloc
  bool freed = false, by_reset = false;  // by_reset: by cudaDeviceReset, not by cudaFree
  bool closed = false;  // of another device than the one that runs, and not open to it
  std::string name;        // if the program gave it one
  std::string variable;    // that got the pointer, if that is known
  const char *allocation;  // equal to begin, unless mark_accessible() cut off the ends
  std::size_t allocation_bytes;
  std::uint32_t made_at;  // the call, see source_line.hpp; or 0
};

std::string title_of(const Buffer &buffer);    // "buffer 2, d_out (132 bytes)"
std::string title_of(const HostSpan &buffer);  // "pinned memory h_out (132 bytes)"

class Buffers {
 public:
  void add(const char *begin, std::size_t bytes, std::string variable, std::uint32_t made_at);
  void free(const char *begin, bool by_reset);
  Buffer *find(const char *address);  // the allocation that holds it, freed ones too
  const Buffer *nearest(const char *address) const;
  void close_for(int device, Shadow &global);  // what a kernel on this device may not use
  void fill(const char *page_begin, WordState *state) const;
  std::vector<Buffer> never_freed() const;  // by cudaFree or by cudaDeviceReset

 private:
  std::vector<Buffer> all_;  // by address
  unsigned count_ = 0;
};

// An access at an address: "global memory, buffer 1 (132 bytes), element 33" and, when it is
// outside, "past its end". `buffer` is the name that the program gave the buffer.
struct Place {
  std::string text, outside, buffer = {};
};
Place place_in(const Buffers &buffers, const char *address, std::size_t bytes);

Place place_in(const Variables &variables, const char *address, std::size_t bytes);

Place place_in(const HostSpan &buffer, const char *address, std::size_t bytes);

struct SharedMemory {
  const char *dynamic = nullptr;
  std::size_t dynamic_bytes = 0;
  std::vector<SharedVariable> variables;  // by address
};
Place place_in(const SharedMemory &shared, const char *address, std::size_t bytes);

}  // namespace cuda_on_cpu::check
