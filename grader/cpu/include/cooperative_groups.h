// Cooperative groups. reduce and the scans have headers of their own, as in CUDA.
#pragma once
#include "cuda_runtime.h"

#include "cuda_on_cpu/group_partition.hpp"
#include "cuda_on_cpu/groups.hpp"
