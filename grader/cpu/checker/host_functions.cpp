// A kernel enters a function by the address that host code has taken:
// include/cuda_on_cpu/host_function.hpp.
#include "cuda_on_cpu/host_function.hpp"

#include "base/kernel_runs.hpp"
#include "messages/diagnostics.hpp"
#include "report_parts.hpp"
#include "source_line.hpp"
#include "state.hpp"
#include "threads/block.hpp"

void cuda_on_cpu::enter_function_of_the_host(const void *return_address) {
  using namespace check;
  if (!kernel_runs) return;
  const WorkForKernel work;
  Block &block = current_block();
  if (block.first_failure())
    report(
        "memory",
        "%s calls a function at %s by the address that it has on the host: take the device's, of "
        "`__device__ auto p = function;`, with cudaMemcpyFromSymbol()",
        here().c_str(), line_in_kernel(site_of(return_address)).c_str());
  block.fail(cudaErrorIllegalAddress);
}
