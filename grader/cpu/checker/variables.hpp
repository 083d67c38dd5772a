// The __device__ and __constant__ variables of the program, by the symbols of its file.
#pragma once

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

  const Variable *nearest(const char *address) const;
};

// Empty if the file has no symbols: then every address of the program's data counts as a variable.
Variables read_variables();

}  // namespace cuda_on_cpu::check
