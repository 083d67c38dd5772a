// Device code that calls or reads what only the host has. Each line that nvcc refuses says so.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

int count = 3;
const int table[4] = {1, 2, 3, 4};
constexpr int constant_table[4] = {1, 2, 3, 4};
struct Settings {
  int n;
  static int shared;
  static constexpr int steps[2] = {1, 2};
};
int Settings::shared = 1;
Settings settings;

int twice(int a) { return 2 * a; }
inline int twice_inline(int a) { return 2 * a; }
template <class T>
T same(T a) {
  return a;
}
struct Vector {
  int x;
  Vector(int a) : x(a) {}
  int get() const { return x; }
  static int one(int a) { return a; }
  Vector operator+(Vector other) const { return Vector(x + other.x); }
  operator int() const { return x; }
};
struct Twice {
  int operator()(int a) const { return 2 * a; }
};
struct Plain {
  int x;
};
int operator*(Plain a, Plain b) { return a.x * b.x; }
struct Base {
  Base() {}
  int v;
};
struct Derived : Base {};

template <class F>
__device__ int call(F f, int a) {
  return f(a);  // ERROR operator()
}
__device__ int unused(int n) { return twice(n); }  // ERROR twice
__device__ __forceinline__ int helper(int n) { return n; }

template <class T>
__global__ void of_template(T *p) {
  p[0] = same(p[1]);  // ERROR same
}
__global__ void k(int *p, char *text, int n, Plain a) {
  p[0] = twice(n);         // ERROR twice
  p[1] = twice_inline(n);  // ERROR twice_inline
  p[2] = same(n);          // ERROR same
  Vector v(n);             // ERROR Vector
  p[3] = v.get();          // ERROR get
  Vector w = v + v;        // ERROR operator+
  p[4] = Vector::one(n);   // ERROR one
  int converted = w;       // ERROR operator int
  p[5] = converted + a * a;  // ERROR operator*
  Twice f;
  p[6] = f(n) + call(f, n);  // ERROR operator()
  p[7] = count;            // ERROR count
  p[8] = table[n];         // ERROR table
  p[9] = constant_table[n];  // ERROR constant_table
  p[10] = Settings::shared;  // ERROR Settings::shared
  p[11] = Settings::steps[n];  // ERROR Settings::steps
  p[12] = settings.n;      // ERROR settings
  p[13] = rand();          // ERROR rand
  p[14] = strcmp(text, "a");  // ERROR strcmp
  p[15] = [](int i) { return twice(i); }(n);  // ERROR twice
  p[16] = std::pair<int, int>(n, n).first;  // ERROR pair
  cudaMemset(p, 0, 4);     // ERROR cudaMemset
  p[17] = helper(n);
}
struct Chance { int x = rand(); }; __global__ void try_it(int *p) { Chance c; *p = c.x; }  // ERROR rand
int main() {
  int *p = nullptr;
  cudaMalloc(&p, 100);
  k<<<1, 1>>>(p, nullptr, 1, Plain{1});
  of_template<<<1, 1>>>(p);
}
