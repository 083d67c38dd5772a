// Keys are pinned: a lab's inputs must not change when a shape is added.
#include "keys.hpp"

#include <bit>
#include <cmath>

#include "catch.hpp"
#include "counter_random.hpp"

using namespace datasets;

namespace {

std::uint64_t hash_of(KeyShape shape) {
  std::uint64_t hash = 0;
  for (const float key : make_keys(shape, 1000, 7))
    hash = mixed(hash + std::bit_cast<std::uint32_t>(key));
  return hash;
}

}  // namespace

TEST_CASE("a thousand keys of every shape have these hashes on every machine", "[keys]") {
  const std::pair<KeyShape, std::uint64_t> pinned[] = {
      {KeyShape::shuffled, 0x28432B2CE3A9119C},   {KeyShape::sorted, 0x5F789DEA2CB1E142},
      {KeyShape::reversed, 0xD8FFE1E02274B77A},   {KeyShape::nearly_sorted, 0x2FEBB9FC61834F9B},
      {KeyShape::all_equal, 0xB82AD42F0BD24C8A},  {KeyShape::few_keys, 0x74A7654D11BFBAE3},
      {KeyShape::extremes, 0x287EEA60FEAA465F},   {KeyShape::with_nan, 0x42DDDA6B789BEBF1},
      {KeyShape::uniform, 0xCC4EFF54A2D9D334},    {KeyShape::zipf, 0x563AAA4CE73B8877},
      {KeyShape::organ_pipe, 0x9600E1AE21970764},
  };
  for (const auto& [shape, expected] : pinned) {
    INFO(describe(shape));
    CHECK(hash_of(shape) == expected);
  }
}

TEST_CASE("the shapes are what they say", "[keys]") {
  const auto pipe = make_keys(KeyShape::organ_pipe, 7, 1);
  CHECK(pipe == std::vector<float>{0, 1, 2, 3, 2, 1, 0});
  CHECK(make_keys(KeyShape::organ_pipe, 4, 1) == std::vector<float>{0, 1, 1, 0});
  for (const float key : make_keys(KeyShape::uniform, 1000, 1)) CHECK((key >= 0 && key < 1));
  for (const std::size_t n : {0, 1, 2, 3, 1000}) {
    const auto zipf = make_keys(KeyShape::zipf, n, 1);
    REQUIRE(zipf.size() == n);
    for (const float key : zipf) REQUIRE((key >= 1 && key <= static_cast<float>(n)));
  }
  const auto zipf = make_keys(KeyShape::zipf, 1000, 1);
  CHECK(std::ranges::count(zipf, 1.0f) > 60);  // about a tenth
  CHECK(std::ranges::count(zipf, 1.0f) < 160);
}
