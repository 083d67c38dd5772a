// Measuring a stage instead of judging it: its time, its time against another program's, or what it
// asks of memory.
#pragma once

#include "judge_options.hpp"
#include "worker_process.hpp"

namespace warpwise {

inline WorkerOptions worker_options(const JudgeOptions& options, const std::string& program) {
  return {program, options.order, options.seed, options.seconds};
}

/// Measures what `options` asks for and writes the report. Returns the judge's exit code.
int measure_stage(const JudgeOptions& options);

}  // namespace warpwise
