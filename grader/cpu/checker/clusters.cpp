#include "clusters.hpp"

#include <utility>

#include "equal_writes.hpp"
#include "messages/diagnostics.hpp"
#include "messages/text.hpp"
#include "report.hpp"
#include "report_parts.hpp"
#include "source_line.hpp"
#include "state.hpp"
#include "threads/shared_arena.hpp"

namespace cuda_on_cpu::check {
namespace {

// All that a block has: its dynamic bytes, and the variables that any block has come to.
template <class Use>
void for_each_part(unsigned rank, Use use) {
  const SharedMemory &known = state().shared_memory;
  const std::size_t shift = rank * kSharedWindow;
  use(known.dynamic + shift, known.dynamic_bytes);
  for (const SharedVariable &variable : known.variables)
    use(variable.address + shift, variable.bytes);
}

// Is a record of another block ordered before the end of this one? It is if one of the threads has
// waited for it.
bool is_waited_for(const Record &record, const char *address) {
  const Timeline &timeline = state().timeline;
  if (record.epoch < timeline.shared_begin() || timeline.of_this_block(record)) return true;
  // Without a fence that other blocks see, no thread has waited for more than the others.
  const unsigned threads = timeline.has_wide_fence() ? volume(state().grids.back().block) : 1;
  for (unsigned thread = 0; thread < threads; ++thread)
    if (!timeline.unordered(record, timeline.now(thread, Strength::plain, 0), address)) return true;
  return false;
}

// A block has ended. Others have used its shared memory, which was still there, as it happened.
void find_uses_of(unsigned rank) {
  state().shared->for_each_page([rank](const char *begin, Page &page) {
    if (!page.records || rank_at(begin) != rank) return;
    const std::size_t bytes = std::size_t{1} << page.shift;
    const auto look = [&](const Record &record, Verb verb, const char *address) {
      if (!is_waited_for(record, address))
        report_use_of_left({address, bytes, record, {}, verb, verb}, rank);
    };
    for (std::size_t i = 0; i < page.cell_count(); ++i) {
      const Cell cell = page.cell(i);
      for (const Record *record : cell.reads) look(*record, Verb::reads, begin + i * bytes);
      for (const Record *record : cell.writes) look(*record, Verb::writes, begin + i * bytes);
    }
  });
}

}  // namespace

void cluster_begin(const char *shared_of_first, unsigned blocks) {
  State &known = state();
  known.work.begin_cluster();
  known.timeline.begin_cluster();
  delete known.shared;
  const auto nothing = [](const char *, WordState *) {};
  known.shared = new Shadow(shared_of_first - kSharedMargin, blocks * kSharedWindow, nothing);
  known.cluster = {shared_of_first, blocks};
  known.shared_memory.dynamic = shared_of_first;
}

void cluster_synchronised() {
  settle_equal_writes();
  state().work.pass_cluster();
  state().timeline.pass_cluster();
  state().promises.begin_launch();
}

// Nobody may use its shared memory from here on.
void cluster_left(unsigned rank) {
  find_uses_of(rank);
  state().cluster.left |= 1u << rank;
  for_each_part(rank, [](const char *begin, std::size_t bytes) {
    state().shared->mark_closed(begin, bytes);
  });
}

void begin_window(const char *arena) {
  const unsigned rank = rank_at(arena);
  state().cluster.begun |= 1u << rank;
  for_each_part(rank, [](const char *begin, std::size_t bytes) {
    state().shared->mark_accessible(begin, bytes);
  });
}

// A block comes to the declaration first; those that run beside it have the variable as well.
void reserve_in_windows(SharedVariable variable) {
  State &known = state();
  const Cluster &cluster = known.cluster;
  variable.address = in_first_window(variable.address);
  known.shared_memory.variables.push_back(variable);
  for (unsigned rank = 0; rank < cluster.blocks; ++rank)
    if ((cluster.begun & ~cluster.left) >> rank & 1)
      known.shared->mark_accessible(variable.address + rank * kSharedWindow, variable.bytes);
}

void forget_cluster() {
  State &known = state();
  if (!known.cluster.blocks) return;
  known.cluster = {};
  delete std::exchange(known.shared, nullptr);
  known.shared_arena = nullptr;
}

unsigned rank_at(const char *address) {
  const Cluster &cluster = state().cluster;
  if (!cluster.blocks) return 0;
  return static_cast<unsigned>((address - (cluster.first - kSharedMargin)) / kSharedWindow);
}

const char *in_first_window(const char *address) {
  return address - rank_at(address) * kSharedWindow;
}

bool report_without_block(const Access &access, std::uint32_t site) {
  const Cluster &cluster = state().cluster;
  if (!cluster.blocks || !state().shared->contains(access.address)) return false;
  const unsigned rank = rank_at(access.address);
  const bool begun = cluster.begun >> rank & 1, left = cluster.left >> rank & 1;
  if (begun && !left) return false;
  if (is_new(Kind::outside, site))
    report("memory",
           "%s: %s %s %s at %s, but block %u of the cluster %s",
           place_of(access.address, access.bytes).text.c_str(), here().c_str(), verb_of(access),
           bytes_text(access.bytes).c_str(), line_in_kernel(site).c_str(), rank,
           left ? "may have left the kernel: call cluster.sync() at its end"
                : "may not have begun: call cluster.sync() before");
  return true;
}

}  // namespace cuda_on_cpu::check
