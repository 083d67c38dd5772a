// Variables of the device that nvcc cannot declare once more for the host.
struct Given {
  int x;
  constexpr __host__ __device__ Given(int a) : x(a) {}
};
struct Both {
  int x = 1;
  Both() = default;
  constexpr __host__ __device__ Both(int a) : x(a) {}
};
struct Copied {
  int x;
  Copied(const Copied &) = default;
  constexpr __host__ __device__ Copied() : x(0) {}
};
__device__ Given assigned = 4;  // ERROR `Given` has no constructor without arguments
__constant__ Given braced{5};  // ERROR `Given` has no constructor without arguments
__device__ Given several[2] = {1, 2};  // ERROR `Given` has no constructor without arguments
__device__ Both both = 4;
__device__ Both braced_too{5};
__device__ Copied copied;
__device__ const Given constant{5};
constexpr __device__ Given known[2] = {1, 2};
__device__ int called = [](int a) { return a + 1; }(2);
__device__ Given *pointer = nullptr;
__device__ Given make(int a);
__device__ Given make(int a) { return a; }
__device__ auto next = [](int a) { return a + 1; };  // ERROR `next` of the device is a lambda
__global__ void k(int *p) {
  auto step = [](int a) { return a + 1; };
  Given local = 3;
  p[0] = assigned.x + braced.x + several[1].x + both.x + braced_too.x + copied.x + step(local.x);
  p[1] = pointer->x + make(3).x + constant.x + known[1].x + called;
}
int main() { k<<<1, 1>>>(nullptr); }
