// Lab 05, single-source shortest paths: the lengths of the shortest paths from one vertex to all.
//
// One thread looks at one edge {u, v} and asks whether the way to v over u is shorter than the one
// known so far, or the way to u over v: it relaxes the edge. A launch relaxes all of them, and
// launches repeat until one has changed nothing (Ford 1956, Bellman 1958). That is the dullest order
// in which shortest paths can be found, and the easiest to spread over a hundred thousand threads.
// The later stages do less of the same work: only at vertices that changed, only near the source.
#include "sssp.hpp"

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"

namespace sssp {
namespace {

using kit::ceil_div;
using kit::DeviceBuffer;

constexpr int kWarp = 32;
constexpr int kBlock = 256;  // threads per block, unless a kernel has its reasons for another number

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

/// first[i] = count[0] + ... + count[i - 1], for i = 0 ... n. Launch with one block of kScanBlock.
constexpr int kScanBlock = 1024;

__global__ void sum_before(const int* count, int n, int* first) {
  __shared__ int sum[kScanBlock];
  const int t = threadIdx.x;
  const int slice = ceil_div(n, kScanBlock);
  const int begin = min(n, t * slice), end = min(n, begin + slice);
  int mine = 0;
  for (int i = begin; i < end; ++i) mine += count[i];
  sum[t] = mine;
  __syncthreads();  // all slices are added up
  for (int step = 1; step < kScanBlock; step *= 2) {
    const int left = t >= step ? sum[t - step] : 0;
    __syncthreads();  // all have read before anyone adds
    sum[t] += left;
    __syncthreads();  // all have added before anyone reads
  }
  int before = sum[t] - mine;
  for (int i = begin; i < end; ++i) {
    first[i] = before;
    before += count[i];
  }
  if (t == kScanBlock - 1) first[n] = before;
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
  sum_before<<<1, kScanBlock>>>(count.data(), n, first.data());
  CUDA_CHECK_LAUNCH();
  copy_forward<<<blocks, kBlock>>>(offsets, targets, weights, n, first.data(), start, end, weight);
  CUDA_CHECK_LAUNCH();
  return read_back(first.data() + n);
  // END STAGE 1
}

// ---- stage 2: relax -----------------------------------------------------------------------------

// BEGIN STAGE 2 relax: one thread relaxes one edge in both directions (about 16 lines)
template <typename Weight>
__global__ void relax_edges(const int* start, const int* end, const Weight* weight, int edges,
                            Weight* dist, int* changed_in, int sweep) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const Weight w = weight[e], to_u = dist[u], to_v = dist[v];
  if (to_v + w < to_u) {
    dist[u] = to_v + w;
    *changed_in = sweep;  // whoever writes here, writes the same: nobody has to reset a flag
  } else if (to_u + w < to_v) {
    dist[v] = to_u + w;
    *changed_in = sweep;
  }
}
// END STAGE 2

template <typename Weight>
int sweep_until_quiet(const int* start, const int* end, const Weight* weight, int edges, int n,
                      int source, Weight* dist) {
  // BEGIN STAGE 2 relax: sweep until a sweep changes nothing (about 12 lines)
  // STUB: return 0;
  start_at<<<ceil_div(n, kBlock), kBlock>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  DeviceBuffer<int> changed_in(1);
  CUDA_CHECK(cudaMemset(changed_in.data(), 0, sizeof(int)));
  if (edges == 0) return 1;
  for (int sweep = 1;; ++sweep) {
    relax_edges<<<ceil_div(edges, kBlock), kBlock>>>(start, end, weight, edges, dist,
                                                     changed_in.data(), sweep);
    CUDA_CHECK_LAUNCH();
    if (read_back(changed_in.data()) != sweep) return sweep;
  }
  // END STAGE 2
}

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

int edges(const int* offsets, const int* targets, const float* weights, int n, int arcs,
          int* start, int* end, float* weight) {
  return list_edges(offsets, targets, weights, n, arcs, start, end, weight);
}
int edges_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                 int* start, int* end, double* weight) {
  return list_edges(offsets, targets, weights, n, arcs, start, end, weight);
}

int relax(const int* start, const int* end, const float* weight, int edges, int n, int source,
          float* dist) {
  return sweep_until_quiet(start, end, weight, edges, n, source, dist);
}
int relax_double(const int* start, const int* end, const double* weight, int edges, int n,
                 int source, double* dist) {
  return sweep_until_quiet(start, end, weight, edges, n, source, dist);
}

}  // namespace sssp
