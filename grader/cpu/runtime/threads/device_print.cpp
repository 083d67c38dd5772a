// printf, vprintf, puts and putchar of kernels. The C library would keep what they print in a
// buffer, from which the host could read what it has not copied. So in a worker it goes to the file
// at once.
//
// A worker is linked with --wrap for these names; a user's own program only with that for printf,
// whose result is another one on a GPU.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "base/submission_code.hpp"
#include "threads/block.hpp"

extern "C" {
[[gnu::weak]] int __real_vprintf(const char *format, std::va_list values);
[[gnu::weak]] int __real___vprintf_chk(int level, const char *format, std::va_list values);
[[gnu::weak]] int __real_puts(const char *text);
[[gnu::weak]] int __real_putchar(int character);
}

namespace cuda_on_cpu {
namespace {

void write_all(const char *text, std::size_t bytes) {
  std::fflush(stdout);  // what the host has printed before
  while (bytes > 0) {
    const ssize_t written = write(STDOUT_FILENO, text, bytes);
    if (written <= 0) return;
    text += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

// CUDA's printf has no %n, by which the C library would store to memory of the host.
bool stores(const char *format) {
  constexpr const char *kBetween = "0123456789#+- .*'hlqjzt$";
  for (const char *at = std::strchr(format, '%'); at; at = std::strchr(at, '%')) {
    at += 1 + std::strspn(at + 1, kBetween);
    if (*at == 'n') return true;
    if (*at) ++at;
  }
  return false;
}

// What CUDA's printf returns. A `*` takes an argument of its own.
int arguments_of(const char *format) {
  constexpr const char *kBetween = "0123456789#+- .'hlqjzt*";
  int count = 0;
  for (const char *at = std::strchr(format, '%'); at; at = std::strchr(at, '%')) {
    const char *const first = ++at;
    at += std::strspn(at, kBetween);
    if (*at == '\0') break;
    count += static_cast<int>(std::count(first, at, '*')) + (*at != '%');
    ++at;
  }
  return count;
}

int print_for_user(const char *format, std::va_list values) {
  if (!format) return -1;
  return std::vprintf(format, values) < 0 ? -2 : arguments_of(format);
}

// Long texts get pages of their own, which are gone afterwards: the heap would keep them.
int print(const char *format, std::va_list values) {
  if (stores(format)) return -1;
  char text[1024];
  std::va_list again;
  va_copy(again, values);
  const int length = std::vsnprintf(text, sizeof text, format, values);
  const auto bytes = static_cast<std::size_t>(length < 0 ? 0 : length);
  if (bytes < sizeof text) {
    write_all(text, bytes);
  } else if (void *pages = mmap(nullptr, bytes + 1, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
             pages != MAP_FAILED) {
    std::vsnprintf(static_cast<char *>(pages), bytes + 1, format, again);
    write_all(static_cast<char *>(pages), bytes);
    munmap(pages, bytes + 1);
  }
  va_end(again);
  return length;
}

}  // namespace
}  // namespace cuda_on_cpu

extern "C" {

int __wrap_vprintf(const char *format, std::va_list values) {
  return cuda_on_cpu::inside_kernel() ? cuda_on_cpu::print(format, values)
                                      : __real_vprintf(format, values);
}
int __wrap___vprintf_chk(int level, const char *format, std::va_list values) {
  return cuda_on_cpu::inside_kernel() ? cuda_on_cpu::print(format, values)
                                      : __real___vprintf_chk(level, format, values);
}
int __wrap_printf(const char *format, ...) {
  std::va_list values;
  va_start(values, format);
  const int printed = cuda_on_cpu::is_in_worker() ? __wrap_vprintf(format, values)
                      : cuda_on_cpu::inside_kernel()
                          ? cuda_on_cpu::print_for_user(format, values)
                          : std::vprintf(format, values);
  va_end(values);
  return printed;
}
int __wrap___printf_chk(int level, const char *format, ...) {
  std::va_list values;
  va_start(values, format);
  const int printed = __wrap___vprintf_chk(level, format, values);
  va_end(values);
  return printed;
}
int __wrap_puts(const char *text) {
  if (!cuda_on_cpu::inside_kernel()) return __real_puts(text);
  return __wrap_printf("%s\n", text);
}
int __wrap_putchar(int character) {
  if (!cuda_on_cpu::inside_kernel()) return __real_putchar(character);
  const char text = static_cast<char>(character);
  cuda_on_cpu::write_all(&text, 1);
  return character;
}

}  // extern "C"
