// What "correct" means for lab 03, stage by stage. A test's tag is the stage it belongs to.
#include <bit>
#include <cstring>
#include <span>

#include "bitonic.hpp"
#include "catch.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "oracle.hpp"
#include "refusals.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
using namespace bitonic::tests;
using bitonic::Result;
using datasets::kAllShapes;
using datasets::KeyShape;
namespace oracle = bitonic::oracle;

// ---- stage 1 ------------------------------------------------------------------------------------

TEST_CASE("global sorts eight keys", "[global]") {
  check_keys(ENTRY(bitonic::global), kEight, "the keys 5, 3, 8, 1, 7, 2, 6, 4");
}

namespace {

/// A network of 2^k keys has k (k + 1) / 2 steps.
void check_network(const std::vector<float>& keys, const std::string& label) {
  const Reply reply = check_keys(ENTRY(bitonic::global), keys, label);
  if (keys.empty()) return;
  const std::uint64_t k = std::bit_width(keys.size()) - 1;
  require_launches(reply, k * (k + 1) / 2, "one for each step of the network, which has " +
                                               std::to_string(k * (k + 1) / 2));
  const std::uint64_t most_in_step = 16 * keys.size() + 2000;
  require_light_launches(reply, most_in_step, "one step of the network in each");
  require_hands(reply, keys.size(), most_in_step);
}

}  // namespace

TEST_CASE("global sorts powers of two of all floats in their total order", "[global]") {
  for_each_keys([](const std::vector<float>& keys, const std::string& label) {
    if (keys.empty() || std::has_single_bit(keys.size())) check_network(keys, label);
  });
}

TEST_CASE("global sorts more keys than a grid of few blocks has threads", "[global]") {
  for (const std::size_t n : within_reach({4096, 16384, 65536}))
    for (const KeyShape shape : {KeyShape::shuffled, KeyShape::few_keys})
      check_network(make_labelled(shape, n, n).values,
                    std::to_string(n) + " " + datasets::describe(shape));
  for_each_power_of_two(check_network);
  for (const std::size_t beyond : one_beyond_reach(8192)) {
    const std::size_t n = std::bit_ceil(beyond);
    check_network(make_labelled(KeyShape::few_keys, n, n).values,
                  std::to_string(n) + " " + datasets::describe(KeyShape::few_keys));
  }
  for (const std::size_t n : once_within_reach({262144}))
    check_network(make_labelled(KeyShape::extremes, n, n).values,
                  std::to_string(n) + " " + datasets::describe(KeyShape::extremes));
}

namespace {

/// How far neighbours are apart, inside of groups of eight: little where runs are merged.
double roughness(std::span<const float> keys) {
  double sum = 0;
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (i % 8 != 0) sum += std::abs(double(keys[i]) - double(keys[i - 1]));
  return sum;
}

/// In every part of the array, those included that few threads do not come to.
bool is_smoother_everywhere(std::span<const float> got, std::span<const float> given) {
  constexpr std::size_t kPart = 4096;
  constexpr double kSmoother = 0.75;
  for (std::size_t first = 0; first < got.size(); first += kPart) {
    const std::size_t part = std::min(kPart, got.size() - first);
    if (roughness(got.subspan(first, part)) > kSmoother * roughness(given.subspan(first, part)))
      return false;
  }
  return true;
}

/// In 16 steps a network has sorted runs of 16 and more keys, and has moved none out of its 64.
/// That holds for every kind of network with these steps. Another sort with launches for show has
/// got farther, or not so far. What works on a copy brings it back after the last step; that runs,
/// too. What is in other bits meanwhile cannot be judged.
void require_first_steps(const Reply& reply, const Keys& keys) {
  constexpr std::size_t kGroup = 64;
  const std::vector<float> got = reply.buffer<float>("keys");
  const auto grouped = [](std::vector<float> some) {
    for (auto at = some.begin(); at != some.end(); at += kGroup) std::sort(at, at + kGroup);
    return some;
  };
  if (grouped(got) == grouped(keys.values) && is_smoother_everywhere(got, keys.values)) return;
  if (multiset_difference(got, keys.values).empty())
    fail(Verdict::wrong_answer, reply.description() + " on " + keys.label +
                                    ": after the first 16 launches the keys are not where as many "
                                    "steps of a network leave them; the contract asks for one "
                                    "step in each");
}

}  // namespace

/// The first launches of a call with n keys, a power of two. A GPU makes all of them.
void check_first_steps(std::size_t n) {
  const Keys keys = make_labelled(KeyShape::shuffled, n, judge().options().seed + n);
  const std::size_t k = std::bit_width(n) - 1, steps = k * (k + 1) / 2;
  const std::optional<Reply> reply = judge().call_in_part(
      with_few_launches(prepare(ENTRY(bitonic::global), InOut("keys", keys.values), n), steps));
  if (reply && kGpu) require_sorted(*reply, keys.values, keys.label);
  if (reply && !kGpu) require_first_steps(*reply, keys);
}

TEST_CASE("global makes one step of a network in each of its first launches", "[global]") {
  for (const std::size_t drawn : one_by_seed(260, 1024)) check_first_steps(std::bit_ceil(drawn));
}

TEST_CASE("global makes steps of more pairs than a grid of 1024 blocks of 256 threads has threads",
          "[global]") {
  for (const std::size_t n : once_within_reach({1 << 20})) check_first_steps(n);
}

/// Words from 0 on are floats in order, and an odd factor changes their places alone: nobody has to
/// sort so many. On a GPU only, which takes a tenth of a second.
TEST_CASE("global sorts more keys than 24 bits count", "[global]") {
  for (const std::size_t n : once_within_reach({1 << 25})) {
    if (!kGpu) break;
    std::vector<float> keys(n), right(n);
    const auto factor = static_cast<unsigned>(judge().options().seed * 2 + 0x9E3779B1);
    for (unsigned i = 0; i < n; ++i) {
      right[i] = std::bit_cast<float>(i);
      keys[i] = std::bit_cast<float>(i * factor & static_cast<unsigned>(n - 1));
    }
    const Reply reply = call(ENTRY(bitonic::global), InOut("keys", keys), n);
    require_result(reply, Result::sorted, " for 2^25 keys of different bits");
    if (std::memcmp(reply.buffer<float>("keys").data(), right.data(), n * sizeof(float)) != 0)
      require_sequence(reply, "2^25 keys of different bits", reply.buffer<float>("keys"), right,
                       in_order);
  }
}

TEST_CASE("global refuses lengths that are not a power of two or too large", "[global]") {
  for (const std::size_t n : {std::size_t{3}, std::size_t{6}, std::size_t{7}, std::size_t{3} << 28,
                              kTooMany[1], kTooMany[2], kTooMany[3], kTooMany[4]}) {
    const Reply reply = call(ENTRY(bitonic::global), InOut("keys", kEight), n);
    require_result(reply, Result::bad_length);
    require_untouched(reply, "keys", kEight);
  }
}

// ---- stage 2 ------------------------------------------------------------------------------------

TEST_CASE("any_length keeps keys larger than the article's padding", "[any-length]") {
  check_keys(ENTRY(bitonic::any_length), kLargerThanPadding, kPaddingLabel);
}

TEST_CASE("any_length sorts every length", "[any-length]") {
  for_each_keys([](const std::vector<float>& keys, const std::string& label) {
    check_keys(ENTRY(bitonic::any_length), keys, label);
  });
  for_each_large([](const std::vector<float>& keys, const std::string& label) {
    check_keys(ENTRY(bitonic::any_length), keys, label);
  });
}

/// More keys than 17 bits count, and than a grid of 1024 blocks of 256 threads, or one of 256
/// tiles, has places for.
constexpr std::size_t kMany = 270'001;
/// 256 tiles, to the last key: none, if 8 bits number them.
constexpr std::size_t kWholeTiles = 256 * bitonic::kTile;

TEST_CASE("any_length sorts many keys", "[any-length]") {
  for_each_power_of_two([](const std::vector<float>& keys, const std::string& label) {
    check_keys(ENTRY(bitonic::any_length), keys, label);
  });
  for (const std::size_t n : once_within_reach({kWholeTiles, kMany}))
    check_keys(ENTRY(bitonic::any_length),
               random_bits<float, unsigned>(n, judge().options().seed + n), label_bits(n));
}

TEST_CASE("any_length sorts every number of keys", "[any-length]") {
  for_every_length(kEverySize, [](const std::vector<float>& keys, const std::string& label) {
    check_keys(ENTRY(bitonic::any_length), keys, label);
  });
}

TEST_CASE("any_length refuses bad pointers and lengths", "[any-length]") {
  check_refusals<float>(ENTRY(bitonic::any_length));
  check_most_keys<float>(ENTRY(bitonic::any_length));
}

TEST_CASE("any_length survives a device without memory", "[any-length]") {
  check_without_memory<float>(ENTRY(bitonic::any_length));
}

// ---- stage 3 ------------------------------------------------------------------------------------

TEST_CASE("shared sorts every length", "[shared]") {
  for_each_keys([](const std::vector<float>& keys, const std::string& label) {
    check_keys(ENTRY(bitonic::shared), keys, label);
  });
}

TEST_CASE("shared sorts many tiles, with all steps of a tile in one launch", "[shared]") {
  for_each_large([](const std::vector<float>& keys, const std::string& label) {
    allow_launches(check_keys(ENTRY(bitonic::shared), keys, label), shared_launches(keys.size()));
  });
}

TEST_CASE("shared sorts many keys and pairs", "[shared]") {
  for_each_power_of_two([](const std::vector<float>& keys, const std::string& label) {
    allow_launches(check_keys(ENTRY(bitonic::shared), keys, label), shared_launches(keys.size()));
    check_pairs(ENTRY(bitonic::shared_pairs), keys, label);
  });
  for (const std::size_t n : once_within_reach({kWholeTiles, kMany})) {
    const auto keys = random_bits<float, unsigned>(n, judge().options().seed + n);
    check_keys(ENTRY(bitonic::shared), keys, label_bits(n));
    check_pairs(ENTRY(bitonic::shared_pairs), keys, label_bits(n));
  }
}

TEST_CASE("shared sorts every number of keys and pairs", "[shared]") {
  for_every_length(kEverySize, [](const std::vector<float>& keys, const std::string& label) {
    check_keys(ENTRY(bitonic::shared), keys, label);
    check_pairs(ENTRY(bitonic::shared_pairs), keys, label);
  });
}

TEST_CASE("shared refuses bad pointers and lengths", "[shared]") {
  check_refusals<float>(ENTRY(bitonic::shared));
  check_most_keys<float>(ENTRY(bitonic::shared));
  check_pair_refusals(ENTRY(bitonic::shared_pairs));
}

TEST_CASE("shared survives a device without memory", "[shared]") {
  check_without_memory<float>(ENTRY(bitonic::shared));
  check_pairs_without_memory(ENTRY(bitonic::shared_pairs));
}

TEST_CASE("shared_pairs sorts by key, then by value", "[shared]") {
  for_each_tie([](const std::vector<float>& keys, const std::string& label) {
    check_pairs(ENTRY(bitonic::shared_pairs), keys, label);
  });
  for (const std::size_t n : within_reach({3000, 4097, 10007}))
    check_pairs(ENTRY(bitonic::shared_pairs), make_labelled(KeyShape::few_keys, n, n).values,
                std::to_string(n) + " keys of seven values");
}

// ---- stage 4 ------------------------------------------------------------------------------------

TEST_CASE("registers sorts every length", "[registers]") {
  for_each_keys([](const std::vector<float>& keys, const std::string& label) {
    check_keys(ENTRY(bitonic::registers), keys, label);
  });
}

TEST_CASE("registers sorts many tiles, with several strides in each pass", "[registers]") {
  for_each_large([](const std::vector<float>& keys, const std::string& label) {
    const Reply reply = check_keys(ENTRY(bitonic::registers), keys, label);
    allow_launches(reply, registers_launches(keys.size()));
    require_few_passes(reply, registers_launches(keys.size()), keys.size());
  });
}

/// Sizes at which other tiles, or other ways to launch, may pay. The sizes for a GPU only would
/// take the CPU backend too long; a count of launches shows that the backend is the CPU.
TEST_CASE("registers sorts more keys than blocks or a cache hold at once", "[registers]") {
  const auto sort = [](std::size_t n) {
    return check_keys(ENTRY(bitonic::registers),
                      random_bits<float, unsigned>(n, judge().options().seed + n), label_bits(n));
  };
  bool gpu = false;
  for (const std::size_t n : within_reach({kWholeTiles, 300'000}))
    gpu = sort(n).statistics().launches == 0;
  if (gpu)
    for (const std::size_t n : {(1u << 20) + 1, (1u << 22) + 3, (1u << 23) + 7}) sort(n);
}

TEST_CASE("registers sorts every number of keys and pairs", "[registers]") {
  std::mt19937_64 random(judge().options().seed);
  for_every_length(kEverySize / 2, [&](const std::vector<float>& keys, const std::string& label) {
    check_keys(ENTRY(bitonic::registers), keys, label);
    if (datasets::below(random, 2) == 0)
      check_pairs(ENTRY(bitonic::registers_pairs), keys, label);
    else
      check_keys(ENTRY(bitonic::registers_doubles),
                 random_bits<double, std::uint64_t>(keys.size(), keys.size()), label);
  });
}

TEST_CASE("registers refuses bad pointers and lengths", "[registers]") {
  check_refusals<float>(ENTRY(bitonic::registers));
  check_most_keys<float>(ENTRY(bitonic::registers));
  check_pair_refusals(ENTRY(bitonic::registers_pairs));
  check_refusals<double>(ENTRY(bitonic::registers_doubles));
  check_most_keys<double>(ENTRY(bitonic::registers_doubles));
}

TEST_CASE("registers survives a device without memory", "[registers]") {
  check_without_memory<float>(ENTRY(bitonic::registers));
  check_pairs_without_memory(ENTRY(bitonic::registers_pairs));
  check_without_memory<double>(ENTRY(bitonic::registers_doubles));
}

TEST_CASE("registers_pairs sorts by key, then by value", "[registers]") {
  for_each_tie([](const std::vector<float>& keys, const std::string& label) {
    check_pairs(ENTRY(bitonic::registers_pairs), keys, label);
  });
  for_each_large([](const std::vector<float>& keys, const std::string& label) {
    require_few_passes(check_pairs(ENTRY(bitonic::registers_pairs), keys, label),
                       registers_launches(keys.size()), 2 * keys.size());
  });
  for (const std::size_t n : within_reach({kWholeTiles, kMany}))
    check_pairs(ENTRY(bitonic::registers_pairs), make_labelled(KeyShape::few_keys, n, n).values,
                std::to_string(n) + " keys of seven values");
}

TEST_CASE("registers_doubles sorts doubles of any bits", "[registers]") {
  std::vector<std::size_t> sizes(kBoundarySizes.begin(), kBoundarySizes.end());
  for (const std::size_t n : large_sizes()) sizes.push_back(n);
  // For each number of doublings of a tile, up to more than 17 bits count.
  for (const std::size_t n : {std::size_t{100'003}, kWholeTiles, kMany}) sizes.push_back(n);
  sizes = within_reach(sizes);
  for (const std::size_t n : one_beyond_reach(9000)) sizes.push_back(n);
  for (const std::size_t n : sizes) {
    const Reply reply = check_keys(
        ENTRY(bitonic::registers_doubles),
        random_bits<double, std::uint64_t>(n, judge().options().seed + n), label_bits(n));
    if (n > bitonic::kTile) require_few_passes(reply, registers_launches(n), n);
  }
}
