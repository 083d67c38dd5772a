// Adds one line with what AddressSanitizer cannot know: the kernel, its block and thread, the
// buffer.
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "messages/diagnostics.hpp"
#include "messages/text.hpp"
#include "red_zones.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu::asan {
namespace {

constexpr int kMaxFrames = 16;

// FILE:LINE of an instruction, relative to the current folder; "" when only functions of the CPU
// backend or the C++ library are there. Inlined functions are listed one by one, innermost first.
std::string place_of(void *instruction) {
  char text[4096] = "", folder[1024] = "";
  __sanitizer_symbolize_pc(instruction, "%s:%l", text, sizeof text);
  for (const char *place = text; *place; place += std::strlen(place) + 1) {
    const auto names = [place](const char *part) { return std::strstr(place, part) != nullptr; };
    if (names("grader/cpu/") || names("sanitizer") || names("(null)") || names("/c++/")) continue;
    const bool below = getcwd(folder, sizeof folder - 1) && std::strcat(folder, "/") &&
                       std::strncmp(place, folder, std::strlen(folder)) == 0;
    return place + (below ? std::strlen(folder) : 0);
  }
  return "";
}

// An atomic function or memcpy faults inside that function: the wanted line is the caller's.
std::string place_in_kernel(const Fiber &fiber) {
  std::string place = place_of(__asan_get_report_pc());
  const char *frame = static_cast<const char *>(__asan_get_report_bp());
  const char *top = fiber.stack_low + fiber.stack_bytes - 2 * sizeof(void *);
  for (int i = 0; i < kMaxFrames && place.empty(); ++i) {
    if (frame < fiber.stack_low || frame > top) break;
    void *const *words = reinterpret_cast<void *const *>(frame);  // caller's frame, return address
    place = place_of(words[1]);
    frame = static_cast<const char *>(words[0]);
  }
  return place;
}

void report_line() {
  const char *address = static_cast<const char *>(__asan_get_report_address());
  const std::string known = describe(address);
  const std::string what =
      (__asan_get_report_access_type() ? "writes " : "reads ") +
      std::to_string(__asan_get_report_access_size()) + " bytes" +
      (known.empty() ? std::string(" (") + __asan_get_report_description() + ")" : ", " + known);
  if (inside_kernel()) {
    const Block &block = current_block();
    const std::string place = place_in_kernel(*block.running_fiber());
    report("memory", "kernel %s, block %s, thread %s%s%s: %s", block.grid()->name,
           text_of(blockIdx).c_str(), text_of(threadIdx).c_str(), place.empty() ? "" : " at ",
           place.c_str(), what.c_str());
  } else {
    const std::string place = place_of(__asan_get_report_pc());
    report("memory", "the host%s%s: %s", place.empty() ? "" : " at ", place.c_str(), what.c_str());
  }
}

}  // namespace
}  // namespace cuda_on_cpu::asan

extern "C" void __asan_on_error() { cuda_on_cpu::asan::report_line(); }

// No leak detection, because the executors' stacks hide pointers. No signal stack of its own,
// because the runtime's handler reports more.
extern "C" const char *__asan_default_options() {
  return "detect_leaks=0:exitcode=86:print_legend=0:use_sigaltstack=0";
}

extern "C" void cuda_on_cpu_explain_faults() {}  // a name that the linker can ask for
