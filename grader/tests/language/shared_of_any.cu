// Nor may a template's have two: nvcc looks at this when the rest is right.
template <class T>
__global__ void of_any(T *out) {
  extern __shared__ T any[];  // ERROR one name has one type in a file
  out[0] = any[0] = 4;
}
void launch(float *floats, double *doubles) {
  of_any<<<1, 1, 4>>>(floats);
  of_any<<<1, 1, 8>>>(doubles);
}
