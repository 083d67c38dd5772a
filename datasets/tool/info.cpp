#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "commands.hpp"
#include "facts.hpp"
#include "formats.hpp"
#include "graph_info.hpp"
#include "key_files.hpp"
#include "names.hpp"

namespace datasets {
namespace {

void print_keys(const std::vector<float>& keys) {
  std::vector<float> ordered;
  std::ranges::copy_if(keys, std::back_inserter(ordered), [](float key) { return key == key; });
  fact("keys", keys.size());
  fact("nan", keys.size() - ordered.size());
  fact("ascending", std::ranges::is_sorted(keys));
  fact("descending", std::ranges::is_sorted(keys, std::greater<>()));
  std::ranges::sort(ordered);
  if (!ordered.empty()) fact("least", ordered.front());
  if (!ordered.empty()) fact("largest", ordered.back());
  ordered.erase(std::unique(ordered.begin(), ordered.end()), ordered.end());
  fact("distinct", ordered.size());
}

void print_graph(const GraphInfo& info, bool weighted) {
  char checksum[19];
  std::snprintf(checksum, sizeof checksum, "\"%016llx\"",
                static_cast<unsigned long long>(info.checksum));
  fact("vertices", info.vertices);
  fact("arcs", info.arcs);
  fact("undirected", info.undirected);
  fact("self_loops", info.self_loops);
  fact("parallel_arcs", info.parallel_arcs);
  fact("degree_min", info.least_degree);
  fact("degree_mean", info.mean_degree);
  fact("degree_max", info.largest_degree);
  fact("weights_in_file", weighted);
  fact("weight_min", info.least_weight);
  fact("weight_max", info.largest_weight);
  fact("whole_weights", info.whole_weights);
  fact("components", info.components);
  fact("isolated", info.isolated);
  fact("checksum", checksum);
}

ReadOptions read_options(Options& options) {
  ReadOptions read;
  read.undirected = options.flag("--undirected");
  read.seed = options.number("--seed", std::uint64_t{1}, std::uint64_t{0},
                             std::numeric_limits<std::uint64_t>::max());
  if (const auto weights = options.text("--weights"))
    read.weights = named(kWeightKinds, *weights, "the kind of weights");
  if (read.weights == WeightKind::lengths)
    throw InputError("lengths need coordinates, and a file has none; choose other weights.");
  return read;
}

}  // namespace

void info(Options& options) {
  if (options.words().size() != 2) throw InputError("give one file: info FILE.");
  const std::string& path = options.words()[1];
  const ReadOptions read = read_options(options);
  options.finish();
  if (is_key_file(path)) return print_keys(read_keys(path));
  const GraphFile file = read_graph(path, read);
  print_graph(info_of(file.graph), file.weighted);
}

void convert(Options& options) {
  if (options.words().size() != 3) throw InputError("give two files: convert FROM TO.");
  const std::string& to = options.words()[2];
  const ReadOptions read = read_options(options);
  const bool force = options.flag("--force");
  options.finish();
  check_target(to, force);  // before the work, not afterwards
  const GraphFile file = read_graph(options.words()[1], read);
  note(what_is_lost(file.graph, to));
  write_graph(file.graph, to, force);
  fact("vertices", file.graph.vertices());
  fact("arcs", file.graph.arcs());
  fact("weights_in_file", file.weighted);
}

}  // namespace datasets
