// Memory of the judge's that a worker may work on. The judge makes it, fills it and reads it back
// by itself; the worker gets a file descriptor and maps the same memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace warpwise {

class LentMemory {
 public:
  virtual ~LentMemory() = default;
  virtual std::size_t bytes() const = 0;
  /// What the worker maps. It belongs to this object.
  virtual int descriptor() const = 0;
  /// Writes to the beginning of the memory. The bytes are there when this returns.
  virtual void write(std::span<const std::byte> content) = 0;
  /// Reads from the beginning of the memory.
  virtual void read(std::span<std::byte> content) = 0;
};

/// At least so many bytes of host memory: a file without a name. Nobody can change its size, so a
/// worker cannot make the judge fault. Throws StageFailure `infrastructure error`.
std::unique_ptr<LentMemory> lend_host_memory(std::size_t bytes);

/// At least so many bytes of device memory. On the CPU backend this is host memory, too.
std::unique_ptr<LentMemory> lend_device_memory(std::size_t bytes);

/// Lets the device copy from and to these pages without a detour, as long as the result lives: a
/// third of the time. Null where that cannot be; copies are right then, too.
std::shared_ptr<void> pin(std::span<std::byte> pages);

}  // namespace warpwise
