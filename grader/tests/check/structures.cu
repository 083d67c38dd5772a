// Data structures that threads share: hash tables, union-find, heaps, lists, queues, graphs of edges, matrices in place.
#include "case.cuh"

// ---- a hash table: the key is announced before its value
__global__ void insert(const int *in, int n, int *keys, int *values, int slots, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int s = in[i] * 7 % slots;; s = (s + 1) % slots) {
    const int seen = atomicCAS(keys + s, -1, in[i]);
    if (seen != -1 && seen != in[i]) continue;
    if (bug) values[s] = values[s] + 1;  // BUG race value_of_a_shared_key
    else atomicAdd(values + s, 1);
    return;
  }
}
CASE(value_of_a_shared_key) {
  std::vector<int> in(96), none(64, -1);
  for (int i = 0; i < 96; ++i) in[i] = i % 20;
  Up<int> words(in), keys(none);
  Buffer<int> values(64);
  insert<<<3, 32>>>(words, 96, keys, values, 64, bug);
  int sum = 0;
  for (int v : down<int>(values, 64)) sum += v;
  EXPECT(sum == 96);
}
// ---- a hash table that is asked in the launch that fills it
__global__ void insert_and_ask(int *keys, int *values, int *out, int slots, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicExch(keys + i, i);
  values[i] = i * i;  // BUG race asked_while_filled
  if (bug) out[i] = values[slots - 1 - i];  // BUG race asked_while_filled
}
__global__ void ask(const int *values, int *out, int slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = values[slots - 1 - i];
}
CASE(asked_while_filled) {
  Buffer<int> keys(64), values(64), out(64);
  insert_and_ask<<<2, 32>>>(keys, values, out, 64, bug);
  if (!bug) ask<<<2, 32>>>(values, out, 64);
  EXPECT(down<int>(out, 64)[0] == 63 * 63);
}
// ---- union-find
__device__ int find(const volatile int *parent, int v) {
  while (parent[v] != v) v = parent[v];
  return v;
}
__global__ void unite(const int2 *edges, int n, int *parent, bool bug) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  int a = edges[e].x, b = edges[e].y;
  for (;;) {
    a = find(parent, a), b = find(parent, b);
    if (a == b) return;
    if (a < b) {
      const int kept = a;
      a = b, b = kept;
    }
    if (bug) {
      parent[a] = b;  // BUG race hooked_plainly
      return;
    }
    if (atomicCAS(parent + a, a, b) == a) return;
  }
}
CASE(hooked_plainly) {
  std::vector<int2> list;
  for (int i = 0; i < 40; ++i) list.push_back({i, (i + 4) % 40});
  Up<int2> edges(list);
  Up<int> parent(counting<int>(40));
  unite<<<2, 32>>>(edges, 40, parent, bug);
  int roots = 0;
  const std::vector<int> parents = down<int>(parent, 40);
  for (int i = 0; i < 40; ++i) roots += parents[i] == i;
  EXPECT(roots == 4);
}
// ---- a stack of free places
__global__ void pop(int *top, const int *stack, int *out, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int place = bug ? *top - 1 - i : atomicSub(top, 1) - 1;  // BUG race top_read_plainly
  if (bug) atomicSub(top, 1);  // BUG race top_read_plainly
  out[i] = place >= 0 ? stack[place] : -1;
}
CASE(top_read_plainly) {
  Up<int> top(std::vector<int>(1, 64)), stack(counting<int>(64));
  Buffer<int> out(64);
  pop<<<2, 32>>>(top, stack, out, bug);
  EXPECT(down<int>(top, 1)[0] == 0);
}
// ---- a linked list built backwards: the next pointer is written after the head is published
struct Node {
  int value;
  int next;
};
__global__ void push(Node *nodes, int *head, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  nodes[i].value = i;
  if (bug) {
    nodes[i].next = atomicExch(head, i);  // BUG race linked_too_late
    __threadfence();
    int length = 0;
    for (int n = i; n >= 0 && length < 64; n = nodes[n].next) ++length;  // BUG race linked_too_late
    nodes[i].value = length;
  } else {
    nodes[i].next = atomicExch(head, i);
  }
}
CASE(linked_too_late) {
  Buffer<Node> nodes(64);
  Up<int> head(std::vector<int>(1, -1));
  push<<<2, 32>>>(nodes, head, bug);
  int length = 0;
  const std::vector<Node> all = down<Node>(nodes, 64);
  for (int n = down<int>(head, 1)[0]; n >= 0; n = all[n].next) ++length;
  EXPECT(length == 64);
}
// ---- breadth-first search: a block's queue, whose length is read before all have pushed
__global__ void next_frontier(const int *rows, const int *columns, int *seen, const int *frontier, int size, int *next,
                              int *length, bool bug) {
  __shared__ int queue[64], count, base;
  const int t = threadIdx.x;
  if (t == 0) count = 0;
  __syncthreads();
  if (t < size)
    for (int e = rows[frontier[t]]; e < rows[frontier[t] + 1]; ++e)
      if (atomicExch(seen + columns[e], 1) == 0) queue[atomicAdd(&count, 1)] = columns[e];  // BUG race length_read_early
  if (!bug) __syncthreads();
  if (t == 0) base = atomicAdd(length, count);  // BUG race length_read_early
  __syncthreads();
  for (int i = t; i < count; i += blockDim.x) next[base + i] = queue[i];
}
CASE(length_read_early) {
  std::vector<int> pointers(61), targets(120);
  for (int v = 0; v <= 60; ++v) pointers[v] = 2 * v;
  for (int v = 0; v < 60; ++v) targets[2 * v] = (v + 1) % 60, targets[2 * v + 1] = (v + 30) % 60;
  Up<int> rows(pointers), columns(targets), frontier(counting<int>(10));
  Buffer<int> seen(60), next(64), length(1);
  next_frontier<<<1, 64>>>(rows, columns, seen, frontier, 10, next, length, bug);
  EXPECT(down<int>(length, 1)[0] == 20);
}
// ---- Floyd and Warshall: all steps in one launch of several blocks
__global__ void all_steps(int *d, int n, int first, int last) {
  const int j = threadIdx.x, i = blockIdx.x;
  for (int k = first; k < last; ++k) {
    const int through = d[i * n + k] + d[k * n + j];  // BUG race steps_in_one_launch
    if (through < d[i * n + j]) d[i * n + j] = through;  // BUG race steps_in_one_launch
    __syncthreads();
  }
}
CASE(steps_in_one_launch) {
  std::vector<int> lengths(16 * 16, 1000);
  for (int v = 0; v < 16; ++v) lengths[v * 16 + v] = 0, lengths[v * 16 + (v + 1) % 16] = 1;
  Up<int> d(lengths);
  if (bug) all_steps<<<16, 16>>>(d, 16, 0, 16);
  else
    for (int k = 0; k < 16; ++k) all_steps<<<16, 16>>>(d, 16, k, k + 1);
  EXPECT(down<int>(d, 256)[15] == 15);
}
// ---- Gauss: the pivot's row is scaled while others subtract it
__global__ void eliminate(float *a, int n, int k, bool bug) {
  const int row = threadIdx.y, column = threadIdx.x;
  const float pivot = a[k * n + k];
  const float factor = row != k ? a[row * n + k] / pivot : 0;
  __syncthreads();
  if (row == k) a[k * n + column] /= pivot;  // BUG race pivot_row_scaled
  if (!bug) __syncthreads();
  if (row != k) a[row * n + column] -= factor * (bug ? 1 : pivot) * a[k * n + column];  // BUG race pivot_row_scaled
}
CASE(pivot_row_scaled) {
  Up<float> a({4, 2, 0, 1, 2, 5, 1, 0, 0, 1, 3, 1, 1, 0, 1, 4});
  for (int k = 0; k < 4; ++k) eliminate<<<1, dim3(4, 4)>>>(a, 4, k, bug);
  EXPECT(fabsf(down<float>(a, 16)[0] - 1) < 1e-6f);
}
// ---- labels of components, which converge: the flag is cleared in the kernel that sets it
__global__ void spread(const int2 *edges, int n, int *label, int *changed, bool bug) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (bug && e == 0) *changed = 0;  // BUG race flag_cleared_within
  if (e >= n) return;
  const int a = atomicAdd(label + edges[e].x, 0), b = atomicAdd(label + edges[e].y, 0);
  if (a == b) return;
  atomicMin(label + edges[e].x, b);
  atomicMin(label + edges[e].y, a);
  atomicExch(changed, 1);  // BUG race flag_cleared_within
}
CASE(flag_cleared_within) {
  std::vector<int2> list;
  for (int i = 0; i + 1 < 48; ++i) list.push_back({i, i + 1});
  Up<int2> edges(list);
  Up<int> label(counting<int>(48));
  Buffer<int> changed(1);
  for (int round = 0; round < 48; ++round) {
    if (!bug) cudaMemset(changed, 0, 4);
    spread<<<2, 32>>>(edges, 47, label, changed, bug);
    if (down<int>(changed, 1)[0] == 0) break;
  }
  EXPECT(down<int>(label, 48)[47] == 0);
}
// ---- a bitmap: bits of one word are set by several threads
__global__ void set_bits(unsigned *words, const int *in, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (bug) words[in[i] / 32] |= 1u << in[i] % 32;  // BUG race bits_plainly
  else atomicOr(words + in[i] / 32, 1u << in[i] % 32);
}
CASE(bits_plainly) {
  Up<int> in(counting<int>(96));
  Buffer<unsigned> words(3);
  set_bits<<<3, 32>>>(words, in, 96, bug);
  EXPECT(down<unsigned>(words, 3)[2] == ~0u);
}
// ---- characters of one word, by neighbours: no race
__global__ void shift_letters(const char *in, char *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}
CASE(quiet_letters) {
  Up<char> in(std::vector<char>(70, 'a'));
  Buffer<char> out(70);
  shift_letters<<<3, 32>>>(in, out, 70);
  EXPECT(down<char>(out, 70)[69] == 'b');
}
// ---- partition around a pivot: the counters are cleared for the next round while the last one is read
__global__ void partition(const int *in, int *out, int n, bool bug) {
  __shared__ int low, high;
  const int t = threadIdx.x;
  for (int round = 0; round < 2; ++round) {
    if (t == 0) low = 0, high = n - 1;  // BUG race counters_cleared_early
    __syncthreads();
    const int x = in[round * n + t];
    const int place = x < 32 ? atomicAdd(&low, 1) : atomicSub(&high, 1);
    out[round * n + place] = x;
    __syncthreads();
    if (x == 32) out[round * n + low] = x;  // BUG race counters_cleared_early
    if (!bug) __syncthreads();
  }
}
CASE(counters_cleared_early) {
  std::vector<int> values(128);
  for (int i = 0; i < 128; ++i) values[i] = i * 37 % 64;
  Up<int> in(values);
  Buffer<int> out(128);
  partition<<<1, 64>>>(in, out, 64, bug);
  EXPECT(down<int>(out, 128)[32] == 32);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
