// The measurements of ./lab figures rank, at one size: the stages of labs 01 and 02 that sort
// numbers, for one array of n keys and for batches of 1024 arrays, CUB, and rank sort on one CPU
// core, which is the baseline of both labs.
#include <algorithm>

#include "../../labs/01-rank-sort/oracle.hpp"
#include "in_place.hpp"
#include "library_sorts.hpp"
#include "rank_sort.hpp"
#include "sort_report.hpp"

namespace figures {
namespace {

constexpr std::size_t kArrays = 1024;  // in a batch: several per multiprocessor
constexpr std::size_t kMostOnHost = 1 << 16, kMostOnDevice = 1 << 20;  // quadratic: seconds each

/// Stages that sort pairs of a key and a value.
template <typename Sort>
Sorter pair_sorter(const std::string& name, std::size_t n, Sort sort, bool ascending) {
  const auto values = std::make_shared<DeviceBuffer<int>>(2 * n);
  CUDA_CHECK(cudaMemset(values->data(), 0, 2 * n * sizeof(int)));
  return copying_sorter(
      name, n, n,
      [=](const float* in, float* out) {
        sort(in, values->data(), out, values->data() + n, static_cast<int>(n));
      },
      ascending);
}

/// The baseline of both labs.
void serial_rank_sort(std::span<float> keys) {
  const std::vector<float> in(keys.begin(), keys.end());
  rank_sort::oracle::serial_rank_sort(in, keys);
}

std::vector<Sorter> of_one_array(std::size_t n) {
  const int count = static_cast<int>(n);
  const auto copying = [n, count](const char* name, auto sort) {
    return copying_sorter(name, n, n,
                          [=](const float* in, float* out) { sort(in, out, count); });
  };
  const auto in_place = [n, count](const char* name, auto sort) {
    return in_place_sorter(name, n, n, [=](float* keys) { sort(keys, count); });
  };
  std::vector<Sorter> all = {
      copying("01 global", rank_sort::global),
      copying_sorter("01 strided", n, n,
                     [count](const float* in, float* out) {
                       rank_sort::strided(in, out, count, std::max(1, count / 4));
                     }),
      pair_sorter("01 stable", n, rank_sort::stable, true),
      pair_sorter("01 descending", n, rank_sort::descending, false),
      copying("01 tiled", rank_sort::tiled),
      up_to(kMostOnHost, host_sorter("serial rank sort", n, n, serial_rank_sort)),
      host_sorter("std::sort", n, n, [](std::span<float> keys) { std::ranges::sort(keys); }),
  };
  for (Sorter& sorter : all)
    if (sorter.name.starts_with("01 ")) sorter.most = kMostOnDevice;
  if (count <= in_place::kOneEach) {
    all.push_back(in_place("02 in-place", in_place::in_place));
    all.push_back(
        in_place("02 batched", [](float* keys, int n) { in_place::batched(keys, n, 1); }));
    all.push_back(in_place("02 fast", [](float* keys, int n) { in_place::fast(keys, n, 1); }));
  }
  if (count <= in_place::kFullShared) all.push_back(in_place("02 registers", in_place::registers));
  for (Sorter& sorter : library_sorts(n)) all.push_back(std::move(sorter));
  return all;
}

std::vector<Sorter> of_batches(std::size_t length) {
  const std::size_t n = kArrays * length;
  const auto batch = [&](const char* name, auto sort) {
    return in_place_sorter(name, n, length, [sort, length](float* keys) {
      sort(keys, static_cast<int>(length), static_cast<int>(kArrays));
    });
  };
  std::vector<Sorter> all = {batch("02 batched", in_place::batched),
                             batch("02 fast", in_place::fast),
                             host_sorter("serial rank sort", n, length, [length](auto keys) {
                               for (std::size_t at = 0; at < keys.size(); at += length)
                                 serial_rank_sort(keys.subspan(at, length));
                             })};
  for (Sorter& sorter : library_sorts_of_arrays(n, length)) all.push_back(std::move(sorter));
  return all;
}

std::vector<Sorter> sorters(std::size_t n) {
  std::vector<Sorter> all = of_one_array(n);
  if (n <= in_place::kOneEach)
    for (Sorter& sorter : of_batches(n)) all.push_back(std::move(sorter));
  return all;
}

}  // namespace
}  // namespace figures

int main(int argc, char** argv) {
  return figures::sort_main(argc, argv, figures::kArrays, figures::sorters);
}
