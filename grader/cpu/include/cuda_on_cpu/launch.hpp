// Kernel launches. The rewriter turns  add<<<grid, block>>>(a, n);  into
//   ::cuda_on_cpu::Launch{::cuda_on_cpu::Configuration(grid, block), "add", {file, line}}
//       .run(&add, [](auto... values) { add(values...); }, a, n);
// so that the kernel's body is inlined into run_threads(), the loop over the threads of a block.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "index.hpp"
#include "qualifiers.hpp"
#include "runtime_api.hpp"
#include "vector_types.hpp"

namespace cuda_on_cpu {

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
  Configuration(dim3 grid_, dim3 block_, std::size_t shared_bytes_ = 0,
                cudaStream_t stream_ = nullptr)
      : grid(grid_), block(block_), shared_bytes(shared_bytes_), stream(stream_) {}
};

// The part of the block scheduler that the inlined loop touches.
struct BlockProgress {
  unsigned next = 0;   // threads started so far (in forward order: the next thread)
  unsigned count = 0;  // threads of the block
  bool suspended =
      false;  // some thread has waited in this block: every end of a thread matters now
  bool straight =
      false;  // one-dimensional block in forward order: the loop needs no help of the runtime
};
extern thread_local constinit BlockProgress *block_progress CUDA_ON_CPU_FAST_TLS;

bool start_next_thread();  // sets threadIdx; false when every thread has been started
bool end_thread();         // false when a thread that waited can go on: leave the loop to it

// One executor: runs threads back to back. A thread that waits keeps this stack; another executor
// goes on.
template <class Body>
#if defined(__clang__)
__attribute__((noinline, no_sanitize("thread")))
#else
__attribute__((noinline, no_sanitize_thread))
#endif
void run_threads(const void *erased_body) {
  const Body body = *static_cast<const Body *>(
      erased_body);  // on this stack, where arguments can live in registers
  BlockProgress &progress = *block_progress;
  if (progress.straight) {
    while (progress.next < progress.count) {
      threadIdx.x = progress.next++;
      body();
      if (progress.suspended && !end_thread()) return;
    }
    return;
  }
  while (start_next_thread()) {
    body();
    if (!end_thread()) return;
  }
}

// `identity` is the kernel's address, by which cudaFuncSetAttribute knows it; null when only the
// call knows the kernel.
void run_grid(const Configuration &configuration, const char *name, Site site, const void *identity,
              void (*run_threads)(const void *), const void *body);

struct Launch {
  Configuration configuration;
  const char *name;
  Site site;

  // The kernel is one function: its parameter types are known, so 0 and {} convert as in a call.
  template <class... Parameter, class Call>
  void run(void (*kernel)(Parameter...), Call call,
           std::type_identity_t<Parameter>... arguments) const {
    start(reinterpret_cast<const void *>(kernel), call, std::move(arguments)...);
  }

  // Fewer arguments than parameters: the kernel's default arguments fill in.
  template <class... Parameter, class Call, class... Argument>
  requires(sizeof...(Argument) < sizeof...(Parameter)) void run(void (*kernel)(Parameter...),
                                                                Call call,
                                                                Argument... arguments) const {
    start(reinterpret_cast<const void *>(kernel), call, std::move(arguments)...);
  }

  // An overloaded kernel, a template that deduces its arguments, or an expression: overload
  // resolution happens in `call`.
  template <class Call, class... Argument>
  void run_deduced(Call call, Argument... arguments) const {
    start(nullptr, call, std::move(arguments)...);
  }

 private:
  template <class Call, class... Argument>
  void start(const void *identity, Call call, Argument... arguments) const {
    auto body = [ call, ... values = std::move(arguments) ]() __attribute__((always_inline)) {
      call(values...);
    };
    run_grid(configuration, name, site, identity, &run_threads<decltype(body)>, &body);
  }
};

}  // namespace cuda_on_cpu

// The kernel's type gives the parameter types by which the array of pointers is read.
template <class... Parameter>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Parameter...), dim3 grid, dim3 block,
                                    void **arguments, size_t shared_bytes = 0,
                                    cudaStream_t stream = nullptr, CUDA_ON_CPU_CALLER) {
  const ::cuda_on_cpu::Launch launch{{grid, block, shared_bytes, stream}, "kernel", caller};
  [&]<size_t... index>(std::index_sequence<index...>) {
    launch.run(
        kernel, [kernel](auto... values) { kernel(values...); },
        *static_cast<std::remove_cv_t<Parameter> *>(arguments[index])...);
  }
  (std::index_sequence_for<Parameter...>{});
  return cudaPeekAtLastError();
}
