// Kernel launches. The rewriter turns  add<<<grid, block>>>(a, n);  into
//   ::cuda_on_cpu::Launch{::cuda_on_cpu::Configuration(grid, block), "add", {file, line}}
//       .run(&add, [](auto... values) { add(values...); }, a, n);
// so that the kernel's body is inlined into run_threads(), the loop over the threads of a block.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "index.hpp"
#include "launch_arguments.hpp"
#include "qualifiers.hpp"
#include "runtime_api.hpp"
#include "vector_types.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
  bool cooperative = false;  // the kernel may call grid.sync()
  dim3 cluster{};            // how many blocks share their shared memory: one, or more
  Configuration(dim3 grid_, dim3 block_, std::size_t shared_bytes_ = 0,
                cudaStream_t stream_ = nullptr)
      : grid(grid_), block(block_), shared_bytes(shared_bytes_), stream(stream_) {}
};

// The part of the block scheduler that the inlined loop uses.
struct BlockProgress {
  unsigned next = 0;   // threads started so far (in forward order: the next thread)
  unsigned count = 0;  // threads of the block
  bool suspended =
      false;  // some thread has waited in this block: from then on every end of a thread counts
  bool straight =
      false;  // one-dimensional block in forward order: the loop needs no help from the runtime
  bool forward = false;  // order of threads
};
extern thread_local constinit BlockProgress *block_progress CUDA_ON_CPU_FAST_TLS;

bool start_next_thread();  // sets threadIdx; false when every thread has been started
bool end_thread();         // false when a thread that waited can go on: then leave the loop

// One executor: runs threads one after another. A thread that waits keeps this stack, and another
// executor continues.
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

template <class Body>
void *copy_body(const void *from) {
  return new Body(*static_cast<const Body *>(from));
}
template <class Body>
void destroy_body(void *copied) {
  delete static_cast<Body *>(copied);
}

// A kernel with its arguments. A captured launch keeps a copy. In a worker run_grid() takes no
// other run_threads than an instance of the template above: only that one runs while device memory
// is open.
struct KernelBody {
  void (*run_threads)(const void *);
  const void *object;
  std::size_t bytes;  // of the arguments: every thread that waits has copies on its stack
  void *(*copy)(const void *);
  void (*destroy)(void *);
  bool has_destructor;  // some argument has

  template <class Body>
  explicit KernelBody(const Body &body)
      : run_threads(&::cuda_on_cpu::run_threads<Body>),
        object(&body),
        bytes(sizeof body),
        copy(&copy_body<Body>),
        destroy(&destroy_body<Body>),
        has_destructor(!std::is_trivially_destructible_v<Body>) {}
};

// `identity` is the kernel's address, by which cudaFuncSetAttribute knows it. It is null when only
// `body` knows the kernel.
cudaError_t run_grid(const Configuration &configuration, const char *name, Site site,
                     const void *identity, const KernelBody &body);

// Of a kernel that launches another one: what is on its thread's stack is no memory of a child.
void refuse_local(const void *pointer, const char *child, Site site);

// The rewriter writes this for 0 when the parameter's type is not known.
struct ZeroLiteral {
  template <class T>
  operator T *() const {
    return nullptr;
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  operator T() const { return 0; }
};
inline int zero_as_int(ZeroLiteral) { return 0; }
template <class T>
inline T zero_as_int(T value) {
  return value;
}

struct Launch {
  Configuration configuration;
  const char *name;
  Site site;

  // The kernel is one function: its parameter types are known, so 0 and {} convert as in a call.
  template <class... Parameter, class Call>
  cudaError_t run(void (*kernel)(Parameter...), Call call,
                  std::type_identity_t<Parameter>... arguments) const {
    return start(reinterpret_cast<const void *>(kernel), call, passed_as<Parameter>(arguments)...);
  }

  // Fewer arguments than parameters: the kernel's default arguments are used.
  template <class... Parameter, class Call, class... Argument>
  requires(sizeof...(Argument) < sizeof...(Parameter)) cudaError_t
      run(void (*kernel)(Parameter...), Call call, Argument... arguments)
  const { return start(reinterpret_cast<const void *>(kernel), call, std::move(arguments)...); }

  // The same with a literal 0 among the arguments: an int if that fits, otherwise a null pointer.
  template <class Call, class... Argument>
  requires(!Converts<Argument> && ...) cudaError_t
      run_with_zeros(Call call, Argument... arguments)
  const {
    if constexpr (std::is_invocable_v<Call, decltype(zero_as_int(arguments))...>)
      return run_deduced(call, zero_as_int(arguments)...);
    else
      return run_deduced(call, arguments...);
  }
  template <class Call, class... Argument>
  requires(Converts<std::remove_reference_t<Argument>> || ...) cudaError_t
      run_with_zeros(Call call, Argument &&...arguments)
  const {
    const auto run = [&](auto... values) { return run_with_zeros(call, values...); };
    return with_passed<Call>(run, std::index_sequence_for<Argument...>(), arguments...);
  }

  // An overloaded kernel, a template that deduces its arguments, or an expression: overload
  // resolution happens in `call`. `Fits` can be asked whether it would find a kernel.
  template <class Call, class Fits, class... Argument>
  requires(!Converts<Argument> && ...) cudaError_t
      run_found(Call call, Fits, Argument... arguments)
  const { return run_deduced(call, arguments...); }
  template <class Call, class Fits, class... Argument>
  requires(Converts<std::remove_reference_t<Argument>> || ...) cudaError_t
      run_found(Call call, Fits, Argument &&...arguments)
  const {
    const auto run = [&](auto... values) { return run_deduced(call, values...); };
    return with_passed<Fits>(run, std::index_sequence_for<Argument...>(), arguments...);
  }

  template <class Call, class... Argument>
  cudaError_t run_deduced(Call call, Argument... arguments) const {
    return start(nullptr, call, std::move(arguments)...);
  }

 private:
  template <class Call, class... Argument>
  cudaError_t start(const void *identity, Call call, Argument... arguments) const {
    (check_argument(arguments), ...);
    auto body = [ call, ... values = std::move(arguments) ]() __attribute__((always_inline)) {
      call(values...);
    };
    return run_grid(configuration, name, site, identity, KernelBody(body));
  }
  template <class Argument>
  void check_argument(const Argument &argument) const {
    if constexpr (std::is_convertible_v<Argument, const volatile void *>)
      refuse_local(const_cast<const void *>(static_cast<const volatile void *>(argument)), name,
                   site);
  }
};

[[noreturn]] void break_launch_bound(unsigned most);
void begin_in_cluster(dim3 cluster);

// A kernel with __launch_bounds__(most) begins with it. 0 is no bound.
CUDA_ON_CPU_INLINE void keep_launch_bound(long long most) {
  if (most > 0 && blockDim.x * blockDim.y * blockDim.z > most) [[unlikely]]
    break_launch_bound(most);
}

// A kernel with __cluster_dims__(x, y, z) begins with it.
inline void keep_cluster(unsigned x, unsigned y = 1, unsigned z = 1) {
  begin_in_cluster({x, y, z});
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
