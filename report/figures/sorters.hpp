// Runs sorts in turns, each on fresh keys, and checks every output.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "clock.hpp"
#include "device_arrays.hpp"
#include "device_buffer.hpp"
#include "program.hpp"
#include "series.hpp"

namespace figures {

using kit::DeviceBuffer;

/// What is sorted and how: prepare, run under the clock, check.
struct Sorter {
  std::string name;
  std::string kind;       // what is sorted: "keys", "records", "arrays"
  bool on_host = false;   // run() takes the CPU's time, not the GPU's
  std::function<void(std::uint64_t seed)> prepare;
  std::function<void()> run;
  std::function<bool()> right;
  std::size_t most = std::size_t(-1);  // keys: quadratic sorts are not tried with more
};

inline Sorter up_to(std::size_t most, Sorter sorter) {
  sorter.most = most;
  return sorter;
}

/// n keys, or n / length arrays of keys, before and after sorting.
struct KeysOnDevice {
  KeysOnDevice(std::size_t n, std::size_t length) : length(length), in(n), out(n) {}
  void fill(std::uint64_t seed, bool in_place) {
    fill_shuffled(in.data(), in.size(), seed);
    before = digest(in.data(), in.size(), length);
    if (in_place)
      CUDA_CHECK(cudaMemcpy(out.data(), in.data(), in.size() * sizeof(float),
                            cudaMemcpyDeviceToDevice));
    else
      CUDA_CHECK(cudaMemset(out.data(), 0xFF, out.size() * sizeof(float)));  // NaN
  }
  bool sorted(bool ascending = true) const {
    return sorted_from(before, digest(out.data(), out.size(), length, ascending));
  }
  std::size_t length;
  DeviceBuffer<float> in, out;
  Digest before;
};

/// sort(keys) sorts in place.
template <typename Sort>
Sorter in_place_sorter(const std::string& name, std::size_t n, std::size_t length, Sort sort) {
  const auto keys = std::make_shared<KeysOnDevice>(n, length);
  return {name, length < n ? "arrays" : "keys", false,
          [keys](std::uint64_t seed) { keys->fill(seed, true); },
          [keys, sort] { sort(keys->out.data()); }, [keys] { return keys->sorted(); }};
}

/// sort(in, out) sorts from one array into the other.
template <typename Sort>
Sorter copying_sorter(const std::string& name, std::size_t n, std::size_t length, Sort sort,
                      bool ascending = true) {
  const auto keys = std::make_shared<KeysOnDevice>(n, length);
  return {name, length < n ? "arrays" : "keys", false,
          [keys](std::uint64_t seed) { keys->fill(seed, false); },
          [keys, sort] { sort(keys->in.data(), keys->out.data()); },
          [keys, ascending] { return keys->sorted(ascending); }};
}

/// sort(keys), a std::span, sorts arrays of `length` keys in host memory, on one core.
template <typename Sort>
Sorter host_sorter(const std::string& name, std::size_t n, std::size_t length, Sort sort) {
  const auto keys = std::make_shared<KeysOnDevice>(n, length);
  const auto host = std::make_shared<std::vector<float>>(n);
  return {name, length < n ? "arrays" : "keys", true,
          [keys, host](std::uint64_t seed) {
            keys->fill(seed, false);
            keys->in.copy_to(*host);
          },
          [host, sort] { sort(std::span(*host)); },
          [keys, host] {
            keys->out.copy_from(*host);
            return keys->sorted();
          }};
}

/// Runs the sorters in turns, `repetitions` times each or until one has used `budget` seconds.
inline std::vector<Series> sort_in_turns(const std::vector<Sorter>& sorters, int repetitions,
                                         double budget, std::uint64_t seed) {
  Clock clock;
  std::vector<Series> series;
  for (const Sorter& sorter : sorters) series.push_back({sorter.name, sorter.kind, {}, {}});
  for (int i = -1; i < repetitions; ++i) {  // the first run only loads the code
    for (std::size_t k = 0; k < sorters.size(); ++k) {
      const std::size_t which = (k + static_cast<std::size_t>(i + 1)) % sorters.size();
      const Sorter& sorter = sorters[which];
      if (has_enough(series[which], budget) || (i < 0 && sorter.on_host)) continue;
      sorter.prepare(seed + static_cast<std::uint64_t>(i + 1));
      const double seconds =
          sorter.on_host ? host_seconds(sorter.run) : clock.seconds(sorter.run);
      if (!sorter.right())
        throw WrongAnswer(sorter.name + " does not sort; ./lab check says what is wrong");
      if (i >= 0) series[which].seconds.push_back(seconds);
    }
  }
  return series;
}

/// The sorters that sort n keys: all, or those named in `only`, and none of `left_out`, which names
/// each as NAME/KIND.
inline std::vector<Sorter> chosen_of(std::vector<Sorter> sorters, const std::set<std::string>& only,
                                     const std::set<std::string>& left_out, std::size_t n) {
  std::erase_if(sorters, [&](const Sorter& sorter) {
    return left_out.contains(sorter.name + "/" + sorter.kind) || n > sorter.most ||
           (!only.empty() && !only.contains(sorter.name));
  });
  return sorters;
}

}  // namespace figures
