// All graphs; the nodes of one and what they depend on.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "streams/capture.hpp"
#include "streams/registry.hpp"

namespace cuda_on_cpu {

inline Registry<CUgraph_st> &graphs() { return Registry<CUgraph_st>::instance(); }

bool has(const CUgraph_st &graph, const CUgraphNode_st *node);

// The nodes and all that they depend on.
std::set<const CUgraphNode_st *> ancestors(const std::vector<CUgraphNode_st *> &nodes);

// In the order in which they were added, as far as their dependencies allow it. Those of a circle
// are left out.
std::vector<std::shared_ptr<CUgraphNode_st>> in_order(const CUgraph_st &graph);

}  // namespace cuda_on_cpu
