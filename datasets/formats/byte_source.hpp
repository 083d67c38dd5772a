// Where a reader's bytes come from: a file, the content of a .gz file, or memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace datasets {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads up to `size` bytes into `to`. Fewer mean that these were the last.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// The bytes of a string, which must outlive the source. Tests and fuzzers read from it.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : rest_(bytes) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, rest_.size());
    if (count > 0) std::memcpy(to, rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

/// Opens a file. Throws InputError if it does not exist, MachineError if it cannot be read.
std::unique_ptr<ByteSource> open_file(const std::string& path);

/// The content that gzip compressed into `compressed`, one member or several. `name` is for
/// messages. Throws MachineError if the kit was built without zlib; reading throws InputError on
/// damage.
std::unique_ptr<ByteSource> unzipped(std::unique_ptr<ByteSource> compressed, std::string name);

}  // namespace datasets
