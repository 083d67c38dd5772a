// The existing handles: the use of a destroyed one is an error as in CUDA, not a crash.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

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
  std::mutex mutex_;
  std::unordered_map<const T *, std::unique_ptr<T>> all_;
};

}  // namespace cuda_on_cpu
