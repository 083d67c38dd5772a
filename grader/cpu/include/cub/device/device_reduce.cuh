// cub::DeviceReduce: one value of all items, or one of each run of equal keys.
#pragma once

#include "../../cuda_on_cpu/cub_device.hpp"

#pragma GCC visibility push(default)

namespace cub {

struct DeviceReduce {
  template <class Input, class Output, class Operator, class Initial>
  static cudaError_t Reduce(void *storage, std::size_t &bytes, Input in, Output out, long long n,
                            Operator op, Initial initial, cudaStream_t stream = nullptr,
                            bool = false) {
    return reduce("cub::DeviceReduce::Reduce", storage, bytes, in, out, n, op, initial, stream);
  }
  template <class Input, class Output>
  static cudaError_t Sum(void *storage, std::size_t &bytes, Input in, Output out, long long n,
                         cudaStream_t stream = nullptr, bool = false) {
    using Initial = detail::ValueOf<Output, detail::ValueOf<Input>>;
    return reduce("cub::DeviceReduce::Sum", storage, bytes, in, out, n, detail::Plus(), Initial{},
                  stream);
  }
  template <class Input, class Output>
  static cudaError_t Min(void *storage, std::size_t &bytes, Input in, Output out, long long n,
                         cudaStream_t stream = nullptr, bool = false) {
    return reduce("cub::DeviceReduce::Min", storage, bytes, in, out, n, ::cub::Min(),
                  detail::highest<Input>(), stream);
  }
  template <class Input, class Output>
  static cudaError_t Max(void *storage, std::size_t &bytes, Input in, Output out, long long n,
                         cudaStream_t stream = nullptr, bool = false) {
    return reduce("cub::DeviceReduce::Max", storage, bytes, in, out, n, ::cub::Max(),
                  detail::lowest<Input>(), stream);
  }
  template <class Input, class Output, class Operator, class Transform, class Initial>
  static cudaError_t TransformReduce(void *storage, std::size_t &bytes, Input in, Output out,
                                     long long n, Operator op, Transform transform, Initial initial,
                                     cudaStream_t stream = nullptr) {
    const char *const name = "cub::DeviceReduce::TransformReduce";
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
      auto result = initial;
      for (long long i = 0; i < n; ++i) result = op(result, transform(in[i]));
      *out = result;
    });
  }

  // A pair of index and item, or both in places of their own.
  template <class Input, class Output>
  static cudaError_t ArgMin(void *storage, std::size_t &bytes, Input in, Output out, long long n,
                            cudaStream_t stream = nullptr, bool = false) {
    return arg("cub::DeviceReduce::ArgMin", storage, bytes, in, pair(out), n, detail::Less(),
               detail::highest<Input>(), stream);
  }
  template <class Input, class Output>
  static cudaError_t ArgMax(void *storage, std::size_t &bytes, Input in, Output out, long long n,
                            cudaStream_t stream = nullptr, bool = false) {
    return arg("cub::DeviceReduce::ArgMax", storage, bytes, in, pair(out), n, detail::Greater(),
               detail::lowest<Input>(), stream);
  }
  template <class Input, class Output, class Index>
  requires(!std::is_arithmetic_v<Index>) static cudaError_t
      ArgMin(void *storage, std::size_t &bytes, Input in, Output out, Index index, long long n,
             cudaStream_t stream = nullptr) {
    return arg("cub::DeviceReduce::ArgMin", storage, bytes, in, both(out, index), n, detail::Less(),
               detail::highest<Input>(), stream);
  }
  template <class Input, class Output, class Index>
  requires(!std::is_arithmetic_v<Index>) static cudaError_t
      ArgMax(void *storage, std::size_t &bytes, Input in, Output out, Index index, long long n,
             cudaStream_t stream = nullptr) {
    return arg("cub::DeviceReduce::ArgMax", storage, bytes, in, both(out, index), n,
               detail::Greater(), detail::lowest<Input>(), stream);
  }

  template <class Keys, class Unique, class Values, class Results, class Count, class Operator>
  static cudaError_t ReduceByKey(void *storage, std::size_t &bytes, Keys keys, Unique unique,
                                 Values values, Results results, Count count, Operator op,
                                 long long n, cudaStream_t stream = nullptr, bool = false) {
    const char *const name = "cub::DeviceReduce::ReduceByKey";
    using Result = detail::Accumulator<Operator, detail::ValueOf<Values>, Values>;
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
      long long runs = 0;
      for (long long begin = 0, end; begin < n; begin = end, ++runs) {
        for (end = begin + 1; end < n && keys[end] == keys[begin];) ++end;
        unique[runs] = keys[begin];
        results[runs] = detail::fold_range<Result>(values, begin, end, op);
      }
      *count = static_cast<detail::ValueOf<Count, long long>>(runs);
    });
  }

 private:
  template <class Input, class Output, class Operator, class Initial>
  static cudaError_t reduce(const char *name, void *storage, std::size_t &bytes, Input in,
                            Output out, long long n, Operator op, Initial initial,
                            cudaStream_t stream) {
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
      *out = detail::reduce_range(in, 0, n, op, initial);
    });
  }
  template <class Input, class Put, class Before, class Worst>
  static cudaError_t arg(const char *name, void *storage, std::size_t &bytes, Input in, Put put,
                         long long n, Before before, Worst worst, cudaStream_t stream) {
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
      const long long best = n > 0 ? detail::place_of_first(in, 0, n, before) : 1;
      put(best, n > 0 ? static_cast<Worst>(in[best]) : worst);
    });
  }
  template <class Output>
  static auto pair(Output out) {
    return [=](long long index, auto value) {
      using Pair = detail::ValueOf<Output, KeyValuePair<int, decltype(value)>>;
      *out = Pair{static_cast<typename Pair::Key>(index), value};
    };
  }
  template <class Output, class Index>
  static auto both(Output out, Index place) {
    return [=](long long index, auto value) {
      *out = value;
      *place = static_cast<detail::ValueOf<Index, long long>>(index);
    };
  }
};

}  // namespace cub

#pragma GCC visibility pop
