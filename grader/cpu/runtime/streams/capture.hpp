// Stream capture: a call on a captured stream is not executed but becomes a node of a graph. A
// graph runs its nodes in an order in which each follows those it depends on.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "messages/errors.hpp"
#include "streams/refusals.hpp"
#include "streams/stream.hpp"
#include "streams/stream_order.hpp"

namespace cuda_on_cpu {
class GraphMemory;  // device/graph_memory.hpp
}

struct CUgraphNode_st {
  cudaGraphNodeType type;
  std::function<cudaError_t()> operation;
  std::uint64_t number;
  const void *caller;  // the program's call; null for a captured launch
  std::vector<CUgraphNode_st *> after;  // what it depends on
  std::vector<std::shared_ptr<CUgraphNode_st>> child{};  // of a graph that is one node of another
  std::shared_ptr<cuda_on_cpu::GraphMemory> memory{};    // that the node allocates or frees
};
struct CUgraph_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
  bool invalidated = false;  // while it is captured
  const char *reason = "";   // why
  std::weak_ptr<int> instance{};  // with memory of its own, a graph is executable only once

  void invalidate(const char *why) {
    if (!invalidated) reason = why;
    invalidated = true;
  }
};

namespace cuda_on_cpu {

bool any_capture();  // whether any stream is captured or a node is being added; costs one load
void count_capture(int change);
bool is_recording_node();  // the calling thread adds a node to a graph
CUgraph_st *capturing(cudaStream_t stream);  // the graph that a call on the stream goes to, or null

// While this object exists, the calling thread's calls become nodes of `graph`, on any stream.
class RecordInto {
 public:
  explicit RecordInto(CUgraph_st *graph);
  ~RecordInto();
  RecordInto(const RecordInto &) = delete;
  RecordInto &operator=(const RecordInto &) = delete;
};

// cudaSuccess when the call was kept or has to be executed now; `kept` says which.
cudaError_t capture(cudaStream_t stream, cudaGraphNodeType type,
                    const std::function<cudaError_t()> &operation, const void *caller, bool &kept);

// Every asynchronous call does this: it runs `operation` now, or later at each launch of the graph.
template <class Operation>
cudaError_t run_or_capture(cudaStream_t stream, cudaGraphNodeType type, Operation operation,
                           const void *caller = __builtin_return_address(0)) {
  if (!is_stream(stream)) return finish_call(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = refused_on(stream)) return finish_call(error);
  if (any_capture()) {
    bool kept = false;
    const cudaError_t error = capture(stream, type, operation, caller, kept);
    if (error != cudaSuccess || kept) return finish_call(error);
  }
  const StreamWork work(stream, caller);
  return finish_call(operation());
}

// Calls that make no sense while `stream` is captured, such as waiting for it.
cudaError_t refuse_while_captured(cudaStream_t stream);

}  // namespace cuda_on_cpu
