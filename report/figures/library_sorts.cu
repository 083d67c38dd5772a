#include "library_sorts.hpp"

#ifdef WARPWISE_GPU

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

namespace figures {
namespace {

struct Less {
  __device__ bool operator()(float a, float b) const { return a < b; }
};

/// The memory that CUB needs: call(nullptr, bytes) gives its size.
template <typename Call>
std::shared_ptr<DeviceBuffer<std::byte>> room_for(const Call& call) {
  std::size_t bytes = 0;
  CUDA_CHECK(call(nullptr, bytes));
  return std::make_shared<DeviceBuffer<std::byte>>(bytes + 1);
}

}  // namespace

std::vector<Sorter> library_sorts(std::size_t n) {
  const auto radix = [n](void* room, std::size_t& bytes, const float* in, float* out) {
    return cub::DeviceRadixSort::SortKeys(room, bytes, in, out, n);
  };
  const auto merge = [n](void* room, std::size_t& bytes, float* keys) {
    return cub::DeviceMergeSort::SortKeys(room, bytes, keys, n, Less{});
  };
  const auto radix_room = room_for(
      [&](void* room, std::size_t& bytes) { return radix(room, bytes, nullptr, nullptr); });
  const auto merge_room =
      room_for([&](void* room, std::size_t& bytes) { return merge(room, bytes, nullptr); });
  return {copying_sorter("CUB radix", n, n,
                         [=](const float* in, float* out) {
                           std::size_t bytes = radix_room->size();
                           CUDA_CHECK(radix(radix_room->data(), bytes, in, out));
                         }),
          in_place_sorter("CUB merge", n, n, [=](float* keys) {
            std::size_t bytes = merge_room->size();
            CUDA_CHECK(merge(merge_room->data(), bytes, keys));
          })};
}

std::vector<Sorter> library_sorts_of_arrays(std::size_t n, std::size_t length) {
  std::vector<int> host;
  for (std::size_t first = 0; first <= n; first += length) host.push_back(static_cast<int>(first));
  const auto offsets = std::make_shared<DeviceBuffer<int>>(std::span<const int>(host));
  const int arrays = static_cast<int>(host.size()) - 1;
  const auto sort = [=](void* room, std::size_t& bytes, const float* in, float* out) {
    return cub::DeviceSegmentedSort::SortKeys(room, bytes, in, out, static_cast<int>(n), arrays,
                                              offsets->data(), offsets->data() + 1);
  };
  const auto room =
      room_for([&](void* room, std::size_t& bytes) { return sort(room, bytes, nullptr, nullptr); });
  return {copying_sorter("CUB segmented", n, length, [=](const float* in, float* out) {
    std::size_t bytes = room->size();
    CUDA_CHECK(sort(room->data(), bytes, in, out));
  })};
}

}  // namespace figures

#else

namespace figures {
std::vector<Sorter> library_sorts(std::size_t) { return {}; }
std::vector<Sorter> library_sorts_of_arrays(std::size_t, std::size_t) { return {}; }
}  // namespace figures

#endif
