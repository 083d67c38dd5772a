#include "streams/graph_order.hpp"

#include <algorithm>

namespace cuda_on_cpu {

bool has(const CUgraph_st &graph, const CUgraphNode_st *node) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const auto &known) { return known.get() == node; });
}

std::set<const CUgraphNode_st *> ancestors(const std::vector<CUgraphNode_st *> &nodes) {
  std::set<const CUgraphNode_st *> found;
  std::vector<CUgraphNode_st *> next = nodes;
  while (!next.empty()) {
    const CUgraphNode_st *node = next.back();
    next.pop_back();
    if (found.insert(node).second) next.insert(next.end(), node->after.begin(), node->after.end());
  }
  return found;
}

std::vector<std::shared_ptr<CUgraphNode_st>> in_order(const CUgraph_st &graph) {
  std::vector<std::shared_ptr<CUgraphNode_st>> ordered;
  std::set<const CUgraphNode_st *> done;
  const auto ready = [&](const auto &node) {
    return !done.contains(node.get()) &&
           std::all_of(node->after.begin(), node->after.end(),
                       [&](const CUgraphNode_st *one) { return done.contains(one); });
  };
  for (std::size_t before = 1; ordered.size() != before;) {
    before = ordered.size();
    for (const auto &node : graph.nodes)
      if (ready(node)) ordered.push_back(node), done.insert(node.get());
  }
  return ordered;
}

}  // namespace cuda_on_cpu
