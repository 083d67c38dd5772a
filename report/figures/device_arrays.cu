#include "device_arrays.hpp"

#include <algorithm>
#include <type_traits>

#include "counter_random.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"

namespace figures {
namespace {

constexpr int kBlock = 256;
constexpr std::size_t kMostBlocks = 1 << 14;  // their threads stride over the array

int blocks_for(std::size_t n) {
  return static_cast<int>(std::min(kMostBlocks, (n + kBlock - 1) / kBlock));
}
__device__ std::size_t first_place() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::size_t stride() { return static_cast<std::size_t>(gridDim.x) * blockDim.x; }

__device__ std::uint64_t bits_of(float key) { return static_cast<unsigned>(__float_as_int(key)); }
__device__ std::uint64_t bits_of(int key) { return static_cast<unsigned>(key); }
__device__ std::uint64_t bits_of(double key) {
  return static_cast<std::uint64_t>(__double_as_longlong(key));
}

__global__ void shuffle_keys(datasets::Scramble order, float* keys, std::size_t n) {
  for (std::size_t i = first_place(); i < n; i += stride()) {
    const int middle = static_cast<int>(n / 2);
    keys[i] = static_cast<float>(order(static_cast<int>(i)) - middle) * 0.25f;
  }
}

__global__ void shuffle_values(datasets::Scramble order, int* values, std::size_t n) {
  for (std::size_t i = first_place(); i < n; i += stride())
    values[i] = order(static_cast<int>(i));
}

template <typename Key>
__global__ void digest_keys(const Key* keys, std::size_t n, std::size_t length, bool ascending,
                            unsigned long long* sum, unsigned long long* wrong) {
  unsigned long long my_sum = 0, my_wrong = 0;
  for (std::size_t i = first_place(); i < n; i += stride()) {
    my_sum += datasets::mixed(bits_of(keys[i]) + (i / length + 1) * 0x9E3779B97F4A7C15u);
    if (i % length == 0) continue;
    my_wrong += ascending ? !(keys[i - 1] <= keys[i]) : !(keys[i - 1] >= keys[i]);
  }
  atomicAdd(sum, my_sum);
  if (my_wrong) atomicAdd(wrong, my_wrong);
}

template <typename T>
__global__ void compare(const T* a, const T* b, std::size_t n, unsigned long long* different) {
  unsigned long long mine = 0;
  for (std::size_t i = first_place(); i < n; i += stride()) mine += bits_of(a[i]) != bits_of(b[i]);
  if (mine) atomicAdd(different, mine);
}

template <typename T>
__global__ void take_from(const T* from, const int* place, std::size_t n, T* to) {
  for (std::size_t i = first_place(); i < n; i += stride()) to[i] = from[place[i]];
}

__global__ void convert(const float* from, std::size_t n, double* to) {
  for (std::size_t i = first_place(); i < n; i += stride()) to[i] = from[i];
}

}  // namespace

void fill_shuffled(float* keys, std::size_t n, std::uint64_t seed) {
  if (n == 0) return;
  const datasets::Scramble order(static_cast<std::uint32_t>(n), datasets::random_stream(seed, 1));
  shuffle_keys<<<blocks_for(n), kBlock>>>(order, keys, n);
  CUDA_CHECK_LAUNCH();
}

void fill_shuffled(int* values, std::size_t n, std::uint64_t seed) {
  if (n == 0) return;
  const datasets::Scramble order(static_cast<std::uint32_t>(n), datasets::random_stream(seed, 2));
  shuffle_values<<<blocks_for(n), kBlock>>>(order, values, n);
  CUDA_CHECK_LAUNCH();
}

template <typename Key>
Digest digest(const Key* keys, std::size_t n, std::size_t length, bool ascending) {
  unsigned long long host[2] = {0, 0};
  kit::DeviceBuffer<unsigned long long> counts{std::span<const unsigned long long>(host)};
  if (n > 0)
    digest_keys<<<blocks_for(n), kBlock>>>(keys, n, length, ascending, counts.data(),
                                           counts.data() + 1);
  CUDA_CHECK_LAUNCH();
  counts.copy_to(std::span(host));
  return {host[0], host[1]};
}

template <typename T>
std::size_t count_differences(const T* a, const T* b, std::size_t n) {
  unsigned long long host[1] = {0};
  kit::DeviceBuffer<unsigned long long> count{std::span<const unsigned long long>(host)};
  if (n > 0) compare<<<blocks_for(n), kBlock>>>(a, b, n, count.data());
  CUDA_CHECK_LAUNCH();
  count.copy_to(std::span(host));
  return host[0];
}

template <typename T>
void gather(const T* from, const int* place, std::size_t n, T* to) {
  if (n > 0) take_from<<<blocks_for(n), kBlock>>>(from, place, n, to);
  CUDA_CHECK_LAUNCH();
}

void widen(const float* from, std::size_t n, double* to) {
  if (n > 0) convert<<<blocks_for(n), kBlock>>>(from, n, to);
  CUDA_CHECK_LAUNCH();
}

template Digest digest(const float*, std::size_t, std::size_t, bool);
template Digest digest(const int*, std::size_t, std::size_t, bool);
template std::size_t count_differences(const float*, const float*, std::size_t);
template std::size_t count_differences(const double*, const double*, std::size_t);
template std::size_t count_differences(const int*, const int*, std::size_t);
template void gather(const float*, const int*, std::size_t, float*);
template void gather(const double*, const int*, std::size_t, double*);
template void gather(const int*, const int*, std::size_t, int*);

}  // namespace figures
