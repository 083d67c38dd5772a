// cub's functions for the whole device beside plain loops. `./devices` says what is wrong, if anything
// is; `./devices spoil` expects other values, so that it must complain of every part.
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

using Numbers = std::vector<int>;
constexpr int n = 1000;

int complaints = 0, parts = 0;
bool spoil = false;
template <class T>
void compare(const char *what, const T *device, std::vector<T> expected) {
  std::vector<T> got(expected.size());
  cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost);
  if (spoil) expected.back() += 1;
  ++parts;
  if (got == expected) return;
  ++complaints;
  if (!spoil) std::printf("%s is wrong\n", what);
}

template <class Call>
void both(Call call) {
  void *temp = nullptr;
  std::size_t bytes = 0;
  call(temp, bytes);
  cudaMalloc(&temp, bytes);
  call(temp, bytes);
  cudaFree(temp);
}
template <class T>
struct Room {
  T *data = nullptr;
  explicit Room(std::size_t count) { cudaMalloc(&data, count * sizeof(T)); }
  explicit Room(const std::vector<T> &host) : Room(host.size()) {
    cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Room() { cudaFree(data); }
  operator T *() const { return data; }
};

struct Last {
  __host__ __device__ int operator()(int a, int b) const { return b % 5 == 0 ? a : b; }
};
struct Square {
  __host__ __device__ int operator()(int a) const { return a * a; }
};
struct Odd {
  __host__ __device__ bool operator()(int a) const { return a % 2 == 1; }
};
struct Under50 {
  __host__ __device__ bool operator()(int a) const { return a < 50; }
};

void try_reduce(const int *in, const Numbers &h) {
  Room<int> out(6);
  int *to = out;
  both([&](void *t, std::size_t &b) { cub::DeviceReduce::Sum(t, b, in, to, n); });
  both([&](void *t, std::size_t &b) { cub::DeviceReduce::Min(t, b, in, to + 1, n); });
  both([&](void *t, std::size_t &b) { cub::DeviceReduce::Max(t, b, in, to + 2, n); });
  both([&](void *t, std::size_t &b) { cub::DeviceReduce::Reduce(t, b, in, to + 3, n, Last(), 3); });
  both([&](void *t, std::size_t &b) {
    cub::DeviceReduce::TransformReduce(t, b, in, to + 4, n, cuda::std::plus<>{}, Square(), 1);
  });
  both([&](void *t, std::size_t &b) { cub::DeviceReduce::Sum(t, b, in, to + 5, 0); });
  int squares = 1;
  for (int v : h) squares += v * v;
  compare("DeviceReduce", to, {std::accumulate(h.begin(), h.end(), 0), *std::min_element(h.begin(), h.end()),
                               *std::max_element(h.begin(), h.end()),
                               std::accumulate(h.begin(), h.end(), 3, Last()), squares, 0});
  Room<float> ones(std::vector<float>(1 << 15, 0.1f)), sum(1);
  both([&](void *t, std::size_t &b) { cub::DeviceReduce::Sum(t, b, ones.data, sum.data, 1 << 15); });
  float all;
  cudaMemcpy(&all, sum, sizeof all, cudaMemcpyDeviceToHost);
  Room<int> near(Numbers{all > 3276.79f && all < 3276.81f});
  compare("a sum of floats", near.data, {1});
}

void try_segments(const int *in, const Numbers &h) {
  const Numbers offsets{0, 10, 10, 400, n};
  Room<int> bounds(offsets), sums(8);
  both([&](void *t, std::size_t &b) {
    cub::DeviceSegmentedReduce::Sum(t, b, in, sums.data, 4, bounds.data, bounds.data + 1);
  });
  both([&](void *t, std::size_t &b) {
    cub::DeviceSegmentedReduce::Reduce(t, b, in, sums.data + 4, 4, bounds.data, bounds.data + 1, Last(), 8);
  });
  Numbers expected(8), sorted(h), down(h);
  for (int s = 0; s < 4; ++s) {
    const auto begin = h.begin() + offsets[s], end = h.begin() + offsets[s + 1];
    expected[s] = std::accumulate(begin, end, 0);
    expected[4 + s] = std::accumulate(begin, end, 8, Last());
    std::sort(sorted.begin() + offsets[s], sorted.begin() + offsets[s + 1]);
    std::sort(down.begin() + offsets[s], down.begin() + offsets[s + 1], std::greater<>());
  }
  compare("DeviceSegmentedReduce", sums.data, expected);
  Room<int> out(n);
  both([&](void *t, std::size_t &b) {
    cub::DeviceSegmentedSort::SortKeys(t, b, in, out.data, n, 4, bounds.data, bounds.data + 1);
  });
  compare("DeviceSegmentedSort", out.data, sorted);
  both([&](void *t, std::size_t &b) {
    cub::DeviceSegmentedRadixSort::SortKeysDescending(t, b, in, out.data, n, 4, bounds.data, bounds.data + 1);
  });
  compare("DeviceSegmentedRadixSort", out.data, down);
}

void try_scan(const int *in, const Numbers &h) {
  Room<int> out(5 * n), keys(n);
  Numbers of_key(n), expected(5 * n);
  for (int i = 0; i < n; ++i) of_key[i] = i * i / 7000;
  cudaMemcpy(keys, of_key.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  int *to = out;
  both([&](void *t, std::size_t &b) { cub::DeviceScan::InclusiveSum(t, b, in, to, n); });
  both([&](void *t, std::size_t &b) { cub::DeviceScan::ExclusiveScan(t, b, in, to + n, Last(), 9, n); });
  cudaMemcpy(to + 2 * n, in, n * sizeof(int), cudaMemcpyDeviceToDevice);
  both([&](void *t, std::size_t &b) {
    if (t) cub::DeviceScan::ExclusiveSum(t, b, to + 2 * n, n); else b = 1 << 16;
  });
  both([&](void *t, std::size_t &b) { cub::DeviceScan::ExclusiveSumByKey(t, b, keys.data, in, to + 3 * n, n); });
  both([&](void *t, std::size_t &b) {
    cub::DeviceScan::InclusiveScanByKey(t, b, keys.data, in, to + 4 * n, Last(), n);
  });
  int sum = 0, latest = 9, of_run = 0, latest_of_run = 0;
  for (int i = 0; i < n; ++i) {
    const bool begins = i == 0 || of_key[i] != of_key[i - 1];
    expected[n + i] = latest;
    expected[2 * n + i] = sum;
    expected[3 * n + i] = of_run = begins ? 0 : of_run + h[i - 1];
    expected[4 * n + i] = latest_of_run = begins ? h[i] : Last()(latest_of_run, h[i]);
    latest = Last()(latest, h[i]);
    expected[i] = sum += h[i];
  }
  compare("DeviceScan", to, expected);
}

template <class Key>
void try_sort(const char *what, const Numbers &h, int begin, int end) {
  std::vector<Key> keys(h.size()), sorted(h.size());
  for (int i = 0; i < n; ++i) keys[i] = static_cast<Key>(h[i] - 40) / 2;
  Room<Key> in(keys), out(n);
  Numbers places(n);
  std::iota(places.begin(), places.end(), 0);
  Room<int> values(places), moved(n);
  both([&](void *t, std::size_t &b) {
    cub::DeviceRadixSort::SortPairsDescending(t, b, in.data, out.data, values.data, moved.data, n, begin, end);
  });
  const auto part = [&](int i) {  // only whole keys, or those bits of integers
    const auto whole = static_cast<unsigned long long>(static_cast<long long>(keys[i]));
    return end - begin == sizeof(Key) * 8 ? 0 : whole >> begin & ((1ull << (end - begin)) - 1);
  };
  std::stable_sort(places.begin(), places.end(), [&](int a, int b) {
    return end - begin == sizeof(Key) * 8 ? keys[a] > keys[b] : part(a) > part(b);
  });
  compare(what, moved.data, places);
  for (int i = 0; i < n; ++i) sorted[i] = keys[places[i]];
  compare(what, out.data, sorted);
}

void try_select(const int *in, const Numbers &h) {
  Room<int> out(n), count(2), second(n), third(n);
  Numbers expected;
  both([&](void *t, std::size_t &b) { cub::DeviceSelect::If(t, b, in, out.data, count.data, n, Odd()); });
  std::copy_if(h.begin(), h.end(), std::back_inserter(expected), Odd());
  compare("DeviceSelect::If", out.data, expected);
  compare("the count of DeviceSelect", count.data, {static_cast<int>(expected.size())});
  both([&](void *t, std::size_t &b) { cub::DeviceSelect::Flagged(t, b, in, in, out.data, count.data, n); });
  expected = h;
  std::erase(expected, 0);
  compare("DeviceSelect::Flagged", out.data, expected);
  both([&](void *t, std::size_t &b) { cub::DevicePartition::Flagged(t, b, in, in, out.data, count.data, n); });
  expected.resize(n, 0);
  compare("DevicePartition::Flagged", out.data, expected);
  both([&](void *t, std::size_t &b) {
    cub::DevicePartition::If(t, b, in, out.data, second.data, third.data, count.data, n, Odd(), Under50());
  });
  expected.clear();
  for (int v : h) if (!Odd()(v) && Under50()(v)) expected.push_back(v);
  compare("DevicePartition::If", second.data, expected);
}

void try_runs(const Numbers &h) {
  Numbers sorted(h), unique, lengths, begins;
  std::sort(sorted.begin(), sorted.end());
  Room<int> in(sorted), out(n), more(n), count(1);
  for (int i = 0; i < n; ++i) {
    if (i == 0 || sorted[i] != sorted[i - 1]) unique.push_back(sorted[i]), lengths.push_back(0), begins.push_back(i);
    ++lengths.back();
  }
  both([&](void *t, std::size_t &b) {
    cub::DeviceRunLengthEncode::Encode(t, b, in.data, out.data, more.data, count.data, n);
  });
  compare("DeviceRunLengthEncode", out.data, unique);
  compare("its lengths", more.data, lengths);
  both([&](void *t, std::size_t &b) { cub::DeviceSelect::Unique(t, b, in.data, out.data, count.data, n); });
  compare("DeviceSelect::Unique", out.data, unique);
  both([&](void *t, std::size_t &b) {
    cub::DeviceReduce::ReduceByKey(t, b, in.data, out.data, in.data, more.data, count.data, Last(), n);
  });
  Numbers last_of_runs;
  for (int v : unique) last_of_runs.push_back(v);
  compare("DeviceReduce::ReduceByKey", more.data, last_of_runs);
  both([&](void *t, std::size_t &b) {
    cub::DeviceRunLengthEncode::NonTrivialRuns(t, b, in.data, out.data, more.data, count.data, n);
  });
  Numbers of_two;
  for (std::size_t i = 0; i < begins.size(); ++i) if (lengths[i] > 1) of_two.push_back(begins[i]);
  compare("DeviceRunLengthEncode::NonTrivialRuns", out.data, of_two);
}

void try_histogram(const int *in, const Numbers &h) {
  Room<int> counts(10), listed(3), levels(Numbers{5, 20, 21, 90});
  both([&](void *t, std::size_t &b) {
    cub::DeviceHistogram::HistogramEven(t, b, in, counts.data, 11, 10, 113, n);
  });
  both([&](void *t, std::size_t &b) {
    cub::DeviceHistogram::HistogramRange(t, b, in, listed.data, 4, levels.data, n);
  });
  Numbers even(10), of_list(3);
  for (int v : h) {
    if (v >= 10 && v < 113) ++even[(v - 10) * 10 / 103];
    if (v >= 5 && v < 90) ++of_list[v < 20 ? 0 : v < 21 ? 1 : 2];
  }
  compare("DeviceHistogram::HistogramEven", counts.data, even);
  compare("DeviceHistogram::HistogramRange", listed.data, of_list);
}

void try_others(const int *in, const Numbers &h) {
  Room<int> data(h), out(n);
  both([&](void *t, std::size_t &b) {
    cub::DeviceMergeSort::SortKeysCopy(t, b, in, out.data, n, cuda::std::greater<>{});
  });
  Numbers sorted(h), steps(h);
  std::sort(sorted.rbegin(), sorted.rend());
  compare("DeviceMergeSort", out.data, sorted);
  both([&](void *t, std::size_t &b) { cub::DeviceAdjacentDifference::SubtractLeftCopy(t, b, in, out.data, n, cuda::std::minus<>{}); });
  std::adjacent_difference(h.begin(), h.end(), steps.begin());
  compare("DeviceAdjacentDifference", out.data, steps);
  int *values = data;
  cub::DeviceFor::Bulk(n, [values] __device__(int i) { values[i] += i; });
  for (int i = 0; i < n; ++i) steps[i] = h[i] + i;
  compare("DeviceFor", data.data, steps);
}

int main(int count, char **) {
  spoil = count > 1;
  Numbers h(n);
  for (int i = 0; i < n; ++i) h[i] = i * i * 7 % 125 + i % 3;
  Room<int> in(h);
  try_reduce(in, h);
  try_segments(in, h);
  try_scan(in, h);
  try_sort<int>("DeviceRadixSort of int", h, 0, 32);
  try_sort<int>("DeviceRadixSort by some bits", h, 2, 6);
  try_sort<short>("DeviceRadixSort of short", h, 0, 16);
  try_sort<float>("DeviceRadixSort of float", h, 0, 32);
  try_sort<unsigned long long>("DeviceRadixSort of unsigned long long", h, 0, 64);
  try_select(in, h);
  try_runs(h);
  try_histogram(in, h);
  try_others(in, h);
  std::printf("%d of %d\n", complaints, parts);
  return complaints == 0 ? 0 : 1;
}
