// Are these the distances? This is the proof of labs/05-sssp/distances.hpp, on the device. At 2^24
// vertices the CPU would take longer to check an answer than the GPU to find it.
#pragma once

namespace figures {

/// A graph in compressed sparse row form; its arrays are in device memory.
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
  int reached = 0;  // vertices reached by a path over tight arcs, including the source
};

/// `dist` is a device pointer to n distances; 0 <= source < n. Weight is float or double.
template <typename Weight>
Proof prove_distances(const DeviceCsr<Weight>& graph, int source, const Weight* dist);

}  // namespace figures
