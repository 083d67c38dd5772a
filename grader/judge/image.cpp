#include "image.hpp"

#include <algorithm>
#include <random>

namespace warpwise {
namespace {

std::string elements(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

}  // namespace

Bytes make_image(const Bytes& payload, std::uint64_t seed) {
  Bytes image(payload.size() + 2 * kGuardBytes);
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < kGuardBytes; ++i) {
    image[i] = static_cast<std::byte>(random());
    image[image.size() - 1 - i] = static_cast<std::byte>(random());
  }
  std::copy(payload.begin(), payload.end(), image.begin() + kGuardBytes);
  return image;
}

void check_guards(const Argument& argument, const Bytes& sent, std::span<const std::byte> returned,
                  const std::string& description) {
  const std::size_t size = argument.content().size();
  const std::size_t element = argument.element_bytes;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (i == kGuardBytes) i += size;  // the payload is the test's to judge
    if (sent[i] == returned[i]) continue;
    const bool before = i < kGuardBytes;
    const std::string index = before
                                  ? "-" + std::to_string((kGuardBytes - i + element - 1) / element)
                                  : std::to_string((i - kGuardBytes) / element);
    fail(Verdict::wrote_outside, description + " wrote outside its buffer: " + argument.name + "[" +
                                     index + "], but " + argument.name + " has " +
                                     elements(size / element));
  }
}

void check_unchanged(const Argument& argument, std::span<const std::byte> payload,
                     const std::string& description) {
  const auto changed = std::mismatch(payload.begin(), payload.end(), argument.content().begin());
  if (changed.first == payload.end()) return;
  const auto index = (changed.first - payload.begin()) / std::ptrdiff_t(argument.element_bytes);
  const bool on_host = argument.access == Argument::Access::host;
  fail(Verdict::wrote_outside,
       description + " changed " + (on_host ? "host memory: " : "its input: ") + argument.name +
           "[" + std::to_string(index) + "] is not what it was, and the contract says " +
           (on_host ? "to leave it alone" : "const"));
}

}  // namespace warpwise
