// Are these the distances? The proof of labs/05-sssp/distances.hpp, on the device: at 2^24 vertices
// the CPU would take longer to look at an answer than the GPU to find it.
#pragma once

namespace figures {

/// A graph in compressed sparse row form whose arrays lie in device memory.
template <typename Weight>
struct DeviceCsr {
  const int* offsets = nullptr;
  const int* targets = nullptr;
  const Weight* weights = nullptr;
  int n = 0;
  int arcs = 0;
};

struct Proof {
  bool right = false;
  int reached = 0;  // vertices that a path over tight arcs leads to, the source included
};

/// `dist` is a device pointer to n distances; 0 <= source < n. Weight is float or double.
template <typename Weight>
Proof prove_distances(const DeviceCsr<Weight>& graph, int source, const Weight* dist);

}  // namespace figures
