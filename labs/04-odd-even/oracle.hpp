// The oracle of lab 04: it computes the right results on the CPU, one element after another. Read
// this first.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace odd_even::oracle {

/// The keys ascending; equal keys keep their order.
inline std::vector<float> sorted(std::vector<float> keys) {
  std::stable_sort(keys.begin(), keys.end());
  return keys;
}

/// The keys, with every -0 moved before the 0s of its row of zeros. The result is equal for two
/// arrays that differ only in the order of 0 and -0.
inline std::vector<float> zeros_settled(std::vector<float> keys) {
  const auto zero = [](float key) { return key == 0; };
  for (auto first = std::find_if(keys.begin(), keys.end(), zero); first != keys.end();) {
    const auto last = std::find_if_not(first, keys.end(), zero);
    std::stable_partition(first, last, [](float key) { return std::signbit(key); });
    first = std::find_if(last, keys.end(), zero);
  }
  return keys;
}

struct Record {
  int order, level;
  float value;
  int position;  // its index in the input
};

/// Does record a belong before record b?
inline bool before(const Record& a, const Record& b) {
  if (a.order == 0 || b.order == 0) return a.order != 0 && b.order == 0;
  if (a.level != b.level) return a.level > b.level;
  return a.value > b.value;
}

/// Sorts by odd-even transposition and returns p, the number of phases it takes: the p-th phase is
/// the last that changes something. Sorted elements take 0.
template <typename Element, typename Before>
int serial_phases(std::vector<Element>& elements, Before before) {
  const int n = static_cast<int>(elements.size());
  int last_change = 0;
  for (int phase = 0; phase < last_change + 2 && phase < n; ++phase) {
    bool changed = false;
    for (int i = phase % 2; i + 1 < n; i += 2) {
      if (!before(elements[i + 1], elements[i])) continue;
      std::swap(elements[i], elements[i + 1]);
      changed = true;
    }
    if (changed) last_change = phase + 1;
  }
  return last_change;
}

}  // namespace odd_even::oracle
