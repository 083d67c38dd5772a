// Lab 05, single-source shortest paths: the lengths of the shortest paths from one vertex to all.
//
// One thread looks at one edge {u, v} and asks two questions. Is the path to v over u shorter than
// the one known so far? Is the path to u over v? That is relaxing the edge. A launch relaxes all
// edges, and launches repeat until one has changed nothing (Ford 1956, Bellman 1958). This is the
// simplest order in which to find shortest paths, and the easiest to spread over a hundred thousand
// threads. The later stages do less of the same work: only at vertices that changed, only near the
// source.
#include <cmath>
#include <type_traits>

#include "ceil_div.hpp"
#include "cooperative.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "pool_buffer.hpp"
#include "prefix_sum.hpp"
#include "sssp.hpp"
#include "warp.hpp"

namespace sssp {
namespace {

using namespace kit;  // labs/kit: read_back, sum_before, changed_anywhere ...

constexpr int kBlock = 256;  // threads per block, unless a kernel has a reason for another number

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
}

/// Sets the distances so that only the source is reached yet.
template <typename Weight>
void start_search(int source, Weight* dist, int n) {
  start_at<<<ceil_div(n, kBlock), kBlock>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
}

// ---- stage 1: edges -----------------------------------------------------------------------------

// BEGIN STAGE 1 edges: count each vertex's arcs to larger ones, then copy them (about 30 lines)
/// How many arcs lead from each vertex to a larger one. A warp looks at the arcs of one vertex.
__global__ void count_forward(const int* offsets, const int* targets, int n, int* count) {
  const int v = blockIdx.x * (kBlock / kWarp) + threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (v >= n) return;
  int forward = 0;
  for (int begin = offsets[v]; begin < offsets[v + 1]; begin += kWarp) {
    const int i = begin + lane;
    forward += __popc(__ballot_sync(kAllLanes, i < offsets[v + 1] && targets[i] > v));
  }
  if (lane == 0) count[v] = forward;
}

template <typename Weight>
__global__ void copy_forward(const int* offsets, const int* targets, const Weight* weights, int n,
                             const int* first, int* start, int* end, Weight* weight) {
  const int v = blockIdx.x * (kBlock / kWarp) + threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (v >= n) return;
  int place = first[v];
  for (int begin = offsets[v]; begin < offsets[v + 1]; begin += kWarp) {
    const int i = begin + lane;
    const bool forward = i < offsets[v + 1] && targets[i] > v;
    const unsigned all = __ballot_sync(kAllLanes, forward);
    if (forward) {
      // The place is after the arcs of the lanes below: the list keeps the order of the CSR.
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
  // BEGIN STAGE 1 edges: two launches, with the sum of the counts between them (about 9 lines)
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

// BEGIN STAGE 2 relax: relax one edge per thread, in both directions, until nothing changes (about 35 lines)
/// The number of the last sweep that changed a distance. All threads that write here in a sweep
/// write the same number, so no flag has to be reset between two sweeps.
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
    dist[u] = to_v + w;  // another thread may write here, too: a later sweep repairs lost updates
    changed_in = sweep;
  } else if (to_u + w < to_v) {
    dist[v] = to_u + w;
    changed_in = sweep;
  }
}

/// Launches sweeps 1, 2, ... with launch(sweep) until one changes nothing; returns their number.
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
  // BEGIN STAGE 2 relax: start at the source, launch the sweeps (about 5 lines)
  // STUB: return 0;
  start_search(source, dist, n);
  if (edges == 0) return 1;
  return sweep_until_quiet([&](int sweep) {
    relax_edges<<<ceil_div(edges, kBlock), kBlock>>>(start, end, weight, edges, dist, sweep);
  });
  // END STAGE 2
}

// ---- stage 3: restrict --------------------------------------------------------------------------

// BEGIN STAGE 3 restrict: the same kernel, with two pointers to the distances (about 20 lines)
/// As relax_edges, but `dist` and `written` point to the same memory. `__restrict__` says that they
/// do not, so it is a lie. In the language that is undefined behaviour. On the hardware a read may
/// miss what other threads write during this launch. Distances only fall, and the next launch reads
/// the new values, so a stale read costs a sweep and nothing else.
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
  // BEGIN STAGE 3 restrict: start at the source, launch the sweeps (about 6 lines)
  // STUB: return 0;
  start_search(source, dist, n);
  if (edges == 0) return 1;
  return sweep_until_quiet([&](int sweep) {
    relax_edges_cached<<<ceil_div(edges, kBlock), kBlock>>>(start, end, weight, edges, dist, dist,
                                                            sweep);
  });
  // END STAGE 3
}

// ---- stage 4: atomic ----------------------------------------------------------------------------

// BEGIN STAGE 4 atomic: a minimum of floats, and sweeps that lose no update (about 40 lines)
/// Lowers *address to value if that is less, and returns the value that was there before. CUDA has
/// no atomicMin for floating-point numbers. But for numbers that are not negative, the bits read as
/// integers have the same order, +infinity included. (-0 would be the least integer of all. It
/// never occurs, because distances begin with 0, and 0 + -0 is 0.)
__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double atomic_min(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

/// A distance that other threads may lower at any moment. It is volatile, so that it is read once,
/// and from memory, not from a cache that does not see their writes.
template <typename Weight>
__device__ Weight distance(const Weight* dist, int v) {
  return *static_cast<const volatile Weight*>(dist + v);
}

/// Makes all sweeps. Each reads every edge only once, so it uses __ldcs: the edges should not push
/// the distances out of the cache.
template <typename Weight>
__global__ void sweep_atomically(const int* start, const int* end, const Weight* weight, int edges,
                                 Weight* dist, int* last_change, int* sweeps) {
  const auto grid = cooperative_groups::this_grid();
  const int threads = gridDim.x * blockDim.x;
  for (int sweep = 1;; ++sweep) {
    bool changed = false;
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += threads) {
      const int u = __ldcs(start + e), v = __ldcs(end + e);
      const Weight w = __ldcs(weight + e), to_u = distance(dist, u), to_v = distance(dist, v);
      // Comparing first saves nearly every atomic: few edges improve a distance in a sweep.
      if (to_v + w < to_u)
        changed |= to_v + w < atomic_min(&dist[u], to_v + w);
      else if (to_u + w < to_v)
        changed |= to_u + w < atomic_min(&dist[v], to_u + w);
    }
    if (!changed_anywhere(changed, sweep, last_change)) {
      if (grid.thread_rank() == 0) *sweeps = sweep;
      return;
    }
  }
}
// END STAGE 4

template <typename Weight>
int search_atomically(const int* start, const int* end, const Weight* weight, int edges, int n,
                      int source, Weight* dist) {
  // BEGIN STAGE 4 atomic: start at the source, launch the sweeps (about 9 lines)
  // STUB: return 0;
  start_search(source, dist, n);
  if (edges == 0) return 1;
  PoolBuffer<int> counters(3);
  CUDA_CHECK(cudaMemset(counters.data(), 0, 3 * sizeof(int)));
  int* sweeps = counters.data() + 2;
  const int blocks = resident_blocks(sweep_atomically<Weight>, kBlock, ceil_div(edges, kBlock));
  launch_cooperatively(sweep_atomically<Weight>, blocks, kBlock, start, end, weight, edges, dist,
                       counters.data(), sweeps);
  return read_back(sweeps);
  // END STAGE 4
}

// ---- stage 5: locality --------------------------------------------------------------------------

// BEGIN STAGE 5 locality: vertices by degree, edges by segments (about 75 lines)
/// A counting sort in three steps, for vertices by degree and for edges by segments: count the
/// keys, sum up the counts before each key, take places. Equal keys come in any order.
__global__ void count_keys(const int* key, int n, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&count[key[i]], 1);
}

__global__ void take_places(const int* key, int n, int* next_place, int* place) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) place[i] = atomicAdd(&next_place[key[i]], 1);
}

/// place[i] becomes the place of element i in the sorted order; key[i] is in 0 ... keys - 1.
void sort_places(const int* key, int n, int keys, int* place) {
  DeviceBuffer<int> count(keys), first(keys + 1);
  CUDA_CHECK(cudaMemset(count.data(), 0, keys * sizeof(int)));
  count_keys<<<ceil_div(n, kBlock), kBlock>>>(key, n, count.data());
  CUDA_CHECK_LAUNCH();
  sum_before(count.data(), keys, first.data());
  take_places<<<ceil_div(n, kBlock), kBlock>>>(key, n, first.data(), place);
  CUDA_CHECK_LAUNCH();
}

constexpr int kMostDegrees = 1 << 16;  // larger degrees, of the largest hubs, count as one degree
constexpr int kWeightClasses = 32;     // the edges of a group are sorted by weight class

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

/// A warp finds the heaviest edge of a sample. Heavier edges will be in the last class of weights.
template <typename Weight>
__global__ void find_heaviest(const Weight* weight, int edges, Weight* heaviest) {
  constexpr int kSample = 256;
  Weight found = 0;
  for (int i = threadIdx.x; i < kSample; i += kWarp)
    found = max(found, weight[static_cast<long long>(i) * edges / kSample]);
  found = over_lanes(found, [](Weight a, Weight b) { return max(a, b); });
  if (threadIdx.x == 0) *heaviest = found;
}

/// The groups ascend by the segment of the end, then by the segment of the start. An edge is turned
/// round if necessary, so that its start is in the first of its two segments: this makes fewer and
/// larger groups. Inside a group the classes of weight ascend.
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
// END STAGE 5

// BEGIN STAGE 5 locality: for speed, leave out chunks that improve nothing (about 130 lines)
// A search looks at chunks of the arranged list, and leaves out chunks that cannot bring a vertex
// closer. A chunk's lightest edge and the distances in its two segments show which these are.
constexpr int kChunk = 256;  // edges, for a warp
constexpr int kAtOnce = 4;   // edges that a thread loads at once, instead of waiting for each

template <typename Weight>
struct Chunk {
  int start_segment;  // -1: its edges are in several groups
  int end_segment;
  Weight lightest;
};

/// The range of the distances in a segment.
template <typename Weight>
struct Range {
  Weight least, largest;
};

/// A warp describes a chunk. The list is sorted by groups: if the first and the last edge are in
/// one group, so are all edges between them.
template <typename Weight>
__global__ void describe_chunks(const int* start, const int* end, const Weight* weight, int edges,
                                int segment, int chunks, Chunk<Weight>* chunk) {
  const int c = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
  if (c >= chunks) return;
  const int first = c * kChunk, last = min(edges - first, kChunk) + first - 1;
  Weight lightest = INFINITY;
  for (int e = first + threadIdx.x % kWarp; e <= last; e += kWarp)
    lightest = min(lightest, weight[e]);
  lightest = over_lanes(lightest, [](Weight a, Weight b) { return min(a, b); });
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
      __syncthreads();  // the results so far are there
      if (t >= half) continue;
      found[t].least = min(found[t].least, found[t + half].least);
      found[t].largest = max(found[t].largest, found[t + half].largest);
    }
    if (t == 0) range[s] = found[0];
    __syncthreads();  // the range is read before the next segment's range is written
  }
}

/// Whether some edge of the chunk could improve a distance. None can if even the lightest edge,
/// from the least distance in one segment, does not lead below the largest distance in the other.
/// Rounding is monotone, so no edge's rounded sum is below that sum.
template <typename Weight>
__device__ bool may_improve(const Chunk<Weight>& chunk, const Range<Weight>* range) {
  if (chunk.start_segment < 0) return true;
  const Range<Weight> a = range[chunk.start_segment], b = range[chunk.end_segment];
  return a.least + chunk.lightest < b.largest || b.least + chunk.lightest < a.largest;
}

/// A warp relaxes the edges first ... behind - 1. Returns whether this thread has changed a
/// distance. It reads distances through L1, which holds the two segments of a chunk. L1 does not
/// see writes of other multiprocessors before the grid's barrier: the next sweep corrects a stale
/// distance. Plain stores would also be right, but hubs lose so many updates that a search takes
/// five times as long.
template <typename Weight>
__device__ bool relax_chunk(const int* start, const int* end, const Weight* weight, int first,
                            int behind, Weight* dist) {
  bool changed = false;
  for (int e = first + threadIdx.x % kWarp; e < behind; e += kAtOnce * kWarp) {
    int u[kAtOnce], v[kAtOnce];
    Weight w[kAtOnce], to_u[kAtOnce], to_v[kAtOnce];
    for (int i = 0; i < kAtOnce; ++i) {
      const int here = min(e + i * kWarp, behind - 1);  // relaxing the last edge twice is harmless
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

/// Makes all sweeps. In each, a warp's lanes look at 32 chunks at a time, one per lane, and the
/// warp relaxes the chunks that may improve a distance. In the last sweep no distance changes. So
/// its ranges hold from its beginning to its end, and no edge that it left out could improve a
/// distance.
template <typename Weight>
__global__ void search_chunks(const int* start, const int* end, const Weight* weight, int edges,
                              int n, int segment, const Chunk<Weight>* chunk, Weight* dist,
                              Range<Weight>* range, int* last_change, int* sweeps) {
  const auto grid = cooperative_groups::this_grid();
  const int chunks = ceil_div(edges, kChunk), warps = gridDim.x * blockDim.x / kWarp;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp, lane = threadIdx.x % kWarp;
  for (int sweep = 1;; ++sweep) {
    find_ranges(dist, n, segment, range);
    grid.sync();  // all ranges are found, before any distance changes: they are of one moment
    bool changed = false;
    for (int base = warp; base < chunks; base += kWarp * warps) {
      const int mine = base + lane * warps;  // a neighbouring warp looks at the neighbouring chunk
      const bool needed = mine < chunks && may_improve(chunk[mine], range);
      for (unsigned left = __ballot_sync(kAllLanes, needed); left != 0; left &= left - 1) {
        const int first = (base + (__ffs(left) - 1) * warps) * kChunk;
        changed |= relax_chunk(start, end, weight, first, min(edges - first, kChunk) + first, dist);
      }
    }
    if (!changed_anywhere(changed, sweep, last_change)) {
      if (grid.thread_rank() == 0) *sweeps = sweep;
      return;
    }
  }
}
// END STAGE 5

template <typename Weight>
void arrange_by_segments(const int* start, const int* end, const Weight* weight, int edges, int n,
                         int segment, int* label, int* arranged_start, int* arranged_end,
                         Weight* arranged_weight) {
  // BEGIN STAGE 5 locality: degrees, labels, groups, places, and the move (about 20 lines)
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
  // END STAGE 5
}

template <typename Weight>
int search_segments(const int* start, const int* end, const Weight* weight, int edges, int n,
                    int source, Weight* dist) {
  // BEGIN STAGE 5 locality: describe the chunks, launch the sweeps (about 15 lines)
  // STUB: return 0;
  start_search(source, dist, n);
  if (edges == 0) return 1;
  const int size = sssp::segment(n);
  const int chunks = ceil_div(edges, kChunk), blocks = ceil_div(chunks, kBlock / kWarp);
  PoolBuffer<Chunk<Weight>> chunk(chunks);
  PoolBuffer<Range<Weight>> range(ceil_div(n, size));
  PoolBuffer<int> counters(3);
  CUDA_CHECK(cudaMemset(counters.data(), 0, 3 * sizeof(int)));
  describe_chunks<<<blocks, kBlock>>>(start, end, weight, edges, size, chunks, chunk.data());
  CUDA_CHECK_LAUNCH();
  int* sweeps = counters.data() + 2;
  launch_cooperatively(
      search_chunks<Weight>, resident_blocks(search_chunks<Weight>, kBlock, blocks), kBlock, start,
      end, weight, edges, n, size, chunk.data(), dist, range.data(), counters.data(), sweeps);
  return read_back(sweeps);
  // END STAGE 5
}

// ---- stage 6: frontier --------------------------------------------------------------------------

// BEGIN STAGE 6 frontier: a list of the vertices that changed, and all rounds in one launch (about 90 lines)
constexpr int kArcsPerItem = 256;  // a hub is work for many warps, a small vertex for some lanes

/// Work for a warp or some of its lanes: up to kArcsPerItem of the arcs that leave `vertex`, from
/// `first_arc` on.
struct Item {
  int vertex;
  int first_arc;
};

int most_items(int n, int arcs) { return n + arcs / kArcsPerItem; }

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

__global__ void push_source(const int* offsets, int source, WorkList list) {
  list.push(offsets, source);
}

/// The vertices that a block has found in a round.
struct Found {
  static constexpr int kRoom = 1024;
  int count;
  int vertices[kRoom];
};

/// Relaxes one arc. A vertex that came closer is found once per round: by the first thread to write
/// the round's number into pushed_in[v].
template <typename Weight>
__device__ void relax_arc(const int* offsets, int v, Weight over_u, Weight* dist, int round,
                          int* pushed_in, Found& found, WorkList next) {
  if (!(over_u < distance(dist, v)) || !(over_u < atomic_min(&dist[v], over_u)) ||
      atomicExch(&pushed_in[v], round) == round)
    return;
  const int slot = atomicAdd(&found.count, 1);
  if (slot < Found::kRoom)
    found.vertices[slot] = v;
  else
    next.push(offsets, v);
}

/// Where a list of *length elements has room for `mine` elements of this lane. One atomic takes the
/// places for a whole warp, because atomics on one address run one after another. All lanes of the
/// warp must call it together.
template <typename T>
__device__ T take_place(T* length, T mine) {
  const T up_to_me = sum_up_to_lane(mine);
  T start = 0;
  if (threadIdx.x % kWarp == kWarp - 1) start = atomicAdd(length, up_to_me);
  return __shfl_sync(kAllLanes, start, kWarp - 1) + up_to_me - mine;
}

/// Pushes what the block has found.
__device__ void push_found(const int* offsets, const Found& found, WorkList next) {
  const int held = min(found.count, Found::kRoom), lane = threadIdx.x % kWarp;
  for (int first = threadIdx.x - lane; first < held; first += blockDim.x) {
    const int v = first + lane < held ? found.vertices[first + lane] : -1;
    const int begin = v < 0 ? 0 : offsets[v];
    const int pieces = v < 0 ? 0 : ceil_div(offsets[v + 1] - begin, kArcsPerItem);
    const int place = take_place(next.count, pieces);
    for (int i = 0; i < pieces; ++i) next.items[place + i] = {v, begin + i * kArcsPerItem};
  }
}

/// Makes all rounds: round r reads list r % 2, and pushes to the other. There are three counts in
/// turn: one is read, one is written, and the one that was read in the round before is reset.
/// `lanes` neighbouring lanes relax the arcs of an item.
template <typename Weight>
__global__ void relax_in_rounds(const int* offsets, const int* targets, const Weight* weights,
                                Item* items, int room, int* counts, Weight* dist, int* pushed_in,
                                int lanes, int* rounds) {
  __shared__ Found found;
  const auto grid = cooperative_groups::this_grid();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int teams = gridDim.x * blockDim.x / lanes;
  if (threadIdx.x == 0) found.count = 0;
  __syncthreads();  // nothing is found yet
  for (int round = 1;; ++round) {
    const int count = counts[round % 3];
    if (count == 0) {
      if (thread == 0) *rounds = max(1, round - 1);
      return;
    }
    if (thread == 0) counts[(round + 2) % 3] = 0;
    const Item* now = items + round % 2 * room;
    const WorkList next = {items + (round + 1) % 2 * room, counts + (round + 1) % 3};
    for (int i = thread / lanes; i < count; i += teams) {
      const auto [u, first_arc] = now[i];
      const int behind = min(offsets[u + 1], first_arc + kArcsPerItem);
      const Weight to_u = distance(dist, u);
      for (int arc = first_arc + thread % lanes; arc < behind; arc += lanes)
        relax_arc(offsets, targets[arc], to_u + weights[arc], dist, round, pushed_in, found, next);
    }
    __syncthreads();  // the block has found everything
    push_found(offsets, found, next);
    __syncthreads();  // it is pushed: there is room again
    if (threadIdx.x == 0) found.count = 0;
    grid.sync();  // all distances are lowered, and the next list is written
  }
}

// In a grid, and on many roads, no vertex has more than four arcs, and a round has a few thousand
// vertices: it is no more than a chain of trips to memory. So the chain is made short. The arcs are
// in slots, so no offset is read first. An entry of the list has the vertex's distance. Each block
// lists what it finds in a segment of its own, so nobody waits for a place.
constexpr int kSlots = 4;           // of a vertex
constexpr int kRoundsBlock = 1024;  // one block per multiprocessor: the barrier is cheaper
constexpr int kLanesPerEntry = 2;   // with two slots each
constexpr int kSegment = 4096;      // entries
constexpr int kMostBlocks = 512;    // of a kernel that prepares a search

/// An arc, for searches that need all arcs of a vertex at a place that its number tells.
template <typename Weight>
struct alignas(2 * sizeof(Weight)) Slot {
  std::conditional_t<sizeof(Weight) == 4, int, long long> target;  // -1 if there is no such arc
  Weight weight;                                                   // as long, so no byte is free
};

__global__ void find_most_arcs(const int* offsets, int n, int* most) {
  int mine = 0;
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x)
    mine = max(mine, offsets[v + 1] - offsets[v]);
  mine = over_lanes(mine, [](int a, int b) { return max(a, b); });
  if (threadIdx.x % kWarp == 0) atomicMax(most, mine);
}

/// Nobody waits for the number here.
void ask_for_most_arcs(const int* offsets, int n, int* most) {
  CUDA_CHECK(cudaMemsetAsync(most, 0, sizeof(int)));
  find_most_arcs<<<min(ceil_div(n, kBlock), kMostBlocks), kBlock>>>(offsets, n, most);
  CUDA_CHECK_LAUNCH();
}

/// Copies the arcs into slots: kSlots for each vertex, or per_lane times as many, one set of all
/// vertices after the other. Does nothing if a vertex has more arcs.
template <typename Weight>
__global__ void fill_slots(const int* offsets, const int* targets, const Weight* weights, int n,
                           const int* most_arcs, int per_lane, Slot<Weight>* slots) {
  if (*most_arcs > kSlots * per_lane) return;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long all = static_cast<long long>(n) * kSlots;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += threads) {
    const int v = static_cast<int>(i / kSlots), end = offsets[v + 1];
    int arc = offsets[v] + static_cast<int>(i % kSlots);
    for (int k = 0; k < per_lane; ++k, arc += kSlots)
      slots[k * all + i] =
          arc < end ? Slot<Weight>{targets[arc], weights[arc]} : Slot<Weight>{-1, Weight{0}};
  }
}

template <typename Weight>
void fill(const int* offsets, const int* targets, const Weight* weights, int n,
          const int* most_arcs, int per_lane, Slot<Weight>* slots) {
  fill_slots<<<min(ceil_div(n, kBlock / kSlots), 4 * kMostBlocks), kBlock>>>(
      offsets, targets, weights, n, most_arcs, per_lane, slots);
  CUDA_CHECK_LAUNCH();
}

/// A vertex that came closer, to `at`, by way of its neighbour `from`. If it has come closer since,
/// a later entry says so, and this one is left out.
template <typename Weight>
struct alignas(16) Entry {  // aligned, so that one load reads it
  Weight at;
  int vertex;
  std::conditional_t<sizeof(Weight) == 4, long long, int> from;  // as long, so no byte is free
};

/// The list of a round: a segment for each block, and a list of what did not fit into one.
template <typename Weight>
struct Front {
  Entry<Weight>* segments;
  int* lengths;   // of the segments
  int* overflow;  // vertices, each once
  int* overflow_length;

  __device__ Entry<Weight> entry(int segment, int i, const Weight* dist) const {
    if (segment < static_cast<int>(gridDim.x))
      return segments[static_cast<std::size_t>(segment) * kSegment + i];
    return {distance(dist, overflow[i]), overflow[i], -1};
  }
};

/// Adds up the lengths of the segments and of the overflow: ends[s] becomes the number of entries
/// up to the end of segment s. Returns the number of all. All threads of the block call it.
template <typename Weight>
__device__ int find_ends(const Front<Weight>& front, int* ends) {
  __shared__ int of_warp[kRoundsBlock / kWarp];
  const int t = threadIdx.x, lane = t % kWarp, segments = gridDim.x;
  const int length = t < segments ? front.lengths[t] : t == segments ? *front.overflow_length : 0;
  const int up_to_me = sum_up_to_lane(length);
  if (lane == kWarp - 1) of_warp[t / kWarp] = up_to_me;
  __syncthreads();  // the warps' sums are there
  const int before =
      over_lanes(lane < t / kWarp ? of_warp[lane] : 0, [](int a, int b) { return a + b; });
  ends[t] = before + up_to_me;
  __syncthreads();  // the ends are there
  return ends[kRoundsBlock - 1];
}

/// The segment of entry i; this lane's i is at most 31 above `first`, which is the same in all
/// lanes. So they look for the segment of `first` together, and go on from there.
__device__ int find_segment(const int* ends, int first, int i) {
  int segment_of_i = 0;
  const int warps = ceil_div(static_cast<int>(gridDim.x), kWarp);
  for (int s = threadIdx.x % kWarp; s < warps * kWarp; s += kWarp)
    segment_of_i += __popc(__ballot_sync(kAllLanes, ends[s] <= first));
  while (ends[segment_of_i] <= i) ++segment_of_i;
  return segment_of_i;
}

/// Relaxes this lane's arcs of an entry, and lists the vertices that come closer. All lanes of a
/// warp call it together; those without an entry have vertex -1.
template <typename Weight>
__device__ void relax_slots(const Slot<Weight>* slots, const Entry<Weight>& u, Weight* dist,
                            int* listed_in, int round, int* found, const Front<Weight>& next) {
  constexpr int kMine = kSlots / kLanesPerEntry;
  struct alignas(kMine * sizeof(Slot<Weight>)) Mine {  // aligned, so that few loads read them
    Slot<Weight> slot[kMine];
  };
  Mine mine = {};
  Weight now = 0;
  if (u.vertex >= 0) {
    now = distance(dist, u.vertex);
    mine = reinterpret_cast<const Mine*>(
        slots)[static_cast<std::size_t>(u.vertex) * kLanesPerEntry + threadIdx.x % kLanesPerEntry];
  }
  Weight over_u[kMine], before[kMine];
#pragma unroll
  for (int k = 0; k < kMine; ++k) {  // all atomics are issued before the first is waited for
    const int v = static_cast<int>(mine.slot[k].target);
    over_u[k] = u.at + mine.slot[k].weight;
    const bool may = u.vertex >= 0 && !(now < u.at) && v >= 0 && v != u.from;  // from: never nearer
    before[k] = may ? atomic_min(&dist[v], over_u[k]) : Weight{0};
  }
  unsigned closer[kMine];
  int found_here = 0, place = 0;
#pragma unroll
  for (int k = 0; k < kMine; ++k) {
    closer[k] = __ballot_sync(kAllLanes, over_u[k] < before[k]);
    found_here += __popc(closer[k]);
  }
  if (found_here == 0) return;
  const int lane = threadIdx.x % kWarp;
  if (lane == 0) place = atomicAdd(found, found_here);
  place = __shfl_sync(kAllLanes, place, 0);
#pragma unroll
  for (int k = 0; k < kMine; ++k) {
    const int at = place + __popc(closer[k] & ((1u << lane) - 1)), v = mine.slot[k].target;
    place += __popc(closer[k]);
    if ((closer[k] >> lane & 1) == 0) continue;
    if (at < kSegment)
      next.segments[static_cast<std::size_t>(blockIdx.x) * kSegment + at] = {over_u[k], v,
                                                                             u.vertex};
    else if (atomicExch(&listed_in[v], round) != round)
      next.overflow[atomicAdd(next.overflow_length, 1)] = v;
  }
}

/// The memory of such a search.
template <typename Weight>
struct Rounds {
  Entry<Weight>* segments;  // of both lists
  int* lengths;
  int* overflow;
  int* listed_in;         // the last round in which a vertex came into the overflow
  int* overflow_lengths;  // three in turn: one is read, one is written, one is reset

  __device__ Front<Weight> front(int round, int n) const {
    const std::size_t odd = round % 2;
    return {segments + odd * gridDim.x * kSegment, lengths + odd * gridDim.x, overflow + odd * n,
            overflow_lengths + round % 3};
  }
};

/// Makes all rounds, as relax_in_rounds does. If a vertex has more than kSlots arcs, the search
/// does nothing, and says 0 rounds.
template <typename Weight>
__global__ void __launch_bounds__(kRoundsBlock)
    relax_slots_in_rounds(const Slot<Weight>* slots, const int* most_arcs, int n, int source,
                          Weight* dist, Rounds<Weight> memory, int* rounds) {
  __shared__ int ends[kRoundsBlock], found;
  const auto grid = cooperative_groups::this_grid();
  const int id = blockIdx.x * kRoundsBlock + threadIdx.x, threads = gridDim.x * kRoundsBlock;
  if (*most_arcs > kSlots) {
    if (id == 0) *rounds = 0;
    return;
  }
  for (int v = id; v < n; v += threads) {
    dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
    memory.listed_in[v] = 0;
  }
  const Front<Weight> begin = memory.front(1, n);
  if (id == 0) begin.segments[0] = {Weight{0}, source, -1};
  if (id < 3) memory.overflow_lengths[id] = 0;
  if (threadIdx.x == 0) {
    begin.lengths[blockIdx.x] = id == 0 ? 1 : 0;
    found = 0;
  }
  for (int round = 1;; ++round) {
    grid.sync();  // all distances are lowered, and this round's list is written
    const Front<Weight> now = memory.front(round, n), next = memory.front(round + 1, n);
    const int count = find_ends(now, ends);
    if (count == 0) {
      if (id == 0) *rounds = max(1, round - 1);
      return;
    }
    if (id == 0) memory.overflow_lengths[(round + 2) % 3] = 0;
    constexpr int kTogether = kWarp / kLanesPerEntry;
    // Neighbouring warps of the list are in different blocks: a short list keeps all of them busy.
    const int warp = threadIdx.x / kWarp * gridDim.x + blockIdx.x, lane = threadIdx.x % kWarp;
    for (int first = warp * kTogether; first < count; first += threads / kLanesPerEntry) {
      const int i = min(first + lane / kLanesPerEntry, count - 1);
      const int segment = find_segment(ends, first, i);
      Entry<Weight> u = now.entry(segment, i - (segment > 0 ? ends[segment - 1] : 0), dist);
      if (first + lane / kLanesPerEntry >= count) u.vertex = -1;
      relax_slots(slots, u, dist, memory.listed_in, round, &found, next);
    }
    __syncthreads();  // the block has found everything
    if (threadIdx.x == 0) {
      next.lengths[blockIdx.x] = min(found, kSegment);
      found = 0;
    }
  }
}
// END STAGE 6

/// The number of rounds, or 0 if a vertex has more than kSlots arcs.
template <typename Weight>
int search_by_slots(const int* offsets, const int* targets, const Weight* weights, int n,
                    int source, Weight* dist) {
  // BEGIN STAGE 6 frontier: for speed, the same where no vertex has more than four arcs (about 25 lines)
  struct Heads {
    int most_arcs, overflow_lengths[3], rounds;
  };
  PoolBuffer<Heads> heads(1);
  int* const most_arcs = &heads.data()->most_arcs;
  ask_for_most_arcs(offsets, n, most_arcs);
  PoolBuffer<Slot<Weight>> slots(std::size_t{kSlots} * n);
  fill(offsets, targets, weights, n, most_arcs, 1, slots.data());
  const auto kernel = relax_slots_in_rounds<Weight>;
  const int wanted = min(ceil_div(n, kRoundsBlock), kRoundsBlock - 1);  // see find_ends
  const int blocks = resident_blocks(kernel, kRoundsBlock, wanted);
  PoolBuffer<Entry<Weight>> segments(std::size_t{2} * blocks * kSegment);
  PoolBuffer<int> lengths(2 * blocks), lists(std::size_t{3} * n);
  launch_cooperatively(
      kernel, blocks, kRoundsBlock, slots.data(), most_arcs, n, source, dist,
      Rounds<Weight>{segments.data(), lengths.data(), lists.data(),
                     lists.data() + std::size_t{2} * n, heads.data()->overflow_lengths},
      &heads.data()->rounds);
  return read_back(&heads.data()->rounds);
  // END STAGE 6
}

template <typename Weight>
int search_by_frontier(const int* offsets, const int* targets, const Weight* weights, int n,
                       int arcs, int source, Weight* dist) {
  // BEGIN STAGE 6 frontier: the lists with the source, and one launch (about 20 lines)
  // STUB: return 0;
  if (arcs / kSlots <= n) {
    const int rounds = search_by_slots(offsets, targets, weights, n, source, dist);
    if (rounds > 0) return rounds;
  }
  start_search(source, dist, n);
  const int room = most_items(n, arcs);
  PoolBuffer<int> pushed_in(n), counts(4);
  PoolBuffer<Item> items(std::size_t{2} * room);
  CUDA_CHECK(cudaMemset(pushed_in.data(), 0, n * sizeof(int)));
  CUDA_CHECK(cudaMemset(counts.data(), 0, 4 * sizeof(int)));
  push_source<<<1, 1>>>(offsets, source, {items.data() + room, counts.data() + 1});
  CUDA_CHECK_LAUNCH();
  int* rounds = counts.data() + 3;
  // With a few arcs per vertex, most lanes of a warp would have none. And the front may be narrow,
  // as in a grid, where it is some multiple of the width: a barrier is cheaper between few blocks.
  const bool sparse = arcs / n < kWarp / 2;
  const int lanes = sparse ? kWarp / 4 : kWarp;
  const int front = sparse ? static_cast<int>(8 * std::sqrt(n)) : n;
  const int wanted = ceil_div(front, kBlock / lanes);
  launch_cooperatively(relax_in_rounds<Weight>,
                       resident_blocks(relax_in_rounds<Weight>, kBlock, wanted), kBlock, offsets,
                       targets, weights, items.data(), room, counts.data(), dist, pushed_in.data(),
                       lanes, rounds);
  return read_back(rounds);
  // END STAGE 6
}

// ---- stage 7: delta -----------------------------------------------------------------------------

// BEGIN STAGE 7 delta: sort every vertex's arcs (about 15 lines; for speed 120)
constexpr int kSmallDegree = 256;  // up to this many arcs are sorted by a warp in shared memory,
constexpr int kTile = 2048;        // up to this many by a block, more arcs in tiles of this size
constexpr int kSortBlock = 1024;
constexpr int kVerticesPerBlock = 64;  // a block looks for vertices with many arcs among these

/// Arcs in shared or global memory. If the first of two arcs is heavier, they change places.
template <typename Weight>
struct ArcList {
  int* targets;
  Weight* weights;

  __device__ void order(int a, int b) const {
    if (!(weights[b] < weights[a])) return;
    const Weight weight = weights[a];
    const int target = targets[a];
    weights[a] = weights[b];
    targets[a] = targets[b];
    weights[b] = weight;
    targets[b] = target;
  }
  /// Every arc below `count` meets its partner. All comparisons put the lighter arc in front: arcs
  /// after the end would be heavier than all others, and need no comparison.
  __device__ void order_all(int partners, int count, int t, int threads) const {
    for (int a = t; a < count; a += threads) {
      const int b = a ^ partners;
      if (a < b && b < count) order(a, b);
    }
  }
  __device__ void copy(const int* from_targets, const Weight* from_weights, int count, int t,
                       int threads) const {
    for (int i = t; i < count; i += threads)
      targets[i] = from_targets[i], weights[i] = from_weights[i];
  }
};

/// Sorts `count` arcs with `threads` threads; this is thread t. barrier() holds the threads until
/// all have arrived.
template <typename Weight, typename Barrier>
__device__ void sort_together(ArcList<Weight> arcs, int count, int t, int threads,
                              Barrier barrier) {
  for (int size = 2; size < 2 * count; size *= 2) {
    arcs.order_all(size - 1, count, t, threads);  // two sorted halves: the first meets the last
    barrier();  // all have been compared before any arc meets another partner
    for (int apart = size / 4; apart > 0; apart /= 2) {
      arcs.order_all(apart, count, t, threads);
      barrier();  // likewise
    }
  }
}

/// A warp sorts the arcs of a vertex, if there are not too many.
template <typename Weight>
__global__ void sort_small(const int* offsets, const int* targets, const Weight* weights, int n,
                           int* sorted_targets, Weight* sorted_weights) {
  __shared__ int target[kBlock / kWarp][kSmallDegree];
  __shared__ Weight weight[kBlock / kWarp][kSmallDegree];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const int v = blockIdx.x * (kBlock / kWarp) + warp;
  if (v >= n) return;
  const int begin = offsets[v], degree = offsets[v + 1] - begin;
  if (degree > kSmallDegree) return;
  const ArcList<Weight> arcs = {target[warp], weight[warp]};
  arcs.copy(targets + begin, weights + begin, degree, lane, kWarp);
  __syncwarp();  // all are there
  sort_together(arcs, degree, lane, kWarp, [] { __syncwarp(); });
  const ArcList<Weight> out = {sorted_targets + begin, sorted_weights + begin};
  out.copy(target[warp], weight[warp], degree, lane, kWarp);
}

/// A block sorts the arcs of a vertex: tiles in shared memory, then larger and larger runs of
/// tiles. In global memory only partners meet that are further apart than a tile.
template <typename Weight>
__device__ void sort_tiles(const int* targets, const Weight* weights, int degree,
                           ArcList<Weight> tile, ArcList<Weight> out) {
  const int t = threadIdx.x;
  const auto each_tile = [=](const int* from_targets, const Weight* from_weights, auto sort) {
    for (int first = 0; first < degree; first += kTile) {
      const int count = min(kTile, degree - first);
      tile.copy(from_targets + first, from_weights + first, count, t, kSortBlock);
      __syncthreads();  // the tile is there
      sort(count);
      const ArcList<Weight> place = {out.targets + first, out.weights + first};
      place.copy(tile.targets, tile.weights, count, t, kSortBlock);
      __syncthreads();  // the tile is copied back, and its room is free
    }
  };
  each_tile(targets, weights,
            [=](int count) { sort_together(tile, count, t, kSortBlock, [] { __syncthreads(); }); });
  for (int half = kTile; half < degree; half *= 2) {  // two sorted halves become one
    const int first = 2 * half - 1;
    for (int partners = first; partners >= kTile;
         partners = partners == first ? half / 2 : partners / 2) {
      out.order_all(partners, degree, t, kSortBlock);
      __syncthreads();  // all have been compared
    }
    each_tile(out.targets, out.weights, [=](int count) {
      for (int apart = kTile / 2; apart > 0; apart /= 2) {
        tile.order_all(apart, count, t, kSortBlock);
        __syncthreads();  // likewise
      }
    });
  }
}

/// A block looks for vertices with many arcs, and sorts these.
template <typename Weight>
__global__ void sort_large(const int* offsets, const int* targets, const Weight* weights, int n,
                           int* sorted_targets, Weight* sorted_weights) {
  __shared__ int large[kVerticesPerBlock], count, target[kTile];
  __shared__ Weight weight[kTile];
  if (threadIdx.x == 0) count = 0;
  __syncthreads();  // the count is set
  const int mine = blockIdx.x * kVerticesPerBlock + threadIdx.x;
  if (threadIdx.x < kVerticesPerBlock && mine < n &&
      offsets[mine + 1] - offsets[mine] > kSmallDegree)
    large[atomicAdd(&count, 1)] = mine;
  __syncthreads();  // all are found
  for (int i = 0; i < count; ++i) {
    const int begin = offsets[large[i]], degree = offsets[large[i] + 1] - begin;
    sort_tiles(targets + begin, weights + begin, degree, ArcList<Weight>{target, weight},
               ArcList<Weight>{sorted_targets + begin, sorted_weights + begin});
  }
}
// END STAGE 7

template <typename Weight>
void sort_arcs_by_weight(const int* offsets, const int* targets, const Weight* weights, int n,
                         int arcs, int* sorted_targets, Weight* sorted_weights) {
  // BEGIN STAGE 7 delta: small vertices, then large ones (about 8 lines)
  if (arcs == 0) return;
  sort_small<<<ceil_div(n, kBlock / kWarp), kBlock>>>(offsets, targets, weights, n, sorted_targets,
                                                      sorted_weights);
  CUDA_CHECK_LAUNCH();
  sort_large<<<ceil_div(n, kVerticesPerBlock), kSortBlock>>>(offsets, targets, weights, n,
                                                             sorted_targets, sorted_weights);
  CUDA_CHECK_LAUNCH();
  // END STAGE 7
}

// BEGIN STAGE 7 delta: for speed, a bucket's list, and how a block adds to it (about 125 lines)
constexpr int kSearchBlock = 512;  // two blocks per multiprocessor, with enough registers
constexpr int kBatch = 4;          // arcs that a lane loads at a time
// Measured on RMAT graphs (NOTES.md): a bucket's width, in mean weights divided by the mean degree,
// and the share of all arcs after which the rest is not worth the barriers of more buckets.
constexpr double kWidth = 0.8, kNearlyAll = 0.8;

template <typename Weight>
struct Graph {
  const int* offsets;
  const int* targets;
  const Weight* weights;  // ascending within a vertex's arcs
  int n, arcs;
  const Slot<Weight>* slots = nullptr;
};

/// Up to kArcsPerItem arcs of a vertex in the bucket, and its distance when they were last relaxed.
/// If the distance has fallen since, the arcs have to be relaxed again.
template <typename Weight>
struct alignas(16) Member {  // aligned, so that one load reads it
  int vertex;
  int arc, behind;  // the arcs begin at `arc` and end before `behind`
  Weight relaxed_at;
};

/// The results of a phase, for the next one. There are three tallies in turn: while one is read and
/// one is added to, the third is reset for the phase after. The grid's barrier between two phases
/// makes that safe.
template <typename Weight>
struct Tally {
  unsigned long long added;  // the number of members times 2^32, plus the number of their arcs
  int changed;               // not 0 if a distance in the bucket fell
  int again;                 // how many members came closer once more, see Phase::again
  Weight least;              // the least of the distances that the phase reports, see `Phase`
};

__device__ int members_of(unsigned long long added) { return static_cast<int>(added >> 32); }
__device__ int arcs_of(unsigned long long added) { return static_cast<int>(added & 0xFFFFFFFFu); }

/// Vertices v that a block's threads have brought into the bucket, and ~v of those in it that came
/// closer once more, until the block adds them to their lists.
template <typename Weight>
struct Outbox {
  static constexpr int kRoom = 8 * kSearchBlock;
  int vertices[kRoom];
  int count;
  Weight least;
};

/// A phase, the work between two barriers of the grid, as one thread sees it.
template <typename Weight>
struct Phase {
  Graph<Weight> graph;
  Weight* dist;
  Member<Weight>* members;
  int count;    // members at the beginning of the phase; new members come after them
  Weight high;  // the bucket ends here
  Tally<Weight>* tally;
  // The members that come closer once more in this phase, for the next one. If the list is too
  // short for all of them, the next phase looks at every member instead.
  Member<Weight>* again;
  int room;
  int relaxed;                   // so many of the members have been relaxed,
  const Member<Weight>* listed;  // but for these, the list of the phase before
  int listed_count;
  Outbox<Weight>* outbox;
  bool changed = false;
  Weight least = INFINITY;

  /// Adds vertex v, which has come closer. Into the bucket it comes once: when its distance falls
  /// below `high`.
  __device__ void push(int v, bool is_member) {
    changed = true;
    const int slot = atomicAdd(&outbox->count, 1);
    if (slot < Outbox<Weight>::kRoom) {
      outbox->vertices[slot] = is_member ? ~v : v;
      return;
    }
    const unsigned long long size = size_of(v);
    if (is_member)
      list_again(v, atomicAdd(&tally->again, members_of(size)), members_of(size));
    else
      append(v, members_of(atomicAdd(&tally->added, size)), members_of(size));
  }

  /// How many members vertex v makes, and how many arcs, as Tally::added counts them.
  __device__ unsigned long long size_of(int v) const {
    const int degree = graph.offsets[v + 1] - graph.offsets[v];
    return static_cast<unsigned long long>(ceil_div(degree, kArcsPerItem)) << 32 | degree;
  }
  __device__ void append(int v, int place, int pieces) {
    const int end = graph.offsets[v + 1];
    int arc = graph.offsets[v];
    for (int i = 0; i < pieces; ++i, arc += kArcsPerItem)
      members[count + place + i] = {v, arc, min(arc + kArcsPerItem, end), Weight{INFINITY}};
  }
  __device__ void list_again(int v, int place, int pieces) {
    const int end = graph.offsets[v + 1];
    int arc = graph.offsets[v];
    for (int i = place; i < min(place + pieces, room); ++i, arc += kArcsPerItem)
      again[i] = {v, arc, min(arc + kArcsPerItem, end), Weight{INFINITY}};
  }

  /// Empties the outbox. All threads of the block call it, after a barrier.
  __device__ void flush() {
    const int held = min(outbox->count, Outbox<Weight>::kRoom), lane = threadIdx.x % kWarp;
    for (int first = threadIdx.x - lane; first < held; first += blockDim.x) {
      const bool mine = first + lane < held;
      const int found = mine ? outbox->vertices[first + lane] : 0;
      const bool is_member = found < 0, is_new = mine && !is_member;
      const int v = is_member ? ~found : found;
      const unsigned long long size = mine ? size_of(v) : 0;
      if (__any_sync(kAllLanes, is_new)) {
        const unsigned long long place = take_place(&tally->added, is_member ? 0ULL : size);
        if (is_new) append(v, members_of(place), members_of(size));
      }
      if (__any_sync(kAllLanes, is_member)) {
        const int place = take_place(&tally->again, is_member ? members_of(size) : 0);
        if (is_member) list_again(v, place, members_of(size));
      }
    }
    __syncthreads();  // all vertices are taken out
    if (threadIdx.x == 0) outbox->count = 0;
    __syncthreads();  // there is room again
  }

  /// Empties the outbox before it is full. All threads of the block call it.
  __device__ void flush_if_half_full() {
    __syncthreads();  // all have pushed
    const bool full = outbox->count > Outbox<Weight>::kRoom / 2;
    __syncthreads();  // all have seen the count
    if (full) flush();
  }

  /// Tells the results to the other blocks. All threads of the block call it at the end of the
  /// phase.
  __device__ void finish() {
    if (__any_sync(kAllLanes, least < INFINITY)) {
      least = over_lanes(least, [](Weight a, Weight b) { return min(a, b); });
      if (threadIdx.x % kWarp == 0) atomic_min(&outbox->least, least);
    }
    const bool any = __syncthreads_or(changed);  // all have pushed, and the least is there
    if (any) flush();
    if (threadIdx.x > 0) return;
    if (any) atomicExch(&tally->changed, 1);
    if (outbox->least < INFINITY) atomic_min(&tally->least, outbox->least);
    outbox->least = INFINITY;
  }
};
// END STAGE 7

// BEGIN STAGE 7 delta: relax a bucket (about 40 lines; for speed, all in one launch, 245)
/// Relaxes kBatch arcs of a vertex at distance to_u: first, first + stride, ..., as far as they are
/// before `behind` and lead below `reach`. Returns whether all of them do: lighter arcs come first.
/// Loads of one kind are together in the code, so that all are issued before the first is waited
/// for.
template <typename Weight>
__device__ bool relax_batch(Phase<Weight>& phase, Weight to_u, int first, int stride, int behind,
                            Weight reach) {
  int v[kBatch];
  Weight over_u[kBatch], before[kBatch];
#pragma unroll
  for (int k = 0; k < kBatch; ++k) {
    const int arc = first + k * stride;
    v[k] = arc < behind ? phase.graph.targets[arc] : 0;
    over_u[k] = arc < behind ? to_u + phase.graph.weights[arc] : static_cast<Weight>(INFINITY);
  }
#pragma unroll
  for (int k = 0; k < kBatch; ++k)
    before[k] = over_u[k] < reach ? distance(phase.dist, v[k]) : Weight{0};
#pragma unroll
  for (int k = 0; k < kBatch; ++k)
    if (over_u[k] < before[k]) before[k] = atomic_min(&phase.dist[v[k]], over_u[k]);
#pragma unroll
  for (int k = 0; k < kBatch; ++k) {
    if (!(over_u[k] < before[k]) || !(over_u[k] < phase.high)) continue;
    phase.push(v[k], before[k] < phase.high);
  }
  return over_u[kBatch - 1] < reach;
}

/// A warp relaxes the arcs that its lanes have left. A lane with `more` has the arcs from `arc` on,
/// before `behind`, of a vertex at distance to_u. The fewer lanes have arcs left, the more lanes
/// work together on one vertex: 8, 16 or all.
template <typename Weight>
__device__ void relax_rest(Phase<Weight>& phase, Weight to_u, int arc, int behind, bool more,
                           Weight reach) {
  const int lane = threadIdx.x % kWarp;
  for (unsigned left = __ballot_sync(kAllLanes, more); left;) {
    const int groups = min(4, 1 << (31 - __clz(__popc(left)))), size = kWarp / groups;
    int from = -1;  // the lane whose arcs my group relaxes
    for (int group = 0; group < groups; ++group, left &= left - 1)
      if (group == lane / size) from = __ffs(left) - 1;
    const Weight to_from = __shfl_sync(kAllLanes, to_u, from);
    const int end = __shfl_sync(kAllLanes, behind, from);
    int mine = __shfl_sync(kAllLanes, arc, from) + lane % size;
    while (mine < end && relax_batch(phase, to_from, mine, size, end, reach)) mine += kBatch * size;
  }
}

/// Relaxes the arcs of all members from phase.relaxed on, and of those in the list, that came closer
/// since they were last relaxed, or of all of them if `all`; only arcs that lead below `reach`. One
/// lane serves a member and relaxes its first arcs; the warp relaxes the rest.
template <typename Weight>
__device__ void push_phase(Phase<Weight>& phase, Weight reach, bool all) {
  const int lane = threadIdx.x % kWarp, warps = gridDim.x * blockDim.x / kWarp;
  // Neighbours in the list go to different warps, because they are often pieces of one hub.
  const int warp = threadIdx.x / kWarp * gridDim.x + blockIdx.x;
  const int unlisted = phase.count - phase.relaxed, all_of_them = unlisted + phase.listed_count;
  const int lanes = min(kWarp, ceil_div(all_of_them, warps));  // lanes of a warp with a member
  for (int begin = 0, trip = 1; begin < all_of_them; begin += warps * lanes, ++trip) {
    const int i = begin + lane * warps + warp;
    Weight to_u = INFINITY;
    int arc = 0, behind = 0;
    bool more = false;
    if (lane < lanes && i < all_of_them) {
      const Member<Weight> member =
          i < unlisted ? phase.members[phase.relaxed + i] : phase.listed[i - unlisted];
      to_u = distance(phase.dist, member.vertex);
      if (all || to_u < member.relaxed_at) {
        if (i < unlisted) phase.members[phase.relaxed + i].relaxed_at = to_u;
        if (reach == phase.high) phase.least = min(phase.least, to_u);
        arc = member.arc;
        behind = member.behind;
        more = true;
        if (lanes > kWarp / 4) {  // otherwise the other lanes are free to help at once
          more = relax_batch(phase, to_u, arc, 1, behind, reach) && arc + kBatch < behind;
          arc += kBatch;
        }
      }
    }
    relax_rest(phase, to_u, arc, behind, more, reach);
    if (trip % 4 == 0) phase.flush_if_half_full();  // seldom: it costs the block two barriers
  }
}

/// Lowers `best`, a vertex's distance, along kBatch of its arcs, chosen as in relax_batch. A
/// neighbour at a distance below `unseen` has nothing new to offer. So an arc that is too heavy for
/// a neighbour at `unseen` is useless, and so are all arcs after it: then `more` becomes false.
template <typename Weight>
__device__ Weight pull_batch(const Graph<Weight>& graph, const Weight* dist, Weight unseen,
                             Weight best, int first, int stride, int behind, bool& more) {
  int u[kBatch];
  Weight weight[kBatch];
#pragma unroll
  for (int k = 0; k < kBatch; ++k) {
    const int arc = first + k * stride;
    u[k] = arc < behind ? graph.targets[arc] : 0;
    weight[k] = arc < behind ? graph.weights[arc] : static_cast<Weight>(INFINITY);
  }
  const Weight known = best;
#pragma unroll
  for (int k = 0; k < kBatch; ++k)
    if (unseen + weight[k] < known) best = min(best, distance(dist, u[k]) + weight[k]);
  more = unseen + weight[kBatch - 1] < best;
  return best;
}

/// The distance over its neighbours of the vertex that this lane serves: `known` or less. All lanes
/// of a warp call it together; `open` says whether this lane has something to look for.
template <typename Weight>
__device__ Weight pull(const Phase<Weight>& phase, Weight unseen, Weight known, int v, bool open) {
  constexpr int kOwn = 32;  // a lane tries this many arcs alone, then the warp helps
  int arc = open ? phase.graph.offsets[v] : 0, behind = open ? phase.graph.offsets[v + 1] : 0;
  Weight best = known;
  bool more = arc < behind;
  for (int tried = 0; more && tried < kOwn; tried += kBatch, arc += kBatch)
    best = pull_batch(phase.graph, phase.dist, unseen, best, arc, 1, behind, more);
  const int lane = threadIdx.x % kWarp;
  for (unsigned left = __ballot_sync(kAllLanes, more); left; left &= left - 1) {
    const int from = __ffs(left) - 1, end = __shfl_sync(kAllLanes, behind, from);
    Weight found = __shfl_sync(kAllLanes, best, from);
    int mine = __shfl_sync(kAllLanes, arc, from) + lane;
    for (bool on = true; on && mine < end; mine += kBatch * kWarp)
      found = pull_batch(phase.graph, phase.dist, unseen, found, mine, kWarp, end, on);
    found = over_lanes(found, [](Weight a, Weight b) { return min(a, b); });
    if (lane == from) best = found;
  }
  return best;
}

/// Makes the vertices at a distance from `low` up to, but without, phase.high the members. The
/// least distance beyond them becomes phase.least. If `pulling`, all vertices from `low` on first
/// look for a shorter path. Only this thread lowers the distance of its vertex; others only read
/// it.
template <typename Weight>
__device__ void collect_phase(Phase<Weight>& phase, Weight low, bool pulling, Weight unseen) {
  const int threads = gridDim.x * blockDim.x;
  for (int begin = 0, trip = 1; begin < phase.graph.n; begin += threads, ++trip) {
    const int v = begin + blockIdx.x * blockDim.x + threadIdx.x;
    const bool there = v < phase.graph.n;
    const Weight known = there ? distance(phase.dist, v) : Weight{0};
    const bool open = there && known >= low;
    Weight best = known;
    if (pulling) best = pull(phase, unseen, known, v, open);
    if (best < known) atomic_min(&phase.dist[v], best);
    if (open && best < phase.high) {
      phase.push(v, false);
    } else if (open) {
      phase.least = min(phase.least, best);
    }
    if (trip % (Outbox<Weight>::kRoom / kSearchBlock) == 0) {
      __syncthreads();  // all have pushed
      phase.flush();
    }
  }
}

/// The next larger number, for 0 <= x < infinity: the bits of these numbers count upwards.
__device__ float next_above(float x) { return __int_as_float(__float_as_int(x) + 1); }
__device__ double next_above(double x) { return __longlong_as_double(__double_as_longlong(x) + 1); }

/// The mean weight, from a sample. Every warp gets the same result.
template <typename Weight>
__device__ Weight mean_weight(const Graph<Weight>& graph) {
  constexpr int kSample = 8;  // per lane
  double sum = 0;
  for (int i = 0; i < kSample; ++i) {
    const long long place = threadIdx.x % kWarp * kSample + i;
    sum += static_cast<double>(graph.weights[place * graph.arcs / (kSample * kWarp)]);
  }
  sum = over_lanes(sum, [](double a, double b) { return a + b; });
  return static_cast<Weight>(sum / (kSample * kWarp));
}

/// Delta-stepping (Meyer and Sanders, 2003): takes the vertices in buckets of `width`, the nearest
/// first. Light arcs can lead back into the bucket, and are relaxed until nothing changes. The many
/// heavy arcs are relaxed once, when the bucket is done. After a bucket with many arcs it is less
/// work if all other vertices pull (Chakaravarthy and others, 2014). When nearly all arcs are done,
/// the remaining vertices make one last bucket without end.
///
/// All threads compute the same values from the same tallies, so that all of them take the same
/// turns and meet at the same barriers. It is one long function on purpose: cut into the
/// methods of a struct it does the same work, but ptxas spills up to half as many bytes again
/// (sm_90, CUDA 13.0).
template <typename Weight>
__global__ void __launch_bounds__(kSearchBlock, 2)
    search_buckets(Graph<Weight> graph, int source, Weight* dist, Member<Weight>* members,
                   Member<Weight>* again, int room, Tally<Weight>* tallies, int* phases) {
  __shared__ Outbox<Weight> outbox;
  const auto grid = cooperative_groups::this_grid();
  const int id = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const Weight infinite = INFINITY;
  int number = 0, count = 0;  // phases and members so far
  Weight high = 0;
  const auto begin_phase = [&](int from) {
    ++number;
    if (id == 0) tallies[(number + 1) % 3] = {0, 0, 0, infinite};
    Member<Weight>* const written = again + number % 2 * room;
    const Member<Weight>* const read = again + (number + 1) % 2 * room;
    return Phase<Weight>{graph, dist, members, from, high, &tallies[number % 3],
                         written, room, 0, read, 0, &outbox};
  };
  const auto end_phase = [&](Phase<Weight>& phase) {
    phase.finish();
    grid.sync();  // all distances, members and the tally are written
    return *phase.tally;
  };

  if (threadIdx.x == 0) outbox.count = 0, outbox.least = infinite;
  if (id == 0) tallies[1] = {0, 0, 0, infinite};
  Phase<Weight> start = begin_phase(0);
  for (int v = id; v < graph.n; v += threads) dist[v] = v == source ? Weight{0} : infinite;
  if (id == 0) start.push(source, false);
  Tally<Weight> tally = end_phase(start);

  // The first bucket reaches beyond the source's nearest neighbour.
  const int first_arc = graph.offsets[source];
  const Weight nearest = first_arc < graph.offsets[source + 1] ? graph.weights[first_arc] : 0;
  const Weight narrow = mean_weight(graph) * static_cast<Weight>(kWidth * graph.n / graph.arcs);
  Weight low = 0, width = narrow, unseen = 0;
  high = max(nearest + width, next_above(low));
  double settled = 0;      // arcs of vertices whose distances are final
  while (tally.changed) {  // another bucket
    bool whole = true;     // all arcs of its members are relaxed, not only light arcs
    double arcs = 0;
    unseen = high;
    for (count = 0; tally.changed;) {
      const int before = count;
      count += members_of(tally.added);
      arcs += arcs_of(tally.added);
      // While there are few arcs, heavy arcs are relaxed at once: an extra phase would cost more.
      const Weight reach = isinf(high) || arcs < threads ? infinite : high;
      whole = whole && isinf(reach);
      Phase<Weight> phase = begin_phase(count);
      if (tally.again <= room) phase.relaxed = before, phase.listed_count = tally.again;
      push_phase(phase, reach, false);
      tally = end_phase(phase);
      unseen = min(unseen, tally.least);
    }
    if (isinf(high)) break;
    settled += arcs;
    // A vertex that pulls finds a settled neighbour after arcs / settled arcs, on average.
    const bool pulling = !whole && arcs * settled > static_cast<double>(graph.n) * graph.arcs;
    if (!whole && !pulling) {
      Phase<Weight> phase = begin_phase(count);
      push_phase(phase, infinite, true);
      end_phase(phase);
    }
    low = high;
    // A bucket with fewer members than half of the threads is too narrow for this machine.
    width = count < threads / 2 ? 2 * width : max(width / 2, narrow);
    do {
      const bool last = pulling && settled > kNearlyAll * graph.arcs;
      // next_above, because the width may be lost in rounding, or be 0.
      high = last ? infinite : max(low + width, next_above(low));
      Phase<Weight> phase = begin_phase(0);
      collect_phase(phase, low, pulling, unseen);
      tally = end_phase(phase);
      low = tally.least;
    } while (!tally.changed && !isinf(low));
  }
  if (id == 0) *phases = number;
}
// END STAGE 7

// BEGIN STAGE 7 delta: for speed, where paths are long, warps or blocks follow them (about 330 lines)
// With few arcs per vertex, as on roads, paths have thousands of arcs, and only some thousand
// vertices can be worked on at a time. Then the time of a search is the number of arcs of its
// longest path, times the time from one vertex to the next. By way of a list and a barrier of the
// grid that is 4 us. So a warp or a block keeps what it has found in shared memory and goes on with
// it at once.
constexpr int kFollowBlocks = 2;  // per multiprocessor: more of them make the barrier slower
constexpr int kHops = 16;         // how often a warp or a block goes on between two barriers
constexpr int kOwnRoom = 192;     // vertices that a warp keeps; a batch adds up to 128
constexpr int kOwnMost = kOwnRoom - kBatch * kWarp;  // if it has more, it gives some away

/// The place of this lane's element in a list, if it adds one. A warp takes its places together.
__device__ int place_for(bool mine, int* length) {
  const unsigned all = __ballot_sync(kAllLanes, mine);
  if (all == 0) return 0;
  const int lane = threadIdx.x % kWarp;
  int place = 0;
  if (lane == 0) place = atomicAdd(length, __popc(all));
  return __shfl_sync(kAllLanes, place, 0) + __popc(all & ((1u << lane) - 1));
}

/// A vertex that a warp goes on with. If its distance has fallen since, another warp does.
template <typename Weight>
struct alignas(sizeof(Weight) == 4 ? 16 : 8) Kin {
  int vertex, arc, behind;
  Weight at;
};

/// The vertices of a warp: a ring of those in the bucket, and a list of those beyond it.
template <typename Weight>
struct Own {
  Kin<Weight> ring[kOwnRoom];
  int later[kOwnRoom];
};

/// What warps hand over from phase to phase: vertices in the bucket and beyond it. Each has two
/// lists in turn, one that is read and one that is written.
struct Lists {
  int *near[2], *far[2];
  int* listed_in;   // the phase in which a vertex was last put into `near`: once per phase
  int* far_listed;  // 1 for a vertex that has come into `far`: once, and then it stays until its
                    // turn
};

/// How much a phase has put into its lists, how many vertices it has looked at, and the least
/// distance beyond the bucket. There are three in turn, as with Tally.
template <typename Weight>
struct Census {
  int near, far, visits;
  Weight least;
};

/// A phase as one warp sees it. All lanes call everything together.
template <typename Weight>
struct Follower {
  static constexpr int kBlock = 256, kMostArcs = 256;  // of a vertex; hubs are for other searches
  // A bucket is wide enough if one lane in kFewest has something to do, on average, and too wide if
  // one in kMost has.
  static constexpr int kFewest = 16, kMost = 4;
  struct Shared {
    Own<Weight> own[kBlock / kWarp];
  };
  Graph<Weight> graph;
  Weight* dist;
  Shared* shared;
  int *near, *far, *listed_in, *far_listed;
  Census<Weight>* census;
  Weight low, high;  // the bucket
  int phase;
  int head = 0, held = 0, later = 0, visits = 0;  // the same in all lanes
  Weight least = INFINITY;
  Own<Weight>* own = &shared->own[threadIdx.x / kWarp];

  __device__ static int lane() { return threadIdx.x % kWarp; }
  __device__ static int wrapped(int place) { return place < kOwnRoom ? place : place - kOwnRoom; }
  /// The place of this lane's element, if all lanes in `all` add one.
  __device__ static int place_in(unsigned all) { return __popc(all & ((1u << lane()) - 1)); }

  /// Gives the youngest of its own vertices away until at most `most` are left: lists them for the
  /// next phase, each once.
  __device__ void keep(int most) {
    while (held > most) {
      const int given = min(held, kWarp);
      held -= given;
      const int v = lane() < given ? ring(held + lane()).vertex : 0;
      const bool mine = lane() < given && atomicExch(&listed_in[v], phase) != phase;
      const int place = place_for(mine, &census->near);
      if (mine) near[place] = v;
      __syncwarp();  // they are read from the ring: there is room again
    }
  }
  __device__ Kin<Weight>& ring(int i) const { return own->ring[wrapped(wrapped(head + i))]; }

  /// Lists the vertices beyond the bucket. Of those that seem to be new, as ~v, several warps may
  /// have the same: one of them lists it.
  __device__ void empty_later() {
    __syncwarp();  // the list is written
    for (int first = 0; first < later; first += kWarp) {
      const bool there = first + lane() < later;
      const int entry = there ? own->later[first + lane()] : 0, v = entry < 0 ? ~entry : entry;
      const bool mine = there && (entry >= 0 || atomicExch(&far_listed[v], 1) == 0);
      const int place = place_for(mine, &census->far);
      if (mine) far[place] = v;
    }
    __syncwarp();  // and read
    later = 0;
  }
  __device__ void postpone(bool mine, int v) {
    const unsigned all = __ballot_sync(kAllLanes, mine);
    if (mine) own->later[later + place_in(all)] = v;
    later += __popc(all);
    if (later > kOwnRoom - kWarp) empty_later();
  }

  /// Relaxes kArcs arcs per lane, `first`, first + stride, ... as far as they are before `behind`,
  /// of a vertex at distance to_u, unless it is nearer `now`. The warp keeps the vertices that come
  /// closer. Nobody waits for these atomics: if two warps lower a vertex, one of them finds that
  /// out when it goes on with it.
  template <int kArcs>
  __device__ void relax(Weight to_u, Weight now, int first, int stride, int behind) {
    int v[kArcs], arc[kArcs], end[kArcs];
    Weight over_u[kArcs], before[kArcs];
#pragma unroll
    for (int k = 0; k < kArcs; ++k) {
      const int i = first + k * stride;
      v[k] = i < behind ? graph.targets[i] : 0;
      over_u[k] = i < behind ? to_u + graph.weights[i] : static_cast<Weight>(INFINITY);
    }
#pragma unroll
    for (int k = 0; k < kArcs; ++k) {
      if (now < to_u) over_u[k] = INFINITY;
      before[k] = over_u[k] < INFINITY ? distance(dist, v[k]) : Weight{0};
      arc[k] = over_u[k] < INFINITY ? graph.offsets[v[k]] : 0;
      end[k] = over_u[k] < INFINITY ? graph.offsets[v[k] + 1] : 0;
    }
    bool beyond = false;
#pragma unroll
    for (int k = 0; k < kArcs; ++k) {
      const bool mine = over_u[k] < before[k] && over_u[k] < high;
      if (mine) atomic_min(&dist[v[k]], over_u[k]);
      const unsigned all = __ballot_sync(kAllLanes, mine);
      if (mine) ring(held + place_in(all)) = {v[k], arc[k], end[k], over_u[k]};
      held += __popc(all);
      beyond = beyond || (over_u[k] < before[k] && !mine);
    }
    if (__any_sync(kAllLanes, beyond)) {
#pragma unroll
      for (int k = 0; k < kArcs; ++k) reach_beyond(over_u[k], before[k], v[k]);
    }
    __syncwarp();  // the warp's own vertices are written
    keep(kOwnMost);
  }
  /// Lowers a distance beyond the bucket, which was `before` a moment ago. Nobody waits for this
  /// atomic either: whoever saw the vertex unreached keeps it for the list.
  __device__ void reach_beyond(Weight over_u, Weight before, int v) {
    const bool lower = over_u < before && !(over_u < high);
    if (lower) atomic_min(&dist[v], over_u);
    if (lower) least = min(least, over_u);
    postpone(lower && isinf(before), ~v);
  }

  /// Relaxes the arcs from `arc` on, before `behind`, of vertex u, which is at distance to_u in
  /// this lane's view. 2^bits lanes have one vertex. If some have many arcs, all lanes help.
  __device__ void follow(int u, Weight to_u, int arc, int behind, int bits) {
    const int size = 1 << bits, mine = lane() & (size - 1);
    const Weight now = arc < behind ? distance(dist, u) : to_u;
    if (bits >= 2) {
      relax<1>(to_u, now, arc + mine, size, behind);
      arc += size;
    } else {
      relax<kBatch>(to_u, now, arc + mine, size, behind);
      arc += kBatch * size;
    }
    if (now < to_u) behind = arc;
    for (int trip = 0; trip < 4 && __any_sync(kAllLanes, arc < behind); ++trip) {
      relax<kBatch>(to_u, to_u, arc + mine, size, behind);
      arc += kBatch * size;
    }
    unsigned left = __ballot_sync(kAllLanes, arc < behind && mine == 0);
    for (; left != 0; left &= left - 1) {
      const int from = __ffs(left) - 1, end = __shfl_sync(kAllLanes, behind, from);
      const Weight to_from = __shfl_sync(kAllLanes, to_u, from);
      int all = __shfl_sync(kAllLanes, arc, from);
      for (; all < end; all += kBatch * kWarp)
        relax<kBatch>(to_from, to_from, all + lane(), kWarp, end);
    }
  }
  /// How many lanes each of `vertices` gets, as a power of two.
  __device__ static int bits_for(int vertices) {
    return vertices > 16 ? 0 : vertices > 8 ? 1 : vertices > 4 ? 2 : 3;
  }

  /// Goes on with up to 32 of its own vertices, the oldest first.
  __device__ void hop() {
    const int taken = min(held, kWarp), bits = bits_for(taken), i = lane() >> bits;
    Kin<Weight> u = {0, 0, 0, 0};
    if (i < taken) u = ring(i);
    __syncwarp();  // they are read: there is room again
    head = wrapped(head + taken);
    held -= taken;
    visits += taken;
    follow(u.vertex, u.at, u.arc, u.behind, bits);
  }

  /// Begins with the vertices `first` up to, but without, `end` of a list. Those that are still
  /// beyond the bucket are listed again; those before it are done. Returns the number of hops.
  __device__ int begin(const int* list, int first, int end) {
    int hops = 0;
    for (; first < end; first += kWarp, ++hops) {
      const int taken = min(end - first, kWarp), bits = bits_for(taken), i = lane() >> bits;
      const int u = i < taken ? list[first + i] : 0;
      const Weight to_u = i < taken ? distance(dist, u) : Weight{0};
      const bool in = i < taken && to_u >= low && to_u < high;
      const bool still = i < taken && !(to_u < high) && (lane() & ((1 << bits) - 1)) == 0;
      if (still) least = min(least, to_u);
      postpone(still, u);
      visits += taken;
      follow(u, to_u, in ? graph.offsets[u] : 0, in ? graph.offsets[u + 1] : 0, bits);
    }
    return hops;
  }

  /// Its share of `count` vertices of a list, and what it finds along their arcs.
  __device__ void work(const int* list, int count) {
    const int warps = gridDim.x * (kBlock / kWarp),
              warp = threadIdx.x / kWarp * gridDim.x + blockIdx.x;
    const int share = ceil_div(count, warps), first = min(warp * share, count);
    int done = begin(list, first, min(first + share, count));
    for (; held > 0 && done < kHops; ++done) hop();
    keep(0);
    empty_later();
    if (lane() > 0) visits = 0;
  }
};

// If no vertex has more than eight arcs, less time is possible from one vertex to the next. Most of
// it is waiting: for a vertex's distance and the place of its arcs, then for the arcs. With the
// arcs in slots, both are read at once, before it is known whether the vertex has come closer at
// all.
constexpr int kRoom = 1024;  // candidates, and vertices beyond the bucket, that a block keeps
// Four lanes, kSlots, serve a vertex; each has one or two slots.

/// A path to a vertex, by way of its neighbour `from`, that may be shorter than the one known.
template <typename Weight>
struct Candidate {
  int vertex, from;
  Weight length;
};

/// A phase as one thread of a block sees it. All lanes of a warp call everything together.
template <typename Weight, int kPerLane>
struct BlockFollower {
  static constexpr int kBlock = 512, kMostArcs = kSlots * kPerLane;
  static constexpr int kFewest = 32, kMost = 8;  // as above; here four lanes serve a candidate
  struct Shared {
    Candidate<Weight> ring[kRoom];
    int later[kRoom];
    int added[3];  // to the ring, for the next hop, this one and the one after the next in turn
    int postponed;
  };
  Graph<Weight> graph;
  Weight* dist;
  Shared* shared;
  int *near, *far, *listed_in, *far_listed;
  Census<Weight>* census;
  Weight low, high;  // the bucket
  int phase;
  int visits = 0;
  Weight least = INFINITY;
  int next = 0, room = kRoom;  // where the ring goes on, and for how many candidates
  int* added = nullptr;        // how many have been added
  bool look = false;           // at distances, before a candidate is kept

  __device__ static int lane() { return threadIdx.x % kWarp; }
  __device__ void list_far(bool mine, int v) {
    const int place = place_for(mine, &census->far);
    if (mine) far[place] = v;
  }
  __device__ void postpone(bool mine, int v) {
    if (!__any_sync(kAllLanes, mine)) return;
    const int place = place_for(mine, &shared->postponed);
    const bool fits = place < kRoom;
    if (mine && fits) shared->later[place] = v;
    if (__any_sync(kAllLanes, mine && !fits)) list_far(mine && !fits, v);
  }
  /// Says whether a candidate has brought its vertex closer, within the bucket. The atomic has
  /// found the distance `before`; only one candidate can have found that the vertex was not
  /// reached.
  __device__ bool succeeds(bool mine, const Candidate<Weight>& c, Weight before) {
    const bool closer = mine && c.length < before, beyond = closer && !(c.length < high);
    if (beyond) least = min(least, c.length);
    postpone(beyond && isinf(before), c.vertex);
    return closer && !beyond;
  }
  /// Lists the vertex of a candidate for the next phase, once, if it has come closer.
  __device__ void give_away(bool mine, const Candidate<Weight>& c) {
    const Weight before = mine ? atomic_min(&dist[c.vertex], c.length) : Weight{0};
    mine = succeeds(mine, c, before) && atomicExch(&listed_in[c.vertex], phase) != phase;
    const int place = place_for(mine, &census->near);
    if (mine) near[place] = c.vertex;
  }
  __device__ void keep(bool mine, const Candidate<Weight>& c) {
    const int place = place_for(mine, added);
    const bool fits = place < room;
    if (mine && fits) shared->ring[(next + place) % kRoom] = c;
    if (__any_sync(kAllLanes, mine && !fits)) give_away(mine && !fits, c);
  }

  struct Arcs {
    Slot<Weight> slot[kPerLane];
  };
  /// This lane's arcs of a vertex, if it is `there`.
  __device__ Arcs arcs_of(int v, bool there) const {
    Arcs arcs;
#pragma unroll
    for (int k = 0; k < kPerLane; ++k) {
      const std::size_t first = static_cast<std::size_t>(k) * graph.n + v;
      arcs.slot[k] = {-1, Weight{0}};
      if (there) arcs.slot[k] = graph.slots[first * kSlots + lane() % kSlots];
    }
    return arcs;
  }
  /// Keeps what vertex u offers along this lane's arcs. The way back is never shorter.
  __device__ void expand(bool in, int u, int from, Weight to_u, const Arcs& arcs) {
#pragma unroll
    for (int k = 0; k < kPerLane; ++k) {
      const int v = static_cast<int>(arcs.slot[k].target);
      const Weight over_u = to_u + arcs.slot[k].weight;
      bool mine = in && v >= 0 && v != from;
      if (k > 0 && !__any_sync(kAllLanes, mine)) continue;
      if (look) mine = mine && over_u < distance(dist, v);
      keep(mine, {v, u, over_u});
    }
  }

  /// Begins with `count` vertices of a list, `apart` places apart. Those that are still beyond the
  /// bucket are listed again; those before it are done.
  __device__ void begin(const int* list, int count, int apart) {
    for (int first = (threadIdx.x - lane()) / kSlots; first < count; first += kBlock / kSlots) {
      const int i = first + lane() / kSlots;
      const bool there = i < count;
      const int u = there ? list[i * apart] : 0;
      const Weight to_u = there ? distance(dist, u) : Weight{0};
      const Arcs arcs = arcs_of(u, there);
      const bool still = there && !(to_u < high) && lane() % kSlots == 0;
      if (still) least = min(least, to_u);
      postpone(still, u);
      expand(there && to_u >= low && to_u < high, u, -1, to_u, arcs);
    }
  }
  /// Looks at `count` candidates, from a place of the ring on, and goes on with those that succeed.
  __device__ void hop(int start, int count) {
    for (int first = (threadIdx.x - lane()) / kSlots; first < count; first += kBlock / kSlots) {
      const int i = first + lane() / kSlots;
      const bool there = i < count, leads = there && lane() % kSlots == 0;
      Candidate<Weight> c = {0, 0, 0};
      if (there) c = shared->ring[(start + i) % kRoom];
      const Weight before = leads ? atomic_min(&dist[c.vertex], c.length) : Weight{0};
      const Arcs arcs = arcs_of(c.vertex, there);
      const int in = succeeds(leads, c, before);
      expand(__shfl_sync(kAllLanes, in, 0, kSlots), c.vertex, c.from, c.length, arcs);
    }
  }
  /// Hands over what the block has left: candidates, and vertices beyond the bucket.
  __device__ void finish(int start, int count) {
    for (int first = threadIdx.x - lane(); first < count; first += kBlock) {
      const bool mine = first + lane() < count;
      Candidate<Weight> c = {0, 0, 0};
      if (mine) c = shared->ring[(start + first + lane()) % kRoom];
      give_away(mine, c);
    }
    __syncthreads();  // all have postponed
    const int late = min(shared->postponed, kRoom);
    for (int first = threadIdx.x - lane(); first < late; first += kBlock) {
      const bool mine = first + lane() < late;
      list_far(mine, mine ? shared->later[first + lane()] : 0);
    }
  }

  /// Every gridDim.x-th of `all` vertices of a list, and what the block finds along their arcs.
  __device__ void work(const int* list, int all) {
    const int first = blockIdx.x, apart = gridDim.x;
    int start = 0, count = first < all ? ceil_div(all - first, apart) : 0;
    if (threadIdx.x == 0) {
      shared->added[1] = shared->added[2] = shared->postponed = 0;
      visits = count;
    }
    __syncthreads();  // nothing is kept yet
    added = &shared->added[1];
    begin(list + first, count, apart);
    for (int hop_number = 1;; ++hop_number) {
      __syncthreads();  // the candidates of this hop are in the ring
      start = next, count = min(shared->added[hop_number % 3], room);
      if (count == 0 || hop_number == kHops) break;
      if (threadIdx.x == 0) shared->added[(hop_number + 2) % 3] = 0, visits += count;
      next = (start + count) % kRoom, room = kRoom - count;
      added = &shared->added[(hop_number + 1) % 3];
      look = count > kBlock / kSlots;  // more than all lanes can serve at once
      hop(start, count);
    }
    finish(start, count);
  }
};

/// Delta-stepping in buckets that are as wide as keeps the machine busy. All threads compute the
/// same from the same censuses. `Way` is Follower or BlockFollower. If a vertex has too many arcs
/// for it, the search does nothing, and says 0 phases.
template <typename Weight, typename Way>
__global__ void __launch_bounds__(Way::kBlock, kFollowBlocks)
    search_by_following(Graph<Weight> graph, int source, const int* most_arcs, Weight* dist,
                        Lists lists, Census<Weight>* censuses, int* phases) {
  __shared__ typename Way::Shared shared;
  __shared__ Census<Weight> of_block;
  const auto grid = cooperative_groups::this_grid();
  const int id = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const Weight infinite = INFINITY;
  if (*most_arcs > Way::kMostArcs) {
    if (id == 0) *phases = 0;
    return;
  }
  for (int v = id; v < graph.n; v += threads) {
    dist[v] = v == source ? Weight{0} : infinite;
    lists.listed_in[v] = lists.far_listed[v] = 0;
  }
  if (threadIdx.x == 0) of_block = {0, 0, 0, infinite};
  if (id == 0) lists.near[0][0] = source, censuses[1] = {0, 0, 0, infinite};
  grid.sync();  // distances and the first list are set

  const Weight narrow = mean_weight(graph);
  Weight width = narrow, from = 0, low = 0, high = max(width, next_above(low)), least = infinite;
  double visits = 0, hops = 0;  // in this bucket
  int number = 0, near = 1, far = 0, turn = 0;
  while (near > 0 || least < infinite) {
    const bool next = near == 0;  // the bucket is empty: the next one
    if (next) {
      if (visits < hops * (threads / Way::kFewest)) width = 2 * max(width, high - from);
      if (visits > hops * (threads / Way::kMost)) width = max(width / 2, narrow);
      visits = hops = 0;
      low = high;
      from = max(low, least);
      high = max(from + width, next_above(from));
      least = infinite;
    }
    ++number;
    Census<Weight>* census = &censuses[number % 3];
    if (id == 0) censuses[(number + 1) % 3] = {0, 0, 0, infinite};
    const int* list = next ? lists.far[turn % 2] : lists.near[(number + 1) % 2];
    if (next) ++turn;
    Way me{graph,
           dist,
           &shared,
           lists.near[number % 2],
           lists.far[turn % 2] + (next ? 0 : far),
           lists.listed_in,
           lists.far_listed,
           census,
           low,
           high,
           number};
    me.work(list, next ? far : near);
    if (me.visits > 0) atomicAdd(&of_block.visits, me.visits);
    if (__any_sync(kAllLanes, me.least < infinite)) {
      me.least = over_lanes(me.least, [](Weight a, Weight b) { return min(a, b); });
      if (threadIdx.x % kWarp == 0) atomic_min(&of_block.least, me.least);
    }
    __syncthreads();  // the block's numbers are there
    if (threadIdx.x == 0) {
      if (of_block.visits > 0) atomicAdd(&census->visits, of_block.visits);
      if (of_block.least < infinite) atomic_min(&census->least, of_block.least);
      of_block = {0, 0, 0, infinite};
    }
    grid.sync();  // distances, lists and the census are written
    near = census->near;
    far = next ? census->far : far + census->far;
    least = min(least, census->least);
    visits += census->visits;
    hops += kHops;
  }
  if (id == 0) *phases = number;
}

/// The number of phases, or 0 if a vertex has too many arcs.
template <typename Way, typename Weight>
int follow(const Graph<Weight>& graph, int source, const int* most_arcs, Weight* dist) {
  struct Heads {
    Census<Weight> censuses[3];
    int phases;
  };
  const std::size_t n = graph.n;
  PoolBuffer<Heads> heads(1);
  PoolBuffer<int> memory(6 * n);  // one buffer: a search in a small grid takes only 0.4 ms
  int* const all = memory.data();
  const Lists lists = {{all, all + n}, {all + 2 * n, all + 3 * n}, all + 4 * n, all + 5 * n};
  int multiprocessors = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const int wanted = min(kFollowBlocks * multiprocessors, ceil_div(graph.n, Way::kBlock));
  const auto kernel = search_by_following<Weight, Way>;
  launch_cooperatively(kernel, resident_blocks(kernel, Way::kBlock, wanted), Way::kBlock, graph,
                       source, most_arcs, dist, lists, heads.data()->censuses,
                       &heads.data()->phases);
  return read_back(&heads.data()->phases);
}

/// The same, by blocks: first all arcs get slots.
template <int kPerLane, typename Weight>
int follow_by_blocks(Graph<Weight> graph, int source, const int* most_arcs, Weight* dist) {
  PoolBuffer<Slot<Weight>> slots(std::size_t{kSlots * kPerLane} * graph.n);
  graph.slots = slots.data();
  fill(graph.offsets, graph.targets, graph.weights, graph.n, most_arcs, kPerLane, slots.data());
  return follow<BlockFollower<Weight, kPerLane>>(graph, source, most_arcs, dist);
}

/// The number of phases, or 0 if there are hubs: then paths are short.
template <typename Weight>
int search_along_paths(const Graph<Weight>& graph, int source, Weight* dist) {
  PoolBuffer<int> most(1);
  ask_for_most_arcs(graph.offsets, graph.n, most.data());
  // To wait for the number takes longer than launches that do nothing. So where four arcs are
  // likely to be the most, the search for four is launched without waiting.
  if (graph.arcs / kSlots <= graph.n) {
    const int phases = follow_by_blocks<1>(graph, source, most.data(), dist);
    if (phases > 0) return phases;
  }
  const int most_arcs = read_back(most.data());
  if (most_arcs <= 2 * kSlots) return follow_by_blocks<2>(graph, source, most.data(), dist);
  return follow<Follower<Weight>>(graph, source, most.data(), dist);
}
// END STAGE 7

// BEGIN STAGE 7 delta: for speed, in small graphs all vertices pull (about 185 lines)
// If a graph is small for the machine, a phase takes some microseconds, however little work there
// is, and buckets need many phases. In such a graph every vertex has its own thread, which keeps
// the lightest arcs in registers. Then it costs almost nothing that all vertices pull in every
// phase, and several times before they meet at the barrier.
constexpr int kPullBlock = 512;  // one block per multiprocessor: 128 registers per thread
constexpr int kLooks = 4;        // per phase, along the arcs in registers (NOTES.md)

/// A vertex, as seen by the thread that serves it during the whole search.
template <typename Weight, int kHeld>
struct Kept {
  int vertex, arc, behind;  // arcs that are not in registers: from `arc` on, before `behind`
  Weight known;             // the vertex's distance: no other thread lowers it while all pull
  int target[kHeld];
  Weight weight[kHeld];

  __device__ void fetch(const Graph<Weight>& graph, int v) {
    vertex = v;
    arc = v < graph.n ? graph.offsets[v] : 0;
    behind = v < graph.n ? graph.offsets[v + 1] : 0;
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
      target[k] = arc + k < behind ? graph.targets[arc + k] : 0;
      weight[k] = arc + k < behind ? graph.weights[arc + k] : static_cast<Weight>(INFINITY);
    }
    arc += kHeld;
  }

  /// The vertex's distance over neighbours in registers: `known` or less. For `unseen` see
  /// pull_batch.
  __device__ Weight look(const Weight* dist, Weight unseen) const {
    Weight best = known;
#pragma unroll
    for (int k = 0; k < kHeld; ++k)
      if (unseen + weight[k] < known) best = min(best, distance(dist, target[k]) + weight[k]);
    return best;
  }
  /// Whether an arc that is not in registers may be useful.
  __device__ bool more(Weight unseen) const {
    return arc < behind && unseen + weight[kHeld - 1] < known;
  }
  __device__ void lower(Weight best, Weight* dist, Weight& least) {
    if (!(best < known)) return;
    known = best;
    least = min(least, best);
    atomic_min(&dist[vertex], best);  // others read it meanwhile
  }
};

/// As `pull`, for the arcs from `arc` on, before `behind`, of lanes that have `more`. Up to four
/// lanes are served at a time, each by a group of lanes: the fewer are left, the larger the groups.
template <typename Weight>
__device__ Weight pull_rest(const Graph<Weight>& graph, const Weight* dist, Weight unseen,
                            Weight best, int arc, int behind, bool more) {
  const int lane = threadIdx.x % kWarp;
  for (unsigned left = __ballot_sync(kAllLanes, more); left;) {
    const int groups = min(4, 1 << (31 - __clz(__popc(left)))), size = kWarp / groups;
    const int turn = __popc(left & ((1u << lane) - 1));  // the group that serves me, if I have more
    int from = 0;                                        // the lane that my group serves
    for (int group = 0; group < groups; ++group, left &= left - 1)
      if (group == lane / size) from = __ffs(left) - 1;
    Weight found = __shfl_sync(kAllLanes, best, from);
    const int end = __shfl_sync(kAllLanes, behind, from);
    int mine = __shfl_sync(kAllLanes, arc, from) + lane % size;
    for (bool on = true; on && mine < end; mine += kBatch * size)
      found = pull_batch(graph, dist, unseen, found, mine, size, end, on);
    for (int apart = kWarp / 2; apart > 0; apart /= 2) {
      const Weight other = __shfl_xor_sync(kAllLanes, found, apart);
      if (apart < size) found = min(found, other);
    }
    found = __shfl_sync(kAllLanes, found, min(turn, groups - 1) * size);
    if (more && turn < groups) {
      best = found;
      more = false;
    }
  }
  return best;
}

/// Relaxes the arcs of the source and of its neighbours: before that, hardly any vertex finds
/// something to pull. The neighbours are taken in portions of 32, each by a team of blocks. All
/// warps of the team know the portion, one neighbour per lane, and each takes pieces of 128 arcs in
/// turn. No vertex is added to the list: phase.high is 0.
template <typename Weight>
__device__ void push_two_hops(Phase<Weight>& phase, int source) {
  constexpr int kPiece = kBatch * kWarp;
  const Graph<Weight>& graph = phase.graph;
  const int lane = threadIdx.x % kWarp, blocks = gridDim.x, block = blockIdx.x;
  const int first = graph.offsets[source], behind = graph.offsets[source + 1];
  const int portions = ceil_div(behind - first, kWarp), team = max(1, blocks / max(1, portions));
  const int warp = threadIdx.x / kWarp * team + block % team, warps = blockDim.x / kWarp * team;
  if (block >= blocks / team * team) return;  // not enough blocks are left for another team
  for (int portion = block / team; portion < portions; portion += blocks / team) {
    const int i = first + portion * kWarp + lane;
    int arc = 0, end = 0;
    Weight to_u = INFINITY;
    if (i < behind) {
      const int u = graph.targets[i];
      to_u = Weight{0} + graph.weights[i];  // the sum is never -0, see atomic_min
      if (warp == 0) atomic_min(&phase.dist[u], to_u);
      arc = graph.offsets[u];
      // If another path to u is known that is shorter, its arcs have more to offer with that.
      end = distance(phase.dist, u) < to_u ? arc : graph.offsets[u + 1];
    }
    const int pieces = ceil_div(end - arc, kPiece);
    const int up_to_me = sum_up_to_lane(pieces), before_me = up_to_me - pieces;
    const int all = __shfl_sync(kAllLanes, up_to_me, kWarp - 1);
    for (int piece = warp; piece < all; piece += warps) {
      const int from = __popc(__ballot_sync(kAllLanes, up_to_me <= piece));  // the piece's lane
      const int place = piece - __shfl_sync(kAllLanes, before_me, from);
      const int mine = __shfl_sync(kAllLanes, arc, from) + place * kPiece + lane;
      relax_batch(phase, __shfl_sync(kAllLanes, to_u, from), mine, kWarp,
                  __shfl_sync(kAllLanes, end, from), static_cast<Weight>(INFINITY));
    }
  }
}

/// Ends a phase: returns the least of all threads' values, after a barrier of the grid. Three
/// places are used in turn, as with Tally. of_block is infinite before and afterwards.
template <typename Weight>
__device__ Weight least_of_all(Weight mine, int phase, Weight* of_block, Weight* least) {
  if (__any_sync(kAllLanes, mine < INFINITY)) {
    mine = over_lanes(mine, [](Weight a, Weight b) { return min(a, b); });
    if (threadIdx.x % kWarp == 0) atomic_min(of_block, mine);
  }
  __syncthreads();  // the block's least is there
  if (threadIdx.x == 0) {
    if (*of_block < INFINITY) atomic_min(&least[phase % 3], *of_block);
    *of_block = INFINITY;
    if (blockIdx.x == 0) least[(phase + 1) % 3] = INFINITY;
  }
  cooperative_groups::this_grid().sync();  // all distances are written, and the least
  return distance(least, phase % 3);
}

/// The sweeps of the first stages, but each vertex is pulled closer by its own thread. `unseen` is
/// the least distance that was new in the phase before. All vertices have seen all distances below
/// it, so most vertices look at only one or two arcs. A phase begins with kLooks quick looks and
/// ends with a thorough one, for which little is left. If it brought no vertex closer, the search
/// is over.
template <typename Weight, int kPerThread>
__global__ void __launch_bounds__(kPullBlock, 1)
    search_by_pulling(Graph<Weight> graph, int source, Weight* dist, Weight* least, int* phases) {
  constexpr int kHeld = kPerThread == 1 ? 12 : 8;  // arcs per vertex in registers
  __shared__ Weight of_block;
  const auto grid = cooperative_groups::this_grid();
  const int threads = gridDim.x * blockDim.x, lane = threadIdx.x % kWarp;
  // Warps of neighbouring vertices are in different blocks, because hubs are near other hubs.
  const int mine = (threadIdx.x / kWarp * gridDim.x + blockIdx.x) * kWarp + lane;
  Kept<Weight, kHeld> kept[kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int v = mine + i * threads;
    if (v < graph.n) dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
    kept[i].fetch(graph, v);
  }
  if (threadIdx.x == 0) of_block = INFINITY;
  if (grid.thread_rank() == 0) least[0] = INFINITY;
  grid.sync();  // all distances are set
  Phase<Weight> push{};  // without a bucket
  push.graph = graph;
  push.dist = dist;
  push_two_hops(push, source);
  grid.sync();  // all distances of the two hops are lowered
#pragma unroll
  for (int i = 0; i < kPerThread; ++i)
    kept[i].known = kept[i].vertex < graph.n ? distance(dist, kept[i].vertex) : Weight{0};

  const int nearest = graph.offsets[source];
  Weight unseen = nearest < graph.offsets[source + 1] ? graph.weights[nearest] : Weight{0};
  int phase = 2;
  while (unseen < INFINITY) {
    ++phase;
    Weight best[kPerThread], lowest = INFINITY;
    for (int look = 0; look < kLooks; ++look) {
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) best[i] = kept[i].look(dist, unseen);
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) kept[i].lower(best[i], dist, lowest);
    }
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      const Weight found = pull_rest(graph, dist, unseen, kept[i].known, kept[i].arc,
                                     kept[i].behind, kept[i].more(unseen));
      kept[i].lower(found, dist, lowest);
    }
    unseen = least_of_all(lowest, phase, &of_block, least);
  }
  if (grid.thread_rank() == 0) *phases = phase;
}
// END STAGE 7

template <typename Weight>
int search_by_delta_stepping(const int* offsets, const int* targets, const Weight* weights, int n,
                             int arcs, int source, Weight* dist) {
  // BEGIN STAGE 7 delta: memory, and the buckets or one launch (about 20 lines; for speed 35)
  // STUB: return 0;
  if (arcs == 0) {
    start_search(source, dist, n);
    return 1;
  }
  struct Heads {
    Tally<Weight> tallies[3];
    Weight least[3];
    int phases;
  };
  PoolBuffer<Heads> heads(1);
  const Graph<Weight> graph = {offsets, targets, weights, n, arcs};
  const auto pull = [&](auto kernel, int per_thread) {
    launch_cooperatively(kernel, ceil_div(n, kPullBlock * per_thread), kPullBlock, graph, source,
                         dist, heads.data()->least, &heads.data()->phases);
    return read_back(&heads.data()->phases);
  };
  // With few arcs per vertex and no hubs, as on roads, paths have many arcs, and elsewhere each
  // costs a phase.
  constexpr int kManyArcs = 8;
  if (arcs / n < kManyArcs) {
    const int phases = search_along_paths(graph, source, dist);
    if (phases > 0) return phases;
  } else {
    const int fit = resident_blocks(search_by_pulling<Weight, 4>, kPullBlock, n) * kPullBlock;
    if (n <= fit) return pull(search_by_pulling<Weight, 1>, 1);
    if (n <= 2 * fit) return pull(search_by_pulling<Weight, 2>, 2);
    if (n <= 4 * fit) return pull(search_by_pulling<Weight, 4>, 4);
  }
  // A barrier is cheaper between few blocks, and a block needs some work between two barriers.
  constexpr int kArcsPerBlock = 8192;
  const int blocks =
      resident_blocks(search_buckets<Weight>, kSearchBlock, ceil_div(arcs, kArcsPerBlock));
  const int most_members = most_items(n, arcs), room = blocks * kSearchBlock;
  PoolBuffer<Member<Weight>> members(most_members + std::size_t{2} * room);
  launch_cooperatively(search_buckets<Weight>, blocks, kSearchBlock, graph, source, dist,
                       members.data(), members.data() + most_members, room, heads.data()->tallies,
                       &heads.data()->phases);
  return read_back(&heads.data()->phases);
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
  // BEGIN STAGE 5 locality: how many vertices make a segment, with your reason (about 3 lines)
  // STUB: return 0;
  // In a graph with 32 arcs per vertex, an average group then has two chunks. Larger segments would
  // mean wider ranges of distances; smaller ones, chunks with edges of several groups (NOTES.md).
  return max(static_cast<int>(4 * std::sqrt(n)), ceil_div(n, 1024));
  // END STAGE 5
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
