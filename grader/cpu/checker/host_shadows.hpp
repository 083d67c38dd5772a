// Shadows for memory that both sides may use: pinned and managed memory, a buffer at a time.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "base/own_mutex.hpp"
#include "shadow.hpp"

namespace cuda_on_cpu::check {

class HostShadows {
 public:
  void add(const char *begin, std::size_t bytes);
  void remove(const char *begin);
  Shadow *find(const char *address);  // null if no such buffer holds it
  bool begins_at(const char *address);
  bool empty() const { return shadows_.empty(); }
  template <class Visit>
  void for_each(Visit visit) {
    for (auto &[begin, shadow] : shadows_) visit(*shadow);
  }

 private:
  OwnMutex mutex_;  // the host allocates from any of its threads
  std::map<const char *, std::unique_ptr<Shadow>> shadows_;
};

}  // namespace cuda_on_cpu::check
