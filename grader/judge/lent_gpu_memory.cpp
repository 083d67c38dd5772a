// Device memory on a GPU that the judge makes, and exports to the worker as a file descriptor.
#include "lent_memory.hpp"

#ifdef WARPWISE_GPU
#include <cstdlib>
#include <optional>

#include "cuda_driver.hpp"
#include "descriptor.hpp"
#include "verdict.hpp"

namespace warpwise {
namespace {

/// The device's own context, current in the calling thread.
const CudaDriver& driver_in_context() {
  static const int one_queue = setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);  // see kQueues
  static_cast<void>(one_queue);
  const CudaDriver& driver = CudaDriver::instance();
  static const CudaDriver::Context context = [&driver] {
    CudaDriver::Context made = nullptr;
    driver.require(driver.retain_context(&made, 0), "use the GPU");
    return made;
  }();
  driver.require(driver.set_context(context), "use the GPU");
  return driver;
}

/// What fails here is the machine's fault: no answer of a worker is asked for.
template <typename Work>
void on_the_gpu(const Work& work) {
  try {
    work(driver_in_context());
  } catch (const CudaDriverError& error) {
    throw StageFailure(Verdict::infrastructure_error, error.what());
  }
}

class LentGpuMemory : public LentMemory {
 public:
  explicit LentGpuMemory(std::size_t wanted) {
    on_the_gpu([&](const CudaDriver& driver) {
      const CudaDriver::Properties properties;
      std::size_t unit = 0;
      driver.require(driver.granularity(&unit, &properties, 0), "ask for the size of a page");
      const std::size_t bytes = (wanted + unit - 1) / unit * unit;
      CudaDriver::Handle handle = 0;
      driver.require(driver.create(&handle, bytes, &properties, 0), "make device memory");
      memory_.emplace(handle, bytes);
      int file = -1;
      driver.require(driver.export_handle(&file, handle, CudaDriver::kFileDescriptor, 0),
                     "export device memory");
      file_ = Descriptor(file);
    });
  }
  std::size_t bytes() const override { return memory_->bytes(); }
  int descriptor() const override { return file_.get(); }
  void write(std::span<const std::byte> content) override {
    on_the_gpu([&](const CudaDriver& driver) {
      driver.require(driver.copy_to_device(memory_->address(), content.data(), content.size()),
                     "write to device memory");
      // a copy may still be on its way
      driver.require(driver.synchronize(), "write to device memory");
    });
  }
  void read(std::span<std::byte> content) override {
    on_the_gpu([&](const CudaDriver& driver) {
      driver.require(driver.copy_to_host(content.data(), memory_->address(), content.size()),
                     "read from device memory");
    });
  }

 private:
  std::optional<MappedDeviceMemory> memory_;
  Descriptor file_;
};

}  // namespace

std::unique_ptr<LentMemory> lend_device_memory(std::size_t bytes) {
  return std::make_unique<LentGpuMemory>(bytes);
}

std::shared_ptr<void> pin(std::span<std::byte> pages) {
  bool pinned = false;
  on_the_gpu([&](const CudaDriver& driver) {
    pinned = driver.pin_host(pages.data(), pages.size(), 0) == 0;
  });
  if (!pinned) return nullptr;
  return {pages.data(), [](void* first) { CudaDriver::instance().unpin_host(first); }};
}

}  // namespace warpwise
#endif
