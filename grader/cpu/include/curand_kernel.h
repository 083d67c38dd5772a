// Random numbers in kernels, with the interface of cuRAND's device API. Philox gives the numbers
// that it gives on a GPU; XORWOW and MRG32k3a here are other generators, with numbers of their own.
#pragma once

#include "cuda_runtime.h"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// Philox4x32 with 10 rounds (Salmon et al., SC 2011): a block of four numbers for each counter.
struct Philox {
  unsigned counter[4], key[2], block[4];
  unsigned used;  // of the block
  float kept;     // the second of two normal numbers
  bool has_kept;

  CUDA_ON_CPU_INLINE void make_block() {
    unsigned c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; ++round) {
      const unsigned long long a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
      const unsigned next[4] = {
          static_cast<unsigned>(b >> 32) ^ c[1] ^ k[0], static_cast<unsigned>(b),
          static_cast<unsigned>(a >> 32) ^ c[3] ^ k[1], static_cast<unsigned>(a)};
      for (int i = 0; i < 4; ++i) c[i] = next[i];
      k[0] += 0x9e3779b9, k[1] += 0xbb67ae85;
    }
    for (int i = 0; i < 4; ++i) block[i] = c[i];
  }
  CUDA_ON_CPU_INLINE void skip_blocks(unsigned long long blocks) {
    const unsigned long long low = counter[0] | static_cast<unsigned long long>(counter[1]) << 32;
    const unsigned long long sum = low + blocks;
    counter[0] = static_cast<unsigned>(sum), counter[1] = static_cast<unsigned>(sum >> 32);
    if (sum < low && ++counter[2] == 0) ++counter[3];
  }
  CUDA_ON_CPU_INLINE void begin(unsigned long long seed, unsigned long long sequence,
                                unsigned long long offset) {
    key[0] = static_cast<unsigned>(seed), key[1] = static_cast<unsigned>(seed >> 32);
    counter[0] = counter[1] = 0;
    counter[2] = static_cast<unsigned>(sequence);
    counter[3] = static_cast<unsigned>(sequence >> 32);
    used = static_cast<unsigned>(offset % 4), has_kept = false;
    skip_blocks(offset / 4);
    make_block();
  }
  CUDA_ON_CPU_INLINE unsigned next() {
    if (used == 4) skip_blocks(1), make_block(), used = 0;
    return block[used++ % 4];  // a state that nobody has set up has any number there
  }
};

// One generator under each of these names, so that they are different types.
template <int kind>
struct RandomState : Philox {};

CUDA_ON_CPU_INLINE float uniform_of(unsigned bits) {
  return static_cast<float>(bits) * 0x1p-32f + 0x1p-33f;
}
CUDA_ON_CPU_INLINE float2 normal_of(unsigned a, unsigned b) {
  const float radius = std::sqrt(-2 * std::log(uniform_of(a)));
  const float angle = 6.2831853f * uniform_of(b);
  return {radius * std::sin(angle), radius * std::cos(angle)};
}

}  // namespace cuda_on_cpu

using curandStatePhilox4_32_10 = ::cuda_on_cpu::RandomState<0>;
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;
using curandStateXORWOW = ::cuda_on_cpu::RandomState<1>;
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandStateMRG32k3a = ::cuda_on_cpu::RandomState<2>;
using curandStateMRG32k3a_t = curandStateMRG32k3a;

template <int kind>
CUDA_ON_CPU_INLINE void curand_init(unsigned long long seed, unsigned long long sequence,
                                    unsigned long long offset,
                                    ::cuda_on_cpu::RandomState<kind> *state) {
  state->begin(seed, sequence, offset);
}
template <int kind>
CUDA_ON_CPU_INLINE void skipahead(unsigned long long n, ::cuda_on_cpu::RandomState<kind> *state) {
  for (; n % 4; --n) state->next();
  if (n) state->skip_blocks(n / 4), state->make_block();
}
template <int kind>
CUDA_ON_CPU_INLINE unsigned curand(::cuda_on_cpu::RandomState<kind> *state) {
  return state->next();
}
template <int kind>
CUDA_ON_CPU_INLINE float curand_uniform(::cuda_on_cpu::RandomState<kind> *state) {
  return ::cuda_on_cpu::uniform_of(state->next());
}
template <int kind>
CUDA_ON_CPU_INLINE double curand_uniform_double(::cuda_on_cpu::RandomState<kind> *state) {
  const unsigned long long low = state->next(), high = state->next();
  return static_cast<double>((high << 21 ^ low >> 11) & ((1ull << 53) - 1)) * 0x1p-53 + 0x1p-54;
}
template <int kind>
CUDA_ON_CPU_INLINE float2 curand_normal2(::cuda_on_cpu::RandomState<kind> *state) {
  const unsigned a = state->next(), b = state->next();
  return ::cuda_on_cpu::normal_of(a, b);
}
template <int kind>
CUDA_ON_CPU_INLINE float curand_normal(::cuda_on_cpu::RandomState<kind> *state) {
  if (state->has_kept) {
    state->has_kept = false;
    return state->kept;
  }
  const float2 two = curand_normal2(state);
  state->kept = two.y, state->has_kept = true;
  return two.x;
}
template <int kind>
CUDA_ON_CPU_INLINE double curand_normal_double(::cuda_on_cpu::RandomState<kind> *state) {
  const double radius = std::sqrt(-2 * std::log(curand_uniform_double(state)));
  return radius * std::sin(6.283185307179586 * curand_uniform_double(state));
}
template <int kind>
CUDA_ON_CPU_INLINE float curand_log_normal(::cuda_on_cpu::RandomState<kind> *state, float mean,
                                           float deviation) {
  return std::exp(mean + deviation * curand_normal(state));
}
template <int kind>
CUDA_ON_CPU_INLINE unsigned curand_poisson(::cuda_on_cpu::RandomState<kind> *state, double mean) {
  double product = curand_uniform_double(state);  // Knuth's; large means are slow
  unsigned count = 0;
  for (const double limit = std::exp(-mean); product > limit; ++count)
    product *= curand_uniform_double(state);
  return count;
}
template <int kind>
CUDA_ON_CPU_INLINE uint4 curand4(::cuda_on_cpu::RandomState<kind> *state) {
  const unsigned a = state->next(), b = state->next(), c = state->next();
  return {a, b, c, state->next()};
}
template <int kind>
CUDA_ON_CPU_INLINE float4 curand_uniform4(::cuda_on_cpu::RandomState<kind> *state) {
  const uint4 bits = curand4(state);
  using ::cuda_on_cpu::uniform_of;
  return {uniform_of(bits.x), uniform_of(bits.y), uniform_of(bits.z), uniform_of(bits.w)};
}
template <int kind>
CUDA_ON_CPU_INLINE float4 curand_normal4(::cuda_on_cpu::RandomState<kind> *state) {
  const float2 first = curand_normal2(state), second = curand_normal2(state);
  return {first.x, first.y, second.x, second.y};
}

#pragma GCC visibility pop

#include "cuda_on_cpu/random_host.hpp"
