// How a case is told apart from others in a message. A public seed is shown: whoever has it can
// make the same input. A secret one would hand out the hidden tests, so its cases get a number that
// only somebody who knows the secret can compute: an HMAC (RFC 2104) with SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "judge.hpp"

namespace warpwise {

/// Set in every secret seed and in no public one, so that no message can forget to ask.
inline constexpr std::uint64_t kSecretSeed = std::uint64_t{1} << 62;

namespace sha256 {

using State = std::array<std::uint32_t, 8>;
inline constexpr std::size_t kBlock = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
inline constexpr std::array<std::uint32_t, kBlock> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

inline void add_block(State& state, const char* block) {
  std::array<std::uint32_t, kBlock> words;
  for (std::size_t i = 0; i < 16; ++i) {
    words[i] = 0;
    for (std::size_t b = 0; b < 4; ++b)
      words[i] = words[i] << 8 | static_cast<unsigned char>(block[4 * i + b]);
  }
  for (std::size_t i = 16; i < kBlock; ++i) {
    const std::uint32_t x = words[i - 15], y = words[i - 2];
    words[i] = words[i - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + words[i - 7] +
               (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint32_t up = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                             ((e & f) ^ (~e & g)) + kRounds[i] + words[i];
    const std::uint32_t down = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
                               ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + up, d = c, c = b, b = a, a = up + down;
  }
  const State added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

/// The digest's 32 bytes.
inline std::string digest(std::string message) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::uint64_t bits = 8 * std::uint64_t{message.size()};
  message += '\x80';
  while (message.size() % kBlock != kBlock - sizeof bits) message += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) message += static_cast<char>(bits >> shift);
  for (std::size_t i = 0; i < message.size(); i += kBlock) add_block(state, &message[i]);
  std::string bytes;
  for (const std::uint32_t word : state)
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift);
  return bytes;
}

/// HMAC of `message`; the key is at most a block long.
inline std::string hmac(std::string key, std::string_view message) {
  key.resize(kBlock, '\0');
  std::string inner, outer;
  for (const char byte : key) {
    inner += static_cast<char>(byte ^ 0x36);
    outer += static_cast<char>(byte ^ 0x5c);
  }
  return digest(outer + digest(inner.append(message)));
}

}  // namespace sha256

/// "17 ... (seed 18)" for `what` = "17 ...", or with a secret seed "17 ... (case 0a1b2c3d)".
inline std::string with_case_number(const std::string& what, std::uint64_t seed,
                                    std::uint64_t judges_seed = judge().options().seed) {
  const std::string label = what + " (seed " + std::to_string(seed) + ")";
  if (!(judges_seed & kSecretSeed)) return label;
  const std::string mac = sha256::hmac(std::to_string(judges_seed), label);
  std::string number;
  for (std::size_t i = 0; i < 4; ++i)
    for (const int shift : {4, 0}) number += "0123456789abcdef"[mac[i] >> shift & 15];
  return what + " (case " + number + ")";
}

}  // namespace warpwise
