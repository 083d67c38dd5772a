// cub::BlockLoad: the items of a block from memory, and the loads that need no TempStorage.
#pragma once

#include "block_exchange.cuh"

#pragma GCC visibility push(default)

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
};

// All items, those below `valid`, or these and for all others a value.
#define CUDA_ON_CPU_LOADS(name, place, ...)                                          \
  template <__VA_ARGS__ class T, int items, class Iterator>                          \
  CUDA_ON_CPU_LIBRARY void name(int rank, Iterator from, T(&to)[items]) {            \
    for (int i = 0; i < items; ++i) to[i] = from[place];                             \
  }                                                                                  \
  template <__VA_ARGS__ class T, int items, class Iterator>                          \
  CUDA_ON_CPU_LIBRARY void name(int rank, Iterator from, T(&to)[items], int valid) { \
    for (int i = 0; i < items; ++i)                                                  \
      if (place < valid) to[i] = from[place];                                        \
  }                                                                                  \
  template <__VA_ARGS__ class T, int items, class Default, class Iterator>           \
  CUDA_ON_CPU_LIBRARY void name(int rank, Iterator from, T(&to)[items], int valid,   \
                                Default otherwise) {                                 \
    for (int i = 0; i < items; ++i)                                                  \
      if (place < valid)                                                             \
        to[i] = from[place];                                                         \
      else                                                                           \
        to[i] = otherwise;                                                           \
  }
CUDA_ON_CPU_LOADS(LoadDirectBlocked, rank *items + i, )
CUDA_ON_CPU_LOADS(LoadDirectStriped, rank + i * threads, int threads, )
CUDA_ON_CPU_LOADS(LoadDirectWarpStriped, rank / 32 * 32 * items + i * 32 + rank % 32, )
#undef CUDA_ON_CPU_LOADS

template <class T, int items>
CUDA_ON_CPU_LIBRARY void LoadDirectBlockedVectorized(int rank, T *from, T (&to)[items]) {
  LoadDirectBlocked(rank, from, to);
}

template <class T, int X, int items, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int Y = 1,
          int Z = 1, int legacy = 0>
class BlockLoad {
  static constexpr int kThreads = X * Y * Z;
  static constexpr bool kOfBlock = algorithm == BLOCK_LOAD_TRANSPOSE;
  static constexpr bool kOfWarp =
      algorithm == BLOCK_LOAD_WARP_TRANSPOSE || algorithm == BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED;
  static_assert(!kOfWarp || kThreads % 32 == 0, "a warp transposes its 32 lanes' items");
  using Exchange = BlockExchange<T, X, items, false, Y, Z>;

 public:
  struct Unused {};
  struct TempStorage
      : std::conditional_t<kOfBlock || kOfWarp, typename Exchange::TempStorage, Unused> {};
  CUDA_ON_CPU_CUB_BLOCK(BlockLoad, X, Y, Z)

  template <class Iterator>
  CUDA_ON_CPU_LIBRARY void Load(Iterator from, T (&to)[items], CUDA_ON_CPU_CALLER) {
    load(to, caller, from);
  }
  template <class Iterator>
  CUDA_ON_CPU_LIBRARY void Load(Iterator from, T (&to)[items], int valid, CUDA_ON_CPU_CALLER) {
    load(to, caller, from, valid);
  }
  template <class Iterator, class Default>
  CUDA_ON_CPU_LIBRARY void Load(Iterator from, T (&to)[items], int valid, Default otherwise,
                                CUDA_ON_CPU_CALLER) {
    load(to, caller, from, valid, otherwise);
  }

 private:
  template <class Iterator, class... More>
  CUDA_ON_CPU_LIBRARY void load(T (&to)[items], ::cuda_on_cpu::Site caller, Iterator from,
                                More... more) {
    if constexpr (kOfBlock || algorithm == BLOCK_LOAD_STRIPED)
      LoadDirectStriped<kThreads>(rank_, from, to, more...);
    else if constexpr (kOfWarp)
      LoadDirectWarpStriped(rank_, from, to, more...);
    else
      LoadDirectBlocked(rank_, from, to, more...);
    if constexpr (kOfBlock) Exchange(temp_, caller).StripedToBlocked(to, caller);
    if constexpr (kOfWarp) Exchange(temp_, caller).WarpStripedToBlocked(to, caller);
  }
};

}  // namespace cub

#pragma GCC visibility pop
