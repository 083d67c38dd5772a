// The command line's words for kinds of graphs, weights and keys.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "errors.hpp"
#include "graph_recipe.hpp"
#include "keys.hpp"

namespace datasets {

template <typename Kind, std::size_t n>
using Names = std::array<std::pair<std::string_view, Kind>, n>;

inline constexpr Names<GraphKind, 9> kGraphKinds = {{
    {"rmat", GraphKind::rmat},
    {"uniform", GraphKind::uniform},
    {"grid", GraphKind::grid},
    {"road", GraphKind::road},
    {"chain", GraphKind::chain},
    {"star", GraphKind::star},
    {"complete", GraphKind::complete},
    {"disconnected", GraphKind::disconnected},
    {"no-edges", GraphKind::no_edges},
}};

inline constexpr Names<WeightKind, 5> kWeightKinds = {{
    {"unit", WeightKind::unit},
    {"integers", WeightKind::integers},
    {"reals", WeightKind::reals},
    {"zeros", WeightKind::zeros_mixed},
    {"lengths", WeightKind::lengths},
}};

inline constexpr Names<KeyShape, 15> kKeyShapes = {{
    {"uniform", KeyShape::uniform},
    {"shuffled", KeyShape::shuffled},
    {"sorted", KeyShape::sorted},
    {"reversed", KeyShape::reversed},
    {"nearly-sorted", KeyShape::nearly_sorted},
    {"all-equal", KeyShape::all_equal},
    {"few-keys", KeyShape::few_keys},
    {"zipf", KeyShape::zipf},
    {"organ-pipe", KeyShape::organ_pipe},
    {"runs", KeyShape::runs},
    {"stretches", KeyShape::stretches},
    {"two-keys", KeyShape::two_keys},
    {"not-negative", KeyShape::not_negative},
    {"extremes", KeyShape::extremes},
    {"nan", KeyShape::with_nan},
}};

/// The kind that a word stands for. For an unknown word throws InputError, which lists all words.
template <typename Kind, std::size_t n>
Kind named(const Names<Kind, n>& names, const std::string& word, const std::string& what) {
  std::string known;
  for (const auto& [name, kind] : names) {
    if (name == word) return kind;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw InputError(what + " " + word + " is unknown; choose from " + known + ".");
}

}  // namespace datasets
