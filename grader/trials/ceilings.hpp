// What this GPU can do at most, measured: the other half of a roofline. work.hpp is the first;
// grader/timing/roofline.py holds the one against the other.
#pragma once

namespace warpwise {

/// Rates are per second. Each is what the best of a few runs reached of a kernel that does nothing
/// else, so it is a limit that can be come close to, not one of a data sheet.
struct Ceilings {
  double copied_bytes = 0;    // read and written, by a copy far beyond the L2 cache
  double cached_bytes = 0;    // the same within a large GPU's L2 cache, where that is faster
  double compares = 0;        // an integer subtraction whose sign is added up, out of registers
  double exchanges = 0;       // an integer minimum and a maximum, in registers
  double l2_gathers = 0;      // 4 bytes each from random places of 8 MiB
  double memory_gathers = 0;  // 4 bytes each from random places of 512 MiB
  double launch_seconds = 0;  // from one empty launch to the next
  double barrier_seconds = 0; // of all blocks of a grid that has one on each multiprocessor
};

/// Measures for about half a second on the current device. Throws kit::CudaError. GPU build only.
Ceilings measure_ceilings();

}  // namespace warpwise
