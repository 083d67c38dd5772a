// Pools of device memory: what they count, whom they are open to, and which one a device uses.
#include <algorithm>
#include <cstdint>
#include <map>

#include "base/own_mutex.hpp"
#include "base/rounding.hpp"
#include "device/device.hpp"
#include "device/pools.hpp"
#include "messages/errors.hpp"
#include "messages/failures.hpp"
#include "streams/registry.hpp"

struct CUmemPoolHandle_st {
  int device = 0;
  bool is_default = false;
  std::uint64_t threshold = 0, used = 0, most_used = 0, reserved = 0, most_reserved = 0;
  int reuse[3] = {1, 1, 1};
  std::map<int, cudaMemAccessFlags> access = {};  // of other devices
};

namespace cuda_on_cpu {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{32} << 20;  // a driver reserves so many bytes at once

struct Given {
  cudaMemPool_t pool;
  std::size_t bytes;
};
OwnMutex pools_mutex;
[[gnu::init_priority(200)]] std::map<const void *, Given> from_pool;
[[gnu::init_priority(200)]] std::map<int, cudaMemPool_t> chosen;  // by device

auto &pools() { return Registry<CUmemPoolHandle_st>::instance(); }

cudaMemPool_t default_pool(int device) {
  static std::map<int, cudaMemPool_t> all;
  const std::lock_guard lock(pools_mutex);
  cudaMemPool_t &pool = all[device];
  if (!pool) pool = pools().create({.device = device, .is_default = true});
  return pool;
}

// All work is over when its call returns: what is above the threshold is given back at once.
void settle(CUmemPoolHandle_st &pool, std::uint64_t keep) {
  const std::uint64_t needed = round_up(pool.used, kStep);
  pool.reserved = std::max(needed, std::min(pool.reserved, keep));
  pool.most_reserved = std::max(pool.most_reserved, pool.reserved);
  pool.most_used = std::max(pool.most_used, pool.used);
}

cudaError_t refuse_because(const char *reason) {
  explain(reason);
  return finish_call(cudaErrorInvalidValue);
}
cudaError_t refuse_pool() { return refuse_because("it is no pool, or has been destroyed"); }

}  // namespace

cudaMemPool_t pool_of(int device) {
  cudaMemPool_t pool = nullptr;
  {
    const std::lock_guard lock(pools_mutex);
    pool = chosen[device];
  }
  return is_pool(pool) ? pool : default_pool(device);
}

bool is_pool(cudaMemPool_t pool) { return pool && pools().has(pool); }

void pool_gives(cudaMemPool_t pool, const void *buffer, std::size_t bytes) {
  const std::lock_guard lock(pools_mutex);
  from_pool[buffer] = {pool, bytes};
  pool->used += bytes;
  settle(*pool, UINT64_MAX);
}

bool pool_is_open(const void *buffer, int device) {
  const std::lock_guard lock(pools_mutex);
  const auto found = from_pool.find(buffer);
  if (found == from_pool.end() || !is_pool(found->second.pool)) return false;
  const auto &access = found->second.pool->access;
  const auto one = access.find(device);
  return one != access.end() && one->second != cudaMemAccessFlagsProtNone;
}

void pool_gets_back(const void *buffer) {
  const std::lock_guard lock(pools_mutex);
  const auto found = from_pool.find(buffer);
  if (found == from_pool.end()) return;
  if (const auto [pool, bytes] = found->second; is_pool(pool)) {
    pool->used -= bytes;
    settle(*pool, pool->threshold);
  }
  from_pool.erase(found);
}

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties) {
  if (!pool || !properties) return finish_call(cudaErrorInvalidValue);
  if (!this_device().pools) return finish_call(cudaErrorNotSupported);
  if (properties->allocType != cudaMemAllocationTypePinned)
    return refuse_because("allocType of a pool must be cudaMemAllocationTypePinned");
  if (properties->location.type != cudaMemLocationTypeDevice || !is_device(properties->location.id))
    return refuse_because(
        "location of a pool must be a device: cudaMemLocationTypeDevice and its number");
  if (properties->handleTypes != cudaMemHandleTypeNone) return finish_call(cudaErrorNotSupported);
  *pool = pools().create({.device = properties->location.id});
  return finish_call(cudaSuccess);
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  if (!is_pool(pool)) return refuse_pool();
  if (pool->is_default) return refuse_because("the default pool of a device stays");
  pools().destroy(pool);
  return finish_call(cudaSuccess);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  if (!is_pool(pool)) return refuse_pool();
  if (!value) return finish_call(cudaErrorInvalidValue);
  const std::lock_guard lock(pools_mutex);
  const auto number = [&] { return *static_cast<const std::uint64_t *>(value); };
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      pool->reuse[attribute - 1] = *static_cast<const int *>(value);
      return finish_call(cudaSuccess);
    case cudaMemPoolAttrReleaseThreshold:
      pool->threshold = number();
      return finish_call(cudaSuccess);
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      if (number() != 0) break;  // it can only be begun anew
      (attribute == cudaMemPoolAttrUsedMemHigh ? pool->most_used : pool->most_reserved) = 0;
      settle(*pool, UINT64_MAX);
      return finish_call(cudaSuccess);
    default:
      break;
  }
  return refuse_because("this attribute of a pool cannot be set to that");
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  if (!is_pool(pool)) return refuse_pool();
  if (!value) return finish_call(cudaErrorInvalidValue);
  const std::lock_guard lock(pools_mutex);
  if (attribute >= cudaMemPoolReuseFollowEventDependencies &&
      attribute <= cudaMemPoolReuseAllowInternalDependencies) {
    *static_cast<int *>(value) = pool->reuse[attribute - 1];
    return finish_call(cudaSuccess);
  }
  const std::uint64_t numbers[] = {pool->threshold, pool->reserved, pool->most_reserved, pool->used,
                                   pool->most_used};
  if (attribute < cudaMemPoolAttrReleaseThreshold || attribute > cudaMemPoolAttrUsedMemHigh)
    return finish_call(cudaErrorInvalidValue);
  *static_cast<std::uint64_t *>(value) = numbers[attribute - cudaMemPoolAttrReleaseThreshold];
  return finish_call(cudaSuccess);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
  if (!is_pool(pool)) return refuse_pool();
  const std::lock_guard lock(pools_mutex);
  settle(*pool, bytes);
  return finish_call(cudaSuccess);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *list, size_t count) {
  if (!is_pool(pool)) return refuse_pool();
  if (!list && count) return finish_call(cudaErrorInvalidValue);
  const std::lock_guard lock(pools_mutex);
  for (size_t i = 0; i < count; ++i) {
    const cudaMemAccessDesc &one = list[i];
    if (one.location.type != cudaMemLocationTypeDevice || !is_device(one.location.id))
      return finish_call(cudaErrorInvalidDevice);
    if (one.location.id == pool->device && one.flags != cudaMemAccessFlagsProtReadWrite)
      return refuse_because("a pool's own device always reads and writes its memory");
    pool->access[one.location.id] = one.flags;
  }
  return finish_call(cudaSuccess);
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 cudaMemLocation *location) {
  if (!is_pool(pool)) return refuse_pool();
  if (!flags || !location || !is_device(location->id)) return finish_call(cudaErrorInvalidValue);
  const std::lock_guard lock(pools_mutex);
  const auto found = pool->access.find(location->id);
  *flags = location->id == pool->device   ? cudaMemAccessFlagsProtReadWrite
           : found == pool->access.end() ? cudaMemAccessFlagsProtNone
                                          : found->second;
  return finish_call(cudaSuccess);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (!is_device(device)) return finish_call(cudaErrorInvalidDevice);
  if (!pool) return finish_call(cudaErrorInvalidValue);
  if (!this_device().pools) return finish_call(cudaErrorNotSupported);
  *pool = default_pool(device);
  return finish_call(cudaSuccess);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  if (const cudaError_t error = cudaDeviceGetDefaultMemPool(pool, device)) return error;
  const std::lock_guard lock(pools_mutex);
  if (is_pool(chosen[device])) *pool = chosen[device];
  return finish_call(cudaSuccess);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (!is_device(device)) return finish_call(cudaErrorInvalidDevice);
  if (!is_pool(pool)) return refuse_pool();
  if (pool->device != device) return refuse_because("the pool belongs to another device");
  const std::lock_guard lock(pools_mutex);
  chosen[device] = pool;
  return finish_call(cudaSuccess);
}
