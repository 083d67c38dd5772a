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
      {KeyShape::organ_pipe, 0x9600E1AE21970764}, {KeyShape::runs, 0x7AE629DAAEF06BE0},
      {KeyShape::two_keys, 0x52AB3D2CA38452D0},   {KeyShape::not_negative, 0x4A4B878BFDEEA36D},
      {KeyShape::stretches, 0xC444BAC51C4799DB},
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

  const auto runs = make_keys(KeyShape::runs, 100, 1);  // 32 keys each, and four
  for (std::size_t i = 1; i < runs.size(); ++i) REQUIRE((i % 32 == 0 || runs[i - 1] < runs[i]));
  CHECK(!std::ranges::is_sorted(runs));
  const auto two = make_keys(KeyShape::two_keys, 100, 1);
  CHECK(std::ranges::count(two, 0.0f) + std::ranges::count(two, 1.0f) == 100);
  bool negative_zero = false;
  for (const float key : make_keys(KeyShape::not_negative, 1000, 1)) {
    REQUIRE(key >= 0);
    negative_zero |= key == 0 && std::signbit(key);
  }
  CHECK(negative_zero);
  for (const std::size_t n : {0, 1, 2, 3, 4, 5, 6, 1000})
    CHECK(make_keys(KeyShape::stretches, n, n).size() == n);
  CHECK(std::ranges::count(make_keys(KeyShape::stretches, 1000, 1), 1.0f) > 200);
}
