#include "device.hpp"

#include <climits>
#include <cstdlib>
#include <sstream>
#include <string>

#include "diagnostics.hpp"

namespace cuda_on_cpu {
namespace {

constexpr const char kVariable[] = "WARPWISE_DEVICE";

[[noreturn]] void refuse(const char *text) {
  die("usage",
      "%s is '%s': set it to one or more of "
      "multiprocessors=N,shared=BYTES,l2=BYTES,cooperative=0,pools=0 (shared: %zu to %zu)",
      kVariable, text, kSharedPerBlock, kSharedPerBlockOptin);
}

// Sets `name` to `value`. False if `name` is not known or `value` is not possible.
bool set(Device &device, const std::string &name, long value) {
  const auto bytes = static_cast<std::size_t>(value);
  if (name == "multiprocessors" && value >= 1 && value <= kMultiprocessors)
    device.multiprocessors = static_cast<int>(value);
  else if (name == "shared" && bytes >= kSharedPerBlock && bytes <= kSharedPerBlockOptin)
    device.shared_per_block = bytes;
  else if (name == "l2" && value >= 0 && value <= INT_MAX)
    device.l2_bytes = bytes;
  else if (name == "cooperative" && (value == 0 || value == 1))
    device.cooperative = value;
  else if (name == "pools" && (value == 0 || value == 1))
    device.pools = value;
  else
    return false;
  return true;
}

Device device_from_environment() {
  Device device;
  const char *text = std::getenv(kVariable);
  std::istringstream settings(text ? text : "");
  for (std::string setting; std::getline(settings, setting, ',');) {
    const std::size_t sign = setting.find('=');
    if (sign == std::string::npos) refuse(text);
    char *end = nullptr;
    const long value = std::strtol(setting.c_str() + sign + 1, &end, 10);
    const bool whole = end != setting.c_str() + sign + 1 && *end == '\0';
    if (!whole || !set(device, setting.substr(0, sign), value)) refuse(text);
  }
  return device;
}

}  // namespace

const Device &this_device() {
  static const Device read = device_from_environment();
  return read;
}

}  // namespace cuda_on_cpu
