#include "footprint.hpp"

#include <algorithm>
#include <span>

namespace cuda_on_cpu::check {
namespace {

void append(std::vector<Range> &ranges, const Range &range) {
  if (!ranges.empty() && ranges.back().end == range.begin)
    ranges.back().end = range.end;
  else
    ranges.push_back(range);
}

struct Ranges {
  std::vector<Range> of_use[3];
  void add(const Range &range) { append(of_use[static_cast<std::size_t>(range.use)], range); }
};

// A cell keeps at least one of the launch's writes and one of its reads, if there were any. The
// flags themselves are always told.
void add_use(std::span<Record *const> records, bool wrote, const char *begin, std::size_t bytes,
             std::uint32_t since, const Told &all_told, Ranges &told, Ranges &others) {
  const Record *plain = nullptr, *update = nullptr;
  bool is_told = true;
  for (const Record *record : records) {
    if (record->epoch < since) continue;
    const bool is_plain = record->strength() == Strength::plain;
    (is_plain ? plain : update) = record;
    is_told &= !is_plain || all_told.covers(*record);
  }
  const Use use = wrote ? Use::writes : Use::reads;
  if (plain) (is_told ? told : others).add({begin, begin + bytes, use, plain->site});
  if (update) told.add({begin, begin + bytes, Use::updates, update->site});
}

}  // namespace

void add_footprint(Shadow &shadow, std::uint32_t since, const Told &all_told,
                   Footprint &footprint) {
  Ranges told, others;
  shadow.for_each_page([&](const char *begin, Page &page) {
    if (!page.records || std::max(page.latest_read, page.latest_write) < since) return;
    const std::size_t unit = std::size_t{1} << page.shift;
    for (std::size_t i = 0; i < page.cell_count(); ++i) {
      const Cell cell = page.cell(i);
      add_use(cell.writes, true, begin + i * unit, unit, since, all_told, told, others);
      add_use(cell.reads, false, begin + i * unit, unit, since, all_told, told, others);
    }
  });
  for (std::size_t i = 0; i < 3; ++i) {
    footprint.told.insert(footprint.told.end(), told.of_use[i].begin(), told.of_use[i].end());
    footprint.others.insert(footprint.others.end(), others.of_use[i].begin(),
                            others.of_use[i].end());
  }
}

}  // namespace cuda_on_cpu::check
