#include "device/device.hpp"

#include <climits>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "base/kernel_runs.hpp"
#include "base/own_mutex.hpp"
#include "cuda_on_cpu/peers.hpp"
#include "device/pools.hpp"
#include "messages/diagnostics.hpp"
#include "messages/errors.hpp"
#include "streams/stream_order.hpp"

namespace cuda_on_cpu {
namespace {

constexpr const char kVariable[] = "WARPWISE_DEVICE";

[[noreturn]] void refuse(const char *text) {
  die("usage",
      "%s is '%s': set it to one or more of "
      "multiprocessors=N,shared=BYTES,l2=BYTES,cooperative=0,pools=0,devices=2 (shared: %zu to "
      "%zu)",
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
  else if (name == "devices" && (value == 1 || value == 2))
    device.count = static_cast<int>(value);
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

bool is_device(int number) { return number >= 0 && number < this_device().count; }

namespace {
thread_local int current = 0;
OwnMutex peers_mutex;
// the first may use the memory of the second
[[gnu::init_priority(200)]] std::set<std::pair<int, int>> peers;
}  // namespace

int current_device() { return current; }

bool may_use(int device, const void *buffer) {
  const int owner = device_of(buffer);
  if (owner == device || pool_is_open(buffer, device)) return true;
  const std::lock_guard lock(peers_mutex);
  return peers.contains({device, owner});
}

void join_devices() {
  if (asynchrony()) asynchrony()->host_waits_for_all();
}

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaGetDeviceCount(int *count) {
  if (!count) return finish_call(cudaErrorInvalidValue);
  *count = this_device().count;
  return finish_call(cudaSuccess);
}
cudaError_t cudaGetDevice(int *device) {
  const NoKernel no_kernel;  // kernels may call this, too
  if (!device) return finish_call(cudaErrorInvalidValue);
  *device = current;
  return finish_call(cudaSuccess);
}
cudaError_t cudaSetDevice(int device) {
  if (is_device(device)) current = device;
  return finish_call(is_device(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can || !is_device(device)) return finish_call(cudaErrorInvalidDevice);
  *can = is_device(peer) && peer != device;
  return finish_call(cudaSuccess);
}
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int device,
                                      int peer) {
  if (!value || !is_device(device) || !is_device(peer) || device == peer)
    return finish_call(cudaErrorInvalidDevice);
  *value = attribute != cudaDevP2PAttrPerformanceRank;  // 0 is the best rank
  return finish_call(cudaSuccess);
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (flags) return finish_call(cudaErrorInvalidValue);
  if (!is_device(peer) || peer == current) return finish_call(cudaErrorInvalidDevice);
  const std::lock_guard lock(peers_mutex);
  const bool is_new = peers.insert({current, peer}).second;
  return finish_call(is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  const std::lock_guard lock(peers_mutex);
  return finish_call(peers.erase({current, peer}) ? cudaSuccess : cudaErrorPeerAccessNotEnabled);
}
