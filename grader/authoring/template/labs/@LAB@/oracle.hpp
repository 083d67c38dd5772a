// The truth about lab @NUMBER@, on the CPU, one element after another. Read this first: it is what your
// kernels must agree with, bit for bit.
#pragma once

#include <vector>

namespace @SPACE@::oracle {

/// What every stage must leave in `out`. Author: put your lab's computation here. Tests, benches and
/// the baseline of the figure all ask this function.
inline std::vector<int> expected(const std::vector<int>& in) {
  std::vector<int> out;
  for (const int value : in) out.push_back(2 * value);
  return out;
}

}  // namespace @SPACE@::oracle
