// cub: what its documentation forbids, and what a program does wrong around it.
#include <cub/cub.cuh>

#include "case.cuh"

// ---- TempStorage is used again, and nothing says that all threads are done with it
__global__ void two_sums(const int *in, int *out, bool bug) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ Reduce::TempStorage temp;
  const int sum = Reduce(temp).Sum(in[threadIdx.x]);  // BUG race reduced_twice
  if (!bug) __syncthreads();
  const auto larger = [](int a, int b) { return a > b ? a : b; };
  const int most = Reduce(temp).Reduce(in[threadIdx.x], larger);  // BUG race reduced_twice
  if (threadIdx.x == 0) out[0] = sum, out[1] = most;
}
CASE(reduced_twice) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(2);
  two_sums<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 2) == (std::vector{2016, 63}));
}
__global__ void sums_of_rows(const int *in, int *out, int rows, bool bug) {
  using Scan = cub::BlockScan<int, 64>;
  __shared__ Scan::TempStorage temp;
  for (int row = 0; row < rows; ++row) {
    int before;
    Scan(temp).ExclusiveSum(in[row * 64 + threadIdx.x], before);  // BUG race scanned_in_a_loop
    out[row * 64 + threadIdx.x] = before;
    if (!bug) __syncthreads();
  }
}
CASE(scanned_in_a_loop) {
  Up<int> in(std::vector<int>(192, 2));
  Buffer<int> out(192);
  sums_of_rows<<<1, 64>>>(in, out, 3, bug);
  EXPECT(down<int>(out, 192)[191] == 126);
}
__global__ void load_and_sort(const int *in, int *out, bool bug) {
  using Load = cub::BlockLoad<int, 32, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, 32, 4>;
  __shared__ union {
    Load::TempStorage load;
    Sort::TempStorage sort;
  } temp;
  int keys[4];
  Load(temp.load).Load(in, keys);  // BUG race one_room_for_two
  if (!bug) __syncthreads();
  Sort(temp.sort).Sort(keys);  // BUG race one_room_for_two
  cub::StoreDirectBlocked(threadIdx.x, out, keys);
}
CASE(one_room_for_two) {
  std::vector<int> turned = counting<int>(128);
  for (int i = 0; i < 64; ++i) std::swap(turned[i], turned[127 - i]);
  Up<int> in(turned);
  Buffer<int> out(128);
  load_and_sort<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 128) == counting<int>(128));
}
__global__ void sort_twice(int *keys, bool bug) {
  using Sort = cub::BlockRadixSort<int, 32, 2>;
  __shared__ Sort::TempStorage temp;
  int own[2];
  cub::LoadDirectBlocked(threadIdx.x, keys, own);
  Sort(temp).Sort(own, 0, 4);  // BUG race sorted_twice
  if (!bug) __syncthreads();
  Sort(temp).Sort(own, 4, 8);  // BUG race sorted_twice
  cub::StoreDirectBlocked(threadIdx.x, keys, own);
}
CASE(sorted_twice) {
  std::vector<int> mixed = counting<int>(64);
  for (int i = 0; i < 64; ++i) mixed[i] = i * 37 % 64;
  Up<int> keys(mixed);
  sort_twice<<<1, 32>>>(keys, bug);
  EXPECT(down<int>(keys, 64) == counting<int>(64));
}
__global__ void room_for_numbers(const int *in, int *out, bool bug) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ union {
    Reduce::TempStorage reduce;
    int numbers[64];
  } temp;
  const int sum = Reduce(temp.reduce).Sum(in[threadIdx.x]);  // BUG race room_for_other_things
  if (!bug) __syncthreads();
  temp.numbers[threadIdx.x] = in[threadIdx.x] + 1;  // BUG race room_for_other_things
  __syncthreads();
  if (threadIdx.x == 0) *out = sum + temp.numbers[63];
}
CASE(room_for_other_things) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(1);
  room_for_numbers<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 1)[0] == 2016 + 64);
}

// ---- a primitive's barrier is a barrier, and only a barrier
__global__ void through_a_scan(const int *in, int *out, bool bug) {
  using Scan = cub::BlockScan<int, 64>;
  __shared__ Scan::TempStorage temp;
  __shared__ int tile[64];
  int sum = 0;
  if (bug) Scan(temp).InclusiveSum(in[threadIdx.x], sum);
  tile[threadIdx.x] = in[threadIdx.x];  // BUG race read_after_the_scan
  if (!bug) Scan(temp).InclusiveSum(in[threadIdx.x], sum);
  out[threadIdx.x] = sum + tile[63 - threadIdx.x];  // BUG race read_after_the_scan
}
CASE(read_after_the_scan) {
  Up<int> in(std::vector<int>(64, 1));
  Buffer<int> out(64);
  through_a_scan<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 64)[63] == 65);
}
__global__ void some_threads_sum(const int *in, int *out, unsigned n, bool bug) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ Reduce::TempStorage temp;
  const int value = threadIdx.x < n ? in[threadIdx.x] : 0;
  if (bug && threadIdx.x >= n) return;
  const int sum = Reduce(temp).Sum(value);  // BUG barrier reduced_by_some
  if (threadIdx.x == 0) *out = sum;
}
CASE(reduced_by_some) {
  Up<int> in(counting<int>(40));
  Buffer<int> out(1);
  some_threads_sum<<<1, 64>>>(in, out, 40, bug);
  EXPECT(down<int>(out, 1)[0] == 780);
}

// ---- a block of another size
__global__ void sum_of_128(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ Reduce::TempStorage temp;
  const int sum = Reduce(temp).Sum(in[threadIdx.x]);  // BUG error block_too_small
  if (threadIdx.x == 0) *out = sum;
}
CASE(block_too_small) {
  Up<int> in(counting<int>(128));
  Buffer<int> out(1);
  sum_of_128<<<1, bug ? 64 : 128>>>(in, out);
  EXPECT(down<int>(out, 1)[0] == 8128);
}
__global__ void scan_of_a_square(const int *in, int *out) {
  using Scan = cub::BlockScan<int, 8, cub::BLOCK_SCAN_WARP_SCANS, 8>;
  __shared__ Scan::TempStorage temp;
  const int rank = threadIdx.y * blockDim.x + threadIdx.x;
  int sum;
  Scan(temp).InclusiveSum(in[rank], sum);  // BUG error row_for_a_square
  out[rank] = sum;
}
CASE(row_for_a_square) {
  Up<int> in(std::vector<int>(64, 3));
  Buffer<int> out(64);
  scan_of_a_square<<<1, bug ? dim3(64) : dim3(8, 8)>>>(in, out);
  EXPECT(down<int>(out, 64)[63] == 192);
}

// ---- items that are not there
__global__ void load_tiles(const int *in, int *out, int n, bool bug) {
  using Load = cub::BlockLoad<int, 32, 2, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  __shared__ Load::TempStorage temp;
  int own[2];
  if (bug)
    Load(temp).Load(in, own);  // BUG memory tile_not_full
  else
    Load(temp).Load(in, own, n, 0);
  out[threadIdx.x] = own[0] + own[1];
}
CASE(tile_not_full) {
  Up<int> in(counting<int>(50));
  Buffer<int> out(32);
  load_tiles<<<1, 32>>>(in, out, 50, bug);
  EXPECT(down<int>(out, 32)[24] == 97);
}
template <class Call>
void with_storage(Call call) {
  void *temp = nullptr;
  std::size_t bytes = 0;
  call(temp, bytes);
  cudaMalloc(&temp, bytes);
  call(temp, bytes);
  cudaFree(temp);
}
CASE(one_item_too_many) {
  Up<float> in(std::vector<float>(100, 0.5f));
  Buffer<float> sum(1);
  with_storage([&](void *temp, std::size_t &bytes) {
    cub::DeviceReduce::Sum(temp, bytes, in.data, sum.data, bug ? 101 : 100);  // BUG memory one_item_too_many
  });
  EXPECT(down<float>(sum, 1)[0] == 50.0f);
}
CASE(sorted_past_the_end) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(bug ? 60 : 64);
  with_storage([&](void *temp, std::size_t &bytes) {
    cub::DeviceRadixSort::SortKeys(temp, bytes, in.data, out.data, 64);  // BUG memory sorted_past_the_end
  });
  EXPECT(down<int>(out, 64) == counting<int>(64));
}
CASE(lengths_not_written) {
  Up<int> in(std::vector<int>{4, 4, 9});
  Buffer<int> unique(3, Content::nothing), lengths(3, Content::nothing), sums(3), runs(1);
  with_storage([&](void *temp, std::size_t &bytes) {
    cub::DeviceRunLengthEncode::Encode(temp, bytes, in.data, unique.data, lengths.data, runs.data, 3);
  });
  with_storage([&](void *temp, std::size_t &bytes) {
    cub::DeviceScan::InclusiveSum(temp, bytes, lengths.data, sums.data, bug ? 3 : 2);  // BUG uninitialised lengths_not_written
  });
  EXPECT(down<int>(sums, 2) == (std::vector{2, 3}));
}

// ---- the two calls of a function for the whole device
CASE(storage_of_a_smaller_call) {
  Up<int> in(counting<int>(1000));
  Buffer<int> out(1000);
  void *temp = nullptr;
  std::size_t bytes = 0;
  cub::DeviceRadixSort::SortKeysDescending(temp, bytes, in.data, out.data, bug ? 10 : 1000);
  cudaMalloc(&temp, bytes);
  cub::DeviceRadixSort::SortKeysDescending(temp, bytes, in.data, out.data, 1000);  // BUG error storage_of_a_smaller_call
  EXPECT(down<int>(out, 1)[0] == 999);
  cudaFree(temp);
}
CASE(less_than_it_says) {
  Up<int> in(counting<int>(1000));
  Buffer<int> out(1000);
  void *temp = nullptr;
  std::size_t bytes = 0;
  cub::DeviceRadixSort::SortKeys(temp, bytes, in.data, out.data, 1000);
  cudaMalloc(&temp, bug ? 64 : bytes);
  cub::DeviceRadixSort::SortKeys(temp, bytes, in.data, out.data, 1000);  // BUG memory less_than_it_says
  EXPECT(down<int>(out, 1000) == counting<int>(1000));
  cudaFree(temp);
}
CASE(scanned_in_another_stream) {
  Up<int> in(std::vector<int>(100, 1));
  Buffer<int> sums(100);
  int *host = nullptr;
  cudaMallocHost(reinterpret_cast<void **>(&host), 400);
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  void *temp = nullptr;
  std::size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(temp, bytes, in.data, sums.data, 100, one);
  cudaMalloc(&temp, bytes);
  cub::DeviceScan::InclusiveSum(temp, bytes, in.data, sums.data, 100, one);  // BUG race scanned_in_another_stream
  if (!bug) cudaStreamSynchronize(one);
  cudaMemcpyAsync(host, sums, 400, cudaMemcpyDeviceToHost, other);  // BUG race scanned_in_another_stream
  cudaDeviceSynchronize();
  EXPECT(host[99] == 100);
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
  cudaFreeHost(host);
  cudaFree(temp);
}

// ---- lanes
__global__ void sum_of_lanes(const int *in, int *out, unsigned n, bool bug) {
  using Reduce = cub::WarpReduce<int>;
  __shared__ Reduce::TempStorage temp;
  if (bug && threadIdx.x >= n) return;
  const int sum = bug ? Reduce(temp).Sum(in[threadIdx.x])  // BUG barrier lanes_that_left
                      : Reduce(temp).Sum(in[threadIdx.x], int(n));
  if (threadIdx.x == 0) *out = sum;
}
CASE(lanes_that_left) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(1);
  sum_of_lanes<<<1, 32>>>(in, out, 20, bug);
  EXPECT(down<int>(out, 1)[0] == 190);
}

// ---- what is right stays silent: warps and tiles that are not full, storage of one's own
__global__ void all_kinds(const int *in, int *out, int n) {
  using Load = cub::BlockLoad<int, 40, 3, cub::BLOCK_LOAD_TRANSPOSE>;
  using Scan = cub::BlockScan<int, 40>;
  using Store = cub::BlockStore<int, 40, 3, cub::BLOCK_STORE_TRANSPOSE>;
  using Warp = cub::WarpScan<int>;
  __shared__ Warp::TempStorage of_warp[2];
  int own[3], all, lane;
  Load().Load(in, own, n, 0);
  Scan().InclusiveSum(own, own, all);
  Store().Store(out, own, n);
  Warp(of_warp[threadIdx.x / 32]).InclusiveSum(1, lane);
  if (threadIdx.x == 39) out[n] = all + lane;
}
CASE(quiet_tiles_that_are_not_full) {
  Up<int> in(std::vector<int>(100, 2));
  Buffer<int> out(101);
  all_kinds<<<1, 40>>>(in, out, 100);
  EXPECT(down<int>(out, 101)[99] == 200 && down<int>(out, 101)[100] == 208);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
