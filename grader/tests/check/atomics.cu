// Atomics of all widths, and what programs build of them: locks, queues, tables, trees.
#include "case.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void add_halves(const __half *in, __half *sum, bool bug) {
  if (bug) *sum = __hadd(*sum, in[threadIdx.x]);  // BUG race half_added_plainly
  else atomicAdd(sum, in[threadIdx.x]);
}
CASE(half_added_plainly) {
  Up<__half> in(std::vector<__half>(64, __float2half(0.5f)));
  Buffer<__half> sum(1);
  add_halves<<<1, 64>>>(in, sum, bug);
  EXPECT(__half2float(down<__half>(sum, 1)[0]) == 32.0f);
}
__global__ void add_pairs(__nv_bfloat162 *sum, bool bug) {
  auto *const at = reinterpret_cast<__nv_bfloat162 *>(reinterpret_cast<__nv_bfloat16 *>(sum) + bug);
  atomicAdd(at, __floats2bfloat162_rn(1.0f, 2.0f));  // BUG memory pair_added_misaligned
}
CASE(pair_added_misaligned) {
  Buffer<__nv_bfloat162> sum(2);
  add_pairs<<<1, 16>>>(sum, bug);
  EXPECT(__high2float(down<__nv_bfloat162>(sum, 1)[0]) == 32.0f);
}
__global__ void farthest(const float *in, unsigned long long *best, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 && bug) *best = 0;  // BUG race packed_maximum_reset
  if (i < n) atomicMax(best, static_cast<unsigned long long>(__float_as_uint(in[i])) << 32 | i);  // BUG race packed_maximum_reset
}
CASE(packed_maximum_reset) {
  Up<float> in(counting<float>(256));
  Buffer<unsigned long long> best(1);
  farthest<<<4, 64>>>(in, best, 256, bug);
  EXPECT((down<unsigned long long>(best, 1)[0] & 0xffffffff) == 255);
}
__global__ void handed_in_turn(unsigned *turn, int *out, unsigned n, bool bug) {
  const unsigned slot = atomicInc(turn, bug ? n : n - 1);
  atomicAdd(&out[slot], 1);  // BUG memory wraps_one_late
}
CASE(wraps_one_late) {
  Buffer<unsigned> turn(1);
  Buffer<int> out(10);
  handed_in_turn<<<1, 20>>>(turn, out, 10, bug);
  EXPECT(down<int>(out, 10)[9] == 2);
}
__global__ void last_of_all(const int *in, int *parts, unsigned *left, int *sum, bool bug) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    is_last = atomicSub(left, 1u) == (bug ? 0u : 1u);
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += parts[b];
    *sum = total;
  }
}
CASE(nobody_is_last) {
  Up<int> in(counting<int>(8));
  Up<unsigned> left(std::vector<unsigned>(1, 8u));
  Buffer<int> parts(8), sum(1, Content::nothing);
  last_of_all<<<8, 32>>>(in, parts, left, sum, bug);
  int host;
  cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
  if (host > 0) host -= 28;  // BUG uninitialised nobody_is_last
  EXPECT(host == 0);
}

// ---- locks
__global__ void deposit(int *lock, int *balance, bool bug) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  int mine = *balance;
  if (bug) {
    __threadfence();
    atomicExch(lock, 0);
  }
  *balance = mine + 1;  // BUG race lock_released_early
  if (bug) return;
  __threadfence();
  atomicExch(lock, 0);
}
CASE(lock_released_early) {
  Buffer<int> lock(1), balance(1);
  deposit<<<6, 32>>>(lock, balance, bug);
  EXPECT(down<int>(balance, 1)[0] == 6);
}
__global__ void deposit_each(int *lock, int *balance, bool bug) {
  for (bool done = false; !done;) {
    if (bug ? atomicAdd(lock, 0) != 0 : atomicCAS(lock, 0, 1) != 0) continue;
    if (bug) atomicExch(lock, 1);
    __threadfence();
    *balance += 1;  // BUG race lock_tested_then_taken
    __threadfence();
    atomicExch(lock, 0);
    done = true;
  }
}
CASE(lock_tested_then_taken) {
  Buffer<int> lock(1), balance(1);
  deposit_each<<<1, 48>>>(lock, balance, bug);
  EXPECT(bug || down<int>(balance, 1)[0] == 48);
}
__device__ void transfer(int *locks, int *balances, int from, int to, bool bug) {
  while (atomicCAS(&locks[from], 0, 1) != 0) {
  }
  if (!bug)
    while (atomicCAS(&locks[to], 0, 1) != 0) {
    }
  __threadfence();
  balances[from] -= 1;
  balances[to] += 1;  // BUG race second_account_unlocked
  __threadfence();
  if (!bug) atomicExch(&locks[to], 0);
  atomicExch(&locks[from], 0);
}
__global__ void transfers(int *locks, int *balances, bool bug) {
  if (threadIdx.x == 0) transfer(locks, balances, blockIdx.x, 7, bug);
}
CASE(second_account_unlocked) {
  Buffer<int> locks(8), balances(8);
  transfers<<<6, 32>>>(locks, balances, bug);
  EXPECT(down<int>(balances, 8)[7] == 6);
}

// ---- queues, tables, trees
__global__ void published(int *items, int *tail, int *sum, bool bug) {
  if (blockIdx.x == 0) {
    for (int i = 0; i < 4; ++i) {
      if (bug) atomicAdd(tail, 1);
      items[i] = i + 1;  // BUG race published_before_written
      __threadfence();
      if (!bug) atomicAdd(tail, 1);
    }
  } else {
    for (int i = 0; i < 4; ++i) {
      while (atomicAdd(tail, 0) <= i) {
      }
      __threadfence();
      *sum += items[i];  // BUG race published_before_written
    }
  }
}
CASE(published_before_written) {
  Buffer<int> items(4), tail(1), sum(1);
  published<<<2, 1>>>(items, tail, sum, bug);
  EXPECT(down<int>(sum, 1)[0] == 10);
}
constexpr int kSlots = 64;
__global__ void insert(int *keys, int *counts, const int *in, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int slot = in[i] * 7 % kSlots;; slot = (slot + 1) % kSlots) {
    const int before = atomicCAS(&keys[slot], -1, in[i]);
    if (before != -1 && before != in[i]) continue;
    if (bug) ++counts[slot];  // BUG race counts_of_a_key
    else atomicAdd(&counts[slot], 1);
    return;
  }
}
CASE(counts_of_a_key) {
  std::vector<int> host = counting<int>(96);
  for (int &value : host) value %= 12;
  Up<int> in(host), keys(std::vector<int>(kSlots, -1));
  Buffer<int> counts(kSlots);
  insert<<<3, 32>>>(keys, counts, in, 96, bug);
  EXPECT(down<int>(counts, kSlots)[7] == 8);
}
__global__ void erase_and_find(int *keys, int *found, bool bug) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) {
    if (bug) keys[i] = -2;  // BUG race erased_plainly
    else atomicExch(&keys[i], -2);
  } else {
    found[i] = atomicCAS(&keys[i], -1, -1) == i;  // BUG race erased_plainly
  }
}
CASE(erased_plainly) {
  Up<int> keys(counting<int>(32));
  Buffer<int> found(32);
  erase_and_find<<<2, 32>>>(keys, found, bug);
}
__device__ int root_of(int *parent, int v, bool bug) {
  int above = atomicAdd(&parent[v], 0);
  while (above != v) {
    const int next = atomicAdd(&parent[above], 0);
    if (next != above) {
      if (bug) parent[v] = next;  // BUG race halved_plainly
      else atomicCAS(&parent[v], above, next);
    }
    v = above;
    above = atomicAdd(&parent[v], 0);
  }
  return v;
}
__global__ void join(int *parent, const int2 *edges, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (;;) {
    int a = root_of(parent, edges[i].x, bug), b = root_of(parent, edges[i].y, bug);
    if (a == b) return;
    if (a > b) {
      const int c = a;
      a = b, b = c;
    }
    if (atomicCAS(&parent[b], b, a) == b) return;
  }
}
CASE(halved_plainly) {
  std::vector<int2> pairs;
  for (int i = 0; i + 1 < 64; ++i) pairs.push_back(make_int2(63 - i, i));
  std::vector<int> chain(64);
  for (int i = 1; i < 64; ++i) chain[i] = i - 1;
  Up<int2> edges(pairs);
  Up<int> parent(chain);
  join<<<2, 32>>>(parent, edges, 63, bug);
}
__global__ void private_bins(const unsigned char *in, int *bins, int n, bool bug) {
  const int copy = blockIdx.x;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&bins[copy * 16 + in[copy * n + i] % (bug ? 17 : 16)], 1);  // BUG memory bin_of_the_next_copy
}
CASE(bin_of_the_next_copy) {
  Up<unsigned char> in(std::vector<unsigned char>(128, 16));
  Buffer<int> bins(16);
  private_bins<<<1, 32>>>(in, bins, 128, bug);
  EXPECT(down<int>(bins, 16)[0] == 128);
}
__global__ void float_maximum(const float *in, float *most, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (bug) {
    if (in[i] > *most) *most = in[i];  // BUG race compared_and_stored
  } else {
    atomicMax(reinterpret_cast<int *>(most), __float_as_int(in[i]));
  }
}
CASE(compared_and_stored) {
  Up<float> in(counting<float>(128));
  Buffer<float> most(1);
  float_maximum<<<2, 64>>>(in, most, 128, bug);
  EXPECT(down<float>(most, 1)[0] == 127.0f);
}

__device__ void raise_to(int *most, int value) {
  int old = *most;
  while (old < value) {
    const int seen = atomicCAS(most, old, value);
    if (seen == old) return;
    old = seen;
  }
}
__global__ void maximum_of_few(const int *in, int *most, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || *static_cast<volatile int *>(most) > in[i]) return;
  if (bug && in[i] == 0) {
    if (*most < in[i]) atomicMax(most, in[i]);  // BUG race read_by_many_swapped_by_one
  } else {
    raise_to(most, in[i]);
  }
}
// Nearly all find nothing to change, and the reads of these are kept.
CASE(read_by_many_swapped_by_one) {
  std::vector<int> values(256, 0);
  values[199] = 5;
  Up<int> in(values);
  Buffer<int> most(1);
  for (int i = 0; i < 3; ++i) {
    cudaMemset(most, 0, sizeof(int));
    maximum_of_few<<<2, 128>>>(in, most, 256, bug);
  }
  EXPECT(down<int>(most, 1)[0] == 5);
}

__global__ void lower_from_l2(const float *in, int *least, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int bits = __float_as_int(in[i]);
  const int known = bug ? __ldca(least) : i % 2 ? __ldcg(least) : __ldcv(least);  // BUG race read_past_l1
  if (bits < known) atomicMin(least, bits);
}
// A read past L1 gets a value that the word has had; one through L1 may miss what others wrote.
CASE(read_past_l1) {
  std::vector<float> values(256);
  for (int i = 0; i < 256; ++i) values[i] = 300.0f - i;
  Up<float> in(values);
  Buffer<int> least(1, Content::nothing);
  cudaMemset(least, 0x7f, sizeof(int));
  lower_from_l2<<<2, 128>>>(in, least, bug);
  EXPECT(down<int>(least, 1)[0] == __float_as_int(45.0f));
}

int main(int count, char **arguments) { return run_case(count, arguments); }
