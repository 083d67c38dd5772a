// One test case for each entry point: no value changes.
#include "catch.hpp"
#include "judge.hpp"
#include "races.hpp"

using namespace warpwise;

template <typename Entry>
void check(Entry entry) {
  const std::vector<int> sevens(races::kValues, 7);
  const Reply reply = call(entry, InOut("dist", sevens), InOut("level", sevens));
  CHECK(reply.buffer<int>("dist") == sevens);
}

TEST_CASE("expected", "[expected]") { check(ENTRY(races::expected)); }
TEST_CASE("other buffer", "[other-buffer]") { check(ENTRY(races::other_buffer)); }
TEST_CASE("other kind", "[other-kind]") { check(ENTRY(races::other_kind)); }
TEST_CASE("other line", "[other-line]") { check(ENTRY(races::other_line)); }
TEST_CASE("same thread", "[same-thread]") { check(ENTRY(races::other_line_of_same_thread)); }
TEST_CASE("shared memory", "[shared-memory]") { check(ENTRY(races::shared_memory)); }
TEST_CASE("outside", "[outside]") { check(ENTRY(races::outside)); }
TEST_CASE("constant written", "[constant-written]") { check(ENTRY(races::constant_written)); }
TEST_CASE("constant read", "[constant-read]") { check(ENTRY(races::constant_read)); }
TEST_CASE("quiet", "[quiet]") { check(ENTRY(races::quiet)); }
