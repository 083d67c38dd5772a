#include "image.hpp"

#include <algorithm>

#include "seal.hpp"

namespace warpwise {
namespace {

std::string elements(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

}  // namespace

// A call has many buffers, most of them small: to set up a generator with a state, as of <random>,
// takes longer than to copy what is in them.
Guards::Guards(std::uint64_t seed) {
  std::uint64_t number = 0;
  for (auto* const guard : {&before, &after})
    for (std::size_t i = 0; i < kGuardBytes; i += sizeof number) {
      const std::uint64_t word = key_word(seed, 0, number++);
      std::memcpy(guard->data() + i, &word, sizeof word);
    }
}

bool Guards::are_around(std::span<const std::byte> image) const {
  return same_bytes(before, image.first(kGuardBytes)) && same_bytes(after, image.last(kGuardBytes));
}

void write_image(std::span<std::byte> image, std::span<const std::byte> payload,
                 const Guards& guards) {
  std::memcpy(image.data(), guards.before.data(), kGuardBytes);
  if (!payload.empty()) std::memcpy(image.data() + kGuardBytes, payload.data(), payload.size());
  std::memcpy(image.data() + image.size() - kGuardBytes, guards.after.data(), kGuardBytes);
}

void check_guards(const Argument& argument, const Guards& sent,
                  std::span<const std::byte> returned, const std::string& description) {
  const std::size_t size = payload_of(returned).size();
  const std::size_t element = argument.element_bytes;
  const auto require_same = [&](const auto& guard, std::size_t place, const auto& index_at) {
    const auto found = returned.subspan(place, kGuardBytes);
    if (same_bytes(guard, found)) return;
    const auto changed = std::ranges::mismatch(guard, found).in1;
    const auto at = static_cast<std::size_t>(changed - guard.begin());
    fail(Verdict::wrote_outside, description + " wrote outside its buffer: " + argument.name + "[" +
                                     index_at(at) + "], but " + argument.name + " has " +
                                     elements(size / element));
  };
  require_same(sent.before, 0, [element](std::size_t at) {
    return "-" + std::to_string((kGuardBytes - at + element - 1) / element);
  });
  require_same(sent.after, kGuardBytes + size, [size, element](std::size_t at) {
    return std::to_string((size + at) / element);
  });
}

void check_unchanged(const Argument& argument, std::span<const std::byte> payload,
                     const std::string& description) {
  if (same_bytes(payload, argument.content())) return;
  const auto changed = std::mismatch(payload.begin(), payload.end(), argument.content().begin());
  const auto index = (changed.first - payload.begin()) / std::ptrdiff_t(argument.element_bytes);
  const bool on_host = argument.access == Argument::Access::host;
  fail(Verdict::wrote_outside,
       description + " changed " + (on_host ? "host memory: " : "its input: ") + argument.name +
           "[" + std::to_string(index) + "] is not what it was, and the contract says " +
           (on_host ? "to leave it alone" : "const"));
}

}  // namespace warpwise
