// What the two programs for sorting share: the command line and the report.
//
//     figures-sort --scale S --repetitions R --seed N --budget MILLISECONDS
//                  [--without NAME/KIND,...] [--only NAME,...]
//
// sorts 2^S keys. `--only` is for the record forms, which have no baselines of their own.
#pragma once

#include "program.hpp"
#include "sorters.hpp"

namespace figures {

inline std::string sort_report(std::size_t n, std::size_t arrays,
                               const std::vector<Series>& methods) {
  return warpwise::JsonObject()
      .integer("n", n)
      .integer("arrays", arrays)
      .text("backend", kBackend)
      .text("clock", kClock)
      .raw("methods", warpwise::json_list(methods, json_series))
      .str();
}

/// `sorters(n)` makes the sorters that are measured with n keys; `arrays` is the size of a batch.
template <typename Sorters>
int sort_main(int argc, char** argv, std::size_t arrays, const Sorters& sorters) {
  return run_program(argc, argv, [&](Options& options) {
    const std::size_t n = std::size_t{1} << options.required_number("--scale", 0, 30);
    const int repetitions = options.required_number("--repetitions", 1, 1000);
    const std::uint64_t seed = seed_of(options);
    const double budget = seconds_of(options);
    const std::vector<Sorter> chosen =
        chosen_of(sorters(n), options.list("--only"), options.list("--without"), n);
    return sort_report(n, arrays, sort_in_turns(chosen, repetitions, budget, seed));
  });
}

}  // namespace figures
