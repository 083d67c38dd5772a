// A race that belongs to the lesson, alone or followed by one that does not.
#include "races.hpp"

#include <cuda_runtime.h>

namespace races {
namespace {

// Each thread copies its neighbour's value while the neighbour may be writing it.
__device__ __noinline__ void shift(int* values) {
  const int i = threadIdx.x;
  const int value = values[(i + 1) % kValues];  // reads the neighbour
  values[i] = value;                            // keeps it
}

__global__ void shift_one(int* dist) { shift(dist); }

__global__ void shift_both(int* dist, int* level) {
  shift(dist);
  shift(level);  // the same two lines, in a buffer where no race is expected
}

__global__ void store_twice(int* dist) {
  shift(dist);
  dist[threadIdx.x / 2] = 6 + threadIdx.x % 2;
  __syncthreads();
  dist[threadIdx.x] = 7;
}

__global__ void read_elsewhere(int* dist) {
  shift(dist);
  const int other = dist[(threadIdx.x + 2) % kValues];  // reads the one after it
  if (other != 7) __trap();
}

__global__ void read_twice(int* dist, int* level) {
  const int i = threadIdx.x;
  if (i > 0) {
    level[1] = 14 - dist[0];  // reads the neighbour
    level[2] = 14 - dist[0];  // and again: the store before may have changed it
  } else {
    dist[0] = 7;  // keeps it
  }
}

__global__ void share(int* dist) {
  __shared__ int tile[kValues];
  shift(dist);
  tile[threadIdx.x] = 7;
  if (tile[(threadIdx.x + 1) % kValues] == 8) __trap();
}

__global__ void run_over(int* dist, int* level) {
  shift(dist);
  if (threadIdx.x == 0) level[kValues] = 7;
}

__constant__ int sevens[2];
__global__ void fill_constant(int* dist) {
  sevens[0] = 7;  // no kernel may do that
  dist[threadIdx.x] = sevens[0];
}
__global__ void read_constant(int* dist) { dist[threadIdx.x] = sevens[threadIdx.x % 2]; }

__global__ void copy(int* dist) { dist[threadIdx.x] = dist[threadIdx.x]; }

}  // namespace

void expected(int* dist, int*) { shift_one<<<1, kValues>>>(dist); }
void other_buffer(int* dist, int* level) { shift_both<<<1, kValues>>>(dist, level); }
void other_kind(int* dist, int*) { store_twice<<<1, kValues>>>(dist); }
void other_line(int* dist, int*) { read_elsewhere<<<1, kValues>>>(dist); }
void other_line_of_same_thread(int* dist, int* level) { read_twice<<<1, 2>>>(dist, level); }
void shared_memory(int* dist, int*) { share<<<1, kValues>>>(dist); }
void outside(int* dist, int* level) { run_over<<<1, kValues>>>(dist, level); }
void constant_written(int* dist, int*) { fill_constant<<<1, kValues>>>(dist); }
void constant_read(int* dist, int*) {
  const int seven[2] = {7, 7};
  cudaMemcpyToSymbol(sevens, seven, sizeof seven);
  read_constant<<<1, kValues>>>(dist);
}
void quiet(int* dist, int*) { copy<<<1, kValues>>>(dist); }

}  // namespace races
