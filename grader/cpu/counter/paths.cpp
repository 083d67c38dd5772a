#include "paths.hpp"

namespace cuda_on_cpu::count {

void Paths::begin(Branch *start, std::uint32_t lanes) {
  Junction *first = open(start);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    at_[lane] = lanes >> lane & 1 ? first : nullptr;
    first->inside += lanes >> lane & 1;
  }
  first->closed = true;
}

void Paths::end() {
  for (Junction *&at : at_) {
    if (at) leave(at, kEnd);
    at = nullptr;
  }
}

Junction *Paths::open(Branch *branch) {
  if (free_.empty()) free_.push_back(&all_.emplace_back());
  Junction *junction = free_.back();
  free_.pop_back();
  *junction = {branch, kEnd, 0, false, false, false};
  return junction;
}

void Paths::close(Junction *junction) {
  junction->closed = true;
  if (junction->inside == 0) finish(junction);
}

void Paths::finish(Junction *junction) {
  junction->branch->leave(junction->next, !junction->parted);
  free_.push_back(junction);
}

}  // namespace cuda_on_cpu::count
