#include "flags.hpp"

#include <algorithm>

namespace cuda_on_cpu::check {

void Flag::release(const Record &atomic, std::size_t bytes, const Fence &fence,
                   const Knowledge &known) {
  bytes_ = std::max(bytes_, bytes);
  const Release release{released_.size(), fence.block_only};
  released_.try_emplace(moment(atomic), release).first->second.block_only &= fence.block_only;
  told_.learn(known);
  told_.learn(fence);
}

const Knowledge &Flag::acquire(const Record &reader) {
  acquired_[moment(reader)] = released_.size();
  return told_;
}

Knowledge Flags::told() const {
  Knowledge all;
  for (const auto &[address, flag] : flags_) all.learn(flag.told());
  return all;
}

}  // namespace cuda_on_cpu::check
