// Stream capture: a call on a captured stream is not executed but becomes a node of a graph. A
// graph is a list in the order of the calls, in which every call follows those it depends on.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "errors.hpp"
#include "stream.hpp"

struct CUgraphNode_st {
  cudaGraphNodeType type;
  std::function<cudaError_t()> operation;
};
struct CUgraph_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
  bool invalidated = false;  // while it is captured
};

namespace cuda_on_cpu {

bool any_capture();  // whether any stream is captured or a node is being added; costs one load
void count_capture(int change);

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
                    const std::function<cudaError_t()> &operation, bool &kept);

// Every asynchronous call does this: it runs `operation` now, or later at each launch of the graph.
template <class Operation>
cudaError_t run_or_capture(cudaStream_t stream, cudaGraphNodeType type, Operation operation) {
  if (!is_stream(stream)) return finish_call(cudaErrorInvalidResourceHandle);
  if (!any_capture()) return finish_call(operation());
  bool kept = false;
  const cudaError_t error = capture(stream, type, operation, kept);
  return finish_call(error != cudaSuccess || kept ? error : operation());
}

// Calls that make no sense while `stream` is captured, such as waiting for it.
cudaError_t refuse_while_captured(cudaStream_t stream);

}  // namespace cuda_on_cpu
