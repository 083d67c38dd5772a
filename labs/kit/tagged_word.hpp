// Words from block to block within one cooperative launch, without a barrier. With a barrier a word
// takes three trips, one after the other: it goes to memory, then the news that everything is
// there goes round, then the word is fetched. Here each word has a tag beside it, the number of the
// turn that wrote it. Both are written and read at once, in 64 bits. A thread that needs the word
// reads again until the tag is right.
#pragma once

#ifdef __CUDA_ON_CPU__
#include <cooperative_groups.h>

#include "pool_buffer.hpp"
#else
#include <cuda/atomic>
#endif

#include <cstddef>

#include "cuda_check.hpp"

namespace kit {

/// The tag in the upper half, the word in the lower half. Tag 0 says that no word is there.
using TaggedWord = unsigned long long;

/// Every thread begins a turn with this call, before it waits for words of the turn before. It
/// holds the threads of a block together. Otherwise a fast thread, whose words have arrived, could
/// overwrite shared memory that a slow thread still has to read for the turn before. The CPU runs
/// blocks one after the other, so a loop that waits for another block would not end. There this
/// call waits until all blocks have finished the turn before.
inline __device__ void begin_turn() {
#ifdef __CUDA_ON_CPU__
  cooperative_groups::this_grid().sync();
#else
  __syncthreads();
#endif
}

/// Stores a word for the thread that waits for this tag. Only one thread may wait for it. Only that
/// thread, or another of its block after a barrier, may write to this place again. Then no word is
/// lost.
inline __device__ void store_tagged(TaggedWord& place, unsigned word, unsigned tag) {
  const TaggedWord both = TaggedWord{tag} << 32 | word;
#ifdef __CUDA_ON_CPU__
  place = both;
#else
  cuda::atomic_ref<TaggedWord, cuda::thread_scope_device>(place).store(both,
                                                                       cuda::memory_order_relaxed);
#endif
}

/// Reads once, and says whether the word with this tag was there.
inline __device__ bool load_tagged(TaggedWord& place, unsigned& word, unsigned tag) {
#ifdef __CUDA_ON_CPU__
  const TaggedWord both = place;
  if (both >> 32 != tag) __trap();  // no thread has stored it: a GPU would wait forever
#else
  const TaggedWord both = cuda::atomic_ref<TaggedWord, cuda::thread_scope_device>(place).load(
      cuda::memory_order_relaxed);
#endif
  word = static_cast<unsigned>(both);
  return static_cast<unsigned>(both >> 32) == tag;
}

/// The most words that a launch can use: 2 MB.
inline constexpr std::size_t kMostTaggedWords = std::size_t{1} << 18;

// Gives a launch n places for tagged words. All of them have tag 0, and the launch must leave all
// of them with tag 0. Launches that follow each other, as in one stream, use the same places: to
// take memory for each call would cost microseconds, and the memory would have to be cleared. The
// host cannot reach these places.
#ifdef __CUDA_ON_CPU__
using TaggedWords = PoolBuffer<TaggedWord>;  // here the host could reach a __device__ variable
#else
namespace detail {
[[maybe_unused]] static __device__ TaggedWord tagged_words[kMostTaggedWords];
}

class TaggedWords {
 public:
  /// Throws Error if n is more than kMostTaggedWords.
  explicit TaggedWords(std::size_t n) {
    if (n > kMostTaggedWords) throw Error("more than kMostTaggedWords tagged words");
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
