// Random numbers by position: number i of a stream is a hash of i. So any thread of any machine
// gets it without the numbers before it. Integer arithmetic only: the same bits everywhere.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define DATASETS_HOST_DEVICE __host__ __device__
#else
#define DATASETS_HOST_DEVICE
#endif

namespace datasets {

/// Spreads every bit of x over the whole result: the finaliser of SplitMix64 (Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", 2014).
DATASETS_HOST_DEVICE constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// SplitMix64, entered at any position. Other seeds or purposes start elsewhere in its cycle.
struct RandomStream {
  std::uint64_t key = 0;

  DATASETS_HOST_DEVICE constexpr std::uint64_t at(std::uint64_t i) const {
    return mixed(key + i * 0x9E3779B97F4A7C15u);
  }
  /// Uniform in [0, bound), bound > 0; the remainder's bias is below 2^-32 for bounds below 2^32.
  DATASETS_HOST_DEVICE constexpr std::uint32_t below(std::uint64_t i, std::uint32_t bound) const {
    return static_cast<std::uint32_t>(at(i) % bound);
  }
};

constexpr RandomStream random_stream(std::uint64_t seed, std::uint64_t purpose) {
  return {mixed(mixed(seed) + purpose)};
}

/// A random order of 0 .. n - 1 without a table: rounds of steps that can be undone on the next
/// power of two, repeated while the result is n or more. The repetition ends, because the steps
/// lead back to `v` < n.
struct Scramble {
  static constexpr int kRounds = 4;
  std::uint32_t n = 0;
  std::uint32_t mask = 0;  // one less than a power of two, at least n - 1
  int shift = 1;           // half the mask's bits: brings high bits, which products fill, down
  std::uint32_t add[kRounds] = {};
  std::uint32_t factor[kRounds] = {};  // odd, so that multiplying loses nothing

  Scramble() = default;
  Scramble(std::uint32_t count, RandomStream random) : n(count) {
    int bits = 0;
    for (; bits < 32 && (std::uint64_t{1} << bits) < n; ++bits) mask = mask << 1 | 1;
    if (bits > 2) shift = bits / 2;
    for (int r = 0; r < kRounds; ++r) {
      add[r] = static_cast<std::uint32_t>(random.at(2 * r));
      factor[r] = static_cast<std::uint32_t>(random.at(2 * r + 1)) | 1;
    }
  }

  DATASETS_HOST_DEVICE int operator()(int v) const {
    std::uint32_t x = static_cast<std::uint32_t>(v);
    do {
      for (int r = 0; r < kRounds; ++r) {
        x = (x + add[r]) * factor[r] & mask;
        x ^= x >> shift;
      }
    } while (x >= n);
    return static_cast<int>(x);
  }
};

}  // namespace datasets
