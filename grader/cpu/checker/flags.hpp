// Places that threads publish through: an atomic or volatile access after a fence. And who has seen
// which of these accesses: that thread is ordered after them at the flag itself, which the fence
// before does not cover.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel_heap.hpp"
#include "knowledge.hpp"
#include "record.hpp"

namespace cuda_on_cpu::check {

class Flag {
 public:
  void release(const Record &atomic, std::size_t bytes, const Fence &fence, const Knowledge &known);
  const Knowledge &acquire(const Record &reader);
  const Knowledge &told() const { return told_; }
  // Has `asking`, or a reader that `is_past` accepts, seen this access? It was to byte `offset` of
  // the flag.
  bool is_seen(const Record &atomic, std::size_t offset, bool in_own_block, const Record &asking,
               auto is_past) const {
    const auto release = released_.find(moment(atomic));
    if (release == released_.end() || offset >= bytes_) return false;
    const auto [number, block_only] = release->second;
    if (block_only && !in_own_block) return false;
    const auto own = acquired_.find(moment(asking));
    if (own != acquired_.end() && own->second > number) return true;
    for (const auto &[reader, seen] : acquired_)
      if (seen > number && is_past(record(reader))) return true;
    return false;
  }

 private:
  // A thread and its clock, in an epoch. A program that polls a flag reads it often in one moment.
  using Moment = std::uint64_t;
  struct Release {
    std::size_t number;  // of those before
    bool block_only;
  };
  static Moment moment(const Record &record) {
    return Moment{record.epoch} << 32 | Moment{record.thread()} << 16 | record.clock;
  }
  static Record record(Moment moment) {
    const auto part = [&](unsigned shift) { return static_cast<std::uint16_t>(moment >> shift); };
    return {static_cast<std::uint32_t>(moment >> 32), 0, pack_who(part(16), Strength::plain),
            part(0)};
  }

  std::size_t bytes_ = 0;
  UnlistedMap<Moment, Release> released_;
  UnlistedMap<Moment, std::size_t> acquired_;  // how many releases were seen
  Knowledge told_;                             // by all of them
};

class Flags {
 public:
  Flag &operator[](const void *flag) { return flags_[flag]; }
  Flag *find(const void *flag) {
    const auto found = flags_.find(flag);
    return found == flags_.end() ? nullptr : &found->second;
  }
  void clear() { flags_.clear(); }
  bool empty() const { return flags_.empty(); }
  Knowledge told() const;  // by all of them
  // Has `asking`, or a reader that `is_past` accepts, seen this access to a flag? It was aligned to
  // its size.
  bool is_seen(const Record &atomic, const char *address, bool in_own_block, const Record &asking,
               auto is_past) const {
    constexpr std::uintptr_t kWidest = 16;
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    for (std::uintptr_t size = 1; size <= kWidest; size *= 2) {
      const std::uintptr_t offset = place % size;
      if (size > 1 && offset == place % (size / 2)) continue;  // as before
      const auto flag = flags_.find(address - offset);
      if (flag != flags_.end() &&
          flag->second.is_seen(atomic, offset, in_own_block, asking, is_past))
        return true;
    }
    return false;
  }

 private:
  UnlistedMap<const void *, Flag> flags_;
};

}  // namespace cuda_on_cpu::check
