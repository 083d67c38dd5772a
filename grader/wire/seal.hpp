// A timed call's inputs arrive sealed: every word of them is combined with a key stream, and the
// key comes with the request that starts the clock. What a submission did with the inputs before
// that moment, it did with noise: it cannot sort them ahead of time, nor know them again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#if defined(__CUDACC__) || defined(__CUDA_ON_CPU__)
#define WARPWISE_BOTH_SIDES __host__ __device__
#else
#define WARPWISE_BOTH_SIDES
#endif

namespace warpwise {

/// Word `index` of the key stream of one buffer. The mixing is that of SplitMix64 (Steele, Lea and
/// Flood, 2014): every bit of the key reaches every bit of the word.
WARPWISE_BOTH_SIDES inline std::uint64_t key_word(std::uint64_t key, std::uint64_t buffer,
                                                  std::uint64_t index) {
  std::uint64_t word = key + (buffer << 40 | index) * 0x9E3779B97F4A7C15u;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

/// Every buffer of a batch has a key stream of its own: 64 arguments per slot are enough.
inline std::uint64_t buffer_number(std::uint32_t slot, std::uint32_t argument) {
  return std::uint64_t{slot} * 64 + argument;
}

/// Seals on the host, or opens again: the operation undoes itself.
inline void seal(std::span<std::byte> payload, std::uint64_t key, std::uint64_t buffer) {
  for (std::size_t first = 0; first < payload.size(); first += sizeof(std::uint64_t)) {
    const std::size_t bytes = std::min(sizeof(std::uint64_t), payload.size() - first);
    std::uint64_t word = 0;
    std::memcpy(&word, payload.data() + first, bytes);
    word ^= key_word(key, buffer, first / sizeof word);
    std::memcpy(payload.data() + first, &word, bytes);
  }
}

/// A sealed buffer in device memory.
struct SealedBuffer {
  std::byte* payload;  // aligned to 8 bytes
  std::uint64_t bytes;
  std::uint64_t number;
};

/// Opens all buffers by one launch on the default stream; may return before it has finished.
/// `count` descriptors are in device memory; `largest` is the size of the largest buffer.
void open_sealed(const SealedBuffer* buffers, std::uint32_t count, std::uint64_t largest,
                 std::uint64_t key);

}  // namespace warpwise
