// cudaArray: rows of elements, one after another, in device memory that no pointer of the program
// leads to: kernels reach it only through texture and surface objects, host code by copies.
#pragma once

#include <cstddef>
#include <memory>

#include "cuda_runtime.h"

namespace cuda_on_cpu {
struct ReleaseArray {
  void operator()(char *memory) const;
};
}  // namespace cuda_on_cpu

struct cudaArray {
  cudaChannelFormatDesc channels;
  cudaExtent extent;  // as requested: 0 for missing dimensions
  unsigned flags;
  std::size_t element_bytes;
  std::unique_ptr<char, cuda_on_cpu::ReleaseArray> memory;
};

namespace cuda_on_cpu {

inline std::size_t at_least_one(std::size_t extent) { return extent ? extent : 1; }
inline std::size_t element_bytes(const cudaChannelFormatDesc &channels) {
  return static_cast<std::size_t>(channels.x + channels.y + channels.z + channels.w) / 8;
}
inline std::size_t row_bytes(const cudaArray &array) {
  return array.extent.width * array.element_bytes;
}
bool is_array(cudaArray_const_t array);

// While it exists, copies and fills are those of the call at this place in the program.
struct CopyingFor {
  explicit CopyingFor(const void *caller);
  ~CopyingFor();
  CopyingFor(const CopyingFor &) = delete;
  CopyingFor &operator=(const CopyingFor &) = delete;
};
// That place, or `otherwise`, where no such call is known.
const void *copying_for(const void *otherwise = nullptr);

// Copies with the checks of cudaMemcpy.
cudaError_t copy_checked(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t fill_checked(void *to, int value, std::size_t bytes);

}  // namespace cuda_on_cpu
