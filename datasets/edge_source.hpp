// The edges of a recipe. An edge and its weight depend only on the recipe and the edge's number. So
// any number of threads, on a CPU or a GPU, make the same graph.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "counter_random.hpp"
#include "graph_recipe.hpp"
#include "rmat.hpp"

namespace datasets {

/// Weight number i of a kind. The kind `lengths` needs coordinates, so it is not drawn here.
DATASETS_HOST_DEVICE inline float drawn_weight(WeightKind kind, RandomStream random,
                                               std::uint64_t i) {
  switch (kind) {
    case WeightKind::integers:
      return static_cast<float>(1 + random.below(i, 255));
    case WeightKind::reals:  // 24 bits, plus one: exact in a float
      return static_cast<float>((random.at(i) >> 40) + 1) / 16777216.0f;
    case WeightKind::zeros_mixed: {
      const std::uint32_t draw = random.below(i, 4 * 255);
      return draw % 4 == 0 ? 0.0f : static_cast<float>(1 + draw / 4);
    }
    case WeightKind::unit:
    case WeightKind::lengths:
      break;
  }
  return 1;
}

/// The edges of a recipe by number; some may be missing. Plain data, so that GPUs can use it too.
class EdgeSource {
 public:
  /// Throws std::invalid_argument, with a sentence, for a recipe that describes no graph.
  explicit EdgeSource(const GraphRecipe& recipe);

  int vertices() const { return vertices_; }
  /// Edge numbers are 0 .. slots() - 1.
  DATASETS_HOST_DEVICE std::int64_t slots() const { return slots_; }

  /// Edge number i, or Edge{} if there is none. Without `directed` it goes in both directions.
  DATASETS_HOST_DEVICE Edge edge(std::int64_t i) const {
    const Edge unnamed = plain_edge(static_cast<std::uint64_t>(i));
    if (unnamed.from < 0 || (unnamed.from == unnamed.to && !self_loops_)) return {};
    if (!scrambled_) return unnamed;
    return {scramble_(unnamed.from), scramble_(unnamed.to)};
  }

  /// The weight of edge number i.
  DATASETS_HOST_DEVICE float weight(std::int64_t i) const {
    const std::uint64_t number = static_cast<std::uint64_t>(i);
    return weights_ == WeightKind::lengths ? length(plain_edge(number))
                                           : drawn_weight(weights_, weight_draws_, number);
  }

 private:
  static constexpr int kCell = 100;   // a road's grid points are this far apart
  static constexpr int kJitter = 45;  // a vertex is at most this far from its point, in x and in y

  DATASETS_HOST_DEVICE Edge plain_edge(std::uint64_t i) const {
    const std::uint64_t n = static_cast<std::uint64_t>(vertices_);
    switch (kind_) {
      case GraphKind::rmat:
        return rmat_edge(i, scale_, rmat_, edge_draws_);
      case GraphKind::uniform:
        return drawn(i, 0, vertices_);
      case GraphKind::grid:
        return grid_edge(i / 2, static_cast<int>(i % 2));
      case GraphKind::road:
        return road_edge(i);
      case GraphKind::chain:
        return made(i, i + 1);
      case GraphKind::star:
        return made(0, i + 1);
      case GraphKind::complete:
        if (i / n == i % n || (!directed_ && i / n > i % n)) return {};
        return made(i / n, i % n);
      case GraphKind::disconnected: {
        const int part = vertices_ / 4 > 0 ? vertices_ / 4 : 1;
        const int first = static_cast<int>(i % 3) * part;
        return first + part <= vertices_ ? drawn(i, first, part) : Edge{};
      }
      case GraphKind::no_edges:
        return {};
    }
    return {};
  }

  DATASETS_HOST_DEVICE static Edge made(std::uint64_t from, std::uint64_t to) {
    return {static_cast<int>(from), static_cast<int>(to)};
  }
  DATASETS_HOST_DEVICE Edge drawn(std::uint64_t i, int first, int count) const {
    const std::uint32_t bound = static_cast<std::uint32_t>(count);
    return {first + static_cast<int>(edge_draws_.below(2 * i, bound)),
            first + static_cast<int>(edge_draws_.below(2 * i + 1, bound))};
  }
  /// From v to its neighbour on the right (0), below (1), below right (2) or below left (3).
  DATASETS_HOST_DEVICE Edge grid_edge(std::uint64_t v, int direction) const {
    const std::int64_t column = static_cast<std::int64_t>(v) % width_;
    const std::int64_t across = direction == 1 ? 0 : direction == 3 ? -1 : 1;
    const std::int64_t to = static_cast<std::int64_t>(v) + across + (direction > 0 ? width_ : 0);
    if (column + across < 0 || column + across >= width_ || to >= vertices_) return {};
    return {static_cast<int>(v), static_cast<int>(to)};
  }
  DATASETS_HOST_DEVICE Edge road_edge(std::uint64_t i) const {
    const int direction = static_cast<int>(i % 4);
    const std::uint32_t draw = edge_draws_.below(i, 8);
    const bool kept = direction < 2 ? draw >= 2 : draw == 0;
    return kept ? grid_edge(i / 4, direction) : Edge{};
  }

  DATASETS_HOST_DEVICE std::int64_t place(int v, bool across) const {
    const std::uint64_t draw = static_cast<std::uint64_t>(v) * 2 + across;
    const std::int64_t jitter =
        static_cast<std::int64_t>(weight_draws_.below(draw, 2 * kJitter + 1));
    return (across ? v % width_ : v / width_) * std::int64_t{kCell} + jitter;
  }
  /// The distance between the ends, rounded down by integer arithmetic.
  DATASETS_HOST_DEVICE float length(Edge edge) const {
    if (edge.from < 0) return 0;
    const std::int64_t x = place(edge.from, true) - place(edge.to, true);
    const std::int64_t y = place(edge.from, false) - place(edge.to, false);
    std::int64_t root = 0;
    for (std::int64_t bit = 256; bit > 0; bit /= 2)
      if ((root + bit) * (root + bit) <= x * x + y * y) root += bit;
    return static_cast<float>(root);
  }

  GraphKind kind_;
  WeightKind weights_;
  int vertices_;
  bool directed_;
  bool self_loops_;
  bool scrambled_;
  std::int64_t slots_ = 0;
  int scale_ = 0;           // rmat: the logarithm of the vertices
  std::int64_t width_ = 1;  // grid and road: vertices in a row
  RmatThresholds rmat_;
  RandomStream edge_draws_;
  RandomStream weight_draws_;
  Scramble scramble_;
};

namespace detail {

/// How many edge numbers a recipe has, before any edge is left out.
inline double slots_of(const GraphRecipe& recipe) {
  const double n = recipe.vertices;
  switch (recipe.kind) {
    case GraphKind::rmat:
    case GraphKind::uniform:
    case GraphKind::disconnected:
      return n > 0 ? std::floor(n * recipe.degree + 0.5) : 0;
    case GraphKind::grid:
      return 2 * n;
    case GraphKind::road:
      return 4 * n;
    case GraphKind::chain:
    case GraphKind::star:
      return n > 0 ? n - 1 : 0;
    case GraphKind::complete:
      return n * n;
    case GraphKind::no_edges:
      return 0;
  }
  return 0;
}

inline void require(bool holds, const std::string& sentence) {
  if (!holds) throw std::invalid_argument(sentence);
}

}  // namespace detail

inline EdgeSource::EdgeSource(const GraphRecipe& recipe)
    : kind_(recipe.kind),
      weights_(recipe.weights),
      vertices_(recipe.vertices),
      directed_(recipe.directed),
      self_loops_(recipe.self_loops),
      scrambled_(recipe.scrambled),
      rmat_(recipe.rmat),
      edge_draws_(random_stream(recipe.seed, 1)),
      weight_draws_(random_stream(recipe.seed, 2)) {
  using detail::require;
  const int n = recipe.vertices;
  require(n >= 0, "a graph cannot have " + std::to_string(n) + " vertices.");
  require(recipe.degree >= 0, "the degree must be a number that is not negative.");
  require(recipe.rmat.valid(), "RMAT's a, b and c must be at least 0, and their sum at most 1.");
  const bool lattice = kind_ == GraphKind::grid || kind_ == GraphKind::road;
  require(weights_ != WeightKind::lengths || lattice, "only a grid or a road graph has lengths.");
  const double arcs = detail::slots_of(recipe) * (directed_ ? 1 : 2);
  require(arcs <= std::numeric_limits<int>::max(),
          "that graph could have more than 2147483647 arcs: ask for fewer vertices or edges.");
  slots_ = static_cast<std::int64_t>(detail::slots_of(recipe));
  if (kind_ == GraphKind::rmat) {
    while ((std::int64_t{1} << scale_) < n) ++scale_;
    require(n == 0 || n == std::int64_t{1} << scale_,
            "an RMAT graph needs a power of two of vertices, not " + std::to_string(n) + ".");
  }
  while (width_ * width_ < n) ++width_;
  scramble_ = Scramble(static_cast<std::uint32_t>(n), random_stream(recipe.seed, 3));
}

}  // namespace datasets
