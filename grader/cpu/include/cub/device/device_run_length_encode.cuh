// cub::DeviceRunLengthEncode: the runs of equal items.
#pragma once

#include "../../cuda_on_cpu/cub_device.hpp"

#pragma GCC visibility push(default)

namespace cub {

class DeviceRunLengthEncode {
  // Calls `put(run, begin, length)` for each run that is at least as long.
  template <class Input, class Count, class Put>
  static cudaError_t encode(const char *name, void *storage, std::size_t &bytes, Input in,
                            Count count, long long n, long long shortest, Put put,
                            cudaStream_t stream) {
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
      long long runs = 0;
      for (long long begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && in[end] == in[begin];) ++end;
        if (end - begin >= shortest) put(runs++, begin, end - begin);
      }
      *count = static_cast<detail::ValueOf<Count, long long>>(runs);
    });
  }

 public:
  template <class Input, class Unique, class Lengths, class Count>
  static cudaError_t Encode(void *storage, std::size_t &bytes, Input in, Unique unique,
                            Lengths lengths, Count count, long long n,
                            cudaStream_t stream = nullptr, bool = false) {
    const auto put = [=](long long run, long long begin, long long length) mutable {
      unique[run] = in[begin];
      lengths[run] = static_cast<detail::ValueOf<Lengths, long long>>(length);
    };
    return encode("cub::DeviceRunLengthEncode::Encode", storage, bytes, in, count, n, 1, put,
                  stream);
  }
  // Runs of two items and more.
  template <class Input, class Offsets, class Lengths, class Count>
  static cudaError_t NonTrivialRuns(void *storage, std::size_t &bytes, Input in, Offsets offsets,
                                    Lengths lengths, Count count, long long n,
                                    cudaStream_t stream = nullptr, bool = false) {
    const auto put = [=](long long run, long long begin, long long length) mutable {
      offsets[run] = static_cast<detail::ValueOf<Offsets, long long>>(begin);
      lengths[run] = static_cast<detail::ValueOf<Lengths, long long>>(length);
    };
    return encode("cub::DeviceRunLengthEncode::NonTrivialRuns", storage, bytes, in, count, n, 2,
                  put, stream);
  }
};

}  // namespace cub

#pragma GCC visibility pop
