// What the figures' programs do to whole arrays on the device: make inputs, compare outputs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace figures {

/// Fills in n keys in a random order. All differ up to n = 2^24, and nearly all beyond.
void fill_shuffled(float* keys, std::size_t n, std::uint64_t seed);

/// Fills in the numbers 0 ... n - 1 in a random order.
void fill_shuffled(int* values, std::size_t n, std::uint64_t seed);

/// Properties by which sorted keys are recognised: see sorted_from.
struct Digest {
  std::uint64_t sum = 0;          // over hashes of each key's bits and its array's number
  unsigned long long wrong = 0;   // neighbours in the wrong order
};

/// The digest of arrays of `length` keys each, n keys in all; ascending or descending.
template <typename Key>
Digest digest(const Key* keys, std::size_t n, std::size_t length, bool ascending = true);

/// Whether `output` is `input` sorted: in order, and with the same keys in every array. Two
/// different sets of keys with the same sum of 64-bit hashes do not occur unless someone searches
/// for them.
inline bool sorted_from(const Digest& input, const Digest& output) {
  return output.wrong == 0 && output.sum == input.sum;
}

/// How many of n elements differ in at least one bit.
template <typename T>
std::size_t count_differences(const T* a, const T* b, std::size_t n);

/// to[i] = from[place[i]]
template <typename T>
void gather(const T* from, const int* place, std::size_t n, T* to);

/// to[i] = from[i], as double.
void widen(const float* from, std::size_t n, double* to);

}  // namespace figures
