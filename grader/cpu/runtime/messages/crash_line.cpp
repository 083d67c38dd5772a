#include "messages/crash_line.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/load_address.hpp"
#include "base/submission_code.hpp"

extern "C" char __executable_start, etext;

namespace cuda_on_cpu {
namespace {

constexpr int kMostFrames = 48, kMostAsked = 24;
// Of files that are not the program's: this backend's, the C++ library's, the worker's.
constexpr const char *kForeign[] = {"/cpu/include/", "/cpu/runtime/", "/cpu/checker/", "/c++/",
                                    "/usr/include/", "/grader/worker/", "??"};

char text[1 << 14], found[512];

// In a worker the submission's code alone, in a program all of it.
bool is_of_program(const void *code) {
  if (&warpwise_first_code) return is_of_submission(code);
  const char *address = static_cast<const char *>(code);
  return address >= &__executable_start && address < &etext;
}

// A call through a pointer that is no function's: where the processor is, there is no code. The
// caller's address is on top of the stack, or in the link register.
const void *caller_of_no_code(const void *context) {
  const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto pointer = static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
  return pointer % alignof(void *) ? nullptr : *reinterpret_cast<const void *const *>(pointer);
#elif defined(__aarch64__)
  return reinterpret_cast<const void *>(machine.regs[30]);
#else
  (void)machine;
  return nullptr;
#endif
}

std::uintptr_t in_file(const void *code) {
  return reinterpret_cast<std::uintptr_t>(code) - load_address();
}

// The addresses in the program's file to ask for, innermost first.
int addresses_to_ask(const void *context, std::uintptr_t (&asked)[kMostAsked]) {
  const void *instruction = instruction_of(context);
  if (!is_code(instruction)) {  // backtrace() would read there
    const void *caller = caller_of_no_code(context);
    if (!is_of_program(caller)) return 0;
    asked[0] = in_file(caller) - 1;
    return 1;
  }
  void *frames[kMostFrames];
  const int count = backtrace(frames, kMostFrames);
  int first = 0, used = 0;  // the handler's own frames come before the one that crashed
  while (first < count && frames[first] != instruction) ++first;
  if (first == count && is_of_program(instruction)) asked[used++] = in_file(instruction);
  for (int i = first; i < count && used < kMostAsked; ++i)
    if (is_of_program(frames[i]))  // a caller's address is after its call
      asked[used++] = in_file(frames[i]) - (i > first);
  return used;
}

void run_addr2line(const std::uintptr_t *asked, int count) {
  static char program[4096], numbers[kMostAsked][20];
  const char *arguments[kMostAsked + 5] = {"addr2line", "-i", "-e", program};
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return;
  for (int frame = 0; frame < count; ++frame) {
    std::snprintf(numbers[frame], sizeof numbers[frame], "%#lx",
                  static_cast<unsigned long>(asked[frame]));
    arguments[4 + frame] = numbers[frame];
  }
  int channel[2];
  if (pipe(channel) != 0) return;
  const pid_t child = vfork();  // fork() would wait for malloc's lock
  if (child == 0) {
    dup2(channel[1], STDOUT_FILENO);
    close(channel[0]);
    close(channel[1]);
    execvp(arguments[0], const_cast<char **>(arguments));
    _exit(127);
  }
  close(channel[1]);
  std::size_t size = 0;
  for (ssize_t got; size < sizeof text - 1 &&
                    (got = read(channel[0], text + size, sizeof text - 1 - size)) > 0;)
    size += static_cast<std::size_t>(got);
  text[size] = 0;
  close(channel[0]);
  if (child > 0) waitpid(child, nullptr, 0);
}

bool is_foreign(const char *line) {
  for (const char *part : kForeign)
    if (std::strstr(line, part)) return true;
  // a number is missing where the compiler made the code
  const char *colon = std::strrchr(line, ':');
  return !colon || colon[1] < '1' || colon[1] > '9';
}

}  // namespace

const void *instruction_of(const void *context) {
  const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void *>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void *>(machine.pc);
#else
  (void)machine;
  return nullptr;
#endif
}

bool is_code(const void *instruction) {
  Dl_info known;
  return dladdr(instruction, &known) != 0;
}

bool goes_by_pointer([[maybe_unused]] const void *instruction) {
#if defined(__x86_64__)
  constexpr unsigned char kGroup = 0xff, kCall = 2, kJump = 4;
  const auto *byte = static_cast<const unsigned char *>(instruction);
  if ((*byte & 0xf0) == 0x40) ++byte;  // a prefix names the other eight registers
  const int operation = byte[1] >> 3 & 7;
  return *byte == kGroup && (operation == kCall || operation == kJump);
#else
  return false;  // the processor gets there, and only then fails
#endif
}

const char *crash_line(const void *context) {
  std::uintptr_t asked[kMostAsked];
  const int count = addresses_to_ask(context, asked);
  if (count) run_addr2line(asked, count);
  char *line = text;
  while (char *end = std::strchr(line, '\n')) {
    *end = 0;
    if (!is_foreign(line)) {
      if (char *more = std::strstr(line, " (discriminator")) *more = 0;
      const char *slash = std::strrchr(line, '/');
      std::snprintf(found, sizeof found, " at %.500s", slash ? slash + 1 : line);
      return found;
    }
    line = end + 1;
  }
  return "";
}

void prepare_crash_lines() {
  void *one;
  backtrace(&one, 1);
}

}  // namespace cuda_on_cpu
