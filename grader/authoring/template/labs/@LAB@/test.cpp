// What "correct" means for lab @NUMBER@, stage by stage. A test's tag is the stage it belongs to.
#include "@SPACE@.hpp"
#include "catch.hpp"
#include "inputs.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
namespace oracle = @SPACE@::oracle;

TEST_CASE("first doubles every element at every size", "[first]") {
  for_each_input(datasets::kDistinctShapes, 2049, [](const Keys& keys) {
    const std::size_t n = keys.values.size();
    const Reply reply =
        call(ENTRY(@SPACE@::first), In("in", keys.values), Out<float>("out", n), n);
    require_sequence(reply, keys.label, reply.buffer<float>("out"), oracle::doubled(keys.values),
                     [](float, float) { return true; });
  });
}
