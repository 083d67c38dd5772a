// Copies to shared memory that overlap with computing: cuda::pipeline, cuda::memcpy_async and the
// older functions __pipeline_*. Here a copy is made at once by the threads that ask for it.
#pragma once

#include <cstring>
#include <type_traits>

#include "async_barrier.hpp"
#include "copy_step.hpp"

#if __has_include(<cuda/__memory/aligned_size.h>)
#include <cuda/__memory/aligned_size.h>
#else
#pragma GCC visibility push(default)
namespace cuda {
template <::std::size_t Alignment>
struct aligned_size_t {
  ::std::size_t value;
  explicit aligned_size_t(::std::size_t bytes) : value(bytes) {}
  operator ::std::size_t() const { return value; }
};
}  // namespace cuda
#pragma GCC visibility pop
#endif

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// The part of thread `rank` of `count`, in pieces as large as addresses and size allow.
template <class Piece>
CUDA_ON_CPU_INLINE void copy_pieces(void *to, const void *from, ::std::size_t bytes, unsigned rank,
                                    unsigned count) {
  for (::std::size_t i = rank; i < bytes / sizeof(Piece); i += count)
    static_cast<Piece *>(to)[i] = static_cast<const Piece *>(from)[i];
}
CUDA_ON_CPU_INLINE unsigned unit_of(const void *to, const void *from, ::std::size_t bytes) {
  const auto all =
      reinterpret_cast<::std::uintptr_t>(to) | reinterpret_cast<::std::uintptr_t>(from) | bytes;
  return all % 4 == 0 ? 4 : 1;
}
CUDA_ON_CPU_INLINE void copy_part(void *to, const void *from, ::std::size_t bytes, unsigned rank,
                                  unsigned count) {
  if (unit_of(to, from, bytes) == 4)
    copy_pieces<unsigned>(to, from, bytes, rank, count);
  else
    copy_pieces<unsigned char>(to, from, bytes, rank, count);
}
// The same, by a group, for whoever waits at a barrier.
template <class Group, class Synchronisation>
CUDA_ON_CPU_INLINE void copy_own_part(const Group &group, void *to, const void *from,
                                      ::std::size_t bytes,
                                      [[maybe_unused]] Synchronisation &waited_for) {
  const auto rank = static_cast<unsigned>(group.thread_rank());
  const auto count = static_cast<unsigned>(group.size());
  copy_part(to, from, bytes, rank, count);
  // Without a checker a copy's steps are nothing, and so is this loop.
  if constexpr (requires { waited_for.arrive_and_drop(); }) {
    const ::std::size_t unit = unit_of(to, from, bytes);
    for (::std::size_t at = rank * unit; at < bytes; at += count * unit)
      waited_for.begin_copy(static_cast<char *>(to) + at, unit);
  }
}

}  // namespace cuda_on_cpu

namespace cuda {

// Only a size of this type promises something of the addresses.
template <class Shape>
CUDA_ON_CPU_INLINE void keep_promise(const void *, const void *, const Shape &,
                                     ::cuda_on_cpu::Site) {}
template <::std::size_t Alignment>
CUDA_ON_CPU_INLINE void keep_promise(const void *to, const void *from,
                                     const aligned_size_t<Alignment> &,
                                     ::cuda_on_cpu::Site caller) {
  ::cuda_on_cpu::need_aligned(to, from, Alignment, caller);
}

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned char Stages>
struct pipeline_shared_state {
  barrier<Scope> full[Stages], empty[Stages];
  unsigned producers;
};

template <thread_scope Scope>
class pipeline {
 public:
  CUDA_ON_CPU_INLINE void producer_acquire(CUDA_ON_CPU_CALLER) {
    if (stages_ && produced_ >= stages_)
      empty_[produced_ % stages_].wait_for_phases(produced_ / stages_, caller);
  }
  CUDA_ON_CPU_INLINE void producer_commit() {
    if (stages_)
      full_[produced_ % stages_].arrive();
    else
      ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::committed, nullptr, 0);
    ++produced_;
  }
  CUDA_ON_CPU_INLINE void consumer_wait(CUDA_ON_CPU_CALLER) { wait_until(consumed_ + 1, caller); }
  CUDA_ON_CPU_INLINE void consumer_release() {
    if (stages_) empty_[consumed_ % stages_].arrive();
    ++consumed_;
  }
  // All stages but the last `prior` that this thread has committed.
  CUDA_ON_CPU_INLINE void wait_prior(unsigned prior, CUDA_ON_CPU_CALLER) {
    if (produced_ > prior) wait_until(produced_ - prior, caller);
  }
  CUDA_ON_CPU_INLINE bool quit() { return true; }
  CUDA_ON_CPU_INLINE void begin_copy(void *to, ::std::size_t bytes) {
    if (!stages_) ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::begun, to, bytes);
  }

 private:
  CUDA_ON_CPU_INLINE void wait_until(unsigned stages, ::cuda_on_cpu::Site caller) {
    if (!stages_)
      ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::waited, nullptr,
                               produced_ > stages ? produced_ - stages : 0);
    else
      full_[(stages - 1) % stages_].wait_for_phases((stages - 1) / stages_ + 1, caller);
  }
  barrier<Scope> *full_ = nullptr, *empty_ = nullptr;
  unsigned stages_ = 0;  // 0: of one thread, which copies at once and never waits
  unsigned produced_ = 0, consumed_ = 0;

  template <class Group, thread_scope S, unsigned char Stages>
  friend pipeline<S> make_pipeline_of(const Group &, pipeline_shared_state<S, Stages> *, unsigned,
                                      unsigned);
};

inline pipeline<thread_scope_thread> make_pipeline() { return {}; }

template <class Group, thread_scope Scope, unsigned char Stages>
CUDA_ON_CPU_INLINE pipeline<Scope> make_pipeline_of(const Group &group,
                                                    pipeline_shared_state<Scope, Stages> *state,
                                                    unsigned producers, unsigned consumers) {
  if (group.thread_rank() == 0)
    for (unsigned i = 0; i < Stages; ++i) {
      init(&state->full[i], producers);
      init(&state->empty[i], consumers);
    }
  group.sync();
  pipeline<Scope> made;
  made.full_ = state->full;
  made.empty_ = state->empty;
  made.stages_ = Stages;
  return made;
}
template <class Group, thread_scope Scope, unsigned char Stages>
CUDA_ON_CPU_INLINE pipeline<Scope> make_pipeline(const Group &group,
                                                 pipeline_shared_state<Scope, Stages> *state) {
  const auto all = static_cast<unsigned>(group.size());
  return make_pipeline_of(group, state, all, all);
}
template <class Group, thread_scope Scope, unsigned char Stages>
CUDA_ON_CPU_INLINE pipeline<Scope> make_pipeline(const Group &group,
                                                 pipeline_shared_state<Scope, Stages> *state,
                                                 pipeline_role role) {
  if (group.thread_rank() == 0) state->producers = 0;
  group.sync();
  if (role == pipeline_role::producer) atomicAdd(&state->producers, 1u);
  group.sync();
  const unsigned producers = atomicAdd(&state->producers, 0u);
  return make_pipeline_of(group, state, producers, static_cast<unsigned>(group.size()) - producers);
}
template <class Group, thread_scope Scope, unsigned char Stages>
CUDA_ON_CPU_INLINE pipeline<Scope> make_pipeline(const Group &group,
                                                 pipeline_shared_state<Scope, Stages> *state,
                                                 ::std::size_t producers) {
  const auto some = static_cast<unsigned>(producers);
  return make_pipeline_of(group, state, some, static_cast<unsigned>(group.size()) - some);
}

template <unsigned char Prior, thread_scope Scope>
CUDA_ON_CPU_INLINE void pipeline_consumer_wait_prior(pipeline<Scope> &pipe, CUDA_ON_CPU_CALLER) {
  pipe.wait_prior(Prior, caller);
}

// The barrier or pipeline says when the copy has to be over.
template <class Group, class T, class Shape, class Synchronisation>
requires requires(const Group &group) { group.thread_rank(); }
CUDA_ON_CPU_INLINE void memcpy_async(const Group &group, T *to, const T *from, const Shape &bytes,
                                     Synchronisation &waited_for, CUDA_ON_CPU_CALLER) {
  keep_promise(to, from, bytes, caller);
  ::cuda_on_cpu::copy_own_part(group, to, from, static_cast<::std::size_t>(bytes), waited_for);
}
template <class Group, class Shape, class Synchronisation>
requires requires(const Group &group) { group.thread_rank(); }
CUDA_ON_CPU_INLINE void memcpy_async(const Group &group, void *to, const void *from,
                                     const Shape &bytes, Synchronisation &waited_for,
                                     CUDA_ON_CPU_CALLER) {
  keep_promise(to, from, bytes, caller);
  ::cuda_on_cpu::copy_own_part(group, to, from, static_cast<::std::size_t>(bytes), waited_for);
}
template <class Shape, class Synchronisation>
CUDA_ON_CPU_INLINE void memcpy_async(void *to, const void *from, const Shape &bytes,
                                     Synchronisation &waited_for, CUDA_ON_CPU_CALLER) {
  keep_promise(to, from, bytes, caller);
  const auto count = static_cast<::std::size_t>(bytes);
  ::cuda_on_cpu::copy_part(to, from, count, 0, 1);
  if constexpr (requires { waited_for.begin_copy(to, count); }) waited_for.begin_copy(to, count);
}
template <class T, class Shape, class Synchronisation>
CUDA_ON_CPU_INLINE void memcpy_async(T *to, const T *from, const Shape &bytes,
                                     Synchronisation &waited_for, CUDA_ON_CPU_CALLER) {
  memcpy_async(static_cast<void *>(to), static_cast<const void *>(from), bytes, waited_for, caller);
}

}  // namespace cuda

CUDA_ON_CPU_INLINE void __pipeline_memcpy_async(void *to, const void *from, ::std::size_t bytes,
                                                ::std::size_t zeros = 0, CUDA_ON_CPU_CALLER) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes)
    ::cuda_on_cpu::refuse_size(zeros > bytes ? zeros : bytes, caller);
  ::cuda_on_cpu::need_aligned(to, from, bytes, caller);
  ::cuda_on_cpu::copy_part(to, from, bytes - zeros, 0, 1);
  for (::std::size_t i = bytes - zeros; i < bytes; ++i) static_cast<char *>(to)[i] = 0;
  ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::begun, to, bytes);
}
CUDA_ON_CPU_INLINE void __pipeline_commit() {
  ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::committed, nullptr, 0);
}
CUDA_ON_CPU_INLINE void __pipeline_wait_prior(::std::size_t prior) {
  ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::waited, nullptr, prior);
}

#pragma GCC visibility pop
