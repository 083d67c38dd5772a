#include "threads/standstill.hpp"

#include <unistd.h>

namespace cuda_on_cpu {
namespace {

constexpr unsigned kMostFruitless = 2;  // all have had a turn after nobody else ran
constexpr unsigned kPause = 50;         // microseconds

}  // namespace

void Standstill::worker_begins() {
  const std::lock_guard lock(mutex_);
  ++workers_;
}

void Standstill::worker_ends() {
  const std::lock_guard lock(mutex_);
  --workers_;
  begin_turn_if_all_rest();
}

void Standstill::change() {
  const std::lock_guard lock(mutex_);
  resting_ = fruitless_ = 0;
  ++turn_;
}

bool Standstill::rest() {
  std::unique_lock lock(mutex_);
  const std::uint64_t turn = turn_;
  ++resting_;
  begin_turn_if_all_rest();
  while (turn_ == turn) {
    lock.unlock();
    usleep(kPause);
    lock.lock();
  }
  return fruitless_ >= kMostFruitless;
}

void Standstill::begin_turn_if_all_rest() {
  if (resting_ == 0 || resting_ < workers_) return;
  resting_ = 0;
  ++fruitless_;
  ++turn_;
}

}  // namespace cuda_on_cpu
