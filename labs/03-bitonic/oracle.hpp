// The oracle of lab 03: it computes the right results on the CPU. Read this first: your kernels
// must agree with it, bit for bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <concepts>
#include <utility>
#include <vector>

namespace bitonic::oracle {

/// Does key a belong before key b? The total order of IEEE 754, with -NaN last instead of first.
template <std::floating_point Key>
bool before(Key a, Key b) {
  const auto last = [](Key key) { return std::isnan(key) && std::signbit(key); };
  if (last(a) != last(b)) return last(b);
  return std::strong_order(a, b) < 0;
}

/// The same for pairs: by key, and pairs with the same key by value.
template <typename Key, typename Value>
bool before(const std::pair<Key, Value>& a, const std::pair<Key, Value>& b) {
  if (before(a.first, b.first)) return true;
  return !before(b.first, a.first) && a.second < b.second;
}

template <typename T>
std::vector<T> sorted(std::vector<T> elements) {
  std::sort(elements.begin(), elements.end(), [](const T& a, const T& b) { return before(a, b); });
  return elements;
}

}  // namespace bitonic::oracle
