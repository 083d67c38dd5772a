// The measurements of ./lab figures sssp, at one size: article 004's four combinations of
// `restrict` and locality, the later stages of lab 05, and two CPU searches, all on the same graph
// from the same sources. Prints one JSON object. ./lab figures runs it once per size.
//
//     figures-sssp --scale S --sources K --seed N --budget MILLISECONDS [--only NAME,...]
//                  [--shape rmat|uniform|grid|road]
//
// `--only` is for the record forms: only the stages of these names are measured, with what they
// prepare, and no CPU search. Without `--shape` the graph is RMAT. On other shapes only frontier,
// delta and the CPU searches are measured: in a grid a search by sweeps takes a thousand of them.
#include "graphs.hpp"
#include "graphs_gpu.hpp"
#include "program.hpp"
#include "sssp_on_cpu.hpp"

namespace figures {
namespace {

constexpr std::size_t kBytesPerArc = 48;  // of device memory, at the peak

/// The shapes other than rmat have their vertices in the order in which they are made. Throws
/// BadOption.
datasets::GraphRecipe recipe_of(const std::string& shape, int scale, std::uint64_t seed) {
  using enum datasets::GraphKind;
  datasets::GraphRecipe recipe = datasets::rmat_recipe(scale, seed);
  if (shape == "rmat") return recipe;
  recipe.scrambled = false;
  if (shape == "uniform") {
    recipe.kind = uniform;
  } else if (shape == "grid") {
    recipe.kind = grid;
    recipe.weights = datasets::WeightKind::integers;
  } else if (shape == "road") {
    recipe.kind = road;
    recipe.weights = datasets::WeightKind::lengths;
  } else {
    throw datasets::BadOption("--shape is rmat, uniform, grid or road, not '" + shape + "'.");
  }
  return recipe;
}

CsrGraph<float> make_graph(const datasets::GraphRecipe& recipe, [[maybe_unused]] int scale) {
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

/// Vertices of the component of the largest hub: a search from elsewhere would end at once.
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
      .raw("sources", warpwise::json_list(sources, whole))
      .raw("methods", warpwise::json_list(measured.methods, json_series))
      .raw("preparations", warpwise::json_list(measured.preparations, json_series))
      .raw("segments", segments.str())
      .raw("cpu", cpu.str())
      .str();
}

std::string measure(Options& options) {
  const int scale = options.required_number("--scale", 4, 26);
  const int count = options.required_number("--sources", 1, 1024);
  const std::uint64_t seed = seed_of(options);
  const double budget = seconds_of(options);
  const std::set<std::string> only = options.list("--only");
  const std::string shape = options.text("--shape").value_or("rmat");
  const bool rmat = shape == "rmat";
  const std::set<std::string> few = {"frontier", "delta"};
  const std::set<std::string>& stages = only.empty() && !rmat ? few : only;
  const CsrGraph<float> graph = make_graph(recipe_of(shape, scale, seed), scale);
  Measured measured;
  std::vector<int> sources;
  {
    const GraphOnDevice<float> on_device(graph);
    sources = draw_sources(graph, on_device.view(), count, seed);
    measure_floats(graph, on_device.view(), sources, budget, stages, measured);
    if (only.empty()) measure_cpu(graph, on_device.view(), sources, budget, measured);
  }
  if (stages.empty()) measure_doubles(graph, sources, budget / 4, measured);
  return report(graph, sources, measured);
}

}  // namespace
}  // namespace figures

int main(int argc, char** argv) { return figures::run_program(argc, argv, figures::measure); }
