// A handler writes one line, restores the disposition that it found and returns. The fault happens
// again: the process dies by the signal, or the handler that was there before takes over.
#include "base/signals.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>

#include "base/hooks.hpp"
#include "base/statistics.hpp"
#include "base/submission_code.hpp"
#include "device/device_memory.hpp"
#include "messages/crash_line.hpp"
#include "messages/line_start.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

constexpr int kMaxWatched = 512;
constexpr std::size_t kSignalStackBytes = 64 << 10;
constexpr std::size_t kGuardPage = 4096;
constexpr unsigned kSecondsForLine = 1;  // after SIGTERM comes SIGKILL

std::atomic<const Block *> watched[kMaxWatched];
pthread_t thread_of[kMaxWatched];  // that runs the blocks of `watched`
std::atomic<bool> is_passed_on{false};
struct sigaction previous[NSIG];
thread_local char signal_stack[kSignalStackBytes];
thread_local const char *stack_begin = nullptr;  // of this thread, if it has a signal stack

const Block *running_block(pthread_t *thread = nullptr) {
  for (auto &slot : watched)
    if (const Block *block = slot.load(); block && block->grid()) {
      if (thread) *thread = thread_of[&slot - watched];
      return block;
    }
  return nullptr;
}

const Block *block_of_this_thread() { return inside_kernel() ? &this_block() : nullptr; }

// "kernel NAME, block (x,y,z), thread (x,y,z)", without allocating memory.
int write_position(char *text, std::size_t size, const Block &block) {
  const uint3 &b = block.block_index(), &t = block.thread_index();
  return std::snprintf(text, size, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u)",
                       block.grid()->name, b.x, b.y, b.z, t.x, t.y, t.z);
}

void write_line(const char *text) {
  char line[1300];
  const int length = std::snprintf(line, sizeof line, "%s%s\n", line_start(), text);
  (void)!write(STDERR_FILENO, line,
               length < static_cast<int>(sizeof line) ? length : sizeof line - 1);
}

// A worker is killed soon after it was asked to end.
bool has_time_for_lines() { return !&warpwise_first_code; }

// What the program has printed into a pipe or a file is in a buffer, and would be lost with the
// process: often it says how far a kernel came. fflush() might wait for a lock that nobody gives
// back.
void write_printed() {
#if defined(__GLIBC__)
  char *const begin = stdout->_IO_write_base;
  const std::ptrdiff_t bytes = stdout->_IO_write_ptr - begin;
  if (!has_time_for_lines() || !begin || bytes <= 0) return;
  (void)!write(fileno(stdout), begin, static_cast<std::size_t>(bytes));
  stdout->_IO_write_ptr = begin;  // an own handler may go on
#endif
}

const char *stack_pointer_of(const void *context) {
  const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const char *>(machine.gregs[REG_RSP]);
#else
  return reinterpret_cast<const char *>(machine.sp);
#endif
}

// A large local array reaches past the guard page; then the stack pointer tells.
bool leaves_stack(const Block &block, const char *address, const void *context) {
  constexpr std::ptrdiff_t kFarthest = 64 << 20;  // after it another stack may begin
  const Fiber *fiber = block.running_fiber();
  if (address < fiber->stack_low && address >= fiber->stack_low - kGuardPage) return true;
  const std::ptrdiff_t beyond = fiber->stack_low - stack_pointer_of(context);
  return beyond > 0 && beyond < kFarthest;
}

// Memory is missing between the stack pointer and where the stack begins only if the stack is full.
// An index that is too large leads past its beginning.
bool leaves_hosts_stack(const siginfo_t &info, const void *context) {
  constexpr std::ptrdiff_t kBelow = 64 << 10;  // a call or a frame writes there first
  const auto *address = static_cast<const char *>(info.si_addr);
  return info.si_signo == SIGSEGV && address > stack_pointer_of(context) - kBelow &&
         address < stack_begin;
}

// An address whose upper bits are neither all zero nor all one is not told by an x86 processor, and
// Linux writes zero. Bits of other types, such as two floats, are such an address.
bool has_no_address(const siginfo_t &info) {
  return info.si_signo == SIGSEGV && info.si_code == SI_KERNEL && !info.si_addr;
}

void describe_fault(int number, const siginfo_t &info, const void *context) {
  char text[1024], position[400];
  const char *address = static_cast<const char *>(info.si_addr);
  const char *const line = crash_line(context);
  const Block *block = block_of_this_thread();
  if (block) write_position(position, sizeof position, *block);
  if (block && number == SIGFPE) {
    std::snprintf(text, sizeof text, "arithmetic: %s: integer division by zero%s", position,
                  line);
  } else if (block && leaves_stack(*block, address, context)) {
    std::snprintf(text, sizeof text,
                  "memory: %s: stack overflow%s, a thread has %zu bytes of stack "
                  "(cudaDeviceSetLimit raises it)",
                  position, line, block->running_fiber()->stack_bytes);
  } else if (block && !is_code(instruction_of(context))) {
    std::snprintf(text, sizeof text, "memory: %s: calls a pointer that is no function's, %p%s",
                  position, instruction_of(context), line);
  } else if (block && has_no_address(info)) {
    std::snprintf(text, sizeof text, "memory: %s: %s at an address that cannot exist%s", position,
                  goes_by_pointer(instruction_of(context)) ? "calls a function" : "invalid access",
                  line);
  } else if (block && block->has_no_shared_memory(address)) {
    std::snprintf(
        text, sizeof text,
        "memory: %s: uses shared memory although the launch asked for no dynamic shared memory%s",
        position, line);
  } else if (block) {
    std::snprintf(text, sizeof text, "memory: %s: invalid access at %p%s", position,
                  info.si_addr, line);
  } else if (DeviceMemory::instance().contains(address) ||
             DeviceMemory::instance().is_other(address) || this_block().owns_stack(address)) {
    std::snprintf(
        text, sizeof text,
        "memory: host code dereferences device pointer %p%s: copy the data with cudaMemcpy",
        info.si_addr, line);
  } else if (leaves_hosts_stack(info, context)) {
    std::snprintf(text, sizeof text,
                  "memory: the stack of the host is full%s: a function calls itself without "
                  "end, or local arrays are too large",
                  line);
  } else if (!*line) {
    return;
  } else if (number == SIGFPE) {
    std::snprintf(text, sizeof text, "arithmetic: the host: integer division by zero%s", line);
  } else {
    std::snprintf(text, sizeof text,
                  "memory: host code accesses %p%s: the program has no memory there", info.si_addr,
                  line);
  }
  write_line(text);
}

void on_fault(int number, siginfo_t *info, void *context) {
  write_printed();
  describe_fault(number, *info, context);
  sigaction(number, &previous[number], nullptr);
}

// A loop around launches that never ends is at some kernel when it is stopped, but that kernel is
// not what hangs. Nor is one of some launches that has not run longer than those before it.
bool launches_again_and_again(const LastLaunch &last) {
  constexpr std::uint64_t kSome = 8, kMany = 100;
  constexpr double kShort = 0.5;  // seconds
  if (last.number >= kMany && last.seconds < kShort) return true;
  return last.number >= kSome && last.seconds * (last.number - 1) < 2 * last.all_seconds;
}

// What the program was doing, in one sentence; false if it has launched nothing.
bool describe_work(char *text, std::size_t size, const void *context) {
  const LastLaunch last = last_launch_made();
  const Block *own = block_of_this_thread(), *block = own ? own : running_block();
  // Another thread's code says nothing about the kernel.
  const char *line = (own || !block) && has_time_for_lines() ? crash_line(context) : "";
  if (launches_again_and_again(last)) {
    std::snprintf(text, size,
                  "the host was still launching kernels: %llu launches in %.1f s so far, the last "
                  "one of %s",
                  static_cast<unsigned long long>(last.number), last.all_seconds + last.seconds,
                  last.kernel);
  } else if (block) {
    const uint3 &b = block->block_index(), &t = block->thread_index();
    std::snprintf(text, size, "kernel %s was still running (block (%u,%u,%u), thread (%u,%u,%u))%s",
                  block->grid()->name, b.x, b.y, b.z, t.x, t.y, t.z, line);
  } else if (last.number > 0) {
    std::snprintf(text, size,
                  "no kernel was running: the host's own code went on after launch %llu, of %s%s%s",
                  static_cast<unsigned long long>(last.number), last.kernel, *line ? "," : "",
                  line);
  } else {
    return false;
  }
  return true;
}

// The system gives the signal to any thread, but only the one that runs the kernel knows its line.
void pass_on(int number) {
  pthread_t thread;
  if (!has_time_for_lines() || inside_kernel() || !running_block(&thread) ||
      is_passed_on.exchange(true))
    return;
  if (pthread_kill(thread, number) == 0) sleep(kSecondsForLine);
}

void on_termination(int number, siginfo_t *, void *context) {
  char text[1200];
  pass_on(number);
  write_printed();
  if (describe_work(text, sizeof text, context)) write_line(text);
  sigaction(number, &previous[number], nullptr);
  raise(number);
}

void install(int number, void (*handler)(int, siginfo_t *, void *), int extra_flags) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | extra_flags;
  sigaction(number, nullptr, &previous[number]);
  // A program that handles SIGTERM itself keeps its handler. Faults are always explained here
  // first.
  if (number == SIGTERM && previous[number].sa_handler != SIG_DFL) return;
  sigaction(number, &action, nullptr);
}

// A handler cannot run on a stack that is full. Each thread needs its own.
void use_signal_stack() {
  stack_t stack{};
  stack.ss_sp = signal_stack;
  stack.ss_size = sizeof signal_stack;
  sigaltstack(&stack, nullptr);
  if (!stack_begin) stack_begin = static_cast<const char *>(__builtin_frame_address(0));
}

}  // namespace

void install_signal_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    prepare_crash_lines();
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE}) install(number, on_fault, SA_ONSTACK);
    install(SIGTERM, on_termination, SA_ONSTACK);
  });
}

// Also for what crashes before the program uses the device.
__attribute__((constructor)) static void explain_from_the_start() {
  install_signal_handlers();
  use_signal_stack();
}

void watch_signals_of(const Block *block) {
  install_signal_handlers();
  use_signal_stack();
  for (auto &slot : watched) {
    const Block *empty = nullptr;
    if (slot.compare_exchange_strong(empty, block)) {
      thread_of[&slot - watched] = pthread_self();
      return;
    }
  }
}

void unwatch_signals_of(const Block *block) {
  for (auto &slot : watched) {
    const Block *expected = block;
    if (slot.compare_exchange_strong(expected, nullptr)) return;
  }
}

}  // namespace cuda_on_cpu
