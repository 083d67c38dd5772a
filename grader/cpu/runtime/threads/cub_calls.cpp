// Wrong uses of cub that its documentation forbids: a block of another size than a primitive was
// made for, and less temporary storage than a function asked for.
#include "cuda_on_cpu/cub.hpp"

#include <string>

#include "messages/diagnostics.hpp"
#include "messages/failures.hpp"
#include "messages/text.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

std::string extents(const dim3 &block) {
  std::string text = std::to_string(block.x);
  if (block.y > 1 || block.z > 1) text += " x " + std::to_string(block.y);
  return block.z > 1 ? text + " x " + std::to_string(block.z) : text;
}

}  // namespace

void break_block_size(const char *primitive, dim3 made_for, Site site) {
  Block &block = current_block();
  if (block.first_failure())
    report("error", "kernel %s: %s at %s is made for blocks of %s threads; this block has %s",
           block.grid()->name, primitive, text_of(site).c_str(), extents(made_for).c_str(),
           extents(blockDim).c_str());
  block.fail(cudaErrorLaunchFailure);
}

cudaError_t too_few_bytes(std::size_t given, std::size_t needed) {
  explain(with_commas(needed) + " bytes of temporary storage are needed, " + with_commas(given) +
          " given");
  remember_failure(cudaErrorInvalidValue);
  return cudaErrorInvalidValue;
}

}  // namespace cuda_on_cpu
