// Each -DMISSING=n uses a name that does not exist here; the compiler's message must contain it.
#include <cooperative_groups.h>
#ifndef MISSING
#define MISSING 0
#endif

__global__ void kernel(float *out, cudaTextureObject_t texture) {
#if MISSING == 1
  out[0] = texCubemap<float>(texture, 0.0f, 0.0f, 1.0f);
#elif MISSING == 2
  out[0] = tex2Dgather<float4>(texture, 0.0f, 0.0f).x;
#endif
  (void)out, (void)texture;
}

int main() {
#if MISSING == 3
  cudaIpcOpenMemHandle(nullptr, 0, 0);
#elif MISSING == 4
  cudaGraphGetEdges(nullptr, nullptr, nullptr, nullptr);
#endif
  kernel<<<1, 1>>>(nullptr, 0);
}
