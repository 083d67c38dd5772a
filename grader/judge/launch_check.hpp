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
  // Counted under the checker only. Threads that stand idle while another works are not enough.
  const std::uint64_t accesses = reply.statistics().accesses;
  const std::uint64_t longest = reply.statistics().longest_share;
  constexpr std::uint64_t kUneven = 16;
  if (least > kUneven && kUneven * accesses < longest * least)
    fail(Verdict::wrong_answer, reply.description() + " launched " + std::to_string(launched) +
                                    " threads, but one of them makes " +
                                    std::to_string(100 * longest / accesses) +
                                    " of 100 accesses to memory; the contract asks for " + clause);
#endif
}

/// Ends the test case with `wrong answer` if the call made fewer launches than `least`. A kernel of
/// fewer launches is another algorithm than the contract's.
inline void require_launches([[maybe_unused]] const Reply& reply,
                             [[maybe_unused]] std::uint64_t least,
                             [[maybe_unused]] const std::string& clause) {
#ifndef WARPWISE_GPU
  const std::uint64_t launches = reply.statistics().launches;
  if (launches < least)
    fail(Verdict::wrong_answer, reply.description() + " made " + std::to_string(launches) +
                                    " launches; the contract asks for " + clause);
#endif
}

/// Ends the test case with `wrong answer` if the call launched anything: where n is 0, and the
/// contract says that nothing is launched. A GPU's count is 0.
inline void require_no_launch(const Reply& reply) {
  if (reply.statistics().launches > 0)
    fail(Verdict::wrong_answer, reply.description() + " made " +
                                    std::to_string(reply.statistics().launches) +
                                    " launches; the contract says that n = 0 launches nothing");
}

}  // namespace warpwise
