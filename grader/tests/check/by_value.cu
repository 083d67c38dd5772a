// What is an argument or a result of a call, and programs with their own std::string.
#include <cuda_fp16.h>

#include <map>
#include <string>

#include "case.cuh"

namespace {

struct Body {
  float x, y, z, mass;
};
struct Row {
  float value[12];
};

__device__ float energy(Body body) {
  float sum = 0;
  for (int i = 0; i < 3; ++i) sum += body.x * body.mass + body.y + body.z * static_cast<float>(i);
  return sum > 5 ? 2 * sum : sum + 1;
}
__device__ Row row_of(float first) {
  Row row;
  for (int i = 0; i < 12; ++i) row.value[i] = first * static_cast<float>(i);
  return row;
}
template <class T>
__noinline__ __device__ T doubled(T value) {
  return value + value;
}
// It calls itself, so it is not inlined.
__device__ float2 halved(float2 value, int times) {
  return times == 0 ? value : halved(make_float2(value.x / 2, value.y / 2), times - 1);
}

__global__ void add_energy(const Body *bodies, float *sum, int n) {
  if (static_cast<int>(threadIdx.x) < n)
    atomicAdd(sum, energy(bodies[threadIdx.x]));  // BUG memory argument_past_end argument_after_free
}
__global__ void fill_rows(Row *rows, int n) {
  if (static_cast<int>(threadIdx.x) < n)
    rows[threadIdx.x] = row_of(1);  // BUG memory result_past_end
}
__global__ void double_halves(__half2 *data, int n) {
  if (static_cast<int>(threadIdx.x) < n)
    data[threadIdx.x] = __hadd2(data[threadIdx.x], data[threadIdx.x]);  // BUG memory half2_past_end half2_misaligned
}
__global__ void double_floats(float *data) {
  data[threadIdx.x] = halved(make_float2(doubled(data[threadIdx.x]), 0), 1).x;
}
__global__ void next_row(Row *rows, bool bug) {
  __shared__ Row tile[2];
  if (threadIdx.x < 2) tile[threadIdx.x] = row_of(static_cast<float>(threadIdx.x));  // BUG race result_without_barrier
  if (!bug) __syncthreads();
  rows[threadIdx.x] = tile[1 - threadIdx.x];  // BUG race result_without_barrier
}

}  // namespace

CASE(argument_past_end) {
  Buffer<Body> bodies(10);
  Buffer<float> sum(1);
  add_energy<<<1, 32>>>(bodies, sum, bug ? 11 : 10);
}
CASE(argument_after_free) {
  Buffer<float> sum(1);
  Body *bodies;
  cudaMalloc(&bodies, 10 * sizeof *bodies);
  cudaMemset(bodies, 0, 10 * sizeof *bodies);
  if (bug) cudaFree(bodies);
  add_energy<<<1, 32>>>(bodies, sum, 10);
  if (!bug) cudaFree(bodies);
}
CASE(result_past_end) {
  Buffer<Row> rows(10);
  fill_rows<<<1, 32>>>(rows, bug ? 11 : 10);
}
CASE(result_without_barrier) {
  Buffer<Row> rows(2);
  next_row<<<1, 2>>>(rows, bug);
}
CASE(half2_past_end) {
  Buffer<__half> data(33);
  double_halves<<<1, 32>>>(reinterpret_cast<__half2 *>(data.data), bug ? 17 : 16);
}
CASE(half2_misaligned) {
  Buffer<__half> data(34);
  double_halves<<<1, 32>>>(reinterpret_cast<__half2 *>(data.data + (bug ? 1 : 0)), 16);
}
CASE(quiet_values) {
  Buffer<float> data(32);
  double_floats<<<1, 32>>>(data);
}

// The program's own copy of std::string is instrumented, and the linker gives it to the checker too.
CASE(race_beside_strings) {
  std::map<std::string, std::string> names;
  std::string name = "a name that is longer than what fits into the object " + std::to_string(bug);
  for (int i = 0; i < 3; ++i) names[name += "+"] = name.substr(2);
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  Buffer<Row> rows(10);
  fill_rows<<<1, 10, 0, a>>>(rows, 10);  // BUG race race_beside_strings
  if (!bug) cudaStreamSynchronize(a);
  fill_rows<<<1, 10, 0, b>>>(rows, 10);  // BUG race race_beside_strings
  cudaDeviceSynchronize();
  for (cudaStream_t stream : {a, b}) cudaStreamDestroy(stream);
  if (names.size() != 3) std::fprintf(stderr, "%zu names\n", names.size());
}

int main(int count, char **arguments) { return run_case(count, arguments); }
