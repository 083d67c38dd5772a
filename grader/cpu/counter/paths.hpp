// Which way the lanes of a warp went. A branch is recognised by the accesses on its sides: lanes
// that left an access together and came to different accesses next have parted (diverged).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "requests.hpp"
#include "tally.hpp"

namespace cuda_on_cpu::count {

// A place that lanes left together: an access, or the kernel's start.
struct Junction {
  Branch *branch;
  std::uint32_t next;  // where the first lane went
  unsigned inside;     // lanes that came here and have not gone on
  bool left, parted;
  bool closed;  // no other lane can come
};

class Paths {
 public:
  static constexpr std::uint32_t kEnd = 0;  // of the kernel; everything else is a site

  void begin(Branch *start, std::uint32_t lanes);
  void end();  // of the block: all lanes leave

  Junction *open(Branch *branch);
  void close(Junction *junction);
  void go(unsigned lane, Junction *to, std::uint32_t site) {
    if (Junction *from = at_[lane]) leave(from, site);
    at_[lane] = to;
    ++to->inside;
  }

 private:
  void leave(Junction *from, std::uint32_t site) {
    if (!from->left) from->next = site;
    from->parted |= from->next != site;
    from->left = true;
    if (--from->inside == 0 && from->closed) finish(from);
  }
  void finish(Junction *junction);

  std::array<Junction *, kLanes> at_{};
  std::deque<Junction> all_;  // they keep their addresses
  std::vector<Junction *> free_;
};

}  // namespace cuda_on_cpu::count
