// A set of addresses, as ranges that do not touch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

namespace cuda_on_cpu {

class ByteRanges {
 public:
  // Adds these bytes to the set. Returns how many of them are new.
  std::size_t add(const void *from, std::size_t bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(from), behind = first + bytes;
    std::uintptr_t begin = first, end = behind;  // with the ranges that this one touches
    std::size_t known = 0;
    auto range = ends_.upper_bound(begin);
    if (range != ends_.begin() && std::prev(range)->second >= begin) --range;
    while (range != ends_.end() && range->first <= end) {  // ranges that touch are joined
      const auto low = std::max(range->first, first), high = std::min(range->second, behind);
      if (low < high) known += high - low;
      begin = std::min(begin, range->first);
      end = std::max(end, range->second);
      range = ends_.erase(range);
    }
    ends_[begin] = end;
    return bytes - known;
  }
  void clear() { ends_.clear(); }

 private:
  std::map<std::uintptr_t, std::uintptr_t> ends_;  // by begin
};

}  // namespace cuda_on_cpu
