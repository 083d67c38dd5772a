#include <cstdint>
#include <limits>
#include <string>

#include "commands.hpp"
#include "facts.hpp"
#include "formats.hpp"
#include "graphs.hpp"
#include "key_files.hpp"
#include "names.hpp"

namespace datasets {
namespace {

constexpr std::uint64_t kAnySeed = std::numeric_limits<std::uint64_t>::max();
constexpr int kLargestScale = 30;
constexpr std::int64_t kMostKeys = std::int64_t{1} << 24;  // whole numbers up to it are floats

/// `--scale S` is 2^S vertices, `--vertices N` is N.
int vertices(Options& options) {
  const int scale = options.number("--scale", -1, 0, kLargestScale);
  const int count = options.number("--vertices", -1, 0, std::numeric_limits<int>::max() - 1);
  if ((scale < 0) == (count < 0)) throw InputError("give either --scale S or --vertices N.");
  return scale >= 0 ? 1 << scale : count;
}

bool draws_edges(GraphKind kind) {
  return kind == GraphKind::rmat || kind == GraphKind::uniform || kind == GraphKind::disconnected;
}

GraphRecipe recipe_from(const std::string& kind, Options& options) {
  GraphRecipe recipe;
  recipe.kind = named(kGraphKinds, kind, "the kind");
  recipe.vertices = vertices(options);
  recipe.seed = options.number("--seed", std::uint64_t{1}, std::uint64_t{0}, kAnySeed);
  if (recipe.kind == GraphKind::road) recipe.weights = WeightKind::lengths;
  if (const auto weights = options.text("--weights"))
    recipe.weights = named(kWeightKinds, *weights, "the kind of weights");
  recipe.directed = options.flag("--directed");
  recipe.scrambled = options.flag("--scrambled");
  if (draws_edges(recipe.kind)) {
    recipe.degree = options.number("--degree", 16.0, 0.0, 1e9);
    recipe.self_loops = recipe.parallel_edges = !options.flag("--simple");
  }
  if (recipe.kind == GraphKind::rmat) {
    recipe.rmat.a = options.number("--a", recipe.rmat.a, 0.0, 1.0);
    recipe.rmat.b = options.number("--b", recipe.rmat.b, 0.0, 1.0);
    recipe.rmat.c = options.number("--c", recipe.rmat.c, 0.0, 1.0);
  }
  return recipe;
}

void make_keys_file(Options& options) {
  const KeyShape shape =
      named(kKeyShapes, options.text("--shape").value_or("uniform"), "the shape");
  const auto count = options.number("--count", std::int64_t{-1}, std::int64_t{0}, kMostKeys);
  if (count < 0) throw InputError("--count is missing: how many keys?");
  const auto seed = options.number("--seed", std::uint64_t{1}, std::uint64_t{0}, kAnySeed);
  const std::string path = options.required("--out");
  const bool force = options.flag("--force");
  options.finish();
  write_keys(make_keys(shape, static_cast<std::size_t>(count), seed), path, force);
  fact("keys", count);
}

}  // namespace

void make(Options& options) {
  if (options.words().size() != 2) throw InputError("say what to make: make KIND --out FILE.");
  const std::string& kind = options.words()[1];
  if (kind == "keys") return make_keys_file(options);
  const GraphRecipe recipe = recipe_from(kind, options);
  const std::string path = options.required("--out");
  const bool force = options.flag("--force");
  options.finish();
  check_target(path, force);  // before the work, not afterwards
  const CsrGraph<double> graph = make_graph<double>(recipe);
  note(what_is_lost(graph, path));
  write_graph(graph, path, force);
  fact("vertices", graph.vertices());
  fact("arcs", graph.arcs());
}

}  // namespace datasets
