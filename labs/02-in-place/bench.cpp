// What lab 02 times: the sort of arrays of n distinct shuffled keys, against the same algorithm on
// one CPU core.
#include "bench.hpp"

#include <bit>
#include <memory>

#include "in_place.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"
#include "timed_keys.hpp"

using namespace warpwise;

namespace {

// Arrays per batch: enough to give several to every multiprocessor of a large GPU, and on the CPU
// backend a few to every core.
#ifdef WARPWISE_GPU
constexpr std::size_t kArrays = 1024;
#else
constexpr std::size_t kArrays = 16;
#endif

/// Several arrays of n keys, one after the other, and the same with each array sorted.
struct Arrays {
  Arrays(std::size_t n, std::size_t arrays, std::uint64_t seed) : n(n), arrays(arrays) {
    for (std::size_t a = 0; a < arrays; ++a) {
      const auto timed = make_timed_keys<float>(n, seed * arrays + a);
      keys.insert(keys.end(), timed->keys.values.begin(), timed->keys.values.end());
      sorted.insert(sorted.end(), timed->ascending.begin(), timed->ascending.end());
    }
  }
  std::size_t n, arrays;
  std::vector<float> keys, sorted;
};

TimedCall timed(const std::shared_ptr<const Arrays>& input, PreparedCall call) {
  const auto verify = [input](const Reply& reply) {
    require_sequence(
        reply,
        std::to_string(input->arrays) + " arrays of " + std::to_string(input->n) + " keys",
        reply.buffer<float>("keys"), input->sorted, [](float a, float b) { return a <= b; });
  };
  const auto baseline = [input] {
    std::vector<float> work = input->keys;
    for (std::size_t a = 0; a < input->arrays; ++a)
      in_place::oracle::serial_rank_sort(std::span(work).subspan(a * input->n, input->n));
  };
  return {std::move(call), verify, baseline};
}

template <typename Entry>
auto time_single(Entry entry) {
  return [entry](std::size_t n, std::uint64_t seed) {
    const auto input = std::make_shared<const Arrays>(n, 1, seed);
    return timed(input, prepare(entry, InOut("keys", input->keys), n));
  };
}

template <typename Entry>
auto time_batch(Entry entry) {
  return [entry](std::size_t n, std::uint64_t seed) {
    const auto input = std::make_shared<const Arrays>(n, kArrays, seed);
    return timed(input, prepare(entry, InOut("keys", input->keys), n, kArrays));
  };
}

const BenchSizes kSizes = {.cpu = {64, 128, 256, 512, 1024}, .gpu = {64, 128, 256, 512, 1024}};
constexpr const char* kUnit = "keys per array";
constexpr const char* kBaseline = "serial rank sort in place, one CPU core";
constexpr const char* kBaselineOfAll = "serial rank sort in place of all arrays, one CPU core";

/// Compares every key of an array with every key of it; each is read once and written once.
template <std::size_t kArraysSorted>
Work all_pairs(std::size_t n) {
  const auto keys = static_cast<double>(n * kArraysSorted);
  return {2 * sizeof(float) * keys, keys * static_cast<double>(n), WorkUnit::compares};
}

/// Runs of 1, 2, 4 ... keys: in each round a key's rank is searched for in one other run, with
/// log2(length of the run) + 1 comparisons.
template <std::size_t kArraysSorted>
Work searched_runs(std::size_t n) {
  const auto keys = static_cast<double>(n * kArraysSorted);
  const double rounds = std::bit_width(n - 1);
  return {2 * sizeof(float) * keys, keys * rounds * (rounds + 1) / 2, WorkUnit::compares};
}

const BenchRegistration kBenches[] = {
    {"in-place", kUnit, kBaseline, kSizes, time_single(ENTRY(in_place::in_place)), all_pairs<1>},
    {"registers", kUnit, kBaseline, kSizes, time_single(ENTRY(in_place::registers)), all_pairs<1>},
    {"batched", kUnit, kBaselineOfAll, kSizes, time_batch(ENTRY(in_place::batched)),
     all_pairs<kArrays>},
    {"fast", kUnit, kBaselineOfAll, kSizes, time_batch(ENTRY(in_place::fast)),
     searched_runs<kArrays>},
};

}  // namespace
