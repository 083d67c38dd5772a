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
// TODO: your code
// END STAGE 1

template <typename Weight>
int list_edges(const int* offsets, const int* targets, const Weight* weights, int n, int arcs,
               int* start, int* end, Weight* weight) {
  // BEGIN STAGE 1 edges: launch, with the sum of the counts between (about 9 lines)
  return 0;
  // END STAGE 1
}

// ---- stage 2: relax -----------------------------------------------------------------------------

// BEGIN STAGE 2 relax: relax an edge per thread, both ways, until nothing changes (about 35 lines)
// TODO: your code
// END STAGE 2

template <typename Weight>
int search_by_sweeps(const int* start, const int* end, const Weight* weight, int edges, int n,
                     int source, Weight* dist) {
  // BEGIN STAGE 2 relax: start at the source, launch the sweeps (about 7 lines)
  return 0;
  // END STAGE 2
}

// ---- stage 3: restrict --------------------------------------------------------------------------

// BEGIN STAGE 3 restrict: the same kernel with two pointers to the distances (about 18 lines)
// TODO: your code
// END STAGE 3

template <typename Weight>
int search_by_cached_reads(const int* start, const int* end, const Weight* weight, int edges, int n,
                           int source, Weight* dist) {
  // BEGIN STAGE 3 restrict: start at the source, launch the sweeps (about 8 lines)
  return 0;
  // END STAGE 3
}

// ---- stage 4: locality --------------------------------------------------------------------------

// BEGIN STAGE 4 locality: vertices by degree, edges by segments (about 80 lines)
// TODO: your code
// END STAGE 4

// BEGIN STAGE 4 locality: for speed, leave out chunks that improve nothing (about 135 lines)
// TODO: your code
// END STAGE 4

template <typename Weight>
void arrange_by_segments(const int* start, const int* end, const Weight* weight, int edges, int n,
                         int segment, int* label, int* arranged_start, int* arranged_end,
                         Weight* arranged_weight) {
  // BEGIN STAGE 4 locality: degrees, labels, groups, places, and the move (about 20 lines)
  // TODO: your code
  // END STAGE 4
}

template <typename Weight>
int search_segments(const int* start, const int* end, const Weight* weight, int edges, int n,
                    int source, Weight* dist) {
  // BEGIN STAGE 4 locality: describe the chunks, launch the sweeps (about 20 lines)
  return 0;
  // END STAGE 4
}

// ---- stage 5: atomic ----------------------------------------------------------------------------

// BEGIN STAGE 5 atomic: a minimum of floats, and sweeps that lose no update (about 40 lines)
// TODO: your code
// END STAGE 5

template <typename Weight>
int search_atomically(const int* start, const int* end, const Weight* weight, int edges, int n,
                      int source, Weight* dist) {
  // BEGIN STAGE 5 atomic: start at the source, launch the sweeps (about 12 lines)
  return 0;
  // END STAGE 5
}

// ---- stage 6: frontier --------------------------------------------------------------------------

// BEGIN STAGE 6 frontier: a list of the vertices that changed, relaxed by warps (about 50 lines)
// TODO: your code
// END STAGE 6

template <typename Weight>
int search_by_frontier(const int* offsets, const int* targets, const Weight* weights, int n,
                       int arcs, int source, Weight* dist) {
  // BEGIN STAGE 6 frontier: rounds from one list to the next, until one is empty (about 22 lines)
  return 0;
  // END STAGE 6
}

// ---- stage 7: delta -----------------------------------------------------------------------------

// BEGIN STAGE 7 delta: a bitonic sort of every vertex's arcs (about 30 lines)
// TODO: your code
// END STAGE 7

template <typename Weight>
void sort_arcs_by_weight(const int* offsets, const int* targets, const Weight* weights, int n,
                         int arcs, int* sorted_targets, Weight* sorted_weights) {
  // BEGIN STAGE 7 delta: copy, then sort small and large vertices (about 12 lines)
  // TODO: your code
  // END STAGE 7
}

// BEGIN STAGE 7 delta: all buckets in one launch, with barriers of the grid between (about 110 lines)
// TODO: your code
// END STAGE 7

template <typename Weight>
int search_by_delta_stepping(const int* offsets, const int* targets, const Weight* weights, int n,
                             int arcs, int source, Weight* dist) {
  // BEGIN STAGE 7 delta: memory, and as many blocks as can wait for each other (about 35 lines)
  return 0;
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
  return 0;
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
