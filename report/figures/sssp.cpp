// The measurements behind ./lab figures sssp, at one size: article 004's four combinations of
// `restrict` and locality, the later stages of lab 05, and two CPU searches, on the same RMAT graph
// from the same sources. Prints one JSON object. ./lab figures runs it once for every size.
//
//     figures-sssp --scale S --sources K --seed N --budget MILLISECONDS
//
// Exit status: 0 measured, 1 a search is wrong, 2 usage, 3 the device failed, 4 too little memory.
#include <cstdio>
#include <memory>

#include "delta_stepping.hpp"
#include "graphs.hpp"
#include "graphs_gpu.hpp"
#include "options.hpp"
#include "oracle.hpp"
#include "sssp_search.hpp"

namespace figures {
namespace {

constexpr std::size_t kBytesPerArc = 48;  // of device memory at the worst moment
constexpr int kPilotSources = 3;          // searches that choose a segment's length

struct TooLittleMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Measured {
  std::vector<Series> methods, preparations, segments;
  std::vector<int> segment_lengths;
  int segment = 0;  // the length that was chosen
  double bin_width = 0;  // of delta-stepping on the CPU
  int threads = 0;
};

CsrGraph<float> make_graph(int scale, std::uint64_t seed) {
  const datasets::GraphRecipe recipe = datasets::rmat_recipe(scale, seed);
#ifdef WARPWISE_GPU
  std::size_t free = 0, all = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &all));
  const std::size_t needed = (std::size_t{32} << scale) * kBytesPerArc;
  if (needed > free)
    throw TooLittleMemory("2^" + std::to_string(scale) + " vertices need " +
                          std::to_string(needed >> 20) + " MiB of device memory; " +
                          std::to_string(free >> 20) + " are free");
  return datasets::make_graph_on_gpu<float>(recipe);
#else
  return datasets::make_graph<float>(recipe);
#endif
}

/// Vertices of the part that the largest hub is in: a search from elsewhere would be over at once.
std::vector<int> draw_sources(const CsrGraph<float>& graph, const DeviceCsr<float>& device,
                              int count, std::uint64_t seed) {
  int hub = 0;
  const auto degree = [&](int v) { return graph.offsets[v + 1] - graph.offsets[v]; };
  for (int v = 1; v < graph.vertices(); ++v)
    if (degree(v) > degree(hub)) hub = v;
  DeviceBuffer<float> dist(graph.vertices());
  sssp::frontier(device.offsets, device.targets, device.weights, device.n, device.arcs, hub,
                 dist.data());
  if (!prove_distances<float>(device, hub, dist.data()).right)
    throw WrongAnswer("frontier finds wrong distances from vertex " + std::to_string(hub));
  std::vector<float> from_hub(graph.vertices());
  dist.copy_to(from_hub);
  const datasets::RandomStream random = datasets::random_stream(seed, 5);
  std::vector<int> sources;
  for (std::uint64_t i = 0; std::ssize(sources) < count; ++i) {
    const int v = static_cast<int>(random.below(i, graph.vertices()));
    if (!std::isinf(from_hub[v])) sources.push_back(v);
  }
  return sources;
}

void append(std::vector<Series>& all, std::vector<Series> more) {
  for (Series& series : more) all.push_back(std::move(series));
}

/// The same list, arranged by the length of segments that is fastest from a few sources.
void choose_segments(Clock& clock, const DeviceCsr<float>& graph, const EdgesOnDevice<float>& list,
                     const std::vector<int>& sources, double budget, EdgesOnDevice<float>& arranged,
                     Measured& measured) {
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
  if (measured.segment == 0) measured.segment = graph.n;  // too small a graph to have a choice
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

/// Lab 05's own arrangement, whose segments live in shared memory, and its search.
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

void measure_floats(const CsrGraph<float>& host, const DeviceCsr<float>& graph,
                    const std::vector<int>& sources, double budget, Measured& measured) {
  Clock clock;
  EdgesOnDevice<float> list(host.arcs() / 2);
  list_edges(graph, list);  // loads the code
  measured.preparations.push_back(
      timed_preparation(clock, "edges", "float", [&] { list_edges(graph, list); }));
  EdgesOnDevice<float> arranged(list.edges);
  choose_segments(clock, graph, list, sources, budget, arranged, measured);

  const LabLocality locality(clock, list, graph.n, measured);
  DeviceBuffer<int> targets(graph.arcs);
  DeviceBuffer<float> weights(graph.arcs);
  measured.preparations.push_back(timed_preparation(clock, "lightest-first", "float", [&] {
    sssp::lightest_first(graph.offsets, graph.targets, graph.weights, graph.n, graph.arcs,
                         targets.data(), weights.data());
  }));
  const DeviceCsr<float> sorted = {graph.offsets, targets.data(), weights.data(), graph.n,
                                   graph.arcs};
  std::vector<Method<float>> methods = article_methods(list, arranged, graph.n);
  methods.push_back(locality.method(graph.n));
  methods.push_back(along("atomic", sssp::atomic, list, graph.n));
  methods.push_back(inside("frontier", sssp::frontier, graph));
  methods.push_back(inside("delta", sssp::delta, sorted));
  append(measured.methods, search_in_turns(graph, methods, sources, budget));
}

void measure_doubles(const CsrGraph<float>& host, const std::vector<int>& sources, double budget,
                     Measured& measured) {
  const GraphOnDevice<double> on_device(host);
  const DeviceCsr<double> graph = on_device.view();
  EdgesOnDevice<double> list(host.arcs() / 2);
  list_edges(graph, list);
  EdgesOnDevice<double> arranged(list.edges);
  arrange_by_segments(list, graph.n, measured.segment, arranged);
  append(measured.methods, search_in_turns(graph, article_methods(list, arranged, graph.n),
                                           sources, budget));
}

/// A search on the CPU from one source after another; the device proves the answers.
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

void measure_cpu(const CsrGraph<float>& host, const DeviceCsr<float>& graph,
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
  for (const float width : {1 / 4.0f, 1 / 8.0f, 1 / 16.0f, 1 / 32.0f, 1 / 64.0f}) {
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

std::string report(const CsrGraph<float>& graph, const std::vector<int>& sources,
                   const Measured& measured) {
  const auto whole = [](int value) { return std::to_string(value); };
  warpwise::JsonObject segments;
  segments.integer("chosen", measured.segment)
      .raw("lengths", warpwise::json_list(measured.segment_lengths, whole))
      .raw("tried", warpwise::json_list(measured.segments, json_series));
  warpwise::JsonObject cpu;
  cpu.integer("threads", measured.threads).number("bin_width", measured.bin_width);
  return warpwise::JsonObject()
      .integer("n", graph.vertices())
      .integer("arcs", graph.arcs())
      .text("backend", kBackend)
      .text("clock", kClock)
      .number("copy_bytes_per_second", warpwise::best_copy_rate())
      .raw("sources", warpwise::json_list(sources, whole))
      .raw("methods", warpwise::json_list(measured.methods, json_series))
      .raw("preparations", warpwise::json_list(measured.preparations, json_series))
      .raw("segments", segments.str())
      .raw("cpu", cpu.str())
      .str();
}

std::string measure(const Options& options) {
  const int scale = static_cast<int>(options.number("scale", 4, 26));
  const int count = static_cast<int>(options.number("sources", 1, 1024));
  const std::uint64_t seed = options.number("seed", 0, INT64_MAX);
  const double budget = static_cast<double>(options.number("budget", 1, 3600000)) / 1e3;
  const CsrGraph<float> graph = make_graph(scale, seed);
  Measured measured;
  std::vector<int> sources;
  {
    const GraphOnDevice<float> on_device(graph);
    sources = draw_sources(graph, on_device.view(), count, seed);
    measure_floats(graph, on_device.view(), sources, budget, measured);
    measure_cpu(graph, on_device.view(), sources, budget, measured);
  }
  measure_doubles(graph, sources, budget / 4, measured);  // the figure's small lines
  return report(graph, sources, measured);
}

}  // namespace
}  // namespace figures

int main(int argc, char** argv) {
  try {
    std::puts(figures::measure(figures::Options(argc, argv)).c_str());
    return 0;
  } catch (const figures::WrongAnswer& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  } catch (const figures::TooLittleMemory& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 4;
  } catch (const std::logic_error& error) {  // std::invalid_argument, std::out_of_range
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
