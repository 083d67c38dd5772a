// Odd-even transposition sort (Habermann's parallel neighbour-sort, 1972). Neighbours are compared
// in pairs, even pairs and odd pairs in turn; after n phases any array of n keys is sorted. It is
// what bubble sort becomes if all pairs may swap at once.
//
// That is n * n / 2 comparisons and, with one launch per phase, n launches and n passes over
// memory. A launch costs as much as ten thousand comparisons. So the stages differ in how much
// happens until all blocks wait for each other: one phase, several hundred phases in registers, or
// a merge of two whole runs. Only the end of a launch and the barrier of a cooperative grid reach
// beyond a block; __syncthreads() does not.
#include <cooperative_groups.h>

#include <algorithm>
#include <climits>
#include <span>
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "dependent_launch.hpp"
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

// BEGIN STAGE 5 tiled: hundreds of phases in registers, with a halo (about 90 lines)
// A key moves one place per phase. So a warp that holds a strip of the array can go on by itself
// for as many phases as it has spare keys on each side. Keys at the edges become wrong because they
// lack a neighbour, and the wrong keys spread inward by one key per phase. The spare keys are the
// halo.
constexpr int kWarp = 32;
constexpr int kKeysPerLane = 12;  // six exchanges at a time hide most of a shuffle's latency
constexpr int kHaloLanes = 3;     // at each end of a warp
constexpr int kEdge = kHaloLanes * kKeysPerLane;  // phases until a warp's halo is used up
static_assert(kKeysPerLane % 4 == 0 && kEdge % 2 == 0);

// A block does the same again: its window of overlapping strips has a longer halo, which lasts
// until all blocks wait for each other.
constexpr int kWarps = 4;                           // one per scheduler of a multiprocessor
constexpr int kKeptLanes = kWarp - 2 * kHaloLanes;  // neighbouring strips overlap by two edges
constexpr int kPlaces = kWarps * kKeptLanes + 2 * kHaloLanes;  // lanes of a window, side by side
constexpr int kWindow = kPlaces * kKeysPerLane;
constexpr int kEdges = 11;  // of a window's halo; 64 K keys make 125 windows, most multiprocessors

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
  exchange(key[0], key[1]);  // these first: the shuffles are under way while the others follow
  exchange(key[kLast - 1], key[kLast]);
  const int left = __shfl_up_sync(0xFFFFFFFF, key[kLast], 1);
  const int right = __shfl_down_sync(0xFFFFFFFF, key[0], 1);
#pragma unroll
  for (int k = 2; k + 2 < kLast; k += 2) exchange(key[k], key[k + 1]);
#pragma unroll
  for (int k = 1; k < kLast; k += 2) exchange(key[k], key[k + 1]);
  key[0] = max(left, key[0]);
  key[kLast] = min(key[kLast], right);
}

/// The halo lanes of a warp take the keys of their places from the warps whose keys there are
/// right.
__device__ void renew_halo(int (&key)[kKeysPerLane], int4 (&edges)[kKeysPerLane / 4][kPlaces]) {
  const int lane = threadIdx.x % kWarp, place = threadIdx.x / kWarp * kKeptLanes + lane;
  const int to_edge = min(lane, kWarp - 1 - lane);
  if (to_edge >= kHaloLanes && to_edge < 2 * kHaloLanes)
    for (int k = 0; k < kKeysPerLane; k += 4)
      edges[k / 4][place] = make_int4(key[k], key[k + 1], key[k + 2], key[k + 3]);
  __syncthreads();  // the edges of all warps are there
  const bool outermost = place < kHaloLanes || place >= kPlaces - kHaloLanes;
  if (to_edge < kHaloLanes && !outermost)
    for (int k = 0; k < kKeysPerLane; k += 4) {
      const int4 four = edges[k / 4][place];
      key[k] = four.x, key[k + 1] = four.y, key[k + 2] = four.z, key[k + 3] = four.w;
    }
}

/// Makes `edges` times kEdge phases on a block's window. All keys that are right then, which is all
/// but `halo` keys at each end, go to `to`. Neighbours still read the keys in `from`, so `to` must
/// be another array.
__device__ void sort_window(const float* from, float* to, int n, int halo, int edges) {
  __shared__ int4 edge[2][kKeysPerLane / 4][kPlaces];
  const int lane = threadIdx.x % kWarp, place = threadIdx.x / kWarp * kKeptLanes + lane;
  const int in_window = place * kKeysPerLane;
  const int start = blockIdx.x * (kWindow - 2 * halo) - halo + in_window;
  int key[kKeysPerLane];
#pragma unroll
  for (int k = 0; k < kKeysPerLane; ++k) {
    const int at = start + k;  // beyond both ends the keys never move
    key[k] = at < 0 ? INT_MIN : at < n ? ordered(__float_as_int(from[at])) : INT_MAX;
  }
  for (int done = 0; done < edges; ++done) {
    // Two arrays in turn: a fast warp may write the next edges while a slow one reads these.
    if (done > 0) renew_halo(key, edge[done % 2]);
#pragma unroll
    for (int phase = 0; phase < kEdge; phase += 2) two_phases(key);
  }
  if (lane < kHaloLanes || lane >= kWarp - kHaloLanes) return;  // another warp stores these
#pragma unroll
  for (int k = 0; k < kKeysPerLane; ++k)
    if (in_window + k >= halo && in_window + k < kWindow - halo && start + k < n)
      to[start + k] = __int_as_float(ordered(key[k]));
}

/// Calls sort_window `steps` times, to and fro between two arrays. More than one step needs a
/// cooperative launch: the barrier is one of the whole grid.
__global__ void __launch_bounds__(kWarps* kWarp)
    sort_windows(float* from, float* to, int n, int halo, int edges, int steps) {
  sort_window(from, to, n, halo, edges);
  for (int step = 1; step < steps; ++step) {
    cooperative_groups::this_grid().sync();  // all blocks have written, and read what they need
    float* const written = to;
    to = from, from = written;
    sort_window(from, to, n, halo, edges);
  }
}

/// Do this many blocks fit the machine at once? Only then can they wait for each other.
bool fit_together(int blocks) {
  int cooperative = 0, per_multiprocessor = 0, multiprocessors = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, sort_windows,
                                                           kWarps * kWarp, 0));
  return cooperative && blocks <= per_multiprocessor * multiprocessors;
}
// END STAGE 5

// ---- stage 6: merge-split -----------------------------------------------------------------------

// BEGIN STAGE 6 merge-split: sort runs in shared memory, then merge and split neighbours (about 130 lines)
// A piece is the part that one block holds, sorts and merges. A run is 1, 2, 4 ... 32 pieces, as
// much as the shared memory of one block could hold: so even a few long runs occupy all
// multiprocessors, with several blocks each, of which one waits for memory while another works.
constexpr int kItems = 8;  // keys per thread
constexpr int kMostThreads = 256;
constexpr int kMostPieces = 32;  // of a run
using Items = float[kItems];

/// Merges the sorted a and b, and takes kItems keys of the result, from `diagonal` on. A binary
/// search finds how many of the keys before them come from a; of equal keys, those from a come
/// first.
__device__ void merge_items(const float* a, int a_length, const float* b, int b_length,
                            int diagonal, Items& item) {
  int i = max(0, diagonal - b_length);
  int last = min(diagonal, a_length);
  while (i < last) {
    const int middle = (i + last) / 2;
    if (b[diagonal - 1 - middle] < a[middle]) {
      last = middle;
    } else {
      i = middle + 1;
    }
  }
  int j = diagonal - i;
  float next_a = i < a_length ? a[i] : 0, next_b = j < b_length ? b[j] : 0;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const bool from_b = i == a_length || (j < b_length && next_b < next_a);
    item[k] = from_b ? next_b : next_a;
    if (from_b) {
      if (++j < b_length) next_b = b[j];
    } else {
      if (++i < a_length) next_a = a[i];
    }
  }
}

__device__ void exchange(float& low, float& high) {
  const bool swap = high < low;  // not a minimum and a maximum: 0 and -0 both have to stay
  const float first = low;
  low = swap ? high : first;
  high = swap ? first : high;
}

/// Puts keys in order whose index differs in bits below `apart`, the highest one first.
__device__ void merge_in_lane(Items& item, int apart) {
#pragma unroll
  for (; apart > 0; apart /= 2)
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      if ((k & apart) == 0) exchange(item[k], item[k + apart]);
}

/// Each key meets one of another lane. The lane above keeps the larger ones.
__device__ void meet(Items& item, const Items& other, bool above) {
#pragma unroll
  for (int k = 0; k < kItems; ++k)
    if (above ? item[k] < other[k] : other[k] < item[k]) item[k] = other[k];
}

/// Sorts the keys of a warp in registers, by a bitonic network as in lab 03: the first step of each
/// size compares mirror images, so that all comparisons point the same way.
__device__ void sort_in_warp(Items& item) {
  const int lane = threadIdx.x % kWarp;
#pragma unroll
  for (int size = 2; size <= kItems; size *= 2) {
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      if ((k & (size / 2)) == 0) exchange(item[k], item[k ^ (size - 1)]);
    merge_in_lane(item, size / 4);
  }
#pragma unroll
  for (int lanes = 2; lanes <= kWarp; lanes *= 2) {
    Items other;
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      other[k] = __shfl_xor_sync(0xFFFFFFFF, item[kItems - 1 - k], lanes - 1);
    meet(item, other, lane & (lanes / 2));
#pragma unroll
    for (int apart = lanes / 4; apart > 0; apart /= 2) {
#pragma unroll
      for (int k = 0; k < kItems; ++k) other[k] = __shfl_xor_sync(0xFFFFFFFF, item[k], apart);
      meet(item, other, lane & apart);
    }
    merge_in_lane(item, kItems / 2);
  }
}

/// Puts this thread's keys at its places in shared memory, four in each access.
__device__ void put_items(const Items& item, float* shared) {
  float4* const place = reinterpret_cast<float4*>(shared + threadIdx.x * kItems);
#pragma unroll
  for (int k = 0; k < kItems; k += 4)
    place[k / 4] = make_float4(item[k], item[k + 1], item[k + 2], item[k + 3]);
}

/// The key, or infinity, which fills up the last piece after all keys.
__device__ float key_at(const float* keys, int n, int at) { return at < n ? keys[at] : INFINITY; }

/// Calls fn(index in the piece) for all keys of a piece. The lanes of a warp get neighbours in
/// memory. The number of turns is constant, so that all loads of a thread run at once.
template <typename Function>
__device__ void for_each_key(const Function& fn) {
#pragma unroll
  for (int k = 0; k < kItems; ++k) fn(static_cast<int>(k * blockDim.x + threadIdx.x));
}

__device__ void store_piece(const float* shared, float* keys, int n) {
  const int start = blockIdx.x * blockDim.x * kItems;
  for_each_key([=](int k) {
    if (start + k < n) keys[start + k] = shared[k];
  });
}

/// Each block sorts one piece: every warp sorts its keys, then each merge doubles the length.
__global__ void __launch_bounds__(kMostThreads) sort_pieces(const float* in, float* out, int n) {
  __shared__ alignas(16) float shared[kMostThreads * kItems];
  kit::wait_for_kernel_before();
  const int piece = blockDim.x * kItems, first = threadIdx.x * kItems, lane = threadIdx.x % kWarp;
  Items item;  // any of the warp's keys, in any order
#pragma unroll
  for (int k = 0; k < kItems; ++k)
    item[k] = key_at(in, n, blockIdx.x * piece + first + k * kWarp - lane * (kItems - 1));
  sort_in_warp(item);
  for (int width = kWarp * kItems;; width *= 2) {
    put_items(item, shared);
    __syncthreads();  // sorted parts of `width` keys are there
    if (width >= piece) break;
    const int pair = first / (2 * width) * (2 * width), a_length = min(width, piece - pair);
    const int b_length = min(width, piece - pair - a_length);
    merge_items(shared + pair, a_length, shared + pair + a_length, b_length, first - pair, item);
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
__global__ void __launch_bounds__(kMostThreads)
    merge_and_split(const float* in, float* out, int n, int pieces, int parity) {
  __shared__ alignas(16) float shared[kMostThreads * kItems];
  __shared__ int cut[2];
  kit::wait_for_kernel_before();
  const int piece = blockDim.x * kItems, length = pieces * piece;
  const int run = blockIdx.x / pieces, runs = kit::ceil_div<int>(gridDim.x, pieces);
  const int left = run % 2 == parity ? run : run - 1;
  const int begin = left * length;  // of the pair
  const int diagonal = blockIdx.x * piece - begin;
  const bool alone = left < 0 || left + 1 == runs;  // no partner in this round: the block copies
  const int warp = threadIdx.x / kWarp;
  for (int end = warp; end < 2 && !alone; end += blockDim.x / kWarp) {
    const int found = from_left(in, n, begin, length, diagonal + end * piece);
    if (threadIdx.x % kWarp == 0) cut[end] = found;
  }
  __syncthreads();  // both ends of the piece are known
  const int a_begin = alone ? 0 : cut[0], a_length = alone ? piece : cut[1] - a_begin;
  for_each_key([&](int k) {
    const int in_pair = k < a_length ? a_begin + k : length + diagonal - a_begin + k - a_length;
    shared[k] = key_at(in, n, alone ? blockIdx.x * piece + k : begin + in_pair);
  });
  __syncthreads();  // both parts of the piece are there, the left run's part first
  Items item;
  merge_items(shared, a_length, shared + a_length, piece - a_length, threadIdx.x * kItems, item);
  __syncthreads();  // no thread reads the parts any more
  put_items(item, shared);
  __syncthreads();  // the piece is there, to be stored side by side
  store_piece(shared, out, n);
}

/// Threads per block: as many as make runs as long as they may be, but a small array is still cut
/// into four pieces.
int merge_threads(int n) {
  int shared_bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  const int most = shared_bytes / (kMostPieces * int{sizeof(Items)});
  const int useful = kit::ceil_div(n, 4 * kItems);
  return std::max(1, std::min({kMostThreads, most, useful}) / kWarp) * kWarp;
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
  // BEGIN STAGE 5 tiled: one block for all phases, or many blocks that wait for each other (about 24 lines)
  if (n < 2) return;
  constexpr int kThreads = kWarps * kWarp;
  if (n <= kWindow - 2 * kEdge) {  // one window holds all keys: none ever becomes wrong
    // In place: up to kEdge keys are all in one warp; with more keys a barrier follows the loads.
    sort_windows<<<1, kThreads>>>(keys, keys, n, kEdge, kit::ceil_div(n, kEdge), 1);
    CUDA_CHECK_LAUNCH();
    return;
  }
  int halo = kEdges * kEdge, edges = kEdges, length = n;
  int steps = 2 * kit::ceil_div(n, 2 * halo);  // an even number of steps ends in `keys`
  const int blocks = kit::ceil_div(n, kWindow - 2 * halo);
  kit::PoolBuffer<float> other(n);
  float *from = keys, *to = other.data();
  if (fit_together(blocks)) {
    void* arguments[] = {&from, &to, &length, &halo, &edges, &steps};
    CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sort_windows), blocks, kThreads,
                                           arguments, 0, nullptr));
    return;
  }
  for (int step = 0; step < steps; ++step, std::swap(from, to))
    sort_windows<<<blocks, kThreads>>>(from, to, n, halo, edges, 1);
  CUDA_CHECK_LAUNCH();
  // END STAGE 5
}

void merge_split(float* keys, int n) {
  // BEGIN STAGE 6 merge-split: sort pieces, make runs of them, then as many rounds as there are runs (about 18 lines)
  if (n < 2) return;
  const int threads = merge_threads(n);
  const int blocks = kit::ceil_div(n, threads * kItems);
  kit::PoolBuffer<float> other(blocks > 1 ? n : 0);
  float *from = keys, *to = other.data();
  int pieces = 1, merges = 0;  // pieces per run, and rounds that merge pieces to runs
  for (; pieces < kMostPieces && blocks > 4 * pieces; pieces *= 2) ++merges;
  const int runs = kit::ceil_div(blocks, pieces), rounds = runs > 1 ? runs : 0;
  if ((merges + rounds) % 2 == 1) std::swap(from, to);  // an odd number ends in the other array
  kit::launch_behind(nullptr, sort_pieces, blocks, threads, 0, keys, from, n);
  const auto launch = [&](int length, int parity) {
    kit::launch_behind(nullptr, merge_and_split, blocks, threads, 0, from, to, n, length, parity);
    std::swap(from, to);
  };
  for (int length = 1; length < pieces; length *= 2) launch(length, 0);
  for (int round = 0; round < rounds; ++round) launch(pieces, round % 2);
  // END STAGE 6
}

}  // namespace odd_even
