#include "async_copies.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
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
struct OfBlock {
  std::map<unsigned, Copies> by_thread;
  std::map<const void *, Group> by_barrier;
};
OfBlock now;
std::map<unsigned long long, OfBlock> parked;  // by block

bool holds(const Group &group, const char *address) {
  return std::any_of(group.begin(), group.end(), [&](const Target &target) {
    return address >= target.begin && address < target.begin + target.bytes;
  });
}

void note_at_barrier(CopyStep step, const void *barrier) {
  if (step == CopyStep::bound) {
    Group &begun = now.by_thread[current_thread()].begun;
    if (begun.empty()) return;  // a copy to elsewhere than shared memory
    now.by_barrier[barrier].push_back(begun.back());
    begun.pop_back();
  } else if (const auto over = now.by_barrier.extract(barrier)) {
    for (const Target &one : over.mapped()) state().shared->mark_written(one.begin, one.bytes);
  }
}

}  // namespace

void note_copy_step(CopyStep step, void *to, std::size_t number) {
  if (step == CopyStep::bound || step == CopyStep::over) return note_at_barrier(step, to);
  Shadow *shared = state().shared;
  const char *target = static_cast<const char *>(to);
  Copies &copies = now.by_thread[current_thread()];
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
  const auto holds_it = [&](const Group &group) { return holds(group, address); };
  return std::any_of(now.by_thread.begin(), now.by_thread.end(),
                     [&](const auto &one) {
                       const Copies &copies = one.second;
                       return holds_it(copies.begun) ||
                              std::any_of(copies.committed.begin(), copies.committed.end(),
                                          holds_it);
                     }) ||
         std::any_of(now.by_barrier.begin(), now.by_barrier.end(),
                     [&](const auto &one) { return holds_it(one.second); });
}

void forget_copy_steps() { now = {}; }
void park_copy_steps(unsigned long long block) {
  if (!now.by_thread.empty() || !now.by_barrier.empty()) std::swap(parked[block], now);
}
void unpark_copy_steps(unsigned long long block) {
  now = {};
  if (auto kept = parked.extract(block)) std::swap(now, kept.mapped());
}

}  // namespace cuda_on_cpu::check
