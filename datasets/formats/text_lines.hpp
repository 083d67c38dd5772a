// Reads a text file line by line, and a line field by field.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byte_source.hpp"
#include "errors.hpp"

namespace datasets {

/// Returns lines without their end, "\n" or "\r\n". Refuses, with InputError, what is not text: an
/// empty file, a zero byte, a line that is too long.
class TextLines {
 public:
  TextLines(ByteSource& source, std::string name)
      : place_{std::move(name), 0}, source_(source), buffer_(kBuffer) {}

  /// The next line, valid until the next call, or nothing at the end of the file.
  std::optional<std::string_view> next();

  /// The line that was returned last, for messages.
  const Place& place() const { return place_; }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 18;  // the longest line

  bool refill();

  Place place_;
  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // buffer_[begin_ .. end_) has not been returned yet
  std::size_t end_ = 0;
  bool exhausted_ = false;
};

/// The fields of one line, separated by spaces and tabs.
class Fields {
 public:
  Fields(std::string_view line, const Place& place) : rest_(line), place_(place) {}

  /// The next field, empty at the line's end.
  std::string_view next();
  /// The next field as a whole number of at least `least`. `what` names it in messages.
  std::int64_t integer(const char* what, std::int64_t least);
  /// The next field as a weight: a finite number that is not negative; `whole` forbids fractions.
  double weight(bool whole);
  /// Refuses the line if anything is left on it.
  void end();
  bool at_end();

 private:
  std::string_view required(const char* what);

  std::string_view rest_;
  const Place& place_;
};

/// Text from a file for a message: at most 40 characters, with a question mark for each one that
/// cannot be printed.
std::string quoted(std::string_view text);

}  // namespace datasets
