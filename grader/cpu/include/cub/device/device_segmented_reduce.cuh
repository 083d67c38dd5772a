// cub::DeviceSegmentedReduce: one value of each segment.
#pragma once

#include "../../cuda_on_cpu/cub_device.hpp"

#pragma GCC visibility push(default)

namespace cub {

struct DeviceSegmentedReduce {
  template <class Input, class Output, class Begins, class Ends, class Operator, class Initial>
  static cudaError_t Reduce(void *storage, std::size_t &bytes, Input in, Output out,
                            long long segments, Begins begins, Ends ends, Operator op,
                            Initial initial, cudaStream_t stream = nullptr, bool = false) {
    return reduce("cub::DeviceSegmentedReduce::Reduce", storage, bytes, in, out, segments, begins,
                  ends, op, initial, stream);
  }
  template <class Input, class Output, class Begins, class Ends>
  static cudaError_t Sum(void *storage, std::size_t &bytes, Input in, Output out,
                         long long segments, Begins begins, Ends ends,
                         cudaStream_t stream = nullptr, bool = false) {
    using Initial = detail::ValueOf<Output, detail::ValueOf<Input>>;
    return reduce("cub::DeviceSegmentedReduce::Sum", storage, bytes, in, out, segments, begins,
                  ends, detail::Plus(), Initial{}, stream);
  }
  template <class Input, class Output, class Begins, class Ends>
  static cudaError_t Min(void *storage, std::size_t &bytes, Input in, Output out,
                         long long segments, Begins begins, Ends ends,
                         cudaStream_t stream = nullptr, bool = false) {
    return reduce("cub::DeviceSegmentedReduce::Min", storage, bytes, in, out, segments, begins,
                  ends, ::cub::Min(), detail::highest<Input>(), stream);
  }
  template <class Input, class Output, class Begins, class Ends>
  static cudaError_t Max(void *storage, std::size_t &bytes, Input in, Output out,
                         long long segments, Begins begins, Ends ends,
                         cudaStream_t stream = nullptr, bool = false) {
    return reduce("cub::DeviceSegmentedReduce::Max", storage, bytes, in, out, segments, begins,
                  ends, ::cub::Max(), detail::lowest<Input>(), stream);
  }
  template <class Input, class Output, class Begins, class Ends>
  static cudaError_t ArgMin(void *storage, std::size_t &bytes, Input in, Output out,
                            long long segments, Begins begins, Ends ends,
                            cudaStream_t stream = nullptr, bool = false) {
    return arg("cub::DeviceSegmentedReduce::ArgMin", storage, bytes, in, out, segments, begins,
               ends, detail::Less(), detail::highest<Input>(), stream);
  }
  template <class Input, class Output, class Begins, class Ends>
  static cudaError_t ArgMax(void *storage, std::size_t &bytes, Input in, Output out,
                            long long segments, Begins begins, Ends ends,
                            cudaStream_t stream = nullptr, bool = false) {
    return arg("cub::DeviceSegmentedReduce::ArgMax", storage, bytes, in, out, segments, begins,
               ends, detail::Greater(), detail::lowest<Input>(), stream);
  }

 private:
  template <class Input, class Output, class Begins, class Ends, class Operator, class Initial>
  static cudaError_t reduce(const char *name, void *storage, std::size_t &bytes, Input in,
                            Output out, long long segments, Begins begins, Ends ends, Operator op,
                            Initial initial, cudaStream_t stream) {
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
      for (long long i = 0; i < segments; ++i)
        out[i] = detail::reduce_range(in, begins[i], ends[i], op, initial);
    });
  }
  // The index counts from the segment's first item.
  template <class Input, class Output, class Begins, class Ends, class Before, class Worst>
  static cudaError_t arg(const char *name, void *storage, std::size_t &bytes, Input in, Output out,
                         long long segments, Begins begins, Ends ends, Before before, Worst worst,
                         cudaStream_t stream) {
    using Pair = detail::ValueOf<Output, KeyValuePair<int, Worst>>;
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
      for (long long i = 0; i < segments; ++i) {
        const long long begin = begins[i], end = ends[i];
        const long long best = begin < end ? detail::place_of_first(in, begin, end, before) : begin;
        out[i] = begin < end ? Pair{static_cast<typename Pair::Key>(best - begin), in[best]}
                             : Pair{1, worst};
      }
    });
  }
};

}  // namespace cub

#pragma GCC visibility pop
