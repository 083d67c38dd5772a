// What lab 04 times: n shuffled keys or records, against the same algorithm on one CPU core.
#include "bench.hpp"

#include <memory>

#include "inputs.hpp"
#include "odd_even.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
namespace oracle = odd_even::oracle;

namespace {

template <typename Entry>
auto time_keys(Entry entry) {
  return [entry](std::size_t n, std::uint64_t seed) -> TimedCall {
    const auto keys = std::make_shared<const Keys>(
        make_labelled(datasets::KeyShape::shuffled, n, seed));
    const auto verify = [keys](const Reply& reply) {
      require_sequence(reply, keys->label, reply.buffer<float>("keys"),
                       oracle::sorted(keys->values), [](float a, float b) { return a <= b; });
    };
    const auto baseline = [keys] {
      std::vector<float> work = keys->values;
      oracle::serial_phases(work, std::less<>());
    };
    return {prepare(entry, InOut("keys", keys->values), n), verify, baseline};
  };
}

/// Keys in the same way, but the yardstick is merge-split on one core, with runs of as many keys.
TimedCall time_merge_split(std::size_t n, std::uint64_t seed) {
  TimedCall timed = time_keys(ENTRY(odd_even::merge_split))(n, seed);
  constexpr std::size_t kRun = 16384;
  timed.baseline = [keys = datasets::make_keys(datasets::KeyShape::shuffled, n, seed)] {
    std::vector<float> work = keys;
    oracle::serial_merge_split(work, kRun);
  };
  return timed;
}

/// Records of eight dimensions, all live, each at a level of its own: the order is that of levels.
template <typename Entry>
auto time_records(Entry entry) {
  return [entry](std::size_t n, std::uint64_t seed) -> TimedCall {
    constexpr int kDimensions = 8;
    std::vector<int> levels(n);
    std::iota(levels.begin(), levels.end(), 0);
    std::mt19937_64 random(seed);
    datasets::shuffle(levels, random);
    const auto records = std::make_shared<std::vector<oracle::Record>>();
    for (const int level : levels) records->push_back({1, level, 0.0f, level});
    const auto verify = [n](const Reply& reply) {
      std::vector<int> descending(n);
      std::iota(descending.rbegin(), descending.rend(), 0);
      require_sequence(reply, std::to_string(n) + " shuffled records", reply.buffer<int>("level"),
                       descending, [](int a, int b) { return a >= b; });
    };
    const auto baseline = [n, records, payload = std::vector<float>(n * kDimensions)]() mutable {
      std::vector<oracle::Record> work = *records;
      oracle::serial_phases(work, oracle::before, [&](std::size_t i) {
        for (int d = 0; d < kDimensions; ++d) std::swap(payload[d * n + i], payload[d * n + i + 1]);
      });
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
constexpr const char* kBaseline = "the same algorithm, one CPU core";

const BenchRegistration kBenches[] = {
    {"phases", "keys", kBaseline, kSizes, time_keys(ENTRY(odd_even::phases))},
    {"early-exit", "keys", kBaseline, kSizes, time_keys(ENTRY(odd_even::early_exit))},
    {"records", "records", kBaseline, kSizes, time_records(ENTRY(odd_even::records))},
    {"texture", "records", kBaseline, kSizes, time_records(ENTRY(odd_even::texture))},
    {"tiled", "keys", kBaseline, kSizes, time_keys(ENTRY(odd_even::tiled))},
    {"merge-split", "keys", kBaseline, kLongSizes, time_merge_split},
};

}  // namespace
