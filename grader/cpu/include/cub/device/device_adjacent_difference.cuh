// cub::DeviceAdjacentDifference: each item and its neighbour, by an operator.
#pragma once

#include "../../cuda_on_cpu/cub_device.hpp"

#pragma GCC visibility push(default)

namespace cub {

struct DeviceAdjacentDifference {
  // The output may be the input: a neighbour's own value is kept.
  template <class Input, class Output, class Operator = Difference>
  static cudaError_t SubtractLeftCopy(void *storage, std::size_t &bytes, Input in, Output out,
                                      long long n, Operator op = {},
                                      cudaStream_t stream = nullptr) {
    const char *const name = "cub::DeviceAdjacentDifference::SubtractLeft";
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
      if (n < 1) return;
      detail::ValueOf<Input> before = in[0];
      out[0] = before;
      for (long long i = 1; i < n; ++i) {
        const detail::ValueOf<Input> item = in[i];
        out[i] = op(item, before);
        before = item;
      }
    });
  }
  template <class Input, class Output, class Operator = Difference>
  static cudaError_t SubtractRightCopy(void *storage, std::size_t &bytes, Input in, Output out,
                                       long long n, Operator op = {},
                                       cudaStream_t stream = nullptr) {
    const char *const name = "cub::DeviceAdjacentDifference::SubtractRight";
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
      for (long long i = 0; i + 1 < n; ++i) out[i] = op(in[i], in[i + 1]);
      if (n > 0) out[n - 1] = in[n - 1];
    });
  }
  template <class Both, class Operator = Difference>
  static cudaError_t SubtractLeft(void *storage, std::size_t &bytes, Both data, long long n,
                                  Operator op = {}, cudaStream_t stream = nullptr) {
    return SubtractLeftCopy(storage, bytes, data, data, n, op, stream);
  }
  template <class Both, class Operator = Difference>
  static cudaError_t SubtractRight(void *storage, std::size_t &bytes, Both data, long long n,
                                   Operator op = {}, cudaStream_t stream = nullptr) {
    return SubtractRightCopy(storage, bytes, data, data, n, op, stream);
  }
};

}  // namespace cub

#pragma GCC visibility pop
