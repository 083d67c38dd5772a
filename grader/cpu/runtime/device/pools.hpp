// What pools count: which of them a buffer of cudaMallocAsync came from, and how much they hold.
#pragma once

#include <cstddef>

#include "cuda_on_cpu/pool_api.hpp"

namespace cuda_on_cpu {

cudaMemPool_t pool_of(int device);  // that cudaMallocAsync takes from
bool is_pool(cudaMemPool_t pool);
void pool_gives(cudaMemPool_t pool, const void *buffer, std::size_t bytes);
// Has cudaMemPoolSetAccess() let this device use the buffer?
bool pool_is_open(const void *buffer, int device);
void pool_gets_back(const void *buffer);  // nothing happens if it is of no pool

}  // namespace cuda_on_cpu
