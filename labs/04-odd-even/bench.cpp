// What lab 04 times: the sort of n shuffled keys or records. All stages have one baseline, so that
// their speedups can be compared: std::sort of n keys on one CPU core.
#include "bench.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "odd_even.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"
#include "timed_keys.hpp"
#include "timed_sort.hpp"

using namespace warpwise;
namespace oracle = odd_even::oracle;

namespace {

/// The baseline.
void serial_sort(std::vector<float> keys) { std::ranges::sort(keys); }

template <typename Entry>
auto time_keys(Entry entry) {
  return time_sort(entry, serial_sort);
}

constexpr int kDimensions = 8;  // of a record's payload

/// Records of eight dimensions, all live, all at different levels: levels alone decide the order.
template <typename Entry>
auto time_records(Entry entry) {
  return [entry](std::size_t n, std::uint64_t seed) -> TimedCall {
    const auto timed = make_timed_keys<int>(n, seed);
    const std::vector<int>& levels = timed->keys.values;
    const auto verify = [timed, n](const Reply& reply) {
      const std::vector<int> descending(timed->ascending.rbegin(), timed->ascending.rend());
      require_sequence(reply, std::to_string(n) + " shuffled records", reply.buffer<int>("level"),
                       descending, [](int a, int b) { return a >= b; });
    };
    const auto baseline = [keys = std::vector<float>(levels.begin(), levels.end())] {
      serial_sort(keys);
    };
    return {prepare(entry, InOut("order", std::vector<int>(n, 1)), InOut("level", levels),
                    InOut("value", std::vector<float>(n)),
                    InOut("payload", std::vector<float>(n * kDimensions)), kDimensions,
                    Out<int>("live", 1), n),
            verify, baseline};
  };
}

const BenchSizes kSizes = {
    .cpu = {256, 512, 1024, 2048, 4096},
    .gpu = {256, 1 << 10, 1 << 12, 1 << 14, 1 << 16},
};
const BenchSizes kLongSizes = {
    .cpu = {256, 512, 1024, 2048, 4096, 1 << 14, 1 << 16},
    .gpu = {256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20},
};
constexpr const char* kBaseline = "std::sort of n keys, one CPU core";

/// n phases; every other phase leaves out an end. Shuffled keys need nearly all phases. Each of the
/// kWords words of an element is read once and written once.
template <int kWords>
Work phases(std::size_t n) {
  const auto keys = static_cast<double>(n);
  return {2 * sizeof(float) * kWords * keys, keys * (keys - 1) / 2, WorkUnit::exchanges};
}

/// Every run is sorted by merging, then merged once per round, in as many rounds as there are runs.
/// Each merged key takes one comparison. Runs are as long as the shared memory of a block lets the
/// reference make them.
Work rounds_of_merging(std::size_t n) {
  constexpr std::size_t kLongestRun = 34816;
  const auto keys = static_cast<double>(n);
  const auto runs = static_cast<double>((n + kLongestRun - 1) / kLongestRun);
  const double levels = std::bit_width(std::min(n, kLongestRun) - 1);
  return {2 * sizeof(float) * keys, keys * (levels + (runs > 1 ? runs : 0)), WorkUnit::compares};
}

const BenchRegistration kBenches[] = {
    {"phases", "keys", kBaseline, kSizes, time_keys(ENTRY(odd_even::phases)), phases<1>},
    {"early-exit", "keys", kBaseline, kSizes, time_keys(ENTRY(odd_even::early_exit)), phases<1>},
    {"records", "records", kBaseline, kSizes, time_records(ENTRY(odd_even::records)),
     phases<3 + kDimensions>},
    {"texture", "records", kBaseline, kSizes, time_records(ENTRY(odd_even::texture)),
     phases<3 + kDimensions>},
    {"tiled", "keys", kBaseline, kSizes, time_keys(ENTRY(odd_even::tiled)), phases<1>},
    {"merge-split", "keys", kBaseline, kLongSizes, time_keys(ENTRY(odd_even::merge_split)),
     rounds_of_merging},
};

}  // namespace
