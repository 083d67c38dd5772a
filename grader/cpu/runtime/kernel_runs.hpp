// Whether the calling thread runs a kernel. Kernels see block_progress and could change it; nothing
// that they see leads to this.
#pragma once

namespace cuda_on_cpu {

extern thread_local constinit bool kernel_runs;

}  // namespace cuda_on_cpu
