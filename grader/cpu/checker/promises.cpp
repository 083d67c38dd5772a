#include "promises.hpp"

#include <algorithm>
#include <utility>

#include "report.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {

void Promises::begin_launch() {
  last_writes_.clear();
  trusted_.clear();
  last_read_.clear();
  waiting_ = kNobody;
  writes_ = 0;
  any_volatile_ = false;
}

Promises::Who Promises::me() { return {state().timeline.block_begin(), current_thread()}; }

void Promises::barrier() {
  if (!any_volatile_) return;
  const std::uint32_t block = state().timeline.block_begin();
  const auto first = trusted_.lower_bound({block, 0}), end = trusted_.lower_bound({block, kAll});
  if (first == end) return;
  std::vector<Write> all;
  for (auto one = first; one != end; ++one)
    all.insert(all.end(), one->second.begin(), one->second.end());
  trusted_.erase(first, end);
  auto &known = trusted_[{block, kAll}];
  known.insert(known.end(), all.begin(), all.end());
}

// `do s = *flag; while (!s);` has read before its round begins, `while (!*flag);` reads after it.
void Promises::waits() {
  if (!any_volatile_) return;
  waiting_ = me();
  if (const auto read = last_read_.find(waiting_); read != last_read_.end())
    trust(waiting_, read->second);
}

void Promises::note(const Access &access, const Record &now) {
  const bool is_volatile = access.strength == Strength::is_volatile;
  any_volatile_ |= is_volatile && access.writes;
  if (!any_volatile_) return;
  const Who who = me();
  if (access.reads && is_volatile)
    for (const Who &one : {who, Who{who.first, kAll}})
      if (const auto known = trusted_.find(one); known != trusted_.end())
        judge(access, now, known->second);
  if (access.reads) {
    last_read_[who] = access.address;
    if (std::exchange(waiting_, kNobody) == who) trust(who, access.address);
  }
  if (access.writes) last_writes_[access.address] = {now, ++writes_, who.first, is_volatile};
}

void Promises::trust(const Who &who, const char *flag) {
  const auto written = last_writes_.find(flag);
  if (written == last_writes_.end()) return;
  auto &flags = trusted_[who];
  const auto same = [&](const Write &one) {
    return one.record.epoch == written->second.record.epoch &&
           one.record.same_thread(written->second.record);
  };
  std::erase_if(flags, same);
  flags.push_back(written->second);
}

// Was the value written before one of these flags, by the same thread or before a barrier of its
// block?
void Promises::judge(const Access &access, const Record &now,
                     const std::vector<Write> &flags) const {
  if (flags.empty()) return;
  const auto found = last_writes_.find(access.address);
  if (found == last_writes_.end() || !found->second.is_volatile) return;
  const Write &value = found->second;
  const auto announces = [&](const Write &flag) {
    return flag.block_begin == value.block_begin && flag.number > value.number &&
           (flag.record.same_thread(value.record) || value.record.epoch < flag.record.epoch);
  };
  if (std::none_of(flags.begin(), flags.end(), announces)) return;
  if (!state().timeline.unordered(value.record, now, access.address)) return;
  report_race({access.address, access.bytes, value.record, now, Verb::writes, Verb::reads,
               "volatile orders nothing: a __threadfence() is missing between this write and that "
               "of the flag"});
}

}  // namespace cuda_on_cpu::check
