// What a contract says about launches, as far as the CPU backend counts them.
#pragma once

#include <algorithm>
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

/// Ends the test case with `wrong answer` if few threads do the work on so many elements: on
/// average, an access is made while fewer than 16 threads make any. A grid may be small, and some
/// of its threads idle. Few elements may be the work of few threads. Threads that work for show do
/// not help: of the accesses that a launch may make, `most_in_launch`, no thread makes more than a
/// 16th on average, and no threads that wait for each other in turn. Counted under the checker
/// only.
inline void require_hands(const Reply& reply, std::uint64_t elements,
                          std::uint64_t most_in_launch = UINT64_MAX) {
  constexpr std::uint64_t kFewElements = 512, kHands = 16;
  const LaunchStatistics& counted = reply.statistics();
  if (counted.accesses == 0 || elements < kFewElements) return;
  if (counted.shared_work < kHands * counted.accesses)
    fail(Verdict::wrong_answer,
         reply.description() + ": on average only " +
             std::to_string(counted.shared_work / counted.accesses) +
             " threads work at a time; the contract asks for " + std::to_string(kHands) +
             " or more: give each thread its part");
  const std::uint64_t launches = std::max<std::uint64_t>(counted.working_launches, 1);
  if (const std::uint64_t chain = counted.longest_chain / launches; chain > most_in_launch / kHands)
    fail(Verdict::wrong_answer,
         reply.description() + ": in a launch " + std::to_string(chain) +
             " accesses to memory are made one after another, by one thread or by some that wait "
             "for each other; where " +
             std::to_string(kHands) + " threads share the work, as the contract asks for, " +
             std::to_string(most_in_launch / kHands) +
             " are enough: give each thread its part");
}

/// What to say if one thread alone has sorted so many elements; "" if none has. The accesses of the
/// busiest thread that moves elements tell, whatever others do beside it, the same sort in copies
/// for example: to sort alone takes n log n of them, and to merge two halves as many as there are
/// elements. A thread that ranks elements reads all, but moves its own. `of_each` is how often an
/// element is accessed where it is compared once and moved. Counted under the checker only.
inline std::string sorts_alone(const Reply& reply, std::size_t elements, std::size_t of_each) {
  constexpr std::uint64_t kFewElements = 1000, kMoves = 4;  // a merge sort may end in one thread
  const std::uint64_t moving = reply.statistics().moving_share;
  const std::uint64_t most = kMoves * of_each * elements;
  if (elements < kFewElements || moving <= most) return "";
  return reply.description() + ": one thread makes " + std::to_string(moving) +
         " accesses to memory while it moves elements, or threads that wait for each other do in "
         "turn, and " + std::to_string(most) +
         " are enough where threads share the work: give each its part, and not the whole sort in "
         "a copy";
}

/// Then the stage is `rejected` when its cases have passed.
inline void note_sort_alone(const Reply& reply, std::size_t elements, std::size_t of_each) {
  judge().note_alone(sorts_alone(reply, elements, of_each));
}

/// The same for what goes on until nothing changes, by n phases or by a search: there the threads
/// that share the work make many accesses as well, but each for a few places of its own. Who works
/// alone writes most places, after many accesses for each; at most 32 count. Who clears an array,
/// or sums one up, makes few for each, at most `of_each`. Counted under the checker only.
inline std::string works_alone(const Reply& reply, std::size_t elements, std::size_t of_each) {
  constexpr std::uint64_t kFewElements = 1000;
  const std::uint64_t widest = reply.statistics().widest_share, most = of_each * elements;
  if (elements < kFewElements || widest <= most) return "";
  return reply.description() + ": one thread makes " + std::to_string(widest) +
         " accesses to memory in one launch, while it writes most of the " +
         std::to_string(elements) + " elements; " + std::to_string(most) +
         " are enough where threads share the work: give each its part, and not all of it in a "
         "copy";
}
inline void note_work_alone(const Reply& reply, std::size_t elements, std::size_t of_each) {
  judge().note_alone(works_alone(reply, elements, of_each));
}

/// Ends the test case with `wrong answer` if the call made fewer launches than `least`. A kernel of
/// fewer launches is another algorithm than the contract's. Under the checker a launch that touches
/// no memory does not count.
inline void require_launches([[maybe_unused]] const Reply& reply,
                             [[maybe_unused]] std::uint64_t least,
                             [[maybe_unused]] const std::string& clause) {
#ifndef WARPWISE_GPU
  const LaunchStatistics& counted = reply.statistics();
  const bool watched = counted.accesses > 0;
  const std::uint64_t launches = watched ? counted.working_launches : counted.launches;
  if (launches < least)
    fail(Verdict::wrong_answer, reply.description() + " made " + std::to_string(launches) +
                                    " launches" + (watched ? " that do something" : "") +
                                    "; the contract asks for " + clause);
#endif
}

/// Ends the test case with `wrong answer` if one launch makes more than `most` accesses to memory.
/// So no launch does the work of all, with others for show. Counted under the checker only.
inline void require_light_launches(const Reply& reply, std::uint64_t most,
                                   const std::string& clause) {
  const std::uint64_t busiest = reply.statistics().busiest_launch;
  if (busiest > most)
    fail(Verdict::wrong_answer, reply.description() + " made " + std::to_string(busiest) +
                                    " accesses to memory in one launch; the contract asks for " +
                                    clause + ", which is at most " + std::to_string(most));
}

/// Ends the test case with `rejected` if the call copied more to the host than flags for so many
/// rounds. A program may make any number of launches, so these alone say nothing about rounds.
inline void require_few_bytes_to_host(const Reply& reply, std::uint64_t rounds) {
  constexpr std::uint64_t kBytes = 64, kBytesPerRound = 16;
  const std::uint64_t copied = reply.statistics().bytes_to_host;
  const std::uint64_t most = kBytes + kBytesPerRound * rounds;
  if (copied > most)
    fail(Verdict::rejected, reply.description() + " copied " + std::to_string(copied) +
                                " bytes to the host; in this stage kernels do the work, and the "
                                "flags of its rounds are at most " +
                                std::to_string(most) + " bytes");
}

/// Ends the test case with `wrong answer` if the call made more launches than a sort of so many
/// words needs: 64, and one for every 16 words. By what a launch leaves on the host, a flag, an
/// error or the time that it took, some bits can come there; so few launches do not bring the keys.
/// A GPU's count is 0.
inline void require_few_launches(const Reply& reply, std::uint64_t words) {
  constexpr std::uint64_t kSome = 64, kWords = 16;
  const std::uint64_t launches = reply.statistics().launches, most = kSome + words / kWords;
  if (launches > most)
    fail(Verdict::wrong_answer, reply.description() + " made " + std::to_string(launches) +
                                    " launches; the contract allows " + std::to_string(most));
}

/// Ends the test case with `wrong answer` if the call made more accesses to global memory than so
/// many passes over n elements, and a few more, can need: one launch may make any number of passes.
/// Counted under the checker only.
inline void require_few_passes(const Reply& reply, std::uint64_t passes, std::size_t n) {
  constexpr std::uint64_t kOthers = 4, kInPass = 4;  // a load and a store, and as many to spare
  const LaunchStatistics& counted = reply.statistics();
  const std::uint64_t made = counted.in_buffers + counted.texture_fetches;
  const std::uint64_t most = kInPass * n * (passes + kOthers);
  if (counted.accesses > 0 && made > most)
    fail(Verdict::wrong_answer,
         reply.description() + " made " + std::to_string(made) + " accesses to global memory for " +
             std::to_string(n) + " elements; the contract allows " + std::to_string(passes) +
             " passes over them: make several strides of steps between a load and a store");
}

/// Ends the test case with `wrong answer` if the call allocated device memory, even if it has freed
/// all of it: where the contract says that a stage needs none.
inline void require_no_allocation(const Reply& reply) {
  const std::uint64_t made = reply.statistics().allocations;
  if (made > 0)
    fail(Verdict::wrong_answer,
         reply.description() + " allocated device memory" +
             (made > 1 ? " " + std::to_string(made) + " times" : "") +
             "; the contract allows none");
}

/// Of one launch only the first block ran, the last and one between them (with_few_blocks), and
/// they have brought `written` of n elements to their places. Whether that is less than blocks
/// bring that share the elements evenly: some may do nothing. Or a grid has idle blocks; then only
/// the whole call tells.
inline bool is_less_than_their_share(const Reply& reply, std::size_t written, std::size_t n) {
  constexpr std::size_t kFew = 3;
  const std::size_t blocks = reply.statistics().blocks;  // a GPU's count is 0, and all have run
  if (reply.statistics().launches != 1 || blocks <= kFew) return false;
  const std::size_t of_each = (n + blocks - 1) / blocks, others = of_each * (blocks - 1);
  const std::size_t share = 2 * of_each + (n > others ? n - others : 0);
  return 10 * written < 9 * share;  // they may differ a little
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
