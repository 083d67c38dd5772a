#include "requests.hpp"

#include <algorithm>

namespace cuda_on_cpu::count {
namespace {

constexpr unsigned kSectorBytes = 32, kBanks = 32, kWordBytes = 4;

// Small numbers of things, each once. A lane touches at most 5 words or 2 sectors.
class Distinct {
 public:
  void add(std::uint64_t first, std::uint64_t last) {
    for (; first <= last; ++first) items_[count_++] = first;
  }
  unsigned settle() {
    std::sort(begin(), end());
    return count_ = static_cast<unsigned>(std::unique(begin(), end()) - begin());
  }
  std::uint64_t *begin() { return items_.data(); }
  std::uint64_t *end() { return begin() + count_; }

 private:
  std::array<std::uint64_t, kLanes * 5> items_;
  unsigned count_ = 0;
};

void add_pieces(Distinct &to, std::uint64_t address, unsigned bytes, unsigned piece_bytes) {
  to.add(address / piece_bytes, (address + bytes - 1) / piece_bytes);
}

unsigned distinct_bytes(Distinct &addresses, unsigned bytes) {
  std::uint64_t sum = 0, covered = 0;  // up to where bytes are counted
  addresses.settle();
  for (const std::uint64_t address : addresses) {
    sum += address + bytes - std::max(address, std::min(covered, address + bytes));
    covered = address + bytes;
  }
  return static_cast<unsigned>(sum);
}

unsigned fullest_bank(Distinct &words) {
  std::array<unsigned, kBanks> load{};
  words.settle();
  for (const std::uint64_t word : words) ++load[word % kBanks];
  return *std::max_element(load.begin(), load.end());
}

// Turns of the banks for the lanes [first, end).
unsigned turns(const Request &request, unsigned bytes, unsigned first, unsigned end) {
  Distinct words;
  for (unsigned lane = first; lane < end; ++lane)
    if (request.lanes >> lane & 1) add_pieces(words, request.address[lane], bytes, kWordBytes);
  return fullest_bank(words);
}

}  // namespace

Cost global_cost(const Request &request, unsigned bytes) {
  Distinct sectors, addresses;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(request.lanes >> lane & 1)) continue;
    add_pieces(sectors, request.address[lane], bytes, kSectorBytes);
    addresses.add(request.address[lane], request.address[lane]);
  }
  const unsigned dense = (distinct_bytes(addresses, bytes) + kSectorBytes - 1) / kSectorBytes;
  return {sectors.settle(), dense};
}

// A wavefront moves at most 128 bytes, so wide accesses go in halves or quarters of the warp. Two
// neighbouring parts that ask for few words, as in a broadcast, share a wavefront.
Cost shared_cost(const Request &request, unsigned bytes) {
  if (bytes <= kWordBytes) {
    const unsigned wavefronts = turns(request, bytes, 0, kLanes);
    return {wavefronts, wavefronts > 0};
  }
  const unsigned part = bytes > 8 ? kLanes / 4 : kLanes / 2;
  Cost cost{0, 0};
  for (unsigned first = 0; first < kLanes; first += 2 * part) {
    const unsigned one = turns(request, bytes, first, first + part);
    const unsigned other = turns(request, bytes, first + part, first + 2 * part);
    const bool together = turns(request, bytes, first, first + 2 * part) <= 1;
    cost.pieces += together ? one || other : one + other;
    cost.ideal += together ? one || other : (one > 0) + (other > 0);
  }
  return cost;
}

}  // namespace cuda_on_cpu::count
