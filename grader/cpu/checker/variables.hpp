// The __device__ and __constant__ variables of the program, by the symbols of its file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace cuda_on_cpu::check {

struct Variable {
  const char *begin;
  std::size_t bytes;
  std::string name;
};

struct Variables {
  std::vector<Variable> all;  // by address
  // Sections that hold nothing else, besides gaps that no kernel may use.
  struct Stretch {
    const char *begin, *end;
  };
  std::vector<Stretch> sections;
  std::vector<Stretch> constants;  // of __constant__ variables

  bool is_constant(const char *address) const {
    const auto holds = [address](const Stretch &one) {
      return address >= one.begin && address < one.end;
    };
    return std::any_of(constants.begin(), constants.end(), holds);
  }
  // The program has asked for its address: kernels may write to it like to any memory.
  void open_constant(const char *address);

  const Variable *nearest(const char *address) const;
};

// Empty if the file has no symbols: then every address of the program's data counts as a variable.
Variables read_variables();

}  // namespace cuda_on_cpu::check
