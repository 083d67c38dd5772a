// A lab's table of entry points. WARPWISE_CONTRACT names the lab's contract header, whose last line
// fills the table; this file alone differs from lab to lab.
#define WARPWISE_WORKER
#include WARPWISE_CONTRACT

#include "entry_table.hpp"

namespace warpwise {

// The entries are registered by initialisers above and below this function, in any order.
std::vector<Entry>& entry_table() {
  static std::vector<Entry> table;
  return table;
}

}  // namespace warpwise
