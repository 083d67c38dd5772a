#pragma once

// launch_erased() and remember_kernel(): kernels of which only the address is known.
#include "cuda_on_cpu/kernel_values.hpp"
