// What the CPU backend costs beside plain C++: the same work as a kernel and as a loop, in one
// program, user time, the best of several rounds. grader/tests/speed/cpu_backend.py builds and runs
// it in every mode.
//
//   ratios WORK SIZE      WORK: matmul, bitonic, rank, odd_even
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#define PLAIN __attribute__((noinline, optimize("O2"), no_sanitize("thread")))

constexpr int kTile = 16, kSharedKeys = 512, kRounds = 3;

__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int tile = 0; tile < n; tile += kTile) {
    as[y][x] = a[row * n + tile + x];
    bs[y][x] = b[(tile + y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

PLAIN void matmul_plain(const float *a, const float *b, float *c, int n) {
  std::fill_n(c, n * n, 0.0f);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

__host__ __device__ inline void order(float &low, float &high, bool ascending) {
  const float a = low, b = high;
  if (ascending ? a > b : a < b) {
    low = b;
    high = a;
  }
}

__global__ void bitonic_step(float *keys, int distance, int run) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x, partner = i ^ distance;
  if (partner > i) order(keys[i], keys[partner], (i & run) == 0);
}

__global__ void bitonic_shared(float *keys, int run) {
  __shared__ float tile[kSharedKeys];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = keys[i];
  for (int distance = min(run / 2, kSharedKeys / 2); distance > 0; distance /= 2) {
    __syncthreads();
    if (const int partner = t ^ distance; partner > t)
      order(tile[t], tile[partner], (i & run) == 0);
  }
  __syncthreads();
  keys[i] = tile[t];
}

void bitonic(float *keys, int n) {
  for (int run = 2; run <= n; run *= 2) {
    for (int distance = run / 2; distance >= kSharedKeys; distance /= 2)
      bitonic_step<<<n / 256, 256>>>(keys, distance, run);
    bitonic_shared<<<n / kSharedKeys, kSharedKeys>>>(keys, run);
  }
}

PLAIN void bitonic_plain(float *keys, int n) {
  for (int run = 2; run <= n; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2)
      for (int i = 0; i < n; ++i)
        if (const int partner = i ^ distance; partner > i)
          order(keys[i], keys[partner], (i & run) == 0);
}

__host__ __device__ inline void place_by_rank(const float *in, float *out, int n, int i) {
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < in[i] || (in[j] == in[i] && j < i);
  out[rank] = in[i];
}

__global__ void rank_sort(const float *in, float *out, int n) {
  place_by_rank(in, out, n, blockIdx.x * blockDim.x + threadIdx.x);
}

PLAIN void rank_sort_plain(const float *in, float *out, int n) {
  for (int i = 0; i < n; ++i) place_by_rank(in, out, n, i);
}

__global__ void odd_even_phase(float *keys, int n, int phase) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase % 2;
  if (i + 1 < n) order(keys[i], keys[i + 1], true);
}

PLAIN void odd_even_plain(float *keys, int n) {
  for (int phase = 0; phase < n; ++phase)
    for (int i = phase % 2; i + 1 < n; i += 2) order(keys[i], keys[i + 1], true);
}

double user_milliseconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec * 1e3 + usage.ru_utime.tv_usec * 1e-3;
}

struct Work {
  const char *name;
  bool square;  // size x size values
  void (*kernel)(float *a, float *b, float *out, int n);
  void (*plain)(float *a, float *b, float *out, int n);
};

const Work kWorks[] = {
    {"matmul", true,
     [](float *a, float *b, float *out, int n) {
       matmul<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(a, b, out, n);
     },
     [](float *a, float *b, float *out, int n) { matmul_plain(a, b, out, n); }},
    {"bitonic", false, [](float *, float *, float *out, int n) { bitonic(out, n); },
     [](float *, float *, float *out, int n) { bitonic_plain(out, n); }},
    {"rank", false,
     [](float *a, float *, float *out, int n) { rank_sort<<<n / 256, 256>>>(a, out, n); },
     [](float *a, float *, float *out, int n) { rank_sort_plain(a, out, n); }},
    {"odd_even", false,
     [](float *, float *, float *out, int n) {
       for (int phase = 0; phase < n; ++phase) odd_even_phase<<<n / 512, 256>>>(out, n, phase);
     },
     [](float *, float *, float *out, int n) { odd_even_plain(out, n); }},
};

// Milliseconds of kernel and plain loop, and whether they agree. The two take turns, so that what
// else the machine does slows both.
bool measure(const Work &work, int n) {
  const std::size_t count = work.square ? std::size_t(n) * n : n, bytes = count * sizeof(float);
  std::vector<float> a(count), b(count), expected(count), got(count);
  for (float &value : a) value = static_cast<float>(std::rand() % 1000);
  for (float &value : b) value = static_cast<float>(std::rand() % 1000);
  float *da, *db, *out;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
  double kernel = 1e30, plain = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    cudaMemcpy(out, a.data(), bytes, cudaMemcpyHostToDevice);
    expected = a;
    double start = user_milliseconds();
    work.kernel(da, db, out, n);
    kernel = std::min(kernel, user_milliseconds() - start);
    start = user_milliseconds();
    work.plain(a.data(), b.data(), expected.data(), n);
    plain = std::min(plain, user_milliseconds() - start);
  }
  cudaMemcpy(got.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float *buffer : {da, db, out}) cudaFree(buffer);
  std::printf("%.3f %.3f\n", kernel, plain);
  return got == expected;
}

int main(int count, char **words) {
  for (const Work &work : kWorks)
    if (count == 3 && !std::strcmp(words[1], work.name))
      return measure(work, std::atoi(words[2])) ? 0 : 1;
  std::fprintf(stderr, "usage: ratios matmul|bitonic|rank|odd_even SIZE\n");
  return 2;
}
