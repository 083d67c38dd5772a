// An index beyond an array whose size the compiler knows: -fsanitize=bounds calls this before the
// access. It finds what addresses cannot show, since a thread's own arrays are side by side on its
// stack.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

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
  const char *slash = std::strrchr(found->file, '/');
  report_out_of_bounds(found->array->name, static_cast<std::intptr_t>(index),
                       slash ? slash + 1 : found->file, found->line);
  cuda_on_cpu::Block &block = cuda_on_cpu::current_block();
  block.first_failure();
  block.fail(cudaErrorIllegalAddress);
}
