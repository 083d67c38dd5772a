// Which functions a kernel's threads enter through a pointer. The compiler is told to make each
// such call through one of these functions (compiler/modes.py), so that no pointer is too well
// hidden: not one that was computed, and not one out of a table of virtual functions.
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_set>

#include "base/kernel_runs.hpp"
#include "base/own_mutex.hpp"
#include "base/submission_code.hpp"
#include "messages/findings.hpp"

namespace cuda_on_cpu::check {
namespace {

constexpr std::size_t kMostFunctions = 256;  // more than an honest program enters
constexpr int kLongestName = 500;

OwnMutex pointer_calls_mutex;
thread_local constinit const char *last_entered = nullptr;

// Where in the submission's code, or the name of another library's function; "?" if it has none.
std::string place_in_code(const char *function) {
  if (is_of_submission(function)) {
    char text[32];
    std::snprintf(text, sizeof text, "+%zx",
                  static_cast<std::size_t>(function - &warpwise_first_code));
    return text;
  }
  Dl_info known;
  if (!dladdr(function, &known)) return "?";
  const std::string file = known.dli_fname ? known.dli_fname : "";
  if (file.find("/libm.so") != std::string::npos) return "";  // what a GPU has as well
  return known.dli_sname && known.dli_saddr == function
             ? std::string(known.dli_sname).substr(0, kLongestName)
             : "?";
}

void note_entered(const char *function) {
  const NoKernel own_work;
  const std::lock_guard lock(pointer_calls_mutex);
  static auto *known = new std::unordered_set<const void *>;
  if (known->size() > kMostFunctions || !known->insert(function).second) return;
  const std::string place = known->size() > kMostFunctions ? "?" : place_in_code(function);
  if (!place.empty()) keep_finding("entered", place);
}

}  // namespace
}  // namespace cuda_on_cpu::check

extern "C" [[gnu::visibility("hidden")]] void warpwise_pointer_call(const char *function) {
  using namespace cuda_on_cpu::check;
  if (!cuda_on_cpu::kernel_runs || function == last_entered) [[likely]] return;
  if (!&warpwise_first_code) return;  // no worker: nobody asks
  last_entered = function;
  note_entered(function);
}

#if defined(__x86_64__)
// Each is jumped to, or called, with the function's address in the register of its name. It leaves
// all registers as they are, and does not touch what lies below the stack of who jumps.
asm(R"(
  .macro warpwise_pointer_call_by reg
  .globl __x86_indirect_thunk_\reg
  .type __x86_indirect_thunk_\reg, @function
__x86_indirect_thunk_\reg:
  leaq -128(%rsp), %rsp
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  movq %\reg, %rdi
  pushq %rbp
  movq %rsp, %rbp
  andq $-16, %rsp
  subq $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  call warpwise_pointer_call
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  movq %rbp, %rsp
  popq %rbp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  leaq 128(%rsp), %rsp
  .cfi_startproc  # no address that can exist: the crash is here, and its line is the caller's
  jmp *%\reg
  .cfi_endproc
  .size __x86_indirect_thunk_\reg, . - __x86_indirect_thunk_\reg
  .endm
  .pushsection .text
  .irp reg, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
  warpwise_pointer_call_by \reg
  .endr
  .popsection
)");
#endif
