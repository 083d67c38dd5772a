// Static variables of a kernel that a constructor makes: all of its work is done by the compiler.
struct Empty {
  int x;
  __host__ __device__ Empty() {}
};
struct One {
  int x;
  __host__ __device__ One() : x(1) {}
  __host__ __device__ explicit One(int a) { x = a; }
};
struct Known {
  int x;
  constexpr __host__ __device__ Known(int a = 2) : x(a) {}
};
struct Plain {
  int x;
  int twice() const { return 2 * x; }
};
__global__ void k(int *p) {
  static One first;  // ERROR computed when the program runs
  static One second(p[0]);  // ERROR computed when the program runs
  static int third(threadIdx.x);  // ERROR computed when the program runs
  static Empty fourth;
  static Known fifth, sixth(3);
  static Plain seventh, eighth[2];
  static int ninth(3);
  static One tenth[2];  // ERROR computed when the program runs
  struct Local {
    static __device__ int same(int a) { return a; }
  };
  __shared__ Empty tile[4];
  tile[0].x = first.x + second.x + third + fourth.x + fifth.x + sixth.x;
  p[0] = tile[0].x + seventh.x + eighth[1].x + ninth + tenth[1].x + Local::same(3);
}
int main() { k<<<1, 1>>>(nullptr); }
