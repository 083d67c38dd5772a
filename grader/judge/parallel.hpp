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
/// thrown one is passed on, after all threads have ended.
template <typename Body>
void in_parallel(std::size_t count, const Body& body) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      for (std::size_t i; (i = next++) < count;) body(i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      failure = std::current_exception();
      next = count;
    }
  };
  const auto most = static_cast<std::size_t>(datasets::usable_processors());
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(most, count); ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // waits for them
  if (failure) std::rethrow_exception(failure);
}

}  // namespace warpwise
