// Odd-even transposition sort (Habermann's parallel neighbour-sort, 1972). Neighbours are compared
// in pairs, even pairs and odd pairs in turn; after n phases any array of n keys is sorted. It is
// what bubble sort becomes if all pairs may swap at once.
//
// That is n * n / 2 comparisons and, with one launch per phase, n launches and n passes over
// memory. A launch costs as much as ten thousand comparisons. So the stages differ in how much
// happens until all blocks wait for each other: one phase, several hundred phases in registers, or
// a merge of two whole runs. Only the end of a launch and the barrier of a cooperative grid reach
// beyond a block; __syncthreads() does not.
#include <climits>
#include <span>
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"
#include "pool_buffer.hpp"

namespace odd_even {
namespace {

// Threads per block if shared memory does not demand another number: a multiple of the 32 lanes of
// a warp that divides the number of threads that a multiprocessor holds.
constexpr int kBlock = 256;

// ---- stage 1: phases ----------------------------------------------------------------------------

__global__ void compare_neighbours(float* keys, int n, int parity) {
  // BEGIN STAGE 1 phases: put one pair of neighbours in order (about 8 lines)
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;  // also for the very last key if it has no partner in this phase
  const float first = keys[i];
  const float second = keys[i + 1];
  if (second < first) {  // strictly: equal keys keep their order
    keys[i] = second;
    keys[i + 1] = first;
  }
  // END STAGE 1
}

// ---- stage 2: early exit ------------------------------------------------------------------------

// BEGIN STAGE 2 early-exit: the same, but report whether something changed (about 25 lines)
__global__ void compare_and_tell(float* keys, int n, int parity, int* changed) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  const float first = keys[i];
  const float second = keys[i + 1];
  if (second < first) {
    keys[i] = second;
    keys[i + 1] = first;
    // All threads that write write the same value, so no atomic is needed. No thread of this launch
    // resets the flag: a block that starts late would erase what an early one had written.
    *changed = 1;
  }
}

/// Launches phases until an even and an odd phase in a row have changed nothing, or n are done.
/// `launch(parity, changed)` launches one phase, which sets *changed to 1 if it changes something.
template <typename Launch>
void launch_until_clean(int n, const Launch& launch) {
  kit::DeviceBuffer<int> changed(1);
  int some_change = 1;
  for (int phase = 0; phase < n && some_change; phase += 2) {
    // It is in the same stream as the launches, so it is done before the first of them begins.
    CUDA_CHECK(cudaMemsetAsync(changed.data(), 0, sizeof(int)));
    launch(0, changed.data());
    launch(1, changed.data());
    CUDA_CHECK_LAUNCH();
    // One answer for two phases: one clean phase alone proves nothing, but two clean phases of
    // both parities prove that the keys are sorted.
    changed.copy_to(std::span(&some_change, 1));
  }
}
// END STAGE 2

// ---- stage 3: records ---------------------------------------------------------------------------

// BEGIN STAGE 3 records: the rule, a swap of all parts of a record, the count (about 50 lines)
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

/// Does a record of rank a belong before one of rank b? It is never true both ways: equal records
/// keep their order.
__device__ bool before(const Rank& a, const Rank& b) {
  if (a.order == 0 || b.order == 0) return a.order != 0 && b.order == 0;
  if (a.level != b.level) return a.level > b.level;
  return a.value > b.value;
}

/// Puts records i and i + 1, which have these ranks, in order, and sets *changed if they change
/// places. Coordinates of one dimension lie side by side. So the threads of a warp, with two
/// records each, read and write whole lines.
__device__ void put_in_order(const Records& records, int i, const Rank& first, const Rank& second,
                             int* changed) {
  if (!before(second, first)) return;
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
  *changed = 1;
}

__global__ void compare_records(Records records, int parity, int* changed) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= records.n) return;
  const Rank first{records.order[i], records.level[i], records.value[i]};
  const Rank second{records.order[i + 1], records.level[i + 1], records.value[i + 1]};
  put_in_order(records, i, first, second, changed);
}

/// Adds the number of live records to *live: with one atomic per block, not one per record.
__global__ void count_live(const int* order, int n, int* live) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // A barrier that counts. Every thread reaches it, also those beyond the end.
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

// BEGIN STAGE 4 texture: a texture object that frees itself, and the comparison through it (about 35 lines)
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
    description.readMode = cudaReadModeElementType;  // unchanged bits, no scaling to 0 ... 1
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

/// The texture cache is not kept up to date while a kernel runs. That is enough here: in this
/// launch only this thread writes its two records, and the next launch reads the new values.
__global__ void compare_through_textures(RankTextures ranks, Records records, int parity,
                                         int* changed) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= records.n) return;
  put_in_order(records, i, ranks.at(i), ranks.at(i + 1), changed);
}
// END STAGE 4

// ---- stage 5: tiled -----------------------------------------------------------------------------

// BEGIN STAGE 5 tiled: a hundred phases in registers, with a halo (about 40 lines)
// A key moves one place per phase. So a warp that holds a strip of the array can go on by itself
// for as many phases as it has spare keys on each side. Keys at the edges become wrong because they
// lack a neighbour, and the wrong keys spread inward by one key per phase. The spare keys are the
// halo.
constexpr int kWarp = 32;
constexpr int kKeysPerLane = 12;  // six exchanges at a time hide most of a shuffle's latency
constexpr int kStrip = kWarp * kKeysPerLane;
constexpr int kHalo = 8 * kKeysPerLane;    // at each end of a strip; also the phases of a launch
constexpr int kKept = kStrip - 2 * kHalo;  // neighbouring strips overlap by two halos
static_assert(kHalo % 2 == 0 && kKept % 2 == 0, "a launch and a strip begin with an even phase");

/// Maps floats to integers of the same order, and back: it is its own inverse. For integers,
/// minimum and maximum take one instruction each, and there are numbers beyond both infinities.
__device__ int ordered(int bits) { return bits ^ ((bits >> 31) & 0x7FFFFFFF); }

__device__ void exchange(int& low, int& high) {
  const int smaller = min(low, high);
  high = max(low, high);
  low = smaller;
}

/// Makes an even phase, then an odd one, on the keys of a warp. The outermost keys have no partner
/// in an odd phase and become wrong, but they are in the halo.
__device__ void two_phases(int (&key)[kKeysPerLane]) {
  constexpr int kLast = kKeysPerLane - 1;
#pragma unroll  // with constant indices the keys stay in registers
  for (int k = 0; k < kLast; k += 2) exchange(key[k], key[k + 1]);
  const int left = __shfl_up_sync(0xFFFFFFFF, key[kLast], 1);
  const int right = __shfl_down_sync(0xFFFFFFFF, key[0], 1);
#pragma unroll
  for (int k = 1; k < kLast; k += 2) exchange(key[k], key[k + 1]);
  key[0] = max(left, key[0]);
  key[kLast] = min(key[kLast], right);
}

/// Makes kHalo phases on a strip. The keys that are right then, all but the halo, go to `to`.
/// Neighbours still read the keys in `from`, so `to` is another array.
__global__ void __launch_bounds__(kBlock) sort_strips(const float* from, float* to, int n) {
  const int strip = blockIdx.x * (kBlock / kWarp) + threadIdx.x / kWarp;
  const int in_strip = threadIdx.x % kWarp * kKeysPerLane;
  const int start = strip * kKept - kHalo + in_strip;
  int key[kKeysPerLane];
#pragma unroll
  for (int k = 0; k < kKeysPerLane; ++k) {
    const int at = start + k;  // beyond both ends the keys never move
    key[k] = at < 0 ? INT_MIN : at < n ? ordered(__float_as_int(from[at])) : INT_MAX;
  }
  for (int phase = 0; phase < kHalo; phase += 2) two_phases(key);
#pragma unroll
  for (int k = 0; k < kKeysPerLane; ++k)
    if (in_strip + k >= kHalo && in_strip + k < kHalo + kKept && start + k < n)
      to[start + k] = __int_as_float(ordered(key[k]));
}
// END STAGE 5

// ---- stage 6: merge-split -----------------------------------------------------------------------

// BEGIN STAGE 6 merge-split: sort runs in shared memory, then merge and split neighbours (about 105 lines)
// A piece is the part that one block holds, sorts and merges. A run is 1, 2 or 4 pieces, so that
// even a few long runs occupy all multiprocessors.
constexpr int kItems = 17;  // keys per thread; odd, so that the lanes of a warp use all banks
constexpr int kMergeThreads = 512;
constexpr int kPiece = kMergeThreads * kItems;
constexpr int kMostPieces = 4;  // of a run: 34,816 keys, 136 KB

/// Merges the sorted a and b, and takes kItems keys of the result, from `diagonal` on. A binary
/// search finds how many of the keys before them come from a; of equal keys, those from a come
/// first. One word after each run is read, too.
__device__ void merge_items(const float* a, int a_length, const float* b, int b_length,
                            int diagonal, float (&item)[kItems]) {
  int i = max(0, diagonal - b_length);
  int last = min(diagonal, a_length);
  while (i < last) {
    const int middle = (i + last) / 2;
    if (b[diagonal - 1 - middle] < a[middle])
      last = middle;
    else
      i = middle + 1;
  }
  int j = diagonal - i;
  float next_a = a[i], next_b = b[j];  // if a run is used up: the word after it, which is not used
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const bool from_b = i == a_length || (j < b_length && next_b < next_a);
    item[k] = from_b ? next_b : next_a;
    if (from_b)
      next_b = b[++j];
    else
      next_a = a[++i];
  }
}

/// Sorts this thread's keys by odd-even transposition, in registers alone.
__device__ void sort_items(float (&item)[kItems]) {
#pragma unroll
  for (int phase = 0; phase < kItems; ++phase)
#pragma unroll
    for (int k = phase % 2; k + 1 < kItems; k += 2) {
      const float first = item[k], second = item[k + 1];
      item[k] = second < first ? second : first;
      item[k + 1] = second < first ? first : second;
    }
}

/// Puts this thread's keys at its places in shared memory.
__device__ void put_items(const float (&item)[kItems], float* shared) {
  for (int k = 0; k < kItems; ++k) shared[threadIdx.x * kItems + k] = item[k];
}

/// The key; before all keys minus infinity, after them infinity. So a run without a partner, the
/// first one or the last, merges with such numbers, and stays as it is.
__device__ float key_at(const float* keys, int n, int at) {
  return at < 0 ? -INFINITY : at < n ? keys[at] : INFINITY;
}

/// Stores a piece. The lanes of a warp get neighbours in memory.
__device__ void store_piece(const float* shared, float* keys, int n) {
  for (int k = threadIdx.x; k < kPiece; k += kMergeThreads)
    if (const int at = blockIdx.x * kPiece + k; at < n) keys[at] = shared[k];
}

/// Each block sorts one piece: every thread sorts 17 keys, then each merge doubles the length.
__global__ void __launch_bounds__(kMergeThreads) sort_pieces(const float* in, float* out, int n) {
  __shared__ float shared[kPiece + 1];  // and the word after it, which merge_items reads
  const int first = threadIdx.x * kItems;
  float item[kItems];
  // The word after it is not the next piece's first key: that piece's block may store there.
#pragma unroll
  for (int k = threadIdx.x; k <= kPiece; k += kMergeThreads)
    shared[k] = k < kPiece ? key_at(in, n, blockIdx.x * kPiece + k) : INFINITY;
  __syncthreads();  // the piece is loaded
  for (int k = 0; k < kItems; ++k) item[k] = shared[first + k];
  sort_items(item);
  for (int width = kItems;; width *= 2) {
    put_items(item, shared);
    __syncthreads();  // sorted parts of `width` keys are there
    if (width >= kPiece) break;
    const int pair = first / (2 * width) * (2 * width);
    merge_items(shared + pair, width, shared + pair + width, width, first - pair, item);
    __syncthreads();  // all threads have taken their keys out: the places are free
  }
  store_piece(shared, out, n);
}

/// How many of the first `diagonal` keys of two merged runs come from the left run. It is the
/// search of merge_items, but made by a warp that looks at 32 places at a time, because reads of
/// global memory take long.
__device__ int from_left(const float* keys, int n, int left, int length, int diagonal) {
  int low = max(0, diagonal - length), high = min(diagonal, length);
  while (low < high) {
    const int step = kit::ceil_div(high - low, kWarp);
    const int probe = low + static_cast<int>(threadIdx.x) % kWarp * step;
    const bool enough = probe >= high || key_at(keys, n, left + length + diagonal - 1 - probe) <
                                             key_at(keys, n, left + probe);
    const int too_few = __popc(__ballot_sync(0xFFFFFFFF, !enough));  // lanes 0 to too_few - 1
    high = min(high, low + too_few * step);
    if (too_few > 0) low += (too_few - 1) * step + 1;
  }
  return low;
}

/// One round. The blocks of a pair of runs merge them. Each makes one piece of the result, and the
/// blocks of the left run make the lower half. Other blocks still read `in`, so `out` must be
/// another array.
__global__ void __launch_bounds__(kMergeThreads)
    merge_and_split(const float* in, float* out, int n, int pieces, int parity) {
  __shared__ float shared[kPiece + 1];
  __shared__ int cut[2];
  const int length = pieces * kPiece;
  const int run = blockIdx.x / pieces, left = run % 2 == parity ? run : run - 1;
  const int begin = left * length, diagonal = blockIdx.x * kPiece - begin;  // of the pair; in it
  const int end = threadIdx.x / kWarp;  // warp 0 finds where the piece begins, warp 1 where it ends
  if (end < 2) cut[end] = from_left(in, n, begin, length, diagonal + end * kPiece);
  __syncthreads();  // both ends of the piece are known
  const int a_begin = cut[0], a_length = cut[1] - a_begin;
#pragma unroll
  for (int k = threadIdx.x; k <= kPiece; k += kMergeThreads) {
    const int in_pair = k < a_length ? a_begin + k : length + diagonal - a_begin + k - a_length;
    shared[k] = key_at(in, n, begin + in_pair);
  }
  __syncthreads();  // both parts of the piece are there, the left run's part first
  float item[kItems];
  merge_items(shared, a_length, shared + a_length, kPiece - a_length, threadIdx.x * kItems, item);
  __syncthreads();  // no thread reads the parts any more
  put_items(item, shared);
  __syncthreads();  // the piece is there, to be stored side by side
  store_piece(shared, out, n);
}
// END STAGE 6

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

void phases(float* keys, int n) {
  // BEGIN STAGE 1 phases: n phases, one launch each: the next begins when all pairs are done (about 5 lines)
  if (n < 2) return;
  const int pairs = n / 2;  // in an odd phase of an even n the last thread finds no partner
  for (int phase = 0; phase < n; ++phase)
    compare_neighbours<<<kit::ceil_div(pairs, kBlock), kBlock>>>(keys, n, phase % 2);
  CUDA_CHECK_LAUNCH();
  // END STAGE 1
}

void early_exit(float* keys, int n) {
  // BEGIN STAGE 2 early-exit: stop when an even and an odd phase have changed nothing (about 4 lines)
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
  // The textures may be destroyed only after the last launch has ended. When this returns, every
  // launch has ended, because the host waits for the last flag.
  launch_until_clean(n, [=](int parity, int* changed) {
    compare_through_textures<<<kit::ceil_div(n / 2, kBlock), kBlock>>>(ranks, all, parity, changed);
  });
  // END STAGE 4
}

void tiled(float* keys, int n) {
  // BEGIN STAGE 5 tiled: an even number of launches, to and fro between two arrays (about 9 lines)
  if (n < 2) return;
  kit::PoolBuffer<float> other(n);
  float *from = keys, *to = other.data();
  const int launches = 2 * kit::ceil_div(n, 2 * kHalo);
  const int blocks = kit::ceil_div(n, kKept * (kBlock / kWarp));
  for (int launch = 0; launch < launches; ++launch, std::swap(from, to))
    sort_strips<<<blocks, kBlock>>>(from, to, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 5
}

void merge_split(float* keys, int n) {
  // BEGIN STAGE 6 merge-split: sort pieces, make runs of them, then as many rounds as there are runs (about 15 lines)
  if (n < 2) return;
  const int blocks = kit::ceil_div(n, kPiece);
  kit::PoolBuffer<float> other(blocks > 1 ? n : 0);
  float *from = keys, *to = other.data();
  int pieces = 1, merges = 0;  // pieces per run, and rounds that merge pieces to runs
  for (; pieces < kMostPieces && blocks > 4 * pieces; pieces *= 2) ++merges;
  const int runs = kit::ceil_div(blocks, pieces), rounds = runs > 1 ? runs : 0;
  if ((merges + rounds) % 2 == 1) std::swap(from, to);  // an odd number ends in the other array
  sort_pieces<<<blocks, kMergeThreads>>>(keys, from, n);
  const auto launch = [&](int length, int parity) {
    merge_and_split<<<blocks, kMergeThreads>>>(from, to, n, length, parity);
    std::swap(from, to);
  };
  for (int length = 1; length < pieces; length *= 2) launch(length, 0);
  for (int round = 0; round < rounds; ++round) launch(pieces, round % 2);
  CUDA_CHECK_LAUNCH();
  // END STAGE 6
}

}  // namespace odd_even
