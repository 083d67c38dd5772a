// Lab 05, single-source shortest paths: the lengths of the shortest paths from one vertex to all.
//
// One thread looks at one edge {u, v} and asks whether the way to v over u is shorter than the one
// known so far, or the way to u over v: it relaxes the edge. A launch relaxes all of them, and
// launches repeat until one has changed nothing (Ford 1956, Bellman 1958). That is the dullest
// order in which shortest paths can be found, and the easiest to spread over a hundred thousand
// threads. The later stages do less of the same work: only at vertices that changed, only near the
// source.
#include "sssp.hpp"

#include <cooperative_groups.h>

#include <cmath>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "pool_buffer.hpp"

namespace sssp {
namespace {

using kit::ceil_div;
using kit::DeviceBuffer;
using kit::PoolBuffer;  // for searches: taking it costs next to no time

constexpr int kWarp = 32;
constexpr int kBlock = 256;  // threads per block, where a kernel has no reason for another number

// ---- what several stages need -------------------------------------------------------------------

int read_back(const int* device) {
  int value = 0;
  CUDA_CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

/// No vertex is reached yet but the source.
template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
}

/// How many blocks of kBlock threads a cooperative launch may have: `wanted`, or as many as the
/// device holds at once if that is less. The grid's barrier waits for all of them.
template <typename Kernel>
int resident_blocks(Kernel kernel, int wanted) {
  int per_multiprocessor = 0, multiprocessors = 0;
  CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, kBlock, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  return min(per_multiprocessor * multiprocessors, wanted);
}

/// For sweeps 1, 2, ... in one cooperative launch: waits until every thread has finished this one,
/// and says whether it changed anything for any of them. changed_in[0] and [1] begin as 0. There
/// are two, because a thread may write for the next sweep while another still reads for this one.
__device__ bool changed_anywhere(bool changed_here, int sweep, int* changed_in) {
  if (changed_here) changed_in[sweep % 2] = sweep;  // all who write in a sweep write the same
  cooperative_groups::this_grid().sync();           // the sweep is over
  return changed_in[sweep % 2] == sweep;
}

/// The sums inside every tile of kBlock counts, and the tile's total.
__global__ void sum_tiles(const int* count, int n, int* first, int* total) {
  __shared__ int sum[kBlock];
  const int t = threadIdx.x, i = blockIdx.x * kBlock + t;
  const int mine = i < n ? count[i] : 0;
  sum[t] = mine;
  __syncthreads();  // all counts are there
  for (int step = 1; step < kBlock; step *= 2) {
    const int left = t >= step ? sum[t - step] : 0;
    __syncthreads();  // all have read before anyone adds
    sum[t] += left;
    __syncthreads();  // all have added before anyone reads
  }
  if (i < n) first[i] = sum[t] - mine;
  if (t == kBlock - 1) total[blockIdx.x] = sum[t];
}

__global__ void add_tiles_before(const int* before, int n, int* first) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) first[i] += before[i / kBlock];
}

/// first[i] becomes count[0] + ... + count[i - 1], for i = 0 ... n: where the i-th's places begin.
void sum_before(const int* count, int n, int* first) {
  const int tiles = ceil_div(n, kBlock);
  PoolBuffer<int> total(tiles), before(tiles + 1);
  sum_tiles<<<tiles, kBlock>>>(count, n, first, total.data());
  CUDA_CHECK_LAUNCH();
  const int* all = total.data();
  if (tiles > 1) {
    sum_before(total.data(), tiles, before.data());
    add_tiles_before<<<tiles, kBlock>>>(before.data(), n, first);
    CUDA_CHECK_LAUNCH();
    all = before.data() + tiles;
  }
  CUDA_CHECK(cudaMemcpyAsync(first + n, all, sizeof(int), cudaMemcpyDeviceToDevice));
}

// ---- stage 1: edges -----------------------------------------------------------------------------

// BEGIN STAGE 1 edges: count each vertex's arcs to larger ones, then copy them (about 35 lines)
/// How many arcs lead from each vertex to a larger one. A warp looks at the arcs of one vertex.
__global__ void count_forward(const int* offsets, const int* targets, int n, int* count) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (v >= n) return;
  int forward = 0;
  for (int begin = offsets[v]; begin < offsets[v + 1]; begin += kWarp) {
    const int i = begin + lane;
    forward += __popc(__ballot_sync(0xFFFFFFFFu, i < offsets[v + 1] && targets[i] > v));
  }
  if (lane == 0) count[v] = forward;
}

template <typename Weight>
__global__ void copy_forward(const int* offsets, const int* targets, const Weight* weights, int n,
                             const int* first, int* start, int* end, Weight* weight) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (v >= n) return;
  int place = first[v];
  for (int begin = offsets[v]; begin < offsets[v + 1]; begin += kWarp) {
    const int i = begin + lane;
    const bool forward = i < offsets[v + 1] && targets[i] > v;
    const unsigned all = __ballot_sync(0xFFFFFFFFu, forward);
    if (forward) {
      // Behind the arcs of the lanes below: the list keeps the order of the CSR.
      const int mine = place + __popc(all & ((1u << lane) - 1));
      start[mine] = v;
      end[mine] = targets[i];
      weight[mine] = weights[i];
    }
    place += __popc(all);
  }
}
// END STAGE 1

template <typename Weight>
int list_edges(const int* offsets, const int* targets, const Weight* weights, int n, int arcs,
               int* start, int* end, Weight* weight) {
  // BEGIN STAGE 1 edges: launch, with the sum of the counts between (about 9 lines)
  // STUB: return 0;
  if (arcs == 0) return 0;
  DeviceBuffer<int> count(n), first(n + 1);
  const int blocks = ceil_div(n, kBlock / kWarp);
  count_forward<<<blocks, kBlock>>>(offsets, targets, n, count.data());
  CUDA_CHECK_LAUNCH();
  sum_before(count.data(), n, first.data());
  copy_forward<<<blocks, kBlock>>>(offsets, targets, weights, n, first.data(), start, end, weight);
  CUDA_CHECK_LAUNCH();
  return read_back(first.data() + n);
  // END STAGE 1
}

// ---- stage 2: relax -----------------------------------------------------------------------------

// BEGIN STAGE 2 relax: relax an edge per thread, both ways, until nothing changes (about 35 lines)
/// The number of the last sweep that changed a distance. All who write here in a sweep write the
/// same, so nobody has to set a flag back between a sweep's writes and the next one's.
__device__ int changed_in;

template <typename Weight>
__global__ void relax_edges(const int* start, const int* end, const Weight* weight, int edges,
                            Weight* dist, int sweep) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const Weight w = weight[e], to_u = dist[u], to_v = dist[v];
  // With w >= 0 at most one of the two can be improved by the other.
  if (to_v + w < to_u) {
    dist[u] = to_v + w;  // another thread may write here, too: a later sweep repairs what is lost
    changed_in = sweep;
  } else if (to_u + w < to_v) {
    dist[v] = to_u + w;
    changed_in = sweep;
  }
}

/// Launches sweeps 1, 2, ... by launch(sweep) until one changes nothing; returns how many.
template <typename Launch>
int sweep_until_quiet(Launch launch) {
  int last_change = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(changed_in, &last_change, sizeof last_change));
  for (int sweep = 1;; ++sweep) {
    launch(sweep);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyFromSymbol(&last_change, changed_in, sizeof last_change));
    if (last_change != sweep) return sweep;
  }
}
// END STAGE 2

template <typename Weight>
int search_by_sweeps(const int* start, const int* end, const Weight* weight, int edges, int n,
                     int source, Weight* dist) {
  // BEGIN STAGE 2 relax: start at the source, launch the sweeps (about 7 lines)
  // STUB: return 0;
  start_at<<<ceil_div(n, kBlock), kBlock>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  return sweep_until_quiet([&](int sweep) {
    relax_edges<<<ceil_div(edges, kBlock), kBlock>>>(start, end, weight, edges, dist, sweep);
  });
  // END STAGE 2
}

// ---- stage 3: restrict --------------------------------------------------------------------------

// BEGIN STAGE 3 restrict: the same kernel with two pointers to the distances (about 18 lines)
/// As relax_edges; `dist` and `written` point to the same memory. The `__restrict__` says that they
/// do not, and so is a lie: undefined behaviour by the language, and on the hardware a read that
/// may miss what other threads write during this launch. Distances only fall and the next launch
/// reads afresh, so that a stale read costs a sweep and no more.
template <typename Weight>
__global__ void relax_edges_cached(const int* __restrict__ start, const int* __restrict__ end,
                                   const Weight* __restrict__ weight, int edges,
                                   const Weight* __restrict__ dist, Weight* written, int sweep) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const Weight w = weight[e], to_u = dist[u], to_v = dist[v];
  if (to_v + w < to_u) {
    written[u] = to_v + w;
    changed_in = sweep;
  } else if (to_u + w < to_v) {
    written[v] = to_u + w;
    changed_in = sweep;
  }
}
// END STAGE 3

template <typename Weight>
int search_by_cached_reads(const int* start, const int* end, const Weight* weight, int edges, int n,
                           int source, Weight* dist) {
  // BEGIN STAGE 3 restrict: start at the source, launch the sweeps (about 8 lines)
  // STUB: return 0;
  start_at<<<ceil_div(n, kBlock), kBlock>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  return sweep_until_quiet([&](int sweep) {
    relax_edges_cached<<<ceil_div(edges, kBlock), kBlock>>>(start, end, weight, edges, dist, dist,
                                                            sweep);
  });
  // END STAGE 3
}

// ---- stage 4: locality --------------------------------------------------------------------------

// BEGIN STAGE 4 locality: vertices by degree, edges by segments (about 80 lines)
/// A counting sort in three steps, for vertices by degree and for edges by segments alike: count
/// the keys, sum up before each, take places. Equal keys come in any order.
__global__ void count_keys(const int* key, int n, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&count[key[i]], 1);
}

__global__ void take_places(const int* key, int n, int* next_place, int* place) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) place[i] = atomicAdd(&next_place[key[i]], 1);
}

/// place[i] becomes where element i with key[i] in 0 ... keys - 1 stands in the sorted order.
void sort_places(const int* key, int n, int keys, int* place) {
  DeviceBuffer<int> count(keys), first(keys + 1);
  CUDA_CHECK(cudaMemset(count.data(), 0, keys * sizeof(int)));
  count_keys<<<ceil_div(n, kBlock), kBlock>>>(key, n, count.data());
  CUDA_CHECK_LAUNCH();
  sum_before(count.data(), keys, first.data());
  take_places<<<ceil_div(n, kBlock), kBlock>>>(key, n, first.data(), place);
  CUDA_CHECK_LAUNCH();
}

constexpr int kMostDegrees = 1 << 16;  // from here on degrees count as one: the largest hubs
constexpr int kWeightClasses = 32;     // the edges of a group are sorted by weight so roughly

__global__ void count_degrees(const int* start, const int* end, int edges, int* degree) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  atomicAdd(&degree[start[e]], 1);
  atomicAdd(&degree[end[e]], 1);
}

__global__ void hubs_first(int* degree, int n, int keys) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) degree[v] = keys - 1 - min(degree[v], keys - 1);
}

/// A warp finds the heaviest of some edges: heavier ones will share the last class of weights.
template <typename Weight>
__global__ void find_heaviest(const Weight* weight, int edges, Weight* heaviest) {
  constexpr int kSample = 256;
  Weight found = 0;
  for (int i = threadIdx.x; i < kSample; i += kWarp)
    found = max(found, weight[static_cast<long long>(i) * edges / kSample]);
  for (int apart = kWarp / 2; apart > 0; apart /= 2)
    found = max(found, __shfl_xor_sync(0xFFFFFFFFu, found, apart));
  if (threadIdx.x == 0) *heaviest = found;
}

/// The groups ascend by the segment of the end, then of the start; an edge is turned round if need
/// be, so that its start is in the first of its two segments: fewer groups, and larger ones. Inside
/// a group the classes of weight ascend.
template <typename Weight>
__global__ void find_keys(const int* start, const int* end, const Weight* weight, int edges,
                          const int* label, int segment, const Weight* heaviest, int* key) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int a = label[start[e]] / segment, b = label[end[e]] / segment;
  const int first = min(a, b), second = max(a, b);
  const Weight part = *heaviest > 0 ? min(weight[e] / *heaviest, Weight{1}) : Weight{0};
  key[e] = (second * (second + 1) / 2 + first) * kWeightClasses +
           static_cast<int>(part * (kWeightClasses - 1));
}

template <typename Weight>
__global__ void move_edges(const int* start, const int* end, const Weight* weight, int edges,
                           const int* label, int segment, const int* place, int* arranged_start,
                           int* arranged_end, Weight* arranged_weight) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = label[start[e]], v = label[end[e]];
  const bool turn = u / segment > v / segment;
  arranged_start[place[e]] = turn ? v : u;
  arranged_end[place[e]] = turn ? u : v;
  arranged_weight[place[e]] = weight[e];
}
// END STAGE 4

// BEGIN STAGE 4 locality: for speed, leave out chunks that improve nothing (about 135 lines)
// A search looks at chunks of the arranged list, and leaves out those that cannot bring a vertex
// closer. That is told from a chunk's lightest edge and the distances in its two segments.
constexpr int kChunk = 256;  // edges, for a warp
constexpr int kAtOnce = 4;   // edges that a thread has on the way, instead of waiting for each

template <typename Weight>
struct Chunk {
  int start_segment;  // -1: its edges are of several groups
  int end_segment;
  Weight lightest;
};

/// Of the distances in a segment.
template <typename Weight>
struct Range {
  Weight least, largest;
};

/// A warp describes a chunk. The list is sorted by groups: if the first and the last edge are of
/// one group, so are all between.
template <typename Weight>
__global__ void describe_chunks(const int* start, const int* end, const Weight* weight, int edges,
                                int segment, int chunks, Chunk<Weight>* chunk) {
  const int c = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
  if (c >= chunks) return;
  const int first = c * kChunk, last = min(edges - first, kChunk) + first - 1;
  Weight lightest = INFINITY;
  for (int e = first + threadIdx.x % kWarp; e <= last; e += kWarp)
    lightest = min(lightest, weight[e]);
  for (int apart = kWarp / 2; apart > 0; apart /= 2)
    lightest = min(lightest, __shfl_xor_sync(0xFFFFFFFFu, lightest, apart));
  if (threadIdx.x % kWarp > 0) return;
  const int a = start[first] / segment, b = end[first] / segment;
  const bool one_group = a == start[last] / segment && b == end[last] / segment;
  chunk[c] = {one_group ? a : -1, b, lightest};
}

/// The least and the largest distance of every segment, each found by a block.
template <typename Weight>
__device__ void find_ranges(const Weight* dist, int n, int segment, Range<Weight>* range) {
  __shared__ Range<Weight> found[kBlock];
  const int t = threadIdx.x;
  for (int s = blockIdx.x; s < ceil_div(n, segment); s += gridDim.x) {
    Range<Weight> mine = {INFINITY, 0};
    const int behind = min(n, (s + 1) * segment);
    for (int v = s * segment + t; v < behind; v += kBlock)
      mine = {min(mine.least, dist[v]), max(mine.largest, dist[v])};
    found[t] = mine;
    for (int half = kBlock / 2; half > 0; half /= 2) {
      __syncthreads();  // what was found so far stands
      if (t >= half) continue;
      found[t].least = min(found[t].least, found[t + half].least);
      found[t].largest = max(found[t].largest, found[t + half].largest);
    }
    if (t == 0) range[s] = found[0];
    __syncthreads();  // it is read before the next segment's is written
  }
}

/// Whether some edge of the chunk could be improving: not if even the lightest one, from the least
/// distance in one segment, leads no lower than the largest in the other. Sums are rounded, but
/// monotonely: no edge's sum is below that one.
template <typename Weight>
__device__ bool may_improve(const Chunk<Weight>& chunk, const Range<Weight>* range) {
  if (chunk.start_segment < 0) return true;
  const Range<Weight> a = range[chunk.start_segment], b = range[chunk.end_segment];
  return a.least + chunk.lightest < b.largest || b.least + chunk.lightest < a.largest;
}

__device__ float atomic_min(float* address, float value);  // see stage 5
__device__ double atomic_min(double* address, double value);

/// A warp relaxes the edges first ... behind - 1; says whether this thread has changed a distance.
/// It reads distances through L1, which holds the two segments of a chunk but does not see other
/// multiprocessors' writes before the grid's barrier: a stale distance is one for the next sweep.
/// Plain stores would do as well, but hubs lose so many updates that a search takes five times as
/// long.
template <typename Weight>
__device__ bool relax_chunk(const int* start, const int* end, const Weight* weight, int first,
                            int behind, Weight* dist) {
  bool changed = false;
  for (int e = first + threadIdx.x % kWarp; e < behind; e += kAtOnce * kWarp) {
    int u[kAtOnce], v[kAtOnce];
    Weight w[kAtOnce], to_u[kAtOnce], to_v[kAtOnce];
    for (int i = 0; i < kAtOnce; ++i) {
      const int here = min(e + i * kWarp, behind - 1);  // the last edge twice does no harm
      u[i] = start[here];
      v[i] = end[here];
      w[i] = weight[here];
    }
    for (int i = 0; i < kAtOnce; ++i) {
      to_u[i] = dist[u[i]];
      to_v[i] = dist[v[i]];
    }
    for (int i = 0; i < kAtOnce; ++i) {
      const Weight over_u = to_u[i] + w[i], over_v = to_v[i] + w[i];
      if (over_v < to_u[i])
        changed |= over_v < atomic_min(&dist[u[i]], over_v);
      else if (over_u < to_v[i])
        changed |= over_u < atomic_min(&dist[v[i]], over_u);
    }
  }
  return changed;
}

/// All sweeps. In each a warp's lanes look at 32 chunks at a time, one each, and the warp relaxes
/// those that may improve something. In the last sweep no distance changes, so that the ranges hold
/// from its beginning to its end, and nothing that it left out was improving.
template <typename Weight>
__global__ void search_chunks(const int* start, const int* end, const Weight* weight, int edges,
                              int n, int segment, const Chunk<Weight>* chunk, Weight* dist,
                              Range<Weight>* range, int* changed_in, int* sweeps) {
  const auto grid = cooperative_groups::this_grid();
  const int chunks = ceil_div(edges, kChunk), warps = gridDim.x * blockDim.x / kWarp;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp, lane = threadIdx.x % kWarp;
  for (int sweep = 1;; ++sweep) {
    find_ranges(dist, n, segment, range);
    grid.sync();  // the ranges are found, and of one moment: nobody has changed a distance
    bool changed = false;
    for (int base = warp; base < chunks; base += kWarp * warps) {
      const int mine = base + lane * warps;  // the neighbouring chunk is the neighbouring warp's
      const bool needed = mine < chunks && may_improve(chunk[mine], range);
      for (unsigned left = __ballot_sync(0xFFFFFFFFu, needed); left != 0; left &= left - 1) {
        const int first = (base + (__ffs(left) - 1) * warps) * kChunk;
        changed |= relax_chunk(start, end, weight, first, min(edges - first, kChunk) + first, dist);
      }
    }
    if (!changed_anywhere(changed, sweep, changed_in)) {
      if (grid.thread_rank() == 0) *sweeps = sweep;
      return;
    }
  }
}
// END STAGE 4

template <typename Weight>
void arrange_by_segments(const int* start, const int* end, const Weight* weight, int edges, int n,
                         int segment, int* label, int* arranged_start, int* arranged_end,
                         Weight* arranged_weight) {
  // BEGIN STAGE 4 locality: degrees, labels, groups, places, and the move (about 20 lines)
  DeviceBuffer<int> degree(n);
  CUDA_CHECK(cudaMemset(degree.data(), 0, n * sizeof(int)));
  const int vertex_blocks = ceil_div(n, kBlock), edge_blocks = ceil_div(edges, kBlock);
  if (edges > 0) count_degrees<<<edge_blocks, kBlock>>>(start, end, edges, degree.data());
  CUDA_CHECK_LAUNCH();
  const int degrees = min(n, kMostDegrees);
  hubs_first<<<vertex_blocks, kBlock>>>(degree.data(), n, degrees);
  CUDA_CHECK_LAUNCH();
  sort_places(degree.data(), n, degrees, label);
  if (edges == 0) return;

  const int segments = ceil_div(n, segment);
  DeviceBuffer<int> key(edges), place(edges);
  DeviceBuffer<Weight> heaviest(1);
  find_heaviest<<<1, kWarp>>>(weight, edges, heaviest.data());
  CUDA_CHECK_LAUNCH();
  find_keys<<<edge_blocks, kBlock>>>(start, end, weight, edges, label, segment, heaviest.data(),
                                     key.data());
  CUDA_CHECK_LAUNCH();
  sort_places(key.data(), edges, segments * (segments + 1) / 2 * kWeightClasses, place.data());
  move_edges<<<edge_blocks, kBlock>>>(start, end, weight, edges, label, segment, place.data(),
                                      arranged_start, arranged_end, arranged_weight);
  CUDA_CHECK_LAUNCH();
  // END STAGE 4
}

template <typename Weight>
int search_segments(const int* start, const int* end, const Weight* weight, int edges, int n,
                    int source, Weight* dist) {
  // BEGIN STAGE 4 locality: describe the chunks, launch the sweeps (about 20 lines)
  // STUB: return 0;
  start_at<<<ceil_div(n, kBlock), kBlock>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  int size = sssp::segment(n);
  const int chunks = ceil_div(edges, kChunk), blocks = ceil_div(chunks, kBlock / kWarp);
  PoolBuffer<Chunk<Weight>> chunk(chunks);
  PoolBuffer<Range<Weight>> range(ceil_div(n, size));
  PoolBuffer<int> counters(3);
  CUDA_CHECK(cudaMemset(counters.data(), 0, 3 * sizeof(int)));
  describe_chunks<<<blocks, kBlock>>>(start, end, weight, edges, size, chunks, chunk.data());
  CUDA_CHECK_LAUNCH();
  Chunk<Weight>* described = chunk.data();
  Range<Weight>* ranges = range.data();
  int *changed_in = counters.data(), *sweeps = changed_in + 2;
  void* arguments[] = {&start,     &end,  &weight, &edges,      &n,     &size,
                       &described, &dist, &ranges, &changed_in, &sweeps};
  CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(search_chunks<Weight>),
                                         resident_blocks(search_chunks<Weight>, blocks), kBlock,
                                         arguments, 0, nullptr));
  return read_back(sweeps);
  // END STAGE 4
}

// ---- stage 5: atomic ----------------------------------------------------------------------------

// BEGIN STAGE 5 atomic: a minimum of floats, and sweeps that lose no update (about 40 lines)
/// Lowers *address to value if that is less, and returns what stood there before. CUDA has no
/// atomicMin for floating-point numbers; but the bits of those that are not negative, read as
/// integers, have the same order, +infinity included. (A -0 would be the least integer of all: none
/// comes up, for distances begin with 0, and 0 + -0 is 0.)
__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double atomic_min(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

/// A distance that other threads may lower at any moment: volatile, so that it is read once and
/// from memory, not from a cache that does not see their writes.
template <typename Weight>
__device__ Weight distance(const Weight* dist, int v) {
  return *static_cast<const volatile Weight*>(dist + v);
}

/// All sweeps. The edges pass once (__ldcs): they should not drive the distances from the cache.
template <typename Weight>
__global__ void sweep_atomically(const int* start, const int* end, const Weight* weight, int edges,
                                 Weight* dist, int* changed_in, int* sweeps) {
  const auto grid = cooperative_groups::this_grid();
  const int threads = gridDim.x * blockDim.x;
  for (int sweep = 1;; ++sweep) {
    bool changed = false;
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += threads) {
      const int u = __ldcs(start + e), v = __ldcs(end + e);
      const Weight w = __ldcs(weight + e), to_u = distance(dist, u), to_v = distance(dist, v);
      // Comparing first spares the atomic of nearly every edge: few improve anything in a sweep.
      if (to_v + w < to_u)
        changed |= to_v + w < atomic_min(&dist[u], to_v + w);
      else if (to_u + w < to_v)
        changed |= to_u + w < atomic_min(&dist[v], to_u + w);
    }
    if (!changed_anywhere(changed, sweep, changed_in)) {
      if (grid.thread_rank() == 0) *sweeps = sweep;
      return;
    }
  }
}
// END STAGE 5

template <typename Weight>
int search_atomically(const int* start, const int* end, const Weight* weight, int edges, int n,
                      int source, Weight* dist) {
  // BEGIN STAGE 5 atomic: start at the source, launch the sweeps (about 12 lines)
  // STUB: return 0;
  start_at<<<ceil_div(n, kBlock), kBlock>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  PoolBuffer<int> counters(3);
  CUDA_CHECK(cudaMemset(counters.data(), 0, 3 * sizeof(int)));
  int *changed_in = counters.data(), *sweeps = changed_in + 2;
  void* arguments[] = {&start, &end, &weight, &edges, &dist, &changed_in, &sweeps};
  const int blocks = resident_blocks(sweep_atomically<Weight>, ceil_div(edges, kBlock));
  CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sweep_atomically<Weight>), blocks,
                                         kBlock, arguments, 0, nullptr));
  return read_back(sweeps);
  // END STAGE 5
}

// ---- stage 6: frontier --------------------------------------------------------------------------

// BEGIN STAGE 6 frontier: a list of the vertices that changed, relaxed by warps (about 50 lines)
constexpr int kArcsPerItem = 256;  // a hub is work for many warps, a small vertex for one

/// Work for one warp: up to kArcsPerItem of the arcs that leave `vertex`, from `first_arc` on.
struct Item {
  int vertex;
  int first_arc;
};

/// A list that threads add to. `items` has room for every vertex once: see most_items.
struct WorkList {
  Item* items;
  int* count;

  __device__ void push(const int* offsets, int v) const {
    const int begin = offsets[v], pieces = ceil_div(offsets[v + 1] - begin, kArcsPerItem);
    if (pieces == 0) return;
    const int place = atomicAdd(count, pieces);
    for (int i = 0; i < pieces; ++i) items[place + i] = {v, begin + i * kArcsPerItem};
  }
};

int most_items(int n, int arcs) { return n + arcs / kArcsPerItem; }

__global__ void push_source(const int* offsets, int source, WorkList list) {
  list.push(offsets, source);
}

/// A warp relaxes the arcs of an item. A vertex that came closer is pushed, once a round: whoever
/// is the first to write the round's number into pushed_in[v] pushes v.
template <typename Weight>
__global__ void relax_items(const int* offsets, const int* targets, const Weight* weights,
                            const Item* items, int count, Weight* dist, int round, int* pushed_in,
                            WorkList next) {
  const int item = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
  if (item >= count) return;
  const auto [u, first_arc] = items[item];
  const int behind = min(offsets[u + 1], first_arc + kArcsPerItem);
  const Weight to_u = distance(dist, u);
  for (int i = first_arc + threadIdx.x % kWarp; i < behind; i += kWarp) {
    const int v = targets[i];
    const Weight over_u = to_u + weights[i];
    if (over_u < distance(dist, v) && over_u < atomic_min(&dist[v], over_u) &&
        atomicExch(&pushed_in[v], round) != round)
      next.push(offsets, v);
  }
}
// END STAGE 6

template <typename Weight>
int search_by_frontier(const int* offsets, const int* targets, const Weight* weights, int n,
                       int arcs, int source, Weight* dist) {
  // BEGIN STAGE 6 frontier: rounds from one list to the next, until one is empty (about 22 lines)
  // STUB: return 0;
  start_at<<<ceil_div(n, kBlock), kBlock>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  const int room = most_items(n, arcs);
  PoolBuffer<int> pushed_in(n), counts(2);
  PoolBuffer<Item> items[2] = {PoolBuffer<Item>(room), PoolBuffer<Item>(room)};
  CUDA_CHECK(cudaMemset(pushed_in.data(), 0, n * sizeof(int)));
  CUDA_CHECK(cudaMemset(counts.data(), 0, 2 * sizeof(int)));
  const auto list = [&](int i) { return WorkList{items[i % 2].data(), counts.data() + i % 2}; };
  push_source<<<1, 1>>>(offsets, source, list(1));
  CUDA_CHECK_LAUNCH();
  for (int round = 1;; ++round) {
    const WorkList now = list(round), next = list(round + 1);
    const int count = read_back(now.count);
    if (count == 0) return max(1, round - 1);
    CUDA_CHECK(cudaMemset(next.count, 0, sizeof(int)));  // read by the host a round ago
    relax_items<<<ceil_div(count, kBlock / kWarp), kBlock>>>(
        offsets, targets, weights, now.items, count, dist, round, pushed_in.data(), next);
    CUDA_CHECK_LAUNCH();
  }
  // END STAGE 6
}

// ---- stage 7: delta -----------------------------------------------------------------------------

// BEGIN STAGE 7 delta: a bitonic sort of every vertex's arcs (about 30 lines)
/// Sorts the arcs of vertex blockIdx.x by weight, if there are more than `least` and at most
/// `most`. All comparisons put the lighter arc in front; what would stand behind the end is heavier
/// than all and needs no comparison.
template <typename Weight>
__global__ void sort_arcs(const int* offsets, int least, int most, int* targets, Weight* weights) {
  const int begin = offsets[blockIdx.x], degree = offsets[blockIdx.x + 1] - begin;
  if (degree <= least || degree > most) return;
  const auto compare_all = [=](int partners) {
    for (int i = threadIdx.x; i < degree; i += blockDim.x) {
      const int a = begin + i, b = begin + (i ^ partners);
      if (b <= a || b >= begin + degree || !(weights[b] < weights[a])) continue;
      const Weight heavier = weights[a];
      const int target = targets[a];
      weights[a] = weights[b];
      targets[a] = targets[b];
      weights[b] = heavier;
      targets[b] = target;
    }
    __syncthreads();  // all have been compared before anyone meets another partner
  };
  for (int size = 2; size < 2 * degree; size *= 2) {
    compare_all(size - 1);  // two sorted halves face each other: the first meets the last
    for (int apart = size / 4; apart > 0; apart /= 2) compare_all(apart);
  }
}
// END STAGE 7

template <typename Weight>
void sort_arcs_by_weight(const int* offsets, const int* targets, const Weight* weights, int n,
                         int arcs, int* sorted_targets, Weight* sorted_weights) {
  // BEGIN STAGE 7 delta: copy, then sort small and large vertices (about 12 lines)
  if (arcs == 0) return;
  constexpr auto kCopy = cudaMemcpyDeviceToDevice;
  const std::size_t count = arcs;
  CUDA_CHECK(cudaMemcpy(sorted_targets, targets, count * sizeof(int), kCopy));
  CUDA_CHECK(cudaMemcpy(sorted_weights, weights, count * sizeof(Weight), kCopy));
  constexpr int kLargestBlock = 1024;
  constexpr int kSmall = 512;  // up to here a warp is enough; a hub wants the largest block
  sort_arcs<<<n, kWarp>>>(offsets, 1, kSmall, sorted_targets, sorted_weights);
  CUDA_CHECK_LAUNCH();
  sort_arcs<<<n, kLargestBlock>>>(offsets, kSmall, arcs, sorted_targets, sorted_weights);
  CUDA_CHECK_LAUNCH();
  // END STAGE 7
}

// BEGIN STAGE 7 delta: all buckets in one launch, with barriers of the grid between (about 110 lines)
/// The memory of a search. Counters go round: while one is read and one is added to, the third is
/// set to zero for the next time, and the grid's barrier between makes that safe.
template <typename Weight>
struct Buckets {
  Item* items[2];     // of this round of light arcs, and of the next
  Item* members;      // all that were in the bucket, for their heavy arcs
  int* count;         // 3: of items
  int* member_count;  // 2: of members, by bucket
  Weight* least;      // 3: the least distance behind the bucket, by attempt
  int* pushed_in;     // per vertex: the last round that pushed it to items, 1, 2, ...
  int* member_of;     // per vertex: the last bucket that it was in, 1, 2, ...
};

template <typename Weight>
struct Graph {
  const int* offsets;
  const int* targets;
  const Weight* weights;  // of a vertex's arcs, ascending
  int n, arcs;
};

/// The next larger number, for 0 <= x < infinity: their bits count upwards.
__device__ float next_above(float x) { return __int_as_float(__float_as_int(x) + 1); }
__device__ double next_above(double x) { return __longlong_as_double(__double_as_longlong(x) + 1); }

/// The mean weight, from a sample, in every block alike. For blocks of kBlock threads.
template <typename Weight>
__device__ Weight mean_weight(const Graph<Weight>& graph) {
  __shared__ double sum[kBlock];
  const int t = threadIdx.x;
  sum[t] = static_cast<double>(graph.weights[static_cast<long long>(t) * graph.arcs / kBlock]);
  for (int half = kBlock / 2; half > 0; half /= 2) {
    __syncthreads();  // the sums so far stand
    if (t < half) sum[t] += sum[t + half];
  }
  __syncthreads();  // the sum of all stands
  return static_cast<Weight>(sum[0] / kBlock);
}

/// Puts the vertices at a distance in low ... high, without high, into the bucket.
template <typename Weight>
__device__ void collect(const Graph<Weight>& graph, const Weight* dist, Weight low, Weight high,
                        int bucket, const Buckets<Weight>& work, WorkList items, WorkList members,
                        Weight* least) {
  const int threads = gridDim.x * blockDim.x;
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < graph.n; v += threads) {
    if (dist[v] < low) continue;
    if (dist[v] < high) {
      items.push(graph.offsets, v);
      members.push(graph.offsets, v);
      work.member_of[v] = bucket;
    } else if (dist[v] < distance(least, 0)) {
      atomic_min(least, dist[v]);
    }
  }
}

/// Relaxes the arcs of the items that lead below `high`: the light ones. They come first, so a warp
/// stops where its arcs become heavy. A vertex that came closer is pushed, and is in the bucket.
template <typename Weight>
__device__ void relax_light(const Graph<Weight>& graph, const Item* items, int count, Weight high,
                            Weight* dist, int round, int bucket, const Buckets<Weight>& work,
                            WorkList next, WorkList members) {
  const int warps = gridDim.x * blockDim.x / kWarp;
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp; i < count; i += warps) {
    const auto [u, first_arc] = items[i];
    const int behind = min(graph.offsets[u + 1], first_arc + kArcsPerItem);
    const Weight to_u = distance(dist, u);
    for (int arc = first_arc + threadIdx.x % kWarp; arc < behind; arc += kWarp) {
      const Weight over_u = to_u + graph.weights[arc];
      if (!(over_u < high)) break;
      const int v = graph.targets[arc];
      if (!(over_u < distance(dist, v)) || !(over_u < atomic_min(&dist[v], over_u))) continue;
      if (atomicExch(&work.pushed_in[v], round) != round) next.push(graph.offsets, v);
      if (atomicExch(&work.member_of[v], bucket) != bucket) members.push(graph.offsets, v);
    }
  }
}

/// Relaxes the other arcs of the members, whose distances are final now. These arcs lead to `high`
/// and beyond: nobody is pushed, a later bucket will find the vertices that came closer.
template <typename Weight>
__device__ void relax_heavy(const Graph<Weight>& graph, const Item* items, int count, Weight high,
                            Weight* dist) {
  const int warps = gridDim.x * blockDim.x / kWarp;
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp; i < count; i += warps) {
    const auto [u, first_arc] = items[i];
    const int behind = min(graph.offsets[u + 1], first_arc + kArcsPerItem);
    const Weight to_u = distance(dist, u);
    for (int arc = first_arc + threadIdx.x % kWarp; arc < behind; arc += kWarp) {
      const Weight over_u = to_u + graph.weights[arc];
      if (over_u < high) continue;
      const int v = graph.targets[arc];
      if (over_u < distance(dist, v)) atomic_min(&dist[v], over_u);
    }
  }
}

/// Delta-stepping (Meyer and Sanders, 2003): takes the vertices in buckets of `width`, the nearest
/// first. Light arcs can lead back into the bucket, and are relaxed until nothing changes; the many
/// heavy ones are relaxed once, when the bucket is done. Each arc is relaxed little more than once.
template <typename Weight>
__global__ void search_buckets(Graph<Weight> graph, Weight* dist, Buckets<Weight> work,
                               int* phases) {
  const auto grid = cooperative_groups::this_grid();
  const bool first = grid.thread_rank() == 0;
  const int few = gridDim.x * blockDim.x / kWarp;  // items that give every warp one
  // Narrow enough that a vertex has about one light arc into its bucket.
  const Weight narrow = mean_weight(graph) / (graph.arcs / graph.n + 1);
  Weight low = 0, width = narrow;
  int round = 1, attempt = 0;
  for (int bucket = 1;; ++bucket) {
    Weight high;
    const WorkList members = {work.members, work.member_count + bucket % 2};
    for (;; ++attempt) {
      high = max(low + width, next_above(low));  // a width may be lost in rounding
      if (first) work.least[(attempt + 1) % 3] = INFINITY;
      collect(graph, dist, low, high, bucket, work,
              WorkList{work.items[round % 2], work.count + round % 3}, members,
              work.least + attempt % 3);
      grid.sync();  // the bucket is full
      if (work.count[round % 3] > 0) break;
      low = work.least[attempt % 3];
      if (isinf(low)) {  // nobody is left
        if (first) *phases = round - 1 + bucket;
        return;
      }
      grid.sync();  // all have seen that it was empty
    }
    ++attempt;
    while (const int count = work.count[round % 3]) {
      const WorkList next = {work.items[(round + 1) % 2], work.count + (round + 1) % 3};
      if (first) work.count[(round + 2) % 3] = 0;
      relax_light(graph, work.items[round % 2], count, high, dist, round, bucket, work, next,
                  members);
      ++round;
      grid.sync();  // all are pushed who came closer
    }
    const int count = *members.count;
    if (first) work.member_count[(bucket + 1) % 2] = 0;
    relax_heavy(graph, work.members, count, high, dist);
    grid.sync();  // all distances are known that this bucket leads to
    low = high;
    // A bucket that does not give every warp an item is too narrow for this machine.
    width = count < few ? 2 * width : narrow;
  }
}
// END STAGE 7

template <typename Weight>
int search_by_delta_stepping(const int* offsets, const int* targets, const Weight* weights, int n,
                             int arcs, int source, Weight* dist) {
  // BEGIN STAGE 7 delta: memory, and as many blocks as can wait for each other (about 35 lines)
  // STUB: return 0;
  start_at<<<ceil_div(n, kBlock), kBlock>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (arcs == 0) return 1;
  const std::size_t room = most_items(n, arcs), stamp_count = 2 * static_cast<std::size_t>(n);
  PoolBuffer<Item> items(3 * room);
  PoolBuffer<int> stamps(stamp_count), counters(6);
  PoolBuffer<Weight> least(3);
  const Weight infinite[3] = {INFINITY, INFINITY, INFINITY};
  CUDA_CHECK(cudaMemset(stamps.data(), 0, stamp_count * sizeof(int)));
  CUDA_CHECK(cudaMemset(counters.data(), 0, 6 * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(least.data(), infinite, sizeof infinite, cudaMemcpyHostToDevice));
  Graph<Weight> graph = {offsets, targets, weights, n, arcs};
  Buckets<Weight> work = {{items.data(), items.data() + room},
                          items.data() + 2 * room,
                          counters.data(),
                          counters.data() + 3,
                          least.data(),
                          stamps.data(),
                          stamps.data() + n};
  int* phases = counters.data() + 5;

  // A barrier of the grid needs all blocks on the machine at once, and is cheaper between few.
  int per_multiprocessor = 0, multiprocessors = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor,
                                                           search_buckets<Weight>, kBlock, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = min(per_multiprocessor * multiprocessors, ceil_div(n, 128));
  void* arguments[] = {&graph, &dist, &work, &phases};
  CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(search_buckets<Weight>), blocks,
                                         kBlock, arguments, 0, nullptr));
  return read_back(phases);
  // END STAGE 7
}

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

int edges(const int* offsets, const int* targets, const float* weights, int n, int arcs, int* start,
          int* end, float* weight) {
  return list_edges(offsets, targets, weights, n, arcs, start, end, weight);
}
int edges_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                 int* start, int* end, double* weight) {
  return list_edges(offsets, targets, weights, n, arcs, start, end, weight);
}

int relax(const int* start, const int* end, const float* weight, int edges, int n, int source,
          float* dist) {
  return search_by_sweeps(start, end, weight, edges, n, source, dist);
}
int relax_double(const int* start, const int* end, const double* weight, int edges, int n,
                 int source, double* dist) {
  return search_by_sweeps(start, end, weight, edges, n, source, dist);
}

int restrict(const int* start, const int* end, const float* weight, int edges, int n, int source,
             float* dist) {
  return search_by_cached_reads(start, end, weight, edges, n, source, dist);
}
int restrict_double(const int* start, const int* end, const double* weight, int edges, int n,
                    int source, double* dist) {
  return search_by_cached_reads(start, end, weight, edges, n, source, dist);
}

int segment(int n) {
  // BEGIN STAGE 4 locality: how many vertices make a segment, with your reason (about 3 lines)
  // STUB: return 0;
  // An average group of a graph with 32 arcs per vertex then holds two chunks: larger segments mean
  // wider ranges of distances, smaller ones chunks with edges of several groups (NOTES.md).
  return max(static_cast<int>(4 * std::sqrt(n)), ceil_div(n, 1024));
  // END STAGE 4
}
void arrange(const int* start, const int* end, const float* weight, int edges, int n, int segment,
             int* label, int* arranged_start, int* arranged_end, float* arranged_weight) {
  arrange_by_segments(start, end, weight, edges, n, segment, label, arranged_start, arranged_end,
                      arranged_weight);
}
void arrange_double(const int* start, const int* end, const double* weight, int edges, int n,
                    int segment, int* label, int* arranged_start, int* arranged_end,
                    double* arranged_weight) {
  arrange_by_segments(start, end, weight, edges, n, segment, label, arranged_start, arranged_end,
                      arranged_weight);
}

int locality(const int* start, const int* end, const float* weight, int edges, int n, int source,
             float* dist) {
  return search_segments(start, end, weight, edges, n, source, dist);
}
int locality_double(const int* start, const int* end, const double* weight, int edges, int n,
                    int source, double* dist) {
  return search_segments(start, end, weight, edges, n, source, dist);
}

int atomic(const int* start, const int* end, const float* weight, int edges, int n, int source,
           float* dist) {
  return search_atomically(start, end, weight, edges, n, source, dist);
}
int atomic_double(const int* start, const int* end, const double* weight, int edges, int n,
                  int source, double* dist) {
  return search_atomically(start, end, weight, edges, n, source, dist);
}

int frontier(const int* offsets, const int* targets, const float* weights, int n, int arcs,
             int source, float* dist) {
  return search_by_frontier(offsets, targets, weights, n, arcs, source, dist);
}
int frontier_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                    int source, double* dist) {
  return search_by_frontier(offsets, targets, weights, n, arcs, source, dist);
}

void lightest_first(const int* offsets, const int* targets, const float* weights, int n, int arcs,
                    int* sorted_targets, float* sorted_weights) {
  sort_arcs_by_weight(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
}
void lightest_first_double(const int* offsets, const int* targets, const double* weights, int n,
                           int arcs, int* sorted_targets, double* sorted_weights) {
  sort_arcs_by_weight(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
}

int delta(const int* offsets, const int* targets, const float* weights, int n, int arcs, int source,
          float* dist) {
  return search_by_delta_stepping(offsets, targets, weights, n, arcs, source, dist);
}
int delta_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                 int source, double* dist) {
  return search_by_delta_stepping(offsets, targets, weights, n, arcs, source, dist);
}

}  // namespace sssp
