// The numbers by which a program is judged. They are in a page of their own that can be written only
// while one of the runtime's functions changes them: a stray or a deliberate write of host code, or
// of a kernel, ends the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_on_cpu/control.hpp"

namespace cuda_on_cpu {

// A set of addresses as sorted ranges that do not touch. When there is no room for one more, its
// bytes count as new each time.
class AddressRanges {
 public:
  // Adds these bytes to the set. Returns how many of them are new.
  std::size_t add(const void *from, std::size_t bytes);
  void clear() { size_ = 0; }

 private:
  struct Range {
    std::uintptr_t begin, end;
  };
  std::size_t size_ = 0;
  Range ranges_[4000];
};

struct Counts {
  Statistics statistics;
  std::size_t findings;  // in the list since clear_findings()
  AddressRanges copied_to_host;
};

// Read by everybody. Before protect_counts() the page is open: only programs that are judged pay for
// its protection.
const Counts &counts();
void protect_counts();
bool counts_are_protected();

// While it lives the calling thread, and no other one, may change the counts.
class ChangeCounts {
 public:
  ChangeCounts();
  ~ChangeCounts();
  ChangeCounts(const ChangeCounts &) = delete;
  ChangeCounts &operator=(const ChangeCounts &) = delete;
  Counts *operator->() const;
};

}  // namespace cuda_on_cpu
