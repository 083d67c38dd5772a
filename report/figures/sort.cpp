// The measurements of ./lab figures sort, at one size: every stage of labs 03 and 04, the
// toolkit's sorts, and std::sort on one CPU core, which is the baseline of both labs.
#include <algorithm>

#include "../../labs/03-bitonic/oracle.hpp"
#include "bitonic.hpp"
#include "library_sorts.hpp"
#include "odd_even.hpp"
#include "sort_report.hpp"

namespace figures {
namespace {

constexpr int kDimensions = 8;  // of a record's point, as in lab 04's own bench

// At these sizes a sort takes seconds, on a large GPU or on any core.
constexpr std::size_t kMostByPhases = 1 << 18, kMostByReadBacks = 1 << 16;
constexpr std::size_t kMostTiled = 1 << 20, kMostMerged = 1 << 24;
constexpr std::size_t kMostOnHost = 1 << 24;

/// Records that are all live, each at a different level: they are ordered by level.
struct RecordsOnDevice {
  explicit RecordsOnDevice(std::size_t n)
      : n(n), order(n), level(n), value(n), payload(n * kDimensions), live(1) {}
  void fill(std::uint64_t seed) {
    const std::vector<int> ones(n, 1);
    order.copy_from(ones);
    fill_shuffled(level.data(), n, seed);
    before = digest(level.data(), n, n);
    std::vector<int> host(n);
    level.copy_to(host);
    const std::vector<float> as_float(host.begin(), host.end());
    value.copy_from(as_float);
    for (int d = 0; d < kDimensions; ++d)  // every coordinate is the level and must move with it
      CUDA_CHECK(cudaMemcpy(payload.data() + d * n, as_float.data(), n * sizeof(float),
                            cudaMemcpyHostToDevice));
  }
  bool sorted() const {
    if (!sorted_from(before, digest(level.data(), n, n, false))) return false;
    std::vector<int> levels(n);
    std::vector<float> points(n * kDimensions);
    level.copy_to(levels);
    payload.copy_to(points);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points[i] != static_cast<float>(levels[i % n])) return false;
    return true;
  }
  std::size_t n;
  DeviceBuffer<int> order, level;
  DeviceBuffer<float> value, payload;
  DeviceBuffer<int> live;
  Digest before;
};

template <typename Sort>
Sorter record_sorter(const std::string& name, std::size_t n, Sort sort) {
  const auto records = std::make_shared<RecordsOnDevice>(n);
  return {name, "records", false, [records](std::uint64_t seed) { records->fill(seed); },
          [records, sort, n] {
            sort(records->order.data(), records->level.data(), records->value.data(),
                 records->payload.data(), kDimensions, records->live.data(), static_cast<int>(n));
          },
          [records] { return records->sorted(); }};
}

std::vector<Sorter> sorters(std::size_t n) {
  const auto bitonic = [n](const char* name, auto sort) {
    return in_place_sorter(name, n, n, [n, sort](float* keys) { sort(keys, n); });
  };
  const auto odd_even = [n](const char* name, auto sort) {
    return in_place_sorter(name, n, n,
                           [n, sort](float* keys) { sort(keys, static_cast<int>(n)); });
  };
  const auto before = [](float a, float b) { return bitonic::oracle::before(a, b); };
  std::vector<Sorter> all = {
      bitonic("03 global", bitonic::global),
      bitonic("03 any-length", bitonic::any_length),
      bitonic("03 shared", bitonic::shared),
      bitonic("03 registers", bitonic::registers),
      up_to(kMostByPhases, odd_even("04 phases", odd_even::phases)),
      up_to(kMostByReadBacks, odd_even("04 early-exit", odd_even::early_exit)),
      up_to(kMostByReadBacks, record_sorter("04 records", n, odd_even::records)),
      up_to(kMostByReadBacks, record_sorter("04 texture", n, odd_even::texture)),
      up_to(kMostTiled, odd_even("04 tiled", odd_even::tiled)),
      up_to(kMostMerged, odd_even("04 merge-split", odd_even::merge_split)),
      up_to(kMostOnHost,
            host_sorter("std::sort", n, n,
                        [before](std::span<float> keys) { std::ranges::sort(keys, before); })),
  };
  for (Sorter& sorter : library_sorts(n)) all.push_back(std::move(sorter));
  return all;
}

}  // namespace
}  // namespace figures

int main(int argc, char** argv) { return figures::sort_main(argc, argv, 1, figures::sorters); }
