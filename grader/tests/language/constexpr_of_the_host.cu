// constexpr functions of the host, which nvcc refuses in device code without a flag, even where
// their value is known; and what devices do not have at all.
#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <span>
#include <utility>

constexpr int square(int a) { return a * a; }
template <class T>
constexpr T same(T a) {
  return a;
}
struct Counter {
  int x = 0;
  constexpr int next() const { return x + 1; }
};

template <class A>
__global__ void second(A a, int *p) {
  p[0] = a[1];  // ERROR operator[]
}
template <class F>
__global__ void apply(F f, int *p) {
  p[0] = f(1);  // ERROR lambda
}
__global__ void third(std::span<int> s) {
  s[0] = 1;  // ERROR operator[]
}
__global__ void k(int *p, int n, std::pair<int, int> pair, std::array<int, 4> array) {
  p[0] = std::max(p[0], n);  // ERROR std::max
  p[1] = std::min(2, 3);     // ERROR std::min
  pair = std::make_pair(1, n);  // ERROR std::make_pair
  p[2] = array[n];           // ERROR operator[]
  pair.swap(pair);           // ERROR swap
  std::swap(p[0], p[1]);     // ERROR through a third variable
  p[4] = std::numeric_limits<int>::max();  // ERROR CUDA has INT_MAX
  p[5] = square(n);          // ERROR square
  p[6] = square(3);          // ERROR square
  int bounded[square(2)];    // ERROR square
  p[7] = bounded[0] + same(n);  // ERROR same
  p[8] = Counter().next();   // ERROR next
  std::sort(p, p + 4);       // ERROR std::sort
  if (n < 0) throw n;        // ERROR throw
  thread_local int once = 0;  // ERROR thread_local
  p[9] = typeid(int) == typeid(n) ? once : 0;  // ERROR typeid
}
int main() {
  int *p = nullptr;
  cudaMalloc(&p, 100);
  k<<<1, 1>>>(p, 1, {}, {});
  second<<<1, 1>>>(std::array<int, 2>{1, 2}, p);
  auto plus = [](int i) { return i + 1; };
  apply<<<1, 1>>>(plus, p);  // NVCC: it names the launch, too
}
