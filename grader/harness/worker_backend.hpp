// What a worker asks of the backend beyond CUDA. The CPU backend watches buffers, counts launches
// and may have a checker linked; on a GPU these have nothing to say.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "protocol.hpp"
#ifdef __CUDA_ON_CPU__
#include "cuda_on_cpu/control.hpp"
#endif

namespace warpwise {

#ifdef __CUDA_ON_CPU__
inline void prepare_backend() {
  cuda_on_cpu::reset_statistics();
  cuda_on_cpu::guard_device_memory(1 << 30);  // for the whole call, whatever it launches
}
/// Which buffer, the submission's own ones included, was written beyond its ends; "" if none.
inline std::string damaged_buffer() {
  return cuda_on_cpu::find_damaged_buffer() ? cuda_on_cpu::last_diagnostic() : "";
}
inline void mark_accessible(const void* payload, std::size_t bytes, bool initialised,
                            const std::string& name) {
  cuda_on_cpu::mark_accessible(payload, bytes, initialised, name.c_str());
}
/// Kind and text of the first thing a checker has found since it was last asked.
inline std::pair<std::string, std::string> first_finding() {
  const auto findings = cuda_on_cpu::findings();
  cuda_on_cpu::clear_findings();
  for (const auto& [kind, text] : findings)
    if (kind != "warning" && kind != "leak") return {kind, text};
  return {};
}
inline LaunchStatistics statistics() {
  const auto counted = cuda_on_cpu::launch_statistics();
  return {counted.launches, counted.threads, counted.max_threads, counted.bytes_to_host};
}
#else
inline void prepare_backend() {}
inline std::string damaged_buffer() { return ""; }
inline void mark_accessible(const void*, std::size_t, bool, const std::string&) {}
inline std::pair<std::string, std::string> first_finding() { return {}; }
inline LaunchStatistics statistics() { return {}; }
#endif

}  // namespace warpwise
