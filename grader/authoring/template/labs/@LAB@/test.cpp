// What "correct" means for lab @NUMBER@, stage by stage. A test's tag is the stage it belongs to.
#include "@SPACE@.hpp"
#include "catch.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
namespace oracle = @SPACE@::oracle;

namespace {

template <typename Entry>
Reply check(Entry entry, const Input<int>& input) {
  const std::size_t n = input.values.size();
  const Reply reply = call(entry, In("in", input.values), Out<int>("out", n), n);
  require_equal(reply, input.label, reply.buffer<int>("out"), oracle::expected(input.values));
  return reply;
}

}  // namespace

TEST_CASE("first is right at every size", "[first]") {
  for_each_size(-100, 100, 2049, [](const Input<int>& input) {
    const Reply reply = check(ENTRY(@SPACE@::first), input);
    require_threads(reply, input.values.size(), "one thread for every element");
  });
}

TEST_CASE("second is right at every size", "[second]") {
  for_each_size(-100, 100, 2049, [](const Input<int>& input) {
    const Reply reply = check(ENTRY(@SPACE@::second), input);
    if (reply.statistics().largest_launch > 1024)  // counted on the CPU backend only
      fail(Verdict::wrong_answer, reply.description() + " launched more than 1024 threads");
  });
}

TEST_CASE("second is right where a thread serves many elements", "[second]") {
  for (const std::size_t n : within_reach({4096, 10007}))
    check(ENTRY(@SPACE@::second), make_values(n, judge().options().seed + n, -100, 100));
}
