// Some lanes of one warp, and how they exchange values. Tiles and coalesced groups are built from
// this.
#pragma once

#include <bit>
#include <cstddef>
#include <type_traits>

#include "index.hpp"
#include "warp.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

inline unsigned rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// Tiles of several warps; `size` is a power of two.
void tile_barrier(unsigned size, Site caller);
void tile_exchange(unsigned size, unsigned rank, void *value, std::size_t bytes, Site caller);
unsigned tile_count(unsigned size, bool predicate, Site caller);

struct Lanes {
  unsigned mask;
  unsigned tile = 0;  // number of threads in a tile of several warps, which has no mask

  unsigned size() const { return tile ? tile : static_cast<unsigned>(std::popcount(mask)); }
  unsigned rank() const {
    if (tile) return rank_in_block() % tile;
    return static_cast<unsigned>(std::popcount(mask & ((1u << rank_in_block() % 32) - 1)));
  }
  // Of a rank that the group does not have: a lane that it does not have.
  unsigned lane_of(unsigned rank) const {
    unsigned rest = mask;
    while (rank-- && rest) rest &= rest - 1;
    return static_cast<unsigned>(rest ? std::countr_zero(rest) : std::countr_one(mask) % 32);
  }
  // Bit `rank` of the result is bit `lane_of(rank)` of `lanes`.
  unsigned packed(unsigned lanes) const {
    unsigned result = 0, rank = 0;
    for (unsigned rest = mask; rest; rest &= rest - 1, ++rank)
      result |= (lanes >> std::countr_zero(rest) & 1) << rank;
    return result;
  }

  void sync(Site caller) const {
    if (tile) return tile_barrier(tile, caller);
    warp_rendezvous({WarpFunction::sync, mask}, caller);
  }

  // Each thread receives the value of the thread with rank `rank`. Larger values move in pieces.
  template <class T>
  CUDA_ON_CPU_UNINSTRUMENTED T exchange(T value, unsigned rank, Site caller) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32,
                  "groups exchange trivially copyable values of at most 32 bytes");
    if (tile) {
      tile_exchange(tile, rank, &value, sizeof value, caller);
      return value;
    }
    const int lane = static_cast<int>(lane_of(rank));
    long long words[(sizeof(T) + 7) / 8] = {};
    __builtin_memcpy(words, &value, sizeof value);
    for (long long &word : words)
      word = warp_rendezvous({WarpFunction::shuffle, mask, word, lane, 32}, caller);
    __builtin_memcpy(&value, words, sizeof value);
    return value;
  }
  unsigned ballot(bool predicate, Site caller) const {
    return packed(
        static_cast<unsigned>(warp_rendezvous({WarpFunction::ballot, mask, predicate}, caller)));
  }
  bool any(bool predicate, Site caller) const {
    if (tile) return tile_count(tile, predicate, caller) != 0;
    return warp_rendezvous({WarpFunction::ballot, mask, predicate}, caller) != 0;
  }
  bool all(bool predicate, Site caller) const { return !any(!predicate, caller); }
  template <class T>
  CUDA_ON_CPU_UNINSTRUMENTED unsigned match(T value, Site caller) const {
    static_assert(sizeof(T) <= 8, "match compares values of at most 8 bytes");
    long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return packed(
        static_cast<unsigned>(warp_rendezvous({WarpFunction::match_any, mask, bits}, caller)));
  }
};

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
