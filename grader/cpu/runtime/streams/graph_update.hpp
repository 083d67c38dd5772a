// Which node of an executable graph stands for which node of another graph of the same shape.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "streams/capture.hpp"

namespace cuda_on_cpu {

using Nodes = std::vector<std::shared_ptr<CUgraphNode_st>>;
using Pairs = std::unordered_map<const CUgraphNode_st *, std::shared_ptr<CUgraphNode_st>>;

// The nodes that no other node waits for, in the order in which they were added.
std::vector<CUgraphNode_st *> exits(const Nodes &nodes);

struct Update {
  cudaGraphExecUpdateResultInfo info;
  Pairs pairs;  // from the executable graph's nodes to the given ones
};

// As CUDA pairs them: exits by their order, then what each node depends on by the order in which
// those edges were made. A graph of another shape, or with nodes of other types, is refused.
Update compare(const Nodes &old, const std::vector<CUgraphNode_st *> &old_exits,
               const Nodes &given);

}  // namespace cuda_on_cpu
