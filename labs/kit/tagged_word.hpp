// Words from block to block within one cooperative launch, without a barrier. Behind a barrier a
// word takes three trips, one after the other: it goes to memory, then the news that everything is
// there goes round, then the word is fetched. Here each word stands beside a tag, the number of the
// turn that it is from, and both are written and read at once, in 64 bits. Whoever needs the word
// reads until the tag is right.
#pragma once

#ifdef __CUDA_ON_CPU__
#include <cooperative_groups.h>

#include "pool_buffer.hpp"
#else
#include <cuda/atomic>
#include <stdexcept>
#endif

#include <cstddef>

#include "cuda_check.hpp"

namespace kit {

/// The tag above, the word below. Tag 0 says that no word is there.
using TaggedWord = unsigned long long;

/// Every thread begins a turn with this line, before it waits for words of the turn before. It
/// holds the threads of a block together: otherwise a fast one, whose words are there, could write
/// into shared memory what a slow one has not read yet for its words of the turn before. The CPU
/// runs blocks one after the other, so that a loop that waits for another block would not end:
/// there all of them finish the turn before.
inline __device__ void begin_turn() {
#ifdef __CUDA_ON_CPU__
  cooperative_groups::this_grid().sync();
#else
  __syncthreads();
#endif
}

/// Leaves a word for the thread that waits for this tag. Only one thread may wait for it, and only
/// it may write there again, or another of its block behind a barrier: then no word is lost.
inline __device__ void store_tagged(TaggedWord& place, unsigned word, unsigned tag) {
  const TaggedWord both = TaggedWord{tag} << 32 | word;
#ifdef __CUDA_ON_CPU__
  place = both;
#else
  cuda::atomic_ref<TaggedWord, cuda::thread_scope_device>(place).store(both,
                                                                       cuda::memory_order_relaxed);
#endif
}

/// Reads once, and says whether the word of this tag stood there.
inline __device__ bool load_tagged(TaggedWord& place, unsigned& word, unsigned tag) {
#ifdef __CUDA_ON_CPU__
  const TaggedWord both = place;
  if (both >> 32 != tag) __trap();  // nobody has stored it: a GPU would wait for ever
#else
  const TaggedWord both = cuda::atomic_ref<TaggedWord, cuda::thread_scope_device>(place).load(
      cuda::memory_order_relaxed);
#endif
  word = static_cast<unsigned>(both);
  return static_cast<unsigned>(both >> 32) == tag;
}

/// The most words of a launch: 2 MB.
inline constexpr std::size_t kMostTaggedWords = std::size_t{1} << 18;

// Where a launch finds n places for tagged words, all of tag 0, and has to leave them so. Launches
// that follow each other, as in one stream, use the same ones: memory that is taken for a call
// would cost microseconds, and would have to be cleared. The host cannot reach them.
#ifdef __CUDA_ON_CPU__
using TaggedWords = PoolBuffer<TaggedWord>;  // a variable of the device it could reach here
#else
namespace detail {
[[maybe_unused]] static __device__ TaggedWord tagged_words[kMostTaggedWords];
}

class TaggedWords {
 public:
  /// Throws std::length_error if n is more than kMostTaggedWords.
  explicit TaggedWords(std::size_t n) {
    if (n > kMostTaggedWords) throw std::length_error("more than kMostTaggedWords tagged words");
  }
  /// Throws CudaError.
  TaggedWord* data() const {
    static TaggedWord* const words = [] {
      void* address = nullptr;
      CUDA_CHECK(cudaGetSymbolAddress(&address, detail::tagged_words));
      return static_cast<TaggedWord*>(address);
    }();
    return words;
  }
};
#endif

}  // namespace kit
