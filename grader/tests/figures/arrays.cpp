// What checks sorted arrays: it accepts what is sorted, and nothing else.
#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "device_arrays.hpp"
#include "device_buffer.hpp"
#include "sorters.hpp"

using namespace figures;

namespace {

Digest digest_of(const std::vector<float>& keys, std::size_t length) {
  const DeviceBuffer<float> on_device{std::span(keys)};
  return digest(on_device.data(), keys.size(), length);
}

std::vector<float> shuffled(std::size_t n, std::uint64_t seed) {
  DeviceBuffer<float> keys(n);
  fill_shuffled(keys.data(), n, seed);
  std::vector<float> host(n);
  keys.copy_to(host);
  return host;
}

Sorter sorter(const char* name, bool right) {
  return in_place_sorter(name, 100, 100, [right](float* keys) {
    std::vector<float> host(100);
    CUDA_CHECK(cudaMemcpy(host.data(), keys, 400, cudaMemcpyDeviceToHost));
    std::ranges::sort(host);
    if (!right) host[50] = host[51];  // in order, but a key is lost
    CUDA_CHECK(cudaMemcpy(keys, host.data(), 400, cudaMemcpyHostToDevice));
  });
}

}  // namespace

TEST_CASE("keys are different, and fresh for every seed", "[arrays]") {
  for (const std::size_t n : {0, 1, 2, 1000, 4097}) {
    std::vector<float> keys = shuffled(n, 1);
    CHECK((n < 100 || keys != shuffled(n, 2)));
    std::ranges::sort(keys);
    CHECK(std::ranges::adjacent_find(keys) == keys.end());
  }
}

TEST_CASE("a digest tells sorted from unsorted, lost and exchanged keys", "[arrays]") {
  const std::vector<float> keys = shuffled(1000, 1);
  std::vector<float> sorted = keys;
  std::ranges::sort(sorted);
  const Digest before = digest_of(keys, 1000);
  CHECK(sorted_from(before, digest_of(sorted, 1000)));
  CHECK_FALSE(sorted_from(before, before));
  std::vector<float> lost = sorted;
  lost[10] = lost[11];
  CHECK_FALSE(sorted_from(before, digest_of(lost, 1000)));
  std::vector<float> nan = sorted;
  nan[10] = NAN;
  CHECK_FALSE(sorted_from(before, digest_of(nan, 1000)));
}

TEST_CASE("a key that moved to another array is found", "[arrays]") {
  const std::vector<float> keys = {4, 1, 3, 2};
  CHECK(sorted_from(digest_of(keys, 2), digest_of({1, 4, 2, 3}, 2)));
  CHECK_FALSE(sorted_from(digest_of(keys, 2), digest_of({1, 2, 3, 4}, 2)));
}

TEST_CASE("sorters run in turns, and one that loses a key ends it", "[arrays]") {
  const std::vector<Series> series =
      sort_in_turns({sorter("a", true), sorter("b", true)}, 3, 10.0, 1);
  REQUIRE(series.size() == 2);
  CHECK(series[0].seconds.size() == 3);
  CHECK_THROWS_AS(sort_in_turns({sorter("a", true), sorter("b", false)}, 3, 10.0, 1), WrongAnswer);
}

TEST_CASE("a slow sorter gets two turns", "[arrays]") {
  CHECK(sort_in_turns({sorter("a", true)}, 5, 1e-9, 1)[0].seconds.size() == 2);
}
