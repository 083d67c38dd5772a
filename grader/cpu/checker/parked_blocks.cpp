// A block that waits in a loop for other blocks, which run in between: what is known of it is kept.
#include "parked_blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "async_copies.hpp"
#include "clusters.hpp"
#include "messages/diagnostics.hpp"
#include "state.hpp"
#include "threads/shared_arena.hpp"

namespace cuda_on_cpu::check {
namespace {

// For the barriers of a block that waits: a search by sweeps passes several in each, and makes
// thousands.
constexpr std::uint32_t kEpochsKept = 1 << 15;
// Fewer when a program comes near to the last number, so that as many blocks get theirs.
constexpr std::uint32_t kBlocksToCome = 1 << 12;
constexpr unsigned kLanes = 32;

struct Shared {
  Shadow *shadow;
  std::size_t variables;  // that were known
};
std::unordered_map<std::uint64_t, Shared> shared_of;

}  // namespace

void Timeline::put_aside(std::uint64_t block) {
  if (!own_end_)
    last_epoch_ = own_end_ =
        epoch_ + std::min(kEpochsKept, (UINT32_MAX - last_epoch_) / kBlocksToCome);
  Aside kept{epoch_, block_begin_, own_end_, warps_with_clocks_, {}, {}, {}, {}, {}};
  for (unsigned warp = 0; warp < kLanes; ++warp)
    if (warps_with_clocks_ >> warp & 1)
      kept.seen.insert(kept.seen.end(), seen_ + warp * kLanes, seen_ + (warp + 1) * kLanes);
  kept.fences = std::move(fences_);
  kept.thread_knows = std::move(thread_knows_);
  kept.thread_saw = std::move(thread_saw_);
  kept.block_knows = std::move(block_knows_);
  forget_clocks();
  fences_.clear(), thread_knows_.clear(), thread_saw_.clear(), block_knows_ = {};
  aside_.insert_or_assign(block, std::move(kept));
}

void Timeline::take_up(std::uint64_t block) {
  forget_clocks();
  Aside &kept = aside_.at(block);
  epoch_ = kept.epoch;
  set_block_begin(kept.block_begin);
  own_end_ = kept.own_end;
  warps_with_clocks_ = kept.warps_with_clocks;
  auto seen = kept.seen.begin();
  for (unsigned warp = 0; warp < kLanes; ++warp)
    if (warps_with_clocks_ >> warp & 1) {
      std::copy(seen, seen + kLanes, seen_ + warp * kLanes);
      seen += kLanes;
    }
  fences_ = std::move(kept.fences);
  thread_knows_ = std::move(kept.thread_knows);
  thread_saw_ = std::move(kept.thread_saw);
  block_knows_ = std::move(kept.block_knows);
}

void Timeline::end_of_epochs() {
  die("check",
      "kernel %s: a block that waits for others goes through more than %u barriers: that is more "
      "than check mode can follow, use a smaller input",
      state().kernel, kEpochsKept);
}

void begin_shared(const char *arena, std::size_t dynamic_bytes) {
  State &known = state();
  if (known.cluster.blocks) return begin_window(arena);
  const bool is_new = !known.shared;
  if (is_new) {
    const auto nothing = [](const char *, WordState *) {};
    known.shared = new Shadow(arena - kSharedMargin, kSharedWindow, nothing);
  }
  Shadow &shared = *known.shared;
  if (known.shared_arena != arena) shared.move_to(arena - kSharedMargin);  // in each launch
  known.shared_arena = arena;
  if (is_new || !known.shared_memory.dynamic) shared.mark_accessible(arena, dynamic_bytes);
  known.shared_memory.dynamic = arena;
  shared.mark_unwritten(arena, dynamic_bytes);
  for (const SharedVariable &variable : known.shared_memory.variables) {
    if (is_new) shared.mark_accessible(variable.address, variable.bytes);
    shared.mark_unwritten(variable.address, variable.bytes);
  }
}

void block_put_aside(unsigned long long block) {
  State &known = state();
  known.timeline.put_aside(block);
  known.work.put_aside(block);
  park_copy_steps(block);
  if (known.cluster.blocks) return;
  shared_of[block] = {std::exchange(known.shared, nullptr), known.shared_memory.variables.size()};
  known.shared_arena = nullptr;
}

void block_taken_up(unsigned long long block) {
  State &known = state();
  known.work.take_up(block);
  known.timeline.take_up(block);
  unpark_copy_steps(block);
  if (known.cluster.blocks) return;
  delete known.shared;
  const auto kept = shared_of.extract(block);
  known.shared = kept.mapped().shadow;
  known.shared_arena = known.shared_memory.dynamic;
  const auto &variables = known.shared_memory.variables;
  for (std::size_t i = kept.mapped().variables; i < variables.size(); ++i)
    known.shared->mark_accessible(variables[i].address, variables[i].bytes);
}

}  // namespace cuda_on_cpu::check
