// Local arrays that are used through a pointer, and objects that a kernel gets from the host.
#include "case.cuh"

// ---- the nearest neighbours, kept in order
__device__ void keep(float *best, int count, float value) {
  int at = count;
  while (at > 0 && best[at - 1] > value) {
    best[at] = best[at - 1];  // BUG memory one_neighbour_too_many
    --at;
  }
  if (at < count) best[at] = value;
}
__global__ void nearest(const float *in, int n, float *out, bool bug) {
  float best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
  for (int i = 0; i < n; ++i) keep(best, bug ? 4 : 3, in[i]);
  out[threadIdx.x] = best[2];
}
CASE(one_neighbour_too_many) {
  Up<float> in({5, 3, 9, 1, 7});
  Buffer<float> out(32);
  nearest<<<1, 32>>>(in, 5, out, bug);
  EXPECT(down<float>(out, 32)[31] == 5);
}
// ---- a search with a stack of its own
__global__ void count_leaves(const int2 *children, int *leaves, int root) {
  int waiting[4];
  int *top = waiting;
  *top++ = root;
  int found = 0;
  while (top != waiting) {
    const int2 child = children[*--top];
    if (child.x < 0) ++found;
    if (child.x >= 0) *top++ = child.x;
    if (child.y >= 0) *top++ = child.y;  // BUG memory stack_too_small
  }
  leaves[threadIdx.x] = found;
}
CASE(stack_too_small) {
  std::vector<int2> tree;  // a comb: each node has a leaf and the rest, and the rest is taken first
  const int depth = bug ? 6 : 3;
  for (int i = 0; i < depth; ++i) {
    tree.push_back(make_int2(2 * i + 1, 2 * i + 2));
    tree.push_back(make_int2(-1, -1));
  }
  tree.push_back(make_int2(-1, -1));
  Up<int2> children(tree);
  Buffer<int> leaves(4);
  count_leaves<<<1, 4>>>(children, leaves, 0);
  EXPECT(down<int>(leaves, 4)[3] == depth + 1);
}
// ---- digits are written from the end
__device__ int write_digits(char *end, unsigned value) {
  int length = 0;
  do {
    *--end = static_cast<char>('0' + value % 10);  // BUG memory digits_before_start
    value /= 10;
    ++length;
  } while (value);
  return length;
}
__global__ void lengths(const unsigned *values, int *out) {
  char text[8];
  out[threadIdx.x] = write_digits(text + sizeof text, values[threadIdx.x]);
}
CASE(digits_before_start) {
  Up<unsigned> values({7, 12345678, bug ? 123456789u : 99, 0});
  Buffer<int> out(4);
  lengths<<<1, 4>>>(values, out);
  EXPECT(down<int>(out, 4)[1] == 8 && down<int>(out, 4)[3] == 1);
}
// ---- polynomials as rows of a small matrix
__device__ void add_row(float (*m)[4], int row, float factor) {
  for (int i = 0; i < 4; ++i) m[row][i] += factor * m[0][i];  // BUG memory row_past_matrix
}
__global__ void solve(float *out, int rows) {
  float m[3][4] = {{1, 2, 3, 4}, {1, 1, 1, 1}, {2, 2, 2, 2}};
  for (int row = 1; row < rows; ++row) add_row(m, row, 2);
  out[threadIdx.x] = m[2][3];
}
CASE(row_past_matrix) {
  Buffer<float> out(4);
  solve<<<1, 4>>>(out, bug ? 4 : 3);
  EXPECT(down<float>(out, 4)[0] == 10);
}
// What stays inside, in all forms; and threads that wait while others have arrays at the same place.
template <class T, int n>
__device__ T total(const T (&values)[n]) {
  T sum = 0;
  for (const T &value : values) sum += value;
  return sum;
}
__device__ void swap_ends(int *first, int *last) {
  const int kept = *first;
  *first = *last;
  *last = kept;
}
template <int n>
__global__ void quiet_arrays(int *out) {
  int values[n] = {static_cast<int>(threadIdx.x), 2, 3};
  const float halves[] = {0.5f, 1.5f};
  double *pointers[2], own = 1;
  pointers[0] = pointers[1] = &own;
  __syncthreads();
  swap_ends(values, values + n - 1);
  auto inner = [=] { return total(values); };
  __syncthreads();
  char text[3];
  for (char *p = text; p != text + 3; ++p) *p = 1;
  if (values[0] == 0) {
    short deep[2] = {1, 1};
    out[threadIdx.x] = inner() + total(deep) - 2 + total(text) - 3 + static_cast<int>(*pointers[1] + halves[0]) - 1;
  }
}
CASE(quiet_local_arrays) {
  Buffer<int> out(64);
  for (int round = 0; round < 2; ++round) quiet_arrays<5><<<1, 64>>>(out);
  EXPECT(down<int>(out, 64)[63] == 63 + 5);
}
// ---- what a kernel gets from the host by reference, or by a pointer in an object
struct Scaled {
  const float *factors;  // of the host or of the device
  int count;
  __device__ float operator()(float x, int i) const {
    return x * factors[i % count];  // BUG memory factors_of_the_host
  }
};
template <class F>
__global__ void map(float *data, int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = f(data[i], i);
}
CASE(factors_of_the_host) {
  Up<float> data(std::vector<float>(40, 2));
  const std::vector<float> factors = {3, 4};
  Up<float> there(factors);
  map<<<2, 32>>>(data.data, 40, Scaled{bug ? factors.data() : there.data, 2});
  EXPECT(down<float>(data, 40)[39] == 8);
}
struct Matrix {
  int rows, columns;
  float *cells;
};
__global__ void trace(const Matrix *m, float *out) {
  const int rows = m->rows;  // BUG memory object_of_the_host
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += m->cells[i * m->columns + i];
  *out = sum;
}
CASE(object_of_the_host) {
  Up<float> cells(std::vector<float>(9, 2));
  Buffer<float> out(1);
  const Matrix host = {3, 3, cells};
  Up<Matrix> there({host});
  trace<<<1, 1>>>(bug ? &host : there.data, out);
  EXPECT(down<float>(out, 1)[0] == 6);
}
// ---- several arrays in one declaration, one of them filled by a helper that counts wrongly
__device__ void fill(float *values, int count, float first) {
  for (int i = 0; i < count; ++i) values[i] = first + i;  // BUG memory second_array_of_a_declaration
}
__device__ int first_of(const int *limits) { return limits[0]; }
__global__ void moving_sum(const float *in, const int *limits, float *out, bool bug) {
  float old[4] = {0, 0}, weights[4], *w = weights, sum = 0;
  const float *both[2] = {old, weights}, first = in[0];
  fill(weights, bug ? 5 : 4, first);
  for (int i = 0; i < limits[0]; ++i) sum += w[i] * both[i % 2][i] + old[i];
  fill(old, first_of(limits), sum);
  out[threadIdx.x] = old[3] + both[1][0];
}
CASE(second_array_of_a_declaration) {
  Up<float> in({1, 2, 3, 4});
  Up<int> limits({4});
  Buffer<float> out(32);
  moving_sum<<<1, 32>>>(in, limits, out, bug);
  EXPECT(down<float>(out, 32)[31] == 20 + 3 + 1);
}
// ---- two arrays in the dynamic shared memory: the second begins after bytes, not after elements
__global__ void two_arrays(const double *in, int n, double *out, bool bug) {
  extern __shared__ char memory[];
  int *order = reinterpret_cast<int *>(memory);
  const int behind = bug ? n : (n + 1) / 2 * 2;
  double *values = reinterpret_cast<double *>(memory + behind * sizeof(int));
  const int t = threadIdx.x;
  order[t] = n - 1 - t;
  values[t] = in[t];  // BUG memory doubles_behind_odd_ints
  __syncthreads();
  out[t] = values[order[t]];
}
CASE(doubles_behind_odd_ints) {
  Up<double> in(counting<double>(7));
  Buffer<double> out(7);
  two_arrays<<<1, 7, 8 * sizeof(int) + 7 * sizeof(double)>>>(in, 7, out, bug);
  EXPECT(down<double>(out, 7)[0] == 6);
}
// A caller keeps a pointer to an array of a function that has returned.
struct Digits {
  const int *first;
};
__device__ Digits digits_of(int value, int *room, bool bug) {
  int own[4];
  int *digits = bug ? own : room;
  for (int i = 0; i < 4; ++i, value /= 10) digits[i] = value % 10;
  return {digits};
}
__global__ void sum_digits(int *out, bool bug) {
  int room[4], sum = 0;
  const Digits digits = digits_of(threadIdx.x * 37, room, bug);
  for (int i = 0; i < 4; ++i) sum += digits.first[i];  // BUG memory array_of_who_has_returned
  out[threadIdx.x] = sum;
}
CASE(array_of_who_has_returned) {
  Buffer<int> out(32);
  sum_digits<<<1, 32>>>(out, bug);
  EXPECT(down<int>(out, 32)[1] == 10);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
