#include "lent_images.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "cuda_check.hpp"
#ifndef WARPWISE_GPU
#include "cuda_on_cpu/control.hpp"
#endif

namespace warpwise {
namespace {

class HostImages : public LentImages {
 public:
  HostImages(int file, std::span<const LentSpan> spans)
      : bytes_(spans.back().offset + spans.back().bytes),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)) {
    if (memory_ == MAP_FAILED)
      throw std::system_error(errno, std::generic_category(), "mapping lent memory");
    for (const LentSpan& span : spans)
      images_.push_back(static_cast<std::byte*>(memory_) + span.offset);
  }
  ~HostImages() override { munmap(memory_, bytes_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

#ifndef WARPWISE_GPU
class DeviceImages : public LentImages {
 public:
  DeviceImages(int file, std::span<const LentSpan> spans) {
    std::vector<cuda_on_cpu::LentSpan> wanted;
    for (const LentSpan& span : spans) wanted.push_back({span.offset, span.bytes});
    for (void* const image : cuda_on_cpu::adopt_device_memory(file, wanted))
      images_.push_back(static_cast<std::byte*>(image));
    if (images_.size() != spans.size()) throw std::bad_alloc();
  }
  ~DeviceImages() override { cuda_on_cpu::abandon_device_memory({images_.begin(), images_.end()}); }
};
#endif

}  // namespace

PinnedBuffers::~PinnedBuffers() {
  for (std::byte* const buffer : buffers_) CUDA_CHECK_NOEXCEPT(cudaHostUnregister(buffer));
}

void PinnedBuffers::add(std::byte* buffer, std::size_t bytes) {
  CUDA_CHECK(cudaHostRegister(buffer, bytes, cudaHostRegisterDefault));
  buffers_.push_back(buffer);
}

std::unique_ptr<LentImages> map_host(const Descriptor& memory, std::span<const LentSpan> spans) {
  return std::make_unique<HostImages>(memory.get(), spans);
}

#ifndef WARPWISE_GPU
std::unique_ptr<LentImages> map_device(const Descriptor& memory, std::uint64_t,
                                       std::span<const LentSpan> spans) {
  return std::make_unique<DeviceImages>(memory.get(), spans);
}
#endif

}  // namespace warpwise
