// A file that appears complete or not at all: it is written under another name, then renamed.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace datasets {

/// Throws InputError if `path` may not be written: it exists and `force` is false, or it is not a
/// regular file, or its folder is missing.
void check_writable(const std::string& path, bool force);

/// For a signal handler: removes the file that is being written.
void remove_unfinished_file() noexcept;

/// If `zipped`, the content is compressed by gzip, to the same bytes each time. Every function
/// throws MachineError if the disk is full or broken. Then nothing is left behind, and a file that
/// was at `path` before is unchanged.
class OutputFile {
 public:
  OutputFile(const std::string& path, bool zipped);
  ~OutputFile();  // without commit(): removes what was written
  OutputFile(const OutputFile&) = delete;

  void write(const void* data, std::size_t size) {
    if (buffer_.size() + size > kBuffer) flush();
    const char* const bytes = static_cast<const char*>(data);
    if (size >= kBuffer) return put(bytes, size);
    buffer_.insert(buffer_.end(), bytes, bytes + size);
  }
  OutputFile& operator<<(std::string_view text) {
    write(text.data(), text.size());
    return *this;
  }
  OutputFile& operator<<(char c) {
    write(&c, 1);
    return *this;
  }
  /// The shortest text that reads back as the same number.
  template <typename Number>
  requires std::integral<Number> || std::floating_point<Number> OutputFile& operator<<(
      Number value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    write(text, static_cast<std::size_t>(end - text));
    return *this;
  }

  /// The file is complete: gives it its name.
  void commit();

 private:
  static constexpr std::size_t kBuffer = 1 << 18;
  struct Zipper;

  void flush();
  void put(const char* data, std::size_t size);      // through the zipper, if there is one
  void put_raw(const char* data, std::size_t size);  // to the file
  [[noreturn]] void fail() const;

  std::string path_;
  std::string temporary_;
  int handle_ = -1;
  std::vector<char> buffer_;
  std::unique_ptr<Zipper> zipper_;
};

}  // namespace datasets
