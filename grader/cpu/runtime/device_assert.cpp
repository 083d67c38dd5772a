// assert() in a kernel ends the launch with cudaErrorAssert; on the host it aborts as usual. The
// program's <cassert> calls this function, because a static library is linked before the C library.
#include <cstdio>
#include <cstdlib>

#include "block.hpp"
#include "diagnostics.hpp"
#include "text.hpp"

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
