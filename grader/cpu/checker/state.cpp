#include "state.hpp"

#include <cstring>

#include "device_memory.hpp"

extern "C" char __data_start, _end;

namespace cuda_on_cpu::check {
namespace {

void fill_global(const char *page_begin, WordState *words) {
  state().buffers.fill(page_begin, words);
}
// It is not known here where one variable ends and the next begins. The loader has filled them all.
void fill_variables(const char *, WordState *words) {
  std::memset(words, kAccessible | kWritten, kPageWords);
}

}  // namespace

namespace {
// Without pages of their own they may be anywhere among the program's variables.
std::span<char> variables_of_kernels() {
  if (const auto own = device_variables(); own.data()) return own;
  return {&__data_start, static_cast<std::size_t>(&_end - &__data_start)};
}
}  // namespace

State::State()
    : global(DeviceMemory::instance().base(), DeviceMemory::instance().total_bytes(), fill_global),
      variables(variables_of_kernels().data(), variables_of_kernels().size(), fill_variables) {}

State *the_state = nullptr;
void make_state() { the_state = new State; }  // outlives the program's own static objects

}  // namespace cuda_on_cpu::check
