// Bugs of first programs: rows, tiles, locks, casts.
#include "case.cuh"
// ---- pitched and array copies
__global__ void rows(float *base, size_t pitch, int w, int h, bool bug) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x >= w || y >= h) return;
  float *row = bug ? base + y * pitch : (float *)((char *)base + y * pitch);
  row[x] = 1;  // BUG memory pitch_in_elements
}
CASE(pitch_in_elements) {
  float *p;
  size_t pitch;
  cudaMallocPitch(&p, &pitch, 20 * sizeof(float), 8);
  rows<<<8, 32>>>(p, pitch, 20, 8, bug);
  cudaFree(p);
}
CASE(rows_too_many) {
  Buffer<float> in(8 * 10), out(8 * 10);
  cudaMemcpy2D(out, 40, in, 40, 40, bug ? 9 : 8,  // BUG error rows_too_many
               cudaMemcpyDeviceToDevice);
}
CASE(width_beyond_pitch) {
  Buffer<float> out(80);
  std::vector<float> host(80);
  cudaMemcpy2D(out, 40, host.data(), 40, bug ? 44 : 40, 8,  // BUG error width_beyond_pitch
               cudaMemcpyHostToDevice);
}
CASE(fill_rows_too_many) {
  Buffer<float> out(80);
  cudaMemset2D(out, 40, 0, 40, bug ? 9 : 8);  // BUG error fill_rows_too_many
}
CASE(array_too_small) {
  cudaArray_t a;
  auto d = cudaCreateChannelDesc<float>();
  cudaMallocArray(&a, &d, 16, 16);
  std::vector<float> host(32 * 32);
  cudaMemcpy2DToArray(a, 0, 0, host.data(), 64, 64, bug ? 17 : 16,  // BUG error array_too_small
                      cudaMemcpyHostToDevice);
  cudaFreeArray(a);
}
__global__ void paint(cudaSurfaceObject_t s, bool bug) {
  const int x = threadIdx.x, y = blockIdx.x;
  surf2Dwrite(1.0f, s, (bug ? x + 1 : x) * 4, y);  // BUG memory surface_outside
}
CASE(surface_outside) {
  cudaArray_t a;
  auto d = cudaCreateChannelDesc<float>();
  cudaMallocArray(&a, &d, 16, 16, cudaArraySurfaceLoadStore);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaSurfaceObject_t s;
  cudaCreateSurfaceObject(&s, &r);
  paint<<<16, 16>>>(s, bug);
  cudaDestroySurfaceObject(s);
  cudaFreeArray(a);
}
// ---- local arrays
__global__ void local_index(const int *in, int *out, int n) {
  int bins[8] = {};
  for (int i = 0; i < n; ++i) bins[in[i]]++;  // BUG memory local_past_end
  out[threadIdx.x] = bins[threadIdx.x];
}
CASE(local_past_end) {
  Buffer<int> in(4), out(8);
  int host[4] = {0, 3, 7, bug ? 8 : 5};
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  local_index<<<1, 8>>>(in, out, 4);
}
// ---- uninitialised shared halo
__global__ void stencil(const int *in, int *out, int n, bool bug) {
  __shared__ int tile[34];
  const int t = threadIdx.x, i = blockIdx.x * 32 + t;
  tile[t + 1] = i < n ? in[i] : 0;
  if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (t == 31 && !bug) tile[33] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[t] + tile[t + 1] + tile[t + 2];  // BUG uninitialised halo_missing
}
CASE(halo_missing) {
  Buffer<int> in(100), out(100);
  stencil<<<4, 32>>>(in, out, 100, bug);
}
__global__ void extern_overlap(int *out, int n, bool bug) {
  extern __shared__ int pool[];
  int *a = pool;
  float *b = (float *)(pool + (bug ? n / 2 : n));
  const int t = threadIdx.x;
  a[t] = t;  // BUG race overlapping_parts
  b[t] = t;  // BUG race overlapping_parts
  __syncthreads();
  out[t] = a[t] + (int)b[t];
}
CASE(overlapping_parts) {
  Buffer<int> out(64);
  extern_overlap<<<1, 64, 512>>>(out, 64, bug);
}
__global__ void double_buffer(const int *in, int *out, int rounds, bool bug) {
  __shared__ int tile[2][32];
  const int t = threadIdx.x;
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    tile[bug ? 0 : r % 2][t] = in[r * 32 + t];  // BUG race double_buffer_one
    __syncthreads();
    sum += tile[bug ? 0 : r % 2][31 - t];  // BUG race double_buffer_one
  }
  out[t] = sum;
}
CASE(double_buffer_one) {
  Buffer<int> in(128), out(32);
  double_buffer<<<1, 32>>>(in, out, 4, bug);
}
struct Flags {
  unsigned a : 4, b : 4;
};
__global__ void bits(Flags *f, unsigned *separate, bool bug) {
  if (!bug) {
    separate[threadIdx.x] = 1;
    return;
  }
  if (threadIdx.x == 0)
    f->a = 1;  // BUG race bit_fields
  else
    f->b = 2;  // BUG race bit_fields
}
CASE(bit_fields) {
  Buffer<Flags> f(1);
  Buffer<unsigned> s(2);
  bits<<<1, 2>>>(f, s, bug);
}
// ---- spin lock, released by a plain store
__global__ void locked(int *lock, int *counter, bool bug) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *counter += 1;
      __threadfence();
      if (bug)
        *lock = 0;  // BUG race lock_plain_release
      else
        atomicExch(lock, 0);
      done = true;
    }
  }
}
CASE(lock_plain_release) {
  Buffer<int> lock(1), counter(1);
  locked<<<4, 32>>>(lock, counter, bug);
}
__global__ void locked_no_fence(int *lock, int *counter, bool bug) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      if (!bug) __threadfence();
      *counter += 1;  // BUG race lock_no_fence
      if (!bug) __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
CASE(lock_no_fence) {
  Buffer<int> lock(1), counter(1);
  locked_no_fence<<<4, 32>>>(lock, counter, bug);
}
// ---- misalignment
__global__ void odd_ints(const unsigned char *in, int *out, bool bug) {
  out[threadIdx.x] =
      *(const int *)(in + threadIdx.x * 4 + (bug ? 1 : 0));  // BUG memory misaligned_int
}
CASE(misaligned_int) {
  Buffer<unsigned char> in(200);
  Buffer<int> out(32);
  odd_ints<<<1, 32>>>(in, out, bug);
}
__global__ void odd_atomic(char *p, bool bug) {
  atomicAdd((unsigned long long *)(p + (bug ? 4 : 8)), 1ull);  // BUG memory misaligned_atomic
}
CASE(misaligned_atomic) {
  Buffer<char> p(64);
  odd_atomic<<<1, 32>>>(p.data, bug);
}
// ---- shuffles
__global__ void active_loop(const int *n, int *out, bool bug) {
  int v = threadIdx.x, sum = 0;
  for (int i = 0; i < (bug ? n[threadIdx.x] : 4); ++i)
    sum += __shfl_xor_sync(0xffffffffu, v, 1);  // BUG barrier shuffle_trips
  out[threadIdx.x] = sum;
}
CASE(shuffle_trips) {
  Buffer<int> n(32), out(32);
  int host[32];
  for (int i = 0; i < 32; ++i) host[i] = i % 3;
  cudaMemcpy(n, host, sizeof host, cudaMemcpyHostToDevice);
  active_loop<<<1, 32>>>(n, out, bug);
}
int main(int count, char **arguments) { return run_case(count, arguments); }
