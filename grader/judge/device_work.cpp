#include "device_work.hpp"

#include <algorithm>

namespace warpwise {

void DeviceWork::add(const PreparedCall& call, std::size_t count,
                     const LaunchStatistics& statistics) {
  if (is_work_of_the_host(call, count, statistics)) {
    rejected_ = call.description + " copied " + std::to_string(statistics.bytes_to_host / count) +
                " bytes to the host; in this stage kernels do the work, and " +
                std::to_string(host_bytes_.most) + " bytes are enough for flags" +
                (host_bytes_.per_launch
                     ? ", and " + std::to_string(host_bytes_.per_launch) + " more for each launch"
                     : "");
    fail(Verdict::rejected, rejected_);
  }
  if (!call.is_work_for_few) {
    accesses_ += statistics.accesses;
    longest_share_ += statistics.longest_share;
    longest_chain_ += statistics.longest_chain;
  }
  room_ = std::max(room_, statistics.room);
  if (first_kept_.empty()) note_kept(call, statistics);
  if (first_too_large_.empty()) note_variable_bytes(call, statistics);
}

bool DeviceWork::is_work_of_the_host(const PreparedCall& call, std::size_t count,
                                     const LaunchStatistics& statistics) const {
  const auto [most, per_launch] = host_bytes_;
  if (most == UINT64_MAX) return false;
  // Launches that are left out are not counted, but a loop may go on and copy its flag after each.
  const bool in_part = call.how >= kFewLaunches;
  const std::uint64_t granted = most * count + per_launch * statistics.launches;
  return !in_part && statistics.bytes_to_host > granted;
}

void DeviceWork::note_kept(const PreparedCall& call, const LaunchStatistics& statistics) {
  if (statistics.kept_buffers)
    first_kept_ = call.description + " keeps device memory that it has allocated; free it before "
                                     "the end of the call, whatever the call returns";
  else if (statistics.kept_textures)
    first_kept_ = call.description + " keeps a texture object that it has made; destroy it by "
                                     "cudaDestroyTextureObject when the last launch has ended";
}

/// A variable has a fixed size, and a lab's inputs have none: an array that holds a part of each
/// element is too small for some. One that tests could not fill is therefore refused by its size.
void DeviceWork::note_variable_bytes(const PreparedCall& call, const LaunchStatistics& statistics) {
  constexpr std::uint64_t kMost = 65'536;
  if (statistics.variable_bytes > kMost)
    first_too_large_ = call.description + " uses __device__ variables of " +
                       std::to_string(statistics.variable_bytes) + " bytes; the contract allows " +
                       std::to_string(kMost) +
                       ": allocate what grows with the input, because a variable "
                       "is too small for some";
}

void DeviceWork::settle() const {
  if (!first_kept_.empty()) fail(Verdict::wrong_answer, first_kept_);
  if (!first_too_large_.empty()) fail(Verdict::wrong_answer, first_too_large_);
  constexpr std::uint64_t kEnough = 20'000, kFewestHands = 4;
  const auto is_much = [this](std::uint64_t accesses) {
    return accesses >= kEnough && accesses_ < kFewestHands * accesses;
  };
  if (host_bytes_.most == UINT64_MAX) return;
  const std::string shared =
      " of 100 accesses to memory; in this stage the threads share the work: give each its part";
  if (is_much(longest_share_))
    fail(Verdict::rejected,
         "one thread alone makes " + std::to_string(100 * longest_share_ / accesses_) + shared);
  if (is_much(longest_chain_))
    fail(Verdict::rejected, "threads that wait for each other make, one after another, " +
                                std::to_string(100 * longest_chain_ / accesses_) + shared);
  if (!first_alone_.empty()) fail(Verdict::rejected, first_alone_);
}

}  // namespace warpwise
