// What "correct" means for lab 02, stage by stage. A test's tag is the stage it belongs to.
#include "catch.hpp"
#include "in_place.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
using datasets::kOrderedShapes;
using datasets::KeyShape;

namespace {

/// For sizes of which each has one shape.
constexpr std::array kRandomShapes = {KeyShape::shuffled,     KeyShape::few_keys,
                                      KeyShape::extremes,     KeyShape::runs,
                                      KeyShape::two_keys,     KeyShape::not_negative,
                                      KeyShape::stretches};
/// The second is that of 2048 keys, the last that of 12,288.
constexpr std::array kLargeShapes = {KeyShape::stretches,    KeyShape::runs,
                                     KeyShape::not_negative, KeyShape::few_keys,
                                     KeyShape::shuffled,     KeyShape::extremes};

constexpr auto kShapesOfBatches = [] {
  std::array<KeyShape, kOrderedShapes.size() + datasets::kOtherShapes.size()> shapes{};
  std::ranges::copy(datasets::kOtherShapes, std::ranges::copy(kOrderedShapes, shapes.begin()).out);
  return shapes;
}();

/// One key is in order as it is: who launches nothing for it is right, too.
bool needs_sorting(std::size_t n) { return n > 1; }

/// Compares array by array, so that a finding shows the first array with a mistake.
void require_sorted(const Reply& reply, const Keys& keys, std::size_t n, std::size_t arrays) {
  const std::vector<float> got = reply.buffer<float>("keys");
  const std::vector<float> expected = in_place::oracle::sorted(keys.values, n, arrays);
  for (std::size_t a = 0; a < arrays; ++a) {
    const auto part = [&](const std::vector<float>& all) {
      return std::vector<float>(all.begin() + a * n, all.begin() + (a + 1) * n);
    };
    const std::string which = arrays == 1 ? "" : ", array " + std::to_string(a);
    require_sequence(reply, keys.label + which, part(got), part(expected),
                     [](float first, float second) { return first <= second; });
  }
}

/// Counted under the checker only. A flag or a ticket of each block is no place for keys.
void require_no_own_memory(const Reply& reply, std::size_t n, std::size_t arrays) {
  const std::uint64_t accesses = reply.statistics().own_memory;
  if (accesses > 64 + 16 * arrays && accesses >= n * arrays)
    fail(Verdict::wrong_answer,
         reply.description() + " made " + std::to_string(accesses) +
             " accesses to device variables or the kernels' heap; the contract allows a block only "
             "shared memory and registers beside the keys");
}

/// Counted under the checker only. What is compared in global memory is read there again and again.
void require_few_global_accesses(const Reply& reply, std::size_t n, std::size_t arrays) {
  constexpr std::uint64_t kForEachKey = 4, kForEachArray = 64;  // two are enough for a key
  const std::uint64_t made = reply.statistics().in_buffers + reply.statistics().texture_fetches;
  // Threads beyond the last key may load one, too; but a block has no more than 1024.
  const std::uint64_t hands = std::min(reply.statistics().threads, in_place::kOneEach * arrays);
  const std::uint64_t most =
      kForEachKey * std::max<std::uint64_t>(n * arrays, hands) + kForEachArray * arrays;
  if (reply.statistics().accesses > 0 && made > most)
    fail(Verdict::wrong_answer,
         reply.description() + " made " + std::to_string(made) + " accesses to global memory for " +
             std::to_string(n * arrays) +
             " keys; the contract allows " + std::to_string(most) +
             ", four for each key or thread: load a key once, and compare in shared memory or "
             "registers");
}

constexpr std::size_t kOfEachKey = 5;  // two are read for one that is written
constexpr std::size_t kBlockEach = 64;  // so few arrays have a block each

template <typename Entry>
Reply check_single(Entry entry, const Keys& keys) {
  const std::size_t n = keys.values.size();
  const Reply reply = call(entry, InOut("keys", keys.values), n);
  require_sorted(reply, keys, n, 1);
  require_no_own_memory(reply, n, 1);
  require_few_global_accesses(reply, n, 1);
  require_few_launches(reply, n);
  note_sort_alone(reply, n, kOfEachKey);
  if (n == 0) require_no_launch(reply);
  if (reply.statistics().largest_launch > in_place::kOneEach)  // counted on the CPU backend only
    fail(Verdict::wrong_answer,
         reply.description() + " launched " + std::to_string(reply.statistics().largest_launch) +
             " threads; the contract asks for one block, which has at most 1024");
  if (needs_sorting(n)) require_no_allocation(reply);
  return reply;
}

const std::string kShared =
    "at least one warp or block for every array, or 1024 of them that go on to others";

/// How many arrays are sorted at once: a grid of blocks or warps that is large enough may go on to
/// others.
std::size_t at_once(std::size_t arrays) { return std::min<std::size_t>(arrays, 1024); }

/// A few more, by the seed: no program knows how many are enough.
std::size_t over_a_thousand() { return 1001 + below_by_seed(50); }

/// `arrays` arrays, each of a different shape. Of few arrays the shapes depend on n.
Keys different_arrays(std::size_t n, std::size_t arrays) {
  Keys keys{{}, std::to_string(arrays) + " arrays of " + std::to_string(n) + " keys"};
  for (std::size_t a = 0; a < arrays; ++a) {
    const KeyShape shape = kShapesOfBatches[(a + n) % kShapesOfBatches.size()];
    const auto array = datasets::make_keys(shape, n, judge().options().seed + a);
    keys.values.insert(keys.values.end(), array.begin(), array.end());
  }
  return keys;
}

void require_batch(const Reply& reply, const Keys& keys, std::size_t n, std::size_t arrays) {
  require_sorted(reply, keys, n, arrays);
  require_no_own_memory(reply, n, arrays);
  require_few_global_accesses(reply, n, arrays);
  require_few_launches(reply, n * arrays);
  if (arrays <= kBlockEach) note_sort_alone(reply, n, kOfEachKey);
  if (n == 0 || arrays == 0)
    require_no_launch(reply);
  else if (needs_sorting(n)) {
    require_threads(reply, at_once(arrays), kShared);
    require_no_allocation(reply);
  }
}

template <typename Entry>
Reply check_batch(Entry entry, std::size_t n, std::size_t arrays) {
  const Keys keys = different_arrays(n, arrays);
  Reply reply = call(entry, InOut("keys", keys.values), n, arrays);
  require_batch(reply, keys, n, arrays);
  return reply;
}

template <typename Entry>
void check_one_array(Entry entry, const Keys& keys) {
  const std::size_t n = keys.values.size();
  const Reply reply = call(entry, InOut("keys", keys.values), n, 1);
  require_sorted(reply, keys, n, 1);
  require_no_own_memory(reply, n, 1);
  require_few_global_accesses(reply, n, 1);
  if (needs_sorting(n)) require_no_allocation(reply);
}

/// Threads of a warp or block share the work on its array. `fast` may do as it likes.
void check_shared_batch(std::size_t n, std::size_t arrays) {
  const Reply reply = check_batch(ENTRY(in_place::batched), n, arrays);
  if (needs_sorting(n) && arrays > 0)
    require_threads(reply, at_once(arrays) * std::min<std::size_t>(n, 32), kShared);
}

/// Few blocks of each launch run, the last one among them: what they have not sorted is as it was.
/// If they have sorted less than their share, or not the last array, all blocks run: blocks may
/// take the arrays of others, the first ones again for example. On a GPU all blocks run always.
template <typename Entry>
void check_some_arrays(Entry entry, std::size_t n, std::size_t arrays) {
  const Keys keys = make_labelled(KeyShape::few_keys, n * arrays, judge().options().seed);
  const PreparedCall whole = prepare(entry, InOut("keys", keys.values), n, arrays);
  const Reply reply = judge().call(with_few_blocks(whole));
  if (kGpu) return require_batch(reply, keys, n, arrays);
  std::size_t sorted = 0;
  bool last = false;
  const auto got = reply.buffer<float>("keys");
  for (std::size_t a = 0; a < arrays; ++a) {
    const auto equals = [&](auto other) {
      return std::equal(other, other + n, got.begin() + a * n);
    };
    const auto before = keys.values.begin() + a * n;
    if (equals(before)) continue;  // as most arrays are, so only the others are sorted here
    if (!equals(in_place::oracle::sorted({before, before + n}, n, 1).begin()))
      fail(Verdict::wrong_answer, reply.description() + " on " + keys.label + ": array " +
                                      std::to_string(a) + " is neither sorted nor as it was");
    ++sorted;
    last = a + 1 == arrays;
  }
  if (last && !is_less_than_their_share(reply, sorted, arrays)) return;
  if (const auto all = judge().call_in_part(whole)) require_batch(*all, keys, n, arrays);
}

/// More arrays than a number of 16 bits counts. Small arrays, those of a warp and larger ones may
/// have kernels of their own, and a grid has so many blocks in one of its three dimensions only.
template <typename Entry>
void check_many_arrays(Entry entry) {
  for (const std::size_t arrays : once_within_reach({65537})) {
    // A block with many barriers for each array takes long on a CPU. Then only few of the blocks
    // say something.
    const Keys pairs = different_arrays(2, arrays);
    const auto reply = judge().call_in_part(prepare(entry, InOut("keys", pairs.values), 2, arrays));
    if (reply)
      require_batch(*reply, pairs, 2, arrays);
    else
      check_some_arrays(entry, 2, arrays);
  }
  // The last block has as many as the others, if it has up to 64.
  for (const std::size_t arrays : once_within_reach({64 * 1025}))
    for (const std::size_t n : {20, 40, 140}) check_some_arrays(entry, n, arrays);
  // More than 20 bits count. How many more, no program knows.
  for (const std::size_t arrays : once_within_reach({(1 << 20) + 1 + below_by_seed(999)}))
    check_some_arrays(entry, 2, arrays);
  // Arrays that take most of a block, more of them than a small grid has blocks.
  for (const std::size_t n : once_within_reach({513 + below_by_seed(511)}))
    check_some_arrays(entry, n, 1100);
  for (const std::size_t n : once_within_reach({100})) check_batch(entry, n, 1025);
}

// Sizes around a warp and around powers of two, a size that is not a multiple of four, and the
// largest.
constexpr std::size_t kArraySizes[] = {0,  1,  2,   3,   4,   5,   31,  32,  33,   63,
                                       64, 65, 100, 127, 128, 129, 255, 257, 513, 1023, 1024};

template <typename Entry>
void check_batches(Entry entry) {
  constexpr std::size_t kArrays[] = {33, 0, 1, 2, 7};
  const std::size_t limit = judge().extent().largest;
  const std::size_t sizes = std::ranges::upper_bound(kArraySizes, limit) - std::begin(kArraySizes);
  for (std::size_t turn = 0; turn < sizes; ++turn)
    for (std::size_t kind = 0; kind < std::size(kArrays); ++kind)
      if (is_sampled(turn, sizes) &&
          takes_turn(kArraySizes[turn], turn, kind, std::size(kArrays)))
        check_batch(entry, kArraySizes[turn], kArrays[kind]);
  for (const std::size_t n : one_by_seed(6, 1023))
    for (const std::size_t arrays : one_by_seed(3, 40)) check_batch(entry, n, arrays);
  // The last block or warp may have fewer arrays than the others, by any number.
  constexpr std::size_t kLeast = 3, kMost = 18;
  for (std::size_t arrays = kLeast; arrays <= kMost; ++arrays)
    if (is_sampled(arrays - kLeast, kMost - kLeast + 1)) check_batch(entry, 20, arrays);
}

/// Every number of keys, with an array or two, and every number of arrays, of few keys.
template <typename Entry>
void check_every_size(Entry entry) {
  std::mt19937_64 random(judge().options().seed);
  for (const std::size_t n : every_size_once(kEverySize / 2))
    check_batch(entry, n, 1 + datasets::below(random, 2));
  for (const std::size_t arrays : every_size_once(kEverySize / 2))
    check_batch(entry, 2 + datasets::below(random, 4), arrays);
  for (const std::size_t n : least_of_warps_once(kEverySize / 2, in_place::kOneEach))
    check_batch(entry, n, 1 + datasets::below(random, 2));
}

/// No stage allocates device memory, so all of them work when there is none.
template <typename Entry>
void check_without_memory(Entry entry, std::vector<std::size_t> sizes) {
  for (const std::size_t n : within_reach(std::move(sizes))) {
    const Keys keys = make_labelled(KeyShape::few_keys, n, judge().options().seed + n);
    const Reply reply = judge().call(without_memory(prepare(entry, InOut("keys", keys.values), n)));
    require_sorted(reply, keys, n, 1);
  }
}
template <typename Entry>
void check_batch_without_memory(Entry entry) {
  for (const std::size_t n : within_reach({20, 100, 1000}))
    for (const std::size_t arrays : {1, 33}) {
      const Keys keys = make_labelled(KeyShape::few_keys, n * arrays, judge().options().seed + n);
      const Reply reply =
          judge().call(without_memory(prepare(entry, InOut("keys", keys.values), n, arrays)));
      require_sorted(reply, keys, n, arrays);
    }
}

}  // namespace

TEST_CASE("in_place sorts the article's five keys", "[in-place]") {
  check_single(ENTRY(in_place::in_place), {{1, 5, 2, 4, 7}, "the article's keys 1, 5, 2, 4, 7"});
}

TEST_CASE("in_place sorts up to a block of keys", "[in-place]") {
  for_each_input(kOrderedShapes, in_place::kOneEach, [](const Keys& keys) {
    const Reply reply = check_single(ENTRY(in_place::in_place), keys);
    if (needs_sorting(keys.values.size()))
      require_threads(reply, keys.values.size(), "one thread for every key");
  });
}

TEST_CASE("in_place keeps the order of many zeros, in keys that fall or rise", "[in-place]") {
  for_falling_and_rising([](const Keys& keys) { check_single(ENTRY(in_place::in_place), keys); });
}

namespace {

/// Counted on the CPU backend only.
void check_registers(const Keys& keys) {
  constexpr std::uint64_t kMost = in_place::kFullShared * sizeof(float);
  const Reply reply = check_single(ENTRY(in_place::registers), keys);
  if (const std::uint64_t had = reply.statistics().shared_bytes; had > kMost)
    fail(Verdict::wrong_answer,
         reply.description() + " had a block with " + std::to_string(had) +
             " bytes of shared memory; the contract allows " + std::to_string(kMost) +
             ", which the keys fill: ranks and moving keys stay in registers");
}

}  // namespace

TEST_CASE("registers sorts up to a block of keys", "[registers]") {
  for_each_input(kOrderedShapes, in_place::kOneEach, check_registers);
}

TEST_CASE("registers keeps the order of many zeros, in keys that fall or rise", "[registers]") {
  for_falling_and_rising(check_registers);
}

TEST_CASE("registers sorts keys that fill shared memory", "[registers]") {
  for_each_large_size({1025, 2048, 2049, 5000, in_place::kFullShared - 1, in_place::kFullShared},
                      kLargeShapes,
                      [](std::size_t n, KeyShape shape) {
                        check_registers(make_labelled(shape, n, judge().options().seed));
                      });
  // Once for every number of keys per thread, which may have a kernel of its own: the least keys
  // for it.
  for (std::size_t keys_per_thread = 3; keys_per_thread <= 12; ++keys_per_thread)
    for (const std::size_t n : once_within_reach({(keys_per_thread - 1) * in_place::kOneEach + 1}))
      check_registers(make_labelled(KeyShape::extremes, n, judge().options().seed));
  for (const std::size_t n : one_beyond_reach(5000))
    check_registers(make_labelled(KeyShape::few_keys, n, judge().options().seed));
  for (const std::size_t n : one_beyond_reach(in_place::kFullShared, 11 * in_place::kOneEach))
    check_registers(make_labelled(KeyShape::few_keys, n, judge().options().seed));
}

TEST_CASE("batched sorts every array separately", "[batched]") {
  check_batches(ENTRY(in_place::batched));
}

TEST_CASE("batched keeps the order of many zeros, in keys that fall or rise", "[batched]") {
  for_falling_and_rising([](const Keys& keys) {
    check_one_array(ENTRY(in_place::batched), keys);
  });
}

TEST_CASE("batched sorts a thousand small arrays", "[batched]") {
  for (const std::size_t n : {1, 7, 32, 40}) check_shared_batch(n, over_a_thousand());
}

TEST_CASE("batched sorts more arrays than 16 bits count", "[batched]") {
  check_many_arrays(ENTRY(in_place::batched));
  // All blocks run of what is for more keys than a warp has threads: more than 15 bits count.
  for (const std::size_t n : once_within_reach({33}))
    check_shared_batch(n, (1 << 15) + 1 + below_by_seed(1000));
}

TEST_CASE("fast sorts every array separately", "[fast]") { check_batches(ENTRY(in_place::fast)); }

TEST_CASE("fast sorts one array of every size", "[fast]") {
  for_each_input(kOrderedShapes, in_place::kOneEach, [](const Keys& keys) {
    check_one_array(ENTRY(in_place::fast), keys);
  });
}

TEST_CASE("fast keeps the order of many zeros, in keys that fall or rise", "[fast]") {
  for_falling_and_rising([](const Keys& keys) { check_one_array(ENTRY(in_place::fast), keys); });
}

TEST_CASE("fast sorts a thousand small arrays", "[fast]") {
  for (const std::size_t n : {1, 7, 32, 40})
    check_batch(ENTRY(in_place::fast), n, over_a_thousand());
}

TEST_CASE("fast sorts more arrays than 16 bits count", "[fast]") {
  check_many_arrays(ENTRY(in_place::fast));
  // All blocks run of what is for more keys than a warp has threads: more than a grid of 8192 has.
  for (const std::size_t n : once_within_reach({33})) {
    const std::size_t arrays = (1 << 13) + 1 + below_by_seed(1000);
    const Keys keys = different_arrays(n, arrays);
    const auto reply =
        judge().call_in_part(prepare(ENTRY(in_place::fast), InOut("keys", keys.values), n, arrays));
    if (reply) require_batch(*reply, keys, n, arrays);  // or it is too slow on a CPU
  }
}

TEST_CASE("in_place needs no device memory of its own", "[in-place]") {
  check_without_memory(ENTRY(in_place::in_place), {100, 1000});
}

TEST_CASE("registers needs no device memory of its own", "[registers]") {
  check_without_memory(ENTRY(in_place::registers), {100, 1000, 3000, in_place::kFullShared});
}

TEST_CASE("batched needs no device memory of its own", "[batched]") {
  check_batch_without_memory(ENTRY(in_place::batched));
}

TEST_CASE("fast needs no device memory of its own", "[fast]") {
  check_batch_without_memory(ENTRY(in_place::fast));
}

TEST_CASE("in_place sorts every number of keys", "[in-place]") {
  for_every_size_once(kRandomShapes, kEverySize,
                      [](const Keys& keys) { check_single(ENTRY(in_place::in_place), keys); });
}

TEST_CASE("registers sorts every number of keys", "[registers]") {
  for_every_size_once(kRandomShapes, kEverySize, check_registers);
}

TEST_CASE("batched sorts every number of keys and of arrays", "[batched]") {
  check_every_size(ENTRY(in_place::batched));
}

TEST_CASE("fast sorts every number of keys and of arrays", "[fast]") {
  check_every_size(ENTRY(in_place::fast));
}
