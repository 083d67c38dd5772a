// Shared memory of the running block: dynamic memory first, then the static variables, each
// reserved at its first use in a launch.
#pragma once

#include <cstddef>
#include <vector>

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

  void begin_launch(std::size_t dynamic_bytes);
  void begin_block();  // refills everything with garbage: values of an earlier block must not hide
                       // a missing barrier
  char *reserve(std::size_t bytes,
                std::size_t alignment);  // null when the static variables exceed kSharedPerBlock

  std::vector<char> save() const { return {base_, base_ + used_}; }
  void restore(const std::vector<char> &saved);  // variables first used since then get garbage

  char *base() const { return base_; }
  // The launch has no shared memory: no variable, and no dynamic bytes.
  bool is_closed_at(const char *address) const {
    return !is_open_ && address >= pages_ && address < pages_ + kSharedWindow;
  }
  // In any launch.
  bool contains(const char *address) const {
    return address >= pages_ && address < pages_ + windows_ * kSharedWindow;
  }
  std::size_t used() const { return used_; }
  std::size_t static_bytes() const { return used_ - dynamic_bytes_ - gaps_; }

 private:
  void open();

  char *pages_, *base_;
  int windows_, window_ = 0;
  bool is_open_ = false;  // in this launch
  std::size_t dynamic_bytes_ = 0, used_ = 0, gaps_ = 0;
};

}  // namespace cuda_on_cpu
