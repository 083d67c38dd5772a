// What looks like a mistake and is none: nvcc compiles all of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

int count = 3;
const int four = 4;
const float half = 0.5f;
constexpr int eight = 8;
constexpr float limit = std::numeric_limits<float>::max();
__device__ int device_count;
__constant__ int constants[4];
struct Settings {
  int count, values[4];
  static constexpr int steps = 3;
  enum { most = 7 };
};
struct Defaults {
  int x = 3;
  Defaults() = default;
  Defaults(const Defaults &) = default;
};
constexpr Settings preset = {1, {1, 2, 3, 4}};
template <class T>
struct Stack {
  T *last;
};
template <class T>
class Vector : public Stack<T> {
 public:
  __device__ explicit Vector(T *data) : top(0), all(data) {}
  __device__ void push(T value) { all[top++] = value; }

 private:
  int top;
  T *all;
};

// The same name for the host and for the device.
int twice(float a) { return int(2 * a); }
__device__ int twice(int a) { return 2 * a; }
struct OfHost {
  int get() const { return 1; }
  int operator()(int a) const { return a; }
};
struct OfDevice {
  __device__ OfDevice(int a) : x(a) {}
  __device__ int get() const { return x; }
  __device__ int operator()(int a) const { return a + x; }
  __device__ int later(int a) const;
  int x;
};
__device__ int OfDevice::later(int a) const { return a + x; }
struct OfBoth {
  int x;
  __host__ __device__ OfBoth(int a) : x(a) {}
  __host__ __device__ OfBoth operator+(OfBoth other) const { return OfBoth(x + other.x); }
};
__host__ __device__ inline int sum(int a, int b) { return a + b; }
__host__ __device__ int checked(int a) {
#ifndef __CUDA_ARCH__
  if (a < 0) std::printf("%d\n", a);
#endif
  return a;
}
__device__ int of_this_thread() { return threadIdx.x; }
__host__ __device__ int numbered() {
#ifdef __CUDA_ARCH__
  return of_this_thread();
#else
  return 0;
#endif
}
template <class F>
__host__ __device__ int call(F f, int a) {
  return f(a);
}
__device__ int forward_declared(int a);
__device__ int forward_declared(int a) { return a; }
int scale(int a) { return a; }
static __device__ int unused_of_this_file(int a) { return scale(a); }

template <class T>
struct Plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T, class Operation>
__global__ void reduce(T *p, Operation operation) {
  p[0] = operation(p[0], p[1]);
}
__global__ void first(std::pair<int, int> pair, int *p) {
  std::pair<int, int> copy = pair;
  p[0] = copy.first + pair.second;
}
__global__ void k(int *p, float *f, Settings given, int scale) {
  int count = given.count;  // hides the host's variable
  p[0] = count + scale + four + eight + Settings::steps + Settings::most + preset.count;
  p[1] = twice(count) + forward_declared(count) + sum(1, 2) + checked(3);
  f[0] = half + limit + std::sqrt(f[1]) + std::abs(-2.5f) + std::pow(f[1], 2.f) + fmaxf(f[0], 1.f);
  p[2] = max(p[0], 3) + min(p[1], count) + std::abs(p[1]) + abs(p[3]);
  OfDevice device(count);
  p[3] = device.get() + device.later(2) + call(device, 3);
  auto plus = [count](int a) { return a + count; };
  p[4] = plus(3) + call([](int a) { return a; }, 4) + (OfBoth(1) + OfBoth(2)).x;
  Defaults defaults, copy = defaults;
  p[5] = std::move(copy).x + sizeof(::count);
  for (int v : {1, 2}) p[6] += v;
  memset(p + 8, 0, 4);
  std::memcpy(p + 8, p + 9, 4);
  int *list = new int[2];
  list[0] = strlen("abc");
  p[7] = list[0] + device_count + constants[1] + std::is_same<int, float>::value;
  delete[] list;
  std::printf("%d\n", p[7]);
  static_assert(std::numeric_limits<float>::is_iec559);
}
// A destructor that nobody wrote has the side of those that it calls.
class Shape {
 public:
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
};
class Square : public Shape {
 public:
  __device__ explicit Square(float side) : side_(side) {}
  __device__ float area() const override { return side_ * side_; }

 private:
  float side_;
};
__global__ void measure(float *area) {
  const Shape *shape = new Square(2);
  *area = shape->area();
  delete shape;
}
// What is computed while the program is compiled may be called from both sides.
consteval int nine() { return 9; }
struct Early {
  consteval int ten() const { return nine() + 1; }
};
__global__ void early(int *p) { p[nine()] = Early{}.ten(); }
// The size of an array may have a name, if that is a constant.
enum { kColours = 3 };
template <int kKeys>
__global__ void sized(float *p, int n) {
  const int twice = 2 * kKeys;
  constexpr int thrice = 3 * kKeys;
  float mine[kKeys], more[twice], most[thrice][kColours], all[sizeof(n)];
  int *fresh = new int[n];
  fresh[0] = n;
  p[fresh[0]] = mine[n] = more[n] = most[n][n] = all[n] = p[n];
  delete[] fresh;
}

constexpr int warpSize = 32;
__global__ void of_a_warp(int *out) {
  extern __shared__ int of_two_kernels[];
  __shared__ int (*function)(int), (*table[2])(int);
  function = table[1] = nullptr;
  out[warpSize] = of_two_kernels[warpSize] + (function == table[1]);
}
__global__ void of_a_block(int *out) {
  extern __shared__ int of_two_kernels[];
  out[0] = of_two_kernels[0];
}
// An attribute behind a name, and variables after an initialiser in braces.
__device__ int one = 1, few[3] = {1, 2, 3}, *other, last{4};
__device__ void fill(int *tile, int n) { tile[n] = one + few[n] + last; }
__global__ void of_words [[maybe_unused]] (int *out) {
  __shared__ int tile[4];
  fill(tile, 1);
  out[0] = other ? tile[1] : 0;
}

int main() {
  std::vector<int> values(16);
  std::iota(values.begin(), values.end(), std::max(count, 1));
  std::sort(values.begin(), values.end(), [](int a, int b) { return a > b; });
  std::memset(values.data(), 0, 8);
  memcpy(values.data(), values.data() + 4, 8);
  std::array<int, 2> pair = {twice(1.5f), OfHost().get()};
  auto kernel = k;
  int *p = nullptr;
  kernel<<<1, 1>>>(p, (float *)nullptr, preset, pair[0] + std::rand());
  reduce<<<1, 1>>>(p, Plus<int>());
  first << < 1, 1 >> > ({1, 2}, p);
  sized<4><<<1, 1>>>((float *)nullptr, 1);
  return call(OfHost(), 1) + sum(OfBoth(3).x, checked(1));
}
