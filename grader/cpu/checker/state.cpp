#include "state.hpp"

#include <algorithm>
#include <cstring>

#include "device/device_memory.hpp"
#include "device/host_memory.hpp"

extern "C" char __data_start, _end;

namespace cuda_on_cpu::check {
namespace {

void fill_global(const char *page_begin, WordState *words) {
  state().buffers.fill(page_begin, words);
}
// The loader has filled them all. Among the variables of kernels are gaps.
void fill_variables(const char *page_begin, WordState *words) {
  std::memset(words, kAccessible | kWritten, kPageWords);
  const auto set = [&](const char *begin, const char *end, bool accessible) {
    begin = std::max(begin, page_begin);
    end = std::min(end, page_begin + kPageBytes);
    for (; begin < end; ++begin) {
      const auto bit = static_cast<WordState>(1u << (begin - page_begin) % 4);
      WordState &word = words[(begin - page_begin) / 4];
      word = static_cast<WordState>(accessible ? word | bit : word & ~bit);
    }
  };
  const Variables &known = state().known_variables;
  for (const auto &section : known.sections) set(section.begin, section.end, false);
  for (const Variable &variable : known.all)
    set(variable.begin, variable.begin + variable.bytes, true);
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
constinit StateRoom state_room;
void make_state() {
  the_state = new (&state_room.state) State;  // never destroyed: outlives the program's own objects
  // What kernels do there is looked at among the variables. That both sides may use it is known
  // from here.
  if (const auto managed = managed_variables(); !managed.empty())
    the_state->host_shared.add(managed.data(), managed.size());
}

}  // namespace cuda_on_cpu::check
