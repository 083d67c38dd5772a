#include "work.hpp"

#include <algorithm>
#include <utility>

namespace cuda_on_cpu::check {

void WorkShares::leave_block() {
  for (std::uint32_t &accesses : by_thread_) {
    accesses_ += accesses;
    busiest_ = std::max(busiest_, accesses);
    hands_ += accesses > 0;
    accesses = 0;
  }
}

void WorkShares::pass_grid() {
  leave_block();
  work_.accesses += accesses_;
  work_.longest += busiest_;
  work_.shared += accesses_ * hands_;
  accesses_ = hands_ = busiest_ = 0;
}

Work WorkShares::take() { return std::exchange(work_, {}); }

}  // namespace cuda_on_cpu::check
