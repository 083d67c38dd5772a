// Random numbers for whole buffers, with the interface of cuRAND's host API. All of its
// pseudo-random generators are Philox here, each with numbers of its own; the quasi-random ones do
// not exist.
#pragma once

#define CURAND_H_  // libraries recognise the header by it

#include "../curand_kernel.h"
#include "library_kernel.hpp"

#pragma GCC visibility push(default)

enum curandStatus_t {
  CURAND_STATUS_SUCCESS = 0,
  CURAND_STATUS_VERSION_MISMATCH = 100,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
  CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203,
  CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999,
};
enum curandRngType_t {
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 = 141,
  CURAND_RNG_PSEUDO_MT19937 = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200,
  CURAND_RNG_QUASI_SOBOL32 = 201,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
  CURAND_RNG_QUASI_SOBOL64 = 203,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204,
};
using curandRngType = curandRngType_t;
enum curandOrdering_t {
  CURAND_ORDERING_PSEUDO_BEST = 100,
  CURAND_ORDERING_PSEUDO_DEFAULT = 101,
  CURAND_ORDERING_PSEUDO_SEEDED = 102,
  CURAND_ORDERING_PSEUDO_LEGACY = 103,
  CURAND_ORDERING_QUASI_DEFAULT = 201,
};

struct curandGenerator_st {
  curandRngType_t type;
  bool on_host;
  unsigned long long seed = 0, drawn = 0;
  cudaStream_t stream = nullptr;
  bool is_destroyed = false;
};
typedef curandGenerator_st *curandGenerator_t;

namespace cuda_on_cpu {

inline bool exists(curandGenerator_t generator) { return generator && !generator->is_destroyed; }

// out[i] = draw(state of i): each number has a state of its own, so their order does not matter.
template <class T, class Draw>
curandStatus_t fill_randomly(curandGenerator_t generator, T *out, size_t count, Draw draw) {
  if (!::cuda_on_cpu::exists(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  const unsigned long long seed = generator->seed ^ static_cast<unsigned long long>(generator->type)
                                                        << 32;
  const unsigned long long first = generator->drawn;
  const auto one = [=](long long i) {
    curandStatePhilox4_32_10_t state;
    curand_init(seed, first + static_cast<unsigned long long>(i), 0, &state);
    out[i] = draw(&state);
  };
  generator->drawn += count;
  if (generator->on_host) {
    for (size_t i = 0; i < count; ++i) one(static_cast<long long>(i));
    return CURAND_STATUS_SUCCESS;
  }
  const cudaError_t error =
      for_each("curandGenerate", generator->stream, static_cast<long long>(count), one);
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

inline void operator,(const Discarded &discarded, curandStatus_t status) {
  if (status == CURAND_STATUS_SUCCESS) return;
  note_discarded(status == CURAND_STATUS_LENGTH_NOT_MULTIPLE ? "the number of values must be even"
                 : status == CURAND_STATUS_TYPE_ERROR        ? "there is no generator of this type"
                 : status == CURAND_STATUS_NOT_INITIALIZED
                     ? "the generator does not exist, or not any more"
                     : "the operation failed",
                 discarded.call, discarded.site);
}

inline curandStatus_t make_generator(curandGenerator_t *generator, curandRngType_t type,
                                     bool on_host) {
  if (type >= CURAND_RNG_QUASI_DEFAULT || type < CURAND_RNG_PSEUDO_DEFAULT)
    return CURAND_STATUS_TYPE_ERROR;
  *generator = new curandGenerator_st{type, on_host};
  return CURAND_STATUS_SUCCESS;
}

}  // namespace cuda_on_cpu

inline curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
  return ::cuda_on_cpu::make_generator(generator, type, false);
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator,
                                                curandRngType_t type) {
  return ::cuda_on_cpu::make_generator(generator, type, true);
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (!::cuda_on_cpu::exists(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->is_destroyed = true;  // and stays, so that a later use can be told
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                         unsigned long long seed) {
  if (!::cuda_on_cpu::exists(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                               unsigned long long offset) {
  if (!::cuda_on_cpu::exists(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->drawn = offset;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t) {
  return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (!::cuda_on_cpu::exists(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int *version) {
  *version = 10400;
  return CURAND_STATUS_SUCCESS;
}

inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned *out, size_t count) {
  return ::cuda_on_cpu::fill_randomly(generator, out, count,
                                      [](auto *state) { return curand(state); });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out, size_t count) {
  return ::cuda_on_cpu::fill_randomly(generator, out, count,
                                      [](auto *state) { return curand_uniform(state); });
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *out,
                                                  size_t count) {
  return ::cuda_on_cpu::fill_randomly(generator, out, count,
                                      [](auto *state) { return curand_uniform_double(state); });
}
inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out, size_t count,
                                           float mean, float deviation) {
  if (count % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;  // as on a GPU
  return ::cuda_on_cpu::fill_randomly(
      generator, out, count, [=](auto *state) { return mean + deviation * curand_normal(state); });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *out,
                                                 size_t count, double mean, double deviation) {
  if (count % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return ::cuda_on_cpu::fill_randomly(generator, out, count, [=](auto *state) {
    return mean + deviation * curand_normal_double(state);
  });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t count,
                                              float mean, float deviation) {
  if (count % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return ::cuda_on_cpu::fill_randomly(generator, out, count, [=](auto *state) {
    return curand_log_normal(state, mean, deviation);
  });
}
inline curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned *out,
                                            size_t count, double mean) {
  return ::cuda_on_cpu::fill_randomly(generator, out, count,
                                      [=](auto *state) { return curand_poisson(state, mean); });
}

#pragma GCC visibility pop
