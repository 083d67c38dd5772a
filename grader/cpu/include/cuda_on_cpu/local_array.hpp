// In check mode: fences around a local array of device code whose address goes elsewhere. The
// compiler's checks know the size of `a` in `a[i]`, but not in a function that gets `a` as a
// pointer. With compiler/local_arrays.py,  float best[8] = {0};  becomes
//   typedef float best_array[8]; FencedArray<best_array> best_fenced{{}, {0}, {}};
//   best_fenced.name("best"); best_array &best = best_fenced.open();
// A fence is known by the words in it, so nothing is registered and nothing has to be looked up. An
// array whose time is over is filled with such words, too: whoever reads two of them has kept a
// pointer to it.
#pragma once

#include <cstdint>
#include <type_traits>

#pragma GCC visibility push(default)

#if defined(__clang__)
#define CUDA_ON_CPU_UNWATCHED __attribute__((noinline, no_sanitize("thread")))
#define CUDA_ON_CPU_UNKNOWN CUDA_ON_CPU_UNWATCHED
#else
#define CUDA_ON_CPU_UNWATCHED __attribute__((noinline, no_sanitize_thread))
// g++ must not find out what such a function leaves alone.
#define CUDA_ON_CPU_UNKNOWN __attribute__((noipa, no_sanitize_thread))
#endif

namespace cuda_on_cpu {

// Another one for each launch: a launch that fails leaves its fences on the stacks.
inline std::uint32_t fence_salt = 1;
// Was there any? Programs that are graded have none, and need not look for them.
inline bool has_fences = false;

// What was an array is `gone` when its function has returned, or its block of code has ended.
enum class Side : std::uint32_t { before = 0, behind = 0xffffffff, gone = 0x5a5a5a5a };

// It depends on the place, so a copy of a fence is none.
inline std::uint32_t fence_word(const std::uint32_t *place, Side side) {
  const auto address = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(place));
  return ((address + fence_salt) * 0x9e3779b9u) ^ static_cast<std::uint32_t>(side);
}

// What another thread has left on the same stack is none of this one's.
inline std::uint32_t gone_word(const std::uint32_t *place) {
  return fence_word(place, Side::gone) + threadIdx.x + 1024 * (threadIdx.y + 1024 * threadIdx.z);
}

// The name is on the far side of the fence. It is kept in halves, since an array of int may end at
// any multiple of four.
template <Side side>
struct ArrayFence {
  static constexpr int kWords = 8, kFirst = side == Side::behind ? 0 : 2;
  std::uint32_t all[kWords + 2];

  CUDA_ON_CPU_UNWATCHED ArrayFence() {
    has_fences = true;
    for (std::uint32_t *word = all + kFirst; word != all + kFirst + kWords; ++word)
      *word = fence_word(word, side);
    name("");
  }
  CUDA_ON_CPU_UNWATCHED ~ArrayFence() {
    for (std::uint32_t &word : all) word = 0;
    asm volatile("" : : "r"(all) : "memory");
  }
  ArrayFence(const ArrayFence &) = delete;
  CUDA_ON_CPU_UNWATCHED void name(const char *text) {
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(text);
    std::uint32_t *half = all + (side == Side::behind ? kWords : 0);
    half[0] = static_cast<std::uint32_t>(address);
    half[1] = static_cast<std::uint32_t>(address >> 32);
    asm volatile("" : : "r"(all) : "memory");  // a stray pointer may read it
  }
};

// The fence before an array of so many bytes lives longer than the array, and fills its place.
template <std::size_t bytes, std::size_t alignment>
struct FenceBefore : ArrayFence<Side::before> {
  FenceBefore() = default;
  ~FenceBefore() { fill(true); }
  CUDA_ON_CPU_UNKNOWN void fill(bool gone) {
    char *place = reinterpret_cast<char *>(this);
    asm volatile("" : "+r"(place) : : "memory");
    place += (sizeof(ArrayFence<Side::before>) + alignment - 1) / alignment * alignment;
    auto *const words = reinterpret_cast<std::uint32_t *>(place);
    for (std::size_t i = 0; i < bytes / sizeof(std::uint32_t); ++i)
      words[i] = gone ? gone_word(words + i) : 0;
    asm volatile("" : : "r"(words) : "memory");
  }
};

template <class Array>
struct FencedArray {
  FenceBefore<sizeof(Array), alignof(Array)> before;
  Array array;
  ArrayFence<Side::behind> behind;

  void name(const char *text) {
    before.name(text);
    behind.name(text);
    asm volatile("" : : "r"(this) : "memory");
  }
  // Of an array without values: what it was in an earlier round of a loop is no matter.
  Array &open_new() {
    if constexpr (std::is_trivially_default_constructible_v<Array>) before.fill(false);
    return open();
  }
  // clang announces no access of which it knows that it is to a local variable: it must not know.
  Array &open() {
    Array *found = &array;
#if defined(__clang__)
    asm volatile("" : "+r"(found));
#endif
    return *found;
  }
};

}  // namespace cuda_on_cpu

#undef CUDA_ON_CPU_UNKNOWN
#undef CUDA_ON_CPU_UNWATCHED
#pragma GCC visibility pop
