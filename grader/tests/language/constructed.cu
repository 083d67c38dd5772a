// Variables of the device that a constructor makes: all of its work is done by the compiler.
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
struct OfDevice {
  int v;
  __device__ OfDevice(int a) : v(a) {}
};
struct Plain {
  int x;
  int twice() const { return 2 * x; }
};
__device__ Empty empty;
__device__ One one;  // ERROR computed when the program runs
__device__ One made(3);  // ERROR computed when the program runs
__constant__ One braced{3};  // ERROR computed when the program runs
__device__ OfDevice converted = 4;  // ERROR computed when the program runs
__device__ Known known, known_too(3);
__constant__ Known braced_too{5};
__device__ Plain plain, several[3];
__device__ int number(3);
__device__ int function(int);
__global__ void k(int *p) {
  p[0] = empty.x + one.x + made.x + braced.x + known.x + known_too.x + braced_too.x + plain.x +
         converted.v + several[1].x + number;
}
int main() { k<<<1, 1>>>(nullptr); }
