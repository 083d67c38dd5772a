// A loop that many threads of the CPU share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "usable_processors.hpp"

namespace datasets {

/// Calls body(begin, end) until 0 .. n - 1 is covered by parts of size `part`, each in one thread.
/// threads = 0 means one per processor. A thread takes the next part when it has finished one, so
/// parts may differ in work. Rethrows the first exception that a body throws.
template <typename Body>
void parallel_for(std::int64_t n, std::int64_t part, int threads, const Body& body) {
  std::atomic<std::int64_t> next = 0;
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    try {
      for (std::int64_t begin; (begin = next.fetch_add(part)) < n;)
        body(begin, std::min(n, begin + part));
    } catch (...) {
      const std::scoped_lock lock(failing);
      if (!failure) failure = std::current_exception();
    }
  };
  const std::int64_t cores = threads > 0 ? threads : usable_processors();
  const std::int64_t useful = std::min(cores, n / part);
  {
    std::vector<std::jthread> others;
    for (std::int64_t t = 1; t < useful; ++t) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace datasets
