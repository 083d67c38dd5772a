// The existing handles: the use of a destroyed one is an error as in CUDA, not a crash.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>

#include "base/own_mutex.hpp"

namespace cuda_on_cpu {

template <class T>
class Registry {
 public:
  T *create(T value = {}) {
    const std::lock_guard lock(mutex_);
    auto owned = std::make_unique<T>(std::move(value));
    T *handle = owned.get();
    all_.emplace(handle, std::move(owned));
    return handle;
  }
  bool destroy(const T *handle) {
    const std::lock_guard lock(mutex_);
    return all_.erase(handle) != 0;
  }
  // Destroys it for the host. Kernels that still have the handle find what `mark` has left there.
  template <class Mark>
  bool retire(const T *handle, Mark mark) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(handle);
    if (found == all_.end()) return false;
    mark(*found->second);
    retired_.push_back(std::move(found->second));
    if (retired_.size() > kMostRetired) retired_.pop_front();
    all_.erase(found);
    return true;
  }
  bool has(const T *handle) {
    const std::lock_guard lock(mutex_);
    return all_.count(handle) != 0;
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }
  template <class Visit>
  void for_each(Visit visit) {
    const std::lock_guard lock(mutex_);
    for (auto &entry : all_) visit(*entry.second);
  }

  // Never destroyed: destructors of the program's static objects may still use handles.
  static Registry &instance() {
    static auto *registry = new Registry;
    return *registry;
  }

 private:
  static constexpr std::size_t kMostRetired = 256;
  OwnMutex mutex_;
  std::deque<std::unique_ptr<T>> retired_;
  std::unordered_map<const T *, std::unique_ptr<T>> all_;
};

}  // namespace cuda_on_cpu
