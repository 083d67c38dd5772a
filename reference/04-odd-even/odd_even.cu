// Odd-even transposition sort (Habermann's parallel neighbour-sort, 1972). Neighbours are compared
// in pairs, even pairs and odd pairs in turn; after n phases any array of n keys is sorted. It is
// what bubble sort becomes when everyone may swap at once.
//
// That is n * n / 2 comparisons and, with a launch for each phase, n launches and n passes over
// memory. A launch costs as much as ten thousand comparisons, so the stages differ in how much
// happens between two launches: one phase, several hundred of them in registers, or a merge of two
// whole runs. No barrier reaches beyond a block: only the end of a launch does.
#include "odd_even.hpp"

#include <algorithm>
#include <climits>
#include <span>
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"

namespace odd_even {
namespace {

// Threads of a block where no shared memory asks for more or less: a multiple of the warp's 32 that
// divides what a multiprocessor holds.
constexpr int kBlock = 256;

// ---- stage 1: phases ----------------------------------------------------------------------------

__global__ void compare_neighbours(float* keys, int n, int parity) {
  // BEGIN STAGE 1 phases: put one pair of neighbours in order (about 8 lines)
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;  // also the last key of all, when it has no partner in this phase
  const float first = keys[i];
  const float second = keys[i + 1];
  if (second < first) {  // strictly: equal keys keep their order
    keys[i] = second;
    keys[i + 1] = first;
  }
  // END STAGE 1
}

// ---- stage 2: early exit ------------------------------------------------------------------------

// BEGIN STAGE 2 early-exit: the same, and say so when something changed (about 12 lines)
__global__ void compare_and_tell(float* keys, int n, int parity, int* changed) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  const float first = keys[i];
  const float second = keys[i + 1];
  if (second < first) {
    keys[i] = second;
    keys[i + 1] = first;
    // Everyone who writes writes the same, so no atomic is needed. Nobody in this launch resets it:
    // a block that starts late would wipe out what an early one had said.
    *changed = 1;
  }
}

/// Launches phases until an even and an odd one in a row have changed nothing, or n are done.
/// `launch(parity, changed)` launches one phase, which sets *changed to 1 if it changes something.
template <typename Launch>
void launch_until_clean(int n, const Launch& launch) {
  kit::DeviceBuffer<int> changed(1);
  int some_change = 1;
  for (int phase = 0; phase < n && some_change; phase += 2) {
    // In the same stream as the launches: done before the first of them begins.
    CUDA_CHECK(cudaMemsetAsync(changed.data(), 0, sizeof(int)));
    launch(0, changed.data());
    launch(1, changed.data());
    CUDA_CHECK_LAUNCH();
    // One answer for two phases: one clean phase alone proves nothing, two of both parities all.
    changed.copy_to(std::span(&some_change, 1));
  }
}
// END STAGE 2

// ---- stage 3: records ---------------------------------------------------------------------------

// BEGIN STAGE 3 records: the rule, a swap of all that belongs to a record, the count (about 55 lines)
struct Records {
  int* order;
  int* level;
  float* value;
  float* payload;
  int dimensions;
  int n;
};

struct Rank {
  int order, level;
  float value;
};

/// Does a record of rank a belong before one of rank b? Never both ways: equal ones keep their order.
__device__ bool before(const Rank& a, const Rank& b) {
  if (a.order == 0 || b.order == 0) return a.order != 0 && b.order == 0;
  if (a.level != b.level) return a.level > b.level;
  return a.value > b.value;
}

/// Records i and i + 1, which have these ranks, change places. Coordinates of one dimension lie
/// side by side, so that the threads of a warp, two records each, read and write whole lines.
__device__ void swap_records(const Records& records, int i, const Rank& first, const Rank& second) {
  records.order[i] = second.order;
  records.order[i + 1] = first.order;
  records.level[i] = second.level;
  records.level[i + 1] = first.level;
  records.value[i] = second.value;
  records.value[i + 1] = first.value;
  for (int d = 0; d < records.dimensions; ++d) {
    float* const at = records.payload + static_cast<size_t>(d) * records.n + i;
    const float moving = at[0];
    at[0] = at[1];
    at[1] = moving;
  }
}

__global__ void compare_records(Records records, int parity, int* changed) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= records.n) return;
  const Rank first{records.order[i], records.level[i], records.value[i]};
  const Rank second{records.order[i + 1], records.level[i + 1], records.value[i + 1]};
  if (!before(second, first)) return;
  swap_records(records, i, first, second);
  *changed = 1;
}

/// Adds the number of live records to *live: one atomic for a block, not one for a record.
__global__ void count_live(const int* order, int n, int* live) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // A barrier that counts. Every thread reaches it, also those behind the end.
  const int in_block = __syncthreads_count(i < n && order[i] != 0);
  if (threadIdx.x == 0 && in_block > 0) atomicAdd(live, in_block);
}

void launch_count(const int* order, int n, int* live) {
  CUDA_CHECK(cudaMemsetAsync(live, 0, sizeof(int)));
  if (n == 0) return;
  count_live<<<kit::ceil_div(n, kBlock), kBlock>>>(order, n, live);
  CUDA_CHECK_LAUNCH();
}
// END STAGE 3

// ---- stage 4: texture ---------------------------------------------------------------------------

// BEGIN STAGE 4 texture: a texture object that frees itself, and the comparison through it (about 40 lines)
/// n elements of T in linear memory, to be read by tex1Dfetch<T>.
template <typename T>
class Texture {
 public:
  Texture(T* elements, int n) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = elements;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = static_cast<size_t>(n) * sizeof(T);
    cudaTextureDesc description{};
    description.readMode = cudaReadModeElementType;  // the bits as they are, no scaling to 0 ... 1
    CUDA_CHECK(cudaCreateTextureObject(&object_, &resource, &description, nullptr));
  }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  ~Texture() { CUDA_CHECK_NOEXCEPT(cudaDestroyTextureObject(object_)); }
  cudaTextureObject_t object() const { return object_; }

 private:
  cudaTextureObject_t object_ = 0;
};

struct RankTextures {
  cudaTextureObject_t order, level, value;
  __device__ Rank at(int i) const {
    return {tex1Dfetch<int>(order, i), tex1Dfetch<int>(level, i), tex1Dfetch<float>(value, i)};
  }
};

/// The texture cache is not kept up to date while a kernel runs. That is enough here: nobody but
/// this thread writes its two records in this launch, and the next launch reads afresh.
__global__ void compare_through_textures(RankTextures ranks, Records records, int parity,
                                         int* changed) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= records.n) return;
  const Rank first = ranks.at(i);
  const Rank second = ranks.at(i + 1);
  if (!before(second, first)) return;
  swap_records(records, i, first, second);
  *changed = 1;
}
// END STAGE 4

// ---- stage 5: tiled -----------------------------------------------------------------------------

// BEGIN STAGE 5 tiled: hundreds of phases in registers, with a halo (about 75 lines)
// A key moves one place in a phase. So a warp that holds a strip of the array can go on by itself
// for as many phases as it holds keys to spare on each side: what is wrong for want of a neighbour
// creeps in from the edges, one key in a phase. These spare keys are the halo.
constexpr int kWarp = 32;
constexpr int kKeysPerLane = 16;  // eight exchanges at a time hide what a shuffle takes
constexpr int kHaloLanes = 2;     // at each end of a warp
constexpr int kPairs = kHaloLanes * kKeysPerLane / 2;  // pairs of phases until they are used up
constexpr int kEdge = kHaloLanes * kKeysPerLane;
constexpr int kStrip = kWarp * kKeysPerLane;
constexpr int kKept = kStrip - 2 * kEdge;  // neighbouring strips overlap by two edges

// The same once more for a block: its window has a halo for all the phases of a launch.
constexpr int kWarps = 4;  // one for each scheduler of a multiprocessor
constexpr int kWindow = kWarps * kKept + 2 * kEdge;
constexpr int kWindowHalo = 640;  // 64 K keys make 114 windows: a block for most multiprocessors
static_assert(kWindowHalo % kEdge == 0 && 2 * kWindowHalo < kWindow);

/// Floats to integers of the same order, and back: it is its own inverse. Integers have a minimum
/// and a maximum in one instruction each, and numbers beyond both infinities.
__device__ int ordered(int bits) { return bits ^ ((bits >> 31) & 0x7FFFFFFF); }

/// Where key i of the window stands in shared memory. A word is left out after every lane's keys, so
/// that the lanes of a warp meet 32 different banks.
__device__ constexpr int place(int i) { return i + i / kKeysPerLane; }

__device__ void exchange(int& low, int& high) {
  const int smaller = min(low, high);
  high = max(low, high);
  low = smaller;
}

/// An even phase, then an odd one, on the keys of a warp. The outermost keys have no partner in an
/// odd phase and become wrong: they are in the halo.
__device__ void two_phases(int (&key)[kKeysPerLane]) {
#pragma unroll
  for (int k = 0; k < kKeysPerLane; k += 2) exchange(key[k], key[k + 1]);
  const int left = __shfl_up_sync(0xFFFFFFFF, key[kKeysPerLane - 1], 1);
  const int right = __shfl_down_sync(0xFFFFFFFF, key[0], 1);
#pragma unroll
  for (int k = 1; k + 1 < kKeysPerLane; k += 2) exchange(key[k], key[k + 1]);
  key[0] = max(left, key[0]);
  key[kKeysPerLane - 1] = min(key[kKeysPerLane - 1], right);
}

__global__ void __launch_bounds__(kWarps* kWarp)
    sort_windows(const float* in, float* out, int n, int halo, int pairs) {
  __shared__ int window[place(kWindow)];
  const int start = blockIdx.x * (kWindow - 2 * halo) - halo;
  for (int i = threadIdx.x; i < kWindow; i += blockDim.x) {
    const int at = start + i;  // beyond both ends lie keys that never move
    window[place(i)] = at < 0 ? INT_MIN : at < n ? ordered(__float_as_int(in[at])) : INT_MAX;
  }
  const int lane = threadIdx.x % kWarp;
  int* const mine = window + place(threadIdx.x / kWarp * kKept + lane * kKeysPerLane);
  int key[kKeysPerLane];
  for (int done = 0; done < pairs; done += kPairs) {
    __syncthreads();  // the window stands: loaded, or written back by all warps
    for (int k = 0; k < kKeysPerLane; ++k) key[k] = mine[k];
    for (int pair = done; pair < min(done + kPairs, pairs); ++pair) two_phases(key);
    __syncthreads();  // everyone has read the edges that its neighbours write now
    if (lane >= kHaloLanes && lane < kWarp - kHaloLanes)
      for (int k = 0; k < kKeysPerLane; ++k) mine[k] = key[k];
  }
  __syncthreads();  // the last warp has written
  for (int i = halo + threadIdx.x; i < kWindow - halo; i += blockDim.x)
    if (start + i < n) out[start + i] = __int_as_float(ordered(window[place(i)]));
}
// END STAGE 5

// ---- stage 6: merge-split -----------------------------------------------------------------------

// BEGIN STAGE 6 merge-split: sort runs in shared memory, then merge and split neighbours (about 85 lines)
// Keys of a thread. Odd, so that the lanes of a warp, each at its own 17, meet 32 different banks.
constexpr int kItems = 17;
constexpr int kMostThreads = 1024;

/// The keys from `diagonal` on, kItems of them, of what a and b, sorted, make when merged. A binary
/// search finds how many of the keys before them come from a; equal keys come from a first.
__device__ void merge_items(const float* a, const float* b, int length, int diagonal,
                            float (&item)[kItems]) {
  int i = max(0, diagonal - length);
  int last = min(diagonal, length);
  while (i < last) {
    const int middle = (i + last) / 2;
    if (b[diagonal - 1 - middle] < a[middle]) {
      last = middle;
    } else {
      i = middle + 1;
    }
  }
  int j = diagonal - i;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const bool from_b = i == length || (j < length && b[j] < a[i]);
    item[k] = from_b ? b[j++] : a[i++];
  }
}

/// This thread's keys by odd-even transposition, without leaving its registers.
__device__ void sort_items(float (&item)[kItems]) {
#pragma unroll
  for (int phase = 0; phase < kItems; ++phase)
#pragma unroll
    for (int k = phase % 2; k + 1 < kItems; k += 2) {
      const float first = item[k];
      const bool swap = item[k + 1] < first;
      item[k] = swap ? item[k + 1] : first;
      item[k + 1] = swap ? first : item[k + 1];
    }
}

/// `count` keys from `from` on into shared memory; infinity, behind all keys, fills up beyond n.
__device__ void load_keys(const float* keys, int n, int from, int count, float* shared) {
  for (int k = threadIdx.x; k < count; k += blockDim.x)
    shared[k] = from + k < n ? keys[from + k] : INFINITY;
}
__device__ void store_keys(const float* shared, int from, int count, float* keys, int n) {
  for (int k = threadIdx.x; k < count && from + k < n; k += blockDim.x) keys[from + k] = shared[k];
}

/// Each block sorts one run: 17 keys in every thread, then merges of twice the length.
__global__ void __launch_bounds__(kMostThreads) sort_runs(const float* in, float* out, int n) {
  extern __shared__ float shared[];
  const int length = blockDim.x * kItems;
  const int first = threadIdx.x * kItems;
  float item[kItems];
  load_keys(in, n, blockIdx.x * length, length, shared);
  __syncthreads();  // the run stands
  for (int k = 0; k < kItems; ++k) item[k] = shared[first + k];
  sort_items(item);
  for (int width = kItems;; width *= 2) {
    for (int k = 0; k < kItems; ++k) shared[first + k] = item[k];
    __syncthreads();  // sorted pieces of `width` keys stand
    if (width >= length) break;
    const int pair = first / (2 * width) * (2 * width);
    merge_items(shared + pair, shared + pair + width, width, first - pair, item);
    __syncthreads();  // everyone has taken its keys out: the places are free
  }
  store_keys(shared, blockIdx.x * length, length, out, n);
}

/// One round. Both blocks of a pair merge the same two runs; one keeps the lower half, the other the
/// upper. They must not write where the other one still reads: so `out` is not `in`.
__global__ void __launch_bounds__(kMostThreads)
    merge_and_split(const float* in, float* out, int n, int parity) {
  extern __shared__ float shared[];
  const int length = blockDim.x * kItems;
  const int run = blockIdx.x;
  const bool lower = run % 2 == parity;
  const int left = lower ? run : run - 1;
  const int runs = gridDim.x;
  if (left < 0 || left + 1 == runs) {  // no partner in this round: the whole block goes
    load_keys(in, n, run * length, length, shared);
    __syncthreads();
    store_keys(shared, run * length, length, out, n);
    return;
  }
  load_keys(in, n, left * length, 2 * length, shared);
  __syncthreads();  // both runs stand
  float item[kItems];
  const int first = threadIdx.x * kItems;
  merge_items(shared, shared + length, length, lower ? first : length + first, item);
  __syncthreads();  // nobody reads the runs any more
  for (int k = 0; k < kItems; ++k) shared[first + k] = item[k];
  __syncthreads();  // this block's half stands, to be stored side by side
  store_keys(shared, run * length, length, out, n);
}

/// Threads of a block: runs as long as shared memory holds two of, but at least four runs, so that
/// also a small array is sorted by several multiprocessors.
int merge_threads(int n) {
  int most_shared = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  const auto fits = [&](int threads) {
    return 2 * threads * kItems * static_cast<int>(sizeof(float)) <= most_shared;
  };
  int threads = 32;
  while (threads < kMostThreads && fits(2 * threads) && threads * kItems < n / 4) threads *= 2;
  return threads;
}
// END STAGE 6

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

void phases(float* keys, int n) {
  // BEGIN STAGE 1 phases: n phases, a launch for each: the next one begins when all have swapped (about 5 lines)
  if (n < 2) return;
  const int pairs = n / 2;  // in an odd phase of an even n the last thread finds no partner
  for (int phase = 0; phase < n; ++phase)
    compare_neighbours<<<kit::ceil_div(pairs, kBlock), kBlock>>>(keys, n, phase % 2);
  CUDA_CHECK_LAUNCH();
  // END STAGE 1
}

void early_exit(float* keys, int n) {
  // BEGIN STAGE 2 early-exit: stop when an even and an odd phase have changed nothing (about 14 lines)
  if (n < 2) return;
  launch_until_clean(n, [=](int parity, int* changed) {
    compare_and_tell<<<kit::ceil_div(n / 2, kBlock), kBlock>>>(keys, n, parity, changed);
  });
  // END STAGE 2
}

void records(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n) {
  // BEGIN STAGE 3 records: count, then launch phases until nothing changes (about 7 lines)
  launch_count(order, n, live);
  if (n < 2) return;
  const Records all{order, level, value, payload, dimensions, n};
  launch_until_clean(n, [=](int parity, int* changed) {
    compare_records<<<kit::ceil_div(n / 2, kBlock), kBlock>>>(all, parity, changed);
  });
  // END STAGE 3
}

void texture(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n) {
  // BEGIN STAGE 4 texture: make three textures, then as stage 3 (about 12 lines)
  launch_count(order, n, live);
  if (n < 2) return;
  const Records all{order, level, value, payload, dimensions, n};
  const Texture<int> orders(order, n), levels(level, n);
  const Texture<float> values(value, n);
  const RankTextures ranks{orders.object(), levels.object(), values.object()};
  // Every launch has ended when this returns, since the host waits for the last flag: only then
  // may the textures go.
  launch_until_clean(n, [=](int parity, int* changed) {
    compare_through_textures<<<kit::ceil_div(n / 2, kBlock), kBlock>>>(ranks, all, parity, changed);
  });
  // END STAGE 4
}

void tiled(float* keys, int n) {
  // BEGIN STAGE 5 tiled: one block for all phases, or many blocks and a launch for each halo (about 16 lines)
  if (n < 2) return;
  constexpr int kThreads = kWarps * kWarp;
  if (n <= kWindow - 2 * kEdge) {  // one window holds all keys: nothing creeps in, ever
    sort_windows<<<1, kThreads>>>(keys, keys, n, kEdge, kit::ceil_div(n, 2));
    CUDA_CHECK_LAUNCH();
    return;
  }
  // Blocks read what their neighbours write, so the keys go to and fro between two arrays; an even
  // number of launches ends where it began.
  kit::DeviceBuffer<float> other(n);
  const int launches = 2 * kit::ceil_div(n, 2 * kWindowHalo);
  const int pairs = kit::ceil_div(n, 2 * launches);  // of phases; at most half a halo
  const int blocks = kit::ceil_div(n, kWindow - 2 * kWindowHalo);
  float *from = keys, *to = other.data();
  for (int launch = 0; launch < launches; ++launch, std::swap(from, to))
    sort_windows<<<blocks, kThreads>>>(from, to, n, kWindowHalo, pairs);
  CUDA_CHECK_LAUNCH();
  // END STAGE 5
}

void merge_split(float* keys, int n) {
  // BEGIN STAGE 6 merge-split: sort runs, then as many rounds as there are runs (about 14 lines)
  if (n < 2) return;
  const int threads = merge_threads(n);
  const int bytes = threads * kItems * static_cast<int>(sizeof(float));
  const int runs = kit::ceil_div(n, threads * kItems);
  // Beyond 48 KB a kernel has to ask for its shared memory.
  CUDA_CHECK(cudaFuncSetAttribute(sort_runs, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  CUDA_CHECK(cudaFuncSetAttribute(merge_and_split, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  2 * bytes));
  const int rounds = runs > 1 ? runs : 0;
  kit::DeviceBuffer<float> other(rounds > 0 ? n : 0);
  float *from = keys, *to = other.data();
  if (rounds % 2 == 1) std::swap(from, to);  // an odd number of rounds ends in the other array
  sort_runs<<<runs, threads, bytes>>>(keys, from, n);
  for (int round = 0; round < rounds; ++round, std::swap(from, to))
    merge_and_split<<<runs, threads, 2 * bytes>>>(from, to, n, round % 2);
  CUDA_CHECK_LAUNCH();
  // END STAGE 6
}

}  // namespace odd_even
