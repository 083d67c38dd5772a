// The truth about lab 04, on the CPU, one element after another. Read this first.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace odd_even::oracle {

/// The keys ascending; equal keys keep their order.
inline std::vector<float> sorted(std::vector<float> keys) {
  std::stable_sort(keys.begin(), keys.end());
  return keys;
}

/// Sorts by odd-even transposition and returns how many phases it takes: the last phase that
/// changes something is the p-th. Sorted keys take 0. Also the yardstick of the lab's figure.
inline int serial_phases(std::vector<float>& keys) {
  const int n = static_cast<int>(keys.size());
  int last_change = 0;
  for (int phase = 0; phase < last_change + 2 && phase < n; ++phase) {
    bool changed = false;
    for (int i = phase % 2; i + 1 < n; i += 2) {
      if (!(keys[i + 1] < keys[i])) continue;
      std::swap(keys[i], keys[i + 1]);
      changed = true;
    }
    if (changed) last_change = phase + 1;
  }
  return last_change;
}

}  // namespace odd_even::oracle
