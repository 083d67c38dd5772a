// Arrays of device code whose size is known only when it runs. Host code may have them, as g++ has.
__global__ void sized(float *p, int n) {
  float mine[n];  // ERROR size of `mine`
  const int each = n / blockDim.x;
  int first = 0, rank[2][each] = {};  // ERROR size of `rank`
  mine[0] = p[rank[0][first]];
  auto last = [=](int k) { float some[k]; some[0] = p[k]; return some[0]; };  // ERROR size of `some`
  p[0] = mine[0] + last(n);
}
__host__ __device__ int sized_for_both(int n) {
  int mine[n + 1];  // ERROR size of `mine`
  mine[0] = n;
  return mine[0];
}
int sized_on_host(int n) {
  int mine[n];
  mine[0] = n;
  return mine[0];
}
template <class T>
__global__ void sized_in_template(T *p, int n) {
  T mine[n];  // ERROR size of `mine`
  mine[0] = p[n];
  p[0] = mine[0];
}
int main() {
  sized<<<1, 1>>>(nullptr, sized_for_both(1) + sized_on_host(2));
  sized_in_template<<<1, 1>>>((int *)nullptr, 1);
}
