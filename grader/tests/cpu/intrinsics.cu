// Functions on numbers, bits and packed words; atomics of other scopes; streams and versions.
#include <cmath>
#include <vector>

#include "expect.cuh"

constexpr int kMaxChecks = 64;

__device__ bool near(double a, double b) { return fabs(a - b) <= 1e-6 * (1 + fabs(b)); }

__global__ void device_checks(int *ok, int *count, int *cell, float *real) {
  int i = 0;
  auto check = [&](bool holds) { ok[i++] = holds; };
  check(__dp4a(0x01020304, 0x01010101, 5) == 15 && __dp4a(0xffu, 0x02u, 1u) == 511u);
  check(__dp4a(static_cast<int>(0xffu), 2, 0) == -2);
  check(__byte_perm(0x33221100u, 0x77665544u, 0x7410) == 0x77441100u);
  check(__fns(0xb0u, 0, 1) == 4 && __fns(0xb0u, 0, 3) == 7 && __fns(0xb0u, 7, -2) == 5);
  check(__fns(0xb0u, 4, 0) == 4 && __fns(0xb0u, 6, 0) == ~0u && __fns(0xb0u, 0, 4) == ~0u);
  check(__vadd4(0xff010203u, 0x01010101u) == 0x00020304u &&
        __vsub2(0x00010001u, 0x00020001u) == 0xffff0000u);
  check(__vmaxu4(0x01ff0310u, 0x02fe0410u) == 0x02ff0410u &&
        __vmins2(0x80000001u, 0x00000002u) == 0x80000001u);
  check(__vcmpeq4(0x01020304u, 0x01ff03ffu) == 0xff00ff00u &&
        __vabsdiffu4(0x05000000u, 0x07000000u) == 0x02000000u);
  check(__funnelshift_lc(1u, 2u, 40) == 1u && __funnelshift_rc(1u, 2u, 32) == 2u);
  check(__usad(3u, 7u, 1u) == 5u && __hadd(3, 4) == 3 && __rhadd(3, 4) == 4 &&
        __uhadd(~0u, 1u) == 0x80000000u);
  check(llmin(-1, 2) == -1 && llmax(-1, 2) == 2 && ullmin(1, ~0ull) == 1 && ullmax(1, ~0ull) == ~0ull);
  check(__mul64hi(1ll << 62, 8) == 2 && __mulhi(-1, 1) == -1);
  check(__float2int_rn(-2.5f) == -2 && __float2int_rn(1e20f) == 2147483647 &&
        __float2uint_rn(3.6f) == 4u);
  check(__float2int_ru(2.1f) == 3 && __double2int_rd(-2.1) == -3 && __double2ll_rz(-7.9) == -7);
  check(__int2float_rn(3) == 3.0f && __double2float_rn(0.5) == 0.5f && __uint2double_rn(7u) == 7.0);
  check(__dadd_rn(1.0, 2.0) == 3.0 && __dsub_rn(1.0, 2.0) == -1.0 && __ddiv_rn(1.0, 4.0) == 0.25);
  check(__fdiv_rn(1.0f, 4.0f) == 0.25f && __dsqrt_rn(9.0) == 3.0 && __fma_rn(2.0, 3.0, 1.0) == 7.0);
  float sine, cosine;
  sincospif(0.5f, &sine, &cosine);
  check(near(sine, 1) && near(cosine, 0));
  __sincosf(0.0f, &sine, &cosine);
  check(near(sine, 0) && near(cosine, 1) && near(exp10f(2.0f), 100));
  check(near(normcdff(0.0f), 0.5) && near(normcdf(1.959963985), 0.975));
  check(near(normcdfinv(0.975), 1.9599639845) && near(normcdfinv(1e-9), -5.99780701));
  check(near(erfinv(0.5), 0.4769362762) && near(erfcinv(0.1), 1.1630871537));
  check(near(norm3df(1, 2, 2), 3) && near(rhypotf(3, 4), 0.2) && near(rcbrtf(8), 0.5));
  const float zeros[] = {*real - *real, -(*real - *real)};  // 0 and -0
  for (int k = 0; k < 2; ++k) {
    const float a = zeros[k], b = zeros[1 - k];
    check(signbit(fminf(a, b)) && !signbit(fmaxf(a, b)) && signbit(min(a, b)) && !signbit(max(a, b)));
    check(signbit(fmin(double(a), double(b))) && !signbit(std::fmax(a, b)));
  }
  check(__ldcv(cell) == *cell && __ldlu(cell) == *cell);
  __stwb(cell, 5);
  check(*cell == 5);
  __stwt(cell, 6);
  check(atomicAdd_block(cell, 1) == 6 && atomicMax_system(cell, 9) == 7 &&
        atomicCAS_block(cell, 9, 4) == 9);
  check(atomicExch_system(real, 2.0f) == 1.0f && atomicAdd_system(real, 0.5f) == 2.0f);
  __shared__ float4 four;
  __shared__ float2 two;
  four = make_float4(1, 2, 3, 4);
  two = make_float2(1, 2);
  const float4 before = atomicAdd(&four, make_float4(1, 1, 1, 5));
  check(before.x == 1 && before.w == 4 && four.x == 2 && four.w == 9);
  check(atomicAdd_block(&two, make_float2(0, 3)).y == 2 && two.y == 5);
  __builtin_assume(i > 0);
  const unsigned mask = __activemask();
  int equal = 0;
  check(__match_all_sync(mask, 3, &equal) == mask && equal);
  const clock_t start = clock();
  __nanosleep(10);
  check(clock() >= start);
  *count = i;
}

int main() {
  int *ok, *count, *cell;
  float *real, one = 1;
  cudaMalloc(&ok, kMaxChecks * sizeof(int));
  cudaMalloc(&count, sizeof(int));
  cudaMalloc(&cell, sizeof(int));
  cudaMalloc(&real, sizeof(float));
  cudaMemset(cell, 0, sizeof(int));
  cudaMemcpy(real, &one, sizeof one, cudaMemcpyHostToDevice);
  device_checks<<<1, 1>>>(ok, count, cell, real);
  std::vector<int> result(kMaxChecks);
  EXPECT(cudaMemcpy(result.data(), ok, kMaxChecks * sizeof(int), cudaMemcpyDeviceToHost) ==
         cudaSuccess);
  const int checks = from_device(count);
  EXPECT(checks == 35);
  for (int i = 0; i < checks; ++i)
    if (result[i] != 1) std::printf("check %d does not hold\n", i), ++failures();

  int least = 0, greatest = 0, version = 0, can = 1;
  cudaStream_t stream;
  EXPECT(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess && greatest <= least);
  EXPECT(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest) == cudaSuccess);
  EXPECT(cudaStreamQuery(stream) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
  EXPECT(cudaRuntimeGetVersion(&version) == cudaSuccess && version >= 12000);
  EXPECT(cudaSetDeviceFlags(cudaDeviceScheduleAuto) == cudaSuccess);
  EXPECT(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared) == cudaSuccess);
  for (int *buffer : {ok, count, cell}) cudaFree(buffer);
  cudaFree(real);
  (void)cudaDeviceCanAccessPeer(&can, 0, 0);
  EXPECT(cudaDeviceReset() == cudaSuccess);
  return failures() != 0;
}
