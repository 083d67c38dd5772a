// What lab 01 times: the sort of n distinct shuffled keys, against the same algorithm on one CPU
// core.
#include "bench.hpp"

#include <memory>

#include "oracle.hpp"
#include "rank_sort.hpp"
#include "sequence_check.hpp"
#include "timed_keys.hpp"

using namespace warpwise;
namespace oracle = rank_sort::oracle;

namespace {

using SharedKeys = std::shared_ptr<const TimedKeys<float>>;

/// A call whose output buffer `out` must hold the sorted keys.
TimedCall timed(const SharedKeys& timed, PreparedCall call, const char* out) {
  const auto verify = [timed, out](const Reply& reply) {
    require_sequence(reply, timed->keys.label, reply.buffer<float>(out), timed->ascending,
                     [](float a, float b) { return a <= b; });
  };
  const auto baseline = [timed] {
    std::vector<float> sorted(timed->keys.values.size());
    oracle::serial_rank_sort(timed->keys.values, sorted);
  };
  return {std::move(call), verify, baseline};
}

template <typename Entry>
auto time_keys(Entry entry) {
  return [entry](std::size_t n, std::uint64_t seed) {
    const SharedKeys input = make_timed_keys<float>(n, seed);
    return timed(input, prepare(entry, In("in", input->keys.values), Out<float>("out", n), n),
                 "out");
  };
}

template <typename Entry>
auto time_pairs(Entry entry) {
  return [entry](std::size_t n, std::uint64_t seed) {
    const SharedKeys input = make_timed_keys<float>(n, seed);
    const std::vector<int> values(n, 1);
    return timed(input,
                 prepare(entry, In("keys_in", input->keys.values), In("values_in", values),
                         Out<float>("keys_out", n), Out<int>("values_out", n), n),
                 "keys_out");
  };
}

/// A quarter as many threads as keys: every thread serves four keys.
TimedCall time_strided(std::size_t n, std::uint64_t seed) {
  const SharedKeys input = make_timed_keys<float>(n, seed);
  return timed(input,
               prepare(ENTRY(rank_sort::strided), In("in", input->keys.values),
                       Out<float>("out", n), n, n / 4),
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
