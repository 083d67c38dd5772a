#pragma once

#include "options.hpp"

namespace datasets {

/// make KIND --out FILE ...: generates a graph, or for the kind `keys` an array of keys.
void make(Options& options);
/// info FILE: prints facts.
void info(Options& options);
/// convert FROM TO: prints facts about the graph.
void convert(Options& options);

}  // namespace datasets
