// A handler writes one line, restores the disposition that it found and returns. The fault happens
// again: the process dies by the signal, or the handler that was there before takes over.
#include "signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>

#include "block.hpp"
#include "crash_line.hpp"
#include "device_memory.hpp"

namespace cuda_on_cpu {
namespace {

constexpr int kMaxWatched = 512;
constexpr std::size_t kSignalStackBytes = 64 << 10;
constexpr std::size_t kGuardPage = 4096;

std::atomic<const Block *> watched[kMaxWatched];
struct sigaction previous[NSIG];
thread_local char signal_stack[kSignalStackBytes];

const Block *running_block() {
  for (auto &slot : watched)
    if (const Block *block = slot.load(); block && block->grid()) return block;
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
  char line[1100];
  const int length = std::snprintf(line, sizeof line, "warpwise: %s\n", text);
  (void)!write(STDERR_FILENO, line,
               length < static_cast<int>(sizeof line) ? length : sizeof line - 1);
}

bool hits_guard_page(const Block &block, const char *address) {
  const Fiber *fiber = block.running_fiber();
  return fiber && address < fiber->stack_low && address >= fiber->stack_low - kGuardPage;
}

void describe_fault(int number, const siginfo_t &info, const void *context) {
  char text[1024], position[400];
  const char *const line = crash_line(context);
  const char *address = static_cast<const char *>(info.si_addr);
  const Block *block = block_of_this_thread();
  if (block) write_position(position, sizeof position, *block);
  if (block && number == SIGFPE) {
    std::snprintf(text, sizeof text, "arithmetic: %s: integer division by zero%s", position,
                  line);
  } else if (block && hits_guard_page(*block, address)) {
    std::snprintf(text, sizeof text,
                  "memory: %s: stack overflow%s, a thread has %zu bytes of stack "
                  "(cudaDeviceSetLimit raises it)",
                  position, line, block->running_fiber()->stack_bytes);
  } else if (block) {
    std::snprintf(text, sizeof text, "memory: %s: invalid access at %p%s", position,
                  info.si_addr, line);
  } else if (DeviceMemory::instance().contains(address) ||
             DeviceMemory::instance().is_other(address) || this_block().owns_stack(address)) {
    std::snprintf(text, sizeof text,
                  "memory: host code dereferences device pointer %p%s: copy the data with cudaMemcpy",
                  info.si_addr, line);
  } else if (!*line) {
    return;
  } else if (number == SIGFPE) {
    std::snprintf(text, sizeof text, "arithmetic: the host: integer division by zero%s", line);
  } else {
    std::snprintf(text, sizeof text, "memory: host code accesses %p%s: the program has no memory there",
                  info.si_addr, line);
  }
  write_line(text);
}

void on_fault(int number, siginfo_t *info, void *context) {
  describe_fault(number, *info, context);
  sigaction(number, &previous[number], nullptr);
}

void on_termination(int number, siginfo_t *, void *) {
  if (const Block *block = running_block()) {
    char text[640];
    const uint3 &b = block->block_index(), &t = block->thread_index();
    std::snprintf(text, sizeof text,
                  "kernel %s was still running (block (%u,%u,%u), thread (%u,%u,%u))",
                  block->grid()->name, b.x, b.y, b.z, t.x, t.y, t.z);
    write_line(text);
  }
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
__attribute__((constructor)) static void explain_from_the_start() { install_signal_handlers(); }

void watch_signals_of(const Block *block) {
  install_signal_handlers();
  stack_t stack{};
  stack.ss_sp = signal_stack;
  stack.ss_size = sizeof signal_stack;
  sigaltstack(&stack, nullptr);
  for (auto &slot : watched) {
    const Block *empty = nullptr;
    if (slot.compare_exchange_strong(empty, block)) return;
  }
}

void unwatch_signals_of(const Block *block) {
  for (auto &slot : watched) {
    const Block *expected = block;
    if (slot.compare_exchange_strong(expected, nullptr)) return;
  }
}

}  // namespace cuda_on_cpu
