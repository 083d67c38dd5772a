// Measuring a stage instead of judging it: its time, its time against another program's, or what it
// asks of memory.
#pragma once

#include "judge_options.hpp"

namespace warpwise {

/// Measures what `options` asks for and writes the report. Returns the judge's exit code.
int measure_stage(const JudgeOptions& options);

/// Writes which stages the lab times, at which sizes, and how much work that is.
int list_benches(const std::string& path);

}  // namespace warpwise
