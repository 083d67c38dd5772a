// One graph on the device in every form that lab 05's searches take, and the cost of making each.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "clock.hpp"
#include "csr_graph.hpp"
#include "device_arrays.hpp"
#include "device_buffer.hpp"
#include "distances_proof.hpp"
#include "segments.hpp"
#include "series.hpp"
#include "sssp.hpp"

namespace figures {

using datasets::CsrGraph;
using kit::DeviceBuffer;

/// The contract's functions for a type of weights.
template <typename Weight>
struct Lab;
template <>
struct Lab<float> {
  static constexpr const char* kKind = "float";
  static constexpr auto edges = &sssp::edges;
  static constexpr auto relax = &sssp::relax;
  static constexpr auto restrict = &sssp::restrict;
  static constexpr auto frontier = &sssp::frontier;
};
template <>
struct Lab<double> {
  static constexpr const char* kKind = "double";
  static constexpr auto edges = &sssp::edges_double;
  static constexpr auto relax = &sssp::relax_double;
  static constexpr auto restrict = &sssp::restrict_double;
  static constexpr auto frontier = &sssp::frontier_double;
};

/// A CSR on the device. The host's weights are float, whatever Weight is: every weight is a float.
template <typename Weight>
struct GraphOnDevice {
  explicit GraphOnDevice(const CsrGraph<float>& graph)
      : offsets(std::span(graph.offsets)),
        targets(std::span(graph.targets)),
        weights(graph.weights.size()) {
    if constexpr (std::is_same_v<Weight, float>) {
      weights.copy_from(graph.weights);
    } else {
      const DeviceBuffer<float> narrow{std::span(graph.weights)};
      widen(narrow.data(), narrow.size(), weights.data());
      CUDA_CHECK(cudaDeviceSynchronize());
    }
  }
  DeviceCsr<Weight> view() const {
    return {offsets.data(), targets.data(), weights.data(), static_cast<int>(offsets.size()) - 1,
            static_cast<int>(targets.size())};
  }
  DeviceBuffer<int> offsets, targets;
  DeviceBuffer<Weight> weights;
};

/// A list of edges, each listed once. It may contain fewer than it has room for.
template <typename Weight>
struct EdgesOnDevice {
  explicit EdgesOnDevice(std::size_t room) : start(room), end(room), weight(room) {}
  DeviceBuffer<int> start, end;
  DeviceBuffer<Weight> weight;
  int edges = 0;
};

constexpr int kPreparations = 3;  // how often each preparation is made and timed

/// Makes something kPreparations times; returns how long each time took.
template <typename Make>
Series timed_preparation(Clock& clock, const char* name, const char* kind, const Make& make) {
  Series series{name, kind, {}, {}};
  for (int i = 0; i < kPreparations; ++i) series.seconds.push_back(clock.seconds(make));
  return series;
}

template <typename Weight>
void list_edges(const DeviceCsr<Weight>& graph, EdgesOnDevice<Weight>& list) {
  list.edges = Lab<Weight>::edges(graph.offsets, graph.targets, graph.weights, graph.n, graph.arcs,
                                  list.start.data(), list.end.data(), list.weight.data());
}

/// Puts the article's arrangement of a list, by segments of `segment` vertices, into `arranged`.
template <typename Weight>
void arrange_by_segments(const EdgesOnDevice<Weight>& list, int n, int segment,
                         EdgesOnDevice<Weight>& arranged) {
  const DeviceBuffer<int> place(list.edges);
  order_by_segments(list.start.data(), list.end.data(), list.edges, n, segment, place.data());
  gather(list.start.data(), place.data(), list.edges, arranged.start.data());
  gather(list.end.data(), place.data(), list.edges, arranged.end.data());
  gather(list.weight.data(), place.data(), list.edges, arranged.weight.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  arranged.edges = list.edges;
}

/// The lengths of segments to try for a graph of n vertices, because the article names none. At
/// least two segments, and not so many that each has only few edges.
inline std::vector<int> segments_to_try(int n) {
  std::vector<int> lengths;
  for (int length = 1 << 8; length <= n / 2; length *= 4)
    if (n / length <= 1 << 12) lengths.push_back(length);
  if (n >= 16 && (lengths.empty() || lengths.back() < n / 2)) lengths.push_back(n / 2);
  return lengths;
}

}  // namespace figures
