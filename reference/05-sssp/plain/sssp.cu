// Lab 05, the plain form of the stages with points for speed: right, with what the stages before
// teach, and nothing more. `locality` sorts the edges by group and keeps the vertex numbers and the
// search of stage 2. `delta` is `frontier` with buckets: a launch for every round, arcs pushed.
#include <algorithm>
#include <cmath>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "pool_buffer.hpp"
#include "prefix_sum.hpp"
#include "sssp.hpp"
#include "warp.hpp"

namespace sssp {
namespace {

using namespace kit;

constexpr int kBlock = 256;

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
}

// ---- locality -----------------------------------------------------------------------------------

__global__ void number_vertices(int* label, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) label[v] = v;
}

__global__ void find_groups(const int* start, const int* end, int edges, int segment, int segments,
                            int* group, int* count) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  group[e] = end[e] / segment * segments + start[e] / segment;
  atomicAdd(&count[group[e]], 1);
}

template <typename Weight>
__global__ void move_edges(const int* start, const int* end, const Weight* weight, int edges,
                           const int* group, int* next_place, int* arranged_start,
                           int* arranged_end, Weight* arranged_weight) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int place = atomicAdd(&next_place[group[e]], 1);
  arranged_start[place] = start[e];
  arranged_end[place] = end[e];
  arranged_weight[place] = weight[e];
}

template <typename Weight>
void arrange_by_groups(const int* start, const int* end, const Weight* weight, int edges, int n,
                       int segment, int* label, int* arranged_start, int* arranged_end,
                       Weight* arranged_weight) {
  number_vertices<<<ceil_div(n, kBlock), kBlock>>>(label, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return;
  const int segments = ceil_div(n, segment), groups = segments * segments;
  DeviceBuffer<int> group(edges), count(groups), first(groups + 1);
  CUDA_CHECK(cudaMemset(count.data(), 0, groups * sizeof(int)));
  find_groups<<<ceil_div(edges, kBlock), kBlock>>>(start, end, edges, segment, segments,
                                                   group.data(), count.data());
  sum_before(count.data(), groups, first.data());
  move_edges<<<ceil_div(edges, kBlock), kBlock>>>(start, end, weight, edges, group.data(),
                                                  first.data(), arranged_start, arranged_end,
                                                  arranged_weight);
  CUDA_CHECK_LAUNCH();
}

__device__ int changed_in;  // the last sweep that changed a distance

template <typename Weight>
__global__ void relax_edges(const int* start, const int* end, const Weight* weight, int edges,
                            Weight* dist, int sweep) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const Weight w = weight[e], to_u = dist[u], to_v = dist[v];
  if (to_v + w < to_u) {
    dist[u] = to_v + w;
    changed_in = sweep;
  } else if (to_u + w < to_v) {
    dist[v] = to_u + w;
    changed_in = sweep;
  }
}

template <typename Weight>
int search_by_sweeps(const int* start, const int* end, const Weight* weight, int edges, int n,
                     int source, Weight* dist) {
  start_at<<<ceil_div(n, kBlock), kBlock>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  int last_change = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(changed_in, &last_change, sizeof last_change));
  for (int sweep = 1;; ++sweep) {
    relax_edges<<<ceil_div(edges, kBlock), kBlock>>>(start, end, weight, edges, dist, sweep);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyFromSymbol(&last_change, changed_in, sizeof last_change));
    if (last_change != sweep) return sweep;
  }
}

// ---- delta --------------------------------------------------------------------------------------

/// A warp sorts the arcs of a vertex by a bitonic network without padding (lab 03).
template <typename Weight>
__global__ void sort_arcs(const int* offsets, int n, int* targets, Weight* weights) {
  const int v = blockIdx.x * (kBlock / kWarp) + threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (v >= n) return;
  const int begin = offsets[v], end = offsets[v + 1];
  for (int size = 2; size < 2 * (end - begin); size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      const int partners = apart == size / 2 ? size - 1 : apart;
      __syncwarp();  // all arcs have their places from the step before
      for (int a = begin + lane; a < end; a += kWarp) {
        const int b = begin + ((a - begin) ^ partners);
        if (b < a || b >= end || !(weights[b] < weights[a])) continue;
        const int target = targets[a];
        const Weight weight = weights[a];
        targets[a] = targets[b];
        weights[a] = weights[b];
        targets[b] = target;
        weights[b] = weight;
      }
    }
}

template <typename Weight>
void sort_arcs_by_weight(const int* offsets, const int* targets, const Weight* weights, int n,
                         int arcs, int* sorted_targets, Weight* sorted_weights) {
  if (arcs == 0) return;
  CUDA_CHECK(cudaMemcpyAsync(sorted_targets, targets, arcs * sizeof *targets, cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpyAsync(sorted_weights, weights, arcs * sizeof *weights, cudaMemcpyDefault));
  sort_arcs<<<ceil_div(n, kBlock / kWarp), kBlock>>>(offsets, n, sorted_targets, sorted_weights);
  CUDA_CHECK_LAUNCH();
}

__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double atomic_min(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

template <typename Weight>
__device__ Weight distance(const Weight* dist, int v) {
  return *static_cast<const volatile Weight*>(dist + v);
}

constexpr int kArcsPerItem = 256;

struct Item {
  int vertex, first_arc;
};

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

/// The vertices at a distance from `low` up to, but without, `high`; the least distance beyond.
template <typename Weight>
__global__ void collect(const int* offsets, int n, const Weight* dist, Weight low, Weight high,
                        WorkList list, Weight* beyond) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || dist[v] < low) return;
  if (dist[v] < high)
    list.push(offsets, v);
  else if (dist[v] < distance(beyond, 0))
    atomic_min(beyond, dist[v]);
}

/// Relaxes the arcs of the items that lead below `reach`. A vertex that came closer and is in the
/// bucket is pushed, once per round.
template <typename Weight>
__global__ void relax_items(const int* offsets, const int* targets, const Weight* weights,
                            const Item* items, int count, Weight* dist, Weight reach, Weight high,
                            int round, int* pushed_in, WorkList next) {
  const int item = blockIdx.x * (kBlock / kWarp) + threadIdx.x / kWarp;
  if (item >= count) return;
  const auto [u, first_arc] = items[item];
  const int behind = min(offsets[u + 1], first_arc + kArcsPerItem);
  const Weight to_u = distance(dist, u);
  for (int i = first_arc + threadIdx.x % kWarp; i < behind; i += kWarp) {
    const int v = targets[i];
    const Weight over_u = to_u + weights[i];
    if (!(over_u < reach)) return;
    if (over_u < distance(dist, v) && over_u < atomic_min(&dist[v], over_u) && over_u < high &&
        atomicExch(&pushed_in[v], round) != round)
      next.push(offsets, v);
  }
}

template <typename Weight>
__global__ void mean_weight(const Weight* weights, int arcs, Weight* mean) {
  *mean = 0;
  for (int i = 0; i < kWarp; ++i)
    *mean += weights[static_cast<long long>(i) * arcs / kWarp] / kWarp;
}

template <typename Weight>
int search_by_buckets(const int* offsets, const int* targets, const Weight* weights, int n,
                      int arcs, int source, Weight* dist) {
  const Weight infinite = INFINITY;
  start_at<<<ceil_div(n, kBlock), kBlock>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (arcs == 0) return 1;
  const int room = n + arcs / kArcsPerItem;
  PoolBuffer<int> pushed_in(n), counts(2);
  PoolBuffer<Item> items[2] = {PoolBuffer<Item>(room), PoolBuffer<Item>(room)};
  PoolBuffer<Weight> number(1);
  CUDA_CHECK(cudaMemset(pushed_in.data(), 0, n * sizeof(int)));
  mean_weight<<<1, 1>>>(weights, arcs, number.data());
  const Weight mean = read_back(number.data());
  int round = 0;
  const auto list = [&](int i) { return WorkList{items[i % 2].data(), counts.data() + i % 2}; };
  const auto collected = [&](Weight low, Weight high) {
    CUDA_CHECK(cudaMemset(list(round).count, 0, sizeof(int)));
    CUDA_CHECK(cudaMemcpy(number.data(), &infinite, sizeof infinite, cudaMemcpyHostToDevice));
    collect<<<ceil_div(n, kBlock), kBlock>>>(offsets, n, dist, low, high, list(round),
                                             number.data());
    CUDA_CHECK_LAUNCH();
    return read_back(list(round).count);
  };
  const auto relax = [&](int count, Weight reach, Weight high) {
    const WorkList now = list(round), next = list(++round);
    CUDA_CHECK(cudaMemset(next.count, 0, sizeof(int)));
    relax_items<<<ceil_div(count, kBlock / kWarp), kBlock>>>(offsets, targets, weights, now.items,
                                                             count, dist, reach, high, round,
                                                             pushed_in.data(), next);
    CUDA_CHECK_LAUNCH();
    return read_back(next.count);
  };
  Weight width = mean * static_cast<Weight>(static_cast<double>(n) / arcs);
  for (Weight low = 0; low < infinite;) {
    const Weight high = std::max(low + width, std::nextafter(low, infinite));
    int count = collected(low, high);
    if (count == 0) {  // no vertex with arcs: the next bucket begins at the least distance beyond
      low = read_back(number.data());
      continue;
    }
    const int members = count;
    while (count > 0) count = relax(count, high, high);
    count = collected(low, high);
    if (high < infinite) relax(count, infinite, Weight{0});  // the heavy arcs, once
    low = high;
    if (members < 1000) width *= 2;
  }
  return std::max(round, 1);
}

}  // namespace

int segment(int n) { return std::max(4096, ceil_div(n, 1024)); }

void arrange(const int* start, const int* end, const float* weight, int edges, int n, int segment,
             int* label, int* arranged_start, int* arranged_end, float* arranged_weight) {
  arrange_by_groups(start, end, weight, edges, n, segment, label, arranged_start, arranged_end,
                    arranged_weight);
}
void arrange_double(const int* start, const int* end, const double* weight, int edges, int n,
                    int segment, int* label, int* arranged_start, int* arranged_end,
                    double* arranged_weight) {
  arrange_by_groups(start, end, weight, edges, n, segment, label, arranged_start, arranged_end,
                    arranged_weight);
}

int locality(const int* start, const int* end, const float* weight, int edges, int n, int source,
             float* dist) {
  return search_by_sweeps(start, end, weight, edges, n, source, dist);
}
int locality_double(const int* start, const int* end, const double* weight, int edges, int n,
                    int source, double* dist) {
  return search_by_sweeps(start, end, weight, edges, n, source, dist);
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
  return search_by_buckets(offsets, targets, weights, n, arcs, source, dist);
}
int delta_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                 int source, double* dist) {
  return search_by_buckets(offsets, targets, weights, n, arcs, source, dist);
}

}  // namespace sssp
