// Shared memory of the running block: dynamic memory first, then the static variables, each
// reserved at its first use in a launch.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "cuda_on_cpu/virtual_device.hpp"

namespace cuda_on_cpu {

inline constexpr std::size_t kSharedMargin = 4096;  // mapped before the first variable
inline constexpr std::size_t kSharedWindow = std::size_t{416} << 10;  // margin and all variables
// in check mode: a pointer that an earlier launch has left fits no variable
inline constexpr int kSharedWindows = 8;

class SharedArena {
 public:
  SharedArena();
  ~SharedArena();
  SharedArena(const SharedArena &) = delete;
  SharedArena &operator=(const SharedArena &) = delete;

  void begin_launch(std::size_t dynamic_bytes, bool in_clusters);
  void enter(unsigned rank);  // in clusters: the window of this block of the cluster
  void begin_block();  // refills everything with garbage: values of an earlier block must not hide
                       // a missing barrier
  char *reserve(std::size_t bytes,
                std::size_t alignment);  // null when the static variables exceed kSharedPerBlock
  // In clusters: where another block of this launch has put this variable, in the window of this
  // one; null if none has.
  char *known(const void *occurrence) const;
  void know(const void *occurrence, const char *address) { known_[occurrence] = address - base_; }

  // In clusters each block keeps its window.
  std::vector<char> save() const {
    return in_clusters_ ? std::vector<char>() : std::vector<char>(base_, base_ + used_);
  }
  void restore(const std::vector<char> &saved);  // variables first used since then get garbage

  char *base() const { return base_; }
  char *base_of(unsigned rank) const { return windows_of_cluster() + rank * kSharedWindow; }
  // Of which block of a cluster this is shared memory; kLargestCluster if of none.
  unsigned rank_at(const char *address) const {
    const std::size_t offset = address + kSharedMargin - windows_of_cluster();
    return address + kSharedMargin < windows_of_cluster() || offset >= kAllOfCluster
               ? kLargestCluster
               : static_cast<unsigned>(offset / kSharedWindow);
  }
  // The launch has no shared memory: no variable, and no dynamic bytes.
  bool is_closed_at(const char *address) const {
    return !is_open_ && contains(address);
  }
  // In any launch.
  bool contains(const char *address) const {
    return address >= pages_ && address < pages_ + windows_ * kSharedWindow + kAllOfCluster;
  }
  std::size_t used() const { return used_; }
  std::size_t static_bytes() const { return used_ - dynamic_bytes_ - gaps_; }

 private:
  // After the windows for one block those for a cluster.
  static constexpr std::size_t kAllOfCluster = kLargestCluster * kSharedWindow;
  char *windows_of_cluster() const { return pages_ + windows_ * kSharedWindow + kSharedMargin; }
  void open();

  char *pages_, *base_;
  int windows_, window_ = 0;
  bool in_clusters_ = false;
  std::map<const void *, std::size_t> known_;  // the variables of this launch, after base()
  bool is_open_ = false;  // in this launch
  std::size_t dynamic_bytes_ = 0, used_ = 0, gaps_ = 0;
};

}  // namespace cuda_on_cpu
