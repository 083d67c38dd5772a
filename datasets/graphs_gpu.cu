// Makes a graph from a recipe on the GPU. An edge depends only on its number, so a thread makes an
// edge without asking another thread: once to count the arcs of every vertex, once more to put them
// in place. The order in which the atomics place a vertex's arcs is chance. Sorting each row
// afterwards makes it the same graph every time, and the same one that the CPU makes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "build_csr.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "edge_source.hpp"
#include "graphs_gpu.hpp"

namespace datasets {
namespace {

constexpr int kThreads = 256;
// Blocks stride over the work. This many fill any GPU, and the cost of a launch is paid once.
constexpr std::int64_t kMostBlocks = 1 << 16;

int blocks_for(std::int64_t n, std::int64_t per_block) {
  return static_cast<int>(std::min(kMostBlocks, (n + per_block - 1) / per_block));
}

/// Calls body(from, to, i) for every arc of every edge number i that this thread makes.
template <typename Body>
__device__ void for_my_arcs(const EdgeSource& source, bool directed, const Body& body) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::int64_t i = first; i < source.slots(); i += stride) {
    const Edge edge = source.edge(i);
    if (edge.from < 0) continue;
    body(edge.from, edge.to, i);
    if (!directed && edge.from != edge.to) body(edge.to, edge.from, i);
  }
}

__global__ void count_arcs(EdgeSource source, bool directed, int* degree) {
  for_my_arcs(source, directed, [=](int from, int, std::int64_t) { atomicAdd(&degree[from], 1); });
}

/// next[v] is where the next arc of v goes: first the row's begin, at the end the row's end.
template <typename Weight>
__global__ void place_arcs(EdgeSource source, bool directed, int* next, int* targets,
                           Weight* weights) {
  for_my_arcs(source, directed, [=, &source](int from, int to, std::int64_t i) {
    const int place = atomicAdd(&next[from], 1);
    targets[place] = to;
    weights[place] = static_cast<Weight>(source.weight(i));
  });
}

/// Puts two arcs into order: by target, then by weight.
template <typename Weight>
__device__ void compare_exchange(int* targets, Weight* weights, int low, int high) {
  const int t = targets[low], u = targets[high];
  const Weight w = weights[low], x = weights[high];
  if (t < u || (t == u && w <= x)) return;
  targets[low] = u;
  targets[high] = t;
  weights[low] = x;
  weights[high] = w;
}

/// A block sorts a row by a bitonic network in which every comparison ascends: each merge begins by
/// comparing mirrored places. So a row need not be padded to a power of two: the padding would be
/// the largest arcs, and those never move.
template <typename Weight>
__global__ void sort_each_row(const int* offsets, int vertices, int* targets, Weight* weights) {
  for (int v = blockIdx.x; v < vertices; v += gridDim.x) {
    const int begin = offsets[v];
    const unsigned n = static_cast<unsigned>(offsets[v + 1] - begin);
    for (unsigned merged = 2; merged / 2 < n; merged *= 2) {
      for (unsigned stride = merged / 2; stride > 0; stride /= 2) {
        const unsigned flip = stride == merged / 2 ? merged - 1 : stride;
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
          const unsigned partner = i ^ flip;
          if (partner > i && partner < n)
            compare_exchange(targets + begin, weights + begin, static_cast<int>(i),
                             static_cast<int>(partner));
        }
        __syncthreads();  // a step reads what the previous step wrote
      }
    }
  }
}

}  // namespace

template <typename Weight>
CsrGraph<Weight> make_graph_on_gpu(const GraphRecipe& recipe) {
  const EdgeSource source(recipe);
  CsrGraph<Weight> graph;
  graph.offsets.assign(static_cast<std::size_t>(source.vertices()) + 1, 0);
  if (source.slots() == 0) return graph;
  const int blocks = blocks_for(source.slots(), kThreads);
  const std::size_t vertices = static_cast<std::size_t>(source.vertices());

  kit::DeviceBuffer<int> next(vertices);
  CUDA_CHECK(cudaMemset(next.data(), 0, vertices * sizeof(int)));
  count_arcs<<<blocks, kThreads>>>(source, recipe.directed, next.data());
  CUDA_CHECK_LAUNCH();
  // One int per vertex goes to the host and back. That is little beside the arcs, and saves a scan.
  next.copy_to(std::span(graph.offsets).subspan(1));
  std::partial_sum(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());
  next.copy_from(std::span(std::as_const(graph.offsets)).first(vertices));

  const std::size_t arcs = static_cast<std::size_t>(graph.offsets.back());
  const kit::DeviceBuffer<int> offsets(std::span(std::as_const(graph.offsets)));
  kit::DeviceBuffer<int> targets(arcs);
  kit::DeviceBuffer<Weight> weights(arcs);
  place_arcs<<<blocks, kThreads>>>(source, recipe.directed, next.data(), targets.data(),
                                   weights.data());
  CUDA_CHECK_LAUNCH();
  sort_each_row<<<blocks_for(source.vertices(), 1), kThreads>>>(offsets.data(), source.vertices(),
                                                                targets.data(), weights.data());
  CUDA_CHECK_LAUNCH();

  graph.targets.resize(arcs);
  graph.weights.resize(arcs);
  targets.copy_to(std::span(graph.targets));
  weights.copy_to(std::span(graph.weights));
  if (!recipe.parallel_edges) remove_parallel_arcs(graph);
  return graph;
}

template CsrGraph<float> make_graph_on_gpu(const GraphRecipe& recipe);
template CsrGraph<double> make_graph_on_gpu(const GraphRecipe& recipe);

}  // namespace datasets
