// What ends a kernel, and otherwise the program: an assert() that fails (cudaErrorAssert), a
// function that comes to its end without the value that it returns. The program's <cassert> calls
// the first, because a static library is linked before the C library; -fsanitize=return calls the
// second.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "messages/diagnostics.hpp"
#include "messages/text.hpp"
#include "threads/block.hpp"

// No [[noreturn]]: <assert.h> already has it, and clang accepts it only on the first declaration.
extern "C" void __assert_fail(const char *expression, const char *file, unsigned line,
                              const char *function) noexcept {
  using namespace cuda_on_cpu;
  if (!inside_kernel()) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  Block &block = current_block();
  if (block.first_failure())
    report("assert", "kernel %s, block %s, thread %s: %s:%u: %s: assertion `%s` failed",
           block.grid()->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(), file, line,
           function, expression);
  block.fail(cudaErrorAssert);
}

// A compiler may let such a function run on into the next one.
struct PlaceInSource {
  const char *file;
  unsigned line, column;
};
extern "C" void __ubsan_handle_missing_return(const PlaceInSource *place) {
  using namespace cuda_on_cpu;
  const char *const sentence = "the function at %s:%u comes to its end without a return value";
  if (!inside_kernel()) {
    report("error", sentence, place->file, place->line);
    std::abort();
  }
  Block &block = current_block();
  if (block.first_failure())
    report("error", (std::string("kernel %s: ") + sentence).c_str(), block.grid()->name,
           place->file, place->line);
  block.fail(cudaErrorLaunchFailure);
}
