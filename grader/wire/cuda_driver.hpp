// The few functions of the CUDA driver with which memory is handed from one process to another.
// They are looked up at run time, so that the judge builds without CUDA's toolkit. Types and
// constants are those of cuda.h since CUDA 11.2, where they belong to the driver's binary
// interface.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace warpwise {

class CudaDriverError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class CudaDriver {
 public:
  using Address = unsigned long long;
  using Handle = unsigned long long;
  using Context = struct OpaqueContext*;
  struct Location {
    int type = 1, device = 0;  // 1: CU_MEM_LOCATION_TYPE_DEVICE
  };
  struct Properties {
    int type = 1;          // CU_MEM_ALLOCATION_TYPE_PINNED
    int handle_types = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    Location location;
    void* win32 = nullptr;
    unsigned char flags[8] = {};
  };
  struct Access {
    Location location;
    int flags = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
  };
  static constexpr int kFileDescriptor = 1;

  /// The driver of this process, ready for use. Throws CudaDriverError.
  static const CudaDriver& instance() {
    static const CudaDriver driver;
    return driver;
  }
  /// Throws CudaDriverError, with the driver's words, if `result` is no success.
  void require(int result, const char* what) const {
    if (result == 0) return;
    const char* words = nullptr;
    error_string(result, &words);
    throw CudaDriverError(std::string("cannot ") + what + ": " +
                          (words ? words : "unknown error " + std::to_string(result)));
  }

  int (*init)(unsigned) = nullptr;
  int (*error_string)(int, const char**) = nullptr;
  int (*retain_context)(Context*, int) = nullptr;
  int (*set_context)(Context) = nullptr;
  int (*synchronize)() = nullptr;
  int (*granularity)(std::size_t*, const Properties*, int) = nullptr;
  int (*create)(Handle*, std::size_t, const Properties*, unsigned long long) = nullptr;
  int (*release)(Handle) = nullptr;
  int (*export_handle)(void*, Handle, int, unsigned long long) = nullptr;
  int (*import_handle)(Handle*, void*, int) = nullptr;
  int (*reserve)(Address*, std::size_t, std::size_t, Address, unsigned long long) = nullptr;
  int (*unreserve)(Address, std::size_t) = nullptr;
  int (*map)(Address, std::size_t, std::size_t, Handle, unsigned long long) = nullptr;
  int (*unmap)(Address, std::size_t) = nullptr;
  int (*set_access)(Address, std::size_t, const Access*, std::size_t) = nullptr;
  int (*copy_to_device)(Address, const void*, std::size_t) = nullptr;
  int (*copy_to_host)(void*, Address, std::size_t) = nullptr;
  int (*pin_host)(void*, std::size_t, unsigned) = nullptr;
  int (*unpin_host)(void*) = nullptr;

 private:
  CudaDriver() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) throw CudaDriverError("there is no CUDA driver: libcuda.so.1 does not load");
    const auto find = [library](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          dlsym(library, name));
      if (!function) throw CudaDriverError(std::string("the CUDA driver has no ") + name);
    };
    find(init, "cuInit");
    find(error_string, "cuGetErrorString");
    find(retain_context, "cuDevicePrimaryCtxRetain");
    find(set_context, "cuCtxSetCurrent");
    find(synchronize, "cuCtxSynchronize");
    find(granularity, "cuMemGetAllocationGranularity");
    find(create, "cuMemCreate");
    find(release, "cuMemRelease");
    find(export_handle, "cuMemExportToShareableHandle");
    find(import_handle, "cuMemImportFromShareableHandle");
    find(reserve, "cuMemAddressReserve");
    find(unreserve, "cuMemAddressFree");
    find(map, "cuMemMap");
    find(unmap, "cuMemUnmap");
    find(set_access, "cuMemSetAccess");
    find(copy_to_device, "cuMemcpyHtoD_v2");
    find(copy_to_host, "cuMemcpyDtoH_v2");
    find(pin_host, "cuMemHostRegister_v2");
    find(unpin_host, "cuMemHostUnregister");
    require(init(0), "use the CUDA driver");
  }
};

/// Device memory of a handle, mapped into this process. Takes the handle over.
class MappedDeviceMemory {
 public:
  MappedDeviceMemory(CudaDriver::Handle handle, std::size_t bytes)
      : handle_(handle), bytes_(bytes) {
    const CudaDriver& driver = CudaDriver::instance();
    try {
      driver.require(driver.reserve(&address_, bytes_, 0, 0, 0), "reserve device addresses");
      driver.require(driver.map(address_, bytes_, 0, handle_, 0), "map device memory");
      mapped_ = true;
      const CudaDriver::Access access;
      driver.require(driver.set_access(address_, bytes_, &access, 1), "open device memory");
    } catch (...) {
      leave();
      throw;
    }
  }
  ~MappedDeviceMemory() { leave(); }
  MappedDeviceMemory(const MappedDeviceMemory&) = delete;
  MappedDeviceMemory& operator=(const MappedDeviceMemory&) = delete;

  CudaDriver::Address address() const { return address_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void leave() noexcept {
    const CudaDriver& driver = CudaDriver::instance();
    if (mapped_) driver.unmap(address_, bytes_);
    if (address_) driver.unreserve(address_, bytes_);
    driver.release(handle_);
  }
  CudaDriver::Handle handle_;
  std::size_t bytes_;
  CudaDriver::Address address_ = 0;
  bool mapped_ = false;
};

}  // namespace warpwise
