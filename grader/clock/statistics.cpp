#include "statistics.hpp"

#include <algorithm>
#include <random>

namespace warpwise {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Interval median_interval(const std::vector<double>& values, double error) {
  constexpr std::size_t kResamples = 2000;
  std::mt19937_64 random(1);
  std::vector<double> medians;
  std::vector<double> drawn(values.size());
  for (std::size_t resample = 0; resample < kResamples; ++resample) {
    for (double& value : drawn) value = values[random() % values.size()];
    medians.push_back(median(drawn));
  }
  std::sort(medians.begin(), medians.end());
  const auto tail = static_cast<std::size_t>(error / 2 * kResamples);
  return {medians[tail], medians[kResamples - 1 - tail]};
}

}  // namespace warpwise
