// A number and what it counts, as a sentence has them.
#pragma once

#include <cstdint>
#include <string>

namespace warpwise {

/// `1 key`, `2 keys`; for a word that does not get an s, `many` is given: `2 launches`.
inline std::string count_of(std::uint64_t count, const std::string& one,
                            const std::string& many = "") {
  const std::string word = count == 1 ? one : many.empty() ? one + "s" : many;
  return std::to_string(count) + " " + word;
}

}  // namespace warpwise
