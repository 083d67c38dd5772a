#include "host_threads.hpp"

#include <algorithm>

namespace cuda_on_cpu::check {

thread_local constinit unsigned HostThreads::number_ = 0;
constinit unsigned HostThreads::started_ = 0;

bool HostThreads::has_seen(const Moment &moment) const {
  return std::all_of(known_.begin(), known_.end(),
                     [&](const auto &thread) { return thread.second.has_seen(moment); });
}

bool HostThreads::is_known_to_one(const Moment &moment) const {
  return std::any_of(known_.begin(), known_.end(),
                     [&](const auto &thread) { return thread.second.has_seen(moment); });
}

std::thread::id HostThreads::only_giver() const {
  return has_unknown_ ? std::this_thread::get_id() : std::thread::id{};
}

unsigned HostThreads::start() {
  known_[++started_] = own();
  return started_;
}

void HostThreads::end() {
  if (auto thread = known_.extract(number_)) ended_.insert(std::move(thread));
  number_ = 0;
}

void HostThreads::join(unsigned number) {
  own().join(ended_[number]);
  ended_.erase(number);
}

void HostThreads::meet(const void *object) {
  Clock &common = objects_[object];
  own().join(common);
  common.join(own());
}

void HostThreads::see_all() {
  for (auto &[number, clock] : known_) clock.see_all();
}

void HostThreads::forget_past() {
  for (auto &[object, clock] : objects_) clock.forget(*this);
  std::erase_if(objects_, [](const auto &object) { return object.second.is_empty(); });
}

}  // namespace cuda_on_cpu::check
