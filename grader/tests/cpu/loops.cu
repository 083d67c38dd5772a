// Kernels whose threads can run as a loop between two barriers, and some that only look so. Each
// prints a hash of its result. test_loops.py compiles the file with loops and without: both have to
// print the same, in every order of threads. A comment before a kernel says which of them it is.
#include <cstdio>
#include <cstring>

constexpr int kThreads = 128, kBlocks = 5, kAll = kThreads * kBlocks;
const int kHalf = kThreads / 2;

// ---- what can be a loop -------------------------------------------------------------------------

// loop
__global__ void reverse(const int *in, int *out, int n) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : -1;
  __syncthreads();
  out[i] = tile[kThreads - 1 - t];
}

// loop: what decides is changed by a statement of all threads
__global__ void sum_by_halves(const int *in, int *out, int n) {
  __shared__ int cache[kThreads];
  int t = threadIdx.x;
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int own = 0;
  while (i < n) {
    own += in[i];
    i += blockDim.x * gridDim.x;
  }
  cache[t] = own;
  __syncthreads();
  int half = blockDim.x / 2;
  while (half != 0) {
    if (t < half) cache[t] += cache[t + half];
    __syncthreads();
    half /= 2;
  }
  if (t == 0) out[blockIdx.x] = cache[0];
}

// loop: two arrays that take turns
__global__ void scan(const int *in, int *out, int n) {
  extern __shared__ int both[];
  int t = threadIdx.x, to = 0, from = 1;
  both[t] = in[blockIdx.x * kThreads + t];
  for (int offset = 1; offset < kThreads; offset *= 2) {
    to = 1 - to;
    from = 1 - to;
    __syncthreads();
    if (t >= offset)
      both[to * kThreads + t] = both[from * kThreads + t] + both[from * kThreads + t - offset];
    else
      both[to * kThreads + t] = both[from * kThreads + t];
  }
  __syncthreads();
  const int place = blockIdx.x * kThreads + t;
  if (place < n) out[place] = both[to * kThreads + t];
}

// loop: each thread changes its copy of what all change
__global__ void scan_in_turns(const int *in, int *out, int n) {
  __shared__ int both[2][kThreads];
  const unsigned t = threadIdx.x;
  int now = 0;
  both[0][t] = in[blockIdx.x * kThreads + t] + n;
  __syncthreads();
  for (unsigned d = 1; d < kThreads; d *= 2) {
    both[1 - now][t] = both[now][t] + (t >= d ? both[now][t - d] : 0);
    now = 1 - now;
    __syncthreads();
  }
  out[blockIdx.x * kThreads + t] = both[now][t];
}

// loop: values, arrays and structs that only their thread knows
struct Pair {
  int key;
  short count;
};
__global__ void keep(const int *in, int *out, int n) {
  __shared__ int tile[kThreads];
  const unsigned t = threadIdx.x;
  const int *mine = in + blockIdx.x * kThreads;
  int held[3] = {}, most = 0;
  Pair pair{mine[t], 2};
  const long first = mine[t] * 3L;
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    tile[t] = mine[(t + round) % kThreads];
    __syncthreads();
    held[round] = tile[kThreads - 1 - t];
    most = max(most, held[round]);
    pair.count += round;
    __syncthreads();
  }
  out[blockIdx.x * kThreads + t] =
      held[0] + 2 * held[1] + 3 * held[2] + most + pair.key * pair.count + int(first) + n;
}

// loop: blocks of two and three dimensions, a condition of blockIdx, nested loops, do and while
template <int kSide>
__global__ void stencil(const int *in, int *out, int n) {
  __shared__ int tile[kSide][kSide];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const int i = blockIdx.x * kSide * kSide + (z * blockDim.y + y) * kSide + x;
  const int row = z * blockDim.y + y;
  tile[row][x] = in[i % n];
  int turn = 0;
  do {
    __syncthreads();
    const int sum = tile[row][(x + 1) % kSide] + tile[(row + 1) % kSide][x];
    __syncthreads();
    tile[row][x] = sum;
    __syncthreads();
    for (int k = 0, m = 2; k < m; k++) {
      if (blockIdx.x % 2) {
        __syncthreads();
        if (x == 0 && row == 0) tile[0][k] += k;
      } else {
        if (x == 1 && row == 1) tile[1][k] -= k;
        __syncthreads();
      }
      __syncthreads();
    }
    ++turn;
  } while (turn < 3);
  __syncthreads();
  if (i >= kAll) return;
  out[i] = tile[x][row];
}

// loop: functions with barriers, one of which calls the other
__device__ void put(int *tile, int value) {
  tile[threadIdx.x] = value;
  __syncthreads();
}
__device__ void load(const int *in, int *tile, unsigned n) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
}
template <typename T>
__device__ void turn_left(T *tile, int by, bool twice) {
  T held;
  for (int left = by; left > 0;) {
    const int step = min(left, 4);
    held = tile[(threadIdx.x + step) % kThreads];
    __syncthreads();
    tile[threadIdx.x] = twice ? 2 * held : held;
    __syncthreads();
    left -= step;
    twice = false;
  }
}
__global__ void rotate(const int *in, int *out, int n) {
  __shared__ int tile[kThreads];
  load(in, tile, n);
  for (int k = 1; k < 4; ++k) turn_left(tile, 3 * k, k == 2);
  if (n > 7) turn_left<int>(tile, n, false);
  const int t = threadIdx.x;
  out[blockIdx.x * kThreads + t] = tile[t];
}

// loop: atomics, a pointer that all move, a uniform break, a lambda
__global__ void histogram(const int *in, int *out, int n) {
  __shared__ int bins[16];
  in += blockIdx.x * kThreads;
  out = out + blockIdx.x * kThreads;
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  for (int round = 0;; ++round) {
    __syncthreads();
    if (round == 2) break;
    const auto bin = [](int value) { return (value % 16 + 16) % 16; };
    for (int k = 0; k < 2; ++k) atomicAdd(&bins[bin(in[threadIdx.x] + k)], 1);
  }
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x % 16] + n;
  if (threadIdx.x > 3) return;
  out[threadIdx.x] += in[threadIdx.x];
}

// loop: one name in several places, a branch without braces
__global__ void places(const int *in, int *out, int n) {
  __shared__ int a[kThreads];
  const int t = threadIdx.x;
  a[t] = in[t] + n;
  __syncthreads();
  int b = a[t ^ 1];
  __syncthreads();
  {
    const int u = t ^ 2;
    b += a[u];
    __syncthreads();
    a[u] = b;
  }
  __syncthreads();
  for (int u = 0; u < 2; ++u) {
    const int v = a[t] + u;
    __syncthreads();
    a[t ^ 3] = v;
    __syncthreads();
  }
  const bool is_left = t < kHalf, is_even = n % 2 == 0;
  if (is_even) {
    a[t] += 5;
    __syncthreads();
  } else
    __syncthreads();
  b = is_left ? a[t + kHalf] : b;
  __syncthreads();
  out[blockIdx.x * kThreads + t] = a[t] + b;
}

// ---- what only looks so -------------------------------------------------------------------------

// threads: how often they come is in shared memory
__global__ void until_sorted(const int *in, int *out, int n) {
  __shared__ int tile[kThreads];
  __shared__ bool changed;
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * kThreads + t] + 0 * n;
  do {
    __syncthreads();
    if (t == 0) changed = false;
    __syncthreads();
    for (int odd = 0; odd < 2; ++odd) {
      const int i = 2 * t + odd;
      if (i + 1 < kThreads && tile[i] > tile[i + 1]) {
        const int low = tile[i + 1];
        tile[i + 1] = tile[i];
        tile[i] = low;
        changed = true;
      }
      __syncthreads();
    }
  } while (changed);
  out[blockIdx.x * kThreads + t] = tile[t];
}

// threads: some leave before the others meet
__global__ void leave_early(const int *in, int *out, int n) {
  __shared__ int tile[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x / 2];
}

// threads: a function changes what all share
__device__ void next(int &value) { value += 1; }
__global__ void by_reference(const int *in, int *out, int n) {
  __shared__ int tile[kThreads];
  int rounds = 2, t = threadIdx.x;
  next(rounds);
  next(t);
  t -= 1;
  tile[t] = in[t] + n;
  for (int k = 0; k < rounds; ++k) {
    __syncthreads();
    const int other = tile[(t + k) % kThreads];
    __syncthreads();
    tile[t] += other;
  }
  out[blockIdx.x * kThreads + t] = tile[t];
}

// threads: lanes wait for each other
__global__ void shuffle(const int *in, int *out, int n) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = in[threadIdx.x] + n;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = __shfl_xor_sync(~0u, tile[threadIdx.x], 5);
}

// threads: one waits for another one
__global__ void flag(const int *in, int *out, int n) {
  __shared__ int value, ready;
  const int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t == kThreads - 1) {
    value = in[7] + n;
    __threadfence_block();
    atomicExch(&ready, 1);
  }
  while (atomicAdd(&ready, 0) == 0) {
  }
  __threadfence_block();
  out[blockIdx.x * kThreads + t] = *(volatile int *)&value;
}

// threads: a method with a barrier
struct Tile {
  int *place;
  __device__ void store(int value) const {
    place[threadIdx.x] = value;
    __syncthreads();
  }
};

void fill(int *values) {
  unsigned state = 7;
  for (int i = 0; i < kAll; ++i)
    values[i] = static_cast<int>((state = state * 1664525 + 1013904223) >> 20);
}

int main(int count, char **words) {
  if (count != 2) return 2;
  int host[kAll], *in, *out;
  fill(host);
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof host);
  const struct {
    const char *name;
    void (*kernel)(const int *, int *, int);
    dim3 threads;
  } all[] = {
      {"reverse", reverse, kThreads},
      {"sum_by_halves", sum_by_halves, kThreads},
      {"scan", scan, kThreads},
      {"scan_in_turns", scan_in_turns, kThreads},
      {"keep", keep, kThreads},
      {"stencil", stencil<8>, {8, 4, 2}},
      {"rotate", rotate, kThreads},
      {"histogram", histogram, kThreads},
      {"places", places, kThreads},
      {"until_sorted", until_sorted, kThreads},
      {"leave_early", leave_early, kThreads},
      {"by_reference", by_reference, kThreads},
      {"shuffle", shuffle, kThreads},
      {"flag", flag, kThreads},
  };
  for (const auto &one : all) {
    if (std::strcmp(one.name, words[1])) continue;
    for (int n : {1, 13, 100, kAll - 30}) {
      one.kernel<<<kBlocks, one.threads, 2 * kThreads * sizeof(int)>>>(in, out, n);
      if (cudaDeviceSynchronize() != cudaSuccess) return 1;
      cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
      unsigned hash = 0;
      for (int value : host) hash = hash * 31 + static_cast<unsigned>(value);
      std::printf("%08x\n", hash);
    }
  }
  cudaFree(in);
  cudaFree(out);
  return 0;
}
