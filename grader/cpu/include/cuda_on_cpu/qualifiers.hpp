// Function and variable qualifiers, and the attributes that the headers themselves need.
#pragma once

#pragma GCC visibility push(default)

// The driver (cucc.py) defines __CUDACC__ for .cu files. There __global__, __device__, __host__,
// __constant__, __managed__, __shared__, __launch_bounds__, __cluster_dims__ and __noinline__ stay
// plain words: the rewriter reads them after preprocessing. (libstdc++ uses __noinline__ inside
// attributes, so it cannot be a macro.)
#ifndef __CUDACC__
#define __host__
#define __global__
#define __device__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#endif
// What a kernel may assume: nothing is made of it here. clang knows the word.
#if defined(__CUDACC__) && !defined(__clang__)
#define __builtin_assume(...) static_cast<void>(sizeof(!(__VA_ARGS__)))
#endif
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))

// A student's file compiled with -fsanitize=thread reports its own memory accesses to a checker.
// Accesses inside the headers (an atomic, a shuffle's copy) are not the student's, so these
// functions are not instrumented.
#if defined(__SANITIZE_THREAD__)
#define CUDA_ON_CPU_INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CUDA_ON_CPU_INSTRUMENTED 1
#endif
#endif

#if !defined(CUDA_ON_CPU_INSTRUMENTED)
#define CUDA_ON_CPU_UNINSTRUMENTED
#elif defined(__clang__)
// no_sanitize("thread") would still instrument the atomics.
#define CUDA_ON_CPU_UNINSTRUMENTED __attribute__((noinline, disable_sanitizer_instrumentation))
#else
#define CUDA_ON_CPU_UNINSTRUMENTED __attribute__((noinline, no_sanitize_thread))
#endif

// Device functions in the headers whose accesses are the student's: a call is part of its caller,
// so that reports name the caller's line.
#define CUDA_ON_CPU_INLINE inline __attribute__((always_inline))

// The same for a library's device functions, where accesses are watched. Elsewhere such a function
// keeps its name in a program's calls, by which grader/intake knows the library.
#ifdef CUDA_ON_CPU_INSTRUMENTED
#define CUDA_ON_CPU_LIBRARY CUDA_ON_CPU_INLINE
#define CUDA_ON_CPU_WATCHED(...) __VA_ARGS__
#else
#define CUDA_ON_CPU_LIBRARY inline
#define CUDA_ON_CPU_WATCHED(...)
#endif

// Variables of the runtime that kernels read per thread: one instruction to reach, because the
// runtime is linked statically.
#define CUDA_ON_CPU_FAST_TLS __attribute__((tls_model("initial-exec")))

namespace cuda_on_cpu {

// Where in the student's file a call is. `path`: by which calls a thread came there, if a checker
// asks.
struct Site {
  const char *file;
  int line;
  unsigned path = 0;
};

}  // namespace cuda_on_cpu

// As the last parameter of a function: the caller's line, which the caller does not have to pass.
#define CUDA_ON_CPU_CALLER ::cuda_on_cpu::Site caller = {__builtin_FILE(), __builtin_LINE()}

#pragma GCC visibility pop
