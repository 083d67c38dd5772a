// Every function of the vocabulary does what CUDA's documentation says.
#include <climits>
#include <cmath>
#include <vector>

#include "expect.cuh"

static_assert(sizeof(float3) == 12 && alignof(float3) == 4 && alignof(float4) == 16 &&
              alignof(float2) == 8);
static_assert(alignof(char4) == 4 && sizeof(uchar3) == 3 && alignof(double2) == 16 &&
              alignof(int2) == 8);

struct __align__(16) Padded {
  int value;
};
static_assert(alignof(Padded) == 16 && sizeof(Padded) == 16);

__constant__ int kTable[4];
__device__ int global_counter;

__device__ __forceinline__ int twice(int x) { return 2 * x; }
__host__ __device__ __noinline__ int thrice(int x) { return 3 * x; }

// Writes 1 to ok[i] for each check i that holds; the host prints those that did not.
__global__ void __launch_bounds__(32) device_checks(int *ok, const float *one, int n) {
  int i = 0;
  auto check = [&](bool holds) {
    if (i < n) ok[i++] = holds;
  };
  check(__popc(0xf0u) == 4 && __popcll(~0ull) == 64);
  check(__clz(1) == 31 && __clz(0) == 32 && __clzll(1) == 63 && __clzll(0) == 64);
  check(__ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 40) == 41);
  check(__brev(1u) == 0x80000000u && __brevll(1ull) == 1ull << 63);
  check(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x3f800000) == 1.0f);
  check(__float_as_uint(-0.0f) == 0x80000000u && __uint_as_float(0x40000000u) == 2.0f);
  check(__double_as_longlong(1.0) == 0x3ff0000000000000ll &&
        __longlong_as_double(0x4000000000000000ll) == 2.0);
  check(__hiloint2double(0x3ff00000, 0) == 1.0 && __double2hiint(1.0) == 0x3ff00000 &&
        __double2loint(1.0) == 0);
  check(__mulhi(1 << 30, 8) == 2 && __umulhi(0x80000000u, 4u) == 2 &&
        __umul64hi(1ull << 63, 4ull) == 2);
  check(__funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_r(2u, 1u, 1) == 0x80000001u);
  check(__mul24(3, -2) == -6 && __umul24(0x1000002u, 3u) == 6u && __sad(3, 7, 10u) == 14u);
  check(min(3, -2) == -2 && max(3u, 4u) == 4u && min(2.0f, NAN) == 2.0f && max(1.0, 2.0f) == 2.0 &&
        min(1ll, 2ll) == 1);
  check(min(-1, 5u) == 5u);  // the mixed overload converts to unsigned
  check(rsqrtf(4.0f) == 0.5f && rsqrt(4.0) == 0.5 && fabsf(__expf(1.0f) - 2.7182818f) < 1e-5f);
  check(__fdividef(6.0f, 3.0f) == 2.0f && __saturatef(1.5f) == 1.0f &&
        fabsf(__sinf(0.0f)) < 1e-6f && __powf(2.0f, 3.0f) > 7.99f);
  check(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.7f) == -2 && __float2int_rd(-2.1f) == -3 &&
        __int2float_rn(7) == 7.0f);
  check(__fmaf_rn(2.0f, 3.0f, 1.0f) == 7.0f && __frcp_rn(4.0f) == 0.25f &&
        __fadd_rn(1.0f, 2.0f) == 3.0f);
  check(__ldg(one) == 1.0f && __ldcs(one) == 1.0f && __ldcg(one) == 1.0f);
  check(make_int3(1, 2, 3).z == 3 && make_float4(1, 2, 3, 4).w == 4 && make_uchar2(1, 2).y == 2);
  check(kTable[3] == 13 && twice(thrice(2)) == 12 && warpSize == 32);
  check(threadIdx.x == 0 && blockDim.x == 1 && gridDim.x == 1 && blockIdx.x == 0);
  check(clock64() > 0);
}
constexpr int kDeviceChecks = 22;

struct Counters {
  int add, sub, exchange, least, most, conjunction, disjunction, difference, swaps;
  unsigned wrapped, down;
  unsigned long long wide, wide_most;
  long long signed_least;
  float real;
  double precise;
};

__global__ void atomics(Counters *c) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&c->add, 1);
  atomicSub(&c->sub, 2);
  atomicExch(&c->exchange, t);
  atomicMin(&c->least, -t);
  atomicMax(&c->most, t);
  atomicAnd(&c->conjunction, ~(1 << (t % 8)));
  atomicOr(&c->disjunction, 1 << (t % 8));
  atomicXor(&c->difference, 1 << (t % 8));
  atomicInc(&c->wrapped, 6);
  atomicDec(&c->down, 9);
  atomicAdd(&c->wide, 1ull << 33);
  atomicMax(&c->wide_most, 1ull << (t % 40));
  atomicMin(&c->signed_least, -1ll << (t % 40));
  atomicAdd(&c->real, 0.5f);
  atomicAdd(&c->precise, 0.25);
  for (int seen = c->swaps, before; (before = atomicCAS(&c->swaps, seen, seen + 1)) != seen;)
    seen = before;
  __threadfence();
  atomicAdd(&global_counter, 1);
  __threadfence_block();
  __threadfence_system();
}

__global__ void warp_functions(int *ok) {
  const int lane = threadIdx.x % 32;
  const unsigned all = 0xffffffffu;
  bool good = __shfl_sync(all, lane * 10, 3) == 30;
  good &= __shfl_sync(all, lane, 1, 8) == lane / 8 * 8 + 1;
  good &= __shfl_up_sync(all, lane, 2) == (lane < 2 ? lane : lane - 2);
  good &= __shfl_down_sync(all, lane, 4, 16) == (lane % 16 >= 12 ? lane : lane + 4);
  good &= __shfl_xor_sync(all, static_cast<double>(lane), 1) == (lane ^ 1);
  good &= __shfl_xor_sync(all, 1ll << lane, 16) == 1ll << (lane ^ 16);
  good &= __ballot_sync(all, lane % 2) == 0xaaaaaaaau;
  good &= __any_sync(all, lane == 5) && !__any_sync(all, 0) && __all_sync(all, 1) &&
          !__all_sync(all, lane);
  good &= __reduce_add_sync(all, lane) == 496 && __reduce_max_sync(all, -lane) == 0 &&
          __reduce_min_sync(all, -lane) == -31;
  good &= __reduce_add_sync(all, 0x80000000u) == 0u &&
          __reduce_max_sync(all, static_cast<unsigned>(-lane)) == UINT_MAX;
  good &= __reduce_or_sync(all, 1u << lane) == all && __reduce_and_sync(all, ~(1u << lane)) == 0u &&
          __reduce_xor_sync(all, 1u) == 0u;
  good &= __match_any_sync(all, lane / 16) == (lane < 16 ? 0xffffu : 0xffff0000u);
  good &= __activemask() == all;
  if (lane < 8) {  // a part of the warp, with its own mask
    good &= __activemask() == 0xffu;
    good &= __shfl_down_sync(0xffu, lane, 1, 8) == (lane == 7 ? 7 : lane + 1);
    __syncwarp(0xffu);
  } else {
    good &= __reduce_add_sync(0xffffff00u, 1u) == 24u;
  }
  __syncwarp();
  ok[threadIdx.x] = good;
}

void check_device_functions() {
  int *ok;
  float *one;
  cudaMalloc(&ok, kDeviceChecks * sizeof(int));
  cudaMalloc(&one, sizeof(float));
  const float host_one = 1.0f;
  const int table[] = {10, 11, 12, 13};
  cudaMemcpy(one, &host_one, sizeof host_one, cudaMemcpyHostToDevice);
  EXPECT(cudaMemcpyToSymbol(kTable, table, sizeof table) == cudaSuccess);
  device_checks<<<1, 1>>>(ok, one, kDeviceChecks);
  std::vector<int> result(kDeviceChecks);
  EXPECT(cudaMemcpy(result.data(), ok, kDeviceChecks * sizeof(int), cudaMemcpyDeviceToHost) ==
         cudaSuccess);
  for (int i = 0; i < kDeviceChecks; ++i)
    if (result[i] != 1) std::printf("device check %d does not hold\n", i), ++failures();
  cudaFree(ok);
  cudaFree(one);
}

void check_atomics() {
  constexpr int kThreads = 64 * 100;
  Counters start{}, *device;
  start.sub = 2 * kThreads;
  start.conjunction = 0x1ff;
  cudaMalloc(&device, sizeof start);
  cudaMemcpy(device, &start, sizeof start, cudaMemcpyHostToDevice);
  atomics<<<100, 64>>>(device);
  const Counters c = from_device(device);
  EXPECT(c.add == kThreads && c.sub == 0 && c.swaps == kThreads);
  EXPECT(c.exchange >= 0 && c.exchange < kThreads && c.least == 1 - kThreads &&
         c.most == kThreads - 1);
  EXPECT(c.conjunction == 0x100 && c.disjunction == 0xff && c.difference == 0);
  EXPECT(c.wrapped == kThreads % 7 && c.down == (10 - kThreads % 10) % 10);
  EXPECT(c.wide == static_cast<unsigned long long>(kThreads) << 33 && c.wide_most == 1ull << 39 &&
         c.signed_least == -1ll << 39);
  EXPECT(c.real == kThreads / 2.0f && c.precise == kThreads / 4.0);
  int counter = 0;
  EXPECT(cudaMemcpyFromSymbol(&counter, global_counter, sizeof counter) == cudaSuccess &&
         counter == kThreads);
  cudaFree(device);
}

void check_warp_functions() {
  int *ok;
  cudaMalloc(&ok, 64 * sizeof(int));
  warp_functions<<<1, 64>>>(ok);
  std::vector<int> result(64);
  EXPECT(cudaMemcpy(result.data(), ok, 64 * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int t = 0; t < 64; ++t)
    if (result[t] != 1) std::printf("warp functions: thread %d differs\n", t), ++failures();
  cudaFree(ok);
}

int main() {
  check_device_functions();
  check_atomics();
  check_warp_functions();
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  return failures() != 0;
}
