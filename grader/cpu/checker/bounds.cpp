// What compilers find before an operation, and call this: by -fsanitize=bounds an index beyond an array
// whose size they know (addresses cannot show it, since a thread's own arrays are side by side on its
// stack), by -fsanitize=shift-exponent a shift by too many bits.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "block.hpp"
#include "report.hpp"
#include "state.hpp"

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

}  // namespace
}  // namespace cuda_on_cpu::check

using namespace cuda_on_cpu::check;

extern "C" void __ubsan_handle_out_of_bounds(const OutOfBounds *found, std::uintptr_t index) {
  if (!cuda_on_cpu::kernel_runs || is_row_of_shared_tile(*found->array)) return;
  report_out_of_bounds(found->array->name, static_cast<std::intptr_t>(index),
                       name_of(found->file), found->line);
  cuda_on_cpu::Block &block = cuda_on_cpu::current_block();
  block.first_failure();
  block.fail(cudaErrorIllegalAddress);
}

extern "C" void __ubsan_handle_shift_out_of_bounds(const BadShift *found, std::uintptr_t,
                                                   std::uintptr_t by) {
  if (cuda_on_cpu::kernel_runs)
    report_shift(text_of(*found->exponent, by), found->value->name, name_of(found->file),
                 found->line);
}
