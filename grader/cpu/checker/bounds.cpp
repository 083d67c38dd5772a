// What compilers find before an operation, and call this: by -fsanitize=bounds an index beyond an
// array whose size they know (addresses cannot show it, since a thread's own arrays are side by
// side on its stack), by -fsanitize=shift-exponent a shift by too many bits, by
// -fsanitize=alignment a float4 at a multiple of 8 (../compiler/wide_vectors.py).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/hooks.hpp"
#include "bounds.hpp"
#include "report.hpp"
#include "source_line.hpp"
#include "state.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu::check {
namespace {

// What the compiler passes.
struct TypeDescriptor {
  std::uint16_t kind, information;
  char name[1];  // "'float [4]'"
};
struct OutOfBounds {
  const char *file;
  std::uint32_t line, column;
  const TypeDescriptor *array, *index;
};

struct BadShift {
  const char *file;
  std::uint32_t line, column;
  const TypeDescriptor *value, *exponent;
};

// others are members, which a GPU loads one by one
enum class Manner : std::uint8_t { load, store };
struct BadAddress {
  const char *file;
  std::uint32_t line, column;
  const TypeDescriptor *type;
  std::uint8_t log_alignment;
  Manner use;
};

const char *name_of(const char *file) {
  const char *slash = std::strrchr(file, '/');
  return slash ? slash + 1 : file;
}

// The exponent is passed by value if it fits.
std::string text_of(const TypeDescriptor &type, std::uintptr_t value) {
  const bool is_signed = type.information & 1;
  const unsigned bits = 1u << (type.information >> 1);
  if (bits > 64) return "too many bits";
  const unsigned unused = 64 - bits;
  return is_signed ? std::to_string(static_cast<std::intptr_t>(value << unused) >> unused)
                   : std::to_string(value << unused >> unused);
}

// Programs go through all of tile[32][33] as tile[0][i], which is no mistake on a GPU.
bool is_row_of_shared_tile(const TypeDescriptor &array) {
  const char *bracket = std::strrchr(array.name, '[');
  const long extent = bracket ? std::atol(bracket + 1) : 0;
  const auto &tiles = state().shared_memory.variables;
  return std::any_of(tiles.begin(), tiles.end(), [&](const SharedVariable &tile) {
    return tile.extents[1] != 0 && (tile.extents[1] == extent || tile.extents[2] == extent);
  });
}

const std::uint32_t *word_of(const char *address) {
  return reinterpret_cast<const std::uint32_t *>(
      reinterpret_cast<std::uintptr_t>(address) / sizeof(std::uint32_t) * sizeof(std::uint32_t));
}

// The name of the array whose fence has this word. One word may be a program's value by chance, two
// are not.
const char *name_at(const std::uint32_t *word, Side side) {
  const auto is_fence = [side](const std::uint32_t *place) {
    return *place == fence_word(place, side);
  };
  if (!is_fence(word) || (!is_fence(word + 1) && !is_fence(word - 1))) return nullptr;
  const int step = side == Side::behind ? 1 : -1;  // away from the array
  while (is_fence(word)) word += step;
  const std::uint32_t *halves = side == Side::behind ? word : word - 1;
  return reinterpret_cast<const char *>(std::uint64_t{halves[1]} << 32 | halves[0]);
}

}  // namespace

const char *array_left_by(const Access &access) {
  for (const char *address : {access.address, access.address + access.bytes - 1})
    for (const Side side : {Side::before, Side::behind})
      if (const char *name = name_at(word_of(address), side)) return name;
  return nullptr;
}

// A struct may be copied whole with members that nobody has written, so only single values count.
bool reads_array_that_is_gone(const Access &access) {
  if (!access.reads || access.whole_object || access.bytes > 8 || access.bytes % 4) return false;
  const std::uint32_t *word = word_of(access.address);
  const auto is_gone = [](const std::uint32_t *place) { return *place == gone_word(place); };
  return is_gone(word) && (is_gone(word + 1) || is_gone(word - 1));
}

}  // namespace cuda_on_cpu::check

using namespace cuda_on_cpu::check;

extern "C" void __ubsan_handle_out_of_bounds(const OutOfBounds *found, std::uintptr_t index) {
  if (!cuda_on_cpu::kernel_runs || is_row_of_shared_tile(*found->array)) return;
  const cuda_on_cpu::WorkForKernel work;
  report_out_of_bounds(found->array->name, static_cast<std::intptr_t>(index),
                       name_of(found->file), found->line);
  cuda_on_cpu::Block &block = cuda_on_cpu::current_block();
  block.first_failure();
  block.fail(cudaErrorIllegalAddress);
}

// Accesses of up to eight bytes are judged when they happen (access.cpp).
extern "C" void __ubsan_handle_type_mismatch_v1(const BadAddress *found, std::uintptr_t address) {
  constexpr std::size_t kVector = 16;
  const bool is_whole = found->use == Manner::load || found->use == Manner::store;
  if (!cuda_on_cpu::kernel_runs || !is_whole || found->log_alignment < 4 ||
      address % kVector == 0 ||
      cuda_on_cpu::current_block().owns_stack(reinterpret_cast<const char *>(address)))
    return;
  const cuda_on_cpu::WorkForKernel work;
  const bool writes = found->use == Manner::store;
  report_misaligned({reinterpret_cast<const char *>(address), kVector, !writes, writes},
                    site_of(__builtin_return_address(0)));
  cuda_on_cpu::Block &block = cuda_on_cpu::current_block();
  block.first_failure();
  block.fail(cudaErrorMisalignedAddress);
}

extern "C" void __ubsan_handle_shift_out_of_bounds(const BadShift *found, std::uintptr_t,
                                                   std::uintptr_t by) {
  if (cuda_on_cpu::kernel_runs)
    report_shift(text_of(*found->exponent, by), found->value->name, name_of(found->file),
                 found->line);
}
