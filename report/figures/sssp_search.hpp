// Searches in turns: each method searches once from every source, and every answer is proved.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "program.hpp"
#include "sssp_graph.hpp"

namespace figures {

template <typename Weight>
struct Method {
  std::string name;
  std::function<int(int source, Weight* dist)> search;  // returns its rounds
  const int* label = nullptr;  // device pointer; dist holds vertex v at label[v]; null: at v
};

/// Runs the methods from one source after another. Each turn begins with another method, so that
/// none is always first. The first answer from a source is proved; the others must equal it to the
/// bit, because there is only one answer. A method that has used `budget` seconds is left out from
/// then on.
template <typename Weight>
std::vector<Series> search_in_turns(const DeviceCsr<Weight>& graph,
                                    const std::vector<Method<Weight>>& methods,
                                    const std::vector<int>& sources, double budget) {
  Clock clock;
  DeviceBuffer<Weight> dist(graph.n), placed(graph.n), right(graph.n);
  std::vector<Series> series;
  for (const auto& method : methods) {
    series.push_back({method.name, Lab<Weight>::kKind, {}, {}});
    method.search(sources.front(), dist.data());  // loads the code, fills the memory pool
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    bool proved = false;
    for (std::size_t k = 0; k < methods.size(); ++k) {
      const std::size_t which = (i + k) % methods.size();
      const Method<Weight>& method = methods[which];
      if (has_enough(series[which], budget)) continue;
      CUDA_CHECK(cudaMemset(dist.data(), 0xFF, graph.n * sizeof(Weight)));  // NaN
      int rounds = 0;
      series[which].seconds.push_back(
          clock.seconds([&] { rounds = method.search(sources[i], dist.data()); }));
      series[which].rounds.push_back(rounds);
      Weight* answer = dist.data();
      if (method.label) {
        gather(dist.data(), method.label, graph.n, placed.data());
        answer = placed.data();
      }
      const bool good =
          proved ? count_differences(answer, right.data(), graph.n) == 0
                 : prove_distances(graph, sources[i], static_cast<const Weight*>(answer)).right;
      if (!good)
        throw WrongAnswer(method.name + " finds wrong distances from vertex " +
                          std::to_string(sources[i]) + " of 2^" +
                          std::to_string(std::bit_width(static_cast<unsigned>(graph.n)) - 1) +
                          "; ./lab check 05-sssp says what is wrong");
      if (!proved)
        CUDA_CHECK(cudaMemcpy(right.data(), answer, graph.n * sizeof(Weight),
                              cudaMemcpyDeviceToDevice));
      proved = true;
    }
  }
  return series;
}

/// A search along a list of edges.
template <typename Weight, typename Search>
Method<Weight> along(const char* name, Search search, const EdgesOnDevice<Weight>& list, int n) {
  return {name, [search, &list, n](int source, Weight* dist) {
            return search(list.start.data(), list.end.data(), list.weight.data(), list.edges, n,
                          source, dist);
          }};
}

/// A search in a CSR.
template <typename Weight, typename Search>
Method<Weight> inside(const char* name, Search search, const DeviceCsr<Weight>& graph) {
  return {name, [search, graph](int source, Weight* dist) {
            return search(graph.offsets, graph.targets, graph.weights, graph.n, graph.arcs, source,
                          dist);
          }};
}

}  // namespace figures
