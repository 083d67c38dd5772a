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
      oracle::serial_phases(work);
    };
    return {prepare(entry, InOut("keys", keys->values), n), verify, baseline};
  };
}

const BenchSizes kSizes = {
    .cpu = {256, 512, 1024, 2048, 4096},
    .gpu = {256, 1 << 10, 1 << 12, 1 << 14, 1 << 16},
};
constexpr const char* kBaseline = "the same algorithm, one CPU core";

const BenchRegistration kBenches[] = {
    {"phases", "keys", kBaseline, kSizes, time_keys(ENTRY(odd_even::phases))},
    {"early-exit", "keys", kBaseline, kSizes, time_keys(ENTRY(odd_even::early_exit))},
};

}  // namespace
