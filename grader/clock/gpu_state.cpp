#include "gpu_state.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace warpwise {

// The few functions and constants of NVML that are needed, as its documentation gives them (nvml.h,
// stable since NVML 5 under these names): all return 0 for success.
struct GpuState::Library {
  using Device = struct Opaque*;
  using Init = int();
  using Shutdown = int();
  using ByIndex = int(unsigned, Device*);
  using ByUuid = int(const char*, Device*);
  using ClockInfo = int(Device, int, unsigned*);
  using Reasons = int(Device, unsigned long long*);

  void* handle = nullptr;
  Device device = nullptr;
  Shutdown* shutdown = nullptr;
  ClockInfo* clock_info = nullptr;
  Reasons* reasons = nullptr;

  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle, name));
  }

  bool open() {
    handle = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!handle) return false;
    auto* const init = find<Init>("nvmlInit_v2");
    auto* const by_index = find<ByIndex>("nvmlDeviceGetHandleByIndex_v2");
    auto* const by_uuid = find<ByUuid>("nvmlDeviceGetHandleByUUID");
    shutdown = find<Shutdown>("nvmlShutdown");
    clock_info = find<ClockInfo>("nvmlDeviceGetClockInfo");
    reasons = find<Reasons>("nvmlDeviceGetCurrentClocksThrottleReasons");
    if (!init || !by_index || !by_uuid || !shutdown || !clock_info || !reasons) return false;
    if (init() != 0) return false;
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const std::string first =
        visible ? std::string(visible).substr(0, std::string(visible).find(',')) : "0";
    const bool is_index = first.find_first_not_of("0123456789") == std::string::npos;
    const int found = is_index ? by_index(static_cast<unsigned>(std::atoi(first.c_str())), &device)
                               : by_uuid(first.c_str(), &device);
    if (found != 0) device = nullptr;
    return found == 0;
  }

  ~Library() {
    if (device) shutdown();
    if (handle) dlclose(handle);
  }
};

namespace {

constexpr int kMultiprocessorClock = 1;  // NVML_CLOCK_SM

struct Reason {
  unsigned long long bit;
  const char* words;
};
// Only what makes a sample unlike its neighbours. The power cap (bit 2) is not among them: a large
// GPU runs into it whenever it works hard, submission and yardstick alike.
constexpr Reason kReasons[] = {
    {0x08, "the hardware's slowdown"},
    {0x20, "heat (by the driver)"},
    {0x40, "heat (by the hardware)"},
    {0x80, "the power brake"},
};

}  // namespace

GpuState::GpuState() : library_(std::make_unique<Library>()) {
  if (!library_->open()) library_.reset();
}

GpuState::~GpuState() = default;

GpuReading GpuState::read() const {
  GpuReading reading;
  if (!library_) return reading;
  unsigned long long bits = 0;
  if (library_->clock_info(library_->device, kMultiprocessorClock, &reading.clock_mhz) != 0)
    reading.clock_mhz = 0;
  if (library_->reasons(library_->device, &bits) != 0) return reading;
  for (const Reason& reason : kReasons)
    if ((bits & reason.bit) && reading.slowed_by.empty()) reading.slowed_by = reason.words;
  return reading;
}

}  // namespace warpwise
