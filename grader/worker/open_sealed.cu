// Opens sealed inputs on the device, when the clock is already running.
#include <cuda_runtime.h>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "seal.hpp"

namespace warpwise {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kMostBlocks = 256;  // per buffer; a thread takes several words of a large one

__global__ void open_words(const SealedBuffer* buffers, std::uint64_t key) {
  const SealedBuffer buffer = buffers[blockIdx.y];
  auto* const words = reinterpret_cast<std::uint64_t*>(buffer.payload);
  const std::uint64_t whole = buffer.bytes / sizeof(std::uint64_t);
  const std::uint64_t first = blockIdx.x * kThreads + threadIdx.x;
  for (std::uint64_t i = first; i < whole; i += std::uint64_t{gridDim.x} * kThreads)
    words[i] ^= key_word(key, buffer.number, i);
  if (first == 0) {  // what is left of a payload that is no multiple of eight bytes
    std::uint64_t last = key_word(key, buffer.number, whole);
    for (std::uint64_t i = whole * sizeof last; i < buffer.bytes; ++i, last >>= 8)
      reinterpret_cast<unsigned char*>(buffer.payload)[i] ^= static_cast<unsigned char>(last);
  }
}

}  // namespace

void open_sealed(const SealedBuffer* buffers, std::uint32_t count, std::uint64_t largest,
                 std::uint64_t key) {
  if (count == 0) return;
  const auto words = static_cast<unsigned>(
      std::min<std::uint64_t>(largest / sizeof(std::uint64_t) + 1, kMostBlocks * kThreads));
  const dim3 grid((words + kThreads - 1) / kThreads, count);
  open_words<<<grid, kThreads>>>(buffers, key);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace warpwise
