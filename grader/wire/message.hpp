// Messages between judge and worker: plain values one after another, read back in the same order.
// The reader trusts nothing: a message that ends too early or claims too much is a MessageError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace warpwise {

using Bytes = std::vector<std::byte>;

class MessageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class MessageWriter {
 public:
  template <typename T>
  MessageWriter& put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return append(&value, sizeof value);
  }
  /// A block is its length in bytes (64 bits), then the bytes.
  MessageWriter& put_block(std::span<const std::byte> block) {
    put<std::uint64_t>(block.size());
    return append(block.data(), block.size());
  }
  MessageWriter& put_text(const std::string& text) {
    return put_block(std::as_bytes(std::span(text)));
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  MessageWriter& append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
    return *this;
  }
  Bytes bytes_;
};

class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> get_block() { return take(get<std::uint64_t>()); }
  std::string get_text() {
    const auto block = get_block();
    return {reinterpret_cast<const char*>(block.data()), block.size()};
  }

 private:
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > rest_.size()) throw MessageError("a message ends before its content does");
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  std::span<const std::byte> rest_;
};

}  // namespace warpwise
