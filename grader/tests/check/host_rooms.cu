// Copies of every kind from and to arrays of the host that are too short: symbols, rows, boxes.
#include "case.cuh"

__constant__ float filter[64];
__device__ int totals[64];
__global__ void fill_totals() { totals[threadIdx.x] = threadIdx.x; }
float samples[64];

struct Array {
  Array() {
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &channels, 8, 8);
    const float zeros[8][8] = {};
    cudaMemcpy2DToArray(array, 0, 0, zeros, 32, 32, 8, cudaMemcpyHostToDevice);
  }
  ~Array() { cudaFreeArray(array); }
  Array(const Array &) = delete;
  operator cudaArray_t() const { return array; }
  cudaArray_t array;
};

CASE(filter_of_nine) {
  const float weights[9] = {};
  cudaMemcpyToSymbolAsync(filter, weights, (bug ? 10 : 9) * sizeof(float), 0, cudaMemcpyHostToDevice, 0);  // BUG memory filter_of_nine
}
CASE(filter_on_the_heap) {
  const std::vector<float> weights(9);
  cudaMemcpyToSymbol(filter, weights.data(), (bug ? 10 : 9) * sizeof(float));  // BUG memory filter_on_the_heap
}
CASE(filter_from_the_middle) {
  if (bug) cudaMemcpyToSymbol(filter, samples + 8, sizeof filter);  // BUG memory filter_from_the_middle
  else cudaMemcpyToSymbol(filter, samples, sizeof filter);
}
CASE(totals_of_half) {
  fill_totals<<<1, 64>>>();
  int half[32];
  cudaMemcpyFromSymbol(half, totals, (bug ? 33 : 32) * sizeof(int));  // BUG memory totals_of_half
  EXPECT(half[3] == 3);
}
CASE(one_row_more_in_a_stream) {
  Buffer<float> device(64);
  const float rows[4][8] = {};
  cudaMemcpy2DAsync(device, 32, rows, 32, 32, bug ? 5 : 4, cudaMemcpyHostToDevice, 0);  // BUG memory one_row_more_in_a_stream
  cudaDeviceSynchronize();
}
CASE(one_row_more_into_an_array) {
  const Array array;
  const float rows[4][8] = {};
  cudaMemcpy2DToArray(array, 0, 0, rows, 32, 32, bug ? 5 : 4, cudaMemcpyHostToDevice);  // BUG memory one_row_more_into_an_array
}
CASE(one_row_more_from_an_array) {
  const Array array;
  float rows[4][8];
  cudaMemcpy2DFromArray(rows, 32, array, 0, 0, 32, bug ? 5 : 4, cudaMemcpyDeviceToHost);  // BUG memory one_row_more_from_an_array
  EXPECT(rows[3][7] == 0);
}
CASE(one_slice_more) {
  cudaPitchedPtr device;
  cudaMalloc3D(&device, make_cudaExtent(16, 4, 4));
  float box[4][4][4] = {};
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(box, 16, 4, 4);
  copy.srcPos = make_cudaPos(0, 0, 2);
  copy.dstPtr = device;
  copy.extent = make_cudaExtent(16, 4, bug ? 3 : 2);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);  // BUG memory one_slice_more
  cudaFree(device.ptr);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
