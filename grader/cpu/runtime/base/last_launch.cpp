// What was launched last, for who asks when the program is ended. Nothing here takes a lock.
#include <atomic>
#include <chrono>

#include "base/statistics.hpp"

namespace cuda_on_cpu {
namespace {

using Moment = std::chrono::steady_clock::duration;

Moment now() { return std::chrono::steady_clock::now().time_since_epoch(); }

double seconds(Moment time) { return std::chrono::duration<double>(time).count(); }

std::atomic<std::uint64_t> launch_number{0}, launches_before{0};
std::atomic<const char *> last_kernel{""};
std::atomic<Moment> last_launch{}, counted_from{now()};

}  // namespace

std::uint64_t note_launch(const char *kernel) {
  last_kernel = kernel;
  last_launch = now();
  return ++launch_number;
}

void count_launches_anew() {
  launches_before = launch_number.load();
  counted_from = now();
}

LastLaunch last_launch_made() {
  const Moment began = last_launch.load();
  return {last_kernel, launch_number - launches_before, seconds(began - counted_from.load()),
          seconds(now() - began)};
}

}  // namespace cuda_on_cpu
