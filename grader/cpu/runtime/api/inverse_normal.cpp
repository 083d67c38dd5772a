// normcdfinv: the inverse of the normal distribution function.
#include <cmath>
#include <limits>

#include "cuda_runtime.h"

// Newton's method on normcdf(x) - p with Halley's correction, in the tail where erfc is exact.
double normcdfinv(double p) {
  if (!(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (p == 0) return -std::numeric_limits<double>::infinity();
  if (p == 1) return std::numeric_limits<double>::infinity();
  if (p > 0.5) return -normcdfinv(1 - p);
  const double t = std::sqrt(-2 * std::log(p));  // the scale of the tail: a good start
  double x = -(t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t)));
  for (int step = 0; step < 4; ++step) {
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
    if (density == 0) break;
    const double shift = (normcdf(x) - p) / density;
    x -= shift / (1 + 0.5 * x * shift);
  }
  return x;
}
