// Host code that calls what only the device has, kernels called like functions, and lambdas that
// need a flag.
#include <cstdio>

__device__ int twice(int a) { return 2 * a; }
__host__ __device__ int both(int a) { return twice(a); }  // ERROR twice
struct Counter {
  int x;
  __device__ Counter(int a) : x(a) {}
  __device__ int get() const { return x; }
};
__global__ void other(int *p) { p[0] = 1; }
__global__ void nested(int *p) {
  other(p);  // ERROR other
}
int host_calls(int n) { return twice(n); }                // ERROR twice
int host_waits() { __syncthreads(); return 0; }           // ERROR __syncthreads
int host_adds(int *p) { return atomicAdd(p, 1); }         // ERROR atomicAdd
int host_shuffles(int n) { return __shfl_sync(~0u, n, 0); }  // ERROR __shfl_sync
int host_shares() { __shared__ int s[2]; return s[0]; }  // ERROR __shared__
int host_counts(int n) { return __popc(n); }              // ERROR __popc
int host_loads(int *p) { return __ldg(p); }               // ERROR __ldg
int host_constructs() { return Counter(1).x; }            // ERROR Counter
int host_gets(Counter &c) { return c.get(); }             // ERROR get
template <class F>
__global__ void apply(F f, int *p) {
  p[0] = f(1);
}
int main() {
  int *p = nullptr;
  other(p);  // ERROR other
  auto from_host = [](int n) { return twice(n); };  // ERROR twice
  std::printf("%d", from_host(1));
  auto on_device = [=] __device__(int n) { return n; };  // ERROR --extended-lambda
  auto on_both = [=] __host__ __device__(int n) { return n; };  // ERROR --extended-lambda
  nested<<<1, 1>>>(p);
}
