// Lab 05, single-source shortest paths: the lengths of the shortest paths from one vertex to all.
//
// One thread looks at one edge {u, v} and asks two questions. Is the path to v over u shorter than
// the one known so far? Is the path to u over v? That is relaxing the edge. A launch relaxes all
// edges, and launches repeat until one has changed nothing (Ford 1956, Bellman 1958). This is the
// simplest order in which to find shortest paths, and the easiest to spread over a hundred thousand
// threads. The later stages do less of the same work: only at vertices that changed, only near the
// source.
#include <cmath>

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

// BEGIN STAGE 2 relax: relax one edge per thread, in both directions, until nothing changes (about 25 lines)
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

// BEGIN STAGE 3 restrict: the same kernel, with two pointers to the distances (about 15 lines)
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

// BEGIN STAGE 4 atomic: a minimum of floats, and sweeps that lose no update (about 30 lines)
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

// BEGIN STAGE 5 locality: vertices by degree, edges by segments, sweeps through L1 (about 70 lines)
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

/// The groups ascend by the segment of the end, then by the segment of the start. An edge is turned
/// round if necessary, so that its start is in the first of its two segments: this makes fewer and
/// larger groups.
__global__ void find_groups(const int* start, const int* end, int edges, const int* label,
                            int segment, int* group) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int a = label[start[e]] / segment, b = label[end[e]] / segment;
  const int first = min(a, b), second = max(a, b);
  group[e] = second * (second + 1) / 2 + first;
}

template <typename Weight>
__global__ void move_edges(const int* start, const int* end, const Weight* weight, int edges,
                           const int* label, const int* place, int* arranged_start,
                           int* arranged_end, Weight* arranged_weight) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = label[start[e]], v = label[end[e]];
  arranged_start[place[e]] = min(u, v);
  arranged_end[place[e]] = max(u, v);
  arranged_weight[place[e]] = weight[e];
}

/// Makes all sweeps. Distances are read plainly, so that L1 serves them: it holds the two segments
/// of a group. L1 does not see the writes of other multiprocessors before the grid's barrier. Then
/// the next sweep corrects the distance. Plain stores would also be right, but the hubs, which come
/// first, would lose so many updates that a search takes twice as many sweeps.
template <typename Weight>
__global__ void sweep_by_segments(const int* start, const int* end, const Weight* weight, int edges,
                                  Weight* dist, int* last_change, int* sweeps) {
  const auto grid = cooperative_groups::this_grid();
  const int threads = gridDim.x * blockDim.x;
  for (int sweep = 1;; ++sweep) {
    bool changed = false;
#pragma unroll 4
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += threads) {
      const int u = __ldcs(start + e), v = __ldcs(end + e);
      const Weight w = __ldcs(weight + e), to_u = dist[u], to_v = dist[v];
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
  DeviceBuffer<int> group(edges), place(edges);
  find_groups<<<edge_blocks, kBlock>>>(start, end, edges, label, segment, group.data());
  CUDA_CHECK_LAUNCH();
  sort_places(group.data(), edges, segments * (segments + 1) / 2, place.data());
  move_edges<<<edge_blocks, kBlock>>>(start, end, weight, edges, label, place.data(),
                                      arranged_start, arranged_end, arranged_weight);
  CUDA_CHECK_LAUNCH();
  // END STAGE 5
}

template <typename Weight>
int search_segments(const int* start, const int* end, const Weight* weight, int edges, int n,
                    int source, Weight* dist) {
  // BEGIN STAGE 5 locality: start at the source, launch the sweeps (about 9 lines)
  // STUB: return 0;
  start_search(source, dist, n);
  if (edges == 0) return 1;
  PoolBuffer<int> counters(3);
  CUDA_CHECK(cudaMemset(counters.data(), 0, 3 * sizeof(int)));
  int* sweeps = counters.data() + 2;
  const int blocks = resident_blocks(sweep_by_segments<Weight>, kBlock, ceil_div(edges, kBlock));
  launch_cooperatively(sweep_by_segments<Weight>, blocks, kBlock, start, end, weight, edges, dist,
                       counters.data(), sweeps);
  return read_back(sweeps);
  // END STAGE 5
}

// ---- stage 6: frontier --------------------------------------------------------------------------

// BEGIN STAGE 6 frontier: a list of the vertices that changed, relaxed by warps (about 35 lines)
constexpr int kArcsPerItem = 256;  // a hub is work for many warps, a small vertex for one warp

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

/// A warp relaxes the arcs of an item. A vertex that came closer is pushed, once per round: the
/// first thread to write the round's number into pushed_in[v] pushes v.
template <typename Weight>
__global__ void relax_items(const int* offsets, const int* targets, const Weight* weights,
                            const Item* items, int count, Weight* dist, int round, int* pushed_in,
                            WorkList next) {
  const int item = blockIdx.x * (kBlock / kWarp) + threadIdx.x / kWarp;
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
  // BEGIN STAGE 6 frontier: rounds from one list to the next, until one is empty (about 18 lines)
  // STUB: return 0;
  start_search(source, dist, n);
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

// BEGIN STAGE 7 delta: sort every vertex's arcs (about 20 lines)
/// A warp sorts the arcs of a vertex by a bitonic network (lab 03). All comparisons put the lighter
/// arc in front. So arcs after the end, which would be heavier than all others, need not exist.
template <typename Weight>
__global__ void sort_arcs(const int* offsets, int n, int* targets, Weight* weights) {
  const int v = blockIdx.x * (kBlock / kWarp) + threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (v >= n) return;
  const int begin = offsets[v], end = offsets[v + 1];
  const auto exchange = [](auto& a, auto& b) {
    const auto old = a;
    a = b, b = old;
  };
  for (int size = 2; size < 2 * (end - begin); size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      const int partners = apart == size / 2 ? size - 1 : apart;  // first, mirror images meet
      __syncwarp();  // all arcs have their places from the step before
      for (int a = begin + lane; a < end; a += kWarp) {
        const int b = begin + ((a - begin) ^ partners);
        if (b < a || b >= end || !(weights[b] < weights[a])) continue;
        exchange(targets[a], targets[b]);
        exchange(weights[a], weights[b]);
      }
    }
}
// END STAGE 7

template <typename Weight>
void sort_arcs_by_weight(const int* offsets, const int* targets, const Weight* weights, int n,
                         int arcs, int* sorted_targets, Weight* sorted_weights) {
  // BEGIN STAGE 7 delta: copy the arcs, then sort them with a warp for each vertex (about 8 lines)
  if (arcs == 0) return;
  CUDA_CHECK(cudaMemcpyAsync(sorted_targets, targets, arcs * sizeof *targets, cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpyAsync(sorted_weights, weights, arcs * sizeof *weights, cudaMemcpyDefault));
  sort_arcs<<<ceil_div(n, kBlock / kWarp), kBlock>>>(offsets, n, sorted_targets, sorted_weights);
  CUDA_CHECK_LAUNCH();
  // END STAGE 7
}

// BEGIN STAGE 7 delta: a bucket, and how the vertices outside pull (about 120 lines)
/// What a phase, the work between two barriers of the grid, tells the next one. There are three
/// tallies in turn: one is read, one is written, and the third is reset.
template <typename Weight>
struct Tally {
  int added;     // items that came into the bucket
  int changed;   // not 0 if a distance in the bucket fell
  Weight least;  // of the distances beyond the bucket
};

/// A search as one thread sees it. The bucket holds the vertices at distances from `low` up to, but
/// without, `high`, as items of up to 256 arcs.
template <typename Weight>
struct Search {
  const int* offsets;
  const int* targets;
  const Weight* weights;  // ascending within a vertex's arcs
  int n;
  Weight* dist;
  Item* bucket;
  Weight* relaxed_at;  // the distance of an item's vertex when its arcs were last relaxed
  Weight low = 0, high = 0;
  int count = 0;  // items in the bucket at the beginning of the phase
  Tally<Weight>* tally = nullptr;
  bool changed = false;  // whether this thread lowered a distance in the bucket

  __device__ int pieces_of(int v) const {
    return ceil_div(offsets[v + 1] - offsets[v], kArcsPerItem);
  }
  /// Puts the items of vertex v into the bucket.
  __device__ void put(int v, int pieces, int place) const {
    for (int i = 0; i < pieces; ++i) {
      bucket[count + place + i] = {v, offsets[v] + i * kArcsPerItem};
      relaxed_at[count + place + i] = INFINITY;
    }
  }

  /// Relaxes arc i, if it is before `behind` and leads below `reach`. Returns whether it does:
  /// lighter arcs come first.
  __device__ bool relax(int i, int behind, Weight to_u, Weight reach) {
    const Weight over_u = i < behind ? to_u + weights[i] : static_cast<Weight>(INFINITY);
    if (!(over_u < reach)) return false;
    const int v = targets[i];
    Weight before = distance(dist, v);
    if (over_u < before) before = atomic_min(&dist[v], over_u);
    if (!(over_u < before && over_u < high)) return true;
    changed = true;
    if (before >= high)  // of all threads that lower v, one sees this
      put(v, pieces_of(v), atomicAdd(&tally->added, pieces_of(v)));
    return true;
  }

  /// Relaxes the items whose vertices came closer since the last time, or `all` items. A lane
  /// relaxes a few arcs of its item alone; then the warp helps. In a short list it helps at once.
  __device__ void push(Weight reach, bool all) {
    const int lane = threadIdx.x % kWarp, warps = gridDim.x * (kBlock / kWarp);
    const int warp = threadIdx.x / kWarp * gridDim.x + blockIdx.x;
    const int alone = count > 8 * warps ? 4 : 0;
    for (int base = warp; base < count; base += kWarp * warps) {
      const int place = base + lane * warps;  // neighbours, often of one hub, go to different warps
      const Item item = place < count ? bucket[place] : Item{0, 0};
      const Weight to_u = place < count ? distance(dist, item.vertex) : Weight{0};
      bool more = place < count && (all || to_u < relaxed_at[place]);
      if (more) relaxed_at[place] = to_u;
      const int behind = min(offsets[item.vertex + 1], item.first_arc + kArcsPerItem);
      int i = item.first_arc;
      for (; more && i < item.first_arc + alone; ++i) more = relax(i, behind, to_u, reach);
      for (unsigned left = __ballot_sync(kAllLanes, more); left != 0; left &= left - 1) {
        const int from = __ffs(left) - 1, end = __shfl_sync(kAllLanes, behind, from);
        const Weight to_from = __shfl_sync(kAllLanes, to_u, from);
        int mine = __shfl_sync(kAllLanes, i, from) + lane;
        while (relax(mine, end, to_from, reach)) mine += kWarp;
      }
    }
    if (changed) tally->changed = 1;  // all threads write the same
  }

  /// The distance of vertex v over its neighbours: `known` or less. No neighbour nearer than
  /// `unseen` has anything new, so arcs from some weight on are useless. A lane tries a few arcs
  /// alone; then the warp helps. Lanes without a vertex have v = -1.
  __device__ Weight pull(int v, Weight known, Weight unseen) const {
    constexpr int kAlone = 16;
    int i = v < 0 ? 0 : offsets[v];
    const int behind = v < 0 ? 0 : offsets[v + 1], alone = min(behind, i + kAlone);
    Weight best = known;
    for (; i < alone && unseen + weights[i] < best; ++i)
      best = min(best, distance(dist, targets[i]) + weights[i]);
    const bool more = i < behind && unseen + weights[i] < best;
    for (unsigned left = __ballot_sync(kAllLanes, more); left != 0; left &= left - 1) {
      const int from = __ffs(left) - 1, end = __shfl_sync(kAllLanes, behind, from);
      Weight found = __shfl_sync(kAllLanes, best, from);
      int mine = __shfl_sync(kAllLanes, i, from) + static_cast<int>(threadIdx.x) % kWarp;
      for (; mine < end && unseen + weights[mine] < found; mine += kWarp)
        found = min(found, distance(dist, targets[mine]) + weights[mine]);
      found = over_lanes(found, [](Weight a, Weight b) { return min(a, b); });
      if (static_cast<int>(threadIdx.x) % kWarp == from) best = found;
    }
    return best;
  }

  /// Fills the bucket, and finds the least distance beyond it. If `pulling`, every vertex from
  /// `low` on first looks for a shorter path. Only this thread lowers the vertex's distance.
  __device__ void collect(bool pulling, Weight unseen) {
    const int lane = threadIdx.x % kWarp, threads = gridDim.x * kBlock;
    Weight beyond = INFINITY;
    for (int first = blockIdx.x * kBlock + threadIdx.x - lane; first < n; first += threads) {
      const int v = first + lane;
      const Weight known = v < n ? distance(dist, v) : Weight{0};
      const bool open = v < n && known >= low;
      const Weight best = pulling ? pull(open ? v : -1, known, unseen) : known;
      if (best < known) atomic_min(&dist[v], best);  // others read it meanwhile
      if (open && best >= high) beyond = min(beyond, best);
      const int pieces = open && best < high ? pieces_of(v) : 0;
      if (!__any_sync(kAllLanes, pieces > 0)) continue;  // most warps have nothing in the bucket
      const int up_to_me = sum_up_to_lane(pieces);  // one atomic takes places for the warp
      int place = 0;
      if (lane == kWarp - 1) place = atomicAdd(&tally->added, up_to_me);
      put(v, pieces, __shfl_sync(kAllLanes, place, kWarp - 1) + up_to_me - pieces);
    }
    beyond = over_lanes(beyond, [](Weight a, Weight b) { return min(a, b); });
    if (lane == 0 && beyond < distance(&tally->least, 0)) atomic_min(&tally->least, beyond);
  }
};

/// Delta-stepping (Meyer and Sanders, 2003), all in one launch. All threads compute the same from
/// the same tallies, so all of them come to the same barriers.
template <typename Weight>
__global__ void search_buckets(Search<Weight> search, Tally<Weight>* tallies, int* phases) {
  const auto grid = cooperative_groups::this_grid();
  const int n = search.n, arcs = search.offsets[n], lane = threadIdx.x % kWarp;
  int number = 0;  // of the phase
  const auto phase = [&](auto work) {
    search.tally = &tallies[++number % 3];
    search.changed = false;
    if (grid.thread_rank() == 0) tallies[(number + 1) % 3] = {0, 0, INFINITY};
    work();
    grid.sync();  // all distances, items and the tally are written
    return *search.tally;
  };
  // The mean weight, from a sample, over the mean degree: about one light arc per vertex.
  const Weight part = search.weights[static_cast<long long>(lane) * arcs / kWarp] / kWarp;
  const Weight mean = over_lanes(part, [](Weight a, Weight b) { return a + b; });
  const Weight width = mean * static_cast<Weight>(static_cast<double>(n) / arcs);
  Weight unseen = 0;
  bool pulling = false;
  phase([] {});  // sets the first tally
  while (true) {
    search.count = 0;
    search.high = max(search.low + width, std::nextafter(search.low, Weight{INFINITY}));
    if (pulling) search.high = INFINITY;  // little is left after that: one last bucket without end
    Tally<Weight> tally = phase([&] { search.collect(pulling, unseen); });
    if (tally.added == 0) search.low = tally.least;  // where the next bucket begins
    if (isinf(search.low)) break;
    if (tally.added == 0) continue;
    search.count = tally.added;
    do {  // only light arcs lead back into the bucket
      tally = phase([&] { search.push(search.high, false); });
      search.count += tally.added;
    } while (tally.changed);
    if (isinf(search.high)) break;
    // If the bucket has many arcs, it is less work if all vertices beyond it pull (Chakaravarthy
    // and others, 2014).
    pulling = search.count > n / 16;
    if (!pulling) phase([&] { search.push(INFINITY, true); });
    unseen = search.low;
    search.low = search.high;
  }
  if (grid.thread_rank() == 0) *phases = number;
}
// END STAGE 7

template <typename Weight>
int search_by_delta_stepping(const int* offsets, const int* targets, const Weight* weights, int n,
                             int arcs, int source, Weight* dist) {
  // BEGIN STAGE 7 delta: memory, and one launch (about 15 lines)
  // STUB: return 0;
  start_search(source, dist, n);
  if (arcs == 0) return 1;
  PoolBuffer<Item> bucket(most_items(n, arcs));
  PoolBuffer<Weight> relaxed_at(most_items(n, arcs));
  PoolBuffer<Tally<Weight>> tallies(3);
  PoolBuffer<int> phases(1);
  const Search<Weight> search = {offsets, targets,       weights,          n,
                                 dist,    bucket.data(), relaxed_at.data()};
  const int blocks = resident_blocks(search_buckets<Weight>, kBlock, ceil_div(arcs, 8192));
  launch_cooperatively(search_buckets<Weight>, blocks, kBlock, search, tallies.data(),
                       phases.data());
  return read_back(phases.data());
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

int atomic(const int* start, const int* end, const float* weight, int edges, int n, int source,
           float* dist) {
  return search_atomically(start, end, weight, edges, n, source, dist);
}
int atomic_double(const int* start, const int* end, const double* weight, int edges, int n,
                  int source, double* dist) {
  return search_atomically(start, end, weight, edges, n, source, dist);
}

int segment(int n) {
  // BEGIN STAGE 5 locality: how many vertices make a segment, with your reason (about 2 lines)
  // STUB: return 0;
  // Two segments of distances should fit in L1. There may be 1024 segments (NOTES.md has others).
  return max(4096, ceil_div(n, 1024));
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
