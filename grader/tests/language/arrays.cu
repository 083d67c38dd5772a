// Arrays of the device whose elements a constructor makes: all of its work is done by the compiler.
struct Empty {
  int x;
  __host__ __device__ Empty() {}
};
struct One {
  int x;
  __host__ __device__ One() : x(1) {}
};
struct Known {
 public:
  constexpr __host__ __device__ Known(int a = 2) : x(a) {}
  int x;
};
struct Valued {
  int x = 4;
};
template <class T>
struct Pair {
  T a, b;
  __device__ Pair() { a = b = 1; }
};
struct Derived : One {
  int y;
};
struct Around {
  One one;
};
struct Partly {
  int x = 4;
  int y;
};
struct Nested {
  struct Cell {
    int a;
  };
  enum { most = 4 };
  Cell cells[most];
  __host__ __device__ int count() const {
    int n = 0;
    for (int i = 0; i < most; ++i) n += cells[i].a;
    return n;
  }
};
struct OfNumber {
  int x;
  __host__ __device__ OfNumber(int a = 1) : x(a) {}
};
__device__ Derived derived[2];  // ERROR computed when the program runs
__device__ Around around[2];  // ERROR computed when the program runs
__device__ Partly partly[2];  // ERROR computed when the program runs
__device__ OfNumber numbers[2] = {1, 2};  // ERROR computed when the program runs
__device__ Nested nested[2];
__device__ Empty empty[4];
__device__ One one[4];  // ERROR computed when the program runs
__constant__ One rows[2][3];  // ERROR computed when the program runs
__managed__ One braced[2] = {};  // ERROR computed when the program runs
__device__ Pair<int> pairs[2];  // ERROR computed when the program runs
__device__ Known known[4], known_too[2]{};
__device__ Valued valued[4];
__device__ Pair<int> *pointers[2];
__global__ void k(int *p) {
  static Known known_inside[2];
  static Partly partly_inside[2];
  __shared__ Empty tile[4];
  One local[2];
  tile[0].x = local[1].x + known_inside[0].x;
  p[0] = tile[0].x + empty[0].x + one[1].x + rows[1][2].x + braced[0].x + pairs[0].a + known[1].x +
         valued[0].x + known_too[0].x + (pointers[0] != nullptr) + derived[1].x +
         around[0].one.x + partly[0].x + partly_inside[1].y + numbers[1].x +
         nested[1].count();
}
One of_the_host[4];
int main() {
  static One of_main[2];
  k<<<1, 1>>>(&of_main[of_the_host[0].x].x);
}
