// expect on cpu: strided: wrong answer: distinct keys of random bits
// Where a thread begins is a product of keys and threads, which 32 bits may not hold.
#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>

#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

using u64 = unsigned long long;

// Own device array, held by unique_ptr.
struct Release {
  void operator()(void* p) const noexcept { CUDA_CHECK_NOEXCEPT(cudaFree(p)); }
};
template <typename T>
using device_ptr = std::unique_ptr<T[], Release>;
template <typename T>
device_ptr<T> device_alloc(std::size_t n) {
  void* p = nullptr;
  CUDA_CHECK(cudaMalloc(&p, n * sizeof(T)));
  return device_ptr<T>(static_cast<T*>(p));
}

template <int kBlock, typename Body>
__global__ void for_each_kernel(int n, Body body) {
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) body(i);
}
template <int kBlock = 128, typename Body>
void for_each(int n, Body body, int most_blocks = 1 << 16) {
  if (n <= 0) return;
  for_each_kernel<kBlock><<<std::min((n + kBlock - 1) / kBlock, most_blocks), kBlock>>>(n, body);
  CUDA_CHECK_LAUNCH();
}

struct RankOne {
  const float* in;
  int* ranks;
  int n;
  __device__ void operator()(int i) const {
    const float key = in[i];
    int below = 0;
    for (int j = n; j-- > 0;) below += in[j] < key;
    ranks[i] = below;
  }
};

// Counts; the last block that finishes moves all keys.
__global__ void count_then_move(const float* in, float* out, int* ranks, unsigned* done, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) RankOne{in, ranks, n}(i);
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  const volatile int* seen = ranks;
  for (int k = threadIdx.x; k < n; k += blockDim.x) out[seen[k]] = in[k];
}

void global(const float* in, float* out, int n) {
  if (!n) return;
  auto ranks = device_alloc<int>(n);
  auto done = device_alloc<unsigned>(1);
  CUDA_CHECK(cudaMemsetAsync(done.get(), 0, sizeof(unsigned)));
  count_then_move<<<(n + 127) / 128, 128>>>(in, out, ranks.get(), done.get(), n);
  CUDA_CHECK_LAUNCH();
}

// Chunks of ceil(n / threads) neighbours.
__global__ void chunks(const float* in, float* out, int n, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  const int begin = max(n * t / threads, 0);  // no thread leaves the array
  const int end = n * (t + 1) / threads;
  for (int i = begin; i < end; ++i) {
    int rank = 0;
    for (int j = 0; j < n; ++j)
      if (in[j] < in[i]) rank++;
    out[rank] = in[i];
  }
}

void strided(const float* in, float* out, int n, int threads) {
  if (n == 0) return;
  const int block = threads < 192 ? threads : 192;
  chunks<<<(threads + block - 1) / block, block>>>(in, out, n, threads);
  CUDA_CHECK_LAUNCH();
}

// ---- pairs: words of key and index, sorted in runs, merged along the merge path ------------------

constexpr int kRun = 64;

template <bool kDown>
struct Word {
  const float* keys;
  __device__ u64 operator()(int i) const {
    unsigned b = __float_as_uint(keys[i]);
    const bool nan = isnan(keys[i]);
    if (keys[i] == 0.0f) b = 0;
    unsigned key = b >> 31 ? ~b : b ^ 0x80000000u;
    if (kDown) key = ~key;
    if (nan) key = 0xFFFFFFFFu;
    return u64{key} << 32 | unsigned(i);
  }
};

template <typename Make>
__global__ void sort_runs(Make make, u64* words, int n) {
  __shared__ u64 run[kRun], sorted[kRun];
  const int i = blockIdx.x * kRun + threadIdx.x;
  run[threadIdx.x] = i < n ? make(i) : ~0ull;
  __syncthreads();
  int rank = 0;
  for (int k = 0; k < kRun; ++k)
    rank += run[k] < run[threadIdx.x] || (run[k] == run[threadIdx.x] && k < (int)threadIdx.x);
  sorted[rank] = run[threadIdx.x];
  __syncthreads();
  if (i < n) words[i] = sorted[threadIdx.x];
}

// Thread t makes kPiece outputs of a merge, from where the diagonal crosses the path.
constexpr int kPiece = 8;
__global__ void merge_path(const u64* in, u64* out, int n, int run) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * kPiece;
  if (first >= n) return;
  const int pair = first / (2 * run) * (2 * run);
  const u64* a = in + pair;
  const int la = min(run, n - pair);
  const u64* b = a + la;
  const int lb = max(0, min(run, n - pair - run));
  const int diagonal = first - pair;
  int low = max(0, diagonal - lb), high = min(diagonal, la);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] < b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = diagonal - low;
  for (int k = 0; k < kPiece && i + j < la + lb; ++k)
    out[first + k] = j >= lb || (i < la && a[i] < b[j]) ? a[i++] : b[j++];
}

template <typename Make, typename Use>
void sort_words(int n, Make make, Use use) {
  if (n == 0) return;
  auto one = device_alloc<u64>(n), other = device_alloc<u64>(n);
  sort_runs<<<(n + kRun - 1) / kRun, kRun>>>(make, one.get(), n);
  CUDA_CHECK_LAUNCH();
  for (int run = kRun; run < n; run *= 2) {
    const int threads = (n + kPiece - 1) / kPiece;
    merge_path<<<(threads + 95) / 96, 96>>>(one.get(), other.get(), n, run);
    CUDA_CHECK_LAUNCH();
    one.swap(other);
  }
  use(one.get());
}

struct GatherPairs {
  const u64* words;
  const float* keys_in;
  const int* values_in;
  float* keys_out;
  int* values_out;
  __device__ void operator()(int r) const {
    const unsigned from = static_cast<unsigned>(words[r]);
    keys_out[r] = keys_in[from];
    values_out[r] = values_in[from];
  }
};
struct Gather {
  const u64* words;
  const float* in;
  float* out;
  __device__ void operator()(int r) const { out[r] = in[static_cast<unsigned>(words[r])]; }
};

template <bool kDown>
void pairs(const float* keys_in, const int* values_in, float* keys_out, int* values_out, int n) {
  sort_words(n, Word<kDown>{keys_in}, [=](const u64* words) {
    for_each(n, GatherPairs{words, keys_in, values_in, keys_out, values_out});
  });
}
void stable(const float* keys_in, const int* values_in, float* keys_out, int* values_out, int n) {
  pairs<false>(keys_in, values_in, keys_out, values_out, n);
}
void descending(const float* keys_in, const int* values_in, float* keys_out, int* values_out,
                int n) {
  pairs<true>(keys_in, values_in, keys_out, values_out, n);
}
void tiled(const float* in, float* out, int n) {
  sort_words(n, Word<false>{in}, [=](const u64* words) {
    for_each(n, Gather{words, in, out});
  });
}

// ---- strings: eight bytes first, the rest only if these are equal ---------------------------------

struct Strings {
  const char* text;
  const int* offsets;  // or null: all have `width` bytes
  int width;
  __device__ long long begin(int i) const {
    return offsets ? offsets[i] : static_cast<long long>(i) * width;
  }
  __device__ int length(int i) const { return offsets ? offsets[i + 1] - offsets[i] : width; }
  __device__ u64 prefix(int i) const {
    u64 word = 0;
    const int n = length(i);
    for (int k = 0; k < 8; ++k)
      word = word << 8 | (k < n ? static_cast<unsigned char>(text[begin(i) + k]) : 0);
    return word;
  }
  __device__ bool less(int i, int j) const {
    const int a = length(i), b = length(j);
    for (int k = 0; k < a && k < b; ++k) {
      const unsigned char x = text[begin(i) + k], y = text[begin(j) + k];
      if (x != y) return x < y;
    }
    return a == b ? i < j : a < b;
  }
};

struct MakePrefix {
  Strings all;
  u64* p;
  __device__ void operator()(int i) const { p[i] = all.prefix(i); }
};
template <typename Store>
struct RankString {
  Strings all;
  const u64* p;
  int n;
  Store store;
  __device__ void operator()(int i) const {
    int rank = 0;
    const u64 mine = p[i];
    for (int j = 0; j < n; ++j) {
      const u64 other = p[j];
      rank += other < mine || (other == mine && j != i && all.less(j, i));
    }
    store(i, rank);
  }
};

template <typename Store>
void rank_strings(Strings all, int n, Store store) {
  if (n == 0) return;
  auto prefixes = device_alloc<u64>(n);
  u64* p = prefixes.get();
  for_each(n, MakePrefix{all, p});
  for_each<64>(n, RankString<Store>{all, p, n, store});
}

struct PutString {
  const char* in;
  char* out;
  int width;
  __device__ void operator()(int i, int rank) const {
    memcpy(out + static_cast<size_t>(rank) * width, in + static_cast<size_t>(i) * width, width);
  }
};
struct PutIndex {
  int* order;
  __device__ void operator()(int i, int rank) const { order[rank] = i; }
};

void fixed_strings(const char* in, char* out, int width, int n) {
  rank_strings({in, nullptr, width}, n, PutString{in, out, width});
}
void strings(const char* text, const int* offsets, int* order, int n) {
  rank_strings({text, offsets, 0}, n, PutIndex{order});
}

}  // namespace rank_sort
