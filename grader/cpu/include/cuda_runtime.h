// CUDA on the CPU: the CUDA vocabulary for g++ and clang++. Each header below tells one part of the
// story; the text is written from the public CUDA documentation. What is not here does not compile.
#pragma once

#define __CUDA_ON_CPU__ 1
#define CUDART_VERSION 13000

#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "cuda_on_cpu/atomics.hpp"
#include "cuda_on_cpu/bits.hpp"
#include "cuda_on_cpu/index.hpp"
#include "cuda_on_cpu/launch.hpp"
#include "cuda_on_cpu/math.hpp"
#include "cuda_on_cpu/qualifiers.hpp"
#include "cuda_on_cpu/runtime_api.hpp"
#include "cuda_on_cpu/runtime_types.hpp"
#include "cuda_on_cpu/shared.hpp"
#include "cuda_on_cpu/sync.hpp"
#include "cuda_on_cpu/vector_types.hpp"
#include "cuda_on_cpu/warp.hpp"
