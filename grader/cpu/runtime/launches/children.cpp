// Dynamic parallelism: kernels that launch kernels.
#include <utility>

#include "base/kernel_runs.hpp"
#include "threads/grid.hpp"

namespace cuda_on_cpu {

void Children::add(bool last, std::function<void()> run) {
  const std::lock_guard lock(mutex_);
  (last ? last_ : first_).push_back(std::move(run));
}

void Children::run() {
  for (auto *some : {&first_, &last_})
    for (const auto &child : *some) child();
}

NoKernel::NoKernel() : before_(std::exchange(kernel_runs, false)) {}
NoKernel::~NoKernel() { kernel_runs = before_; }

}  // namespace cuda_on_cpu
