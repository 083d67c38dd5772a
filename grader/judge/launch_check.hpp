// What a contract says about launches, as far as the CPU backend counts them.
#pragma once

#include <cstdint>
#include <string>

#include "judge.hpp"

namespace warpwise {

/// Ends the test case with `wrong answer` if the call launched fewer threads than `least`; `clause`
/// is the contract's word for it. A GPU does not count: there every call is let through.
inline void require_threads([[maybe_unused]] const Reply& reply,
                            [[maybe_unused]] std::uint64_t least,
                            [[maybe_unused]] const std::string& clause) {
#ifndef WARPWISE_GPU
  const std::uint64_t launched = reply.statistics().threads;
  if (launched < least)
    fail(Verdict::wrong_answer, reply.description() + " launched " + std::to_string(launched) +
                                    " threads; the contract asks for " + clause);
#endif
}

}  // namespace warpwise
