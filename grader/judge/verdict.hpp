// The words a stage can be judged with, and the exception that carries one out of a test.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace warpwise {

enum class Verdict {
  passed,
  not_attempted,
  wrong_answer,
  wrote_outside,
  race,
  crashed,
  timed_out,
  rejected,
  infrastructure_error,
};

/// The word in results, tables and the first lines of reference/*/wrong/*.cu.
constexpr std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed: return "passed";
    case Verdict::not_attempted: return "not attempted";
    case Verdict::wrong_answer: return "wrong answer";
    case Verdict::wrote_outside: return "wrote outside";
    case Verdict::race: return "race";
    case Verdict::crashed: return "crashed";
    case Verdict::timed_out: return "timed out";
    case Verdict::rejected: return "rejected";
    case Verdict::infrastructure_error: break;
  }
  return "infrastructure error";
}

/// Ends a test case with a verdict; what() is the message the student reads. It is complete if
/// Judge::completed has added what else is known of the call.
class StageFailure : public std::runtime_error {
 public:
  StageFailure(Verdict verdict, const std::string& message, bool is_complete = false)
      : std::runtime_error(message), verdict_(verdict), is_complete_(is_complete) {}
  Verdict verdict() const noexcept { return verdict_; }
  bool is_complete() const noexcept { return is_complete_; }

 private:
  Verdict verdict_;
  bool is_complete_;
};

}  // namespace warpwise
