// The same distances from every search of lab 05's reference. All searches must agree.
//
//     distances_of_reference GRAPH GRAPH.wsg OUT SOURCES
//
// GRAPH is a file that datasets/ can read, rmat:SCALE or grid:VERTICES (whole weights, 1 to 255).
// Writes the graph to GRAPH.wsg and the distances from SOURCES vertices to OUT, and prints the
// numbers of these vertices.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "device_buffer.hpp"
#include "formats.hpp"
#include "graphs.hpp"
#include "sssp.hpp"

namespace {

using datasets::CsrGraph;
using kit::DeviceBuffer;
using Distances = std::vector<float>;

CsrGraph<double> graph_of(const std::string& name) {
  using namespace datasets;
  if (name.starts_with("rmat:"))
    return make_graph<double>(rmat_recipe(std::stoi(name.substr(5)), 1, WeightKind::integers));
  if (name.starts_with("grid:"))
    return make_graph<double>(
        GraphRecipe{.kind = GraphKind::grid, .vertices = std::stoi(name.substr(5))});
  return read_graph(name).graph;
}

template <typename T>
DeviceBuffer<T> on_device(const std::vector<T>& values) {
  return DeviceBuffer<T>(std::span<const T>(values));
}

/// A graph prepared for every search.
class Prepared {
 public:
  explicit Prepared(const CsrGraph<float>& graph)
      : n_(graph.vertices()),
        arcs_(graph.arcs()),
        offsets_(on_device(graph.offsets)),
        targets_(on_device(graph.targets)),
        weights_(on_device(graph.weights)),
        start_(arcs_),
        end_(arcs_),
        weight_(arcs_),
        label_(n_),
        arranged_start_(arcs_),
        arranged_end_(arcs_),
        arranged_weight_(arcs_),
        sorted_targets_(arcs_),
        sorted_weights_(arcs_),
        dist_(n_),
        labels_(n_) {
    edges_ = sssp::edges(offsets_.data(), targets_.data(), weights_.data(), n_, arcs_,
                         start_.data(), end_.data(), weight_.data());
    sssp::arrange(start_.data(), end_.data(), weight_.data(), edges_, n_, sssp::segment(n_),
                  label_.data(), arranged_start_.data(), arranged_end_.data(),
                  arranged_weight_.data());
    sssp::lightest_first(offsets_.data(), targets_.data(), weights_.data(), n_, arcs_,
                         sorted_targets_.data(), sorted_weights_.data());
    label_.copy_to(labels_);
  }

  /// The distances on which all searches agree; ends the program if two of them differ.
  Distances search(int source) {
    const Distances first = by_sweeps(sssp::relax, source);
    agree(first, by_sweeps(sssp::restrict, source), "restrict");
    agree(first, by_sweeps(sssp::atomic, source), "atomic");
    agree(first, by_segments(source), "locality");
    sssp::frontier(offsets_.data(), targets_.data(), weights_.data(), n_, arcs_, source,
                   dist_.data());
    agree(first, fetched(), "frontier");
    sssp::delta(offsets_.data(), sorted_targets_.data(), sorted_weights_.data(), n_, arcs_, source,
                dist_.data());
    agree(first, fetched(), "delta");
    return first;
  }

 private:
  Distances fetched() const {
    Distances dist(n_);
    dist_.copy_to(dist);
    return dist;
  }
  template <typename Search>
  Distances by_sweeps(Search search, int source) {
    search(start_.data(), end_.data(), weight_.data(), edges_, n_, source, dist_.data());
    return fetched();
  }
  Distances by_segments(int source) {
    sssp::locality(arranged_start_.data(), arranged_end_.data(), arranged_weight_.data(), edges_,
                   n_, labels_[source], dist_.data());
    const Distances dist = fetched();
    Distances placed;
    for (const int v : labels_) placed.push_back(dist[v]);
    return placed;
  }
  static void agree(const Distances& first, const Distances& other, const char* search) {
    if (first == other) return;
    std::fprintf(stderr, "relax and %s differ\n", search);
    std::exit(1);
  }

  int n_, arcs_, edges_ = 0;
  DeviceBuffer<int> offsets_, targets_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<int> start_, end_;
  DeviceBuffer<float> weight_;
  DeviceBuffer<int> label_, arranged_start_, arranged_end_;
  DeviceBuffer<float> arranged_weight_;
  DeviceBuffer<int> sorted_targets_;
  DeviceBuffer<float> sorted_weights_, dist_;
  std::vector<int> labels_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const CsrGraph<double> exact = graph_of(argv[1]);
  datasets::write_graph(exact, argv[2], true);
  const CsrGraph<float> graph{
      exact.offsets, exact.targets, {exact.weights.begin(), exact.weights.end()}};
  std::fprintf(stderr, "%d vertices, %d arcs\n", graph.vertices(), graph.arcs());
  Prepared prepared(graph);
  std::ofstream out(argv[3], std::ios::binary);
  int source = 0;
  for (int i = 0; i < std::atoi(argv[4]); ++i, source += graph.vertices() / 7 + 1) {
    while (graph.offsets[source % graph.vertices()] == graph.offsets[source % graph.vertices() + 1])
      ++source;
    std::printf("%d ", source % graph.vertices());
    for (const float d : prepared.search(source % graph.vertices())) {
      const std::int32_t written = d == INFINITY ? -1 : static_cast<std::int32_t>(d);
      out.write(reinterpret_cast<const char*>(&written), sizeof written);
    }
  }
  return out.flush() ? 0 : 3;
}
