#include "messages/diagnostics.hpp"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "base/own_mutex.hpp"
#include "cuda_on_cpu/control.hpp"
#include "messages/findings.hpp"
#include "messages/line_start.hpp"

namespace cuda_on_cpu {
namespace {

constexpr int kMaxLines = 50;  // a loop of failing launches must not fill the disk

OwnMutex diagnostics_mutex;
int lines = 0;
char last[1024] = "";

void write_line(const char *kind, const char *format, va_list arguments) {
  const std::lock_guard lock(diagnostics_mutex);
  char text[sizeof last];
  std::vsnprintf(text, sizeof text, format, arguments);
  std::snprintf(last, sizeof last, "%s: %.*s", kind, static_cast<int>(sizeof last - 64), text);
  keep_finding(kind, text);
  if (++lines > kMaxLines) return;
  char line[sizeof last + 192];
  int length = std::snprintf(line, sizeof line, "%s%s\n", line_start(), last);
  if (lines == kMaxLines)
    length += std::snprintf(line + length, sizeof line - length,
                            "%sfurther lines are left out\n", line_start());
  (void)!write(STDERR_FILENO, line, length);
}

}  // namespace

void report(const char *kind, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(kind, format, arguments);
  va_end(arguments);
}

void die(const char *kind, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(kind, format, arguments);
  va_end(arguments);
  std::fflush(nullptr);
  _exit(2);  // not exit(): this may be a worker, which exit() would wait for
}

std::string last_diagnostic() {
  const std::lock_guard lock(diagnostics_mutex);
  return last;
}

}  // namespace cuda_on_cpu
