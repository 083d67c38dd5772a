#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "descriptor.hpp"
#include "lent_memory.hpp"
#include "verdict.hpp"

namespace warpwise {
namespace {

[[noreturn]] void cannot_lend(const char* what) {
  throw StageFailure(Verdict::infrastructure_error,
                     std::string("cannot ") + what + " memory for a call: " + strerror(errno));
}

class LentFile : public LentMemory {
 public:
  explicit LentFile(std::size_t bytes)
      : bytes_(bytes), file_(memfd_create("buffers", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if (!file_ || ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) cannot_lend("make");
    if (fcntl(file_.get(), F_ADD_SEALS, kSeals) != 0) cannot_lend("seal");
    void* const mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (mapped == MAP_FAILED) cannot_lend("map");
    data_ = static_cast<std::byte*>(mapped);
  }
  ~LentFile() override {
    if (data_) munmap(data_, bytes_);
  }
  LentFile(const LentFile&) = delete;
  LentFile& operator=(const LentFile&) = delete;

  std::size_t bytes() const override { return bytes_; }
  int descriptor() const override { return file_.get(); }
  void write(std::span<const std::byte> content) override {
    std::memcpy(data_, content.data(), content.size());
  }
  void read(std::span<std::byte> content) override {
    std::memcpy(content.data(), data_, content.size());
  }

 private:
  std::size_t bytes_;
  Descriptor file_;
  std::byte* data_ = nullptr;
};

}  // namespace

std::unique_ptr<LentMemory> lend_host_memory(std::size_t bytes) {
  return std::make_unique<LentFile>(bytes);
}

#ifndef WARPWISE_GPU
std::unique_ptr<LentMemory> lend_device_memory(std::size_t bytes) {
  return lend_host_memory(bytes);
}

std::shared_ptr<void> pin(std::span<std::byte>) { return nullptr; }
#endif

}  // namespace warpwise
