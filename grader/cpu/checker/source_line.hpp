// From an instruction to the source line that it came from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuda_on_cpu::check {

// An instruction of the program, as its distance from the load address: this fits 32 bits and is
// the same in every run.
extern const std::uintptr_t loaded_at;
inline std::uint32_t site_of(const void *return_address) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(return_address) - loaded_at -
                                    1);
}

// Asks for many at once: to start addr2line takes 20 ms, whatever it is asked.
void look_up(std::vector<std::uint32_t> sites);
// "rank_sort.cu:41", by asking addr2line; "?" when the program has no line information.
const std::string &source_line(std::uint32_t site);
// The same, and of the calls that were inlined around it; none from our own headers. g++ tells the
// branches of one line apart: "rank_sort.cu:41 (discriminator 2)".
const std::vector<std::string> &source_places(std::uint32_t site);
// For a line in a helper that was inlined, with the line in the kernel:
// "helpers.cuh:7 (called from sum.cu:41)".
std::string line_in_kernel(std::uint32_t site);
// When a launch begins: whether it is one of a library, whose lines are nobody's.
void note_library_call(bool is_library);
// The program's call of the library whose kernel runs; 0 if it is the program's own.
std::uint32_t library_call();
// If the site is in a function of the C++ library that the host runs now: the program's call.
std::uint32_t site_in_program(std::uint32_t site);
bool is_of_library(std::uint32_t site);
std::string line_of_place(const std::string &place);

}  // namespace cuda_on_cpu::check
