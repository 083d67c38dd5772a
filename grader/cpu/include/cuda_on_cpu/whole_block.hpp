// A block whose threads run as a loop between two barriers. compiler/loops/ writes these
// words, in run mode, where the text shows that all threads come to the same barriers.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "index.hpp"
#include "launch.hpp"
#include "vector_types.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// What a thread may have from one part to the next: a number, a pointer, a vector, or an array of
// them. An object may do more in its lifetime than the text of a part shows.
template <class T>
inline constexpr bool is_value = std::is_scalar_v<T> || is_vector<T> || std::is_same_v<T, dim3>;
template <class T, std::size_t n>
inline constexpr bool is_value<T[n]> = is_value<T>;

// The value of what is a variable in the text, where it is made a constant: no constant expression
// may have it.
template <class T>
CUDA_ON_CPU_INLINE T value_of(T value) {
  return value;
}

void run_whole_block();  // the calling thread, the first of its block, does the work of all
void pass_barrier();     // all threads of the block have come to __syncthreads()
void set_turn(unsigned position);  // threadIdx, where the order of threads is another one
char *take_kept(std::size_t bytes);
void give_back_kept();  // what was taken last

// `region(turn)` for each thread, in the order in which they would run without barriers. Each has a
// copy of what the region holds by value.
template <class Region>
CUDA_ON_CPU_INLINE void for_each_thread(const Region &region) {
  const BlockProgress &progress = *block_progress;
  const unsigned count = progress.count;
  const bool forward = progress.forward;
  const dim3 extent = blockDim;
  uint3 index{};
  for (unsigned turn = 0; turn < count; ++turn) {
    if (forward)
      threadIdx = index;
    else
      set_turn(turn);
    Region own = region;
    own(turn);
    if (++index.x == extent.x) {
      index.x = 0;
      if (++index.y == extent.y) index.y = 0, ++index.z;
    }
  }
}

// The values that a variable has in each thread, from one region to the next.
template <class T>
class Kept {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);
  static_assert(alignof(T) <= alignof(std::max_align_t));
  static_assert(sizeof(T) <= 1024, "to copy more takes longer than to wait");

 public:
  Kept() : values_(take_kept(sizeof(T) * block_progress->count)) {}
  ~Kept() { give_back_kept(); }
  Kept(const Kept &) = delete;
  Kept &operator=(const Kept &) = delete;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // a thread need not have given it a value
  void save(unsigned turn, const T &value) {
    __builtin_memcpy(values_ + sizeof(T) * turn, &value, sizeof(T));
  }
#pragma GCC diagnostic pop
  void load(unsigned turn, T &value) const {
    __builtin_memcpy(&value, values_ + sizeof(T) * turn, sizeof(T));
  }
  std::remove_all_extents_t<T> value(unsigned turn) const {
    T copy;
    load(turn, copy);
    return copy;
  }

 private:
  char *const values_;
};

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
