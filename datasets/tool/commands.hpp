#pragma once

#include "options.hpp"

namespace datasets {

/// make KIND --out FILE ...: a generated graph, or with the kind `keys` an array of keys.
void make(Options& options);
/// info FILE: prints facts.
void info(Options& options);
/// convert FROM TO: prints facts of the graph.
void convert(Options& options);

}  // namespace datasets
