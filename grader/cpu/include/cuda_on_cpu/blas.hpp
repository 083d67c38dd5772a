// cuBLAS: vectors, matrix times vector, matrix times matrix, for float and double. Matrices lie
// column by column, as in cuBLAS.
#pragma once

#include <cmath>

#include "blas_handle.hpp"
#include "library_kernel.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu::blas {

template <class Body>
cublasStatus_t for_each(const char *name, cublasHandle_t handle, long long count, Body body) {
  if (!exists(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  return status(::cuda_on_cpu::for_each(name, handle->stream, count, body));
}

// One thread computes a number, which goes where the pointer mode says.
template <class T, class Body>
cublasStatus_t reduce(const char *name, cublasHandle_t handle, T *result, Body body) {
  if (!exists(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool to_host = handle->mode == CUBLAS_POINTER_MODE_HOST;
  if (to_host && !handle->result && cudaMalloc(&handle->result, sizeof(double)) != cudaSuccess)
    return CUBLAS_STATUS_ALLOC_FAILED;
  T *target = to_host ? static_cast<T *>(handle->result) : result;
  const cublasStatus_t done =
      for_each(name, handle, 1, [=](long long) { *target = static_cast<T>(body()); });
  if (done != CUBLAS_STATUS_SUCCESS || !to_host) return done;
  cudaError_t error =
      cudaMemcpyAsync(result, target, sizeof(T), cudaMemcpyDeviceToHost, handle->stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(handle->stream);
  return status(error);
}

template <class T>
struct Factor {  // alpha or beta: a number of the host, or one on the device
  T value;
  const T *device;
  Factor(cublasHandle_t handle, const T *given)
      : value(handle && handle->mode == CUBLAS_POINTER_MODE_DEVICE ? T{} : *given),
        device(handle && handle->mode == CUBLAS_POINTER_MODE_DEVICE ? given : nullptr) {}
  T get() const { return device ? *device : value; }
};

inline long long place(long long i, int n, int step) {
  return step > 0 ? i * step : (i - n + 1) * step;
}

template <class T>
struct Matrix {
  T *data;
  long long columns_apart;
  bool turned = false;
  T &at(long long row, long long column) const {
    return turned ? data[column + row * columns_apart] : data[row + column * columns_apart];
  }
};

template <class T>
cublasStatus_t gemm(const char *name, cublasHandle_t handle, cublasOperation_t op_a,
                    cublasOperation_t op_b, int m, int n, int k, const T *alpha, const T *a,
                    int lda, long long next_a, const T *b, int ldb, long long next_b, const T *beta,
                    T *c, int ldc, long long next_c, int batches) {
  if (m < 0 || n < 0 || k < 0 || ldc < m || lda < (op_a == CUBLAS_OP_N ? m : k) ||
      ldb < (op_b == CUBLAS_OP_N ? k : n))
    return CUBLAS_STATUS_INVALID_VALUE;
  const Factor<T> scale(handle, alpha), keep(handle, beta);
  return for_each(name, handle, 1ll * m * n * batches, [=](long long i) {
    const long long row = i % m, column = i / m % n, batch = i / m / n;
    const Matrix<const T> left{a + batch * next_a, lda, op_a != CUBLAS_OP_N};
    const Matrix<const T> right{b + batch * next_b, ldb, op_b != CUBLAS_OP_N};
    T sum = 0;
    for (int j = 0; j < k; ++j) sum += left.at(row, j) * right.at(j, column);
    T &target = Matrix<T>{c + batch * next_c, ldc}.at(row, column);
    const T kept = keep.get();
    target = scale.get() * sum + (kept == T{} ? T{} : kept * target);
  });
}

template <class T>
cublasStatus_t gemv(const char *name, cublasHandle_t handle, cublasOperation_t op, int m, int n,
                    const T *alpha, const T *a, int lda, const T *x, int step_x, const T *beta,
                    T *y, int step_y) {
  if (m < 0 || n < 0 || lda < m || step_x == 0 || step_y == 0) return CUBLAS_STATUS_INVALID_VALUE;
  const Factor<T> scale(handle, alpha), keep(handle, beta);
  const int rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;
  return for_each(name, handle, rows, [=](long long i) {
    const Matrix<const T> matrix{a, lda, op != CUBLAS_OP_N};
    T sum = 0;
    for (int j = 0; j < columns; ++j) sum += matrix.at(i, j) * x[place(j, columns, step_x)];
    T &target = y[place(i, rows, step_y)];
    const T kept = keep.get();
    target = scale.get() * sum + (kept == T{} ? T{} : kept * target);
  });
}

// The first index, from 1, whose value `better` prefers.
template <class T, class Better>
cublasStatus_t find(const char *name, cublasHandle_t handle, int n, const T *x, int step,
                    int *result, Better better) {
  return reduce(name, handle, result, [=] {
    int best = n > 0 && step > 0 ? 1 : 0;
    for (int i = 1; i < n && best; ++i)
      if (better(std::abs(x[1ll * i * step]), std::abs(x[1ll * (best - 1) * step]))) best = i + 1;
    return best;
  });
}

}  // namespace cuda_on_cpu::blas

#define CUDA_ON_CPU_BLAS(letter, small, T)                                                         \
  inline cublasStatus_t cublas##letter##axpy(cublasHandle_t handle, int n, const T *alpha,         \
                                             const T *x, int step_x, T *y, int step_y) {           \
    using namespace ::cuda_on_cpu::blas;                                                           \
    const Factor<T> scale(handle, alpha);                                                          \
    return for_each("cublas" #letter "axpy", handle, n, [=](long long i) {                         \
      y[place(i, n, step_y)] += scale.get() * x[place(i, n, step_x)];                              \
    });                                                                                            \
  }                                                                                                \
  inline cublasStatus_t cublas##letter##scal(cublasHandle_t handle, int n, const T *alpha, T *x,   \
                                             int step) {                                           \
    using namespace ::cuda_on_cpu::blas;                                                           \
    const Factor<T> scale(handle, alpha);                                                          \
    return for_each("cublas" #letter "scal", handle, n,                                            \
                    [=](long long i) { x[place(i, n, step)] *= scale.get(); });                    \
  }                                                                                                \
  inline cublasStatus_t cublas##letter##copy(cublasHandle_t handle, int n, const T *x, int step_x, \
                                             T *y, int step_y) {                                   \
    using namespace ::cuda_on_cpu::blas;                                                           \
    return for_each("cublas" #letter "copy", handle, n,                                            \
                    [=](long long i) { y[place(i, n, step_y)] = x[place(i, n, step_x)]; });        \
  }                                                                                                \
  inline cublasStatus_t cublas##letter##swap(cublasHandle_t handle, int n, T *x, int step_x, T *y, \
                                             int step_y) {                                         \
    using namespace ::cuda_on_cpu::blas;                                                           \
    return for_each("cublas" #letter "swap", handle, n, [=](long long i) {                         \
      std::swap(x[place(i, n, step_x)], y[place(i, n, step_y)]);                                   \
    });                                                                                            \
  }                                                                                                \
  inline cublasStatus_t cublas##letter##dot(cublasHandle_t handle, int n, const T *x, int step_x,  \
                                            const T *y, int step_y, T *result) {                   \
    using namespace ::cuda_on_cpu::blas;                                                           \
    return reduce("cublas" #letter "dot", handle, result, [=] {                                    \
      double sum = 0;                                                                              \
      for (int i = 0; i < n; ++i)                                                                  \
        sum += static_cast<double>(x[place(i, n, step_x)]) * y[place(i, n, step_y)];               \
      return sum;                                                                                  \
    });                                                                                            \
  }                                                                                                \
  inline cublasStatus_t cublas##letter##nrm2(cublasHandle_t handle, int n, const T *x, int step,   \
                                             T *result) {                                          \
    using namespace ::cuda_on_cpu::blas;                                                           \
    return reduce("cublas" #letter "nrm2", handle, result, [=] {                                   \
      double sum = 0;                                                                              \
      for (int i = 0; i < n; ++i)                                                                  \
        sum += static_cast<double>(x[place(i, n, step)]) * x[place(i, n, step)];                   \
      return std::sqrt(sum);                                                                       \
    });                                                                                            \
  }                                                                                                \
  inline cublasStatus_t cublas##letter##asum(cublasHandle_t handle, int n, const T *x, int step,   \
                                             T *result) {                                          \
    using namespace ::cuda_on_cpu::blas;                                                           \
    return reduce("cublas" #letter "asum", handle, result, [=] {                                   \
      double sum = 0;                                                                              \
      for (int i = 0; i < n; ++i) sum += std::abs(x[place(i, n, step)]);                           \
      return sum;                                                                                  \
    });                                                                                            \
  }                                                                                                \
  inline cublasStatus_t cublasI##small##amax(cublasHandle_t handle, int n, const T *x, int step,   \
                                             int *result) {                                        \
    return ::cuda_on_cpu::blas::find("cublasI" #small "amax", handle, n, x, step, result,          \
                                     [](T a, T b) { return a > b; });                              \
  }                                                                                                \
  inline cublasStatus_t cublasI##small##amin(cublasHandle_t handle, int n, const T *x, int step,   \
                                             int *result) {                                        \
    return ::cuda_on_cpu::blas::find("cublasI" #small "amin", handle, n, x, step, result,          \
                                     [](T a, T b) { return a < b; });                              \
  }                                                                                                \
  inline cublasStatus_t cublas##letter##gemv(                                                      \
      cublasHandle_t handle, cublasOperation_t op, int m, int n, const T *alpha, const T *a,       \
      int lda, const T *x, int step_x, const T *beta, T *y, int step_y) {                          \
    return ::cuda_on_cpu::blas::gemv("cublas" #letter "gemv", handle, op, m, n, alpha, a, lda, x,  \
                                     step_x, beta, y, step_y);                                     \
  }                                                                                                \
  inline cublasStatus_t cublas##letter##ger(cublasHandle_t handle, int m, int n, const T *alpha,   \
                                            const T *x, int step_x, const T *y, int step_y, T *a,  \
                                            int lda) {                                             \
    using namespace ::cuda_on_cpu::blas;                                                           \
    const Factor<T> scale(handle, alpha);                                                          \
    return for_each("cublas" #letter "ger", handle, 1ll * m * n, [=](long long i) {                \
      Matrix<T>{a, lda}.at(i % m, i / m) +=                                                        \
          scale.get() * x[place(i % m, m, step_x)] * y[place(i / m, n, step_y)];                   \
    });                                                                                            \
  }                                                                                                \
  inline cublasStatus_t cublas##letter##gemm(                                                      \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,  \
      const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {    \
    return ::cuda_on_cpu::blas::gemm("cublas" #letter "gemm", handle, op_a, op_b, m, n, k, alpha,  \
                                     a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);                    \
  }                                                                                                \
  inline cublasStatus_t cublas##letter##gemmStridedBatched(                                        \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,  \
      const T *alpha, const T *a, int lda, long long next_a, const T *b, int ldb,                  \
      long long next_b, const T *beta, T *c, int ldc, long long next_c, int batches) {             \
    return ::cuda_on_cpu::blas::gemm("cublas" #letter "gemmStridedBatched", handle, op_a, op_b, m, \
                                     n, k, alpha, a, lda, next_a, b, ldb, next_b, beta, c, ldc,    \
                                     next_c, batches);                                             \
  }
CUDA_ON_CPU_BLAS(S, s, float)
CUDA_ON_CPU_BLAS(D, d, double)
#undef CUDA_ON_CPU_BLAS

#pragma GCC visibility pop
