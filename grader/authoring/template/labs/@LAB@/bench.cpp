// What lab @NUMBER@ times: n elements, against the same work on one CPU core.
#include "bench.hpp"

#include <memory>

#include "@SPACE@.hpp"
#include "inputs.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
namespace oracle = @SPACE@::oracle;

namespace {

TimedCall time_first(std::size_t n, std::uint64_t seed) {
  const auto keys = std::make_shared<const Keys>(
      make_labelled(datasets::KeyShape::shuffled, n, seed));
  const auto verify = [keys](const Reply& reply) {
    require_sequence(reply, keys->label, reply.buffer<float>("out"), oracle::doubled(keys->values),
                     [](float, float) { return true; });
  };
  const auto baseline = [keys] { oracle::doubled(keys->values); };
  return {prepare(ENTRY(@SPACE@::first), In("in", keys->values), Out<float>("out", n), n), verify,
          baseline};
}

/// The least that the technique asks for: every element is read once and written once.
Work doubling(std::size_t n) { return {2.0 * sizeof(float) * n, 0, WorkUnit::none}; }

const BenchRegistration kFirst{
    "first", "elements", "one CPU core",
    {.cpu = {1 << 10, 1 << 12, 1 << 14}, .gpu = {1 << 12, 1 << 16, 1 << 20}}, time_first,
    doubling};

}  // namespace
