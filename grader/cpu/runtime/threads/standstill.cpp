#include "threads/standstill.hpp"

#include <unistd.h>

#include <chrono>

namespace cuda_on_cpu {
namespace {

// Turns of all in which no block ends. One that can go on may need several: before it writes, it
// gives way to the others twice, and at times four times more (Block::pause, rest_before_write).
constexpr unsigned kMostFruitless = 16;
constexpr std::chrono::seconds kLeast{1};  // a block may wait for clock64(), too
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
  return fruitless_ >= kMostFruitless && Clock::now() - fruitless_since_ >= kLeast;
}

void Standstill::begin_turn_if_all_rest() {
  if (resting_ == 0 || resting_ < workers_) return;
  resting_ = 0;
  if (fruitless_++ == 0) fruitless_since_ = Clock::now();
  ++turn_;
}

}  // namespace cuda_on_cpu
