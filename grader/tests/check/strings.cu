// Programs whose host code has std::string, whose functions the linker gives to the checker, too.
#include "case.cuh"

#include <stdexcept>
#include <string>

__global__ void next(int *data, int n) {
  const int i = threadIdx.x;
  if (i < n) data[i] += 1;  // BUG memory past_the_end_beside_strings after_reset_beside_strings seen_after_a_failure
}
// In several forms, so that the compiler makes functions of them.
std::string title(const std::string &name, int n) {
  std::string text = "kernel " + name;
  text += ", " + std::to_string(n) + " elements" + (", " + name) + std::string(" again");
  return "the " + text.substr(1) + ("; " + text.substr(3)) + text;
}
CASE(past_the_end_beside_strings) {
  Buffer<int> data(32);
  const std::string name = title("increment", 32);
  next<<<1, 64>>>(data, bug ? 33 : 32);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && name.size() > 32);
}
CASE(after_reset_beside_strings) {
  int *data, *other;
  cudaMalloc(&data, 128);
  cudaMemset(data, 0, 128);
  try {
    next<<<1, 2048>>>(data, 32);
    if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("first: " + title("increment", 32));
  } catch (const std::exception &) {
    if (bug) cudaDeviceReset();
  }
  next<<<1, 32>>>(data, 32);
  cudaMalloc(&other, 128);
  cudaFree(other);
  if (!bug) cudaFree(data);
}
// The runtime's own reports.
__global__ void waits(int *data, bool bug) {
  if (bug && threadIdx.x < 16) __syncthreads();  // BUG barrier two_barriers_beside_strings
  else __syncthreads();  // BUG barrier two_barriers_beside_strings
  data[threadIdx.x] = 1;
}
CASE(two_barriers_beside_strings) {
  Buffer<int> data(32);
  const std::string name = title("waits", 32);
  waits<<<1, 32>>>(data, bug);
  EXPECT(name.size() > 32);
}
// A launch that failed does not close the checker's eyes.
CASE(seen_after_a_failure) {
  int *before;
  cudaMalloc(&before, 128);
  const std::string name = title("two", 2);
  waits<<<1, 32>>>(before, bug);
  if (bug && cudaDeviceSynchronize() != cudaSuccess) cudaDeviceReset();
  else cudaFree(before);
  int *data;
  cudaMalloc(&data, 128);
  cudaMemset(data, 0, 128);
  next<<<1, 64>>>(data, bug ? 33 : 32);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && name.size() > 8);
  cudaFree(data);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
