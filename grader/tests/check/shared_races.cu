// Missing barriers: threads of one block in shared memory.
#include "case.cuh"

__global__ void count_smaller(const int *in, int *out, bool bug) {
  __shared__ int key[64];
  const int t = threadIdx.x;
  key[t] = in[t];  // BUG race load_count
  if (!bug) __syncthreads();
  int rank = 0;
  for (int j = 0; j < 64; ++j)
    rank += key[j] < key[t] || (key[j] == key[t] && j < t);  // BUG race load_count
  out[rank] = in[t];
}
CASE(load_count) {
  Buffer<int> in(64), out(64);
  count_smaller<<<1, 64>>>(in, out, bug);
}

__global__ void move_keys(int *keys, bool early_store, bool early_return) {
  __shared__ int key[64];
  const int t = threadIdx.x;
  key[t] = keys[t];
  __syncthreads();
  int rank = 0;
  for (int j = 0; j < 64; ++j)
    rank += key[j] > key[t] || (key[j] == key[t] && j > t);  // BUG race before_store
  const int moving = rank + 1;
  if (!early_store) __syncthreads();
  key[rank] = moving;  // BUG race before_store before_write_back
  if (!early_return) __syncthreads();
  keys[t] = key[t];  // BUG race before_write_back
}
CASE(before_store) {
  Buffer<int> keys(64);
  move_keys<<<1, 64>>>(keys, bug, false);
}
CASE(before_write_back) {
  Buffer<int> keys(64);
  move_keys<<<1, 64>>>(keys, false, bug);
}

__global__ void sum_tiles(const int *in, int *out, bool no_first, bool no_second) {
  __shared__ int tile[32][33];
  int sum = 0;
  for (int step = 0; step < 3; ++step) {
    tile[threadIdx.y][threadIdx.x] = in[step];  // BUG race tile_first tile_second
    if (!no_first) __syncthreads();
    sum += tile[threadIdx.x][threadIdx.y];  // BUG race tile_first tile_second
    if (!no_second) __syncthreads();
  }
  out[threadIdx.y * 32 + threadIdx.x] = sum;
}
CASE(tile_first) {
  Buffer<int> in(3), out(1024);
  sum_tiles<<<1, dim3(32, 32)>>>(in, out, bug, false);
}
CASE(tile_second) {
  Buffer<int> in(3), out(1024);
  sum_tiles<<<1, dim3(32, 32)>>>(in, out, false, bug);
}

__global__ void reduce(const int *in, int *out, bool bug) {
  extern __shared__ int partial[];
  const int t = threadIdx.x;
  partial[t] = in[t];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];  // BUG race reduce_64 reduce_256 reduce_1024
    if (!bug) __syncthreads();
  }
  if (t == 0) out[0] = partial[0];
}
void run_reduce(int threads, bool bug) {
  Buffer<int> in(threads), out(1);
  reduce<<<1, threads, threads * sizeof(int)>>>(in, out, bug);
}
CASE(reduce_64) { run_reduce(64, bug); }
CASE(reduce_256) { run_reduce(256, bug); }
CASE(reduce_1024) { run_reduce(1024, bug); }

__global__ void first_from_last(int *out, bool bug) {
  __shared__ int word;
  if (threadIdx.x == 1023) word = 7;  // BUG race far_apart
  if (!bug) __syncthreads();
  if (threadIdx.x == 0) out[0] = word;  // BUG race far_apart
}
CASE(far_apart) {
  Buffer<int> out(1);
  first_from_last<<<1, 1024>>>(out, bug);
}

__global__ void count_even(const int *in, int *out, bool bug) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;  // BUG race counter_cleared_late
  if (!bug) __syncthreads();
  if (in[threadIdx.x] % 2 == 0) atomicAdd(&count, 1);  // BUG race counter_cleared_late
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}
CASE(counter_cleared_late) {
  Buffer<int> in(128), out(1);
  count_even<<<1, 128>>>(in, out, bug);
}

__global__ void histogram(const int *in, int *out, bool plain, bool early_flush) {
  __shared__ int bins[8];
  const int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  __syncthreads();
  if (plain)
    bins[in[t] % 8] += 1;  // BUG race histogram_plain
  else
    atomicAdd(&bins[in[t] % 8], 1);  // BUG race histogram_flush
  if (!early_flush) __syncthreads();
  if (t < 8) atomicAdd(&out[t], bins[t]);  // BUG race histogram_flush
}
CASE(histogram_plain) {
  Buffer<int> in(256), out(8);
  histogram<<<2, 256>>>(in, out, bug, false);
}
CASE(histogram_flush) {
  Buffer<int> in(256), out(8);
  histogram<<<2, 256>>>(in, out, false, bug);
}

__global__ void odd_even(int *keys, int n, bool bug) {
  extern __shared__ int key[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) key[i] = keys[i];
  __syncthreads();
  for (int phase = 0; phase < n; ++phase) {
    const int i = bug ? t : 2 * t + phase % 2;  // all neighbours at once, or every second one
    if (i + 1 < n && key[i] >= key[i + 1]) {  // BUG race odd_even
      const int left = key[i];
      key[i] = key[i + 1];
      key[i + 1] = left;  // BUG race odd_even
    }
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) keys[i] = key[i];
}
CASE(odd_even) {
  Buffer<int> keys(64);
  odd_even<<<1, bug ? 64 : 32, 64 * sizeof(int)>>>(keys, 64, bug);
}

__global__ void scan(const int *in, int *out, bool bug) {
  __shared__ int sum[256];
  const int t = threadIdx.x;
  sum[t] = in[t];
  __syncthreads();
  for (int distance = 1; distance < 256; distance *= 2) {
    const int left = t >= distance ? sum[t - distance] : 0;  // BUG race scan
    if (!bug) __syncthreads();
    sum[t] += left;  // BUG race scan
    __syncthreads();
  }
  out[t] = sum[t];
}
CASE(scan) {
  Buffer<int> in(256), out(256);
  scan<<<1, 256>>>(in, out, bug);
}

// Four neighbouring chars share a word, but are still four variables.
__global__ void mark_chars(int *out, bool bug) {
  __shared__ char mark[128];
  const int t = threadIdx.x;
  mark[t] = t % 2;  // BUG race chars
  if (!bug) __syncthreads();
  out[t] = mark[bug ? t ^ 1 : 127 - t];  // BUG race chars
}
CASE(chars) {
  Buffer<int> out(128);
  mark_chars<<<1, 128>>>(out, bug);
}

__global__ void own_places(int *out, bool bug) {
  __shared__ short places[256];
  const int t = threadIdx.x;
  places[t] = t;
  if (!bug) __syncthreads();  // a barrier that the twin does not need either
  out[t] = places[bug ? (t + 128) % 256 : t];
}
CASE(quiet_neighbours) {  // without a mark: silent in both forms
  Buffer<int> out(256);
  own_places<<<1, 256>>>(out, false);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
