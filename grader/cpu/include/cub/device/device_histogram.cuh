// cub::DeviceHistogram: how many samples fall between two levels, for one channel or several.
#pragma once

#include "../../cuda_on_cpu/cub_device.hpp"

#pragma GCC visibility push(default)

namespace cub {

namespace detail {

// Bins of one width from `lower` to `upper`.
template <class Level>
struct EvenBins {
  int bins;
  Level lower, upper;
  template <class Sample>
  long long operator()(Sample sample) const {
    using Common = std::common_type_t<Sample, Level>;
    const Common at = static_cast<Common>(sample), low = lower, high = upper;
    if (!(at >= low && at < high)) return -1;
    if constexpr (std::is_integral_v<Common>)
      return static_cast<long long>(static_cast<unsigned __int128>(at - low) * bins / (high - low));
    const auto bin = static_cast<long long>((at - low) * (bins / static_cast<Common>(high - low)));
    return bin < bins ? bin : bins - 1;
  }
};
// Bins between neighbours of a list of levels, which is in order.
template <class Level>
struct ListedBins {
  int bins;
  const Level *levels;
  template <class Sample>
  long long operator()(Sample sample) const {
    if (!(sample >= levels[0] && sample < levels[bins])) return -1;
    int low = 0, high = bins;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (sample >= levels[middle] ? low : high) = middle;
    }
    return low;
  }
};

template <class Bins, class Counter, int channels>
struct Channels {
  Bins bins[channels];
  Counter *histograms[channels];
};

}  // namespace detail

class DeviceHistogram {
  // Rows of pixels, which have `all` samples each; the first of them are counted.
  template <int all, int counted, class Samples, class Bins, class Counter>
  static cudaError_t count(const char *name, void *storage, std::size_t &bytes, Samples samples,
                           detail::Channels<Bins, Counter, counted> channels, long long columns,
                           long long rows, long long samples_apart, cudaStream_t stream) {
    return detail::run(name, storage, bytes, 0, stream, [=](unsigned char *) {
      for (int c = 0; c < counted; ++c) {
        const Bins &bins = channels.bins[c];
        Counter *histogram = channels.histograms[c];
        for (int i = 0; i < bins.bins; ++i) histogram[i] = 0;
        for (long long row = 0; row < rows; ++row)
          for (long long column = 0; column < columns; ++column) {
            const long long bin = bins(samples[row * samples_apart + column * all + c]);
            if (bin >= 0) ++histogram[bin];
          }
      }
    });
  }

 public:
  template <class Samples, class Counter, class Level>
  static cudaError_t HistogramEven(void *storage, std::size_t &bytes, Samples samples,
                                   Counter *histogram, int levels, Level lower, Level upper,
                                   long long n, cudaStream_t stream = nullptr, bool = false) {
    return HistogramEven(storage, bytes, samples, histogram, levels, lower, upper, n, 1ll,
                         std::size_t{0}, stream);
  }
  // A region of an image, whose rows begin so many bytes apart.
  template <class Samples, class Counter, class Level>
  static cudaError_t HistogramEven(void *storage, std::size_t &bytes, Samples samples,
                                   Counter *histogram, int levels, Level lower, Level upper,
                                   long long columns, long long rows, std::size_t row_bytes,
                                   cudaStream_t stream = nullptr, bool = false) {
    using Bins = detail::EvenBins<Level>;
    const detail::Channels<Bins, Counter, 1> channels{{{levels - 1, lower, upper}}, {histogram}};
    return count<1>("cub::DeviceHistogram::HistogramEven", storage, bytes, samples, channels,
                    columns, rows, row_bytes / sizeof(detail::ValueOf<Samples>), stream);
  }
  template <class Samples, class Counter, class Level>
  static cudaError_t HistogramRange(void *storage, std::size_t &bytes, Samples samples,
                                    Counter *histogram, int levels, const Level *bounds,
                                    long long n, cudaStream_t stream = nullptr, bool = false) {
    using Bins = detail::ListedBins<Level>;
    const detail::Channels<Bins, Counter, 1> channels{{{levels - 1, bounds}}, {histogram}};
    return count<1>("cub::DeviceHistogram::HistogramRange", storage, bytes, samples, channels, n, 1,
                    0, stream);
  }
  template <int all, int counted, class Samples, class Counter, class Level>
  static cudaError_t MultiHistogramEven(void *storage, std::size_t &bytes, Samples samples,
                                        Counter *(&histograms)[counted],
                                        const int (&levels)[counted], const Level (&lower)[counted],
                                        const Level (&upper)[counted], long long pixels,
                                        cudaStream_t stream = nullptr, bool = false) {
    detail::Channels<detail::EvenBins<Level>, Counter, counted> channels;
    for (int c = 0; c < counted; ++c) {
      channels.bins[c] = {levels[c] - 1, lower[c], upper[c]};
      channels.histograms[c] = histograms[c];
    }
    return count<all>("cub::DeviceHistogram::MultiHistogramEven", storage, bytes, samples, channels,
                      pixels, 1, 0, stream);
  }
  template <int all, int counted, class Samples, class Counter, class Level>
  static cudaError_t MultiHistogramRange(void *storage, std::size_t &bytes, Samples samples,
                                         Counter *(&histograms)[counted],
                                         const int (&levels)[counted],
                                         const Level *const (&bounds)[counted], long long pixels,
                                         cudaStream_t stream = nullptr, bool = false) {
    detail::Channels<detail::ListedBins<Level>, Counter, counted> channels;
    for (int c = 0; c < counted; ++c) {
      channels.bins[c] = {levels[c] - 1, bounds[c]};
      channels.histograms[c] = histograms[c];
    }
    return count<all>("cub::DeviceHistogram::MultiHistogramRange", storage, bytes, samples,
                      channels, pixels, 1, 0, stream);
  }
};

}  // namespace cub

#pragma GCC visibility pop
