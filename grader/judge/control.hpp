// The control is a worker without a submission. If not even that one comes up and finds its device,
// then nothing that fails is a student's fault; if it does, then everything is.
#pragma once

#include <string>

#include "judge.hpp"
#include "judge_options.hpp"

namespace warpwise {

inline WorkerOptions worker_options(const JudgeOptions& options, const std::string& program) {
  return {.program = program,
          .order = options.order,
          .seed = options.seed,
          .seconds = options.seconds,
          .budget = options.together,
          .memory = options.memory,
          .processor = options.processor,
          .turns = options.turns,
          .timed = options.mode != JudgeOptions::Mode::check,
          .launcher = options.launcher};
}

/// What is wrong with the machine; "" if nothing.
inline std::string machine_fault(const JudgeOptions& options) {
  if (options.control.empty()) return "";
  try {
    Judge control(worker_options(options, options.control));
    control.device();
    return "";
  } catch (const StageFailure& failure) {
    return failure.what();
  }
}

/// The failure as it is, or an infrastructure error where a broken machine may have caused it.
inline StageFailure blamed(const JudgeOptions& options, const StageFailure& failure) {
  if (failure.verdict() != Verdict::crashed && failure.verdict() != Verdict::timed_out)
    return failure;
  const std::string fault = machine_fault(options);
  if (fault.empty()) return failure;
  return {Verdict::infrastructure_error, "the machine failed while the stage ran: " + fault};
}

}  // namespace warpwise
