// The compiler or the rewriter must refuse each -DFAULT=n, at the line that is marked FAULT n;
// FAULT 0 compiles.
#ifndef FAULT
#define FAULT 0
#endif

__global__ void kernel(int *out, float value) {
  out[threadIdx.x] = static_cast<int>(value);
#if FAULT == 1
  out[0] = undeclared;  // FAULT 1
#elif FAULT == 2
  __shared__ int counter = 0;  // FAULT 2
  out[0] = counter;
#elif FAULT == 3
  long cells = 0;
  atomicAdd(&cells, 1L);  // FAULT 3
#endif
}

#if FAULT == 4
__shared__ int outside = 3;  // FAULT 4
#endif

int main() {
  int *out = nullptr;
#if FAULT == 5
  kernel<<<1, 1>>>(1.0f, out);  // FAULT 5
#elif FAULT == 6
  kernel<<<1, 1>>>;  // FAULT 6
#elif FAULT == 7
  cudaGraphLaunch(out);   // FAULT 7
#elif FAULT == 8
  // clang-format off
  kernel<<<1, 1>>(out, 1.0f);  // FAULT 8
  // clang-format on
#endif
  (void)out;
}
