// CUDA on the CPU: the CUDA vocabulary for g++ and clang++. Each header below covers one part. All
// of it is written from the public CUDA documentation. What is not here does not compile.
#pragma once

#define __CUDA_ON_CPU__ 1
#define CUDART_VERSION 13000
#define CUDART_CB
#define CUDARTAPI
// Libraries use these to recognise that CUDA's own headers have been included.
#define __CUDA_RUNTIME_H__
#define __DRIVER_TYPES_H__

#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "cuda_on_cpu/array_api.hpp"
#include "cuda_on_cpu/atomics.hpp"
#include "cuda_on_cpu/bits.hpp"
#include "cuda_on_cpu/graph_api.hpp"
#include "cuda_on_cpu/index.hpp"
#include "cuda_on_cpu/kernel_values.hpp"
#include "cuda_on_cpu/launch.hpp"
#include "cuda_on_cpu/math.hpp"
#include "cuda_on_cpu/missing.hpp"
#include "cuda_on_cpu/qualifiers.hpp"
#include "cuda_on_cpu/runtime_api.hpp"
#include "cuda_on_cpu/runtime_types.hpp"
#include "cuda_on_cpu/shared.hpp"
#include "cuda_on_cpu/sync.hpp"
#include "cuda_on_cpu/textures.hpp"
#include "cuda_on_cpu/vector_types.hpp"
#include "cuda_on_cpu/warp.hpp"

// A program has the same text whether it is watched or not.
#undef __SANITIZE_THREAD__
#undef CUDA_ON_CPU_INSTRUMENTED
