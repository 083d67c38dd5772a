// The measurements of shortest paths on the CPU: Dijkstra on one core, delta-stepping on all cores.
#pragma once

#include "delta_stepping.hpp"
#include "oracle.hpp"
#include "sssp_on_gpu.hpp"

namespace figures {

/// Searches on the CPU from one source after another; the device proves the answers.
template <typename Search>
void measure_on_cpu(const char* name, const DeviceCsr<float>& graph,
                    const std::vector<int>& sources, double budget, const Search& search,
                    Measured& measured) {
  Series series{name, "float", {}, {}};
  for (const int source : sources) {
    if (has_enough(series, budget)) break;
    const std::vector<float>* dist = nullptr;
    series.seconds.push_back(host_seconds([&] { dist = &search(source); }));
    const DeviceBuffer<float> uploaded{std::span<const float>(*dist)};
    if (!prove_distances<float>(graph, source, uploaded.data()).right)
      throw WrongAnswer(std::string(name) + " finds wrong distances from vertex " +
                        std::to_string(source));
  }
  measured.methods.push_back(series);
}

inline void measure_cpu(const CsrGraph<float>& host, const DeviceCsr<float>& graph,
                 const std::vector<int>& sources, double budget, Measured& measured) {
  std::vector<float> dist;
  measure_on_cpu("dijkstra", graph, sources, budget,
                 [&](int source) -> const std::vector<float>& {
                   return dist = sssp::oracle::dijkstra(host, source);
                 },
                 measured);
  DeltaStepping<float> team(host);
  measured.threads = team.threads();
  double best = 0;
  for (const float width : {1 / 8.0f, 1 / 16.0f, 1 / 32.0f, 1 / 64.0f}) {
    const double seconds = host_seconds([&] { team.distances(sources[0], width); });
    if (measured.bin_width == 0 || seconds < best) {
      best = seconds;
      measured.bin_width = width;
    }
  }
  measure_on_cpu("cpu delta-stepping", graph, sources, budget,
                 [&](int source) -> const std::vector<float>& {
                   return team.distances(source, static_cast<float>(measured.bin_width));
                 },
                 measured);
}

}  // namespace figures
