// One kernel launch, as its workers see it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/kernel_runs.hpp"
#include "base/own_mutex.hpp"
#include "cuda_runtime.h"
#include "device/order.hpp"
#include "threads/standstill.hpp"

namespace cuda_on_cpu {

struct Children;

// Dynamic bytes, and clusters of more than kPortableCluster blocks, by cudaFuncSetAttribute.
struct SharedAsked {
  std::size_t bytes = 0;
  Site site{"", 0};
  bool large_clusters = false;
};

// Not an error: the kernel has __cluster_dims__, and the launch begins once more.
inline constexpr int kBeginsInClusters = -1;

struct Grid {
  const Configuration &configuration;
  const char *name;
  Site site;
  void (*run_threads)(const void *);
  const void *body;
  std::uint64_t number;  // of this launch, from 1
  std::uint64_t block_count;
  unsigned threads_per_block;
  SharedAsked shared_asked;
  std::size_t stack_bytes;   // of each thread
  OrderSettings order;
  Children *children;
  bool has_destructor;  // some argument has
  std::size_t child = 0;  // the number that hooks know it by, if a kernel launched it
  unsigned depth = 0;     // how many grids launched one another before it
  dim3 cluster = configuration.cluster;  // of blocks
  // By __cluster_dims__. Others still run blocks then: `cluster` changes when all have ended.
  dim3 cluster_of_kernel = {};
  std::atomic<bool> kernel_has_cluster{false};
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<int> error{cudaSuccess};        // the first failure; no block starts after it
  std::atomic<bool> failure_reported{false};  // other workers fail too: one line is enough
  std::atomic<std::uint64_t> waiting_blocks{0};  // for other blocks, with all their stacks
  Standstill standstill{};
  std::atomic<std::uint64_t> barriers{0};
  std::atomic<std::uint64_t> texture_fetches{0}, texture_bytes{0};
  // bytes of a block's variables, as far as blocks came to them
  std::atomic<std::size_t> static_shared{0};
  std::atomic<bool> warned_exited{false},
      warned_absent_lane{false}, told_missing_lane{false};  // one line per launch is enough
};

// Grids that a kernel launches. They run when its own grid has ended: a GPU may do so as well, and
// a program that needs them earlier has no means to wait for them.
struct Children {
  void add(bool last, std::function<void()> run);
  void run();  // in the order of the launches, those of cudaStreamTailLaunch at the end

 private:
  OwnMutex mutex_;
  std::vector<std::function<void()>> first_, last_;
};

}  // namespace cuda_on_cpu
