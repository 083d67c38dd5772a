// What cudaLaunchKernelEx takes. Clusters of blocks have no attribute here.
#pragma once

#include "runtime_types.hpp"
#include "vector_types.hpp"

#pragma GCC visibility push(default)

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,  // kernels run one after the other anyway
  cudaLaunchAttributePriority = 8,
};
union cudaLaunchAttributeValue {
  int cooperative;
  int programmaticStreamSerializationAllowed;
  int priority;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
};

#pragma GCC visibility pop
