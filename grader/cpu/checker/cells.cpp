#include "cells.hpp"

#include <algorithm>
#include <array>

#include "compare_and_swap.hpp"
#include "equal_writes.hpp"
#include "report.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {
namespace {

Verb verb_of(const Record &record, bool wrote) {
  if (record.strength() >= Strength::atomic_in_block) return Verb::updates;
  return wrote ? Verb::writes : Verb::reads;
}

// Old code for the lanes of a warp that ran in step: volatile, but neither __syncwarp() nor a
// fence.
bool trusts_in_step(const Record &a, const Record &b, bool a_wrote) {
  const Timeline &timeline = state().timeline;
  return a.strength() == Strength::is_volatile && b.strength() == Strength::is_volatile &&
         timeline.of_this_block(a) && a.same_warp(b) &&
         !timeline.has_fence(a_wrote ? a.thread() : b.thread());
}

// Two atomics race only if they are of different width. A volatile flag may be read while another
// thread writes it, but when two threads write it (`++*flag`), one of the writes is lost. Here `a`
// came first.
bool may_collide(const Record &a, const Record &b, bool a_wrote, bool b_writes) {
  const bool both_write = a_wrote && b_writes;
  if (a.strength() == Strength::plain || b.strength() == Strength::plain) return false;
  if (differ_in_width(a, b)) return false;
  const bool narrow = a.strength() == Strength::atomic_in_block ||
                      b.strength() == Strength::atomic_in_block;
  if (narrow && !state().timeline.of_this_block(a)) return false;
  if (trusts_in_step(a, b, a_wrote)) return false;
  return !both_write || a.strength() >= Strength::atomic_in_block ||
         b.strength() >= Strength::atomic_in_block;
}

void tell(const Race &race) {
  if (race.verb == Verb::reads && race.earlier_verb == Verb::updates)
    return decide_when_compared(race, race.now);
  if (race.verb == Verb::updates && race.earlier_verb == Verb::reads)
    return decide_when_compared(race, race.earlier);
  if (race.verb == Verb::writes && race.earlier_verb == Verb::writes)
    decide_when_written(race);
  else
    report_race(race);
}

void meet(const Record &earlier, bool earlier_wrote, const Touch &touch) {
  const Timeline &timeline = state().timeline;
  // The cheaper question first.
  if (may_collide(earlier, touch.now, earlier_wrote, touch.writes) ||
      !timeline.unordered(earlier, touch.now, touch.address))
    return;
  // Word by word, because two threads may write the same value to one of them alone.
  for (std::size_t i = 0; i < touch.bytes; i += 4)
    tell({touch.address + i, std::min<std::size_t>(touch.bytes - i, 4), earlier, touch.now,
          verb_of(earlier, earlier_wrote), verb_of(touch.now, touch.writes)});
}

// See Cell for why the kept records are enough. A stronger record must not replace a weaker one:
// atomics of other threads race with a plain write, but not with an atomic.
template <std::size_t count>
void remember(const std::array<Record *, count> &kept, const Touch &touch) {
  const Record &now = touch.now;
  for (Record *old : kept) {
    const bool replaceable =
        old->epoch < touch.oldest || (old->strength() >= now.strength() &&
                                      !state().timeline.unordered(*old, now, touch.address));
    if (replaceable) {
      *old = now;
      return;
    }
  }
  // A plain access covers more than an atomic does: it also races with atomics.
  const Record &before = *kept[count - 2];
  Record &last = *kept[count - 1];
  const bool same_warp = before.epoch == last.epoch && before.same_warp(last);
  if (same_warp || now.strength() < last.strength())
    last = now;
  else if (compares_and_swaps && !touch.writes && now.strength() == Strength::plain)
    lost_reads[now.thread()] = {last_word(touch.address, touch.bytes), now};
}

void touch_cell(const Cell &cell, const Touch &touch) {
  const Record &last = *(touch.writes ? cell.writes[0] : cell.reads[0]);
  // No other thread has run since. But another line of this thread may make another race.
  if (last.same_moment(touch.now) && last.site == touch.now.site) return;
  for (const Record *write : cell.writes)
    if (write->epoch >= touch.oldest) meet(*write, true, touch);
  if (!touch.writes) return remember(cell.reads, touch);
  for (const Record *read : cell.reads)
    if (read->epoch >= touch.oldest) meet(*read, false, touch);
  remember(cell.writes, touch);
}

}  // namespace

void note_lost_read(const char *address, std::uint32_t epoch, std::uint32_t site, std::uint16_t who,
                    std::uint16_t clock) {
  const Record record{epoch, site, who, clock};
  lost_reads[record.thread()] = {address, record};
}

// From now on they count as atomic.
bool forgive_reads(const char *address, std::size_t bytes, const Record &reader,
                   std::set<std::uint32_t> &sites) {
  const LostRead &lost = lost_reads[reader.thread()];
  bool any = lost.address >= address && lost.address < address + bytes &&
             lost.record.epoch == reader.epoch;
  if (any) sites.insert(lost.record.site);
  State &known = state();
  Shadow *shadow = known.global.contains(address)      ? &known.global
                   : known.shared->contains(address)    ? known.shared
                   : known.variables.contains(address) ? &known.variables
                                                        : known.host_shared.find(address);
  for (std::size_t i = 0; shadow && i < bytes; i += 4) {
    Page *page = shadow->page_of_words(shadow->offset_of(address + i));
    if (!page) continue;
    for (Record *read : page->cell(shadow->offset_of(address + i) % kPageBytes / 4).reads)
      if (read->epoch == reader.epoch && read->same_thread(reader) &&
          read->strength() == Strength::plain) {
        any = true;
        sites.insert(read->site);
        read->who = pack_who(read->thread(), Strength::atomic);
      }
  }
  return any;
}

void touch_cells(Page &page, std::size_t offset, const Touch &touch) {
  (touch.writes ? page.latest_write : page.latest_read) = touch.now.epoch;
  if (page.shift) return touch_cell(page.cell(offset >> page.shift), touch);
  for (std::size_t i = 0; i < touch.bytes; ++i)
    touch_cell(page.cell(offset + i),
               {touch.address + i, 1, touch.now, touch.writes, touch.oldest});
}

}  // namespace cuda_on_cpu::check
