// What the calls did on the device, beyond their answers: whether kernels did the work, whether
// several threads did it, and what was not given back. A GPU tells the last alone.
#pragma once

#include <cstdint>
#include <string>

#include "arguments.hpp"
#include "host_bytes.hpp"

namespace warpwise {

class DeviceWork {
 public:
  explicit DeviceWork(HostBytes host_bytes) : host_bytes_(host_bytes) {}

  /// One batch of calls, of which `call` is the first. Ends with a StageFailure if it copied more
  /// to the host than flags: in a stage that forbids it, the host cannot do the work then.
  void add(const PreparedCall& call, std::size_t count, const LaunchStatistics& statistics);
  /// Why all further calls are rejected; "" if they are not.
  const std::string& rejected() const { return rejected_; }
  /// One thread alone has sorted: the first message is what settle() says.
  void note_alone(const std::string& message) {
    if (first_alone_.empty()) first_alone_ = message;
  }
  /// What only all calls together show: device memory that was never freed, variables of a fixed
  /// size where a length has no limit, and work that one thread has done alone. Ends with a
  /// StageFailure.
  void settle() const;
  /// Bytes in which a call could leave something for the next one without allocating them.
  std::uint64_t room() const { return room_; }

 private:
  bool is_work_of_the_host(const PreparedCall& call, std::size_t count,
                           const LaunchStatistics& statistics) const;
  void note_variable_bytes(const PreparedCall& call, const LaunchStatistics& statistics);
  void note_kept(const PreparedCall& call, const LaunchStatistics& statistics);

  HostBytes host_bytes_;
  std::string rejected_;
  // the first call after which variables of too many bytes were touched
  std::string first_too_large_;
  std::string first_alone_;
  std::string first_kept_;  // what the first call that did so has not given back
  std::uint64_t accesses_ = 0, longest_share_ = 0, longest_chain_ = 0, room_ = 0;
};

}  // namespace warpwise
