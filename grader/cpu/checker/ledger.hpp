// The ledger of ranges: which bytes each piece of work used that some thread of the host does not
// yet know to be over.
//
// Once all threads know that a piece of work is over, everything that is given later comes after
// it. So its lines leave the ledger, and the ledger is as long as what runs at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "clocks.hpp"

namespace cuda_on_cpu::check {

// Two that only read do not disturb each other, nor do two that only update atomically.
enum class Use : std::uint8_t { reads, writes, updates };
inline bool disturbs(Use a, Use b) { return a == Use::writes || b == Use::writes || a != b; }

// A piece of work, as a report names it.
struct Task {
  std::string title;  // "kernel scale, launched at a.cu:20 in stream 1, copy_stream"
  std::string verb;   // instead of "reads" or "writes", or ""
  Party stream = 0;
  bool is_node = false;    // of a graph
  bool is_staged = false;  // a copy to memory of the host that is not pinned
  int device = 0;
  bool tells = true;  // whoever sees its flag knows what came before; a kernel needs a fence
  Moment told{};      // of a kernel that did more: what its flags tell
  std::thread::id giver = std::this_thread::get_id();
};

struct Range {
  const char *begin, *end;
  Use use;
  std::uint32_t site;  // of the access or the call, see source_line.hpp
};

class Ledger {
 public:
  struct Line {
    Range range;
    Moment moment;
    std::shared_ptr<const Task> task;
  };

  void add(const Line &line);
  // The first line that touches the range, disturbs it, and may not be over for one who has seen
  // `seen`; or null.
  // With `giver` only among the work that this thread of the host gave.
  const Line *find_disturbing(const Range &range, const Clock &seen,
                              std::thread::id giver = {}) const;
  void forget(const HostThreads &threads);          // what all of them have seen
  void forget(const char *begin, const char *end);  // memory that is free from now on
  bool has_between(const char *begin, const char *end) const;

 private:
  using Lines =
      std::map<const char *, Line>;  // of one party and one use: by address, without overlaps
  static void cut(Lines &lines, const char *begin, const char *end);
  std::map<Party, std::array<Lines, 3>> lines_;
};

}  // namespace cuda_on_cpu::check
