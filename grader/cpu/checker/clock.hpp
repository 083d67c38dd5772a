// A vector clock: which moments are certainly over.
#pragma once

#include <cstdint>
#include <map>

namespace cuda_on_cpu::check {

// the number of a stream or a node: see runtime/streams/stream_order.hpp
using Party = std::uint64_t;

struct Moment {
  Party party;
  std::uint64_t tick;
};

class Clock {
 public:
  bool has_seen(const Moment &moment) const;
  void join(const Clock &other);
  void join(const Moment &moment);
  Moment advance(Party party);
  template <class Known>
  void forget(const Known &known) {  // what `known` has seen
    std::erase_if(ticks_,
                  [&](const auto &entry) { return known.has_seen({entry.first, entry.second}); });
  }
  void see_all();                   // that there was until now
  bool is_empty() const { return ticks_.empty(); }

 private:
  std::uint64_t all_until_ = 0;  // each moment until this tick is seen, whoever's it is
  std::map<Party, std::uint64_t> ticks_;
};

}  // namespace cuda_on_cpu::check
