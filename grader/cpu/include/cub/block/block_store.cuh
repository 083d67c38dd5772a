// cub::BlockStore: the items of a block to memory, and the stores that need no TempStorage.
#pragma once

#include "block_exchange.cuh"

#pragma GCC visibility push(default)

namespace cub {

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED,
};

// All items, or those below `valid`.
#define CUDA_ON_CPU_STORES(name, place, ...)                                         \
  template <__VA_ARGS__ class T, int items, class Iterator>                          \
  CUDA_ON_CPU_LIBRARY void name(int rank, Iterator to, T(&from)[items]) {            \
    for (int i = 0; i < items; ++i) to[place] = from[i];                             \
  }                                                                                  \
  template <__VA_ARGS__ class T, int items, class Iterator>                          \
  CUDA_ON_CPU_LIBRARY void name(int rank, Iterator to, T(&from)[items], int valid) { \
    for (int i = 0; i < items; ++i)                                                  \
      if (place < valid) to[place] = from[i];                                        \
  }
CUDA_ON_CPU_STORES(StoreDirectBlocked, rank *items + i, )
CUDA_ON_CPU_STORES(StoreDirectStriped, rank + i * threads, int threads, )
CUDA_ON_CPU_STORES(StoreDirectWarpStriped, rank / 32 * 32 * items + i * 32 + rank % 32, )
#undef CUDA_ON_CPU_STORES

template <class T, int items>
CUDA_ON_CPU_LIBRARY void StoreDirectBlockedVectorized(int rank, T *to, T (&from)[items]) {
  StoreDirectBlocked(rank, to, from);
}

template <class T, int X, int items, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int Y = 1,
          int Z = 1, int legacy = 0>
class BlockStore {
  static constexpr int kThreads = X * Y * Z;
  static constexpr bool kOfBlock = algorithm == BLOCK_STORE_TRANSPOSE;
  static constexpr bool kOfWarp =
      algorithm == BLOCK_STORE_WARP_TRANSPOSE || algorithm == BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED;
  static_assert(!kOfWarp || kThreads % 32 == 0, "a warp transposes its 32 lanes' items");
  using Exchange = BlockExchange<T, X, items, false, Y, Z>;

 public:
  struct Unused {};
  struct TempStorage
      : std::conditional_t<kOfBlock || kOfWarp, typename Exchange::TempStorage, Unused> {};
  CUDA_ON_CPU_CUB_BLOCK(BlockStore, X, Y, Z)

  template <class Iterator>
  CUDA_ON_CPU_LIBRARY void Store(Iterator to, T (&from)[items], CUDA_ON_CPU_CALLER) {
    store(from, caller, to);
  }
  template <class Iterator>
  CUDA_ON_CPU_LIBRARY void Store(Iterator to, T (&from)[items], int valid, CUDA_ON_CPU_CALLER) {
    store(from, caller, to, valid);
  }

 private:
  // The items of a transposed store are in other places after it, as in cub.
  template <class Iterator, class... Valid>
  CUDA_ON_CPU_LIBRARY void store(T (&from)[items], ::cuda_on_cpu::Site caller, Iterator to,
                                 Valid... valid) {
    if constexpr (kOfBlock) Exchange(temp_, caller).BlockedToStriped(from, caller);
    if constexpr (kOfWarp) Exchange(temp_, caller).BlockedToWarpStriped(from, caller);
    if constexpr (kOfBlock || algorithm == BLOCK_STORE_STRIPED)
      StoreDirectStriped<kThreads>(rank_, to, from, valid...);
    else if constexpr (kOfWarp)
      StoreDirectWarpStriped(rank_, to, from, valid...);
    else
      StoreDirectBlocked(rank_, to, from, valid...);
  }
};

}  // namespace cub

#pragma GCC visibility pop
