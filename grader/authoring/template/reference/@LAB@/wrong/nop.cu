// expect: first: not attempted
// Does nothing: a checker that looks only at exit codes would let it pass.
#include "@SPACE@.hpp"

namespace @SPACE@ {

void first(const int*, int*, int) {}

}  // namespace @SPACE@
