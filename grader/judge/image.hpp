// A buffer as it travels between judge and worker: its payload between two guards. What comes back
// is checked for what no test should have to check.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "arguments.hpp"
#include "protocol.hpp"

namespace warpwise {

/// By memcmp: buffers of a gigabyte are compared, and a loop over bytes takes ten times as long.
inline bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

/// What lies before and after a payload. It is random, so that a kernel which happens to write what
/// was there before is an event that does not happen.
struct Guards {
  explicit Guards(std::uint64_t seed);

  bool are_around(std::span<const std::byte> image) const;

  std::array<std::byte, kGuardBytes> before, after;
};

/// Fills `image` with guard, payload, guard.
void write_image(std::span<std::byte> image, std::span<const std::byte> payload,
                 const Guards& guards);

/// The payload of an image.
inline std::span<const std::byte> payload_of(std::span<const std::byte> image) {
  return image.subspan(kGuardBytes, image.size() - 2 * kGuardBytes);
}

/// Finds the first byte outside the payload that changed and says where it lies, in elements: a
/// StageFailure that begins with `description`, the call's.
void check_guards(const Argument& argument, const Guards& sent,
                  std::span<const std::byte> returned, const std::string& description);

/// A payload that the contract calls const must have come back as it was.
void check_unchanged(const Argument& argument, std::span<const std::byte> payload,
                     const std::string& description);

}  // namespace warpwise
