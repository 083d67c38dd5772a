// Before the headers of CCCL (thrust, cuda::std, cuda::atomic): to them this is a program of the
// host. They then use the C++ compiler's own means, and thrust its back end for the host.
#pragma once

#pragma push_macro("__CUDACC__")
#undef __CUDACC__
#include <cuda/std/__cccl/compiler.h>
#pragma pop_macro("__CUDACC__")
#include <cuda/std/__atomic/scopes.h>
template <>
struct cuda_on_cpu::AtomicScope<::cuda::std::__thread_scope_block_tag> : BlockScope {};
// Programs rely on thrust's other headers to include these, as older versions and its back end for
// GPUs do.
#include <thrust/host_vector.h>
#include <thrust/pair.h>
#include <thrust/system_error.h>
#include <thrust/tuple.h>

#include <iostream>

// Course code of CUDA 12 and before derives its functors from these.
#if CCCL_MAJOR_VERSION >= 3
namespace thrust {
template <class Argument, class Result>
struct unary_function {
  using argument_type = Argument;
  using result_type = Result;
};
template <class First, class Second, class Result>
struct binary_function {
  using first_argument_type = First;
  using second_argument_type = Second;
  using result_type = Result;
};
}  // namespace thrust
#endif
