// cub::DeviceFor: a function for each item or number, by one thread each.
#pragma once

#include "../../cuda_on_cpu/cub_device.hpp"

#pragma GCC visibility push(default)

namespace cub {

struct DeviceFor {
  template <class Number, class Operator>
  static cudaError_t Bulk(Number n, Operator op, cudaStream_t stream = nullptr) {
    return ::cuda_on_cpu::for_each("cub::DeviceFor::Bulk", stream, n,
                                   [=](long long i) mutable { op(static_cast<Number>(i)); });
  }
  template <class Iterator, class Operator>
  static cudaError_t ForEachN(Iterator first, long long n, Operator op,
                              cudaStream_t stream = nullptr) {
    return ::cuda_on_cpu::for_each("cub::DeviceFor::ForEachN", stream, n,
                                   [=](long long i) mutable { op(first[i]); });
  }
  template <class Iterator, class Operator>
  static cudaError_t ForEach(Iterator first, Iterator last, Operator op,
                             cudaStream_t stream = nullptr) {
    return ForEachN(first, last - first, op, stream);
  }

  // Those with temporary storage, which they do not need.
  template <class Number, class Operator>
  static cudaError_t Bulk(void *storage, std::size_t &bytes, Number n, Operator op,
                          cudaStream_t stream = nullptr) {
    bytes = storage ? bytes : 1;
    return storage ? Bulk(n, op, stream) : cudaSuccess;
  }
  template <class Iterator, class Operator>
  static cudaError_t ForEachN(void *storage, std::size_t &bytes, Iterator first, long long n,
                              Operator op, cudaStream_t stream = nullptr) {
    bytes = storage ? bytes : 1;
    return storage ? ForEachN(first, n, op, stream) : cudaSuccess;
  }
  template <class Iterator, class Operator>
  static cudaError_t ForEach(void *storage, std::size_t &bytes, Iterator first, Iterator last,
                             Operator op, cudaStream_t stream = nullptr) {
    return ForEachN(storage, bytes, first, last - first, op, stream);
  }
};

}  // namespace cub

#pragma GCC visibility pop
