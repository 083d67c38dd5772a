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

// A wavefront moves at most 128 bytes: wide accesses go in halves or quarters of the warp.
Cost shared_cost(const Request &request, unsigned bytes) {
  const unsigned parts = bytes > 8 ? 4 : bytes > 4 ? 2 : 1;
  Cost cost{0, 0};
  for (unsigned part = 0; part < parts; ++part) {
    Distinct words;
    for (unsigned lane = kLanes / parts * part; lane < kLanes / parts * (part + 1); ++lane)
      if (request.lanes >> lane & 1) add_pieces(words, request.address[lane], bytes, kWordBytes);
    const unsigned wavefronts = fullest_bank(words);
    cost.pieces += wavefronts;
    cost.ideal += wavefronts > 0;
  }
  return cost;
}

}  // namespace cuda_on_cpu::count
