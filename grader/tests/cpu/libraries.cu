// cuBLAS and cuRAND's interface for the host, against plain loops; complex numbers, and constants of mathematics.
#include <cuComplex.h>
#include <cublas_v2.h>
#include <curand.h>
#include <math_constants.h>

#include <cmath>
#include <vector>

#include "expect.cuh"

namespace {

template <class T>
struct Device {
  explicit Device(const std::vector<T> &host) {
    cudaMalloc(&data, host.size() * sizeof(T));
    cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Device() { cudaFree(data); }
  Device(const Device &) = delete;
  operator T *() const { return data; }
  T *data;
};
template <class T>
std::vector<T> host(const T *data, int count) {
  std::vector<T> copy(count);
  cudaMemcpy(copy.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
  return copy;
}
std::vector<float> numbers(int count) {
  std::vector<float> made(count);
  for (int i = 0; i < count; ++i) made[i] = static_cast<float>((i * 7 + 3) % 11) - 5;
  return made;
}

void vectors(cublasHandle_t handle) {
  const std::vector<float> x = numbers(100), y = numbers(200);
  const Device<float> dx(x), dy(y);
  const float three = 3;
  EXPECT(cublasSaxpy(handle, 100, &three, dx, 1, dy, 2) == CUBLAS_STATUS_SUCCESS);
  const std::vector<float> sum = host<float>(dy, 200);
  EXPECT(sum[2 * 7] == y[2 * 7] + 3 * x[7] && sum[1] == y[1]);
  float dot, norm, absolute;
  cublasSdot(handle, 100, dx, 1, dx, 1, &dot);
  cublasSnrm2(handle, 100, dx, 1, &norm);
  cublasSasum(handle, 100, dx, 1, &absolute);
  float right_dot = 0, right_sum = 0;
  for (const float one : x) right_dot += one * one, right_sum += std::fabs(one);
  EXPECT(dot == right_dot && std::fabs(norm - std::sqrt(right_dot)) < 1e-4f);
  EXPECT(absolute == right_sum);
  int largest;
  cublasIsamax(handle, 100, dx, 1, &largest);
  EXPECT(std::fabs(x[largest - 1]) == 5);  // indices begin at 1
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  const Device<float> result(std::vector<float>{0});
  cublasSdot(handle, 100, dx, 1, dx, 1, result);
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  EXPECT(host<float>(result, 1)[0] == right_dot);
}

void matrices(cublasHandle_t handle) {
  constexpr int m = 5, n = 7, k = 3;
  const std::vector<float> a = numbers(m * k), b = numbers(n * k), c = numbers(m * n);
  const Device<float> da(a), db(b), dc(c), dy(numbers(m));
  const float two = 2, half = 0.5f;
  EXPECT(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &two, da, m, db, n, &half, dc, m) ==
         CUBLAS_STATUS_SUCCESS);
  const std::vector<float> product = host<float>(dc, m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += a[i + l * m] * b[j + l * n];
      EXPECT(product[i + j * m] == 2 * sum + c[i + j * m] / 2);
    }
  EXPECT(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &two, da, m - 1, db, k, &half, dc, m) ==
         CUBLAS_STATUS_INVALID_VALUE);
  float corner[4];  // two columns of two rows
  cublasGetMatrixAsync(2, 2, sizeof(float), dc, m, corner, 2, nullptr);
  cudaDeviceSynchronize();
  EXPECT(corner[1] == product[1] && corner[2] == product[m]);
  const float zero = 0, one = 1;
  cublasSgemv(handle, CUBLAS_OP_N, m, k, &one, da, m, db, 1, &zero, dy, 1);
  float first = 0;
  for (int l = 0; l < k; ++l) first += a[l * m] * b[l];
  EXPECT(host<float>(dy, m)[0] == first);
}

void random_numbers() {
  constexpr int count = 4000;
  curandGenerator_t generator;
  EXPECT(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT) == CURAND_STATUS_SUCCESS);
  curandSetPseudoRandomGeneratorSeed(generator, 42);
  const Device<float> data(std::vector<float>(count, 0)), again(std::vector<float>(count, 0));
  curandGenerateUniform(generator, data, count);
  curandGenerateUniform(generator, again, count);
  double sum = 0;
  for (const float one : host<float>(data, count)) sum += one;
  EXPECT(std::fabs(sum / count - 0.5) < 0.03);
  EXPECT(host<float>(data, count) != host<float>(again, count));
  curandSetGeneratorOffset(generator, 0);
  curandGenerateUniform(generator, again, count);
  EXPECT(host<float>(data, count) == host<float>(again, count));
  EXPECT(curandGenerateNormal(generator, again, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  curandDestroyGenerator(generator);
  EXPECT(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_TYPE_ERROR);
}

__global__ void calculate(cuComplex *small, cuDoubleComplex *large, double *constants) {
  const cuComplex a = make_cuComplex(1, 2), b = make_cuFloatComplex(3, -4);
  const cuComplex results[] = {cuCaddf(a, b),  cuCsubf(a, b), cuCmulf(a, b),
                               cuCdivf(a, b),  cuConjf(a),    cuCfmaf(a, b, a),
                               {cuCabsf(b), cuCrealf(a) + cuCimagf(b)}};
  for (int i = 0; i < 7; ++i) small[i] = results[i];
  large[0] = cuCdiv(make_cuDoubleComplex(1e200, 1e200), cuComplexFloatToDouble(a));
  constants[0] = CUDART_INF - CUDART_MAX_NORMAL_F;
  constants[1] = CUDART_PI_HI + CUDART_PI_LO - CUDART_PI;
  constants[2] = CUDART_NAN_F;
}

void complex_numbers() {
  cuComplex *small;
  cuDoubleComplex *large;
  double *constants;
  cudaMalloc(&small, 7 * sizeof *small);
  cudaMalloc(&large, sizeof *large);
  cudaMalloc(&constants, 3 * sizeof *constants);
  calculate<<<1, 1>>>(small, large, constants);
  const std::vector<cuComplex> got = host<cuComplex>(small, 7);
  const float expected[7][2] = {{4, -2}, {-2, 6}, {11, 2}, {-0.2f, 0.4f}, {1, -2}, {12, 4}, {5, -3}};
  for (int i = 0; i < 7; ++i)
    EXPECT(std::abs(got[i].x - expected[i][0]) < 1e-6f &&
           std::abs(got[i].y - expected[i][1]) < 1e-6f);
  EXPECT(std::abs(from_device(large).x / 1e200 - 0.6) < 1e-12);
  const std::vector<double> values = host<double>(constants, 3);
  EXPECT(std::isinf(values[0]) && values[1] == 0 && std::isnan(values[2]));
  cudaFree(small);
  cudaFree(large);
  cudaFree(constants);
}

}  // namespace

int main() {
  complex_numbers();
  cublasHandle_t handle;
  EXPECT(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
  vectors(handle);
  matrices(handle);
  cublasDestroy(handle);
  random_numbers();
  EXPECT(cudaGetLastError() == cudaSuccess);
  return failures();
}
