// cub::DeviceSelect and cub::DevicePartition: the items that are wanted, without or with the
// others.
#pragma once

#include "../../cuda_on_cpu/cub_device.hpp"

#pragma GCC visibility push(default)

namespace cub {

namespace detail {

// Items i with `wants(i)` come to `out`, in their order. The output may be the input.
template <class Input, class Output, class Count, class Wants>
cudaError_t select(const char *name, void *storage, std::size_t &bytes, Input in, Output out,
                   Count count, long long n, Wants wants, cudaStream_t stream) {
  return run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
    long long selected = 0;
    for (long long i = 0; i < n; ++i)
      if (wants(i)) out[selected++] = in[i];
    *count = static_cast<ValueOf<Count, long long>>(selected);
  });
}
// The others come after them, the last one first.
template <class Input, class Output, class Count, class Wants>
cudaError_t partition(const char *name, void *storage, std::size_t &bytes, Input in, Output out,
                      Count count, long long n, Wants wants, cudaStream_t stream) {
  return run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
    long long selected = 0, others = n;
    for (long long i = 0; i < n; ++i)
      if (wants(i))
        out[selected++] = in[i];
      else
        out[--others] = in[i];
    *count = static_cast<ValueOf<Count, long long>>(selected);
  });
}

}  // namespace detail

struct DeviceSelect {
  template <class Input, class Flags, class Output, class Count>
  static cudaError_t Flagged(void *storage, std::size_t &bytes, Input in, Flags flags, Output out,
                             Count count, long long n, cudaStream_t stream = nullptr,
                             bool = false) {
    return detail::select(
        "cub::DeviceSelect::Flagged", storage, bytes, in, out, count, n,
        [=](long long i) { return static_cast<bool>(flags[i]); }, stream);
  }
  template <class Both, class Flags, class Count>
  static cudaError_t Flagged(void *storage, std::size_t &bytes, Both data, Flags flags, Count count,
                             long long n, cudaStream_t stream = nullptr) {
    return Flagged(storage, bytes, data, flags, data, count, n, stream);
  }
  template <class Input, class Output, class Count, class Predicate>
  static cudaError_t If(void *storage, std::size_t &bytes, Input in, Output out, Count count,
                        long long n, Predicate wants, cudaStream_t stream = nullptr, bool = false) {
    return detail::select(
        "cub::DeviceSelect::If", storage, bytes, in, out, count, n,
        [=](long long i) mutable { return static_cast<bool>(wants(in[i])); }, stream);
  }
  template <class Both, class Count, class Predicate>
  static cudaError_t If(void *storage, std::size_t &bytes, Both data, Count count, long long n,
                        Predicate wants, cudaStream_t stream = nullptr) {
    return If(storage, bytes, data, data, count, n, wants, stream);
  }
  template <class Input, class Flags, class Output, class Count, class Predicate>
  static cudaError_t FlaggedIf(void *storage, std::size_t &bytes, Input in, Flags flags, Output out,
                               Count count, long long n, Predicate wants,
                               cudaStream_t stream = nullptr) {
    return detail::select(
        "cub::DeviceSelect::FlaggedIf", storage, bytes, in, out, count, n,
        [=](long long i) mutable { return static_cast<bool>(wants(flags[i])); }, stream);
  }
  template <class Input, class Output, class Count>
  static cudaError_t Unique(void *storage, std::size_t &bytes, Input in, Output out, Count count,
                            long long n, cudaStream_t stream = nullptr, bool = false) {
    return detail::select(
        "cub::DeviceSelect::Unique", storage, bytes, in, out, count, n,
        [=](long long i) { return i == 0 || !(in[i] == in[i - 1]); }, stream);
  }
  template <class Keys, class Values, class KeysOut, class ValuesOut, class Count,
            class Equal = ::cub::Equality>
  static cudaError_t UniqueByKey(void *storage, std::size_t &bytes, Keys keys, Values values,
                                 KeysOut keys_out, ValuesOut values_out, Count count, long long n,
                                 Equal equal, cudaStream_t stream = nullptr) {
    const char *const name = "cub::DeviceSelect::UniqueByKey";
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
      long long selected = 0;
      for (long long i = 0; i < n; ++i) {
        if (i > 0 && equal(keys[i - 1], keys[i])) continue;
        keys_out[selected] = keys[i];
        values_out[selected++] = values[i];
      }
      *count = static_cast<detail::ValueOf<Count, long long>>(selected);
    });
  }
  template <class Keys, class Values, class KeysOut, class ValuesOut, class Count>
  static cudaError_t UniqueByKey(void *storage, std::size_t &bytes, Keys keys, Values values,
                                 KeysOut keys_out, ValuesOut values_out, Count count, long long n,
                                 cudaStream_t stream = nullptr) {
    return UniqueByKey(storage, bytes, keys, values, keys_out, values_out, count, n,
                       ::cub::Equality(), stream);
  }
};

struct DevicePartition {
  template <class Input, class Flags, class Output, class Count>
  static cudaError_t Flagged(void *storage, std::size_t &bytes, Input in, Flags flags, Output out,
                             Count count, long long n, cudaStream_t stream = nullptr,
                             bool = false) {
    return detail::partition(
        "cub::DevicePartition::Flagged", storage, bytes, in, out, count, n,
        [=](long long i) { return static_cast<bool>(flags[i]); }, stream);
  }
  template <class Input, class Output, class Count, class Predicate>
  static cudaError_t If(void *storage, std::size_t &bytes, Input in, Output out, Count count,
                        long long n, Predicate wants, cudaStream_t stream = nullptr, bool = false) {
    return detail::partition(
        "cub::DevicePartition::If", storage, bytes, in, out, count, n,
        [=](long long i) mutable { return static_cast<bool>(wants(in[i])); }, stream);
  }
  // In three parts; `counts` are those of the first two.
  template <class Input, class First, class Second, class Others, class Counts, class Wanted,
            class WantedSecond>
  static cudaError_t If(void *storage, std::size_t &bytes, Input in, First first, Second second,
                        Others others, Counts counts, long long n, Wanted wanted,
                        WantedSecond wanted_second, cudaStream_t stream = nullptr) {
    const char *const name = "cub::DevicePartition::If";
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) mutable {
      long long firsts = 0, seconds = 0, rest = 0;
      for (long long i = 0; i < n; ++i)
        if (wanted(in[i]))
          first[firsts++] = in[i];
        else if (wanted_second(in[i]))
          second[seconds++] = in[i];
        else
          others[rest++] = in[i];
      counts[0] = static_cast<detail::ValueOf<Counts, long long>>(firsts);
      counts[1] = static_cast<detail::ValueOf<Counts, long long>>(seconds);
    });
  }
};

}  // namespace cub

#pragma GCC visibility pop
