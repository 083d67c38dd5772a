// How a figures' program ends: one JSON object on stdout, or one sentence on stderr.
//
// Exit status: 0 measured, 1 an answer is wrong, 2 usage, 3 the device failed, 4 too little memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "options.hpp"

namespace figures {

using datasets::Options;

inline std::uint64_t seed_of(Options& options) {
  return options.required_number<std::int64_t>("--seed", 0, INT64_MAX);
}

/// How long a method may take at one size, in seconds; `--budget` is in milliseconds.
inline double seconds_of(Options& options) {
  return options.required_number("--budget", 1, 3600000) / 1e3;
}

/// A search or a sort gave a wrong answer, which must not enter the figure.
struct WrongAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The device cannot hold this size.
struct TooLittleMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `measure(options)` returns the object.
template <typename Measure>
int run_program(int argc, char** argv, const Measure& measure) {
  const auto fail = [](const std::exception& error, int status) {
    std::fprintf(stderr, "%s\n", error.what());
    return status;
  };
  try {
    Options options(argc, argv);
    const std::string report = measure(options);
    options.finish();
    std::puts(report.c_str());
    return 0;
  } catch (const WrongAnswer& error) {
    return fail(error, 1);
  } catch (const TooLittleMemory& error) {
    return fail(error, 4);
  } catch (const std::logic_error& error) {  // std::invalid_argument, std::out_of_range
    return fail(error, 2);
  } catch (const std::exception& error) {
    return fail(error, 3);
  }
}

}  // namespace figures
