// The measurements of lab 05 on the device: article 004's four combinations, the choice of their
// segments, the later stages, and every preparation.
#pragma once

#include <set>
#include <string>

#include "sssp_search.hpp"

namespace figures {

constexpr int kPilotSources = 3;  // searches that choose a segment's length

struct Measured {
  std::vector<Series> methods, preparations, segments;
  std::vector<int> segment_lengths;
  int segment = 0;  // the length that was chosen
  double bin_width = 0;  // of delta-stepping on the CPU
  int threads = 0;
};

inline void append(std::vector<Series>& all, std::vector<Series> more) {
  for (Series& series : more) all.push_back(std::move(series));
}

/// Arranges the list by the length of segments that is fastest from a few sources.
inline void choose_segments(Clock& clock, const DeviceCsr<float>& graph,
                            const EdgesOnDevice<float>& list, const std::vector<int>& sources,
                            double budget, EdgesOnDevice<float>& arranged, Measured& measured) {
  const std::vector<int> few(sources.begin(),
                             sources.begin() + std::min<std::ptrdiff_t>(kPilotSources,
                                                                        std::ssize(sources)));
  double best = 0;
  for (const int length : segments_to_try(graph.n)) {
    arrange_by_segments(list, graph.n, length, arranged);
    measured.segments.push_back(
        search_in_turns<float>(graph, {along("locality", sssp::relax, arranged, graph.n)}, few,
                               budget)[0]);
    measured.segment_lengths.push_back(length);
    const double mean = measured.segments.back().spent() /
                        static_cast<double>(measured.segments.back().seconds.size());
    if (measured.segment == 0 || mean < best) {
      best = mean;
      measured.segment = length;
    }
  }
  if (measured.segment == 0) measured.segment = graph.n;  // the graph is too small for a choice
  measured.preparations.push_back(timed_preparation(clock, "segments", "float", [&] {
    arrange_by_segments(list, graph.n, measured.segment, arranged);
  }));
}

/// The article's four combinations.
template <typename Weight>
std::vector<Method<Weight>> article_methods(const EdgesOnDevice<Weight>& list,
                                            const EdgesOnDevice<Weight>& arranged, int n) {
  return {along("neither", Lab<Weight>::relax, list, n),
          along("restrict", Lab<Weight>::restrict, list, n),
          along("locality", Lab<Weight>::relax, arranged, n),
          along("both", Lab<Weight>::restrict, arranged, n)};
}

/// Lab 05's own arrangement, with its segments in shared memory, and its search.
struct LabLocality {
  LabLocality(Clock& clock, const EdgesOnDevice<float>& list, int n, Measured& measured)
      : label(n), arranged(list.edges), labels(n) {
    const int segment = sssp::segment(n);
    measured.preparations.push_back(timed_preparation(clock, "arrange", "float", [&] {
      sssp::arrange(list.start.data(), list.end.data(), list.weight.data(), list.edges, n, segment,
                    label.data(), arranged.start.data(), arranged.end.data(),
                    arranged.weight.data());
    }));
    arranged.edges = list.edges;
    label.copy_to(labels);
  }
  Method<float> method(int n) const {
    Method<float> plain = along("stage locality", sssp::locality, arranged, n);
    return {plain.name,
            [this, search = plain.search](int source, float* dist) {
              return search(labels[source], dist);
            },
            label.data()};
  }
  DeviceBuffer<int> label;
  EdgesOnDevice<float> arranged;
  std::vector<int> labels;
};

/// The stages that the names ask for; all of them, and the article's combinations, without a name.
inline void measure_floats(const CsrGraph<float>& host, const DeviceCsr<float>& graph,
                           const std::vector<int>& sources, double budget,
                           const std::set<std::string>& only, Measured& measured) {
  Clock clock;
  const auto prepared = [&](const char* name, const auto& make) {
    measured.preparations.push_back(timed_preparation(clock, name, "float", make));
  };
  EdgesOnDevice<float> list(host.arcs() / 2);
  list_edges(graph, list);  // loads the code
  prepared("edges", [&] { list_edges(graph, list); });
  EdgesOnDevice<float> arranged(only.empty() ? list.edges : 0);
  std::vector<Method<float>> methods;
  if (only.empty()) {
    choose_segments(clock, graph, list, sources, budget, arranged, measured);
    methods = article_methods(list, arranged, graph.n);
  }
  const LabLocality locality(clock, list, graph.n, measured);
  DeviceBuffer<int> targets(graph.arcs);
  DeviceBuffer<float> weights(graph.arcs);
  prepared("lightest-first", [&] {
    sssp::lightest_first(graph.offsets, graph.targets, graph.weights, graph.n, graph.arcs,
                         targets.data(), weights.data());
  });
  const DeviceCsr<float> sorted = {graph.offsets, targets.data(), weights.data(), graph.n,
                                   graph.arcs};
  methods.push_back(locality.method(graph.n));
  methods.push_back(along("atomic", sssp::atomic, list, graph.n));
  methods.push_back(inside("frontier", sssp::frontier, graph));
  methods.push_back(inside("delta", sssp::delta, sorted));
  std::erase_if(methods, [&](const Method<float>& method) {
    return !only.empty() && !only.contains(method.name);
  });
  append(measured.methods, search_in_turns(graph, methods, sources, budget));
}

inline void measure_doubles(const CsrGraph<float>& host, const std::vector<int>& sources,
                            double budget, Measured& measured) {
  const GraphOnDevice<double> on_device(host);
  const DeviceCsr<double> graph = on_device.view();
  EdgesOnDevice<double> list(host.arcs() / 2);
  list_edges(graph, list);
  EdgesOnDevice<double> arranged(list.edges);
  arrange_by_segments(list, graph.n, measured.segment, arranged);
  append(measured.methods, search_in_turns(graph, article_methods(list, arranged, graph.n),
                                           sources, budget));
}

}  // namespace figures
