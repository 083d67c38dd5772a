// The indices of a CUDA thread. They are plain variables, not macros, so that a struct may have a
// member called gridDim.
#pragma once

#include "qualifiers.hpp"
#include "vector_types.hpp"

#pragma GCC visibility push(default)

extern thread_local constinit uint3 threadIdx CUDA_ON_CPU_FAST_TLS;
extern thread_local constinit uint3 blockIdx CUDA_ON_CPU_FAST_TLS;
extern thread_local constinit dim3 blockDim CUDA_ON_CPU_FAST_TLS;
extern thread_local constinit dim3 gridDim CUDA_ON_CPU_FAST_TLS;
constexpr int warpSize = 32;

namespace cuda_on_cpu {
inline unsigned volume(const dim3 &extent) { return extent.x * extent.y * extent.z; }
bool runs_on_device();  // device_side.py: in a function of both sides
}

#pragma GCC visibility pop
