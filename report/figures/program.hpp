// How a figures' program ends: one JSON object on stdout, or one sentence on stderr.
//
// Exit status: 0 measured, 1 an answer is wrong, 2 usage, 3 the device failed, 4 too little memory.
#pragma once

#include <cstdio>
#include <stdexcept>

#include "options.hpp"

namespace figures {

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
    std::puts(measure(Options(argc, argv)).c_str());
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
