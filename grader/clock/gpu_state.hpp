// What the driver says about the GPU while the judge measures: its clock, and whether it slows
// itself down. The judge asks NVML, the driver's own library, and needs neither the toolkit nor a
// worker.
#pragma once

#include <memory>
#include <string>

namespace warpwise {

struct GpuReading {
  unsigned clock_mhz = 0;   // of the multiprocessors; 0: not known
  std::string slowed_by;    // "heat", "power brake", ... in words; "" when nothing slows it
};

class GpuState {
 public:
  /// The first GPU that CUDA_VISIBLE_DEVICES grants. Where there is no NVML every reading is empty.
  GpuState();
  ~GpuState();
  GpuReading read() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace warpwise
