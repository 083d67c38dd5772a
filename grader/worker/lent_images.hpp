// Buffers in memory that the judge has lent: the worker maps it by a descriptor, and hands out
// pointers into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "descriptor.hpp"

namespace warpwise {

/// Where an image lies in a region.
struct LentSpan {
  std::uint64_t offset, bytes;
};

/// Where the images came to lie. The memory is unmapped when this object ends.
class LentImages {
 public:
  virtual ~LentImages() = default;
  std::byte* at(std::size_t index) const { return images_.at(index); }

 protected:
  std::vector<std::byte*> images_;
};

/// Buffers on the host that CUDA knows while this object lives.
class PinnedBuffers {
 public:
  PinnedBuffers() = default;
  PinnedBuffers(PinnedBuffers&&) = default;
  ~PinnedBuffers();
  void add(std::byte* buffer, std::size_t bytes);

 private:
  std::vector<std::byte*> buffers_;
};

std::unique_ptr<LentImages> map_host(const Descriptor& memory, std::span<const LentSpan> spans);
/// `bytes` is the size of the whole region.
std::unique_ptr<LentImages> map_device(const Descriptor& memory, std::uint64_t bytes,
                                       std::span<const LentSpan> spans);

}  // namespace warpwise
