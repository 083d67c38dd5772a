// Names with letters that are not ASCII's: nvcc takes them, but not for functions and variables of the device.
__device__ int höhe(int länge) { return länge; }  // ERROR `höhe`
__device__ int größe;                             // ERROR `größe`
__constant__ float π[2];                          // ERROR `π`
struct Länge {
  int größer;
  __host__ __device__ int über(int 数) const { return 数 + größer; }  // ERROR `über`
};
template <class Größe>
__global__ void 排序(Größe *schlüssel) {  // ERROR `排序`
  schlüssel[0] = 1;
}
__global__ void fill(int *länge, Länge wert) {
  const int índice = threadIdx.x;
  länge[índice] = wert.größer;
}
int höchste(int tiefe) { return tiefe; }
int main() {
  fill<<<1, 1>>>(nullptr, Länge{höchste(2)});
  排序<<<1, 1>>>((int *)nullptr);
}
