// Where a reader's bytes come from: a file, or a .gz file's content, or memory.
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
  /// Up to `size` bytes into `to`; fewer mean that these were the last.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// The bytes of a string that outlives the source: what tests and fuzzers read from.
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

/// Opens a file. Throws InputError if there is none, MachineError if it cannot be read.
std::unique_ptr<ByteSource> open_file(const std::string& path);

/// What gzip compressed into `compressed`, one member or several. `name` is for messages. Throws
/// MachineError where the kit was built without zlib; reading throws InputError on damage.
std::unique_ptr<ByteSource> unzipped(std::unique_ptr<ByteSource> compressed, std::string name);

}  // namespace datasets
