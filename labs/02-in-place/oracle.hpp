// The oracle of lab 02: it computes the right results on the CPU, one array after another.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

namespace in_place::oracle {

/// `arrays` arrays of n keys, each sorted ascending; equal keys keep their order.
inline std::vector<float> sorted(std::vector<float> keys, std::size_t n, std::size_t arrays) {
  for (std::size_t a = 0; a < arrays; ++a)
    std::stable_sort(keys.begin() + a * n, keys.begin() + (a + 1) * n);
  return keys;
}

/// Rank sort in place on one CPU core: the yardstick of the lab's figure.
inline void serial_rank_sort(std::span<float> keys) {
  std::vector<std::size_t> rank(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) rank[i] += keys[j] <= keys[i];
    for (std::size_t j = i + 1; j < keys.size(); ++j) rank[i] += keys[j] < keys[i];
  }
  const std::vector<float> moving(keys.begin(), keys.end());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[rank[i]] = moving[i];
}

}  // namespace in_place::oracle
