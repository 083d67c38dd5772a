#include "footprint.hpp"

#include <algorithm>
#include <span>

namespace cuda_on_cpu::check {
namespace {

// A cell keeps at least one of the launch's writes and one of its reads, if there were any.
void add_use(std::span<Record *const> records, bool wrote, const char *begin, std::size_t bytes,
             std::uint32_t since, std::vector<Range> (&by_use)[3]) {
  const Record *plain = nullptr, *update = nullptr;
  for (const Record *record : records)
    if (record->epoch >= since) (record->strength() == Strength::plain ? plain : update) = record;
  const auto add = [&](Use use, const Record *record) {
    if (!record) return;
    std::vector<Range> &ranges = by_use[static_cast<std::size_t>(use)];
    if (!ranges.empty() && ranges.back().end == begin)
      ranges.back().end = begin + bytes;
    else
      ranges.push_back({begin, begin + bytes, use, record->site});
  };
  add(wrote ? Use::writes : Use::reads, plain);
  add(Use::updates, update);
}

}  // namespace

void add_footprint(Shadow &shadow, std::uint32_t since, std::vector<Range> &ranges) {
  std::vector<Range> by_use[3];
  shadow.for_each_page([&](const char *begin, Page &page) {
    if (!page.records || std::max(page.latest_read, page.latest_write) < since) return;
    const std::size_t unit = std::size_t{1} << page.shift;
    for (std::size_t i = 0; i < page.cell_count(); ++i) {
      const Cell cell = page.cell(i);
      add_use(cell.writes, true, begin + i * unit, unit, since, by_use);
      add_use(cell.reads, false, begin + i * unit, unit, since, by_use);
    }
  });
  for (const auto &one : by_use) ranges.insert(ranges.end(), one.begin(), one.end());
}

}  // namespace cuda_on_cpu::check
