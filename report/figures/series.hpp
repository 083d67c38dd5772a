// Measurements and how they are written: one JSON object on stdout per run of a program.
#pragma once

#include <string>
#include <vector>

#include "json.hpp"

namespace figures {

/// One method at one size: one entry per search or repetition, in the order of the runs.
struct Series {
  std::string name;
  std::string kind;  // "float" or "double" weights; "keys" or "records"
  std::vector<double> seconds;
  std::vector<double> rounds;  // sweeps, rounds or phases, if the method counts them

  double spent() const {
    double sum = 0;
    for (const double s : seconds) sum += s;
    return sum;
  }
};

inline std::string json_series(const Series& series) {
  warpwise::JsonObject object;
  object.text("name", series.name).text("kind", series.kind);
  object.raw("seconds", warpwise::json_list(series.seconds, warpwise::json_number));
  if (!series.rounds.empty())
    object.raw("rounds", warpwise::json_list(series.rounds, warpwise::json_number));
  return object.str();
}

/// Whether a method has used its share of time. A slow method makes fewer searches, but at least
/// two.
inline bool has_enough(const Series& series, double budget_seconds) {
  return series.seconds.size() >= 2 && series.spent() > budget_seconds;
}

}  // namespace figures
