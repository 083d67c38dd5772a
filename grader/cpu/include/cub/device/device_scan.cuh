// cub::DeviceScan: for each item what all items before it make together, perhaps only those with
// the same key.
#pragma once

#include "../../cuda_on_cpu/cub_device.hpp"

#pragma GCC visibility push(default)

namespace cub {

class DeviceScan {
  struct OneKey {
    int operator[](long long) const { return 0; }
  };
  struct Nothing {};

  // The output may be the input: an item is read before its place is written.
  template <bool with_own, class Keys, class Input, class Output, class Operator, class Initial,
            class Equal>
  static cudaError_t scan(const char *name, void *storage, std::size_t &bytes, Keys keys, Input in,
                          Output out, Operator op, Initial initial, long long n, Equal equal,
                          cudaStream_t stream) {
    constexpr bool kSeeded = !std::is_same_v<Initial, Nothing>;
    using First = std::conditional_t<kSeeded, Initial, detail::ValueOf<Input>>;
    using Result = detail::Accumulator<Operator, First, Input>;
    return detail::run(
        name, storage, bytes, 0, stream,
        [=](unsigned char *) mutable {
          for (long long begin = 0, end; begin < n; begin = end) {
            Result before = first<Result>(initial, in, begin);
            bool known = kSeeded;
            end = begin;
            do {
              const detail::ValueOf<Input> item = in[end];
              const Result next = known ? static_cast<Result>(op(before, item)) : before;
              out[end] = with_own ? next : before;
              before = next;
              known = true;
              ++end;
            } while (end < n && equal(keys[end - 1], keys[end]));
          }
        },
        n > 0);
  }
  template <class Result, class Initial, class Input>
  static Result first(Initial initial, Input in, long long begin) {
    if constexpr (std::is_same_v<Initial, Nothing>)
      return in[begin];
    else
      return static_cast<Result>(initial);
  }

 public:
  template <class Input, class Output>
  static cudaError_t InclusiveSum(void *storage, std::size_t &bytes, Input in, Output out,
                                  long long n, cudaStream_t stream = nullptr, bool = false) {
    return scan<true>("cub::DeviceScan::InclusiveSum", storage, bytes, OneKey(), in, out,
                      detail::Plus(), Nothing(), n, ::cub::Equality(), stream);
  }
  template <class Input, class Output>
  static cudaError_t ExclusiveSum(void *storage, std::size_t &bytes, Input in, Output out,
                                  long long n, cudaStream_t stream = nullptr, bool = false) {
    return scan<false>("cub::DeviceScan::ExclusiveSum", storage, bytes, OneKey(), in, out,
                       detail::Plus(), detail::ValueOf<Input>{}, n, ::cub::Equality(), stream);
  }
  template <class Input, class Output, class Operator>
  static cudaError_t InclusiveScan(void *storage, std::size_t &bytes, Input in, Output out,
                                   Operator op, long long n, cudaStream_t stream = nullptr,
                                   bool = false) {
    return scan<true>("cub::DeviceScan::InclusiveScan", storage, bytes, OneKey(), in, out, op,
                      Nothing(), n, ::cub::Equality(), stream);
  }
  template <class Input, class Output, class Operator, class Initial>
  static cudaError_t InclusiveScanInit(void *storage, std::size_t &bytes, Input in, Output out,
                                       Operator op, Initial initial, long long n,
                                       cudaStream_t stream = nullptr) {
    return scan<true>("cub::DeviceScan::InclusiveScanInit", storage, bytes, OneKey(), in, out, op,
                      initial, n, ::cub::Equality(), stream);
  }
  template <class Input, class Output, class Operator, class Initial>
  requires(std::is_invocable_v<Operator &, Initial, detail::ValueOf<Input>>) static cudaError_t
      ExclusiveScan(void *storage, std::size_t &bytes, Input in, Output out, Operator op,
                    Initial initial, long long n, cudaStream_t stream = nullptr, bool = false) {
    return scan<false>("cub::DeviceScan::ExclusiveScan", storage, bytes, OneKey(), in, out, op,
                       initial, n, ::cub::Equality(), stream);
  }

  // In place.
  template <class Both>
  static cudaError_t InclusiveSum(void *storage, std::size_t &bytes, Both data, long long n,
                                  cudaStream_t stream = nullptr) {
    return InclusiveSum(storage, bytes, data, data, n, stream);
  }
  template <class Both>
  static cudaError_t ExclusiveSum(void *storage, std::size_t &bytes, Both data, long long n,
                                  cudaStream_t stream = nullptr) {
    return ExclusiveSum(storage, bytes, data, data, n, stream);
  }
  template <class Both, class Operator>
  requires(std::is_invocable_v<Operator &, detail::ValueOf<Both>,
                               detail::ValueOf<Both>>) static cudaError_t
      InclusiveScan(void *storage, std::size_t &bytes, Both data, Operator op, long long n,
                    cudaStream_t stream = nullptr) {
    return InclusiveScan(storage, bytes, data, data, op, n, stream);
  }
  template <class Both, class Operator, class Initial>
  requires(std::is_invocable_v<Operator &, Initial, detail::ValueOf<Both>>) static cudaError_t
      ExclusiveScan(void *storage, std::size_t &bytes, Both data, Operator op, Initial initial,
                    long long n, cudaStream_t stream = nullptr) {
    return ExclusiveScan(storage, bytes, data, data, op, initial, n, stream);
  }

  // Each run of equal keys by itself.
  template <class Keys, class Input, class Output, class Equal = ::cub::Equality>
  static cudaError_t InclusiveSumByKey(void *storage, std::size_t &bytes, Keys keys, Input in,
                                       Output out, long long n, Equal equal = Equal(),
                                       cudaStream_t stream = nullptr) {
    return scan<true>("cub::DeviceScan::InclusiveSumByKey", storage, bytes, keys, in, out,
                      detail::Plus(), Nothing(), n, equal, stream);
  }
  template <class Keys, class Input, class Output, class Equal = ::cub::Equality>
  static cudaError_t ExclusiveSumByKey(void *storage, std::size_t &bytes, Keys keys, Input in,
                                       Output out, long long n, Equal equal = Equal(),
                                       cudaStream_t stream = nullptr) {
    return scan<false>("cub::DeviceScan::ExclusiveSumByKey", storage, bytes, keys, in, out,
                       detail::Plus(), detail::ValueOf<Input>{}, n, equal, stream);
  }
  template <class Keys, class Input, class Output, class Operator, class Equal = ::cub::Equality>
  static cudaError_t InclusiveScanByKey(void *storage, std::size_t &bytes, Keys keys, Input in,
                                        Output out, Operator op, long long n, Equal equal = Equal(),
                                        cudaStream_t stream = nullptr) {
    return scan<true>("cub::DeviceScan::InclusiveScanByKey", storage, bytes, keys, in, out, op,
                      Nothing(), n, equal, stream);
  }
  template <class Keys, class Input, class Output, class Operator, class Initial,
            class Equal = ::cub::Equality>
  static cudaError_t ExclusiveScanByKey(void *storage, std::size_t &bytes, Keys keys, Input in,
                                        Output out, Operator op, Initial initial, long long n,
                                        Equal equal = Equal(), cudaStream_t stream = nullptr) {
    return scan<false>("cub::DeviceScan::ExclusiveScanByKey", storage, bytes, keys, in, out, op,
                       initial, n, equal, stream);
  }
};

}  // namespace cub

#pragma GCC visibility pop
