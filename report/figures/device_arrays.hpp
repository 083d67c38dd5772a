// What the programs of the figures do to whole arrays on the device: make inputs, compare outputs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace figures {

/// The first n keys of a random order of n keys, all different up to n = 2^24 and nearly so beyond.
void fill_shuffled(float* keys, std::size_t n, std::uint64_t seed);

/// The numbers 0 ... n - 1 in that order.
void fill_shuffled(int* values, std::size_t n, std::uint64_t seed);

/// What must hold of sorted keys, and of no others: see sorted_from.
struct Digest {
  std::uint64_t sum = 0;          // over hashes of each key's bits and its array's number
  unsigned long long wrong = 0;   // neighbours in the wrong order
};

/// Of arrays of `length` keys each, n in all; ascending or descending.
template <typename Key>
Digest digest(const Key* keys, std::size_t n, std::size_t length, bool ascending = true);

/// Whether `output` is `input` sorted: in order, and with the same keys in every array. Two sets of
/// keys with one sum of 64-bit hashes would have to be looked for.
inline bool sorted_from(const Digest& input, const Digest& output) {
  return output.wrong == 0 && output.sum == input.sum;
}

/// How many of n elements differ in a bit.
template <typename T>
std::size_t count_differences(const T* a, const T* b, std::size_t n);

/// to[i] = from[place[i]]
template <typename T>
void gather(const T* from, const int* place, std::size_t n, T* to);

/// to[i] = from[i], as double.
void widen(const float* from, std::size_t n, double* to);

}  // namespace figures
