// Bitonic sort, a sorting network: a fixed list of comparisons, the same for every input. Each
// comparison puts the smaller of two keys in the first place and the larger in the second. The
// network for n keys has about log2(n)^2 / 2 steps of n / 2 comparisons, and all comparisons of a
// step can be made at the same time.
//
// No step may begin before every thread has finished the step before. For the whole array only the
// end of a launch ensures that. Within a block a barrier does, within a thread the order of its
// lines.
#include <cstddef>

#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {
namespace {

// Threads per block: a multiple of the 32 lanes of a warp. With 256, every current GPU can fill its
// multiprocessors with whole blocks.
constexpr unsigned kBlock = 256;

// ---- stage 1: global ----------------------------------------------------------------------------

// BEGIN STAGE 1 global: an order for all floats, and one step of the network (about 15 lines)
// TODO: your code
// END STAGE 1

// ---- stage 2: any length ------------------------------------------------------------------------

// BEGIN STAGE 2 any-length: checks, and a step that needs no padding (about 25 lines)
// TODO: your code
// END STAGE 2

// ---- stage 3: shared ----------------------------------------------------------------------------

// BEGIN STAGE 3 shared: load a tile, make all steps within it, store it (about 110 lines)
// TODO: your code
// END STAGE 3

// ---- stage 4: registers -------------------------------------------------------------------------

// BEGIN STAGE 4 registers: 16 words per thread, four strides between two exchanges (about 110 lines)
// TODO: your code
// END STAGE 4

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

Result global(float* keys, std::size_t n) {
  // BEGIN STAGE 1 global: refuse other lengths, then launch every step (about 9 lines)
  return Result::unfinished;
  // END STAGE 1
}

Result any_length(float* keys, std::size_t n) {
  // BEGIN STAGE 2 any-length: check, then launch every step up to the size that covers n (9 lines)
  return Result::unfinished;
  // END STAGE 2
}

Result shared(float* keys, std::size_t n) {
  // BEGIN STAGE 3 shared: check, then sort keys (about 4 lines)
  return Result::unfinished;
  // END STAGE 3
}

Result shared_pairs(float* keys, unsigned* values, std::size_t n) {
  // BEGIN STAGE 3 shared: check both pointers, then sort pairs (about 5 lines)
  return Result::unfinished;
  // END STAGE 3
}

Result registers(float* keys, std::size_t n) {
  // BEGIN STAGE 4 registers: check, then sort keys (about 4 lines)
  return Result::unfinished;
  // END STAGE 4
}

Result registers_doubles(double* keys, std::size_t n) {
  // BEGIN STAGE 4 registers: check, then sort doubles (about 4 lines)
  return Result::unfinished;
  // END STAGE 4
}

Result registers_pairs(float* keys, unsigned* values, std::size_t n) {
  // BEGIN STAGE 4 registers: check both pointers, then sort pairs (about 5 lines)
  return Result::unfinished;
  // END STAGE 4
}

}  // namespace bitonic
