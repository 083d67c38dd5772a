// Algorithms that courses on parallel programming treat: elimination, alignment, packing, hashing, searching, resizing.
#include <climits>

#include "case.cuh"

// ---- elimination: the pivot's row must be whole before others subtract it
__global__ void eliminate(float *a, int n, bool bug) {
  extern __shared__ float m[];
  const int column = threadIdx.x;
  for (int row = 0; row < n; ++row) m[row * n + column] = a[row * n + column];
  __syncthreads();
  for (int k = 0; k < n - 1; ++k) {
    for (int row = k + 1; row < n; ++row) {
      const float factor = m[row * n + k] / m[k * n + k];  // BUG race factor_overwritten
      if (!bug) __syncthreads();
      if (column >= k) m[row * n + column] -= factor * m[k * n + column];  // BUG race factor_overwritten
    }
    __syncthreads();
  }
  for (int row = 0; row < n; ++row) a[row * n + column] = m[row * n + column];
}
CASE(factor_overwritten) {
  Up<float> a({4, 2, 1, 8, 7, 3, 12, 12, 9});
  eliminate<<<1, 3, 9 * sizeof(float)>>>(a, 3, bug);
  const std::vector<float> u = down<float>(a, 9);
  EXPECT(u[0] == 4 && u[3] == 0 && u[4] == 3 && u[7] == 0 && u[8] == 4);
}
// ---- alignment: cells of a diagonal need the one before
__global__ void align(const char *a, const char *b, int *best, int n, bool bug) {
  __shared__ int cost[17][17];
  for (int i = threadIdx.x; i <= n; i += blockDim.x) cost[0][i] = cost[i][0] = i;
  __syncthreads();
  for (int diagonal = 2; diagonal <= 2 * n; ++diagonal) {
    const int i = threadIdx.x + 1, j = diagonal - i;
    if (i <= n && j >= 1 && j <= n) {
      const int replaced = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      const int gap = min(cost[i - 1][j], cost[i][j - 1]) + 1;  // BUG race diagonals_no_barrier
      cost[i][j] = min(replaced, gap);                            // BUG race diagonals_no_barrier
    }
    if (!bug) __syncthreads();
  }
  if (bug) __syncthreads();
  if (threadIdx.x == 0) *best = cost[n][n];
}
CASE(diagonals_no_barrier) {
  const char *one = "kittensittingabc", *other = "kitchensettingab";
  Up<char> a(std::vector<char>(one, one + 16)), b(std::vector<char>(other, other + 16));
  Buffer<int> best(1);
  align<<<1, 16>>>(a, b, best, 16, bug);
  EXPECT(down<int>(best, 1)[0] == 4);
}
// ---- knapsack: a row of the table is made from the one before
__global__ void pack(const int *weight, const int *value, int *best, int items, int capacity, bool bug) {
  extern __shared__ int table[];
  const int room = threadIdx.x;
  table[room] = 0;
  __syncthreads();
  for (int item = 0; item < items; ++item) {
    int with = 0;
    if (room >= weight[item]) with = table[room - weight[item]] + value[item];  // BUG race row_in_place
    if (!bug) __syncthreads();
    table[room] = max(table[room], with);  // BUG race row_in_place
    __syncthreads();
  }
  if (room == capacity) *best = table[room];
}
CASE(row_in_place) {
  Up<int> weight({5, 4, 6, 3}), value({10, 40, 30, 50});
  Buffer<int> best(1);
  pack<<<1, 11, 11 * sizeof(int)>>>(weight, value, best, 4, 10, bug);
  EXPECT(down<int>(best, 1)[0] == 90);
}
// ---- red and black cells: neighbours have the other colour
__global__ void relax_colour(float *u, int w, int h, int colour, bool bug) {
  const int x = threadIdx.x + 1, y = blockIdx.x + 1;
  if (x >= w - 1 || y >= h - 1 || (bug ? x : x + y) % 2 != colour) return;
  u[y * w + x] = (u[y * w + x - 1] + u[y * w + x + 1] +  // BUG race colour_by_column
                  u[(y - 1) * w + x] + u[(y + 1) * w + x]) / 4;  // BUG race colour_by_column
}
CASE(colour_by_column) {
  Up<float> u(std::vector<float>(16 * 16, 2));
  for (int step = 0; step < 4; ++step) relax_colour<<<14, 16>>>(u, 16, 16, step % 2, bug);
  EXPECT(down<float>(u, 256)[5 * 16 + 5] == 2);
}
// ---- a hash table
__device__ bool insert(int *keys, int slots, int key, bool bug_plain, bool bug_wrap) {
  int at = key % slots;
  for (int probe = 0; probe < slots; ++probe) {
    if (bug_plain) {
      if (keys[at] == 0) {  // BUG race slot_taken_plain
        keys[at] = key;     // BUG race slot_taken_plain
        return true;
      }
    } else {
      const int found = atomicCAS(&keys[at], 0, key);  // BUG memory probe_no_wrap
      if (found == 0 || found == key) return true;
    }
    at = bug_wrap ? at + 1 : (at + 1) % slots;
  }
  return false;
}
__global__ void insert_all(const int *given, int *keys, int slots, int *lost, bool plain, bool wrap) {
  if (!insert(keys, slots, given[threadIdx.x], plain, wrap)) atomicAdd(lost, 1);
}
void fill_table(bool plain, bool wrap, bool bug) {
  std::vector<int> given(24);
  for (int i = 0; i < 24; ++i) given[i] = 29 + 16 * i;
  Up<int> from(given);
  Buffer<int> keys(32), lost(1);
  insert_all<<<1, 24>>>(from, keys, 32, lost, plain, wrap);
  int found = 0;
  for (int key : down<int>(keys, 32)) found += key != 0;
  EXPECT(found == 24 && down<int>(lost, 1)[0] == 0);
}
CASE(slot_taken_plain) { fill_table(bug, false, bug); }
CASE(probe_no_wrap) { fill_table(false, bug, bug); }
// ---- connected components: labels sink until nothing changes
__global__ void join(const int2 *edges, int count, int *label, int *changed, bool bug) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count) return;
  const int2 edge = edges[e];
  const int a = bug ? label[edge.x] : atomicAdd(&label[edge.x], 0);  // BUG race label_plain
  const int b = bug ? label[edge.y] : atomicAdd(&label[edge.y], 0);
  if (a == b) return;
  const int larger = a < b ? edge.y : edge.x;
  if (bug) label[larger] = min(a, b);  // BUG race label_plain
  else atomicMin(&label[larger], min(a, b));
  atomicExch(changed, 1);
}
CASE(label_plain) {
  std::vector<int2> path(63);
  for (int i = 0; i < 63; ++i) path[i] = make_int2(i, i + 1);
  Up<int2> edges(path);
  Up<int> label(counting<int>(64));
  Buffer<int> changed(1);
  for (int round = 0, more = 1; more && round < 70; ++round) {
    cudaMemset(changed, 0, sizeof(int));
    join<<<2, 32>>>(edges, 63, label, changed, bug);
    more = down<int>(changed, 1)[0];
  }
  EXPECT(down<int>(label, 64)[63] == 0);
}
// ---- searching a word in a text: the last place where it fits
__global__ void search(const char *text, int n, const char *word, int m, int *found, bool bug) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (bug ? n : n - m + 1)) return;
  int same = 0;
  while (same < m && text[at + same] == word[same]) ++same;  // BUG memory word_past_text
  if (same == m) atomicAdd(found, 1);
}
CASE(word_past_text) {
  const char *told = "a banana and another banana";
  Up<char> text(std::vector<char>(told, told + 27)), word({'n', 'a', 'n'});
  Up<char> tail({'a', 'n', 'a'});
  Buffer<int> found(1);
  search<<<1, 32>>>(text, 27, word, 3, found, false);
  search<<<1, 32>>>(text, 27, tail, 3, found, bug);
  EXPECT(down<int>(found, 1)[0] == 6);
}
// ---- pictures of another size, and turned
__global__ void resize(const unsigned char *in, int w, int h, unsigned char *out, int w2, int h2, bool bug) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w2 || y >= h2) return;
  const float fx = x * float(w) / w2, fy = y * float(h) / h2;
  const int x0 = int(fx), y0 = int(fy);
  const int x1 = bug ? x0 + 1 : min(x0 + 1, w - 1), y1 = bug ? y0 + 1 : min(y0 + 1, h - 1);
  const float across = fx - x0, along = fy - y0;
  const float top = in[y0 * w + x0] * (1 - across) + in[y0 * w + x1] * across;
  const float low = in[y1 * w + x0] * (1 - across) +  // BUG memory last_row_between
                    in[y1 * w + x1] * across;
  out[y * w2 + x] = static_cast<unsigned char>(top * (1 - along) + low * along + 0.5f);
}
CASE(last_row_between) {
  Up<unsigned char> in(std::vector<unsigned char>(12 * 10, 77));
  Buffer<unsigned char> out(30 * 25);
  resize<<<dim3(4, 4), dim3(8, 8)>>>(in, 12, 10, out, 30, 25, bug);
  EXPECT(down<unsigned char>(out, 750)[24 * 30 + 29] == 77);
}
__global__ void rotate(const int *in, int *out, int w, int h, bool bug) {
  const int x = threadIdx.x, y = blockIdx.x;
  const int nx = h - 1 - y, ny = x;
  out[bug ? ny * w + nx : ny * h + nx] = in[y * w + x];  // BUG memory old_width
}
CASE(old_width) {
  Up<int> in(counting<int>(20 * 8));
  Buffer<int> out(20 * 8);
  rotate<<<8, 20>>>(in, out, 20, 8, bug);
  EXPECT(down<int>(out, 160)[0] == 7 * 20 && down<int>(out, 160)[19 * 8 + 7] == 19);
}
// ---- a char may be negative
template <class Letter>
__global__ void letters(const Letter *text, int n, int *bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[text[i]], 1);  // BUG memory negative_letter
}
CASE(negative_letter) {
  const unsigned char told[] = {'G', 'r', 0xfc, 'n'};
  Up<unsigned char> text(std::vector<unsigned char>(told, told + 4));
  Buffer<int> bins(256);
  if (bug) letters<<<1, 4>>>(reinterpret_cast<signed char *>(text.data), 4, bins.data);
  else letters<<<1, 4>>>(text.data, 4, bins.data);
  EXPECT(down<int>(bins, 256)[0xfc] == 1);
}
// ---- products of other shapes than squares
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k, bool bug) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * (bug ? k : n) + column];  // BUG memory inner_as_width
  c[row * n + column] = sum;
}
CASE(inner_as_width) {
  Up<float> a(std::vector<float>(5 * 20, 1)), b(std::vector<float>(20 * 7, 2));
  Buffer<float> c(5 * 7);
  multiply<<<dim3(1, 1), dim3(8, 8)>>>(a, b, c, 5, 7, 20, bug);
  EXPECT(down<float>(c, 35)[34] == 40);
}
// ---- a sum of a number of values that is no power of two
__global__ void sum_of_any(const int *in, int *out, int n, bool bug) {
  extern __shared__ int part[];
  const int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  for (int left = n; left > 1; left = (left + 1) / 2) {
    const int half = (left + 1) / 2;
    if (t < half && (bug || t + half < left)) part[t] += part[t + half];  // BUG memory odd_rest
    __syncthreads();
  }
  if (t == 0) *out = part[0];
}
CASE(odd_rest) {
  Up<int> in(counting<int>(51));
  Buffer<int> out(1);
  sum_of_any<<<1, 51, 51 * sizeof(int)>>>(in, out, 51, bug);
  EXPECT(down<int>(out, 1)[0] == 51 * 50 / 2);
}
int main(int count, char **arguments) { return run_case(count, arguments); }
