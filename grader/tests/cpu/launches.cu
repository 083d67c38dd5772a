// Every way to write a launch.
#include <vector>

#include "expect.cuh"
#include "launches.cuh"

constexpr int kCount = 4;
using Kernel = void (*)(int *, int);

__global__ void fill(int *out, int value) { out[threadIdx.x] = value; }
__global__ void fill_more(int *out, int value) { out[threadIdx.x] = value + 1; }
__global__ void optional(const int *in, int *out, float2 offset = {}) {
  out[threadIdx.x] = (in ? in[threadIdx.x] : -1) + static_cast<int>(offset.x);
}

__global__ void overloaded(int *out, int value) { out[threadIdx.x] = value; }
__global__ void overloaded(int *out, float value) {
  out[threadIdx.x] = static_cast<int>(value * 10);
}

template <class T, int N>
__global__ void scaled(T *out, T value) {
  out[threadIdx.x] = value * N;
}
template <class T>
__global__ void deduced(T *out, T value) {
  out[threadIdx.x] = value;
}
template <class T>
__global__ void with_null(const T *in, int *out) {
  out[threadIdx.x] = in == nullptr;
}

namespace outer {
namespace {
__global__ void hidden(int *out) { out[threadIdx.x] = 31; }
}  // namespace
namespace inner {
__global__ void fill(int *out) { out[threadIdx.x] = 32; }
}  // namespace inner
void launch(int *out) { hidden<<<1, kCount>>>(out); }
}  // namespace outer

// A host function with the same name as a kernel.
__global__ void same_name(int *out, int value) { out[threadIdx.x] = value; }
void same_name(std::vector<int> &) {}

__global__ void shape(int *out) {
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
    atomicAdd(out, static_cast<int>(blockDim.x * 100 + blockDim.y * 10 + blockDim.z));
}

// What is in braces has no type of its own, so the kernel is found by the other arguments.
struct Step {
  int from = 40, by = 1;
};
template <class T>
__global__ void stepped(T *out, Step a, Step b, T more) {
  out[threadIdx.x] = a.from + b.by + more;
}
__global__ void in_braces(Step a) {
  if (a.by != 1) __trap();
}
__global__ void in_braces(Step, int *out) { out[threadIdx.x] = 52; }

#define LAUNCH(kernel, ...)             \
  do {                                  \
    kernel<<<1, kCount>>>(__VA_ARGS__); \
  } while (0)

struct Functions {
  static void launch(int *out, int value) { fill<<<dim3(1), dim3(kCount)>>>(out, value); }
  Kernel kernel;
};

template <class T, int N>
void launch_template(T *out) {
  scaled<T, N><<<1, kCount>>>(out, 2);
}

void expect(int line, int *out, int wanted) {
  int values[kCount] = {};
  cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
  for (const int value : values)
    if (value != wanted) {
      std::printf("launch before line %d: %d instead of %d\n", line, value, wanted), ++failures();
      break;
    }
  cudaMemset(out, 0, sizeof values);
}
#define EXPECT_FILLED(wanted) expect(__LINE__, out, wanted)

void plain_forms(int *out) {
  fill<<<1, kCount>>>(out, 1);
  EXPECT_FILLED(1);
  fill<<<1, kCount, 0, 0>>>(out, 2);
  EXPECT_FILLED(2);
  ::fill<<<dim3{1, 1, 1}, {kCount}, 128>>>(out, 3);
  EXPECT_FILLED(3);
  LAUNCH(fill, out, 4);
  EXPECT_FILLED(4);
  launch_from_header(out, 5);
  EXPECT_FILLED(5);
  Functions::launch(out, 6);
  EXPECT_FILLED(6);
  if (out)
    fill<<<1, kCount>>>(out, 7);
  else
    fill<<<1, kCount>>>(out, 8);
  EXPECT_FILLED(7);
  [=] { fill<<<1, kCount>>>(out, 9); }();
  EXPECT_FILLED(9);
}

/// A launch is an expression of type void.
void launch_at_the_end(int *out) { return fill<<<1, kCount>>>(out, 11); }
template <int... kValues>
void launch_one_of(int *out, int value) {
  ((kValues == value ? fill<<<1, kCount>>>(out, kValues) : void()), ...);
}

void nothing_returned(int *out) {
  launch_at_the_end(out);
  EXPECT_FILLED(11);
  launch_one_of<12, 13, 14>(out, 13);
  EXPECT_FILLED(13);
  out ? fill<<<1, kCount>>>(out, 15) : launch_at_the_end(out);
  EXPECT_FILLED(15);
}

void names_and_templates(int *out) {
  outer::launch(out);
  EXPECT_FILLED(31);
  outer::inner::fill<<<1, kCount>>>(out);
  EXPECT_FILLED(32);
  scaled<int, 4><<<1, kCount>>>(out, 10);
  EXPECT_FILLED(40);
  scaled<int, (3 > 2) ? 5 : 6><<<1, kCount>>>(out, 10);
  EXPECT_FILLED(50);
  launch_template<int, 21>(out);
  EXPECT_FILLED(42);
  deduced<<<1, kCount>>>(out, 43);
  EXPECT_FILLED(43);
  overloaded<<<1, kCount>>>(out, 44);
  EXPECT_FILLED(44);
  overloaded<<<1, kCount>>>(out, 4.5f);
  EXPECT_FILLED(45);
  same_name<<<1, kCount>>>(out, 46);
  EXPECT_FILLED(46);
}

void arguments(int *out) {
  optional<<<1, kCount>>>(0, out, {});
  EXPECT_FILLED(-1);
  optional<<<1, kCount>>>(nullptr, out);  // the default argument is used
  EXPECT_FILLED(-1);
  optional<<<1, kCount>>>(NULL, out, {});
  EXPECT_FILLED(-1);
  optional<<<1, kCount>>>(nullptr, out, {5.0f, 0.0f});
  EXPECT_FILLED(4);
  with_null<float><<<1, kCount>>>(0, out);
  EXPECT_FILLED(1);
  fill<<<1, kCount>>>(out, 'A');
  EXPECT_FILLED(65);
  fill<<<1, kCount>>>(out, {});
  EXPECT_FILLED(0);
  const int local = 20;
  stepped<<<1, kCount>>>(out, {local, int(.5f * 6)}, {}, 30);
  EXPECT_FILLED(51);
  stepped<int><<<1, kCount>>>(out, {}, {.by = 2}, 8);
  EXPECT_FILLED(50);
  in_braces<<<1, kCount>>>({1, 1});
  in_braces<<<1, kCount>>>({}, out);
  EXPECT_FILLED(52);
}

// CUDA allows 32,764 bytes. Every thread has a copy, which it may change.
struct Large {
  int values[8000];
};
__global__ void change_large(Large large, int *out) {
  large.values[7999] += threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = large.values[7999] - threadIdx.x;
}
void large_arguments(int *out) {
  Large large{};
  large.values[7999] = 70;
  change_large<<<1, kCount>>>(large, out);
  EXPECT_FILLED(70);
}

template <class AnyKernel>
cudaError_t launch_erased(AnyKernel kernel, void **packed) {
  return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), 1, kCount, packed, 0, nullptr);
}

void expressions(int *out, bool first) {
  (first ? fill : fill_more)<<<1, kCount>>>(out, 50);
  EXPECT_FILLED(50);
  if (out) (first ? fill_more : fill)<<<1, kCount>>>(out, 50);
  EXPECT_FILLED(51);
  const Kernel table[] = {fill, fill_more};
  table[1]<<<1, kCount>>>(out, 51);
  EXPECT_FILLED(52);
  const Functions functions{fill};
  functions.kernel<<<1, kCount>>>(out, 53);
  EXPECT_FILLED(53);
  Kernel pointer = &fill_more;
  pointer<<<1, kCount>>>(out, 53);
  EXPECT_FILLED(54);
  int value = 55;
  void *packed[] = {&out, &value};
  EXPECT(cudaLaunchKernel(fill, dim3(1), dim3(kCount), packed, 0, nullptr) == cudaSuccess);
  EXPECT_FILLED(55);
  EXPECT(cudaLaunchKernel((const void *)table[1], dim3(1), dim3(kCount), packed, 0, nullptr) ==
         cudaSuccess);
  EXPECT_FILLED(56);
  EXPECT(launch_erased(functions.kernel, packed) == cudaSuccess);
  EXPECT_FILLED(55);
}

void shapes(int *out) {
  cudaMemset(out, 0, sizeof(int));
  shape<<<dim3(2, 3, 4), dim3(4, 3, 2)>>>(out);
  EXPECT(from_device(out) == 24 * 432);
  cudaMemset(out, 0, sizeof(int));
  const int side = 2;
  shape<<<side, side>>>(out);
  EXPECT(from_device(out) == 2 * 211);
}

// As helper_math.h does. nvcc refuses this in C++20 and takes it in C++17, its default.
#ifdef __CUDA_ON_CPU__
inline __host__ __device__ float lerp(float a, float b, float t) { return a + t * (b - a); }
#endif
template <class T>
T operator<<(T, std::vector<T> values) {
  return values[0];
}

// clang-format off
void loose_chevrons([[maybe_unused]] int *out) {
#ifndef __CUDA__  // clang's own CUDA, which lint uses, does not read chevrons with spaces
  fill << < 1, kCount >> > (out, 9);
  EXPECT_FILLED(9);
  fill<< <1, dim3(std::vector<std::vector<int>> {{kCount}}[0][0])>> >(out, 10);
  EXPECT_FILLED(10);
  EXPECT((operator<< <int>(1, std::vector<int>{7})) == 7 && 1 << 2 < 5);
#endif
#ifdef __CUDA_ON_CPU__
  EXPECT(lerp(1.0f, 3.0f, 0.5f) == 2 && std::lerp(1.0, 3.0, 0.5) == 2);
#endif
}
// clang-format on

int main() {
  int *out;
  cudaMalloc(&out, kCount * sizeof(int));
  plain_forms(out);
  nothing_returned(out);
  names_and_templates(out);
  arguments(out);
  large_arguments(out);
  expressions(out, true);
  shapes(out);
  loose_chevrons(out);
  EXPECT(cudaGetLastError() == cudaSuccess);
  cudaFree(out);
  return failures() != 0;
}
