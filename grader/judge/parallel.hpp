// A loop on all cores: for making and checking inputs, between measurements.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "usable_processors.hpp"

namespace warpwise {

/// Calls body(0) to body(count - 1), in any order, from several threads. Of the exceptions that are
/// thrown the one with the smallest index is passed on, after all threads have ended.
template <typename Body>
void in_parallel(std::size_t count, const Body& body) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::size_t failed = count;
  std::mutex failure_mutex;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < count;) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        next = count;
        if (i < failed) failure = std::current_exception();
        failed = std::min(failed, i);
      }
    }
  };
  const auto most = static_cast<std::size_t>(datasets::usable_processors());
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(most, count); ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // waits for them
  if (failure) std::rethrow_exception(failure);
}

/// The same loop for work on `bytes` of memory: in this thread where starting others would take
/// longer.
template <typename Body>
void in_parallel_if_large(std::size_t bytes, std::size_t count, const Body& body) {
  constexpr std::size_t kLarge = std::size_t{1} << 22;  // passed over in about a millisecond
  if (bytes >= kLarge) return in_parallel(count, body);
  for (std::size_t i = 0; i < count; ++i) body(i);
}

}  // namespace warpwise
