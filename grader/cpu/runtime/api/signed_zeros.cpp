// fmin and fmax as a GPU has them: -0 is below 0. C lets a library return either of two zeros, and
// glibc does: whoever puts 0 and -0 in order by fminf and fmaxf would have the same zero twice.
#include <cmath>

namespace {

template <typename Float>
Float lesser(Float a, Float b) {
  return std::isnan(b) || a < b || (a == b && std::signbit(a)) ? a : b;
}

template <typename Float>
Float greater(Float a, Float b) {
  return std::isnan(b) || a > b || (a == b && std::signbit(b)) ? a : b;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
float fminf(float a, float b) { return lesser(a, b); }
float fmaxf(float a, float b) { return greater(a, b); }
double fmin(double a, double b) { return lesser(a, b); }
double fmax(double a, double b) { return greater(a, b); }
}
#pragma GCC visibility pop
