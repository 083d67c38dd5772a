#include "requests.hpp"

#include <algorithm>

namespace cuda_on_cpu::count {
namespace {

constexpr unsigned kSectorBytes = 32, kBanks = 32, kWordBytes = 4;

// A small set of numbers. A lane accesses at most 5 words or 2 sectors.
class Distinct {
 public:
  void add(std::uint64_t first, std::uint64_t last) {
    for (; first <= last; ++first) {
      if (count_ && items_[count_ - 1] >= first) {
        if (items_[count_ - 1] == first) continue;
        ascending_ = false;
      }
      items_[count_++] = first;
    }
  }
  unsigned
  settle() {  // usually there is nothing to sort: lanes come in the order of their addresses
    if (ascending_) return count_;
    std::sort(begin(), end());
    return count_ = static_cast<unsigned>(std::unique(begin(), end()) - begin());
  }
  std::uint64_t *begin() { return items_.data(); }
  std::uint64_t *end() { return begin() + count_; }

 private:
  std::array<std::uint64_t, kLanes * 5> items_;
  unsigned count_ = 0;
  bool ascending_ = true;
};

unsigned distinct_bytes(Distinct &addresses, unsigned bytes) {
  std::uint64_t sum = 0, covered = 0;  // up to where bytes are counted
  addresses.settle();
  for (const std::uint64_t address : addresses) {
    sum += address + bytes - std::max(address, std::min(covered, address + bytes));
    covered = address + bytes;
  }
  return static_cast<unsigned>(sum);
}

struct Lanes {
  unsigned first, end;
};

template <class Use>
void for_each_word(const Request &request, unsigned bytes, Lanes lanes, Use use) {
  for (unsigned lane = lanes.first; lane < lanes.end; ++lane)
    if (request.lanes >> lane & 1)
      use(request.address[lane] / kWordBytes, (request.address[lane] + bytes - 1) / kWordBytes);
}

// Whether no two different words are in the same bank.
bool free_of_conflicts(const Request &request, unsigned bytes, Lanes lanes) {
  std::array<std::uint64_t, kBanks> owner;
  std::uint32_t owned = 0;
  bool free = true;
  for_each_word(request, bytes, lanes, [&](std::uint64_t word, std::uint64_t last) {
    for (; word <= last; ++word) {
      const unsigned bank = word % kBanks;
      if (owned >> bank & 1 && owner[bank] != word) free = false;
      owner[bank] = word;
      owned |= 1u << bank;
    }
  });
  return free;
}

// How many turns the fullest bank needs for these lanes.
unsigned turns(const Request &request, unsigned bytes, Lanes lanes) {
  const std::uint32_t all =
      lanes.end - lanes.first == kLanes ? ~0u : (1u << (lanes.end - lanes.first)) - 1;
  if (!(request.lanes >> lanes.first & all)) return 0;
  if (free_of_conflicts(request, bytes, lanes)) return 1;
  Distinct words;
  for_each_word(request, bytes, lanes,
                [&](std::uint64_t word, std::uint64_t last) { words.add(word, last); });
  words.settle();
  std::array<unsigned, kBanks> load{};
  for (const std::uint64_t word : words) ++load[word % kBanks];
  return *std::max_element(load.begin(), load.end());
}

}  // namespace

Cost global_cost(const Request &request, unsigned bytes) {
  Distinct sectors, addresses;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(request.lanes >> lane & 1)) continue;
    const std::uint64_t address = request.address[lane];
    sectors.add(address / kSectorBytes, (address + bytes - 1) / kSectorBytes);
    addresses.add(address, address);
  }
  const unsigned dense = (distinct_bytes(addresses, bytes) + kSectorBytes - 1) / kSectorBytes;
  return {sectors.settle(), dense};
}

// A wavefront moves at most 128 bytes, so wide accesses go in halves or quarters of the warp. Two
// neighbouring parts that ask for few words, as in a broadcast, share a wavefront.
Cost shared_cost(const Request &request, unsigned bytes) {
  if (bytes <= kWordBytes) return {turns(request, bytes, {0, kLanes}), 1};
  const unsigned part = bytes > 8 ? kLanes / 4 : kLanes / 2;
  Cost cost{0, 0};
  for (unsigned first = 0; first < kLanes; first += 2 * part) {
    const unsigned one = turns(request, bytes, {first, first + part});
    const unsigned other = turns(request, bytes, {first + part, first + 2 * part});
    const bool together = turns(request, bytes, {first, first + 2 * part}) == 1;
    cost.pieces += together ? 1 : one + other;
    cost.ideal += together ? 1 : (one > 0) + (other > 0);
  }
  return cost;
}

// Lanes that update one address take turns.
Cost atomic_cost(const Request &request) {
  std::array<std::uint64_t, kLanes> addresses;
  unsigned count = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (request.lanes >> lane & 1) addresses[count++] = request.address[lane];
  std::sort(addresses.begin(), addresses.begin() + count);
  unsigned longest = 0, length = 0;
  for (unsigned i = 0; i < count; ++i) {
    length = i && addresses[i] == addresses[i - 1] ? length + 1 : 1;
    longest = std::max(longest, length);
  }
  return {longest, 1};
}

}  // namespace cuda_on_cpu::count
