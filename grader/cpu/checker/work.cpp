#include "work.hpp"

#include <algorithm>
#include <utility>

namespace cuda_on_cpu::check {

void WorkShares::leave_block() {
  for (std::uint32_t &accesses : by_thread_) {
    work_.accesses += accesses;
    busiest_ = std::max(busiest_, accesses);
    accesses = 0;
  }
}

void WorkShares::pass_grid() {
  leave_block();
  work_.longest += busiest_;
  busiest_ = 0;
}

Work WorkShares::take() { return std::exchange(work_, {}); }

}  // namespace cuda_on_cpu::check
