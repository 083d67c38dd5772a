// One place, accessed with different widths: a double and one half of it, a float4 and its floats,
// bytes and their word. The checker begins with one cell for the widest of them.
#include "case.cuh"

// a double, of which another thread writes one half as an int
__global__ void half_of_double(double *d, bool bug) {
  const int i = threadIdx.x;
  d[i] = i;  // BUG race half_of_double
  if (!bug) __syncthreads();
  if (i == 60) reinterpret_cast<int *>(d)[2 * 40 + 1] = 0;  // BUG race half_of_double
}
CASE(half_of_double) {
  Buffer<double> d(64);
  half_of_double<<<1, 64>>>(d, bug);
}

// float4 written, its last float read by the neighbour
__global__ void last_of_four(float4 *v, float *out, bool bug) {
  const int i = threadIdx.x;
  v[i] = make_float4(1, 2, 3, i);  // BUG race last_of_four
  if (!bug) __syncthreads();
  out[i] = reinterpret_cast<const float *>(v)[4 * ((i + 33) % 64) + 3];  // BUG race last_of_four
}
CASE(last_of_four) {
  Buffer<float4> v(64);
  Buffer<float> out(64);
  last_of_four<<<1, 64>>>(v, out, bug);
  EXPECT(down(out.data, 64)[0] == 33);
}

// floats read first, then a float4 written by another warp
__global__ void floats_then_four(float *a, float *out, bool bug) {
  const int i = threadIdx.x;
  out[i] = a[i];  // BUG race floats_then_four
  if (!bug) __syncthreads();
  if (i >= 96 && i < 100)
    reinterpret_cast<float4 *>(a)[i - 96] = make_float4(0, 0, 0, 0);  // BUG race floats_then_four
}
CASE(floats_then_four) {
  Buffer<float> a(128), out(128);
  floats_then_four<<<1, 128>>>(a, out, bug);
}

// bytes of one word by four threads; a fifth reads the word
__global__ void bytes_and_word(unsigned char *b, unsigned *out, bool bug) {
  const int i = threadIdx.x;
  b[i] = i;  // BUG race bytes_and_word
  if (!bug) __syncthreads();
  if (i < 64) out[i] = reinterpret_cast<unsigned *>(b)[(i + 32) % 64];  // BUG race bytes_and_word
}
CASE(bytes_and_word) {
  Buffer<unsigned char> b(256);
  Buffer<unsigned> out(64);
  bytes_and_word<<<1, 256>>>(b, out, bug);
  EXPECT(down(out.data, 64)[32] == 0x03020100u);
}

// doubles first, then bytes of the same page by others
__global__ void doubles_then_bytes(double *d, bool bug) {
  const int i = threadIdx.x;
  d[i] = 1;  // BUG race doubles_then_bytes
  if (!bug) __syncthreads();
  reinterpret_cast<char *>(d)[8 * ((i + 1) % 32) + 7] = 0x40;  // BUG race doubles_then_bytes
}
CASE(doubles_then_bytes) {
  Buffer<double> d(32);
  doubles_then_bytes<<<1, 32>>>(d, bug);
}

// only the half of a double2 is set
__global__ void second_unset(double2 *v, bool bug) {
  v[threadIdx.x].x = 1;
  if (!bug) v[threadIdx.x].y = 2;
}
__global__ void sum_both(const double2 *v, double *out) {
  const double2 one = v[threadIdx.x];  // BUG uninitialised half_of_double2
  out[threadIdx.x] = one.x + one.y;
}
CASE(half_of_double2) {
  Buffer<double2> v(32, Content::nothing);
  Buffer<double> out(32);
  second_unset<<<1, 32>>>(v, bug);
  sum_both<<<1, 32>>>(v, out);
  EXPECT(down(out.data, 32)[3] == 3);
}

// two warps exchange doubles through shared memory of floats
__global__ void cast_tile(const double *in, double *out, bool bug) {
  __shared__ __align__(8) float tile[128];
  double *d = reinterpret_cast<double *>(tile);
  d[threadIdx.x] = in[threadIdx.x];  // BUG race cast_tile
  if (bug)
    __syncwarp();
  else
    __syncthreads();
  out[threadIdx.x] = d[63 - threadIdx.x];  // BUG race cast_tile
}
CASE(cast_tile) {
  Up<double> in(counting<double>(64));
  Buffer<double> out(64);
  cast_tile<<<1, 64>>>(in, out, bug);
  EXPECT(down(out.data, 64)[0] == 63);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
