// What reports have in common: each is made once, and places have names.
#pragma once

#include <cstdint>
#include <string>

#include "access.hpp"
#include "kernel_heap.hpp"
#include "places.hpp"

namespace cuda_on_cpu::check {

enum class Kind {
  race,
  equal_writes,
  outside,
  host,
  constant,
  uninitialised,
  asynchrony,
  value,
  atomic_of_local
};

inline constexpr const char *kConstant =
    "the buffer is const: it must not be written, not even if it is restored";

// Two accesses may race in one buffer and then in another: `memory` tells them apart.
using Memory = unsigned;

// Is it the first of its kind at these two sites, or at this one, or at this line?
bool is_new(Kind kind, Memory memory, std::uint32_t a, std::uint32_t b, const char *verb_a = "",
            const char *verb_b = "");
bool is_new(Kind kind, std::uint32_t site);
bool is_new_line(Kind kind, const char *file, unsigned line);
void forget_seen();

Place place_of(const char *address, std::size_t bytes);
std::string here();  // kernel, block and thread
bool is_of_program(const HeapBlock &block);  // not of a library or of the runtime
std::string heap_block_text(const HeapBlock &block);  // with the line that allocated it
inline const char *verb_of(const Access &access) { return access.writes ? "writes" : "reads"; }

}  // namespace cuda_on_cpu::check
