// Dynamic shared memory of one name has one type in a file.
namespace other {
__global__ void of_doubles() {
  extern __shared__ double room[];
  room[0] = 1;
}
}  // namespace other
typedef float real;
__global__ void of_floats() {
  extern __shared__ float room[];
  room[0] = 1;
}
__global__ void again(real *out) {
  extern __shared__ real room[];
  out[0] = room[0] = 2;
}
__global__ void of_integers(int *out) {
  extern __shared__ int room[];  // ERROR one name has one type in a file
  out[0] = room[0] = 3;
}
