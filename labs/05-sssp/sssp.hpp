// The contract of lab 05: what each stage is called with and what it must leave behind.
//
// A graph of n >= 1 vertices 0 ... n - 1 is undirected: every edge {u, v} of weight w is in it as
// two arcs (u, v, w) and (v, u, w), and a self-loop {u, u} as one. Parallel edges, self-loops,
// vertices without edges and graphs in several parts all occur. Weights are finite and not
// negative; 0 occurs, -0 does not, and there are weights so large that the sum of two is infinite.
// There are at most 2^30 vertices and 2^30 arcs, so that an int can count a little beyond either.
//
// Arcs come in compressed sparse row form (CSR): the arcs that leave vertex v begin at offsets[v]
// and end before offsets[v + 1]; arc i leads to targets[i] and has the weight weights[i]. The
// article calls the three arrays xadj, adjncy and weights. The arcs of a vertex are in no
// particular order.
//
// The length of a path is the sum of its weights, added one after another from the source, each sum
// rounded to the type of the weights. dist[v] is the length of the shortest path from the source to
// v: 0 at the source, +infinity if no path leads to v. Rounding is monotone (a <= b gives
// a + w <= b + w, and no sum is below its parts), so there is exactly one right answer, to the bit.
//
// All pointers are device pointers with the alignment of cudaMalloc. No two buffers overlap. const
// buffers must not be written, not even to be restored. Each entry point has a twin for weights of
// type double: write the code once, as a template.
//
// An entry point may return before its kernels have finished. It may allocate device memory, and
// must free it again: a call that keeps any loses the stage. The __device__ variables that it uses
// have at most 64 KiB together, because no fixed size is enough for every n.
//
// The searches of stages 2 to 5, with 512 edges or more, keep at least 16 threads at work at a
// time: that is the average over all accesses to memory. A grid may be small, and some of its
// threads idle.
#pragma once

#include "entry_points.hpp"

namespace sssp {

/// Stage 1. From CSR to a list that has every undirected edge once. It keeps the arcs from a
/// smaller to a larger vertex, in the order of the CSR (so ascending by start vertex), with all
/// parallel edges and without self-loops. Edge e is {start[e], end[e]} with weight[e]. start, end
/// and weight have room for arcs / 2 edges. Returns the number of edges. There are at most 64
/// launches, and one more for every 16 vertices and arcs.
int edges(const int* offsets, const int* targets, const float* weights, int n, int arcs, int* start,
          int* end, float* weight);
int edges_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                 int* start, int* end, double* weight);

/// Stage 2. The distances from `source` along a list of `edges` undirected edges, by sweeps. In
/// each sweep every thread relaxes one edge, in both directions, until a sweep changes nothing.
/// Returns the number of sweeps, including the last one, so 1 without edges: what relaxes every
/// edge twice is two sweeps. Threads may race on dist.
int relax(const int* start, const int* end, const float* weight, int edges, int n, int source,
          float* dist);
int relax_double(const int* start, const int* end, const double* weight, int edges, int n,
                 int source, double* dist);

/// Stage 3. As stage 2, but every read of a distance goes through the read-only data cache
/// (ld.global.nc), and every write bypasses it. Threads may race on dist.
int restrict(const int* start, const int* end, const float* weight, int edges, int n, int source,
             float* dist);
int restrict_double(const int* start, const int* end, const double* weight, int edges, int n,
                    int source, double* dist);

/// Stage 4. As stage 2, but no update is lost and nothing races: at most n sweeps.
int atomic(const int* start, const int* end, const float* weight, int edges, int n, int source,
           float* dist);
int atomic_double(const int* start, const int* end, const double* weight, int edges, int n,
                  int source, double* dist);

/// Stage 5, first part: your choice of how many consecutive vertices make a segment in a graph of n
/// vertices, so that the search below is fast. At least 1, and at most 1024 segments.
int segment(int n);

/// Stage 5, preparation. Arranges the edges by segments of `segment` vertices; again there are at
/// most 1024 segments. The order is ascending by the segment of arranged_end, then ascending by the
/// segment of arranged_start, and otherwise any. Vertex v gets the number label[v]: v itself, or
/// any other number below n, as long as all labels differ. The arranged list has each given edge
/// once, under these numbers and in either direction.
void arrange(const int* start, const int* end, const float* weight, int edges, int n, int segment,
             int* label, int* arranged_start, int* arranged_end, float* arranged_weight);
void arrange_double(const int* start, const int* end, const double* weight, int edges, int n,
                    int segment, int* label, int* arranged_start, int* arranged_end,
                    double* arranged_weight);

/// Stage 5, the search. As stage 2, on a list in the order of `arrange`, with segments of
/// segment(n) vertices. It may rely on this order, and on nothing else that your `arrange` does.
/// source and dist use the new numbers. Threads may race on dist.
int locality(const int* start, const int* end, const float* weight, int edges, int n, int source,
             float* dist);
int locality_double(const int* start, const int* end, const double* weight, int edges, int n,
                    int source, double* dist);

/// Stage 6. The distances from `source` along the arcs of a CSR, in rounds. Each round relaxes only
/// the arcs that leave vertices which the round before has brought closer, and looks at no others;
/// the first relaxes those of the source. No races. Returns the number of rounds, at most n. The
/// last may be one that finds no such vertex.
int frontier(const int* offsets, const int* targets, const float* weights, int n, int arcs,
             int source, float* dist);
int frontier_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                    int source, double* dist);

/// Stage 7, preparation. Sorts the arcs of every vertex by weight, the lightest first; arcs of
/// equal weight may be in any order.
void lightest_first(const int* offsets, const int* targets, const float* weights, int n, int arcs,
                    int* sorted_targets, float* sorted_weights);
void lightest_first_double(const int* offsets, const int* targets, const double* weights, int n,
                           int arcs, int* sorted_targets, double* sorted_weights);

/// Stage 7, the search. As stage 6, but by delta-stepping, on a CSR in which the arcs of every
/// vertex are sorted, the lightest first. No races. Returns the number of phases. In which order
/// the vertices are taken is not counted: another order is right as well, but costs points for
/// speed.
int delta(const int* offsets, const int* targets, const float* weights, int n, int arcs, int source,
          float* dist);
int delta_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                 int source, double* dist);

WARPWISE_ENTRY_POINTS(edges, edges_double, relax, relax_double, restrict, restrict_double, atomic,
                      atomic_double, segment, arrange, arrange_double, locality, locality_double,
                      frontier, frontier_double, lightest_first, lightest_first_double, delta,
                      delta_double)

}  // namespace sssp
