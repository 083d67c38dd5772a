// The judge's device memory, as a worker on a GPU maps it.
#include "lent_images.hpp"

#ifdef WARPWISE_GPU
#include "cuda_driver.hpp"

namespace warpwise {
namespace {

CudaDriver::Handle import_from(const Descriptor& memory) {
  const CudaDriver& driver = CudaDriver::instance();
  void* const file = reinterpret_cast<void*>(static_cast<std::intptr_t>(memory.get()));
  CudaDriver::Handle handle = 0;
  driver.require(driver.import_handle(&handle, file, CudaDriver::kFileDescriptor),
                 "import device memory");
  return handle;
}

class GpuImages : public LentImages {
 public:
  GpuImages(const Descriptor& memory, std::uint64_t bytes, std::span<const LentSpan> spans)
      : mapped_(import_from(memory), bytes) {
    for (const LentSpan& span : spans)
      images_.push_back(reinterpret_cast<std::byte*>(mapped_.address() + span.offset));
  }

 private:
  MappedDeviceMemory mapped_;
};

}  // namespace

std::unique_ptr<LentImages> map_device(const Descriptor& memory, std::uint64_t bytes,
                                       std::span<const LentSpan> spans) {
  return std::make_unique<GpuImages>(memory, bytes, spans);
}

}  // namespace warpwise
#endif
