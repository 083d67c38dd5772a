// Where a measurement's own time goes.
#pragma once

#include <chrono>

namespace warpwise {

/// Adds its time to `seconds`, until it ends or goes on with something else.
class Spending {
  using Clock = std::chrono::steady_clock;

 public:
  explicit Spending(double& seconds) : seconds_(&seconds) {}
  Spending(const Spending&) = delete;
  Spending& operator=(const Spending&) = delete;
  ~Spending() { add(); }

  void go_on_with(double& seconds) {
    add();
    seconds_ = &seconds;
    since_ = Clock::now();
  }

 private:
  void add() { *seconds_ += std::chrono::duration<double>(Clock::now() - since_).count(); }

  double* seconds_;
  Clock::time_point since_ = Clock::now();
};

}  // namespace warpwise
