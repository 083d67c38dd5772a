// What a profiled worker on a GPU has launched. In any other worker these functions are not there:
// they are weak, and have to be asked for.
#pragma once

#include <vector>

#include "resources.hpp"

namespace warpwise {

/// Stands in a profile for the launches of whole graphs. The kernels of a captured graph are
/// listed as well, once for the capture.
inline constexpr const char* kGraphs = "(graphs)";

[[gnu::weak]] void reset_launch_profile();
[[gnu::weak]] std::vector<KernelResources> launch_profile();

}  // namespace warpwise
