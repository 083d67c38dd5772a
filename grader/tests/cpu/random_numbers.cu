// cuRAND's device interface: Philox's numbers, and what the others have to be.
#include <curand_kernel.h>

#include "expect.cuh"

__global__ void philox(unsigned *out) {
  curandStatePhilox4_32_10_t state;
  curand_init(0, 0, 0, &state);
  for (int i = 0; i < 8; ++i) out[i] = curand(&state);
  curand_init(0, 0, 5, &state);
  out[8] = curand(&state);
  curand_init(0, 7, 0, &state);
  out[9] = curand(&state);
}
__global__ void moments(float *out) {
  curandState state;
  curand_init(1234, threadIdx.x, 0, &state);
  float mean = 0, square = 0, least = 1, most = 0, sum = 0;
  const int n = 2000;
  for (int i = 0; i < n; ++i) {
    const float x = curand_normal(&state), u = curand_uniform(&state);
    mean += x, square += x * x, sum += u;
    least = fminf(least, u), most = fmaxf(most, u);
  }
  atomicAdd(&out[0], mean / (32 * n));
  atomicAdd(&out[1], square / (32 * n));
  atomicAdd(&out[2], sum / (32 * n));
  if (!(least > 0 && most <= 1)) out[3] = 1;
}

int main() {
  unsigned *numbers;
  float *out;
  cudaMallocManaged(&numbers, 16 * sizeof *numbers);
  cudaMallocManaged(&out, 4 * sizeof *out);
  for (int i = 0; i < 4; ++i) out[i] = 0;
  philox<<<1, 1>>>(numbers);
  moments<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  // The known answer for counter 0 and key 0 of Random123.
  EXPECT(numbers[0] == 0x6627e8d5 && numbers[1] == 0xe169c58d);
  EXPECT(numbers[2] == 0xbc57ac4c && numbers[3] == 0x9b00dbd8);
  EXPECT(numbers[8] == numbers[5] && numbers[9] != numbers[0]);
  EXPECT(fabsf(out[0]) < 0.02f && fabsf(out[1] - 1) < 0.03f);
  EXPECT(fabsf(out[2] - 0.5f) < 0.01f && out[3] == 0);
  return failures();
}
