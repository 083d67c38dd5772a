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
// TODO: your code
// END STAGE 1

template <typename Weight>
int list_edges(const int* offsets, const int* targets, const Weight* weights, int n, int arcs,
               int* start, int* end, Weight* weight) {
  // BEGIN STAGE 1 edges: two launches, with the sum of the counts between them (about 9 lines)
  return 0;
  // END STAGE 1
}

// ---- stage 2: relax -----------------------------------------------------------------------------

// BEGIN STAGE 2 relax: relax one edge per thread, in both directions, until nothing changes (about 25 lines)
// TODO: your code
// END STAGE 2

template <typename Weight>
int search_by_sweeps(const int* start, const int* end, const Weight* weight, int edges, int n,
                     int source, Weight* dist) {
  // BEGIN STAGE 2 relax: start at the source, launch the sweeps (about 5 lines)
  return 0;
  // END STAGE 2
}

// ---- stage 3: restrict --------------------------------------------------------------------------

// BEGIN STAGE 3 restrict: the same kernel, with two pointers to the distances (about 15 lines)
// TODO: your code
// END STAGE 3

template <typename Weight>
int search_by_cached_reads(const int* start, const int* end, const Weight* weight, int edges, int n,
                           int source, Weight* dist) {
  // BEGIN STAGE 3 restrict: start at the source, launch the sweeps (about 6 lines)
  return 0;
  // END STAGE 3
}

// ---- stage 4: atomic ----------------------------------------------------------------------------

// BEGIN STAGE 4 atomic: a minimum of floats, and sweeps that lose no update (about 30 lines)
// TODO: your code
// END STAGE 4

template <typename Weight>
int search_atomically(const int* start, const int* end, const Weight* weight, int edges, int n,
                      int source, Weight* dist) {
  // BEGIN STAGE 4 atomic: start at the source, launch the sweeps (about 9 lines)
  return 0;
  // END STAGE 4
}

// ---- stage 5: locality --------------------------------------------------------------------------

// BEGIN STAGE 5 locality: vertices by degree, edges by segments, sweeps through L1 (about 70 lines)
// TODO: your code
// END STAGE 5

template <typename Weight>
void arrange_by_segments(const int* start, const int* end, const Weight* weight, int edges, int n,
                         int segment, int* label, int* arranged_start, int* arranged_end,
                         Weight* arranged_weight) {
  // BEGIN STAGE 5 locality: degrees, labels, groups, places, and the move (about 20 lines)
  // TODO: your code
  // END STAGE 5
}

template <typename Weight>
int search_segments(const int* start, const int* end, const Weight* weight, int edges, int n,
                    int source, Weight* dist) {
  // BEGIN STAGE 5 locality: start at the source, launch the sweeps (about 9 lines)
  return 0;
  // END STAGE 5
}

// ---- stage 6: frontier --------------------------------------------------------------------------

// BEGIN STAGE 6 frontier: a list of the vertices that changed, relaxed by warps (about 35 lines)
// TODO: your code
// END STAGE 6

template <typename Weight>
int search_by_frontier(const int* offsets, const int* targets, const Weight* weights, int n,
                       int arcs, int source, Weight* dist) {
  // BEGIN STAGE 6 frontier: rounds from one list to the next, until one is empty (about 18 lines)
  return 0;
  // END STAGE 6
}

// ---- stage 7: delta -----------------------------------------------------------------------------

// BEGIN STAGE 7 delta: sort every vertex's arcs (about 20 lines)
// TODO: your code
// END STAGE 7

template <typename Weight>
void sort_arcs_by_weight(const int* offsets, const int* targets, const Weight* weights, int n,
                         int arcs, int* sorted_targets, Weight* sorted_weights) {
  // BEGIN STAGE 7 delta: copy the arcs, then sort them with a warp for each vertex (about 8 lines)
  // TODO: your code
  // END STAGE 7
}

// BEGIN STAGE 7 delta: a bucket, and how the vertices outside pull (about 120 lines)
// TODO: your code
// END STAGE 7

template <typename Weight>
int search_by_delta_stepping(const int* offsets, const int* targets, const Weight* weights, int n,
                             int arcs, int source, Weight* dist) {
  // BEGIN STAGE 7 delta: memory, and one launch (about 15 lines)
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
  return 0;
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
