// cub's primitives of blocks and warps beside plain loops. `./blocks` says what is wrong, if anything
// is; `./blocks spoil` expects other values, so that it must complain of every part.
#include <algorithm>
#include <cstdio>
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

constexpr int kThreads = 72, kItems = 3, kAll = kThreads * kItems;  // a warp that is not full
using Numbers = std::vector<int>;

int complaints = 0, parts = 0;
bool spoil = false;
void compare(const char *what, const int *device, Numbers expected) {
  Numbers got(expected.size());
  cudaMemcpy(got.data(), device, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  if (spoil) ++expected.back();
  ++parts;
  if (got == expected) return;
  ++complaints;
  if (!spoil) std::printf("%s is wrong\n", what);
}

struct Words {  // no type that a shuffle moves at once
  int low, high, count;
};
struct Lower {
  __device__ Words operator()(const Words &a, const Words &b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.count + b.count};
  }
};
struct Last {  // associative, but its order matters
  __device__ int operator()(int a, int b) const { return b % 5 == 0 ? a : b; }
};
int last(int a, int b) { return b % 5 == 0 ? a : b; }
struct Prefix {
  int sum;
  __device__ int operator()(int of_block) {
    const int before = sum;
    sum += of_block;
    return before;
  }
};

__global__ void reduce(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  using OfWords = cub::BlockReduce<Words, kThreads, cub::BLOCK_REDUCE_RAKING>;
  __shared__ Reduce::TempStorage temp;
  __shared__ OfWords::TempStorage words;
  int own[kItems];
  cub::LoadDirectBlocked(threadIdx.x, in, own);
  const int sum = Reduce(temp).Sum(own);
  __syncthreads();
  const int some = Reduce(temp).Sum(own[0], 50);
  __syncthreads();
  const int latest = Reduce(temp).Reduce(own, Last());
  const Words all = OfWords(words).Reduce(Words{own[0], own[1], 1}, Lower());
  if (threadIdx.x != 0) return;
  out[0] = sum, out[1] = some, out[2] = latest;
  out[3] = all.low, out[4] = all.high, out[5] = all.count;
}
void try_reduce(const int *in, int *out, const Numbers &h) {
  reduce<<<1, kThreads>>>(in, out);
  int some = 0, low = h[0], high = h[1];
  for (int t = 0; t < kThreads; ++t) {
    some += t < 50 ? h[t * kItems] : 0;
    low = std::min(low, h[t * kItems]);
    high = std::max(high, h[t * kItems + 1]);
  }
  compare("BlockReduce", out, {std::accumulate(h.begin(), h.end(), 0), some,
                               std::accumulate(h.begin() + 1, h.end(), h[0], last), low, high, kThreads});
}

__global__ void scan(const int *in, int *out, int *more) {
  using Scan = cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ Scan::TempStorage temp;
  int own[kItems], sums[kItems], all;
  cub::LoadDirectBlocked(threadIdx.x, in, own);
  Scan(temp).InclusiveSum(own, sums, all);
  cub::StoreDirectBlocked(threadIdx.x, out, sums);
  __syncthreads();
  Scan(temp).ExclusiveScan(own, sums, 7, Last());
  cub::StoreDirectBlocked(threadIdx.x, out + kAll, sums);
  __syncthreads();
  Prefix prefix{100};
  Scan(temp).ExclusiveSum(own, sums, prefix);
  cub::StoreDirectBlocked(threadIdx.x, out + 2 * kAll, sums);
  __syncthreads();
  int one, of_ones;
  Scan(temp).InclusiveScan(own[1], one, Last());
  __syncthreads();
  Scan(temp).ExclusiveSum(1, of_ones);
  more[threadIdx.x] = one;
  more[kThreads + threadIdx.x] = of_ones;
  if (threadIdx.x == 0) more[2 * kThreads] = all, more[2 * kThreads + 1] = prefix.sum;
}
void try_scan(const int *in, int *out, const Numbers &h) {
  scan<<<1, kThreads>>>(in, out, out + 3 * kAll);
  Numbers expected(3 * kAll + 2 * kThreads + 2);
  int sum = 0, latest = 7, one = 0;
  for (int i = 0; i < kAll; ++i) {
    expected[kAll + i] = latest;
    expected[2 * kAll + i] = 100 + sum;
    expected[i] = sum += h[i];
    latest = last(latest, h[i]);
  }
  for (int t = 0; t < kThreads; ++t) {
    one = t == 0 ? h[1] : last(one, h[t * kItems + 1]);
    expected[3 * kAll + t] = one;
    expected[3 * kAll + kThreads + t] = t;
  }
  expected[3 * kAll + 2 * kThreads] = sum;
  expected[3 * kAll + 2 * kThreads + 1] = 100 + sum;
  compare("BlockScan", out, expected);
}

template <class Key>
__global__ void sort(const int *in, int *out) {
  using Sort = cub::BlockRadixSort<Key, kThreads, kItems, int>;
  __shared__ typename Sort::TempStorage temp;
  Key keys[kItems];
  int own[kItems], places[kItems];
  cub::LoadDirectBlocked(threadIdx.x, in, own);
  for (int i = 0; i < kItems; ++i) keys[i] = static_cast<Key>(own[i]), places[i] = threadIdx.x * kItems + i;
  Sort(temp).Sort(keys, places);
  cub::StoreDirectBlocked(threadIdx.x, out, places);
  __syncthreads();
  Sort(temp).SortDescendingBlockedToStriped(keys, places);
  cub::StoreDirectStriped<kThreads>(threadIdx.x, out + kAll, keys);
}
template <class Key>
void try_sort(const char *what, const int *in, int *out, const Numbers &h) {
  sort<Key><<<1, kThreads>>>(in, out);
  Numbers places(kAll), down(h);
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return Key(h[a]) < Key(h[b]); });
  std::sort(down.begin(), down.end(), [](int a, int b) { return Key(a) > Key(b); });
  places.insert(places.end(), down.begin(), down.end());
  compare(what, out, places);
}

__global__ void merge(const int *in, int *out) {
  using Sort = cub::BlockMergeSort<int, 32, kItems>;
  __shared__ Sort::TempStorage temp;
  int own[kItems];
  cub::LoadDirectBlocked(threadIdx.x, in, own);
  Sort(temp).Sort(own, [](int a, int b) { return a > b; }, 91, -1000);
  cub::StoreDirectBlocked(threadIdx.x, out, own);
}
void try_merge(const int *in, int *out, const Numbers &h) {
  merge<<<1, 32>>>(in, out);
  Numbers sorted(h.begin(), h.begin() + 91);
  std::sort(sorted.rbegin(), sorted.rend());
  sorted.resize(32 * kItems, -1000);
  compare("BlockMergeSort", out, sorted);
}

template <int number>
__global__ void move(const int *in, int *out, int valid) {
  constexpr auto kLoad = static_cast<cub::BlockLoadAlgorithm>(number);
  constexpr auto kStore = static_cast<cub::BlockStoreAlgorithm>(number);
  using Load = cub::BlockLoad<int, 64, kItems, kLoad>;
  using Store = cub::BlockStore<int, 64, kItems, kStore>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } temp;
  int own[kItems];
  Load(temp.load).Load(in, own, valid, -1);
  for (int i = 0; i < kItems; ++i) own[i] += 2;
  __syncthreads();
  Store(temp.store).Store(out, own, valid);
}
template <int number>
void try_move(const int *in, int *out, const Numbers &h) {
  cudaMemset(out, 0, 64 * kItems * sizeof(int));
  move<number><<<1, 64>>>(in, out, 150);
  Numbers expected(64 * kItems);
  for (int i = 0; i < 150; ++i) expected[i] = h[i] + 2;
  compare("BlockLoad or BlockStore", out, expected);
}

__global__ void exchange(int *out) {
  using Exchange = cub::BlockExchange<int, 64, 2>;
  __shared__ Exchange::TempStorage temp;
  const int t = threadIdx.x;
  int own[2] = {t, t + 64}, ranks[2] = {127 - t, t};
  Exchange(temp).StripedToBlocked(own);
  cub::StoreDirectBlocked(t, out, own);
  __syncthreads();
  Exchange(temp).BlockedToWarpStriped(own);
  cub::StoreDirectBlocked(t, out + 128, own);
  __syncthreads();
  Exchange(temp).WarpStripedToBlocked(own);
  __syncthreads();
  Exchange(temp).BlockedToStriped(own);
  __syncthreads();
  Exchange(temp).ScatterToBlocked(own, ranks);
  cub::StoreDirectBlocked(t, out + 256, own);
}
void try_exchange(int *out) {
  exchange<<<1, 64>>>(out);
  Numbers expected(384);
  for (int i = 0; i < 128; ++i) {
    expected[i] = i;
    expected[128 + i] = i / 64 * 64 + i % 2 * 32 + i % 64 / 2;
    expected[256 + (i < 64 ? 127 - i : i - 64)] = i;
  }
  compare("BlockExchange", out, expected);
}

__global__ void lanes(const int *in, int *out) {
  using Eight = cub::WarpReduce<int, 8>;
  using Five = cub::WarpScan<int, 5>;
  using OfWords = cub::WarpReduce<Words>;
  __shared__ Eight::TempStorage eight[4];
  __shared__ Five::TempStorage five[7];
  __shared__ OfWords::TempStorage words;
  const int t = threadIdx.x, own = in[t];
  out[t] = Eight(eight[t / 8]).Sum(own);
  out[32 + t] = Eight(eight[t / 8]).Reduce(own, Last(), 5);
  out[64 + t] = Eight(eight[t / 8]).HeadSegmentedSum(own, t % 3 == 0);
  out[96 + t] = Eight(eight[t / 8]).TailSegmentedSum(own, t % 3 == 0);
  int inclusive = 0, exclusive = 0, all = 0;
  __syncwarp();  // from here on other lanes meet
  if (t < 30) {
    Five(five[t / 5]).InclusiveScan(own, inclusive, Last(), all);
    Five(five[t / 5]).ExclusiveSum(own, exclusive);
  }
  out[128 + t] = inclusive, out[160 + t] = exclusive, out[192 + t] = all;
  __syncwarp();
  const Words sum = OfWords(words).Reduce(Words{own, own, 1}, Lower());
  out[224 + t] = t == 0 ? sum.high - sum.low + sum.count : 0;
}
void try_lanes(const int *in, int *out, const Numbers &h) {
  lanes<<<1, 32>>>(in, out);
  Numbers got(256), expected(256);
  cudaMemcpy(got.data(), out, 1024, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 32; ++t) {
    const auto sum = [&](int begin, int end) { return std::accumulate(&h[begin], &h[0] + end, 0); };
    const int first = t / 8 * 8;
    // What a lane gets that is not the first of its segment means nothing.
    for (int row = 0; row < 4; ++row) expected[32 * row + t] = got[32 * row + t];
    if (t == first) expected[t] = sum(t, t + 8);
    if (t == first) expected[32 + t] = std::accumulate(&h[t + 1], &h[t + 5], h[t], last);
    const int head = std::min((t / 3 + 1) * 3, first + 8), tail = std::min((t + 2) / 3 * 3 + 1, first + 8);
    if (t == first || t % 3 == 0) expected[64 + t] = sum(t, head);
    if (t == first || t % 3 == 1) expected[96 + t] = sum(t, tail);
    if (t >= 30) continue;
    const int five = t / 5 * 5;
    expected[128 + t] = std::accumulate(&h[five + 1], &h[0] + std::max(t, five) + 1, h[five], last);
    expected[160 + t] = sum(five, t);
    expected[192 + t] = std::accumulate(&h[five + 1], &h[five + 5], h[five], last);
  }
  const auto [low, high] = std::minmax_element(h.begin(), h.begin() + 32);
  expected[224] = *high - *low + 32;
  compare("WarpReduce or WarpScan", out, expected);
}

__global__ void neighbours(const int *in, int *out) {
  using Flags = cub::BlockDiscontinuity<int, kThreads>;
  using Steps = cub::BlockAdjacentDifference<int, kThreads>;
  using Shuffle = cub::BlockShuffle<int, kThreads>;
  using Histogram = cub::BlockHistogram<int, kThreads, kItems, 128>;
  __shared__ Flags::TempStorage flags;
  __shared__ Steps::TempStorage steps;
  __shared__ Shuffle::TempStorage shuffle;
  __shared__ Histogram::TempStorage histogram;
  __shared__ int counts[128];
  int own[kItems], heads[kItems], tails[kItems], left[kItems], right[kItems];
  cub::LoadDirectBlocked(threadIdx.x, in, own);
  Flags(flags).FlagHeadsAndTails(heads, tails, own, [](int a, int b) { return a / 9 != b / 9; });
  Steps(steps).SubtractLeft(own, left, [](int a, int b) { return a - b; });
  __syncthreads();
  Steps(steps).SubtractRight(own, right, [](int a, int b) { return a - b; }, 50);
  int two_on = -1;
  Shuffle(shuffle).Offset(own[0], two_on, 2);
  Histogram(histogram).Histogram(own, counts);
  __syncthreads();
  const int t = threadIdx.x;
  cub::StoreDirectBlocked(t, out, heads);
  cub::StoreDirectBlocked(t, out + kAll, tails);
  cub::StoreDirectBlocked(t, out + 2 * kAll, left);
  cub::StoreDirectBlocked(t, out + 3 * kAll, right);
  out[4 * kAll + t] = two_on;
  for (int i = t; i < 128; i += kThreads) out[4 * kAll + kThreads + i] = counts[i];
}
void try_neighbours(const int *in, int *out, const Numbers &h) {
  neighbours<<<1, kThreads>>>(in, out);
  Numbers expected(4 * kAll + kThreads + 128);
  for (int i = 0; i < kAll; ++i) {
    const bool first = i == 0, ends = i == kAll - 1;
    expected[i] = first || h[i - 1] / 9 != h[i] / 9;
    expected[kAll + i] = ends || h[i] / 9 != h[i + 1] / 9;
    expected[2 * kAll + i] = first ? h[0] : h[i] - h[i - 1];
    expected[3 * kAll + i] = h[i] - (ends ? 50 : h[i + 1]);
    ++expected[4 * kAll + kThreads + h[i]];
  }
  for (int t = 0; t < kThreads; ++t) expected[4 * kAll + t] = t + 2 < kThreads ? h[(t + 2) * kItems] : -1;
  compare("BlockDiscontinuity or another", out, expected);
}

int main(int count, char **) {
  spoil = count > 1;
  Numbers h(kAll);
  for (int i = 0; i < kAll; ++i) h[i] = i * i * 7 % 125 + i % 3;
  int *in, *out;
  cudaMalloc(&in, kAll * sizeof(int));
  cudaMalloc(&out, 2000 * sizeof(int));
  cudaMemcpy(in, h.data(), kAll * sizeof(int), cudaMemcpyHostToDevice);
  try_reduce(in, out, h);
  try_scan(in, out, h);
  try_sort<int>("BlockRadixSort of int", in, out, h);
  try_sort<unsigned char>("BlockRadixSort of unsigned char", in, out, h);
  try_sort<double>("BlockRadixSort of double", in, out, h);
  try_merge(in, out, h);
  try_move<cub::BLOCK_LOAD_DIRECT>(in, out, h);
  try_move<cub::BLOCK_LOAD_TRANSPOSE>(in, out, h);
  try_move<cub::BLOCK_LOAD_WARP_TRANSPOSE>(in, out, h);
  try_exchange(out);
  try_lanes(in, out, h);
  try_neighbours(in, out, h);
  cudaFree(in);
  cudaFree(out);
  std::printf("%d of %d\n", complaints, parts);
  return complaints == 0 ? 0 : 1;
}
