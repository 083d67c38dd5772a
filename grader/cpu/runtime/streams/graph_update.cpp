#include "streams/graph_update.hpp"

#include <set>

namespace cuda_on_cpu {
namespace {

class Comparison {
 public:
  explicit Comparison(const Nodes &given) {
    for (const auto &node : given) owner_[node.get()] = node;
  }

  // Pairs two nodes and all that they depend on. `from` is the node that depends on `given`.
  bool pair(const CUgraphNode_st *old, CUgraphNode_st *given, CUgraphNode_st *from) {
    const auto known = update.pairs.find(old);
    const bool is_known = known != update.pairs.end();
    if (is_known && known->second.get() == given) return true;
    if (is_known || !taken_.insert(given).second)
      return from ? refuse(cudaGraphExecUpdateErrorTopologyChanged, from, given)
                  : refuse(cudaGraphExecUpdateErrorTopologyChanged, given);
    if (old->type != given->type) return refuse(cudaGraphExecUpdateErrorNodeTypeChanged, given);
    if (old->memory != given->memory)
      return refuse(cudaGraphExecUpdateErrorParametersChanged, given);
    if (old->after.size() != given->after.size())
      return refuse(cudaGraphExecUpdateErrorTopologyChanged, given);
    if (old->type == cudaGraphNodeTypeGraph && !same_children(*old, *given))
      return refuse(cudaGraphExecUpdateErrorTopologyChanged, given);
    update.pairs[old] = owner_.at(given);
    for (std::size_t i = 0; i < old->after.size(); ++i)
      if (!pair(old->after[i], given->after[i], given)) return false;
    return true;
  }

  bool refuse(cudaGraphExecUpdateResult result, CUgraphNode_st *node,
              CUgraphNode_st *from = nullptr) {
    update.info = {result, node, from};
    return false;
  }

  Update update{};

 private:
  static bool same_children(const CUgraphNode_st &old, const CUgraphNode_st &given) {
    return compare(old.child, exits(old.child), given.child).info.result ==
           cudaGraphExecUpdateSuccess;
  }

  std::unordered_map<const CUgraphNode_st *, std::shared_ptr<CUgraphNode_st>> owner_;
  std::set<const CUgraphNode_st *> taken_;
};

}  // namespace

std::vector<CUgraphNode_st *> exits(const Nodes &nodes) {
  std::set<const CUgraphNode_st *> waited_for;
  for (const auto &node : nodes) waited_for.insert(node->after.begin(), node->after.end());
  std::vector<CUgraphNode_st *> found;
  for (const auto &node : nodes)
    if (!waited_for.contains(node.get())) found.push_back(node.get());
  return found;
}

Update compare(const Nodes &old, const std::vector<CUgraphNode_st *> &old_exits,
               const Nodes &given) {
  Comparison comparison(given);
  const std::vector given_exits = exits(given);
  if (old.size() != given.size()) {
    comparison.refuse(cudaGraphExecUpdateErrorTopologyChanged, nullptr);
  } else if (given_exits.size() > old_exits.size()) {
    comparison.refuse(cudaGraphExecUpdateErrorTopologyChanged, given_exits[old_exits.size()]);
  } else {
    for (std::size_t i = 0; i < given_exits.size(); ++i)
      if (!comparison.pair(old_exits[i], given_exits[i], nullptr)) return comparison.update;
    if (comparison.update.pairs.size() < given.size())  // the others make a circle
      comparison.refuse(cudaGraphExecUpdateErrorTopologyChanged, nullptr);
  }
  return comparison.update;
}

}  // namespace cuda_on_cpu
