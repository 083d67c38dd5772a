// half and bfloat16: what rounds, what is compared, what travels through a warp.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "expect.cuh"

__global__ void scale(const __half2 *x, __half2 *y, __half factor) {
  const int i = threadIdx.x;
  y[i] = __hfma2(__half2half2(factor), x[i], y[i]);
}
__global__ void sum(const __half *x, float *out) {
  __half value = x[threadIdx.x];
  for (int step = 16; step; step /= 2)
    value = __hadd(value, __shfl_down_sync(~0u, value, step));
  if (threadIdx.x == 0) *out = __half2float(value);
}
__global__ void values(float *out, bool *truths) {
  const float given[] = {65519.f, 65520.f, 5.9604645e-8f, 2.9802322e-8f, -1.00048828125f, 0.1f};
  for (int i = 0; i < 6; ++i) out[i] = __half2float(__float2half(given[i]));
  out[6] = __bfloat162float(__float2bfloat16(1.00390625f));  // a tie, rounded to even
  out[7] = __bfloat162float(__hmul(__float2bfloat16(3), __float2bfloat16(0.5f)));
  out[8] = __half2float(hsqrt(__float2half(2)));
  truths[0] = __hlt(__float2half(1), __float2half(2));
  truths[1] = __hbge2(__floats2half2_rn(1, 2), __floats2half2_rn(1, 3));
  truths[2] = __hisnan(__float2half(NAN));
  truths[3] = __half_as_ushort(__float2half(-2)) == 0xc000;
}

int main() {
  __half2 *x, *y;
  __half *numbers;
  float *out;
  bool *truths;
  cudaMallocManaged(&x, 32 * sizeof *x);
  cudaMallocManaged(&y, 32 * sizeof *y);
  cudaMallocManaged(&numbers, 32 * sizeof *numbers);
  cudaMallocManaged(&out, 16 * sizeof *out);
  cudaMallocManaged(&truths, 4);
  for (int i = 0; i < 32; ++i) {
    x[i] = __floats2half2_rn(static_cast<float>(i), 2.f * static_cast<float>(i));
    y[i] = __floats2half2_rn(1, 2);
    numbers[i] = __float2half(static_cast<float>(i));
  }
  scale<<<1, 32>>>(x, y, __float2half(0.5f));
  sum<<<1, 32>>>(numbers, out + 15);
  values<<<1, 1>>>(out, truths);
  cudaDeviceSynchronize();
  EXPECT(__low2float(y[3]) == 2.5f && __high2float(y[3]) == 5);
  EXPECT(out[15] == 496);
  EXPECT(out[0] == 65504 && std::isinf(out[1]));
  EXPECT(out[2] == 5.9604645e-8f && out[3] == 0);
  EXPECT(out[4] == -1 && out[5] == 0.0999755859375f);
  EXPECT(out[6] == 1 && out[7] == 1.5f && out[8] == 1.4140625f);
  EXPECT(truths[0] && !truths[1] && truths[2] && truths[3]);
  return failures();
}
