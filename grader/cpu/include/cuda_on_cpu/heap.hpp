// malloc, free, new and delete of kernels. In check mode the rewriter writes these names where
// device code uses the language's, so that the checker knows which blocks are the program's.
// Outside of a kernel they are the language's own.
#pragma once

#include <cstddef>
#include <new>

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

void *heap_malloc(std::size_t bytes);
void heap_free(void *pointer);
void heap_delete();  // before `delete`: it says whose line that is
struct OfHeap {};
inline constexpr OfHeap of_heap;

// A program that replaces `operator new` allocates for the runtime and the checker, too, also while
// a kernel runs. There nobody may watch what it does, and the functions that it calls: in check and
// count mode the rewriter puts one of these at the beginning of its body. Hidden, so that no
// submission may ask for it: those replace nothing.
class __attribute__((visibility("hidden"))) AllocatesForAll {
 public:
  AllocatesForAll();
  ~AllocatesForAll();
  AllocatesForAll(const AllocatesForAll &) = delete;

 private:
  bool &flag_;
  bool before_;
};

}  // namespace cuda_on_cpu

// Null if there is no room, as on a GPU.
void *operator new(std::size_t bytes, cuda_on_cpu::OfHeap) noexcept;
void *operator new[](std::size_t bytes, cuda_on_cpu::OfHeap) noexcept;

#ifndef __CUDA__  // clang reads them as CUDA there: the lint
// Of one that the program has replaced, nobody watches what it does before that.
#define CUDA_ON_CPU_UNWATCHED __attribute__((no_sanitize("thread")))
CUDA_ON_CPU_UNWATCHED void *operator new(std::size_t bytes);
CUDA_ON_CPU_UNWATCHED void *operator new[](std::size_t bytes);
CUDA_ON_CPU_UNWATCHED void operator delete(void *block) noexcept;
CUDA_ON_CPU_UNWATCHED void operator delete[](void *block) noexcept;
CUDA_ON_CPU_UNWATCHED void operator delete(void *block, std::size_t bytes) noexcept;
CUDA_ON_CPU_UNWATCHED void operator delete[](void *block, std::size_t bytes) noexcept;
#undef CUDA_ON_CPU_UNWATCHED
#endif

#pragma GCC visibility pop
