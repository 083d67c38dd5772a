// The operating-system threads that run a grid. They live as long as the process. The calling
// thread works too.
#pragma once

#include "threads/grid.hpp"

namespace cuda_on_cpu {

void run_on_workers(Grid &grid);
unsigned worker_count();  // all cores, or WARPWISE_WORKERS

}  // namespace cuda_on_cpu
