// What the judge has lent and staged, until a run; and how what it has sealed is opened.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "entry_table.hpp"
#include "lent_images.hpp"
#include "protocol.hpp"
#include "seal.hpp"
#include "worker_backend.hpp"

namespace warpwise {

/// One staged call: where its arguments point to, and its plain values. A value's bytes stay where
/// they are when the slot or its vector moves.
struct Slot {
  const Entry* entry = nullptr;
  std::vector<std::unique_ptr<Bytes>> values;
  std::vector<StagedArgument> arguments;
  // What is opened when the clock runs, if the judge sealed the call: content and plain values.
  std::vector<SealedBuffer> sealed_buffers;
  std::vector<std::pair<std::uint64_t, Bytes*>> sealed_values;
};

/// A region that the judge has lent.
struct Region {
  std::unique_ptr<LentImages> images;
  std::vector<LentSpan> spans;

  std::byte* payload(std::uint32_t index) const { return images->at(index) + kGuardBytes; }
  std::uint64_t payload_bytes(std::uint32_t index) const {
    return spans.at(index).bytes - 2 * kGuardBytes;
  }
};

/// Opens the inputs of sealed calls: the first thing that a timed run does.
class Opener {
 public:
  void open(const std::vector<Slot*>& slots, std::uint64_t key) {
    std::vector<SealedBuffer> buffers;
    std::uint64_t largest = 0;
    for (Slot* const slot : slots) {
      for (const auto& [number, value] : slot->sealed_values) seal(*value, key, number);
      for (const SealedBuffer& buffer : slot->sealed_buffers) {
        buffers.push_back(buffer);
        largest = std::max(largest, buffer.bytes);
      }
    }
    if (buffers.size() > descriptors_.size())  // the rehearsal's request came first: not timed
      descriptors_ = kit::DeviceBuffer<SealedBuffer>(buffers.size());
    descriptors_.copy_from(buffers);
    open_sealed(descriptors_.data(), static_cast<std::uint32_t>(buffers.size()), largest, key);
    CUDA_CHECK(cudaDeviceSynchronize());
  }

 private:
  kit::DeviceBuffer<SealedBuffer> descriptors_;
};

}  // namespace warpwise
