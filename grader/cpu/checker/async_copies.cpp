#include "async_copies.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "state.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu::check {
namespace {

struct Target {
  const char *begin;
  std::size_t bytes;
};
using Group = std::vector<Target>;
struct Copies {
  Group begun;
  std::deque<Group> committed;
};
std::map<unsigned, Copies> copies_of;  // by thread
std::map<unsigned long long, std::map<unsigned, Copies>> parked;  // by block

bool holds(const Group &group, const char *address) {
  return std::any_of(group.begin(), group.end(), [&](const Target &target) {
    return address >= target.begin && address < target.begin + target.bytes;
  });
}

}  // namespace

void note_copy_step(CopyStep step, void *to, std::size_t number) {
  Shadow *shared = state().shared;
  const char *target = static_cast<const char *>(to);
  Copies &copies = copies_of[current_thread()];
  if (step == CopyStep::begun) {
    if (!shared || !shared->contains(target)) return;
    shared->mark_unwritten(target, number);
    copies.begun.push_back({target, number});
  } else if (step == CopyStep::committed) {
    copies.committed.push_back(std::move(copies.begun));
    copies.begun.clear();
  } else {
    for (; copies.committed.size() > number; copies.committed.pop_front())
      for (const Target &one : copies.committed.front()) shared->mark_written(one.begin, one.bytes);
  }
}

bool is_on_its_way(const char *address) {
  return std::any_of(copies_of.begin(), copies_of.end(), [&](const auto &one) {
    const Copies &copies = one.second;
    return holds(copies.begun, address) ||
           std::any_of(copies.committed.begin(), copies.committed.end(),
                       [&](const Group &group) { return holds(group, address); });
  });
}

void forget_copy_steps() { copies_of.clear(); }
void park_copy_steps(unsigned long long block) {
  if (!copies_of.empty()) parked[block].swap(copies_of);
}
void unpark_copy_steps(unsigned long long block) {
  copies_of.clear();
  if (auto kept = parked.extract(block)) copies_of.swap(kept.mapped());
}

}  // namespace cuda_on_cpu::check
