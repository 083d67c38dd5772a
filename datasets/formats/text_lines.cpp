#include "text_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace datasets {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }

/// Parses a number that fills all of `field`, or returns what is wrong. A leading + is common.
template <typename Number>
std::errc parse(std::string_view field, Number& value) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc{} && stop != field.data() + field.size())
    return std::errc::invalid_argument;
  return error;
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string shown(text.substr(0, kShown));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return "'" + shown + (text.size() > kShown ? "...'" : "'");
}

std::optional<std::string_view> TextLines::next() {
  const char* found = nullptr;
  std::size_t searched = begin_;
  while (!(found = static_cast<const char*>(
               std::memchr(buffer_.data() + searched, '\n', end_ - searched)))) {
    const std::size_t pending = end_ - begin_;
    if (!refill()) break;
    searched = begin_ + pending;
  }
  if (!found && begin_ == end_) {
    if (place_.line == 0) place_.refuse("the file is empty.");
    return std::nullopt;
  }
  ++place_.line;
  const char* const start = buffer_.data() + begin_;
  const std::size_t length = found ? static_cast<std::size_t>(found - start) : end_ - begin_;
  begin_ += length + (found ? 1 : 0);
  std::string_view line(start, length);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (std::memchr(line.data(), 0, line.size()))
    place_.refuse("there is a zero byte on this line: this is not a text file.");
  return line;
}

/// Reads more bytes after those not yet returned; false at the end of the file.
bool TextLines::refill() {
  if (exhausted_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    ++place_.line;
    place_.refuse("this line is longer than " + std::to_string(kBuffer) +
                  " bytes: this is not a text file.");
  }
  const std::size_t room = buffer_.size() - end_;
  const std::size_t count = source_.read(buffer_.data() + end_, room);
  exhausted_ = count < room;
  end_ += count;
  return count > 0;
}

std::string_view Fields::next() {
  const auto start = std::find_if_not(rest_.begin(), rest_.end(), is_space);
  const auto stop = std::find_if(start, rest_.end(), is_space);
  const std::string_view field(start, stop);
  rest_ = std::string_view(stop, rest_.end());
  return field;
}

std::string_view Fields::required(const char* what) {
  const std::string_view field = next();
  if (field.empty()) place_.refuse(std::string("the ") + what + " is missing.");
  return field;
}

std::int64_t Fields::integer(const char* what, std::int64_t least) {
  const std::string_view field = required(what);
  std::int64_t value = 0;
  const std::errc error = parse(field, value);
  const std::string subject = std::string("the ") + what + " " + quoted(field);
  if (error == std::errc::result_out_of_range) place_.refuse(subject + " is out of range.");
  if (error != std::errc{}) place_.refuse(subject + " is not a whole number.");
  if (value < least)
    place_.refuse(subject + " is too small: it must be at least " + std::to_string(least) + ".");
  return value;
}

double Fields::weight(bool whole) {
  const std::string_view field = required("weight");
  double value = 0;
  const std::errc error = parse(field, value);
  const std::string subject = "the weight " + quoted(field);
  if (error == std::errc::result_out_of_range) place_.refuse(subject + " is out of range.");
  if (error != std::errc{}) place_.refuse(subject + " is not a number.");
  if (!std::isfinite(value)) place_.refuse(subject + " is not finite.");
  if (value < 0) place_.refuse(subject + " is negative: no shortest path can use it.");
  if (whole && (value != std::floor(value) || value > 9007199254740992.0))
    place_.refuse(subject + " is not a whole number up to 2^53.");
  return value + 0.0;  // -0 becomes 0
}

bool Fields::at_end() {
  rest_ = std::string_view(std::find_if_not(rest_.begin(), rest_.end(), is_space), rest_.end());
  return rest_.empty();
}

void Fields::end() {
  if (!at_end()) place_.refuse("unexpected " + quoted(rest_) + " at the end of this line.");
}

}  // namespace datasets
