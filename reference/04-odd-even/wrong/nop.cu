// expect: phases: not attempted
// Does nothing.
#include "odd_even.hpp"

namespace odd_even {

void phases(float* keys, int n) {}

}  // namespace odd_even
