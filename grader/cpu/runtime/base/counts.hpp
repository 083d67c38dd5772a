// The numbers by which a program is judged. They are in a page of their own that can be written
// only while one of the runtime's functions changes them: a stray or a deliberate write of host
// code, or of a kernel, ends the program.
#pragma once

#include <cstddef>

#include "cuda_on_cpu/control.hpp"

namespace cuda_on_cpu {

struct Counts {
  Statistics statistics;
  std::size_t findings;  // in the list since clear_findings()
};

// Read by everybody. Before protect_counts() the page is open: only programs that are judged pay
// for its protection.
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
