// A launch: checks the configuration, runs the grid, and updates the statistics.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

#include "base/counts.hpp"
#include "base/hooks.hpp"
#include "base/kernel_runs.hpp"
#include "base/own_mutex.hpp"
#include "base/rounding.hpp"
#include "base/signals.hpp"
#include "base/statistics.hpp"
#include "base/submission_code.hpp"
#include "cuda_on_cpu/control.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "device/device.hpp"
#include "device/device_memory.hpp"
#include "device/host_memory.hpp"
#include "launches/functions.hpp"
#include "launches/kernel_names.hpp"
#include "launches/workers.hpp"
#include "messages/diagnostics.hpp"
#include "messages/errors.hpp"
#include "messages/failures.hpp"
#include "messages/text.hpp"
#include "streams/capture.hpp"
#include "streams/stream.hpp"
#include "streams/stream_order.hpp"
#include "threads/block.hpp"
#include "threads/grid.hpp"
#include "threads/stack_pool.hpp"

namespace cuda_on_cpu {

// Read-only, except here: otherwise a write to this address would switch the checker off.
[[gnu::section(".data.rel.ro.hooks")]] const Hooks *hooks = nullptr;

void set_hooks(const Hooks *table) {
  auto *page = reinterpret_cast<char *>(reinterpret_cast<std::uintptr_t>(&hooks) / kPage * kPage);
  mprotect(page, kPage, PROT_READ | PROT_WRITE);
  *const_cast<const Hooks *volatile *>(&hooks) = table;
  mprotect(page, kPage, PROT_READ);
}

namespace {

// One copy each in run_threads(), in the rewriter's lambda, and as the kernel's own parameters;
// without optimisation there is one more in between.
constexpr std::size_t kCopiesOfArguments = 4;

OwnMutex launch_mutex;  // the virtual device runs one kernel at a time
OwnMutex names_mutex;
[[gnu::init_priority(200)]] std::set<std::string> kernels_launched;
std::atomic<const char *> kernel_name{""};

constexpr std::size_t kCallBytes = 16;  // that a body has beside the arguments, with padding

std::uint64_t product(const dim3 &extent) { return std::uint64_t{extent.x} * extent.y * extent.z; }

// What is wrong with the sizes of a grid or block; "" if nothing is.
std::string misfit(const dim3 &extent, const char *what, const dim3 &most) {
  const unsigned sizes[] = {extent.x, extent.y, extent.z}, limits[] = {most.x, most.y, most.z};
  for (int i = 0; i < 3; ++i) {
    const std::string axis =
        i == 0 && sizes[i] == product(extent) ? "" : std::string(" in ") + "xyz"[i];
    if (sizes[i] == 0) return std::string("zero ") + what;
    const bool is_negative = static_cast<int>(sizes[i]) < 0;  // as the program computed it
    if (sizes[i] > limits[i])
      return with_commas(sizes[i]) + " " + what + axis +
             (is_negative ? ", a number below 0" : "") + "; at most " + with_commas(limits[i]);
  }
  return "";
}

constexpr char kNoCooperativeClusters[] =
    "CUDA on the CPU has no clusters in a cooperative launch: use one of the two";

cudaError_t check(const Configuration &wanted, const SharedAsked &asked,
                  std::size_t argument_bytes) {
  const dim3 &grid = wanted.grid, &block = wanted.block;
  const auto refuse = [](cudaError_t error, const std::string &reason) {
    explain(reason);
    return error;
  };
  std::string reason = misfit(grid, "blocks", {kMaxGridDimX, kMaxGridDimYZ, kMaxGridDimYZ});
  if (reason.empty())
    reason = misfit(block, "threads per block",
                    {kMaxThreadsPerBlock, kMaxThreadsPerBlock, kMaxBlockDimZ});
  if (reason.empty() && product(block) > kMaxThreadsPerBlock)
    reason = with_commas(product(block)) + " threads per block; at most " +
             with_commas(kMaxThreadsPerBlock);
  if (!reason.empty()) return refuse(cudaErrorInvalidConfiguration, reason);
  if (argument_bytes > kMaxArgumentBytes + kCallBytes)
    return refuse(cudaErrorInvalidValue,
                  "more than " + with_commas(kMaxArgumentBytes) +
                      " bytes of arguments: put large ones in device memory");
  if (const std::size_t shared_limit = std::max(kSharedPerBlock, asked.bytes);
      wanted.shared_bytes > shared_limit)
    return refuse(cudaErrorInvalidValue,
                  with_commas(wanted.shared_bytes) + " bytes of dynamic shared memory; at most " +
                      with_commas(shared_limit) + ", which cudaFuncSetAttribute raises to " +
                      with_commas(kSharedPerBlockOptin));
  if (const std::string why = cluster_misfit(wanted.cluster, grid, asked.large_clusters);
      !why.empty())
    return refuse(cudaErrorInvalidClusterSize, why);
  if (wanted.cooperative && volume(wanted.cluster) > 1)
    return refuse(cudaErrorNotSupported, kNoCooperativeClusters);
  if (wanted.cooperative && !this_device().cooperative)
    return refuse(cudaErrorNotSupported, "the device has no cooperative launches");
  if (const auto most = co_resident_blocks(static_cast<int>(product(block)), wanted.shared_bytes);
      wanted.cooperative && product(grid) > most)
    return refuse(cudaErrorCooperativeLaunchTooLarge,
                  with_commas(product(grid)) + " blocks that wait for each other; at most " +
                      with_commas(most));
  if (!is_stream(wanted.stream))
    return refuse(cudaErrorInvalidResourceHandle, "the stream does not exist, or not any more");
  if (const int device = stream_of(wanted.stream).device; device != current_device())
    return refuse(cudaErrorInvalidResourceHandle,
                  "the stream belongs to device " + std::to_string(device) +
                      ", and the current device is " + std::to_string(current_device()) +
                      ": call cudaSetDevice() first");
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
  statistics.texture_bytes += grid.texture_bytes;
  statistics.max_threads = std::max(statistics.max_threads, threads);
  statistics.max_apart =
      std::max<std::uint64_t>(statistics.max_apart, grid.block_count / volume(grid.cluster));
  statistics.shared_bytes = std::max<std::uint64_t>(
      statistics.shared_bytes, grid.configuration.shared_bytes + grid.static_shared);
  if (!hooks || !hooks->work) return;
  const Work work = hooks->work();
  statistics.accesses += work.accesses;
  statistics.longest_share += work.longest;
  statistics.longest_chain += work.chain;
  statistics.moving_share += work.moving;
  statistics.widest_share = std::max(statistics.widest_share, work.widest);
  statistics.shared_work += work.shared;
  statistics.in_buffers += work.in_buffers;
  statistics.own_memory += work.own_memory;
  statistics.own_stacks += work.own_stacks;
  statistics.writes += work.writes;
  statistics.variable_bytes = std::max(statistics.variable_bytes, work.variable_bytes);
  const std::uint64_t elsewhere = work.accesses - work.own_stacks;
  statistics.busiest_launch = std::max(statistics.busiest_launch, elsewhere);
  statistics.working_launches += elsewhere + grid.texture_fetches > 0;
}

// Only the kernel knows its __cluster_dims__: its first thread has said them, and done nothing
// else.
void run_in_clusters(Grid &grid) {
  grid.cluster = grid.cluster_of_kernel;
  const std::string why =
      cluster_misfit(grid.cluster, grid.configuration.grid, grid.shared_asked.large_clusters);
  grid.error = cudaSuccess;
  grid.next_block = 0;
  if (!why.empty() || grid.configuration.cooperative) {
    explain(why.empty() ? kNoCooperativeClusters : why);
    grid.error = why.empty() ? cudaErrorNotSupported : cudaErrorInvalidClusterSize;
  } else if (!grid.order.few || grid.order.together) {
    run_on_workers(grid);
  }
}

void run_checked(Grid &grid) {
  const std::lock_guard lock(launch_mutex);
  grid.number = note_launch(grid.name);
  kernel_name = grid.name;
  {
    const auto access = DeviceMemory::instance().open_for_launch();
    const KernelWrites kernel_writes;
    if (grid.child) hooks->child_begin(grid.child);
    if (hooks) hooks->launch_begin(grid.name, grid.site, grid.configuration);
    run_on_workers(grid);
    if (grid.error == kBeginsInClusters) run_in_clusters(grid);
    if (hooks) hooks->launch_end();
  }
  kernel_name = "";
  count_launch(grid);
}

cudaError_t refuse_body() {
  explain("what is launched is no kernel: launch a __global__ function by <<<>>>");
  return finish_call(cudaErrorInvalidDeviceFunction);
}

cudaError_t run_now(const Configuration &configuration, const char *name, Site site,
                    const SharedAsked &shared_asked, const KernelBody &kernel,
                    const void *arguments, std::size_t child = 0, unsigned depth = 0) {
  // Also what a graph has kept: its nodes are in memory that the program can write to.
  const auto run_threads = kernel.run_threads;
  if (!is_of_body(run_threads)) return refuse_body();
  const OrderSettings order = order_settings();
  const bool wait_for_each_other = configuration.cooperative || volume(configuration.cluster) > 1;
  if (skips_launch() || (order.few && !order.together && wait_for_each_other)) {
    finish_call(cudaSuccess);
    return cudaSuccess;
  }
  Children children;
  Grid grid{configuration,
            name,
            site,
            run_threads,
            arguments,
            0,
            product(configuration.grid),
            static_cast<unsigned>(product(configuration.block)),
            shared_asked,
            wanted_stack_bytes() + kCopiesOfArguments * kernel.bytes,
            order,
            &children,
            kernel.has_destructor,
            child,
            depth};
  run_checked(grid);
  if (grid.error == cudaSuccess) children.run();
  const auto error = static_cast<cudaError_t>(grid.error.load());
  if (error == cudaErrorLaunchFailure || error == cudaErrorAssert) {
    set_sticky_error(error);
    explain(last_diagnostic());
  }
  finish_call(error);
  if (error == cudaErrorInvalidValue || error == cudaErrorLaunchOutOfResources ||
      error == cudaErrorInvalidClusterSize || error == cudaErrorNotSupported)
    add_place(std::string("kernel ") + name, site);  // shared memory, __launch_bounds__, clusters
  return error;
}

// The launch of a kernel by a kernel. It fails at once, or runs later.
cudaError_t launch_child(Configuration configuration, const char *name, Site site,
                         const void *identity, const KernelBody &body) {
  const NoKernel no_kernel;
  const cudaStream_t stream = configuration.stream;
  const bool last = stream == cudaStreamTailLaunch;
  if (last || stream == cudaStreamFireAndForget) configuration.stream = nullptr;
  const SharedAsked shared_asked = shared_asked_by(identity);
  const unsigned depth = current_block().grid()->depth + 1;
  cudaError_t error = check(configuration, shared_asked, body.bytes);
  if (depth > kMaxGridsDeep) {
    explain("a grid that is the last of " + std::to_string(kMaxGridsDeep) +
            " which launched one another");
    error = cudaErrorLaunchMaxDepthExceeded;
  }
  if (error != cudaSuccess) {
    finish_call(error);
    add_place(std::string("kernel ") + name, site);
    return error;
  }
  // Bytes, as on a GPU: a constructor would run on the host, while device memory is open.
  constexpr std::size_t kAlignment = 64;
  const std::shared_ptr<void> copy(std::aligned_alloc(kAlignment, round_up(body.bytes, kAlignment)),
                                   std::free);
  std::memcpy(copy.get(), body.object, body.bytes);
  const std::size_t number = hooks && hooks->child_launched ? hooks->child_launched(stream) : 0;
  current_block().grid()->children->add(last, [=] {
    run_now(configuration, name, site, shared_asked, body, copy.get(), number, depth);
  });
  return cudaSuccess;
}

}  // namespace

cudaError_t run_grid(const Configuration &configuration, const char *name, Site site,
                     const void *identity, const KernelBody &body) {
  install_signal_handlers();
  if (!is_of_body(body.run_threads)) return refuse_body();
  if (inside_kernel()) return launch_child(configuration, name, site, identity, body);
  if (sticky_error() != cudaSuccess) return sticky_error();
  // "(of cudaLaunchKernel)": the launch says only how the kernel was launched, not its name.
  if (identity && *name == '(') name = name_of_kernel(identity, name);
  const SharedAsked shared_asked = shared_asked_by(identity);
  if (const cudaError_t error = check(configuration, shared_asked, body.bytes);
      error != cudaSuccess) {
    finish_call(error);
    add_place(std::string("kernel ") + name, site);
    return error;
  }
  if (const cudaError_t error = refused_on(configuration.stream)) {
    finish_call(error);
    add_place(std::string("kernel ") + name, site);
    return error;
  }
  if (!any_capture()) {
    const StreamWork work(configuration.stream);
    return run_now(configuration, name, site, shared_asked, body, body.object);
  }
  const std::shared_ptr<void> copy(body.copy(body.object), body.destroy);
  return run_or_capture(configuration.stream, cudaGraphNodeTypeKernel,
                        [=] {
                          return run_now(configuration, name, site, shared_asked, body, copy.get());
                        },
                        nullptr);
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
  for (const auto &copy : copies) change->statistics.bytes_to_host += copy.size();
}

void reset_statistics() {
  {
    const std::lock_guard lock(names_mutex);
    kernels_launched.clear();
  }
  count_launches_anew();
  const ChangeCounts change;
  change->statistics = {};
}

const char *current_kernel() { return kernel_name; }

}  // namespace cuda_on_cpu
