// A buffer as it travels between judge and worker: its payload between two guards. What comes back
// is checked for what no test should have to check.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "arguments.hpp"

namespace warpwise {

/// Guard, payload, guard. The guards are random, so that a kernel which happens to write what was
/// there before is an event that does not happen.
Bytes make_image(const Bytes& payload, std::uint64_t seed);

/// Finds the first byte outside the payload that changed and says where it lies, in elements: a
/// StageFailure that begins with `description`, the call's.
void check_guards(const Argument& argument, const Bytes& sent, std::span<const std::byte> returned,
                  const std::string& description);

/// A payload that the contract calls const must have come back as it was.
void check_unchanged(const Argument& argument, std::span<const std::byte> payload,
                     const std::string& description);

}  // namespace warpwise
