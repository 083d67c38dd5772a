// What a worker asks of the backend beyond CUDA. The CPU backend watches buffers, counts launches,
// can refuse memory and may have a checker or a counter linked; on a GPU these have nothing to say,
// but what was launched may be asked of a profile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "counters.hpp"
#include "finding.hpp"
#include "live_memory.hpp"
#include "protocol.hpp"
#include "resources.hpp"
#ifdef __CUDA_ON_CPU__
#include "cuda_on_cpu/control.hpp"
#else
#include "launch_profile.hpp"
#endif

namespace warpwise {

#ifdef __CUDA_ON_CPU__
inline LiveMemory memory_now() {
  return {cuda_on_cpu::live_buffers(), cuda_on_cpu::live_textures(), 0,
          cuda_on_cpu::launch_statistics().allocations};
}
inline bool is_held_elsewhere() { return false; }
#else
/// A worker of the kit's own counts nothing.
inline LiveMemory memory_now() { return live_memory ? live_memory() : LiveMemory(); }
inline bool is_held_elsewhere() { return graphs_hold_memory && graphs_hold_memory(); }
#endif

/// What was there before a run: a run keeps what is there more afterwards.
inline LiveMemory memory_before;
/// What the submission's initialisers have allocated, before any call: no call gives it back.
inline std::uint64_t buffers_of_initialisers = 0;

inline void note_initialisers() { buffers_of_initialisers = memory_now().buffers; }
inline void note_memory_before_run() {
  memory_before = memory_now();
  memory_before.buffers -= std::min(memory_before.buffers, buffers_of_initialisers);
}
inline void put_kept_memory(LaunchStatistics& found) {
  const LiveMemory now = memory_now();
  const auto kept = [](std::uint64_t after, std::uint64_t before) {
    return after > before ? after - before : 0;
  };
  found.kept_buffers = kept(now.buffers, memory_before.buffers);
  // some may be free
  buffers_of_initialisers = std::min(buffers_of_initialisers, found.kept_buffers);
  found.kept_buffers += is_held_elsewhere();
  found.kept_textures = kept(now.textures, memory_before.textures);
  found.allocations = now.allocations - memory_before.allocations;
  found.room = now.room;
}

#ifdef __CUDA_ON_CPU__
inline void prepare_backend() {
  cuda_on_cpu::reset_statistics();
  note_memory_before_run();
  cuda_on_cpu::reset_counters();
  cuda_on_cpu::guard_device_memory(1 << 30);  // for the whole call, whatever it launches
}
/// Which buffer, the submission's own ones included, was written beyond its ends; "" if none.
inline std::string damaged_buffer() {
  return cuda_on_cpu::find_damaged_buffer() ? cuda_on_cpu::last_diagnostic() : "";
}
/// Why the last failing call failed, with the submission's line; "" where the backend cannot tell.
inline std::string failure_reason() { return cuda_on_cpu::last_failure(); }
inline void mark_accessible(const void* payload, std::size_t bytes, LentAs how,
                            const std::string& name) {
  cuda_on_cpu::mark_accessible(payload, bytes, how != LentAs::unwritten, name.c_str());
  if (how == LentAs::constant) cuda_on_cpu::mark_constant(payload, bytes);
}
/// What a checker has found since it was last asked.
inline std::vector<Finding> findings() {
  std::vector<Finding> found;
  for (const auto& [kind, text, buffer, first, second] : cuda_on_cpu::findings())
    if (kind != "warning" && kind != "leak")
      found.push_back({kind, text, buffer, first.verb, first.line, second.verb, second.line});
  cuda_on_cpu::clear_findings();
  return found;
}
/// What a counter has counted since prepare_backend(); nothing where none is linked.
inline std::vector<KernelCounters> counters() {
  std::vector<KernelCounters> kernels;
  for (const auto& counted : cuda_on_cpu::counters()) {
    kernels.push_back({counted.kernel,
                       counted.launches,
                       counted.blocks,
                       counted.threads,
                       counted.barriers,
                       counted.branches,
                       counted.uniform_branches,
                       {}});
    for (const auto& line : counted.lines)
      kernels.back().lines.push_back({line.line, line.space, line.access, line.requests,
                                      line.pieces, line.ideal, line.branches,
                                      line.uniform_branches});
  }
  return kernels;
}
inline std::vector<KernelResources> resources() { return {}; }
inline LaunchStatistics statistics() {
  const auto counted = cuda_on_cpu::launch_statistics();
  LaunchStatistics found = {
      counted.launches, counted.threads, counted.max_threads, counted.texture_fetches,
      counted.texture_bytes, counted.bytes_to_host, 0, 0, 0, counted.accesses,
      counted.longest_share, counted.longest_chain, counted.moving_share, counted.widest_share,
      counted.shared_work, counted.in_buffers, counted.own_memory, counted.own_stacks,
      counted.writes, counted.variable_bytes, counted.busiest_launch, counted.working_launches,
      counted.blocks, counted.shared_bytes, counted.max_apart, 0};
  put_kept_memory(found);
  return found;
}
/// Since prepare_backend(), with one that failed.
inline std::uint64_t launches() { return cuda_on_cpu::launch_statistics().launches; }
/// The kernel that a call has left by a jump, so that it has not ended; "" if there is none.
inline std::string left_kernel() { return cuda_on_cpu::current_kernel(); }
/// The kernels that this run launched, a line each.
inline std::string launched_kernels() {
  std::string lines;
  for (const std::string& name : cuda_on_cpu::launched_kernels())
    if (lines.size() + name.size() < kNameBytes) lines += name + "\n";
  return lines;
}
inline void refuse_memory(bool refuse, unsigned granted) {
  cuda_on_cpu::refuse_device_memory(refuse, granted);
}
inline constexpr bool kPinsLentMemory = true;
inline void run_few_blocks(bool few, std::uint32_t middle, bool together) {
  cuda_on_cpu::run_few_blocks(few, middle, together);
}
inline void run_few_launches(std::uint32_t count, std::uint32_t again_from) {
  cuda_on_cpu::run_few_launches(count, again_from);
}
inline std::vector<char> content_of_variables() { return cuda_on_cpu::content_of_variables(); }
inline void put_back_variables(const std::vector<char>& content) {
  cuda_on_cpu::put_back_variables(content);
}
#else
inline void prepare_backend() {
  if (reset_launch_profile) reset_launch_profile();
  note_memory_before_run();
}
inline std::string damaged_buffer() { return ""; }
inline std::string failure_reason() { return ""; }
inline void mark_accessible(const void*, std::size_t, LentAs, const std::string&) {}
inline std::vector<Finding> findings() { return {}; }
inline std::vector<KernelCounters> counters() { return {}; }
/// What the kernels took since prepare_backend(); nothing where no profile is linked.
inline std::vector<KernelResources> resources() {
  return launch_profile ? launch_profile() : std::vector<KernelResources>();
}
inline LaunchStatistics statistics() {
  LaunchStatistics found;
  put_kept_memory(found);
  return found;
}
inline std::uint64_t launches() { return 0; }
inline std::string left_kernel() { return ""; }
inline std::string launched_kernels() { return ""; }
inline void refuse_memory(bool, unsigned) {}
inline constexpr bool kPinsLentMemory = false;  // a driver may refuse what another process lends
inline void run_few_blocks(bool, std::uint32_t, bool) {}
inline void run_few_launches(std::uint32_t, std::uint32_t) {}
inline std::vector<char> content_of_variables() { return {}; }
inline void put_back_variables(const std::vector<char>&) {}
#endif

/// While it lives the device grants no memory, or runs less than it is asked for: see RunBits. What
/// a call in part has left in variables is put right when it ends.
class DeviceManner {
 public:
  explicit DeviceManner(std::uint32_t how) : in_part_(how & kFewBlocks || how >= kFewLaunches) {
    if (in_part_) variables_ = content_of_variables();
    set(how);
  }
  ~DeviceManner() {
    set(kWarm);
    if (in_part_) put_back_variables(variables_);
  }
  DeviceManner(const DeviceManner&) = delete;
  DeviceManner& operator=(const DeviceManner&) = delete;

 private:
  static void set(std::uint32_t how) {
    refuse_memory(how & kNoMemory, how / kGranted % (kMostGranted + 1));
    run_few_blocks(how & kFewBlocks, how / kMiddle, how & kTogether);
    run_few_launches(how % kAgainFrom / kFewLaunches, how & kFewBlocks ? 0 : how / kAgainFrom);
  }

  bool in_part_;
  std::vector<char> variables_;
};

}  // namespace warpwise
