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

/// A call on fresh input, how to check its answer, and the same work on one CPU core.
template <typename Entry>
auto time_elements(Entry entry) {
  return [entry](std::size_t n, std::uint64_t seed) -> TimedCall {
    const auto input = std::make_shared<const Input<int>>(make_values(n, seed, -100, 100));
    const auto verify = [input](const Reply& reply) {
      require_equal(reply, input->label, reply.buffer<int>("out"), oracle::expected(input->values));
    };
    const auto baseline = [input] { oracle::expected(input->values); };
    return {prepare(entry, In("in", input->values), Out<int>("out", n), n), verify, baseline};
  };
}

/// The least that the technique asks for: every element is read once and written once.
Work one_pass(std::size_t n) { return {2.0 * sizeof(int) * n, 0, WorkUnit::none}; }

const BenchSizes kSizes = {.cpu = {1 << 10, 1 << 12, 1 << 14}, .gpu = {1 << 12, 1 << 16, 1 << 20}};
constexpr const char* kBaseline = "the same on one CPU core";

const BenchRegistration kBenches[] = {
    {"first", "elements", kBaseline, kSizes, time_elements(ENTRY(@SPACE@::first)), one_pass},
    {"second", "elements", kBaseline, kSizes, time_elements(ENTRY(@SPACE@::second)), one_pass},
};

}  // namespace
