#include "ledger.hpp"

#include <iterator>

namespace cuda_on_cpu::check {
namespace {

constexpr Use kUses[] = {Use::reads, Use::writes, Use::updates};

// The first of the lines that may reach beyond `begin`.
template <class Lines>
auto first_at(Lines &lines, const char *begin) {
  auto line = lines.upper_bound(begin);
  if (line != lines.begin() && std::prev(line)->second.range.end > begin) --line;
  return line;
}

}  // namespace

// What disturbs the older line of a party disturbs the newer one, too. So the newer one takes its
// place.
void Ledger::add(const Line &line) {
  Lines &lines = lines_[line.moment.party][static_cast<std::size_t>(line.range.use)];
  cut(lines, line.range.begin, line.range.end);
  lines.emplace(line.range.begin, line);
}

void Ledger::cut(Lines &lines, const char *begin, const char *end) {
  auto line = first_at(lines, begin);
  while (line != lines.end() && line->first < end) {
    const Line whole = line->second;
    line = lines.erase(line);
    const auto keep = [&](const char *from, const char *to) {
      if (from >= to) return;
      Line part = whole;
      part.range.begin = from;
      part.range.end = to;
      lines.emplace(from, part);
    };
    keep(whole.range.begin, begin);
    keep(end, whole.range.end);
  }
}

const Ledger::Line *Ledger::find_disturbing(const Range &range, const Clock &seen,
                                            std::thread::id giver) const {
  for (const auto &[party, by_use] : lines_)
    for (const Use use : kUses) {
      if (!disturbs(use, range.use)) continue;
      const Lines &lines = by_use[static_cast<std::size_t>(use)];
      for (auto line = first_at(lines, range.begin); line != lines.end() && line->first < range.end;
           ++line)
        if (!seen.has_seen(line->second.moment) &&
            (giver == std::thread::id{} || line->second.task->giver == giver))
          return &line->second;
    }
  return nullptr;
}

void Ledger::forget(const HostThreads &threads) {
  for (auto &[party, by_use] : lines_)
    for (Lines &lines : by_use)
      std::erase_if(lines, [&](const auto &line) { return threads.has_seen(line.second.moment); });
  std::erase_if(lines_, [](const auto &party) {
    return party.second[0].empty() && party.second[1].empty() && party.second[2].empty();
  });
}

void Ledger::forget(const char *begin, const char *end) {
  for (auto &[party, by_use] : lines_)
    for (Lines &lines : by_use) cut(lines, begin, end);
}

bool Ledger::has_between(const char *begin, const char *end) const {
  for (const auto &[party, by_use] : lines_)
    for (const Lines &lines : by_use)
      if (const auto line = first_at(lines, begin); line != lines.end() && line->first < end)
        return true;
  return false;
}

}  // namespace cuda_on_cpu::check
