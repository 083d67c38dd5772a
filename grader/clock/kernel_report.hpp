// What one call's kernels ask of memory, by the CPU backend's counter, or take of a GPU.
#pragma once

#include "bench.hpp"
#include "judge_options.hpp"

namespace warpwise {

/// Both make one call of the bench, check it, and write the report. They return the judge's exit
/// code and throw StageFailure.
int count_stage(const JudgeOptions& options, const Bench& bench);
int profile_stage(const JudgeOptions& options, const Bench& bench);

}  // namespace warpwise
