#include "launches/workers.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "base/hooks.hpp"
#include "messages/diagnostics.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

// Below this, waking a worker (about 10 us) takes longer than the threads do.
constexpr std::uint64_t kMinThreadsForWorkers = 4096;

class Workers {
 public:
  explicit Workers(unsigned helpers) {
    for (unsigned i = 0; i < helpers; ++i) threads_.emplace_back([this] { work(); });
  }

  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (auto &thread : threads_) thread.join();
  }

  void run(Grid &grid) {
    {
      const std::lock_guard lock(mutex_);
      grid_ = &grid;
      busy_ = threads_.size();
      ++round_;
    }
    wake_.notify_all();
    this_block().run_blocks_of(grid);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void work() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
      if (stopping_) return;
      seen = round_;
      Grid &grid = *grid_;
      lock.unlock();
      this_block().run_blocks_of(grid);
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Grid *grid_ = nullptr;
  std::uint64_t round_ = 0;
  std::size_t busy_ = 0;
  bool stopping_ = false;
};

bool forked = false;  // a child process has only the worker that forked

Workers &workers() {
  static Workers *all =
      [] {  // a child process never destroys it, because the threads do not exist there
        pthread_atfork(nullptr, nullptr, [] { forked = true; });
        auto *made = new Workers(worker_count() - 1);
        std::atexit([] {
          // A kernel that calls exit() runs on a worker, which cannot wait for itself.
          if (!forked && !inside_kernel()) delete &workers();
        });
        return made;
      }();
  return *all;
}

/// On a shared machine this is less than std::thread::hardware_concurrency().
unsigned usable_processors() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return std::max(1, CPU_COUNT(&usable));
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

unsigned worker_count() {
  static const unsigned count = [] {
    const char *text = std::getenv("WARPWISE_WORKERS");
    if (!text || !*text) return usable_processors();
    const long value = std::atol(text);
    if (value < 1 || value > 256)
      die("usage", "WARPWISE_WORKERS is '%s': set it to a number from 1 to 256", text);
    return static_cast<unsigned>(value);
  }();
  return count;
}

void run_on_workers(Grid &grid) {
  const bool alone = worker_count() == 1 || forked || hooks || grid.order.order != Order::forward ||
                     grid.block_count < 2 ||
                     grid.block_count * grid.threads_per_block < kMinThreadsForWorkers;
  if (grid.configuration.cooperative)
    this_block().run_cooperatively(grid);
  else if (volume(grid.cluster) > 1)
    this_block().run_in_clusters(grid);
  else if (alone)
    this_block().run_blocks_of(grid);
  else
    workers().run(grid);
}

}  // namespace cuda_on_cpu
