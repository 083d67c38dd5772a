// Prints in which order eight threads ran; WARPWISE_ORDER and WARPWISE_SEED determine it.
#include <cstdio>

__global__ void print_order() { printf("%d", threadIdx.x); }

int main() {
  print_order<<<1, 8>>>();
  cudaDeviceSynchronize();
  printf("\n");
}
