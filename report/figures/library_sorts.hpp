// The sorts that come with the CUDA toolkit, for comparison. Their memory is allocated before the
// clock runs.
#pragma once

#include <vector>

#include "sorters.hpp"

namespace figures {

/// CUB's radix and merge sort of n keys; empty on the CPU backend, which has no CUB.
std::vector<Sorter> library_sorts(std::size_t n);

/// CUB's segmented sort of n / length arrays of `length` keys; empty on the CPU backend.
std::vector<Sorter> library_sorts_of_arrays(std::size_t n, std::size_t length);

}  // namespace figures
