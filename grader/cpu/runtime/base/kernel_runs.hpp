// Whether the calling thread runs a kernel. Kernels see block_progress and could change it; nothing
// that they see leads to this.
#pragma once

namespace cuda_on_cpu {

extern thread_local constinit bool kernel_runs;
inline bool inside_kernel() { return kernel_runs; }

// Ends the kernel: it has called a function of CUDA that only host code may call.
[[noreturn]] void refuse_in_kernel();

// While it exists, what a kernel's thread does is the runtime's own work: what it allocates is the
// host's.
struct NoKernel {
  NoKernel();
  ~NoKernel();
  NoKernel(const NoKernel &) = delete;
  NoKernel &operator=(const NoKernel &) = delete;

 private:
  bool before_;
};

}  // namespace cuda_on_cpu
