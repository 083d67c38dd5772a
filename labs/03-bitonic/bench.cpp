// What lab 03 times: the sort of n distinct shuffled keys, against std::sort in the same order on
// one CPU core.
#include "bench.hpp"

#include <bit>

#include "bitonic.hpp"
#include "oracle.hpp"
#include "timed_sort.hpp"

using namespace warpwise;
namespace oracle = bitonic::oracle;

namespace {

template <typename Entry>
auto time_keys(Entry entry) {
  return time_sort(entry, [](const std::vector<float>& keys) { oracle::sorted(keys); });
}

// Powers of two, because stage 1 takes only these. The sizes for a GPU go from one that fits a
// block to one that does not fit the second-level cache.
const BenchSizes kSizes = {
    .cpu = {1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16},
    .gpu = {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24},
};
constexpr const char* kBaseline = "std::sort, one CPU core";

/// The network of n = 2^k keys has k (k + 1) / 2 steps of n / 2 exchanges. A key is read once and
/// written once, however many steps a pass over memory makes.
Work network(std::size_t n) {
  const double k = std::bit_width(n) - 1, keys = static_cast<double>(n);
  return {2 * sizeof(float) * keys, keys / 2 * k * (k + 1) / 2, WorkUnit::exchanges};
}

const BenchRegistration kBenches[] = {
    {"global", "keys", kBaseline, kSizes, time_keys(ENTRY(bitonic::global)), network},
    {"any-length", "keys", kBaseline, kSizes, time_keys(ENTRY(bitonic::any_length)), network},
    {"shared", "keys", kBaseline, kSizes, time_keys(ENTRY(bitonic::shared)), network},
    {"registers", "keys", kBaseline, kSizes, time_keys(ENTRY(bitonic::registers)), network},
};

}  // namespace
