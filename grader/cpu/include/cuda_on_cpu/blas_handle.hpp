// cuBLAS: its constants, its handle, and copies of vectors and matrices between host and device.
#pragma once

#include <cstddef>

#include "../cuda_runtime.h"

#define CUBLAS_API_H_  // libraries recognise the header by it

#pragma GCC visibility push(default)

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH,
  CUBLAS_TENSOR_OP_MATH,
  CUBLAS_PEDANTIC_MATH,
  CUBLAS_TF32_TENSOR_OP_MATH
};

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
  void *result = nullptr;  // of a reduction, on the device
  bool is_destroyed = false;
};
typedef cublasContext *cublasHandle_t;

namespace cuda_on_cpu::blas {

inline bool exists(cublasHandle_t handle) { return handle && !handle->is_destroyed; }

inline cublasStatus_t status(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace cuda_on_cpu::blas

inline cublasStatus_t cublasCreate(cublasHandle_t *handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  if (!::cuda_on_cpu::blas::exists(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  cudaFree(handle->result);
  handle->is_destroyed = true;  // and stays, so that a later use can be told
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  if (!::cuda_on_cpu::blas::exists(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream) {
  if (!::cuda_on_cpu::blas::exists(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  if (!::cuda_on_cpu::blas::exists(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t *mode) {
  if (!::cuda_on_cpu::blas::exists(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  *mode = handle->mode;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetVersion(cublasHandle_t, int *version) {
  *version = 130000;
  return CUBLAS_STATUS_SUCCESS;
}
inline const char *cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS           ? "the operation completed successfully"
         : status == CUBLAS_STATUS_NOT_INITIALIZED ? "the handle does not exist, or not any more"
         : status == CUBLAS_STATUS_INVALID_VALUE   ? "an argument has a value that is not allowed"
                                                   : "the operation failed";
}
namespace cuda_on_cpu {
inline void operator,(const Discarded &discarded, cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    note_discarded(cublasGetStatusString(status), discarded.call, discarded.site);
}
}  // namespace cuda_on_cpu

// Copies between host and device.
inline cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void *a, int lda,
                                      void *b, int ldb) {
  return ::cuda_on_cpu::blas::status(cudaMemcpy2D(b, size_t(ldb) * bytes, a, size_t(lda) * bytes,
                                                  size_t(rows) * bytes, columns,
                                                  cudaMemcpyHostToDevice));
}
inline cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void *a, int lda,
                                      void *b, int ldb) {
  return ::cuda_on_cpu::blas::status(cudaMemcpy2D(b, size_t(ldb) * bytes, a, size_t(lda) * bytes,
                                                  size_t(rows) * bytes, columns,
                                                  cudaMemcpyDeviceToHost));
}
inline cublasStatus_t cublasSetVector(int n, int bytes, const void *x, int step_x, void *y,
                                      int step_y) {
  return cublasSetMatrix(1, n, bytes, x, step_x, y, step_y);
}
inline cublasStatus_t cublasGetVector(int n, int bytes, const void *x, int step_x, void *y,
                                      int step_y) {
  return cublasGetMatrix(1, n, bytes, x, step_x, y, step_y);
}

inline cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int bytes, const void *a, int lda,
                                           void *b, int ldb, cudaStream_t stream) {
  return ::cuda_on_cpu::blas::status(cudaMemcpy2DAsync(b, size_t(ldb) * bytes, a,
                                                       size_t(lda) * bytes, size_t(rows) * bytes,
                                                       columns, cudaMemcpyHostToDevice, stream));
}
inline cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int bytes, const void *a, int lda,
                                           void *b, int ldb, cudaStream_t stream) {
  return ::cuda_on_cpu::blas::status(cudaMemcpy2DAsync(b, size_t(ldb) * bytes, a,
                                                       size_t(lda) * bytes, size_t(rows) * bytes,
                                                       columns, cudaMemcpyDeviceToHost, stream));
}
inline cublasStatus_t cublasSetVectorAsync(int n, int bytes, const void *x, int step_x, void *y,
                                           int step_y, cudaStream_t stream) {
  return cublasSetMatrixAsync(1, n, bytes, x, step_x, y, step_y, stream);
}
inline cublasStatus_t cublasGetVectorAsync(int n, int bytes, const void *x, int step_x, void *y,
                                           int step_y, cudaStream_t stream) {
  return cublasGetMatrixAsync(1, n, bytes, x, step_x, y, step_y, stream);
}

#pragma GCC visibility pop
