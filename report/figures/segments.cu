// On a GPU the toolkit's radix sort does the sorting, so the figure shows the least that such a
// preparation has to cost. The CPU backend has no such sort, so there the host sorts.
#include "segments.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <vector>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#ifdef WARPWISE_GPU
#include <cub/device/device_radix_sort.cuh>
#endif

namespace figures {
namespace {

constexpr int kBlock = 256;

__global__ void name_groups(const int* start, const int* end, int edges, int segment, int segments,
                            unsigned* group, int* place) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  group[e] = static_cast<unsigned>(end[e] / segment) * segments + start[e] / segment;
  place[e] = e;
}

}  // namespace

void order_by_segments(const int* start, const int* end, int edges, int n, int segment,
                       int* place) {
  if (edges == 0) return;
  const int segments = kit::ceil_div(n, segment);
  kit::DeviceBuffer<unsigned> group(edges);
  kit::DeviceBuffer<int> unsorted(edges);
  name_groups<<<kit::ceil_div(edges, kBlock), kBlock>>>(start, end, edges, segment, segments,
                                                        group.data(), unsorted.data());
  CUDA_CHECK_LAUNCH();
#ifdef WARPWISE_GPU
  const int bits = 2 * std::bit_width(static_cast<unsigned>(segments));
  kit::DeviceBuffer<unsigned> sorted_group(edges);
  std::size_t bytes = 0;
  const auto sort = [&](void* room) {
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(room, bytes, group.data(), sorted_group.data(),
                                               unsorted.data(), place, edges, 0,
                                               std::min(bits, 32)));
  };
  sort(nullptr);
  const kit::DeviceBuffer<std::byte> room(bytes);
  sort(room.data());
  CUDA_CHECK(cudaDeviceSynchronize());  // before `room` is freed
#else
  std::vector<unsigned> key(edges);
  std::vector<int> order(edges);
  group.copy_to(key);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int e) { return key[e]; });
  CUDA_CHECK(cudaMemcpy(place, order.data(), edges * sizeof(int), cudaMemcpyHostToDevice));
#endif
}

}  // namespace figures
