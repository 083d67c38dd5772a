// The functions that -fsanitize=thread makes a compiler call at every memory access. libtsan is not
// linked: these functions replace it.
#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <ctime>

#include "access.hpp"
#include "base/hooks.hpp"
#include "base/submission_code.hpp"
#include "messages/diagnostics.hpp"
#include "source_line.hpp"
#include "threads/block.hpp"

using cuda_on_cpu::check::Access;
using cuda_on_cpu::check::check_access;
using cuda_on_cpu::check::check_host_access;
using cuda_on_cpu::check::check_plain;
using cuda_on_cpu::check::is_of_interest;
using cuda_on_cpu::check::Strength;
using cuda_on_cpu::check::watches_host;

namespace {

Access a_read(const void *address, std::size_t bytes) {
  return {static_cast<const char *>(address), bytes, true, false};
}
Access a_write(const void *address, std::size_t bytes) {
  return {static_cast<const char *>(address), bytes, false, true};
}
Access as_unaligned(Access access) {
  access.may_be_unaligned = true;
  return access;
}
// A copied struct. clang announces a struct of 8 or 16 bytes as an unaligned access.
Access as_object(Access access) {
  access.whole_object = access.may_be_unaligned = true;
  return access;
}

// nvcc does not compile this. Here it would hide which thread does what.
[[gnu::noinline]] void refuse_write_to_index(const void *return_address) {
  cuda_on_cpu::Block &block = cuda_on_cpu::current_block();
  if (block.first_failure())
    cuda_on_cpu::report(
        "memory", "kernel %s changes threadIdx, or another of CUDA's variables, at %s",
        cuda_on_cpu::current_kernel(),
        cuda_on_cpu::check::source_line(cuda_on_cpu::check::site_of(return_address)).c_str());
  block.fail(cudaErrorIllegalAddress);
}

inline void note(const Access &access, const void *return_address) {
  if (is_of_interest(access.address))
    check_access(access, return_address);
  else if (watches_host && !cuda_on_cpu::kernel_runs) [[unlikely]]
    check_host_access(access, return_address);
  else if (access.writes && cuda_on_cpu::kernel_runs)
    refuse_write_to_index(return_address);
}
// A function of its own: the others need nothing of the stack.
[[gnu::noinline]] void note_of_host(void *p, std::size_t bytes, bool writes,
                                    const void *return_address) {
  check_host_access(writes ? a_write(p, bytes) : a_read(p, bytes), return_address);
}
template <std::size_t bytes, bool writes>
inline void note_plain(void *p, const void *return_address) {
  if (is_of_interest(p))
    check_plain<bytes, writes>(static_cast<const char *>(p), return_address);
  else if (watches_host && !cuda_on_cpu::kernel_runs) [[unlikely]]
    note_of_host(p, bytes, writes, return_address);
  else if (writes && cuda_on_cpu::kernel_runs)
    refuse_write_to_index(return_address);
}

// Between a look at a flag and a change of it, other threads may have a turn.
inline void note_volatile(Access access, const void *return_address) {
  using cuda_on_cpu::current_block;
  using Look = cuda_on_cpu::Block::Look;
  if (cuda_on_cpu::is_checked() && cuda_on_cpu::kernel_runs && !cuda_on_cpu::works_for_kernel &&
      is_of_interest(access.address))
    access.writes ? current_block().note_change(Look::by_volatile, access.address)
                  : current_block().note_look(Look::by_volatile, access.address);
  access.strength = Strength::is_volatile;
  note(access, return_address);
}

// g++ announces 2, 4, 8 or 16 bytes so where the type's alignment is less than the size, or than 8.
Access as_range(Access access) {
  const bool is_power_of_two = (access.bytes & (access.bytes - 1)) == 0;
  if (is_power_of_two && access.bytes > 1 && access.bytes <= 16)
    access.alignment = std::min<std::size_t>(access.bytes, 8) / 2;
  return as_object(access);
}

void announce_copy(void *to, const void *from, std::size_t bytes, const void *return_address) {
  if (bytes == 0 || !cuda_on_cpu::is_of_submission(return_address)) return;
  const auto note_part = [&](Access access) {
    constexpr std::size_t kWords = 4;  // what a pointer to numbers promises
    if (bytes > access.alignment) access.alignment = kWords;
    note(as_object(access), return_address);
  };
  note_part(a_read(from, bytes));
  note_part(a_write(to, bytes));
}

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {

void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void **p) { note(a_read(p, sizeof *p), CALLER); }
void __tsan_vptr_update(void **p, void *) { note(a_write(p, sizeof *p), CALLER); }

#define CUDA_ON_CPU_TSAN_PLAIN(bytes)                                      \
  void __tsan_read##bytes(void *p) { note_plain<bytes, false>(p, CALLER); } \
  void __tsan_write##bytes(void *p) { note_plain<bytes, true>(p, CALLER); }
CUDA_ON_CPU_TSAN_PLAIN(1)
CUDA_ON_CPU_TSAN_PLAIN(2)
CUDA_ON_CPU_TSAN_PLAIN(4)
CUDA_ON_CPU_TSAN_PLAIN(8)
CUDA_ON_CPU_TSAN_PLAIN(16)
#undef CUDA_ON_CPU_TSAN_PLAIN

#define CUDA_ON_CPU_TSAN(bytes)                                                                  \
  void __tsan_unaligned_read##bytes(void *p) { note(as_object(a_read(p, bytes)), CALLER); }      \
  void __tsan_unaligned_write##bytes(void *p) { note(as_unaligned(a_write(p, bytes)), CALLER); } \
  void __tsan_volatile_read##bytes(void *p) { note_volatile(a_read(p, bytes), CALLER); }         \
  void __tsan_volatile_write##bytes(void *p) { note_volatile(a_write(p, bytes), CALLER); }       \
  void __tsan_unaligned_volatile_read##bytes(void *p) {                                          \
    note_volatile(as_unaligned(a_read(p, bytes)), CALLER);                                       \
  }                                                                                              \
  void __tsan_unaligned_volatile_write##bytes(void *p) {                                         \
    note_volatile(as_unaligned(a_write(p, bytes)), CALLER);                                      \
  }                                                                                              \
  void __tsan_read_write##bytes(void *p) {                                                       \
    note(a_read(p, bytes), CALLER);                                                              \
    note(a_write(p, bytes), CALLER);                                                             \
  }                                                                                              \
  void __tsan_unaligned_read_write##bytes(void *p) {                                             \
    note(as_unaligned(a_read(p, bytes)), CALLER);                                                \
    note(as_unaligned(a_write(p, bytes)), CALLER);                                               \
  }
CUDA_ON_CPU_TSAN(1)
CUDA_ON_CPU_TSAN(2)
CUDA_ON_CPU_TSAN(4)
CUDA_ON_CPU_TSAN(8)
CUDA_ON_CPU_TSAN(16)
#undef CUDA_ON_CPU_TSAN

void __tsan_read_range(void *p, std::size_t bytes) {
  if (bytes) note(as_range(a_read(p, bytes)), CALLER);
}
void __tsan_write_range(void *p, std::size_t bytes) {
  if (bytes) note(as_range(a_write(p, bytes)), CALLER);
}

// clang calls these where the program says memcpy or copies a struct.
void *__tsan_memcpy(void *to, const void *from, std::size_t bytes) noexcept {
  if (bytes) note(as_object(a_read(from, bytes)), CALLER);
  if (bytes) note(as_object(a_write(to, bytes)), CALLER);
  return std::memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, std::size_t bytes) noexcept {
  if (bytes) note(as_object(a_read(from, bytes)), CALLER);
  if (bytes) note(as_object(a_write(to, bytes)), CALLER);
  return std::memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int value, std::size_t bytes) noexcept {
  if (bytes) note(as_unaligned(a_write(to, bytes)), CALLER);
  return std::memset(to, value, bytes);
}

void *__tsan_mempcpy(void *to, const void *from, std::size_t bytes) noexcept {
  if (bytes) note(as_object(a_read(from, bytes)), CALLER);
  if (bytes) note(as_object(a_write(to, bytes)), CALLER);
  return static_cast<char *>(std::memcpy(to, from, bytes)) + bytes;
}

int __tsan_memcmp(const void *one, const void *other, std::size_t bytes) noexcept {
  if (bytes) note(as_object(a_read(one, bytes)), CALLER);
  if (bytes) note(as_object(a_read(other, bytes)), CALLER);
  return std::memcmp(one, other, bytes);
}

// gcc announces no access where the library's code copies, inlined into a kernel. A worker is
// linked with --wrap, so that the calls of its submission come here.
[[gnu::weak]] void *__real_memcpy(void *to, const void *from, std::size_t bytes);
[[gnu::weak]] void *__real_memmove(void *to, const void *from, std::size_t bytes);
[[gnu::weak]] void *__real_memset(void *to, int value, std::size_t bytes);

void *__wrap_memcpy(void *to, const void *from, std::size_t bytes) {
  announce_copy(to, from, bytes, CALLER);
  return __real_memcpy(to, from, bytes);
}
void *__wrap_memmove(void *to, const void *from, std::size_t bytes) {
  announce_copy(to, from, bytes, CALLER);
  return __real_memmove(to, from, bytes);
}
void *__wrap_memset(void *to, int value, std::size_t bytes) {
  if (bytes && cuda_on_cpu::is_of_submission(CALLER))
    note(as_unaligned(a_write(to, bytes)), CALLER);
  return __real_memset(to, value, bytes);
}

[[gnu::weak]] int __real_clock_gettime(clockid_t clock, timespec *time);
int __wrap_clock_gettime(clockid_t clock, timespec *time) {
  if (cuda_on_cpu::is_of_submission(CALLER)) note(a_write(time, sizeof *time), CALLER);
  return __real_clock_gettime(clock, time);
}

// std::to_string and std::stoi take the addresses of these.
[[gnu::weak]] int __real_vsnprintf(char *to, std::size_t bytes, const char *format,
                                   std::va_list values);
int __wrap_vsnprintf(char *to, std::size_t bytes, const char *format, std::va_list values) {
  if (bytes && cuda_on_cpu::kernel_runs && cuda_on_cpu::is_of_submission(CALLER))
    note(as_unaligned(a_write(to, bytes)), CALLER);
  return __real_vsnprintf(to, bytes, format, values);
}
#define CUDA_ON_CPU_NUMBER(Result, name, parameters, arguments)                \
  [[gnu::weak]] Result __real_##name parameters;                               \
  Result __wrap_##name parameters {                                            \
    if (end && cuda_on_cpu::kernel_runs && cuda_on_cpu::is_of_submission(CALLER)) \
      note(a_write(end, sizeof *end), CALLER);                                 \
    return __real_##name arguments;                                            \
  }
#define CUDA_ON_CPU_INTEGER(Result, name) \
  CUDA_ON_CPU_NUMBER(Result, name, (const char *text, char **end, int base), (text, end, base))
#define CUDA_ON_CPU_REAL(Result, name) \
  CUDA_ON_CPU_NUMBER(Result, name, (const char *text, char **end), (text, end))
CUDA_ON_CPU_INTEGER(long, strtol)
CUDA_ON_CPU_INTEGER(long long, strtoll)
CUDA_ON_CPU_INTEGER(unsigned long, strtoul)
CUDA_ON_CPU_INTEGER(unsigned long long, strtoull)
CUDA_ON_CPU_REAL(float, strtof)
CUDA_ON_CPU_REAL(double, strtod)
CUDA_ON_CPU_REAL(long double, strtold)
#undef CUDA_ON_CPU_REAL
#undef CUDA_ON_CPU_INTEGER
#undef CUDA_ON_CPU_NUMBER

// A NaN's digits are read by the library's code.
#define CUDA_ON_CPU_NAN(Real, name)                                        \
  [[gnu::weak]] Real __real_##name(const char *digits);                    \
  Real __wrap_##name(const char *digits) {                                 \
    if (cuda_on_cpu::is_of_submission(CALLER))                             \
      note(as_unaligned(a_read(digits, std::strlen(digits) + 1)), CALLER); \
    return __real_##name(digits);                                          \
  }
CUDA_ON_CPU_NAN(float, nanf)
CUDA_ON_CPU_NAN(double, nan)
CUDA_ON_CPU_NAN(long double, nanl)
#undef CUDA_ON_CPU_NAN

// Mathematics that stores a second result through a pointer: the library's code does it.
#define CUDA_ON_CPU_RESULT(Result, name, parameters, arguments, ...)             \
  [[gnu::weak]] Result __real_##name parameters;                                 \
  Result __wrap_##name parameters {                                              \
    if (cuda_on_cpu::is_of_submission(CALLER))                                   \
      for (auto *result : {__VA_ARGS__})                                         \
        note(as_unaligned(a_write(result, sizeof *result)), CALLER);             \
    return __real_##name arguments;                                              \
  }
#define CUDA_ON_CPU_RESULTS(Real, suffix)                                                         \
  CUDA_ON_CPU_RESULT(Real, modf##suffix, (Real x, Real * whole), (x, whole), whole)               \
  CUDA_ON_CPU_RESULT(Real, frexp##suffix, (Real x, int *exponent), (x, exponent), exponent)       \
  CUDA_ON_CPU_RESULT(Real, remquo##suffix, (Real x, Real y, int *part), (x, y, part), part)       \
  CUDA_ON_CPU_RESULT(void, sincos##suffix, (Real x, Real * s, Real * c), (x, s, c), s, c)
CUDA_ON_CPU_RESULTS(float, f)
CUDA_ON_CPU_RESULTS(double, )
CUDA_ON_CPU_RESULTS(long double, l)
#undef CUDA_ON_CPU_RESULTS
// So does the compiler's division of 128-bit integers with its remainder.
CUDA_ON_CPU_RESULT(unsigned __int128, __udivmodti4,
                   (unsigned __int128 x, unsigned __int128 y, unsigned __int128 *rest),
                   (x, y, rest), rest)
CUDA_ON_CPU_RESULT(__int128, __divmodti4, (__int128 x, __int128 y, __int128 *rest), (x, y, rest),
                   rest)
#undef CUDA_ON_CPU_RESULT

}  // extern "C"
