// Arguments of a launch that are objects: they are converted before the kernel begins, as in a call.
#include "expect.cuh"

constexpr int kCount = 4;

/// Owns device memory and turns into its pointer. It cannot be copied.
template <class T>
struct Owner {
  T *pointer;
  Owner() {
    cudaMalloc(&pointer, kCount * sizeof(T));
    cudaMemset(pointer, 0, kCount * sizeof(T));
  }
  ~Owner() { cudaFree(pointer); }
  Owner(const Owner &) = delete;
  operator T *() const { return pointer; }
};

/// A copy has other memory: a kernel that got one would write there.
struct Array {
  int *pointer;
  Array() { cudaMalloc(&pointer, kCount * sizeof(int)); }
  Array(const Array &other) : Array() {
    cudaMemcpy(pointer, other.pointer, kCount * sizeof(int), cudaMemcpyDefault);
  }
  ~Array() { cudaFree(pointer); }
  operator int *() { return pointer; }
};

struct Number {
  int value;
  operator int() const { return value; }
};
struct View {
  int *pointer;
  __host__ __device__ operator int *() const { return pointer; }
  __device__ int at(int i) const { return pointer[i]; }
};
struct Bits {
  unsigned low : 3, high : 5;
};

template <class T>
__global__ void sum(const T *in, int *out, int more) {
  out[threadIdx.x] = static_cast<int>(in[threadIdx.x]) + more;
}
template <class T>
__global__ void with_null(T *out, const int *in, int otherwise) {
  out[threadIdx.x] = in ? in[threadIdx.x] : otherwise;
}
template <class V>
__global__ void through(V view, int *out) {
  out[threadIdx.x] = view.at(threadIdx.x) + 1;
}
template <class T>
__global__ void takes_object(Number number, T *out) {
  out[threadIdx.x] = number.value;
}
__global__ void overloaded(int *out, float value) { out[threadIdx.x] = static_cast<int>(value); }
__global__ void overloaded(int *out, int a, int b) { out[threadIdx.x] = a + b; }

int main() {
  Owner<float> in;
  Owner<int> owner;
  const Owner<int> &constant = owner;
  Array array;
  Bits bits{2, 7};
  sum<<<1, kCount>>>(in.pointer, owner, Number{5});
  EXPECT(from_device(owner.pointer) == 5);
  sum<<<1, kCount>>>(owner.pointer, array, 6);
  EXPECT(from_device(array.pointer) == 11);
  sum<<<1, kCount>>>(in.pointer, constant, 7);
  EXPECT(from_device(owner.pointer) == 7);
  sum<<<1, kCount>>>(in.pointer, owner.pointer, bits.high);
  EXPECT(from_device(owner.pointer) == 7);
  with_null<<<1, kCount>>>(owner.pointer, 0, Number{8});
  EXPECT(from_device(owner.pointer) == 8);
  with_null<<<1, kCount>>>(owner.pointer, array, 0);
  EXPECT(from_device(owner.pointer) == 11);
  through<<<1, kCount>>>(View{array.pointer}, owner);
  EXPECT(from_device(owner.pointer) == 12);
  takes_object<<<1, kCount>>>(Number{13}, owner.pointer);
  EXPECT(from_device(owner.pointer) == 13);
  overloaded<<<1, kCount>>>(owner, 14.5f);
  EXPECT(from_device(owner.pointer) == 14);
  overloaded<<<1, kCount>>>(owner, Number{7}, 8);
  EXPECT(from_device(owner.pointer) == 15);
  EXPECT(cudaGetLastError() == cudaSuccess);
  return failures() != 0;
}
