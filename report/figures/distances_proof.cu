// Two things must hold. No arc may be violated: dist[v] <= dist[u] + w, or some distance is too
// large. Every finite distance must be reached from the source over tight arcs, dist[u] + w =
// dist[v], or it may be too small. So vertices are opened from the source on, as in a breadth-first
// search: a warp looks at the arcs of an open vertex, opens what they reach tightly, and closes it.
#include "distances_proof.hpp"

#include <cmath>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"

namespace figures {
namespace {

constexpr int kWarp = 32;
constexpr int kBlock = 256;
constexpr int kUnseen = 0, kOpen = 1, kClosed = 2;

struct Verdict {
  int opened;    // in this sweep
  int violated;  // arcs, and impossible distances
  int reached;
};

template <typename Weight>
__global__ void open_vertices(DeviceCsr<Weight> graph, const Weight* dist, int* state,
                              Verdict* verdict) {
  const int u = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (u >= graph.n) return;
  int open = 0;
  if (lane == 0) open = atomicCAS(&state[u], kOpen, kClosed) == kOpen;
  if (!__shfl_sync(0xFFFFFFFFu, open, 0)) return;
  bool opened = false, violated = false;
  for (int i = graph.offsets[u] + lane; i < graph.offsets[u + 1]; i += kWarp) {
    const int v = graph.targets[i];
    const Weight over_u = dist[u] + graph.weights[i];
    violated |= !(dist[v] <= over_u);  // also when dist[v] is NaN
    if (dist[v] == over_u && !isinf(over_u))
      opened |= atomicCAS(&state[v], kUnseen, kOpen) == kUnseen;
  }
  if (opened) atomicExch(&verdict->opened, 1);
  if (violated) atomicExch(&verdict->violated, 1);
}

template <typename Weight>
__global__ void look_at_vertices(int n, const Weight* dist, const int* state, Verdict* verdict) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  const bool reached = state[v] != kUnseen;
  if (signbit(dist[v]) || (!reached && dist[v] != static_cast<Weight>(INFINITY)))
    atomicExch(&verdict->violated, 1);
  if (reached) atomicAdd(&verdict->reached, 1);
}

Verdict fetched(const kit::DeviceBuffer<Verdict>& verdict) {
  Verdict host{};
  verdict.copy_to(std::span(&host, 1));
  return host;
}

}  // namespace

template <typename Weight>
Proof prove_distances(const DeviceCsr<Weight>& graph, int source, const Weight* dist) {
  Weight at_source = -1;
  CUDA_CHECK(cudaMemcpy(&at_source, dist + source, sizeof at_source, cudaMemcpyDeviceToHost));
  if (!(at_source == 0)) return {};
  kit::DeviceBuffer<int> state(graph.n);
  kit::DeviceBuffer<Verdict> verdict(1);
  CUDA_CHECK(cudaMemset(state.data(), 0, graph.n * sizeof(int)));
  CUDA_CHECK(cudaMemset(verdict.data(), 0, sizeof(Verdict)));
  CUDA_CHECK(cudaMemcpy(state.data() + source, &kOpen, sizeof kOpen, cudaMemcpyHostToDevice));
  do {
    CUDA_CHECK(cudaMemset(&verdict.data()->opened, 0, sizeof(int)));
    open_vertices<<<kit::ceil_div(graph.n, kBlock / kWarp), kBlock>>>(graph, dist, state.data(),
                                                                      verdict.data());
    CUDA_CHECK_LAUNCH();
  } while (fetched(verdict).opened);
  look_at_vertices<<<kit::ceil_div(graph.n, kBlock), kBlock>>>(graph.n, dist, state.data(),
                                                               verdict.data());
  CUDA_CHECK_LAUNCH();
  const Verdict last = fetched(verdict);
  return {!last.violated, last.reached};
}

template Proof prove_distances(const DeviceCsr<float>&, int, const float*);
template Proof prove_distances(const DeviceCsr<double>&, int, const double*);

}  // namespace figures
