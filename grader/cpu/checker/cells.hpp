// The records of one word of memory, and how an access changes them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shadow.hpp"

namespace cuda_on_cpu::check {

// A cell's memory, and the access that happens to it now.
struct Touch {
  const char *address;
  std::size_t bytes;
  Record now;
  bool writes;
  std::uint32_t oldest;  // records from before this epoch have no meaning any more
};

// `offset`: where the accessed bytes of the word are in their page. Reports the races that the
// access completes.
void touch_word(Page &page, std::size_t offset, std::size_t bytes, const Touch &touch);

}  // namespace cuda_on_cpu::check
