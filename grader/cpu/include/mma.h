// Matrix units do not exist here. The names do, because headers that many programs share include
// this.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
  static_assert(sizeof(T) > 1000, "wmma does not exist in CUDA on the CPU");
};

}  // namespace nvcuda::wmma
