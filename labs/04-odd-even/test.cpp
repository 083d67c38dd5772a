// What "correct" means for lab 04, stage by stage. A test's tag is the stage it belongs to.
#include "catch.hpp"
#include "inputs.hpp"
#include "odd_even.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
using datasets::kOrderedShapes;
using datasets::KeyShape;
namespace oracle = odd_even::oracle;

namespace {

const auto not_descending = [](float a, float b) { return a <= b; };

template <typename Entry>
Reply check_keys(Entry entry, const Keys& keys) {
  Reply reply = call(entry, InOut("keys", keys.values), keys.values.size());
  require_sequence(reply, keys.label, reply.buffer<float>("keys"), oracle::sorted(keys.values),
                   not_descending);
  return reply;
}

}  // namespace

// ---- stage 1 ------------------------------------------------------------------------------------

TEST_CASE("phases swaps two keys", "[phases]") {
  check_keys(ENTRY(odd_even::phases), {{2, 1}, "the keys 2, 1"});
}

TEST_CASE("phases takes the last key along, with and without a partner", "[phases]") {
  check_keys(ENTRY(odd_even::phases), {{2, 3, 1}, "the keys 2, 3, 1"});
  check_keys(ENTRY(odd_even::phases), {{4, 3, 2, 1}, "the keys 4, 3, 2, 1"});
  check_keys(ENTRY(odd_even::phases), {{5, 4, 3, 2, 1}, "the keys 5, 4, 3, 2, 1"});
}

TEST_CASE("phases sorts keys of every size and shape", "[phases]") {
  for_each_input(kOrderedShapes, 2049,
                 [](const Keys& keys) { check_keys(ENTRY(odd_even::phases), keys); });
}

// ---- stage 2 ------------------------------------------------------------------------------------

namespace {

void check_early_exit(const Keys& keys) {
  const Reply reply = check_keys(ENTRY(odd_even::early_exit), keys);
  std::vector<float> work = keys.values;
  const std::size_t needed = oracle::serial_phases(work);
  const std::size_t granted = std::min(needed + 3, keys.values.size() + 1);
  if (reply.statistics().launches > granted)  // counted on the CPU backend only
    fail(Verdict::wrong_answer,
         reply.description() + " on " + keys.label + ": " +
             std::to_string(reply.statistics().launches) + " launches, but only the first " +
             std::to_string(needed) + " phases change something: at most " +
             std::to_string(granted) + " launches are granted");
}

}  // namespace

TEST_CASE("early_exit goes on behind one clean phase", "[early-exit]") {
  check_early_exit({{1, 3, 2, 4}, "the keys 1, 3, 2, 4, where the first even phase changes nothing"});
  check_early_exit({{2, 1, 4, 3}, "the keys 2, 1, 4, 3, where the first odd phase changes nothing"});
}

TEST_CASE("early_exit sorts keys of every size and shape, and stops in time", "[early-exit]") {
  for_each_input(kOrderedShapes, 2049, check_early_exit);
}

TEST_CASE("early_exit looks once at what is sorted", "[early-exit]") {
  for (const std::size_t n : within_reach({100, 1000, 5000, 20000}))
    for (const KeyShape shape : {KeyShape::sorted, KeyShape::all_equal, KeyShape::nearly_sorted})
      check_early_exit(make_labelled(shape, n, judge().options().seed + n));
}
