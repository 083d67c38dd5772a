// A launch: checks the configuration, runs the grid, and updates the statistics.
#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

#include "capture.hpp"
#include "counts.hpp"
#include "cuda_on_cpu/control.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "device.hpp"
#include "device_memory.hpp"
#include "diagnostics.hpp"
#include "errors.hpp"
#include "functions.hpp"
#include "grid.hpp"
#include "hooks.hpp"
#include "host_memory.hpp"
#include "kernel_names.hpp"
#include "signals.hpp"
#include "stack_pool.hpp"
#include "statistics.hpp"
#include "stream.hpp"
#include "text.hpp"
#include "workers.hpp"

namespace cuda_on_cpu {

const Hooks *hooks = nullptr;
void set_hooks(const Hooks *table) { hooks = table; }

namespace {

// One copy each in run_threads(), in the rewriter's lambda, and as the kernel's own parameters;
// without optimisation there is one more in between.
constexpr std::size_t kCopiesOfArguments = 4;

std::mutex launch_mutex;  // the virtual device runs one kernel at a time
std::mutex names_mutex;
std::set<std::string> kernels_launched;
std::uint64_t launch_number = 0;
std::atomic<const char *> kernel_name{""};

std::uint64_t product(const dim3 &extent) { return std::uint64_t{extent.x} * extent.y * extent.z; }

cudaError_t check(const Configuration &wanted, std::size_t shared_limit) {
  const dim3 &grid = wanted.grid, &block = wanted.block;
  const bool block_fits = block.x && block.y && block.z && block.x <= kMaxThreadsPerBlock &&
                          block.y <= kMaxThreadsPerBlock && block.z <= kMaxBlockDimZ &&
                          product(block) <= kMaxThreadsPerBlock;
  const bool grid_fits = grid.x && grid.y && grid.z && grid.x <= kMaxGridDimX &&
                         grid.y <= kMaxGridDimYZ && grid.z <= kMaxGridDimYZ;
  if (!block_fits || !grid_fits) return cudaErrorInvalidConfiguration;
  if (wanted.shared_bytes > shared_limit) return cudaErrorInvalidValue;
  if (wanted.cooperative && !this_device().cooperative) return cudaErrorNotSupported;
  if (wanted.cooperative &&
      product(grid) > co_resident_blocks(static_cast<int>(product(block)), wanted.shared_bytes))
    return cudaErrorCooperativeLaunchTooLarge;
  if (!is_stream(wanted.stream)) return cudaErrorInvalidResourceHandle;
  return cudaSuccess;
}

void count_launch(const Grid &grid) {
  {
    const std::lock_guard lock(names_mutex);
    kernels_launched.insert(grid.name);
  }
  const std::uint64_t threads = grid.block_count * grid.threads_per_block;
  const ChangeCounts change;
  Statistics &statistics = change->statistics;
  ++statistics.launches;
  statistics.blocks += grid.block_count;
  statistics.threads += threads;
  statistics.barriers += grid.barriers;
  statistics.texture_fetches += grid.texture_fetches;
  statistics.max_threads = std::max(statistics.max_threads, threads);
}

void run_checked(Grid &grid) {
  const std::lock_guard lock(launch_mutex);
  grid.number = ++launch_number;
  kernel_name = grid.name;
  {
    const auto access = DeviceMemory::instance().open_for_launch();
    const KernelWrites kernel_writes;
    if (hooks) hooks->launch_begin(grid.name, grid.site, grid.configuration);
    run_on_workers(grid);
    if (hooks) hooks->launch_end();
  }
  kernel_name = "";
  count_launch(grid);
}

cudaError_t run_now(const Configuration &configuration, const char *name, Site site,
                    std::size_t shared_limit, const KernelBody &kernel, const void *arguments) {
  Grid grid{configuration,
            name,
            site,
            kernel.run_threads,
            arguments,
            0,
            product(configuration.grid),
            static_cast<unsigned>(product(configuration.block)),
            shared_limit,
            wanted_stack_bytes() + kCopiesOfArguments * kernel.bytes,
            order_settings()};
  run_checked(grid);
  const auto error = static_cast<cudaError_t>(grid.error.load());
  if (error == cudaErrorLaunchFailure || error == cudaErrorAssert) set_sticky_error(error);
  return finish_call(error);
}

}  // namespace

cudaError_t run_grid(const Configuration &configuration, const char *name, Site site,
                     const void *identity, const KernelBody &body) {
  install_signal_handlers();
  if (inside_kernel())
    die("launch", "kernel %s at %s is launched by a kernel: launch it from the host", name,
        text_of(site).c_str());
  if (sticky_error() != cudaSuccess) return sticky_error();
  // "(of cudaLaunchKernel)": the launch says only how the kernel was launched, not its name.
  if (identity && *name == '(') name = name_of_kernel(identity, name);
  const std::size_t limit = shared_limit_of(identity);
  if (const cudaError_t error = check(configuration, limit); error != cudaSuccess)
    return finish_call(error);
  if (!any_capture())
    return run_now(configuration, name, site, limit, body, body.object);
  const std::shared_ptr<void> copy(body.copy(body.object), body.destroy);
  return run_or_capture(configuration.stream, cudaGraphNodeTypeKernel,
                        [=] {
                          return run_now(configuration, name, site, limit, body, copy.get());
                        });
}

Statistics launch_statistics() { return counts().statistics; }

std::vector<std::string> launched_kernels() {
  const std::lock_guard lock(names_mutex);
  return {kernels_launched.begin(), kernels_launched.end()};
}

void count_copy_to_host(const void *from, std::size_t bytes) {
  const std::span copy(static_cast<const char *>(from), bytes);
  count_copies_to_host(std::span(&copy, 1));
}

void count_copies_to_host(std::span<const std::span<const char>> copies) {
  const ChangeCounts change;
  for (const auto &copy : copies) {
    change->statistics.bytes_to_host += copy.size();
    change->statistics.different_bytes_to_host +=
        change->copied_to_host.add(copy.data(), copy.size());
  }
}

void reset_statistics() {
  {
    const std::lock_guard lock(names_mutex);
    kernels_launched.clear();
  }
  const ChangeCounts change;
  change->statistics = {};
  change->copied_to_host.clear();
}

const char *current_kernel() { return kernel_name; }

}  // namespace cuda_on_cpu
