// Medians, and how sure they are.
#pragma once

#include <vector>

namespace warpwise {

/// The median; of an even number of values the mean of the middle two. `values` is not empty.
double median(std::vector<double> values);

struct Interval {
  double low;
  double high;
};

/// The bootstrap interval of the median of `values` (not empty) that misses it in a share `error`
/// of all experiments: the percentiles of 2000 resamples, drawn with a fixed seed, so that equal
/// measurements give equal intervals.
Interval median_interval(const std::vector<double>& values, double error);

}  // namespace warpwise
