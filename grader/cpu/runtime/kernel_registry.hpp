#pragma once

// launch_erased() and remember_kernel(): kernels known by their address alone.
#include "cuda_on_cpu/kernel_values.hpp"
