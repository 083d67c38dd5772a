// The oracle of lab 01: it computes the right results on the CPU, one element after another. Read
// this first: your kernels must agree with it, bit for bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace rank_sort::oracle {

/// Does key a belong before key b? Ascending; every NaN comes after all numbers.
inline bool ascending(float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

/// The same from large to small; NaN stays last.
inline bool descending(float a, float b) { return std::isnan(b) ? !std::isnan(a) : a > b; }

/// Orders strings by their bytes as unsigned numbers; a prefix comes before a longer string.
inline bool bytewise(const std::string& a, const std::string& b) { return a < b; }

/// order[r] is the index of the element with rank r; equal elements keep their order.
template <typename T, typename Before>
std::vector<int> order(const std::vector<T>& elements, Before before) {
  std::vector<int> indices(elements.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::stable_sort(indices.begin(), indices.end(),
                   [&](int a, int b) { return before(elements[a], elements[b]); });
  return indices;
}

/// The elements in the given order.
template <typename T>
std::vector<T> arrange(const std::vector<T>& elements, const std::vector<int>& order) {
  std::vector<T> arranged;
  for (const int index : order) arranged.push_back(elements[index]);
  return arranged;
}

/// Rank sort on one CPU core: the yardstick of the lab's figure. Distinct keys, no NaN.
inline void serial_rank_sort(std::span<const float> in, std::span<float> out) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    std::size_t rank = 0;
    for (const float other : in) rank += other < in[i];
    out[rank] = in[i];
  }
}

}  // namespace rank_sort::oracle
