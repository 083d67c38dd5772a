// What lab 01 times: the sort of n distinct shuffled keys, against the same algorithm on one CPU
// core.
#include "bench.hpp"

#include <memory>

#include "inputs.hpp"
#include "oracle.hpp"
#include "rank_sort.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
namespace oracle = rank_sort::oracle;

namespace {

using SharedKeys = std::shared_ptr<const Keys>;

SharedKeys shuffled(std::size_t n, std::uint64_t seed) {
  return std::make_shared<const Keys>(make_labelled(datasets::KeyShape::shuffled, n, seed));
}

/// A call whose output buffer `out` must hold the sorted keys.
TimedCall timed(const SharedKeys& keys, PreparedCall call, const char* out) {
  const auto expected = std::make_shared<std::vector<float>>(keys->values);
  std::sort(expected->begin(), expected->end());
  const auto verify = [keys, out, expected](const Reply& reply) {
    require_sequence(reply, keys->label, reply.buffer<float>(out), *expected,
                     [](float a, float b) { return a <= b; });
  };
  const auto baseline = [keys] {
    std::vector<float> sorted(keys->values.size());
    oracle::serial_rank_sort(keys->values, sorted);
  };
  return {std::move(call), verify, baseline};
}

template <typename Entry>
auto time_keys(Entry entry) {
  return [entry](std::size_t n, std::uint64_t seed) {
    const SharedKeys keys = shuffled(n, seed);
    return timed(keys, prepare(entry, In("in", keys->values), Out<float>("out", n), n), "out");
  };
}

template <typename Entry>
auto time_pairs(Entry entry) {
  return [entry](std::size_t n, std::uint64_t seed) {
    const SharedKeys keys = shuffled(n, seed);
    const std::vector<int> values(n, 1);
    return timed(keys,
                 prepare(entry, In("keys_in", keys->values), In("values_in", values),
                         Out<float>("keys_out", n), Out<int>("values_out", n), n),
                 "keys_out");
  };
}

/// A quarter as many threads as keys: every thread serves four keys.
TimedCall time_strided(std::size_t n, std::uint64_t seed) {
  const SharedKeys keys = shuffled(n, seed);
  return timed(keys,
               prepare(ENTRY(rank_sort::strided), In("in", keys->values), Out<float>("out", n), n,
                       n / 4),
               "out");
}

const BenchSizes kSizes = {
    .cpu = {256, 512, 1024, 2048, 4096},
    .gpu = {256, 1000, 1 << 12, 1 << 14, 1 << 16},
};
constexpr const char* kBaseline = "serial rank sort, one CPU core";

/// Compares every key with every key. Each key, with its value kBytes in all, is read once and
/// written once.
template <int kBytes>
Work all_pairs(std::size_t n) {
  const auto keys = static_cast<double>(n);
  return {2 * kBytes * keys, keys * keys, WorkUnit::compares};
}

const BenchRegistration kBenches[] = {
    {"global", "keys", kBaseline, kSizes, time_keys(ENTRY(rank_sort::global)), all_pairs<4>},
    {"strided", "keys", kBaseline, kSizes, time_strided, all_pairs<4>},
    {"stable", "keys", kBaseline, kSizes, time_pairs(ENTRY(rank_sort::stable)), all_pairs<8>},
    {"tiled", "keys", kBaseline, kSizes, time_keys(ENTRY(rank_sort::tiled)), all_pairs<4>},
};

}  // namespace
