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
  // Tables of virtual functions. An object that the host has made has the address of one, which is
  // of no use to a GPU: there the class has another table.
  std::vector<Stretch> virtual_tables;  // by address

  bool has_virtual_table(const char *address) const {
    const auto behind =
        std::upper_bound(virtual_tables.begin(), virtual_tables.end(), address,
                         [](const char *wanted, const Stretch &one) { return wanted < one.begin; });
    return behind != virtual_tables.begin() && address < (behind - 1)->end;
  }

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
