// The device that the CPU pretends to be. Everything that the runtime API says about "the GPU"
// comes from this table.
#pragma once

#include <cstddef>

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

inline constexpr char kDeviceName[] = "Warpwise virtual GPU (CPU)";
inline constexpr int kComputeCapabilityMajor =
    9;  // the oldest that has every function of this vocabulary: clusters are the youngest
inline constexpr int kComputeCapabilityMinor = 0;

inline constexpr unsigned kWarpSize = 32;
inline constexpr unsigned kMaxThreadsPerBlock = 1024;
inline constexpr unsigned kMaxBlockDimZ = 64;
inline constexpr std::size_t kMaxArgumentBytes = 32764;  // of a launch
inline constexpr unsigned kMaxGridsDeep = 24;  // grids that launch grids
inline constexpr unsigned kMaxGridDimX = 2147483647;
inline constexpr unsigned kMaxGridDimYZ = 65535;

inline constexpr std::size_t kSharedPerBlock = 48
                                               << 10;  // static, or dynamic + static without opt-in
inline constexpr std::size_t kSharedPerBlockOptin =
    227 << 10;  // dynamic + static after cudaFuncSetAttribute
inline constexpr std::size_t kSharedPerMultiprocessor = 228 << 10;
inline constexpr std::size_t kSharedReservedPerBlock =
    1 << 10;  // what CUDA itself takes from every block

inline constexpr int kMultiprocessors = 16;
inline constexpr int kMaxThreadsPerMultiprocessor = 2048;
inline constexpr int kMaxBlocksPerMultiprocessor = 32;
inline constexpr int kRegistersPerBlock = 65536;

inline constexpr unsigned kPortableCluster = 8;  // blocks
inline constexpr unsigned kLargestCluster = 16;  // if cudaFuncSetAttribute allows it

inline constexpr std::size_t kGlobalMemory =
    std::size_t{8} << 30;  // cudaMalloc beyond this: cudaErrorMemoryAllocation
inline constexpr std::size_t kConstantMemory = 64 << 10;
inline constexpr int kL2CacheBytes = 4 << 20;
inline constexpr int kClockKilohertz = 1000000;
inline constexpr int kMemoryClockKilohertz = 1000000;
inline constexpr int kMemoryBusBits = 256;

inline constexpr std::size_t kAllocationAlignment = 256;

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
