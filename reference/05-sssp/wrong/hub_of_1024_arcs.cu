// expect: frontier: wrong answer
// A vertex of exactly 1024 arcs belongs neither to those of fewer nor to those of more.
#include <cmath>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "pool_buffer.hpp"
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

/// Sets the distances so that only the source is reached yet.
template <typename Weight>
void start_search(int source, Weight* dist, int n) {
  start_at<<<ceil_div(n, kBlock), kBlock>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
}

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
    if (pieces == 0 || offsets[v + 1] - begin == 1024) return;
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

template <typename Weight>
int search_by_frontier(const int* offsets, const int* targets, const Weight* weights, int n,
                       int arcs, int source, Weight* dist) {
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
}

}  // namespace

int frontier(const int* offsets, const int* targets, const float* weights, int n, int arcs,
             int source, float* dist) {
  return search_by_frontier(offsets, targets, weights, n, arcs, source, dist);
}
int frontier_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                    int source, double* dist) {
  return search_by_frontier(offsets, targets, weights, n, arcs, source, dist);
}

}  // namespace sssp
