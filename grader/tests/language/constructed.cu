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
struct Derived : One {
  int y;
};
struct Around {
  int y;
  Plain first;
  One second[2];
  One *others;
};
struct Partly {
  int x = 3;
  int y;
};
struct Wholly {
  int x = 3;
  Known y;
  Wholly() = default;
  __host__ __device__ One one() const { return One(x); }
};
struct Virtual {
  int x;
  __device__ virtual int get() { return x; }
};
struct Pointing {
  One *one;
  Plain plain;
};
__device__ int computed(int a = 2) { return a; }
__device__ Derived derived;  // ERROR computed when the program runs
__device__ Around around;  // ERROR computed when the program runs
__device__ Around around_too{};  // ERROR computed when the program runs
__constant__ Partly partly;  // ERROR computed when the program runs
__device__ Virtual with_table;  // ERROR computed when the program runs
__device__ Pointing pointing;
__device__ Wholly wholly;
__device__ int called(computed());  // ERROR computed when the program runs
__device__ int called_too(computed(3));  // ERROR computed when the program runs
const int four = 4;
__device__ int named(four), typed(int(4)), declared(int());
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
         converted.v + several[1].x + number + derived.x + around.y + around_too.y + partly.y +
         with_table.x + wholly.x + called + called_too + named + typed + pointing.plain.x;
}
int main() { k<<<1, 1>>>(nullptr); }
