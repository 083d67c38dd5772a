// How much work a call asks for, by its stage's own technique: what a roofline is drawn from.
//
// It is the least, not what a kernel happens to do: a key that is read in ten passes counts once.
// So a stage's share of the machine's limit tells how far it is from the floor of its technique,
// and stages that do the same work can be compared.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace warpwise {

/// What is counted as one operation, and which ceiling of ceilings.hpp it is held against.
enum class WorkUnit {
  none,
  compares,   // one key compared with another and the outcome counted
  exchanges,  // two keys put in order: a minimum and a maximum
  arcs,       // one arc relaxed: a distance read from a random place
};

inline std::string word(WorkUnit unit) {
  switch (unit) {
    case WorkUnit::none:
      return "";
    case WorkUnit::compares:
      return "compares";
    case WorkUnit::exchanges:
      return "exchanges";
    case WorkUnit::arcs:
      return "arcs";
  }
  return "";
}

struct Work {
  double bytes = 0;       // through global memory: every input read once, every output written once
  double operations = 0;  // 0 where moving the bytes is all there is to do
  WorkUnit unit = WorkUnit::none;
};

/// The work of a call of size n.
using WorkModel = std::function<Work(std::size_t n)>;

}  // namespace warpwise
