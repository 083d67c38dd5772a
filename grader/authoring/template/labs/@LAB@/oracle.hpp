// The truth about lab @NUMBER@, on the CPU, one element after another. Read this first.
#pragma once

#include <vector>

namespace @SPACE@::oracle {

inline std::vector<float> doubled(const std::vector<float>& in) {
  std::vector<float> out;
  for (const float value : in) out.push_back(2 * value);
  return out;
}

}  // namespace @SPACE@::oracle
